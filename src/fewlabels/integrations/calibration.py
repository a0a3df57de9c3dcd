"""The calibration of the draw: what the guide predicted for the units, from low to high, and what people found there.

Neighboring bands of each side are joined into a few parts with about equally many labels. A part is estimated as a side is:
by expansion inside its bands, whose units were drawn at different rates, with the strict interval, which does not rely on the guide
being checked. Gold answers are not used.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from fewlabels.errors import StudyError
from fewlabels.estimators.grouping import fill_empty
from fewlabels.estimators.weighted import read_side
from fewlabels.intervals.rare import rec
from fewlabels.nouns.arrays import IntArray
from fewlabels.nouns.tally import Tally
from fewlabels.nouns.works_with import require
from fewlabels.study.state.tallies import groups_for, read_answers, tally
from fewlabels.study.study import Study

PARTS = 6  # parts of each side


class CalibrationPart(NamedTuple):
    """Neighboring bands of one side: the guide's mean prediction, and the positive share with limits at the study's level."""

    flagged: bool
    claimed: float
    units: int
    labels: int
    positive: int
    share: float
    low: float
    high: float


def read_calibration(study: Study, *, classifier: str | None = None) -> tuple[CalibrationPart, ...]:
    """Return the parts of both sides, by rising prediction; raise an error before the planned look, or if no single guide made the draw.

    Examples:
        >>> from fewlabels.integrations.calibration import read_calibration
        >>> from fewlabels.demo.study import small_study
        >>> parts = read_calibration(small_study())
        >>> sum(part.labels for part in parts), sum(part.positive for part in parts)
        (40, 11)
    """
    shown, standing = study.estimate(), study.standing
    if not shown.estimates:
        done = shown.progress
        raise StudyError(
            f"calibration is shown when all {done.planned:,} planned units are resolved, but only {done.labels:,} are: continue labeling"
        )
    require("calibration", standing.traits, subject=f"study {study.name!r} has")
    if not standing.profile.guided:
        raise StudyError(f"calibration needs a guide, but study {study.name!r} has none: read its estimates")
    j = standing.position(classifier)
    counted = fill_empty(tally(read_answers(standing), groups_for(standing)[j], j))
    tail = (1 - standing.goals[0].level) / 2
    parts = [_part(counted.pick(groups), tail) for side in (False, True) for groups in _parts(counted, flagged=side)]
    return tuple(sorted(parts, key=lambda part: part.claimed))


def _parts(counted: Tally, *, flagged: bool) -> Iterator[IntArray]:
    """Yield the groups of one side that have labels, by rising prediction, cut where the labels reach a sixth, two sixths, ..."""
    mine = np.flatnonzero((counted.flagged == flagged) & (counted.n > 0))
    mine = mine[np.argsort(counted.expected[mine], kind="stable")]
    if mine.size:
        reached = np.cumsum(counted.n[mine])
        place = np.minimum((PARTS * (reached - counted.n[mine] / 2) / reached[-1]).astype(np.int64), PARTS - 1)
        for number in np.unique(place):
            yield mine[place == number]


def _part(counted: Tally, tail: float) -> CalibrationPart:
    """Return one part, estimated as a side is."""
    side = read_side(counted)
    low, high = rec(side, tail, strict=True)
    return CalibrationPart(
        flagged=bool(counted.flagged[0]),
        claimed=float((counted.N * counted.expected).sum() / counted.N.sum()),
        units=round(float(counted.N.sum())),
        labels=round(float(counted.n.sum())),
        positive=round(float(counted.k.sum())),
        share=float(side.p),
        low=float(low),
        high=float(high),
    )
