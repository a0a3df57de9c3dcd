"""An estimate: a value, its interval, and what stands behind it. Not a float: arithmetic must not keep a stale variance.

Main path: population > profile > plan > draw > labels > [estimate] > decision > report
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from assay.nouns.canonical import Json

IntervalKind = Literal["rec", "strict", "wald"]
"""rec: errors are where the guide says, once the labels have shown its order; strict: wherever they are; wald: a baseline."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A metric of a classifier as the labels show it.

    value           None: unknown, `why` says why; then the interval is what remains possible
    low, high       two-sided interval at `level`
    strict_low, strict_high   the interval that also holds if errors hide where the guide says there are none
    n_eff           labels of a simple draw that would give as narrow an interval
    labels          labels behind the number
    design_effect   labels / n_eff: below 1, the draw was better than a simple one
    planned         whether the draw was made for this metric
    """

    metric: str
    classifier: str
    value: float | None
    low: float
    high: float
    strict_low: float
    strict_high: float
    level: float
    standard_error: float | None
    n_eff: float | None
    labels: int
    interval: IntervalKind
    planned: bool
    why: str | None = None

    @property
    def half_width(self) -> float:
        """max(high - value, value - low); half the width where there is no value."""
        if self.value is None:
            return (self.high - self.low) / 2
        return max(self.high - self.value, self.value - self.low)

    @property
    def design_effect(self) -> float | None:
        """Labels over effective n; None where there is no value."""
        return self.labels / self.n_eff if self.n_eff else None

    def __str__(self) -> str:
        """One line for people."""
        value = "unknown" if self.value is None else f"{self.value:.3f}"
        n_eff = "" if self.n_eff is None else f", effective n {self.n_eff:.0f}"
        return (
            f"{self.metric} of {self.classifier} {value} [{self.low:.3f}, {self.high:.3f}] at {self.level:.1%}, {self.labels} labels{n_eff}"
        )

    def as_json(self) -> dict[str, Json]:
        """Plain data for the ledger and for --json."""
        return {
            "metric": self.metric,
            "classifier": self.classifier,
            "value": self.value,
            "low": self.low,
            "high": self.high,
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
        }

    @classmethod
    def of_json(cls, data: Mapping[str, Any]) -> "Estimate":
        """The estimate that `as_json` wrote."""
        return cls(**{name: data[name] for name in cls.__dataclass_fields__})
