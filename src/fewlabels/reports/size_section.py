"""How many labels goals need, as a section: chosen, at worst, by a simple draw, drawn evenly; and what a budget is expected to show."""

from collections.abc import Iterator, Mapping
from typing import Any

from fewlabels.reports.formatting import count, percent, share
from fewlabels.reports.sections import Section, Table, TableColumn

Found = Mapping[str, Any]
NONE = "-"  # not even all units would do
ASSUMED = (
    "Chosen: if scores are calibrated. At worst: if scores are uninformative among flagged and among other units, and off between them. "
    "Simple draw: of the units the goal is about. Uniform: labels drawn evenly over the whole table. '-': not even all units would do; at "
    "worst also where a target may be the value itself, and of several labels or classes together."
)


def size_section(found: Found) -> Section:
    """Return what goals need (`Sizing.as_json`), and what the budget, if there is one, buys."""
    learned = any(goal["recalibrated"] is not None for goal in found["goals"])
    titles = ("chosen", *(["recalibrated"] if learned else []), "at worst", "simple draw", "uniform", "uniform wastes")
    rows = [_row(goal, learned=learned) for goal in found["goals"]]
    rows += _together(found, len(titles)) if len(rows) > 1 else []
    needed = Table(caption="Labels needed.", columns=(TableColumn("goal", words=True), *map(TableColumn, titles)), rows=tuple(rows))
    gone = (f"Left out, because no unit there counts for them: {'; '.join(found['left_out'])}.",) if found["left_out"] else ()
    return Section(key="sizes", title="", tables=(needed, *_forecast(found)), lines=gone, bullets=tuple(_bills(found)), notes=(ASSUMED,))


def _labels(value: int | None) -> str:
    return NONE if value is None else count(value)


def _wasted(labels: int | None, uniform: int | None) -> str:
    return NONE if labels is None or not uniform else percent(max(0.0, 1 - labels / uniform))


def _row(goal: Found, *, learned: bool) -> tuple[str, ...]:
    ways = ("labels", *(["recalibrated"] if learned else []), "worst", "simple", "uniform")
    return (goal["goal"], *(_labels(goal[way]) for way in ways), _wasted(goal["labels"], goal["uniform"]))


def _together(found: Found, cells: int) -> list[tuple[str, ...]]:
    """Return what all goals need: on one draw, and with a draw for each."""

    def row(words: str, labels: int | None, *last: str) -> tuple[str, ...]:
        return (words, _labels(labels), *[""] * (cells - 1 - len(last)), *last)

    uniform = found["uniform"]
    rows = [row("a draw for each", found["separately"])]
    rows.append(row("one draw, each with its own chance", found["together"], _labels(uniform), _wasted(found["together"], uniform)))
    rows.append(row("one draw, all with a chance of 80 %", found["for_all"]))
    if found["optimum"] is not None:
        rows.append(row('one draw, several="optimum"', found["optimum"]))
    if found["recycled"] is not None:
        words = f"simple, recycled from {found['recycled']['parent']}"
        rows.append((words, *[""] * (cells - 3), count(found["recycled"]["labels"]), "", ""))
    return rows


def _forecast(found: Found) -> Iterator[Table]:
    rows = tuple(
        (
            goal["goal"],
            share(shown["value"]),
            f"±{share(shown['half_width'])}",
            percent(shown["chance"]),
            shown["expected"],
        )
        for goal in found["goals"]
        if (shown := goal["forecast"]) is not None
    )
    if rows:
        columns = (
            TableColumn("goal", words=True),
            TableColumn("value"),
            TableColumn("half-width"),
            TableColumn("chance"),
            TableColumn("expected", words=True),
        )
        if len(rows) > 1:
            rows += (("all together", "", "", NONE if found["chance"] is None else percent(found["chance"]), found["expected"]),)
        what = "A budget of" if found["budget"] is not None else "The size for all:"
        yield Table(caption=f"{what} {count(found['shown_at'])} labels. What they should show", columns=columns, rows=rows)


def _bills(found: Found) -> Iterator[str]:
    if found["to_pay"]["said"] is not None:
        yield found["to_pay"]["said"]
    chosen = "budget" if found["budget"] is not None else "for_all"
    for words, key in (("chosen", chosen), ("uniform", "uniform")):
        bill = found["cost"].get(key)
        if bill is None or (bill["money"] is None and bill["hours"] is None):
            continue
        money = "" if bill["money"] is None else f", cost {bill['money']:,.2f}"
        hours = "" if bill["hours"] is None else f", {bill['hours']:,.1f} hours"
        yield f"{words}: {count(bill['looks'])} labels{money}{hours}"
