"""The lowest threshold at which precision is at least a target, with a guarantee that survives the search; or none, and why.

"Lowest found" is not "lowest": precision need not fall as the threshold does, and thresholds below the first failure were not tried.
The other metric at the threshold found is read from its simultaneous ribbon, which is valid wherever the search ends.
"""

from dataclasses import dataclass

import numpy as np

from fewlabels.designs.base import takes_of
from fewlabels.estimators.linearize import CLIP
from fewlabels.estimators.ribbons import Curve, measure_thresholds
from fewlabels.estimators.thresholds import Pieces, limits_of, pieces_of, read_thresholds, thresholds_of
from fewlabels.estimators.weighted import calibration
from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.display import Displayed
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.metrics import PRECISION, RECALL
from fewlabels.nouns.profile import Profile
from fewlabels.nouns.tally import Tally
from fewlabels.planning.threshold_search import POWER, Search, find, labels_to_find, search_order


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class FoundThreshold(Displayed):
    """The result of a threshold search.

    threshold      the score from which units are flagged; None if no threshold was found
    units          how many units it flags
    value, bound   the metric there and its one-sided bound at the level, which is at least the target
    other          the metric not searched for; other_low and other_high are valid after the search (ribbon)
    tried          number of thresholds in the search order, fixed before any label
    needed         if none was found: labels of this draw, those recorded included, that would find one with 80 % chance if the scores,
                   recalibrated on these labels, are right; None if not even all units of the draw would
    """

    metric: str
    target: float
    level: float
    threshold: float | None
    units: int | None
    value: float | None
    bound: float | None
    other: str
    other_value: float | None
    other_low: float
    other_high: float
    tried: int
    needed: int | None
    reason: str

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def choose_threshold(
    profile: Profile, design: DrawDesign, n: FloatArray, k: FloatArray, *, search: Search, labels: int, classifier: int = 0
) -> FoundThreshold:
    """Choose the threshold from the labels collected.

    `n` and `k` are the numbers of labels and of positive labels per profile cell; `labels` is the planned number. The classifier's score
    must be the guide. The search order and the candidate thresholds depend only on the profile, the design and the planned number.
    """
    take = takes_of(design, labels)
    pieces = pieces_of(profile, design, thresholds_of(profile, design, take), take, classifier=classifier)
    order = search_order(pieces, profile, search)
    by_piece = pieces.summed(n), pieces.summed(k)
    at = int(find(pieces, order, *by_piece, search))
    if at < 0:
        share = recalibrated_shares(profile, pieces, *by_piece)
        needed = labels_to_find(profile, search, share, design=design, labels=labels, classifier=classifier)
        return _none(search, pieces, tried=order.size, needed=needed)
    other = RECALL if _is_down(search) else PRECISION
    ribbon = measure_thresholds(pieces, n, k, metrics=[other], level=search.level, interval=search.interval)[0]
    return _found(search, pieces, by_piece, at, ribbon, tried=order.size)


def _is_down(search: Search) -> bool:
    return search.metric is PRECISION


def recalibrated_shares(profile: Profile, pieces: Pieces, n: FloatArray, k: FloatArray) -> FloatArray:
    """The positive share of every cell: its score, recalibrated with two parameters on these labels (by piece)."""
    s = np.clip(profile.guide, CLIP, 1 - CLIP)
    side = np.ones(pieces.N.shape, dtype=np.bool_)
    whole = Tally(flagged=side, N=pieces.N, n=n, k=k, logit=pieces.logit, expected=pieces.expected, N1=float(pieces.N.sum()), N0=0.0)
    return calibration(whole).share(np.log(s / (1 - s)))


def _found(
    search: Search, pieces: Pieces, by_piece: tuple[FloatArray, FloatArray], at: int, ribbon: Curve, *, tried: int
) -> FoundThreshold:
    read = read_thresholds(pieces, *by_piece)[at]
    shown = limits_of(search.metric, [read], tail=1 - search.level, interval=search.interval)
    score, units, bound = float(pieces.thresholds.score[at]), round(float(pieces.thresholds.units[at])), float(shown.low[0])
    other_value = float(ribbon.value[at])
    kind = "lowest" if _is_down(search) else "highest"
    return FoundThreshold(
        metric=search.metric.name,
        target=search.target,
        level=search.level,
        threshold=score,
        units=units,
        value=float(shown.value[0]),
        bound=bound,
        other=ribbon.metric,
        other_value=other_value if np.isfinite(other_value) else None,
        other_low=float(ribbon.ribbon_low[at]),
        other_high=float(ribbon.ribbon_high[at]),
        tried=tried,
        needed=None,
        reason=(
            f"{score:.6g} is the {kind} threshold found with {search.metric.name} at least {search.target:g}: it is at least {bound:.4f} "
            f"there, {units:,} units flagged; the search holds in {search.level:.0%} of studies"
        ),
    )


def _none(search: Search, pieces: Pieces, *, tried: int, needed: int | None) -> FoundThreshold:
    most = float(pieces.thresholds.planned[-1])
    if tried == 0:
        why = f"no threshold flags the {search.fewest:.0f} labels that could show it ({most:.0f} are planned in all)"
    else:
        why = "the first one tried did not show it"
    way_out = "by the scores as these labels have them, not even all units of this draw would find one"
    if needed is not None:
        way_out = f"a budget of about {needed:,} labels finds one with {POWER:.0%} chance, if the scores are as these labels have them"
    return FoundThreshold(
        metric=search.metric.name,
        target=search.target,
        level=search.level,
        threshold=None,
        units=None,
        value=None,
        bound=None,
        other=(RECALL if _is_down(search) else PRECISION).name,
        other_value=None,
        other_low=0.0,
        other_high=1.0,
        tried=tried,
        needed=needed,
        reason=f"no threshold found with {search.metric.name} at least {search.target:g}: {why}; {way_out}",
    )
