"""What numbers rest on where answers arrive by themselves, in words."""

from collections.abc import Iterator

import numpy as np

from fewlabels.nouns.late import Arrived
from fewlabels.study.state.standing import Standing


def late_warnings(standing: Standing) -> Iterator[str]:
    """Whether numbers are provisional, what a missing answer was taken for, and which units no answer will reach by itself."""
    late = standing.late
    if late is None:
        return
    if standing.as_of is None or standing.as_of < late.until:
        known = "none is recorded by day yet" if standing.as_of is None else f"those until {standing.as_of} are recorded"
        yield f"provisional: answers may arrive until {late.until}, and {known}"
    come = standing.arrivals
    if come is None:
        return
    for side, arrived in (("flagged", come.flagged), ("unflagged", come.unflagged)):
        if arrived is not None:
            yield _assumed(side, arrived)
        else:
            yield from _unreached(standing, side)


def _assumed(side: str, arrived: Arrived) -> str:
    come, of = arrived
    if not come:
        return f"no earlier positive of the {side} units had arrived at this age: nothing is known of their share yet"
    share = f"the {come:,} of {of:,} earlier positives that had arrived at this age"
    return f"{side} units without an answer count as negative, corrected by {share}: positives are assumed to arrive as those did"


def _unreached(standing: Standing, side: str) -> Iterator[str]:
    """Units of a side on which nothing arrives by itself, that nobody has answered."""
    units = standing.units
    if units is None:
        return
    mine = ((units.pattern & 1) > 0) == (side == "flagged")
    left = int(np.count_nonzero(mine & ~standing.resolved))
    if left:
        yield f"{left:,} {side} units have no answer, and none arrives by itself (a blocked payment has no chargeback): label them"
