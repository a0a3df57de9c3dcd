"""A profile from a sketch, for the meeting before there is a table: N units, the share flagged, the precision and the prevalence.

    recall = flagged precision / prevalence                 fpr = flagged (1 - precision) / (1 - prevalence)

Scores are imagined in one of two ways. `binormal`: a signal t, normal with standard deviation 1, around d for positives and around 0 for
negatives; units with t >= c are flagged, and the score is the calibrated probability of a positive:

    d = z(recall) - z(fpr)        c = -z(fpr)        logit s = d t - d^2 / 2 + logit prevalence

So the two figures of the cut settle how well the scores rank on both sides of it: that they do so by this curve is an assumption.
`plain`: scores know the side of a unit and nothing else. They say the precision of every flagged unit, and of every other unit the share
of positives there. Nothing here has seen a table: sizes are as good as the figures. Source: Green & Swets 1966, "Signal detection theory
and psychophysics". Derivation: docs/maths/sketch.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from scipy.special import logit, ndtr, ndtri

from fewlabels.errors import PlanError
from fewlabels.nouns import ladder
from fewlabels.nouns.arrays import FloatArray, IntArray
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.goal import Goal
from fewlabels.nouns.metric import Totals
from fewlabels.nouns.profile import Profile
from fewlabels.planning.frames import frame_of

ImaginedScores = Literal["binormal", "plain"]
IMAGINED_SCORES: tuple[ImaginedScores, ...] = get_args(ImaginedScores)
DEFAULT_UNITS, MOST_UNITS = 1_000_000, 10**8  # of more units, as many labels are needed
MERGED = 10  # bins of the ladder whose units come into two
HAIR = 1e-9  # of a share: what rounding may add where two are equal
OFF = 1e-3  # how far whole units may move the precision or the recall


@dataclass(frozen=True, slots=True, kw_only=True)
class Sketch:
    """What somebody knows of a table that does not exist yet: its size, and three shares that settle the fourth, recall."""

    N: int = DEFAULT_UNITS
    flagged: float  # share of all units
    precision: float
    prevalence: float

    def __post_init__(self) -> None:
        """Raise PlanError unless there can be a table with these figures."""
        if not 1 <= self.N <= MOST_UNITS:
            raise PlanError(
                f"a sketch has 1 to {MOST_UNITS:,} units, and of more as many labels are needed, got {self.N:,}: name a number in between "
                "(--units)"
            )
        for name in ("flagged", "prevalence"):
            if not 0 < getattr(self, name) < 1:
                raise PlanError(f"the share of units {_SAID[name]} must lie in (0, 1), got {getattr(self, name):g}: write 4% or 0.04")
        if not 0 < self.precision <= 1:
            raise PlanError(f"the precision must lie in (0, 1], got {self.precision:g}: write 80% or 0.8")
        self._check_sums()

    def _check_sums(self) -> None:
        """Raise PlanError if more positives or negatives are flagged than there are."""
        found, wrong = self.found, self.flagged - self.found
        if found > self.prevalence * (1 + HAIR):
            raise PlanError(
                f"flagged x precision is the share of units that are positives found, and cannot exceed the prevalence, got "
                f"{self.flagged:g} x {self.precision:g} = {found:.4g} of {self.prevalence:g}, a recall of {found / self.prevalence:.3g}: "
                f"flag at most {self.prevalence / self.precision:.4g}, or name a precision of at most "
                f"{self.prevalence / self.flagged:.4g} or a prevalence of at least {found:.4g}"
            )
        if wrong > (1 - self.prevalence) * (1 + HAIR):
            raise PlanError(
                f"flagged x (1 - precision) is the share of units that are negatives flagged, and cannot exceed 1 - prevalence, got "
                f"{self.flagged:g} x {1 - self.precision:g} = {wrong:.4g} of {1 - self.prevalence:g}: flag fewer, or name a higher "
                "precision or a lower prevalence"
            )

    @property
    def N1(self) -> int:
        """The units that are flagged."""
        return round(self.N * self.flagged)

    @property
    def found(self) -> float:
        """The share of all units that are flagged and positive."""
        return self.flagged * self.precision

    @property
    def recall(self) -> float:
        """The recall that the three shares settle: flagged x precision / prevalence."""
        return min(self.found / self.prevalence, 1.0)

    @property
    def fpr(self) -> float:
        """The false positive rate: the share of negatives that are flagged."""
        return min((self.flagged - self.found) / (1 - self.prevalence), 1.0)

    @property
    def missed(self) -> float:
        """The share of positives among units that are not flagged."""
        return max(self.prevalence - self.found, 0.0) / (1 - self.flagged)

    @property
    def separation(self) -> float:
        """How far apart the signals of positives and negatives are, in standard deviations: z(recall) - z(fpr)."""
        return float(ndtri(self.recall) - ndtri(self.fpr))

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json."""
        return {
            "units": self.N,
            "flagged": self.flagged,
            "precision": self.precision,
            "prevalence": self.prevalence,
            "recall": self.recall,
        }


_SAID = {"flagged": "that are flagged", "prevalence": "that are positive (the prevalence)"}


def imagined_profile(sketch: Sketch, scores: ImaginedScores = "binormal") -> Profile:
    """The profile of a table with these figures, with the expected number of units in each cell. Raise PlanError if it cannot have them.

    An engine would count up to 4,000 cells of such a table, of which `plan` merges eight into one. These are at most 852, since each ten
    bins have two that keep their mean score: precision and recall come out as they were given.
    """
    if scores == "binormal":
        _refuse_without_errors(sketch)
    one, zero = map(_merged, _binormal(sketch)) if scores == "binormal" else _plain(sketch)
    bins = [np.flatnonzero(zero), np.flatnonzero(one)]
    profile = Profile(
        columns=(),
        guide_bin=np.concatenate(bins),
        pattern=np.repeat([0, 1], [side.size for side in bins]),
        slice=np.zeros(bins[0].size + bins[1].size, dtype=np.int64),
        count=np.concatenate([zero[bins[0]], one[bins[1]]]),
        slice_values=((),),
        guided=True,
        smallest_id="",
        largest_id="",
    )
    _refuse_too_few_units(sketch, profile)
    return profile


def _binormal(sketch: Sketch) -> tuple[IntArray, IntArray]:
    """The units in each bin of the ladder on the flagged side and on the other."""
    d, p, cut = sketch.separation, sketch.prevalence, -float(ndtri(sketch.fpr))
    with np.errstate(divide="ignore"):
        t = (logit(ladder.EDGES) - logit(p) + d * d / 2) / d
    above = np.maximum(t, cut)
    below = np.minimum(t, cut)
    flagged = p * ndtr(d - above) + (1 - p) * ndtr(-above)  # the share of all units with at least this signal, and flagged
    other = p * ndtr(below - d) + (1 - p) * ndtr(below)
    N1 = sketch.N1
    return -_whole(sketch.N * flagged, N1), _whole(sketch.N * other, sketch.N - N1)


def _whole(upto: FloatArray, units: int) -> IntArray:
    """Whole units by bin, `units` in all, from the expected number up to each edge; any sum of neighbors is off by about one."""
    whole = np.where(upto < upto.max(), np.rint(upto), units).astype(np.int64)
    return np.asarray(np.diff(whole), dtype=np.int64)


def _merged(counts: IntArray) -> IntArray:
    """The units of every few bins in the two bins whose middles are next to their mean score, which they keep."""
    group = np.arange(ladder.BINS) // MERGED
    units, sums = np.bincount(group, weights=counts), np.bincount(group, weights=counts * ladder.MIDDLES)
    merged = np.zeros(ladder.BINS, dtype=np.int64)
    for n, total in zip(units, sums, strict=True):
        if n:
            merged += _beside(total / n, round(n))
    return merged


def _plain(sketch: Sketch) -> tuple[IntArray, IntArray]:
    """The same if scores know the side alone: two neighboring bins a side, in shares that give its share of positives exactly."""
    return _beside(sketch.precision, sketch.N1), _beside(sketch.missed, sketch.N - sketch.N1)


def _beside(share: float, units: int) -> IntArray:
    """Units in the two bins whose middles are next to a share, so that their mean is the share."""
    high = int(np.clip(np.searchsorted(ladder.MIDDLES, share), 1, ladder.BINS - 1))
    low, top = ladder.MIDDLES[high - 1], ladder.MIDDLES[high]
    above = round(units * float(np.clip((share - low) / (top - low), 0, 1)))
    counts = np.zeros(ladder.BINS, dtype=np.int64)
    counts[high - 1], counts[high] = units - above, above
    return counts


def _refuse_without_errors(sketch: Sketch) -> None:
    """Raise PlanError if no binormal scores give these figures."""
    plain = "or imagine none (--scores plain)"
    if max(sketch.precision, sketch.recall) > 1 - HAIR:
        raise PlanError(
            f"binormal scores err on both sides, so precision and recall must be below 1, got {sketch.precision:g} and "
            f"{sketch.recall:g}: let some of the flagged units be wrong and some positives be missed, {plain}"
        )
    if sketch.precision <= sketch.prevalence:
        raise PlanError(
            f"binormal scores flag what is more likely positive, so the precision must exceed the prevalence, got {sketch.precision:g} "
            f"and {sketch.prevalence:g}: name a higher precision, {plain}"
        )


def _refuse_too_few_units(sketch: Sketch, profile: Profile) -> None:
    """Raise PlanError if whole units cannot have the figures."""
    flagged = profile.predicted(0)
    A, B = (np.asarray((profile.count * profile.guide)[side].sum()) for side in (flagged, ~flagged))
    N1 = float(profile.count[flagged].sum())
    has = Totals.of_sides(A, B, N1=N1, N0=profile.N - N1)
    precision, recall = (float(has.TP / max(float(of), 1e-300)) for of in (has.TP + has.FP, has.TP + has.FN))
    if abs(precision - sketch.precision) > OFF or abs(recall - sketch.recall) > OFF or not 0 < N1 < profile.N:
        raise PlanError(
            f"whole units must have the figures to {OFF:g}, but the nearest of {sketch.N:,} units has {N1:,.0f} flagged, "
            f"precision {precision:.4g} and recall {recall:.4g} in place of {sketch.precision:.4g} and {sketch.recall:.4g}: name more "
            "units (--units)"
        )


def check_goals(profile: Profile, goals: Sequence[Goal], *, budget: int | None) -> None:
    """Raise PlanError for goals about what figures do not have (other classifiers, slices, weights), and for more labels than units."""
    for goal in goals:
        if goal.traits or goal.classifier is not None or goal.slice is not None or goal.by is not None:
            raise PlanError(
                f"figures are about one classifier and all units, but the goal is {goal}: leave the rest out, or plan on a table "
                "(fewlabels plan)"
            )
    most = int(profile.count[frame_of(profile, [goal.definition for goal in goals])].sum())
    if budget is not None and budget > most:
        raise PlanError(f"these goals can use at most the {most:,} units they are about, but the budget is {budget:,}: lower it")
