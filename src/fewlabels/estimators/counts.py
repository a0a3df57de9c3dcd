"""From the four counts of a confusion matrix to every metric with its interval, for users who have labels but no study.

There are two interpretations. With the sizes of the two sides, the flagged labels are a random sample of the flagged units and the others
of the others: two bands, and the ordinary path. Without them, all labels are one simple random sample from an infinite population
(`multinomial`). Derivation and coverage: docs/maths/counts.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from fewlabels.errors import GoalError, PlanError, PopulationError
from fewlabels.estimators.estimating import estimate, one_sided_tail, untrusting
from fewlabels.estimators.measuring import measure
from fewlabels.estimators.multinomial import endless, measure_counts
from fewlabels.estimators.sides import Measured
from fewlabels.intervals.binomial import entering, is_simple, share_of
from fewlabels.intervals.registered import interval_named
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.display import Displayed
from fewlabels.nouns.estimate import USUAL_INTERVAL, Estimate, IntervalKind
from fewlabels.nouns.metric import Metric, Totals
from fewlabels.nouns.metrics import METRICS, metric_named
from fewlabels.nouns.tally import Tally

CLASSIFIER = "counts"  # the name in the estimates, because the classifier is not known
LARGEST_COUNT = 10**15  # counts are exact as floats
SIMPLE = (
    "the counts are read as one simple random draw from a large population; if flagged and other units were labeled at different rates, "
    "give the sizes of both sides, or no metric holds that needs both"
)
TWO_DRAWS = "the labeled units of each side are read as drawn from it at random; if they were chosen in another way, no interval holds"


class Matrix(NamedTuple):
    """A confusion matrix of labeled units; N1 and N0, the numbers of flagged and unflagged units, are None if unknown."""

    tp: int
    fp: int
    fn: int
    tn: int
    N1: int | None
    N0: int | None

    @property
    def totals(self) -> Totals:
        """The counts as totals."""
        return Totals(*(np.asarray(float(count)) for count in self[:4]))

    @property
    def tally(self) -> Tally:
        """The counts by side: two bands of known size, or one simple draw from an infinite population."""
        whole = endless(max(self[:4]))
        sizes = (whole, whole) if self.N1 is None or self.N0 is None else (float(self.N1), float(self.N0))
        sides = ((True, sizes[0], self.tp + self.fp, self.tp), (False, sizes[1], self.fn + self.tn, self.fn))
        flagged, N, n, k = (np.array(column) for column in zip(*(side for side in sides if side[1]), strict=True))
        even = np.full(N.shape, 0.5)
        return Tally(
            flagged=flagged,
            N=N,
            n=n.astype(np.float64),
            k=k.astype(np.float64),
            logit=np.zeros(N.shape),
            expected=even,
            N1=sizes[0],
            N0=sizes[1],
            simple=self.N1 is None,
        )

    def measure(self, metric: Metric, *, tail: float, interval: IntervalKind) -> Measured:
        """The metric with limits that are each missed with probability `tail`."""
        kind = interval_named(interval)
        if kind.is_resampled:
            way_out = f"use {USUAL_INTERVAL}, or fewlabels simulate to see it"
            raise PlanError(f"{interval} resamples labels, and counts alone have no seed: {way_out}")
        if metric.weight is not None:
            raise GoalError(f"counts have no weights, but {metric.name} sums them: ask for {metric.name.split()[0]}")
        if self.N1 is None and kind.of_counts is None:
            return measure_counts(metric, self.totals, tail=tail, interval=interval)
        return measure(metric, self.tally, tail=tail, interval=interval)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Confusion(Displayed):
    """A confusion matrix of labeled units, and the estimates from it.

    matrix      the counts, with the sizes of the two sides if they are known
    estimates   one per metric, each with interval, effective n and the labels behind it
    cautions    what a reader must know: how the counts were interpreted, and whether the interval is a baseline or from another package

    Examples:
        >>> import fewlabels
        >>> shown = fewlabels.from_counts(tp=45, fp=5, fn=8, tn=442)
        >>> print(shown["precision"])
        precision of counts 0.900 [0.782, 0.967] at 95.0%, 50 labels, effective n 50
    """

    matrix: Matrix
    level: float
    interval: IntervalKind
    estimates: tuple[Estimate, ...]
    cautions: tuple[str, ...]

    def __getitem__(self, metric: str) -> Estimate:
        """The estimate of a metric."""
        name = metric_named(metric).name
        for found in self.estimates:
            if found.metric == name:
                return found
        raise GoalError(f"{name} was not requested; the metrics are {', '.join(e.metric for e in self.estimates)}: name it in metrics=")

    def bound(self, metric: str, side: Literal["upper", "lower"], *, level: float = 0.95) -> float:
        """The one-sided bound of a metric: at `level` it is at most (upper) or at least (lower) this.

        Each bound is valid at its level by itself; both together are not. Without a value, it is the limit of what is still possible.

        Examples:
            >>> import fewlabels
            >>> shown = fewlabels.from_counts(tp=45, fp=5, fn=8, tn=442)
            >>> round(shown.bound("recall", "lower"), 3)
            0.744
        """
        if side not in ("upper", "lower"):
            raise PlanError(f"a bound must be upper (at most) or lower (at least), got {side!r}: choose one")
        if not 0.5 < level < 1:
            raise PlanError(f"the level of a one-sided bound must lie between 0.5 and 1, got {level:g}: 0.95 is usual")
        found = self.matrix.measure(metric_named(metric), tail=1 - level, interval=self.interval)
        return float(found.high if side == "upper" else found.low)

    def __str__(self) -> str:
        """One line per metric, and the cautions."""
        return "\n".join([*(str(e) for e in self.estimates), *(f"caution: {caution}" for caution in self.cautions)])

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json.

        Examples:
            >>> import fewlabels
            >>> shown = fewlabels.from_counts(tp=45, fp=5, fn=8, tn=442)
            >>> shown.as_json()["counts"]
            {'tp': 45, 'fp': 5, 'fn': 8, 'tn': 442}
        """
        counts: dict[str, Json] = {name: getattr(self.matrix, name) for name in ("tp", "fp", "fn", "tn")}
        return {
            "counts": counts,
            "n_predicted_positive": self.matrix.N1,
            "n_predicted_negative": self.matrix.N0,
            "level": self.level,
            "interval": self.interval,
            "estimates": [e.as_json() for e in self.estimates],
            "cautions": list(self.cautions),
        }


def from_counts(  # noqa: PLR0913 - the four counts and what is known of them
    *,
    tp: int,
    fp: int,
    fn: int,
    tn: int,
    n_predicted_positive: int | None = None,
    n_predicted_negative: int | None = None,
    level: float = 0.95,
    interval: IntervalKind = USUAL_INTERVAL,
    metrics: Sequence[str] | None = None,
) -> Confusion:
    """Estimate every metric, with interval and effective n, from a confusion matrix of labeled units.

    If the numbers of units predicted positive and negative are given, the labels are random samples of the two sides, at rates that may
    differ. Otherwise all labels are one simple random sample. metrics=None means all metrics that the interval works for.

    Examples:
        >>> import fewlabels
        >>> shown = fewlabels.from_counts(tp=45, fp=5, fn=8, tn=442, metrics=["recall"])
        >>> print(shown["recall"])
        recall of counts 0.849 [0.724, 0.933] at 95.0%, 500 labels, effective n 500
        >>> shown = fewlabels.from_counts(  # the 450 labels of units that are not flagged stand for 988,000
        ...     tp=45, fp=5, fn=8, tn=442, n_predicted_positive=12_000, n_predicted_negative=988_000, metrics=["recall"]
        ... )
        >>> print(shown["recall"])
        recall of counts 0.381 [0.236, 0.587] at 95.0%, 500 labels, effective n 630
    """
    if not 0.5 <= level < 1:
        raise PlanError(f"a level must lie in [0.5, 1), got {level:g}: 0.95 is usual")
    kind = interval_named(interval)
    counts = {name: _whole(name, value) for name, value in (("tp", tp), ("fp", fp), ("fn", fn), ("tn", tn))}
    N1, N0 = _sizes(counts, n_predicted_positive, n_predicted_negative)
    matrix = Matrix(**counts, N1=N1, N0=N0)
    wanted = list(METRICS.values()) if metrics is None else [metric_named(name) for name in metrics]
    if metrics is None and kind.of_counts is not None:
        wanted = [metric for metric in wanted if share_of(metric) and is_simple(metric, matrix.tally)]
    estimates = tuple(_estimate(metric, matrix, level=level, interval=interval) for metric in {m.name: m for m in wanted}.values())
    cautions = (SIMPLE if matrix.N1 is None else TWO_DRAWS, *kind.cautions)
    return Confusion(matrix=matrix, level=level, interval=interval, estimates=estimates, cautions=cautions)


def _whole(name: str, value: object) -> int:
    """The value as a count; raise PopulationError if it is not one."""
    number = value if isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool) else np.nan
    if not 0 <= number <= LARGEST_COUNT or int(number) != number:
        raise PopulationError(f"{name} must be a whole number from 0 to {LARGEST_COUNT:,}, got {value!r}: count units, not shares")
    return int(number)


def _sizes(counts: dict[str, int], N1: object, N0: object) -> tuple[int | None, int | None]:
    """The sizes of the two sides, or None for both; raise PopulationError if one is missing, or for no label or more labels than units."""
    if not sum(counts.values()):
        raise PopulationError("tp, fp, fn and tn are all 0: label at least one unit")
    if N1 is None and N0 is None:
        return None, None
    if N1 is None or N0 is None:
        raise PopulationError(
            f"sizes must come in pairs, but n_predicted_positive is {N1} and n_predicted_negative is {N0}: give both or neither "
            "(a simple draw)"
        )
    sizes = _whole("n_predicted_positive", N1), _whole("n_predicted_negative", N0)
    sides = (("tp", "fp", "n_predicted_positive"), ("fn", "tn", "n_predicted_negative"))
    for units, (right, wrong, name) in zip(sizes, sides, strict=True):
        if (labels := counts[right] + counts[wrong]) > units:
            raise PopulationError(
                f"{right} + {wrong} must be at most {name}, but {labels:,} labels are more than {units:,} units: "
                "give the units of the whole population, labeled or not"
            )
    return sizes


def _estimate(metric: Metric, matrix: Matrix, *, level: float, interval: IntervalKind) -> Estimate:
    """The metric with a two-sided interval at `level`."""
    tail = (1 - level) / 2
    measured = matrix.measure(metric, tail=tail, interval=interval)
    why = None if np.isfinite(measured.value) else _why(metric, matrix)
    if matrix.N1 is not None:
        found = estimate(metric, matrix.tally, classifier=CLASSIFIER, level=level, planned=True, interval=interval)
        return replace(found, why=why)
    beside = untrusting(interval)
    strict = measured if beside == interval else matrix.measure(metric, tail=tail, interval=beside)
    bound = matrix.measure(metric, tail=one_sided_tail(level), interval=interval)
    labels = _labels(metric, matrix)
    return Estimate(
        metric=metric.name,
        classifier=CLASSIFIER,
        value=None if why else float(measured.value),
        low=float(measured.low),
        high=float(measured.high),
        at_least=float(bound.low),
        at_most=float(bound.high),
        strict_low=float(strict.low),
        strict_high=float(strict.high),
        level=level,
        standard_error=float(measured.standard_error) if np.isfinite(measured.standard_error) else None,
        n_eff=None if why else float(labels),  # it is a simple draw
        labels=labels,
        interval=interval,
        planned=True,
        why=why,
    )


def _labels(metric: Metric, matrix: Matrix) -> int:
    """Labels of a simple draw behind a metric."""
    enters = entering(metric)
    return (matrix.tp + matrix.fp) * enters.flagged + (matrix.fn + matrix.tn) * enters.unflagged


def _why(metric: Metric, matrix: Matrix) -> str:
    """Why there is no value."""
    if matrix.N1 and metric.needs_flagged and not matrix.tp + matrix.fp:
        return "no flagged unit is labeled: label some"
    if matrix.N0 and metric.needs_unflagged and not matrix.fn + matrix.tn:
        return "no unflagged unit is labeled: label some"
    return f"{metric.name} is 0/0 on these counts: no labeled unit is among those it is a share of"
