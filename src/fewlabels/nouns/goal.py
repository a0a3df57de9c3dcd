"""A goal: a metric of a classifier, a level, and a half-width to reach or a target to settle."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from fewlabels.errors import GoalError, UnclearGoal
from fewlabels.nouns.arrays import BoolArray, FloatArray
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.evidence import Limits
from fewlabels.nouns.goal_words import Kind, Typed, in_percent, number, read_words
from fewlabels.nouns.metric import Metric, Totals
from fewlabels.nouns.metrics import metric_named, plain, without_alias
from fewlabels.nouns.works_with import Trait

DEFAULT_LEVEL = 0.95
DEFAULT_POWER = 0.8  # the chance of settling a target that a plan is sized for
OVER = " over "  # between two classifiers that are compared
Slice: TypeAlias = tuple[str, str]  # a column and a value


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
    expected  the value of the metric assumed when a plan is sized; None for the value the scores imply
    over      another classifier: the goal is about the difference, `classifier` minus this one; None for the metric itself
    relative  for a half-width: `value` is a share r of the metric's own value v; reached by an interval inside [v / (1 + r), v (1 + r)]

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
    relative: bool = False

    def __post_init__(self) -> None:
        """Check that the goal can be settled by labels; raise GoalError otherwise. An alias of a metric becomes its name."""
        object.__setattr__(self, "metric", without_alias(self.metric))
        metric, (low, high) = self.definition, self.range
        if not 0.5 < self.level < 1:  # at 0.5 a one-sided bound is the value itself
            raise GoalError(f"a level must lie in (0.5, 1), but {self} has {self.level}: 0.95 is usual")
        if self.relative:
            self._check_relative()
        elif self.kind == "+-" and not 0 < self.value < metric.high - metric.low:
            raise GoalError(f"a half-width must lie between 0 and {metric.high - metric.low:g}, got {self.value:g}: 0.03 is three points")
        if self.kind != "+-" and not low < self.value < high:
            raise GoalError(f"a target of {self.metric} must lie inside ({low:g}, {high:g}), got {self.value:g}: {self._inside()}")
        self._check_chance(low, high)
        self._check_difference()
        self._check_gap()
        if self.slice is not None and self.by is not None:
            raise GoalError(
                f"a goal must be about one slice or about every slice of a column, got in {self.slice[0]} and by {self.by}: leave one out"
            )

    def _inside(self) -> str:
        """What to write instead of a target outside the range."""
        share = self.value / 100
        metric = self.definition
        as_percent = self.value > 1 and metric.low < share < metric.high and self.value > metric.high
        return f"{plain(self.value)} percent is written {plain(self.value)}%" if as_percent else "name one inside"

    def _check_relative(self) -> None:
        """Raise GoalError unless a share of the value can be reached: of a value that is above 0."""
        if self.kind != "+-":
            raise GoalError(f'only a half-width can be a share of the value, but {self.metric} has a target: leave out "of it"')
        if self.is_difference or self.definition.low < 0 or self.definition.gap is not None:
            what = "a difference" if self.is_difference else self.metric
            raise GoalError(f"a share of the value needs a value above 0, but {what} may be 0 or less: write it in points, +-0.03")
        if not 0 < self.value <= 1:
            raise GoalError(f"a share of the value must lie in (0, 1], got {self.value:g}: +-10% of it is a tenth of the value")

    def _check_difference(self) -> None:
        """Raise GoalError unless a difference is between two classifiers, over all units and one question."""
        if not self.is_difference:
            return
        if self.classifier is None or self.classifier == self.over:
            raise GoalError(
                f"a difference must be between two classifiers, got {self.classifier or 'none'} over {self.over}: write "
                f'"{self.metric} >= 0 for A over B"'
            )
        if self.slice is not None or self.by is not None or {Trait.JOINT, Trait.GAP} & {*self.definition.traits}:
            raise GoalError(
                f"a difference must be over all units and one question, got {self}: leave the slice out, or name another metric"
            )

    def _check_gap(self) -> None:
        """Raise GoalError for a gap in one slice, or one that is to be large."""
        if self.definition.gap is None:
            return
        if self.kind == ">=":
            raise GoalError(f"a gap is shown to be small, but {self} asks for a large one: write <=, or +- to know it")
        if self.slice is not None or self.by is not None:
            raise GoalError(f"a gap must be between all values of one column, got {self}: leave the other slice out")

    def _check_chance(self, low: float, high: float) -> None:
        """Raise GoalError if no plan could be sized for the power or the expected value."""
        if self.kind == "+-" and self.power != DEFAULT_POWER:
            raise GoalError(f"power is only for a target, >= or <=, but {self.metric} has a half-width: leave it out")
        if not 0 < self.power < 1:
            raise GoalError(f"the power must lie in (0, 1), got {self.power:g}: 0.8 is usual, 0.9 is surer")
        if self.expected is None:
            return
        if self.kind == "+-" and not low < self.expected < high:
            raise GoalError(
                f"the expected value must lie inside ({low:g}, {high:g}), got {self.expected:g} for {self.metric} +-: name one inside, "
                'as in "precision +-0.03 if it is 0.9"'
            )
        beyond = self.kind == "+-" or (self.expected > self.value if self.kind == ">=" else self.expected < self.value)
        if not beyond or not low < self.expected < high:
            raise GoalError(
                f"the expected value must be beyond the target and inside ({low:g}, {high:g}), got {self.expected:g} for {self.metric} "
                f"{self.kind} {self.value:g}: choose a value the labels could confirm"
            )

    def ends(self, value: ArrayLike) -> Limits:
        """The limits of the widest interval around `value` that reaches a half-width.

        Examples:
            >>> import fewlabels
            >>> goal = fewlabels.Goal(metric="prevalence", kind="+-", value=0.25, relative=True)
            >>> [float(end) for end in goal.ends(0.1)]
            [0.08, 0.125]
        """
        v = np.asarray(value, dtype=np.float64)
        if self.relative:
            return Limits(v / (1 + self.value), v * (1 + self.value))
        return Limits(v - self.value, v + self.value)

    def in_points(self, value: float | None) -> float:
        """The target or half-width as it is drawn: a share of the value as half of the widest interval around that value.

        Examples:
            >>> import fewlabels
            >>> goal = fewlabels.Goal(metric="prevalence", kind="+-", value=0.25, relative=True)
            >>> round(goal.in_points(0.1), 4), fewlabels.Goal(metric="recall", kind=">=", value=0.8).in_points(0.1)
            (0.0225, 0.8)
        """
        if not self.relative or value is None:
            return self.value
        ends = self.ends(value)
        return float(ends.high - ends.low) / 2

    def half_width(self, value: ArrayLike, low: ArrayLike, high: ArrayLike) -> FloatArray:
        """The half-width of an interval in the unit of the goal's `value`, so that it is reached where this is no larger.

            max(high - v, v - low), and relative: max(high / v, v / low) - 1

        NaN where the value is unknown, and infinite for a relative one whose interval reaches 0.

        Examples:
            >>> import fewlabels
            >>> goal = fewlabels.Goal(metric="prevalence", kind="+-", value=0.1, relative=True)
            >>> round(float(goal.half_width(0.2, 0.16, 0.22)), 4)
            0.25
        """
        v, a, b = (np.asarray(one, dtype=np.float64) for one in (value, low, high))
        if not self.relative:
            return np.asarray(np.maximum(b - v, v - a))
        a = np.maximum(a, 0.0)  # a bound a rounding error below 0
        with np.errstate(divide="ignore", invalid="ignore"):
            wider = np.maximum(b / v, v / a) - 1
        return np.asarray(np.where((a == v) & (v == b), 0.0, np.where((v == 0) & (b > 0), np.inf, wider)))

    def width_said(self, value: float | None, low: float, high: float) -> str:
        """The half-width of an interval as a verdict says it; without a value half the width.

        Examples:
            >>> import fewlabels
            >>> fewlabels.Goal(metric="prevalence", kind="+-", value=0.1, relative=True).width_said(0.2, 0.16, 0.22)
            '25.0% of it'
        """
        if value is None:
            return f"{(high - low) / 2:.4f}"
        found = float(self.half_width(value, low, high))
        return f"{found:.1%} of it" if self.relative else f"{found:.4f}"

    def reached(self, value: ArrayLike, low: ArrayLike, high: ArrayLike) -> BoolArray:
        """Whether an interval reaches the goal: narrow enough around `value`, or for a target a one-sided bound on its side of it.

        False where the value is unknown (NaN).

        Examples:
            >>> import fewlabels
            >>> goal = fewlabels.Goal(metric="precision", kind="+-", value=0.05)
            >>> bool(goal.reached(0.9, 0.86, 0.94)), bool(goal.reached(0.9, 0.8, 0.94))
            (True, False)
        """
        if self.kind == ">=":
            return np.asarray(np.asarray(low) >= self.value)
        if self.kind == "<=":
            return np.asarray(np.asarray(high) <= self.value)
        return np.asarray(self.half_width(value, low, high) <= self.value)

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
    def may_be_wide(self) -> bool:
        """Whether it may ship however wide its interval is: a difference or a gap may be settled long before it is known well.

        Examples:
            >>> import fewlabels
            >>> fewlabels.Goal(metric="recall gap by country", kind="<=", value=0.05).may_be_wide
            True
        """
        return self.is_difference or self.definition.gap is not None

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
    def may_tip(self) -> bool:
        """Whether positives that hide among unflagged units could make the target fall, so that it may have a tipping point.

        Examples:
            >>> import fewlabels
            >>> [fewlabels.Goal(metric=name, kind=">=", value=0.5).may_tip for name in ("recall", "precision", "prevalence")]
            [True, False, False]
        """
        whole = self.slice is None and self.by is None and not self.traits
        if self.kind == "+-" or not whole or not self.definition.needs_unflagged:
            return False
        slope = self.definition.gradient(Totals(*map(np.asarray, (4.0, 1.0, 1.0, 94.0))))
        return bool((slope.FN < slope.TN) if self.kind == ">=" else (slope.FN > slope.TN))

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
            f"{self.metric} {self.kind}{glue}{f'{in_percent(self.value)} of it' if self.relative else plain(self.value)}",
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
        if self.relative:
            data["relative"] = True
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
            relative=data.get("relative", False),
        )


def parse_goal(text: str, *, level: float = DEFAULT_LEVEL) -> Goal:
    """Parse a goal.

    "precision +-0.03", "recall >= 0.90", "f1 +-5% for gbm by country", "recall >= 0.8 in country=DE", "prevalence <= 0.002 at 0.99",
    "shows precision >= 0.90 with 90 % power if it is 0.93", "f1 >= 0 for gbm over lr", "recall +-0.02 for gbm over lr"

    Other words for the same: "sensitivity above 80%" is "recall >= 0.8", `>` is read as `>=` (no labels tell 0.8 from just above it), "ppv
    within 5 points" is "precision +-0.05", "in every country" is "by country". "recall gap by country <= 0.05" is about the largest
    difference between two countries. `+-10%` is ten points; "prevalence +-10% of it" is a tenth
    of the value. Raises UnclearGoal for a number without a comparison, GoalError for any other text that is no goal.

    Examples:
        >>> from fewlabels.nouns.goal import parse_goal
        >>> goal = parse_goal("f1 +-5% for gbm by country")
        >>> goal.value, goal.classifier, goal.by
        (0.05, 'gbm', 'country')
        >>> print(parse_goal("sensitivity at least 80% in every country"))
        recall >= 0.8 by country
    """
    try:
        typed = read_words(text)
    except UnclearGoal as unclear:
        ways = [way for way in unclear.ways if _is_goal(way)]
        raise UnclearGoal(text, ways or unclear.ways) from None
    said = typed.tails
    if "every" in said and "by" in said:
        raise GoalError(
            f"a goal must name a column once, got in every {said['every']['value']} and by {said['by']['value']}: leave one out"
        )
    by = said.get("every", said.get("by"))
    named, over, other = said["classifier"]["value"].rpartition(OVER) if "classifier" in said else ("", "", "")
    return Goal(
        metric=typed.metric,
        kind=typed.kind,
        value=typed.value,
        relative=typed.relative,
        classifier=(named if over else other) or None,
        over=other if over else None,
        level=_said(typed, "level", level),
        slice=(said["slice"]["column"], said["slice"]["value"]) if "slice" in said else None,
        by=None if by is None else by["value"],
        power=_said(typed, "power", DEFAULT_POWER),
        expected=number(said["expected"]) if "expected" in said else None,
    )


def reading_of(text: str) -> str | None:
    """How a half-width in percent was read, where it could also have meant a share of the value; None for any other goal.

    Examples:
        >>> print(reading_of("prevalence +-10%"))
        prevalence +-10% is +-10 points; for 10% of the value write prevalence +-10% of it
    """
    typed = read_words(text)
    if typed.kind != "+-" or not typed.in_percent or typed.relative:
        return None
    said = f"{typed.metric} +-{in_percent(typed.value)}"
    return f"{said} is +-{in_percent(typed.value)[:-1]} points; for {in_percent(typed.value)} of the value write {said} of it"


def _said(typed: Typed, clause: str, default: float) -> float:
    """The number of a clause."""
    return number(typed.tails[clause]) if clause in typed.tails else default


def _is_goal(text: str) -> bool:
    """Whether a text is a goal."""
    try:
        parse_goal(text)
    except GoalError:
        return False
    return True
