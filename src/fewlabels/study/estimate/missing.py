"""The missing answers of a study, in numbers and in words."""

import numpy as np

from fewlabels.estimators.missing import WORST_FROM, count_missing
from fewlabels.nouns import ladder
from fewlabels.nouns.draw import NO_BAND
from fewlabels.nouns.missing import Missing
from fewlabels.study.state.pages import UNUSABLE
from fewlabels.study.state.standing import Standing

BROKEN_PROMISE = "the missing answers are not random: the interval does not hold as it stands, the worst case does"


def read_missing(standing: Standing) -> Missing:
    """The missing answers among the resolved units of the draw. Reveals nothing about the others, so it may be shown at any time."""
    units = standing.units
    rows = np.flatnonzero(standing.resolved)
    missing = np.zeros(rows.size, dtype=np.bool_)
    for question in standing.questions:
        missing |= standing.counted(question)[rows] <= UNUSABLE
    if units is None:
        return count_missing(missing, flagged=missing, band=rows, guide=np.zeros(0))
    joint = standing.profile.claims is not None
    flagged = units.pattern[rows] > 0 if joint else (units.pattern[rows] & 1).astype(np.bool_)
    guided = standing.profile.guided and missing.any()  # where nothing is missing, nothing is tested
    guide = ladder.MIDDLES[np.minimum(units.guide_bin[rows], ladder.BINS - 1)] if guided else np.zeros(rows.size)
    pilot = standing.plan.before if standing.plans else 0
    before = int(units.band[:pilot].max()) + 1 if pilot else 0
    band = units.band[rows] + before * (rows >= pilot) if pilot else units.band[rows]  # the bands of a pilot stay apart from later ones
    band = np.where(band == NO_BAND, 1 + band.max(initial=0), band)  # those of a check are one more
    return count_missing(missing, flagged=flagged, band=band, guide=guide, pilot_bands=before)


def say_missing(missing: Missing) -> str:
    """What is assumed about the missing answers, or why nothing can be assumed."""
    if missing.differs:
        return (
            f"they are NOT missing at random ({missing}): the interval does not hold as it stands, goals are judged in the worst case. "
            "Have somebody else answer them"
        )
    says = "the numbers assume that within a band and side the missing answers are like the others"
    if missing.tests:
        says += f" (nothing speaks against it, but this test sees only side and score; {missing})"
    if any((side.share or 0) > WORST_FROM for side in (missing.flagged, missing.unflagged)):
        says += f". More than {WORST_FROM:.0%} is a lot to assume: read the worst case too"
    return says
