"""The missing answers of a study, in numbers and in words."""

import numpy as np

from fewlabels.estimators.missing import WORST_FROM, count_missing
from fewlabels.nouns import ladder
from fewlabels.nouns.label import UNANSWERED
from fewlabels.nouns.missing import Missing
from fewlabels.study.state.standing import Standing

BROKEN_PROMISE = "the missing answers are not random: the interval does not hold as it stands, the worst case does"


def read_missing(standing: Standing) -> Missing:
    """The missing answers among the resolved units of the draw. Reveals nothing about the others, so it may be shown at any time."""
    units = standing.units
    resolved = [i for i, unit in enumerate(units.unit) if standing.is_resolved(unit)] if units else []
    rows = np.array(resolved, dtype=np.int64)
    missing = np.array([_lacks(standing, units.unit[i]) for i in resolved] if units else [], dtype=np.bool_)
    if units is None:
        return count_missing(missing, flagged=missing, band=rows, guide=np.zeros(0))
    joint = standing.profile.claims is not None
    flagged = units.pattern[rows] > 0 if joint else (units.pattern[rows] & 1).astype(np.bool_)
    guide = ladder.MIDDLES[np.minimum(units.guide_bin[rows], ladder.BINS - 1)] if standing.profile.guided else np.zeros(rows.size)
    pilot = standing.plan.before if standing.plans else 0
    band = np.where(rows < pilot, units.band[rows], units.band[rows] + 10**6)  # keep the bands of a pilot apart from those after it
    return count_missing(missing, flagged=flagged, band=band, guide=guide)


def _lacks(standing: Standing, unit: str) -> bool:
    """Whether a question about the unit has no usable answer."""
    return any((label := standing.answer_of(unit, q)) is None or label.answer in UNANSWERED for q in standing.questions)


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
