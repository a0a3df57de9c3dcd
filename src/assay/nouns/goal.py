"""A goal: a metric of a classifier, a level, and a half-width to reach or a target to settle.

Main path: population > profile > [plan] > draw > labels > estimate > [decision] > report
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from assay.errors import GoalError
from assay.nouns.canonical import Json
from assay.nouns.metric import Metric
from assay.nouns.metrics import metric_named, plain

DEFAULT_LEVEL = 0.95
Kind = Literal["+-", ">=", "<="]

_TEXT = re.compile(
    r"(?P<metric>[A-Za-z][A-Za-z0-9_.]*(?:\[[^\]]*\])?(?:\s+by\s+\S+?)?)\s*(?P<kind>\+-|\+/-|±|>=|≥|<=|≤)\s*(?P<value>-?[0-9]*\.?[0-9]+)(?P<percent>\s*%)?"
    r"(?:\s+for\s+(?P<classifier>\S(?:.*?\S)??))?(?:\s+at\s+(?P<level>[0-9]*\.?[0-9]+))?"
)
_KINDS: dict[str, Kind] = {"+-": "+-", "+/-": "+-", "±": "+-", ">=": ">=", "≥": ">=", "<=": "<=", "≤": "<="}


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """What is to be shown.

    kind "+-": the interval's half-width is at most `value`. kind ">=" or "<=": the metric is on that side of the target `value`.
    """

    metric: str
    kind: Kind
    value: float
    classifier: str | None = None  # None: the population's first
    level: float = DEFAULT_LEVEL

    def __post_init__(self) -> None:
        """Refuses a goal no number of labels could settle."""
        metric = self.definition
        if not 0.5 < self.level < 1:  # at 0.5 a one-sided bound is the value itself
            raise GoalError(f"a level lies in (0.5, 1), but {self} has {self.level}: 0.95 is usual")
        if self.kind == "+-" and not 0 < self.value < metric.high - metric.low:
            raise GoalError(f"a half-width lies between 0 and {metric.high - metric.low:g}, but got {self.value:g}: 0.03 is three points")
        if self.kind != "+-" and not metric.low < self.value < metric.high:
            raise GoalError(
                f"a target of {self.metric} lies inside ({metric.low:g}, {metric.high:g}), but got {self.value:g}: name one inside"
            )

    @property
    def definition(self) -> Metric:
        """The metric itself."""
        return metric_named(self.metric)

    def __str__(self) -> str:
        """The goal as it would be typed."""
        who = f" for {self.classifier}" if self.classifier else ""
        level = f" at {plain(self.level)}" if self.level != DEFAULT_LEVEL else ""
        glue = "" if self.kind == "+-" else " "
        return f"{self.metric} {self.kind}{glue}{plain(self.value)}{who}{level}"

    def as_json(self) -> dict[str, Json]:
        """Plain data for the ledger."""
        return {"metric": self.metric, "kind": self.kind, "value": self.value, "classifier": self.classifier, "level": self.level}

    @classmethod
    def of_json(cls, data: Mapping[str, Any]) -> "Goal":
        """The goal that `as_json` wrote."""
        return cls(metric=data["metric"], kind=data["kind"], value=data["value"], classifier=data["classifier"], level=data["level"])


def parse_goal(text: str, *, level: float = DEFAULT_LEVEL) -> Goal:
    """The goal a person typed: "precision +-0.03", "recall >= 0.90", "f1 +-5% for gbm", "prevalence <= 0.002 at 0.99"."""
    match = _TEXT.fullmatch(text.strip())
    if match is None:
        raise GoalError(
            f"a goal is a metric, then +- and a half-width or >= / <= and a target, but got {text!r}: "
            'write "precision +-0.03" or "recall >= 0.90"'
        )
    value = float(match["value"] + ("e-2" if match["percent"] else ""))
    return Goal(
        metric=metric_named(match["metric"]).name,
        kind=_KINDS[match["kind"]],
        value=value,
        classifier=match["classifier"],
        level=float(match["level"]) if match["level"] else level,
    )
