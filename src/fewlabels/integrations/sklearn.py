"""scikit-learn's metrics with intervals: functions and scorers that return a float which carries its interval.

    from fewlabels.integrations.sklearn import make_scorer, recall_score

The functions take scikit-learn's arguments, and inclusion_prob: the probability with which each labeled unit was drawn. The value is then
scikit-learn's at sample_weight = 1 / inclusion_prob. Equal probabilities are read as one simple draw (docs/maths/counts.md), unequal ones
by docs/maths/expanded.md. A study knows more than these arrays do (sizes of bands, the guide) and has narrower intervals.
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np

from fewlabels.errors import EngineError, LabelError
from fewlabels.estimators.counts import SIMPLE, from_counts
from fewlabels.estimators.multinomial import measure_counts
from fewlabels.installation import install_command
from fewlabels.integrations.displays import EstimateDisplay as EstimateDisplay
from fewlabels.intervals.binomial import entering
from fewlabels.intervals.expanded import ExpandedShare, Expansions, measure_expanded
from fewlabels.nouns.arrays import BoolArray, FloatArray
from fewlabels.nouns.estimate import USUAL_INTERVAL
from fewlabels.nouns.metric import Metric, Totals
from fewlabels.nouns.metrics import metric_named
from fewlabels.nouns.works_with import require

ArrayLike: TypeAlias = Any  # what numpy.asarray accepts
EXPANDED = "the interval for unequal probabilities was tested on made-up draws only, see docs/maths/expanded.md"
ALIKE = 1e-9  # probabilities that differ by less, relatively, are the same
GRID, MOST = 240, 1e4


class ConfidenceInterval(NamedTuple):
    """The two limits, named as in SciPy."""

    low: float
    high: float


class MeasuredFloat(float):
    """A metric's value that carries its interval. Arithmetic on it gives a plain float: an interval never outlives its number.

    confidence_interval   (low, high) at confidence_level
    standard_error        NaN if there is no value
    n_eff                 labels of a simple draw that would give as narrow an interval; NaN if there is no value
    n_labels              labels behind the number: those of the units the metric is about
    method                how the interval was made: "placed" for one simple draw, "gamma" for unequal probabilities
    caution               what a reader must know; None if there is nothing
    """

    confidence_interval: ConfidenceInterval
    confidence_level: float
    standard_error: float
    n_eff: float
    n_labels: int
    method: str
    caution: str | None

    def __new__(cls, value: float, carried: dict[str, Any]) -> "MeasuredFloat":
        """Create the value with what it carries."""
        made = super().__new__(cls, value)
        made.__dict__.update(carried)
        return made

    def __rmul__(self, other: float) -> float:
        """Return itself if multiplied by the integer 1, as scikit-learn does for "greater is better"; else a plain float."""
        return self if type(other) is int and other == 1 else super().__rmul__(other)

    def __reduce__(self) -> tuple[type, tuple[float, dict[str, Any]]]:
        """Return how to recreate it: scores are pickled between processes."""
        return type(self), (float(self), dict(self.__dict__))


class Labeled(NamedTuple):
    """Labeled units: predicted and true as yes or no, and the inclusion probability of each, or None."""

    predicted: BoolArray
    true: BoolArray
    pi: FloatArray | None

    @property
    def cells(self) -> tuple[BoolArray, ...]:
        """Return which units are TP, FP, FN and TN."""
        return self.predicted & self.true, self.predicted & ~self.true, ~self.predicted & self.true, ~self.predicted & ~self.true


def precision_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    inclusion_prob: ArrayLike = None,
    pos_label: object = 1,
    sample_weight: ArrayLike = None,
    confidence_level: float = 0.95,
) -> MeasuredFloat:
    """Return the share of units predicted positive that are positive: a float that carries its interval. NaN without such a unit.

    Examples:
        >>> from fewlabels.integrations.sklearn import precision_score
        >>> found = precision_score([1, 1, 1, 0, 0, 1], [1, 1, 1, 1, 0, 0])
        >>> found, found.n_labels, found.confidence_interval.low < found < found.confidence_interval.high
        (0.75, 4, True)
    """
    how = {"inclusion_prob": inclusion_prob, "pos_label": pos_label, "sample_weight": sample_weight}
    return score(y_true, y_pred, metric="precision", confidence_level=confidence_level, **how)


def recall_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    inclusion_prob: ArrayLike = None,
    pos_label: object = 1,
    sample_weight: ArrayLike = None,
    confidence_level: float = 0.95,
) -> MeasuredFloat:
    """Return the share of positive units that are predicted positive: a float that carries its interval. NaN without such a unit.

    Examples:
        >>> from fewlabels.integrations.sklearn import recall_score
        >>> found = recall_score([1, 1, 0, 1], [1, 1, 0, 0], inclusion_prob=[0.5, 0.5, 0.1, 0.25])
        >>> found, found.method
        (0.5, 'gamma')
    """
    how = {"inclusion_prob": inclusion_prob, "pos_label": pos_label, "sample_weight": sample_weight}
    return score(y_true, y_pred, metric="recall", confidence_level=confidence_level, **how)


def f1_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    inclusion_prob: ArrayLike = None,
    pos_label: object = 1,
    sample_weight: ArrayLike = None,
    confidence_level: float = 0.95,
) -> MeasuredFloat:
    """Return the harmonic mean of precision and recall: a float that carries its interval. NaN without a positive unit of either kind.

    Examples:
        >>> from fewlabels.integrations.sklearn import f1_score
        >>> f1_score([1, 1, 0, 1], [1, 1, 1, 0]).confidence_level
        0.95
    """
    how = {"inclusion_prob": inclusion_prob, "pos_label": pos_label, "sample_weight": sample_weight}
    return score(y_true, y_pred, metric="f1", confidence_level=confidence_level, **how)


def make_scorer(metric: str = "f1", *, pos_label: object = 1, confidence_level: float = 0.95) -> Any:
    """Return a scikit-learn scorer for any metric of fewlabels; it returns a float that carries its interval.

    With metadata routing on, `make_scorer("recall").set_score_request(inclusion_prob=True)` takes the probabilities from
    cross_validate(..., params={"inclusion_prob": pi}).

    Examples:
        >>> from sklearn.dummy import DummyClassifier
        >>> from fewlabels.integrations.sklearn import make_scorer
        >>> guess = DummyClassifier(strategy="constant", constant=1).fit([[0], [1]], [0, 1])
        >>> make_scorer("precision")(guess, [[0], [1], [2], [3]], [1, 0, 1, 1])
        0.75
    """
    try:
        from sklearn import metrics
    except ImportError:
        raise EngineError(f"a scorer needs the extra sklearn, which is not installed: {install_command('sklearn')}") from None
    name = metric_named(metric).name
    return metrics.make_scorer(score, response_method="predict", metric=name, pos_label=pos_label, confidence_level=confidence_level)


def score(y_true: ArrayLike, y_pred: ArrayLike, *, metric: str, inclusion_prob: ArrayLike = None, **how: Any) -> MeasuredFloat:
    """Return a metric of labeled units: a float that carries its interval.

    how   pos_label, confidence_level; sample_weight is rejected, because the interval depends on what weights mean
    """
    if how.pop("sample_weight", None) is not None:
        raise LabelError(
            "sample_weight does not say how units were drawn: pass inclusion_prob=1 / weight if it does, or create a study with a weight "
            "column for metrics by dollars or views"
        )
    level, wanted = how.pop("confidence_level", 0.95), metric_named(metric)
    require("scorer", wanted.traits, subject=f"{wanted.name} is")
    if not isinstance(level, int | float) or not 0.5 <= level < 1:
        raise LabelError(f"confidence_level must lie in [0.5, 1), got {level!r}: 0.95 is usual")
    found = labeled(y_true, y_pred, inclusion_prob=inclusion_prob, **how)
    simple = found.pi is None or np.ptp(found.pi) <= ALIKE * found.pi.max()
    return _simple(wanted, found, level) if simple else _expanded(wanted, found, level)


def labeled(y_true: ArrayLike, y_pred: ArrayLike, *, inclusion_prob: ArrayLike = None, pos_label: object = 1) -> Labeled:
    """Return the arrays as labeled units; raise an error unless there are two classes, equal lengths, and probabilities in (0, 1]."""
    true, predicted = np.asarray(y_true), np.asarray(y_pred)
    if true.ndim != 1 or predicted.ndim != 1:
        raise LabelError(
            f"a score needs one label per unit, got arrays of {true.ndim} and {predicted.ndim} dimensions: score each label by itself"
        )
    if not true.size or true.size != predicted.size:
        raise LabelError(f"every labeled unit needs a prediction, got {true.size:,} labels, {predicted.size:,} predictions: align them")
    classes = sorted({*true.tolist(), *predicted.tolist()}, key=repr)
    if len(classes) > 2 or (len(classes) == 2 and pos_label not in classes):
        raise LabelError(
            f"expected two classes including pos_label={pos_label!r}, got {', '.join(map(repr, classes[:5]))}: set pos_label, or merge the "
            "other classes"
        )
    if inclusion_prob is None:
        return Labeled(predicted == pos_label, true == pos_label, None)
    pi = np.asarray(inclusion_prob, dtype=np.float64).ravel()
    if pi.size != true.size or not ((pi > 0) & (pi <= 1)).all():
        raise LabelError(
            f"inclusion_prob must be a probability in (0, 1] for each of {true.size:,} labeled units, got {pi.size:,} numbers, the least "
            f"of them {pi.min(initial=np.inf):g} and the greatest {pi.max(initial=-np.inf):g}: pass those of the draw, not weights"
        )
    return Labeled(predicted == pos_label, true == pos_label, pi)


def _simple(metric: Metric, units: Labeled, level: float) -> MeasuredFloat:
    """Return the metric of one simple draw, from its counts."""
    tp, fp, fn, tn = (int(cell.sum()) for cell in units.cells)
    found = from_counts(tp=tp, fp=fp, fn=fn, tn=tn, level=level, metrics=[metric.name])[metric.name]
    unknown = float("nan")
    return MeasuredFloat(
        unknown if found.value is None else found.value,
        {
            "confidence_interval": ConfidenceInterval(found.low, found.high),
            "confidence_level": level,
            "standard_error": unknown if found.standard_error is None else found.standard_error,
            "n_eff": unknown if found.n_eff is None else found.n_eff,
            "n_labels": found.labels,
            "method": found.interval,
            "caution": SIMPLE if units.pi is None else None,
        },
    )


def _expanded(metric: Metric, units: Labeled, level: float) -> MeasuredFloat:
    """Return the metric of units drawn with unequal probabilities."""
    assert units.pi is not None  # else it is a simple draw
    weight, tail = 1 / units.pi, (1 - level) / 2
    total, square = (Totals(*(np.asarray(float((weight[cell] ** power).sum())) for cell in units.cells)) for power in (1, 2))
    most = [np.asarray(float(weight[side].max() if side.any() else weight.max())) for side in (units.predicted, ~units.predicted)]
    found = measure_expanded(metric, Expansions(total, square, Totals(most[0], most[0], most[1], most[1])), tail=tail)
    enters = np.where(units.predicted, *entering(metric))
    return MeasuredFloat(
        float(found.value),
        {
            "confidence_interval": ConfidenceInterval(float(found.low), float(found.high)),
            "confidence_level": level,
            "standard_error": float(found.standard_error),
            "n_eff": _effective(metric, total, found, tail=tail) * float(weight[enters].sum() / weight.sum()),
            "n_labels": int(enters.sum()),
            "method": "gamma",
            "caution": EXPANDED,
        },
    )


def _effective(metric: Metric, total: Totals, found: ExpandedShare, *, tail: float) -> float:
    """Return the labels of a simple draw with the same shares whose interval is as wide; NaN without a value."""
    if not np.isfinite(found.value):
        return float("nan")
    low, high = 1.0, MOST * float(sum(total)) / max(float(max(total)), 1.0)
    whole = float(sum(total))
    for _ in range(3):
        n = np.geomspace(low, high, GRID)
        simple = measure_counts(metric, Totals(*(n * float(cell) / whole for cell in total)), tail=tail, interval=USUAL_INTERVAL)
        wider = np.flatnonzero(simple.high - simple.low > float(found.high - found.low))
        if not wider.size:
            return low
        low, high = float(n[wider[-1]]), float(n[min(wider[-1] + 1, GRID - 1)])
    return high
