"""A goal: a metric of a classifier, a level, and a half-width to reach or a target to settle."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from fewlabels.errors import GoalError
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.metric import Metric
from fewlabels.nouns.metrics import metric_named, plain
from fewlabels.nouns.works_with import Trait

DEFAULT_LEVEL = 0.95
DEFAULT_POWER = 0.8  # the chance of settling a target that a plan is sized for
LONGEST_TEXT = 500
OVER = " over "  # between two classifiers that are compared
Kind = Literal["+-", ">=", "<="]
Slice: TypeAlias = tuple[str, str]  # a column and a value

NUMBER = r"-?[0-9]*\.?[0-9]+"
_HEAD = re.compile(
    r"(?:shows?\s+)?(?P<metric>[A-Za-z][A-Za-z0-9_.]*(?:\[[^\]]*\])?(?:\s+by\s+\S+?)?)\s*(?P<kind>\+-|\+/-|±|>=|≥|<=|≤)\s*"
    rf"(?P<value>{NUMBER})(?P<percent>\s*%)?"
)
_TAILS = {  # what may follow, read from the end
    "level": re.compile(r"(?P<rest>.*?)\s+at\s+(?P<value>[0-9]*\.?[0-9]+)"),
    "power": re.compile(r"(?P<rest>.*?)\s+with\s+(?P<value>[0-9]*\.?[0-9]+)(?P<percent>\s*%)?\s+power"),
    "expected": re.compile(rf"(?P<rest>.*?)\s+if\s+(?:it\s+is\s+)?(?P<value>{NUMBER})(?P<percent>\s*%)?"),
    "by": re.compile(r"(?P<rest>.*[0-9%].*?)\s+by\s+(?P<value>\S+)"),
    "slice": re.compile(r"(?P<rest>.*?)\s+in\s+(?P<column>[^\s=]+)=(?P<value>\S(?:.*?\S)??)"),
    "classifier": re.compile(r"(?P<rest>.*?)\s+for\s+(?P<value>\S(?:.*?\S)??)"),
}
_KINDS: dict[str, Kind] = {"+-": "+-", "+/-": "+-", "±": "+-", ">=": ">=", "≥": ">=", "<=": "<=", "≤": "<="}


def whose(classifier: str | None, over: str | None) -> str | None:
    """A classifier, or the two that are compared, as typed in a goal."""
    return classifier if over is None else f"{classifier}{OVER}{over}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """What a study has to show.

    kind "+-": the interval's half-width is at most `value`. kind ">=" or "<=": the metric is on that side of the target `value`.

    slice     (column, value): the metric among these units only; None for all units
    by        a slice column: the same goal for each of its values; a study replaces it by one goal per value
    power     for a target: the probability that the labels settle it, for which a plan is sized
    expected  for a target: the value of the metric assumed when a plan is sized; None for the value the scores imply
    over      another classifier: the goal is about the difference, `classifier` minus this one; None for the metric itself

    Examples:
        >>> import fewlabels
        >>> goal = fewlabels.Goal(metric="recall", kind=">=", value=0.9, slice=("country", "DE"))
        >>> print(goal)
        recall >= 0.9 in country=DE
    """

    metric: str
    kind: Kind
    value: float
    classifier: str | None = None  # None: the population's first
    level: float = DEFAULT_LEVEL
    slice: tuple[str, str] | None = None
    by: str | None = None
    power: float = DEFAULT_POWER
    expected: float | None = None
    over: str | None = None

    def __post_init__(self) -> None:
        """Check that the goal can be settled by labels; raise GoalError otherwise."""
        metric, (low, high) = self.definition, self.range
        if not 0.5 < self.level < 1:  # at 0.5 a one-sided bound is the value itself
            raise GoalError(f"a level must lie in (0.5, 1), but {self} has {self.level}: 0.95 is usual")
        if self.kind == "+-" and not 0 < self.value < metric.high - metric.low:
            raise GoalError(f"a half-width must lie between 0 and {metric.high - metric.low:g}, got {self.value:g}: 0.03 is three points")
        if self.kind != "+-" and not low < self.value < high:
            raise GoalError(f"a target of {self.metric} must lie inside ({low:g}, {high:g}), got {self.value:g}: name one inside")
        self._check_chance(low, high)
        self._check_difference()
        if self.slice is not None and self.by is not None:
            raise GoalError(
                f"a goal must be about one slice or about every slice of a column, got in {self.slice[0]} and by {self.by}: leave one out"
            )

    def _check_difference(self) -> None:
        """Raise GoalError unless a difference is between two classifiers, over all units and one question."""
        if not self.is_difference:
            return
        if self.classifier is None or self.classifier == self.over:
            raise GoalError(
                f"a difference must be between two classifiers, got {self.classifier or 'none'} over {self.over}: write "
                f'"{self.metric} >= 0 for A over B"'
            )
        if self.slice is not None or self.by is not None or Trait.JOINT in self.definition.traits:
            raise GoalError(
                f"a difference must be over all units and one question, got {self}: leave the slice out, or name another metric"
            )

    def _check_chance(self, low: float, high: float) -> None:
        """Raise GoalError if no plan could be sized for the power or the expected value."""
        if self.kind == "+-" and (self.power != DEFAULT_POWER or self.expected is not None):
            raise GoalError(
                f"power and an expected value are only for a target, >= or <=, but {self.metric} has a half-width: leave them out"
            )
        if not 0 < self.power < 1:
            raise GoalError(f"the power must lie in (0, 1), got {self.power:g}: 0.8 is usual, 0.9 is surer")
        if self.expected is None:
            return
        beyond = self.expected > self.value if self.kind == ">=" else self.expected < self.value
        if not beyond or not low < self.expected < high:
            raise GoalError(
                f"the expected value must be beyond the target and inside ({low:g}, {high:g}), got {self.expected:g} for {self.metric} "
                f"{self.kind} {self.value:g}: choose a value the labels could confirm"
            )

    @property
    def whose(self) -> str | None:
        """The classifier, or the two that are compared; None for the population's first.

        Examples:
            >>> import fewlabels
            >>> fewlabels.Goal(metric="f1", kind=">=", value=0.0, classifier="new", over="old").whose
            'new over old'
        """
        return whose(self.classifier, self.over)

    @property
    def is_difference(self) -> bool:
        """Whether it is about the difference between two classifiers.

        Examples:
            >>> import fewlabels
            >>> fewlabels.Goal(metric="f1", kind=">=", value=0.0, classifier="new", over="old").is_difference
            True
        """
        return self.over is not None

    @property
    def traits(self) -> tuple[Trait, ...]:
        """The traits that set it apart from a goal about the units of one classifier; see `capabilities`.

        Examples:
            >>> import fewlabels
            >>> fewlabels.Goal(metric="f1", kind="+-", value=0.05).traits
            ()
        """
        return (*self.definition.traits, *([Trait.DIFFERENCE] if self.is_difference else []))

    @property
    def range(self) -> tuple[float, float]:
        """The smallest and the largest possible value of the metric or the difference.

        Examples:
            >>> import fewlabels
            >>> fewlabels.Goal(metric="f1", kind=">=", value=0.0, classifier="new", over="old").range
            (-1.0, 1.0)
        """
        metric = self.definition
        return (metric.low - metric.high, metric.high - metric.low) if self.is_difference else (metric.low, metric.high)

    @property
    def judged(self) -> tuple[str | None, ...]:
        """The classifiers whose predictions matter, the goal's own first; None stands for the population's first.

        Examples:
            >>> import fewlabels
            >>> fewlabels.Goal(metric="f1", kind=">=", value=0.0, classifier="new", over="old").judged
            ('new', 'old')
        """
        return (self.classifier, self.over) if self.is_difference else (self.classifier,)

    @property
    def definition(self) -> Metric:
        """The definition of the metric.

        Examples:
            >>> import fewlabels
            >>> fewlabels.Goal(metric="precision", kind="+-", value=0.03).definition.needs_unflagged
            False
        """
        return metric_named(self.metric)

    def __str__(self) -> str:
        """The goal as it would be typed."""
        glue = "" if self.kind == "+-" else " "
        parts = [
            f"{self.metric} {self.kind}{glue}{plain(self.value)}",
            f"for {self.whose}" if self.classifier else "",
            f"in {self.slice[0]}={self.slice[1]}" if self.slice else "",
            f"by {self.by}" if self.by else "",
            f"with {plain(self.power)} power" if self.power != DEFAULT_POWER else "",
            f"if {plain(self.expected)}" if self.expected is not None else "",
            f"at {plain(self.level)}" if self.level != DEFAULT_LEVEL else "",
        ]
        return " ".join(part for part in parts if part)

    def as_json(self) -> dict[str, Json]:
        """Plain data for the ledger; options left at their defaults are left out.

        Examples:
            >>> import fewlabels
            >>> fewlabels.Goal(metric="precision", kind="+-", value=0.03).as_json()
            {'metric': 'precision', 'kind': '+-', 'value': 0.03, 'classifier': None, 'level': 0.95}
        """
        data: dict[str, Json] = {
            "metric": self.metric, "kind": self.kind, "value": self.value, "classifier": self.classifier, "level": self.level
        }  # fmt: skip
        if self.slice is not None:
            data["slice"] = list(self.slice)
        if self.by is not None:
            data["by"] = self.by
        if self.power != DEFAULT_POWER:
            data["power"] = self.power
        if self.expected is not None:
            data["expected"] = self.expected
        if self.over is not None:
            data["over"] = self.over
        return data

    @classmethod
    def of_json(cls, data: Mapping[str, Any]) -> "Goal":
        """The goal that `as_json` wrote.

        Examples:
            >>> import fewlabels
            >>> goal = fewlabels.Goal(metric="recall", kind=">=", value=0.9)
            >>> fewlabels.Goal.of_json(goal.as_json()) == goal
            True
        """
        column, value = data.get("slice", (None, None))
        return cls(
            metric=data["metric"],
            kind=data["kind"],
            value=data["value"],
            classifier=data["classifier"],
            level=data["level"],
            slice=None if column is None else (column, value),
            by=data.get("by"),
            power=data.get("power", DEFAULT_POWER),
            expected=data.get("expected"),
            over=data.get("over"),
        )


def parse_goal(text: str, *, level: float = DEFAULT_LEVEL) -> Goal:
    """Parse a goal.

    "precision +-0.03", "recall >= 0.90", "f1 +-5% for gbm by country", "recall >= 0.8 in country=DE", "prevalence <= 0.002 at 0.99",
    "shows precision >= 0.90 with 90 % power if it is 0.93", "f1 >= 0 for gbm over lr", "recall +-0.02 for gbm over lr"

    Examples:
        >>> from fewlabels.nouns.goal import parse_goal
        >>> goal = parse_goal("f1 +-5% for gbm by country")
        >>> goal.value, goal.classifier, goal.by
        (0.05, 'gbm', 'country')
    """
    said, rest = _tails(text.strip()) if len(text) <= LONGEST_TEXT else ({}, "")
    match = _HEAD.fullmatch(rest)
    if match is None:
        raise GoalError(
            f"a goal must be a metric, then +- and a half-width or >= / <= and a target, got {text[:LONGEST_TEXT]!r}: "
            'write "precision +-0.03" or "recall >= 0.90"'
        )
    named, over, other = said["classifier"]["value"].rpartition(OVER) if "classifier" in said else ("", "", "")
    return Goal(
        metric=metric_named(match["metric"]).name,
        kind=_KINDS[match["kind"]],
        value=_number(match),
        classifier=(named if over else other) or None,
        over=other if over else None,
        level=_number(said["level"]) if "level" in said else level,
        slice=(said["slice"]["column"], said["slice"]["value"]) if "slice" in said else None,
        by=said["by"]["value"] if "by" in said else None,
        power=_number(said["power"]) if "power" in said else DEFAULT_POWER,
        expected=_number(said["expected"]) if "expected" in said else None,
    )


def _tails(text: str) -> tuple[dict[str, re.Match[str]], str]:
    """The clauses that follow the goal, each at most once, read from the end; and the text that is left."""
    said: dict[str, re.Match[str]] = {}
    for _ in _TAILS:
        for name, pattern in _TAILS.items():
            if name not in said and (match := pattern.fullmatch(text)):
                said[name], text = match, match["rest"]
                break
    return said, text


def _number(match: re.Match[str]) -> float:
    """The number of a match, divided by 100 if it has a percent sign."""
    return float(match["value"] + ("e-2" if match.groupdict().get("percent") else ""))
