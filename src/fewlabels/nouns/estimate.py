"""An estimate: a value, its interval, and the labels behind it. Not a float: arithmetic would leave a stale variance."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fewlabels.nouns.canonical import Json
from fewlabels.nouns.display import Displayed
from fewlabels.nouns.goal import whose
from fewlabels.nouns.metrics import metric_named

IntervalKind = str
"""The name of an interval: one of `intervals/registered.py`, or one that another package adds."""
USUAL_INTERVAL: IntervalKind = "placed"
"""The interval of a plan that names none: valid wherever errors are, whatever the scores say."""
TRUSTING_INTERVAL: IntervalKind = "rec"
"""The interval of a plan that trusts the scores."""
EXACT = 1e-9  # a half-width below it is rounding


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Estimate(Displayed):
    """An estimated metric of a classifier, with its interval.

    value           the estimate; None if unknown: `why` says why, and the interval holds every value still possible
    low, high       two-sided interval at `level`
    at_least, at_most   one-sided bounds, each at `level` by itself: "at most 0.2 % with 95 % confidence"
    strict_low, strict_high   the interval that is valid even if errors occur where the guide predicts none
    n_eff           effective n: the labels of a simple random sample that would give as narrow an interval
    labels          labels behind the estimate
    design_effect   labels / n_eff: below 1, the draw was better than a simple random sample
    planned         whether the draw was made for this metric
    worst_low, worst_high   the interval if every missing answer were the one that moves it most; None if too few are missing to show it
    gold            number of adjudicated labels that corrected it
    told_value, told_low, told_high   the estimate and interval from the labels as recorded, where gold answers corrected them
    slice           (column, value) of the units it is about; None for all units
    over            for a difference: the classifier whose metric is subtracted; None for the metric itself

    Examples:
        >>> import fewlabels
        >>> precision = fewlabels.from_counts(tp=45, fp=5, fn=8, tn=442)["precision"]
        >>> precision.value, round(precision.low, 3), round(precision.high, 3)
        (0.9, 0.782, 0.967)
        >>> print(precision)
        precision of counts 0.900 [0.782, 0.967] at 95.0%, 50 labels, effective n 50
    """

    metric: str
    classifier: str
    value: float | None
    low: float
    high: float
    at_least: float
    at_most: float
    strict_low: float
    strict_high: float
    level: float
    standard_error: float | None
    n_eff: float | None
    labels: int
    interval: IntervalKind
    planned: bool
    why: str | None = None
    worst_low: float | None = None
    worst_high: float | None = None
    gold: int = 0
    told_value: float | None = None
    told_low: float | None = None
    told_high: float | None = None
    slice: tuple[str, str] | None = None
    over: str | None = None

    @property
    def whose(self) -> str:
        """The classifier, or the two that are compared.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> small_study().compare("new", "old").estimate.whose
            'new over old'
        """
        return str(whose(self.classifier, self.over))

    @property
    def is_difference(self) -> bool:
        """Whether it estimates the difference between two classifiers.

        Examples:
            >>> import fewlabels
            >>> fewlabels.from_counts(tp=45, fp=5, fn=8, tn=442)["precision"].is_difference
            False
        """
        return self.over is not None

    @property
    def may_be_wide(self) -> bool:
        """Whether it may ship however wide its interval is, as in `Goal.may_be_wide`.

        Examples:
            >>> import fewlabels
            >>> fewlabels.from_counts(tp=45, fp=5, fn=8, tn=442)["precision"].may_be_wide
            False
        """
        return self.is_difference or metric_named(self.metric).gap is not None

    @property
    def half_width(self) -> float:
        """max(high - value, value - low); half the width if there is no value.

        Examples:
            >>> import fewlabels
            >>> precision = fewlabels.from_counts(tp=45, fp=5, fn=8, tn=442)["precision"]
            >>> round(precision.half_width, 3) == round(precision.value - precision.low, 3)
            True
        """
        if self.value is None:
            return (self.high - self.low) / 2
        return max(self.high - self.value, self.value - self.low)

    @property
    def trusts_scores(self) -> bool:
        """Whether its interval trusts the scores, so that the strict one beside it is another.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> small_study().estimate()["precision"].trusts_scores
            False
        """
        return (self.strict_low, self.strict_high) != (self.low, self.high)

    @property
    def exactness(self) -> str | None:
        """What an interval without width means: every unit was labeled, and nothing follows about others. None if it has a width.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> small_study().estimate()["precision"].exactness
            'exact for these 12 units; it says nothing about others: --about process'
        """
        if self.value is None or not self.labels or self.half_width >= EXACT:
            return None
        return f"exact for these {self.labels:,} units; it says nothing about others: --about process"

    @property
    def worst_half_width(self) -> float | None:
        """The half-width of the worst case around the same value; None if no worst case is shown.

        Examples:
            >>> import fewlabels
            >>> precision = fewlabels.from_counts(tp=45, fp=5, fn=8, tn=442)["precision"]
            >>> print(precision.worst_half_width)  # no answer is missing
            None
        """
        if self.worst_low is None or self.worst_high is None:
            return None
        if self.value is None:
            return (self.worst_high - self.worst_low) / 2
        return max(self.worst_high - self.value, self.value - self.worst_low)

    @property
    def design_effect(self) -> float | None:
        """Labels divided by effective n; None if there is no value.

        Examples:
            >>> import fewlabels
            >>> precision = fewlabels.from_counts(tp=45, fp=5, fn=8, tn=442)["precision"]
            >>> precision.design_effect  # a simple draw is as good as itself
            1.0
        """
        return self.labels / self.n_eff if self.n_eff else None

    def __str__(self) -> str:
        """One line for people."""
        value = "unknown" if self.value is None else f"{self.value:.3f}"
        n_eff = "" if self.n_eff is None else f", effective n {self.n_eff:.0f}"
        worst = "" if self.worst_low is None else f", worst case [{self.worst_low:.3f}, {self.worst_high:.3f}]"
        interval = f"[{self.low:.3f}, {self.high:.3f}] at {self.level:.1%}"
        gold = f", corrected by {self.gold} gold answers" if self.gold else ""
        where = "" if self.slice is None else f" in {self.slice[0]}={self.slice[1]}"
        return f"{self.metric} of {self.whose}{where} {value} {interval}, {self.labels} labels{n_eff}{gold}{worst}"

    def as_json(self) -> dict[str, Json]:
        """Plain data for the ledger and for --json.

        Examples:
            >>> import fewlabels
            >>> precision = fewlabels.from_counts(tp=45, fp=5, fn=8, tn=442)["precision"]
            >>> precision.as_json()["labels"]
            50
        """
        where: dict[str, Json] = {} if self.slice is None else {"slice": list(self.slice)}
        if self.over is not None:
            where["over"] = self.over
        return {
            "metric": self.metric,
            "classifier": self.classifier,
            **where,
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "at_least": self.at_least,
            "at_most": self.at_most,
            "strict_low": self.strict_low,
            "strict_high": self.strict_high,
            "half_width": self.half_width,
            "level": self.level,
            "standard_error": self.standard_error,
            "n_eff": self.n_eff,
            "labels": self.labels,
            "design_effect": self.design_effect,
            "interval": self.interval,
            "planned": self.planned,
            "why": self.why,
            "worst_low": self.worst_low,
            "worst_high": self.worst_high,
            "gold": self.gold,
            "told_value": self.told_value,
            "told_low": self.told_low,
            "told_high": self.told_high,
        }

    @classmethod
    def of_json(cls, data: Mapping[str, Any]) -> "Estimate":
        """The estimate that `as_json` wrote; fields that a later version added may be missing.

        Examples:
            >>> import fewlabels
            >>> precision = fewlabels.from_counts(tp=45, fp=5, fn=8, tn=442)["precision"]
            >>> fewlabels.Estimate.of_json(precision.as_json()) == precision
            True
        """
        held = {name: data[name] for name in cls.__dataclass_fields__ if name in data}
        return cls(**(held | {"slice": tuple(held["slice"])} if held.get("slice") else held))
