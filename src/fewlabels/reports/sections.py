"""What a report consists of, before it is drawn: sections of sentences, facts, tables and commands. Every format shows the same."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from fewlabels.errors import FewlabelsError
from fewlabels.nouns.goal import parse_goal
from fewlabels.reports.formatting import count, interval, level, name, ratio, share

MOST_ROWS = 120  # rows of a table; the rest is in report.json


class TableColumn(NamedTuple):
    """A column of a table: `words` are left-aligned, numbers right-aligned; on a page, `under` goes below the column before it."""

    title: str
    words: bool = False
    under: bool = False


class Mark(NamedTuple):
    """What a row shows as a picture: value, interval, strict interval, and a target or the half-width wanted."""

    value: float | None
    low: float
    high: float
    strict_low: float
    strict_high: float
    target: float | None = None
    wanted: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows of text under columns. The first cell of a row names it.

    marks    one per row if rows are drawn too
    folded   the title a reader opens to see the table; None: it is always visible
    states   one per row if rows have a state (met, not met, open)
    """

    caption: str
    columns: tuple[TableColumn, ...]
    rows: tuple[tuple[str, ...], ...]
    marks: tuple[Mark, ...] = ()
    folded: str | None = None
    states: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One part of a report. `key` names it in addresses; `facts` are names with values; `notes` go below the tables."""

    key: str
    title: str
    lines: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    commands: tuple[str, ...] = ()
    bullets: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class Target(NamedTuple):
    """What a goal asks for: "+-" and a half-width, which may be a share of the value, or ">=" or "<=" and a value."""

    kind: str
    value: float
    relative: bool = False

    @property
    def line(self) -> float | None:
        """The target value, for a goal with a target."""
        return None if self.kind == "+-" else self.value

    def wanted(self, value: float | None) -> float | None:
        """The half-width to reach around a value, on its narrower side; None for a target, or for a share of an unknown value."""
        if self.kind != "+-" or (self.relative and value is None):
            return None
        return value * self.value / (1 + self.value) if self.relative and value is not None else self.value


def target_of(goal: str) -> Target | None:
    """Return what a goal asks for, parsed from its text; None if it cannot be parsed."""
    try:
        found = parse_goal(goal)
    except FewlabelsError:
        return None
    return Target(found.kind, found.value, found.relative)


def mark_of(found: Mapping[str, Any], target: Target | None = None) -> Mark:
    """Return the mark of an estimate."""
    ends = {part: found[part] for part in ("value", "low", "high", "strict_low", "strict_high")}
    return Mark(**ends, target=target and target.line, wanted=target and target.wanted(found["value"]))


def whose(found: Mapping[str, Any]) -> str:
    """Return the classifier, or the two that are compared."""
    return name(found["classifier"]) + (f" over {name(found['over'])}" if found.get("over") else "")


def named(found: Mapping[str, Any], *, several: bool) -> str:
    """Return the metric of an estimate, with its classifier if there are several."""
    where = f" in {name(found['slice'][0])}={name(found['slice'][1])}" if found.get("slice") else ""
    return (f"{name(found['metric'])} of {whose(found)}" if several else name(found["metric"])) + where


def key_of(found: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return what identifies an estimate among the others."""
    return found["metric"], found["classifier"], found.get("over"), tuple(found.get("slice") or ()), found["level"]


NUMBERS = (TableColumn("value"), TableColumn("half-width", under=True), TableColumn("interval"))
STRICT = TableColumn("strict interval", under=True)
BEHIND = (TableColumn("effective n"), TableColumn("labels"), TableColumn("design effect"))


def trust_scores(estimates: Iterable[Mapping[str, Any]]) -> bool:
    """Return whether an interval trusts the scores, so that the strict one is another."""
    return any((e["strict_low"], e["strict_high"]) != (e["low"], e["high"]) for e in estimates)


def number_columns(estimates: Iterable[Mapping[str, Any]]) -> tuple[TableColumn, ...]:
    """Return the columns of these estimates' numbers: the strict interval only if it is another."""
    return (*NUMBERS, STRICT) if trust_scores(estimates) else NUMBERS


def numbers(found: Mapping[str, Any], columns: Sequence[TableColumn]) -> tuple[str, ...]:
    """Return the cells under `number_columns`."""
    cells = (share(found["value"]), f"±{share(found['half_width'])}", interval(found["low"], found["high"]))
    return (*cells, interval(found["strict_low"], found["strict_high"])) if STRICT in columns else cells


def behind(found: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the cells under BEHIND."""
    return count(found["n_eff"]), count(found["labels"]), ratio(found["design_effect"])


def levels(estimates: Sequence[Mapping[str, Any]], whole: float | None = None) -> str:
    """Return the level of some intervals in words; `whole` is the level at which everything the plan declared holds together."""
    found = sorted({round(e["level"], 9) for e in estimates})
    if not found:
        return ""
    kept = (
        f", so that everything the plan declared holds together at {level(whole)}"
        if whole is not None and min(found) > whole + 1e-9
        else ""
    )
    if len(found) == 1:
        return f"Each interval at level {level(found[0])}{kept}."
    return f"Each interval at its own level, {', '.join(map(level, found))}{kept}."
