"""The results of a report as sections: verdict, goals, metrics, convergence, other budgets, slices, thresholds, comparison, classes."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fewlabels.reports.formatting import count, interval, level, name, share
from fewlabels.reports.sections import (
    BEHIND,
    MOST_ROWS,
    Section,
    Table,
    TableColumn,
    behind,
    key_of,
    levels,
    mark_of,
    named,
    number_columns,
    numbers,
    target_of,
    trust_scores,
    whose,
)

Report = Mapping[str, Any]
Found = Mapping[str, Any]
FORECAST = (
    "What as many labels drawn evenly over the whole table would give, and what other budgets would. This is a forecast, not a promise: it "
    "takes the shares that the labels show so far as true."
)
PEEK = "A peek, not certified: these numbers were not read at the planned look, so no interval holds at its stated level."
EXPLAINED = (
    "Effective n: labels of a simple draw, of the units the metric is about, that give as narrow an interval. Design effect: labels "
    "divided by effective n."
)
TRUSTED = (
    "Scores are trusted: the interval relies on them about errors that no label has shown. The strict interval (thin line) does not, and "
    "is valid even if errors occur where the scores predict none."
)
UNIFORM = "Uniform would need: labels drawn evenly over the whole table for as narrow an interval."
RUNNING = "A running band (confidence sequence) is wider than the interval of a single look: that is the price of looking at any time."
STATES = {"met": "met", "not met": "not met", "open": "open"}
SOME_THRESHOLDS, MOST_CLASSES = 12, 12


def verdict(report: Report) -> str:
    """Return the verdict as a word."""
    outcome = report["verdict"]["outcome"]
    return "NO VERDICT YET" if outcome is None else str(outcome).upper()


def is_peek(report: Report) -> bool:
    """Return whether the numbers shown were not read at the planned look."""
    return bool(report["estimates"]) and not (report["verdict"]["certified"] and report["coverage"]["certified"])


def alarms(report: Report) -> list[str]:
    """Return why a reader must not trust the report; empty if there is no reason."""
    checked, found = report["record"]["verification"], []
    if not checked["passed"]:
        found.append(f"The record behind this report did not pass verification: {' '.join(checked['findings'])}")
    if is_peek(report):
        found.append(PEEK)
    return found


def reasons(report: Report) -> tuple[str, ...]:
    """Return what is known in plain words, and the reasons for the verdict."""
    return (*report["verdict"]["plain"], *report["verdict"]["reasons"])


def goal_section(report: Report) -> Section:
    """Return every goal against its estimate."""
    goals = report["verdict"]["goals"]
    if not goals:
        lines = tuple(f"{goal}: waits for its look" for goal in report["study"]["goals"])
        return Section(key="goals", title="Goals", bullets=lines)
    uniform = {key_of(found): found["uniform_labels"] for found in report["estimates"]}
    even = [count(uniform.get(key_of(goal["estimate"]))) for goal in goals]
    table = goal_table(goals, report["study"]["level"], more=[(TableColumn("uniform would need"), even)])
    return Section(key="goals", title="Goals", tables=(table,), notes=(UNIFORM, *explained([goal["estimate"] for goal in goals])))


def goal_table(goals: Sequence[Found], whole: float | None = None, *, more: Sequence[tuple[TableColumn, Sequence[str]]] = ()) -> Table:
    """Return goals against their estimates; `whole` is the level at which all hold together, `more` further columns with their cells."""
    rows, columns = [], number_columns(goal["estimate"] for goal in goals)
    for i, goal in enumerate(goals):
        found = goal["estimate"]
        cells = (cells[i] for _, cells in more)
        rows.append((goal["goal"], STATES[goal["status"]], *numbers(found, columns), _bound(goal), *behind(found), *cells))
    first = (TableColumn("goal", words=True), TableColumn("status", words=True, under=True))
    return Table(
        caption=levels([goal["estimate"] for goal in goals], whole),
        columns=(*first, *columns, TableColumn("one-sided bound"), *BEHIND, *(column for column, _ in more)),
        rows=tuple(rows),
        marks=tuple(mark_of(goal["estimate"], target_of(goal["goal"])) for goal in goals),
        states=tuple(goal["status"] for goal in goals),
    )


def _bound(goal: Found) -> str:
    """Return the one-sided bound that decides a target."""
    return "none" if goal["bound"] is None else share(goal["bound"])


def explained(estimates: Sequence[Found]) -> tuple[str, ...]:
    """Return what a reader has to know about the numbers of these estimates."""
    running = (RUNNING,) if any(found["interval"] == "anytime" for found in estimates) else ()
    return (*((TRUSTED,) if trust_scores(estimates) else ()), EXPLAINED, *running)


def metric_section(report: Report) -> Section | None:
    """Return every metric that is not a goal."""
    shown = {key_of(goal["estimate"]) for goal in report["verdict"]["goals"]}
    others = [found for found in report["estimates"] if key_of(found) not in shown]
    if not others:
        return None
    several, columns = len({whose(found) for found in report["estimates"]}) > 1, number_columns(others)
    table = Table(
        caption=f"{levels(others)} Not goals of the plan: the draw was not designed for them.",
        columns=(TableColumn("metric", words=True), *columns, *BEHIND, TableColumn("uniform would need")),
        rows=tuple((named(e, several=several), *numbers(e, columns), *behind(e), count(e["uniform_labels"])) for e in others[:MOST_ROWS]),
        marks=tuple(mark_of(e) for e in others[:MOST_ROWS]),
        folded=f"{len(others):,} other metrics",
    )
    cut = (f"{len(others) - MOST_ROWS:,} more are in report.json.",) if len(others) > MOST_ROWS else ()
    return Section(key="metrics", title="Other metrics", tables=(table,), lines=cut)


def convergence_section(report: Report) -> Section:
    """Return how the interval of each goal narrowed."""
    found = report["convergence"]
    if not found["goals"]:
        return Section(key="convergence", title="How the interval narrowed", lines=(_sentence(found["why"] or "nothing to show yet"),))
    kind = {
        "afterwards": "Computed after the look, from the first labels in asking order: an illustration, not a series of looks.",
        "running": "The running band of each goal, a confidence sequence: valid at every look.",
    }
    tables = tuple(
        Table(
            caption="",
            columns=(TableColumn("labels"), TableColumn("value"), TableColumn("interval")),
            rows=tuple((count(p["labels"]), share(p["value"]), interval(p["low"], p["high"])) for p in goal["points"]),
            folded=f"Numbers of {name(goal['goal'])}",
        )
        for goal in found["goals"]
    )
    return Section(key="convergence", title="How the interval narrowed", lines=(kind.get(found["kind"], ""),), tables=tables)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def budget_section(report: Report) -> Section | None:
    """Return what other budgets would show, chosen and uniform."""
    if not report["budgets"]:
        return None
    tables = tuple(
        Table(
            caption="Expected half-width.",
            columns=(TableColumn("labels"), TableColumn("chosen"), TableColumn("uniform")),
            rows=tuple(
                (count(n), f"±{share(chosen)}", f"±{share(uniform)}")
                for n, chosen, uniform in zip(curve["labels"], curve["chosen"], curve["uniform"], strict=True)
            ),
            folded=f"Numbers of {name(curve['goal'])}",
        )
        for curve in report["budgets"]
    )
    said = tuple(f"{curve['goal']}: {budget_sentence(curve)}" for curve in report["budgets"])
    return Section(key="budgets", title="Uniform against chosen", lines=(FORECAST,), bullets=said, tables=tables)


def budget_sentence(curve: Found) -> str:
    """Return what the current budget gives, chosen and uniform."""
    i = curve["labels"].index(curve["now"])
    expected = f"half-width ±{share(curve['chosen'][i])} expected, ±{share(curve['half_width'])} measured"
    return f"with {count(curve['now'])} labels {expected}; drawn evenly ±{share(curve['uniform'][i])}"


def slice_sections(report: Report) -> Section | None:
    """Return the metrics of the goals in every slice."""
    if not report["slices"]:
        return None
    tables = tuple(_sliced(part) for part in report["slices"])
    cautions = dict.fromkeys(e["caution"] for part in report["slices"] for e in part["estimates"] if e["caution"])
    gone = tuple(f"No estimate for {', '.join(map(name, part['left_out']))}." for part in report["slices"] if part["left_out"])
    return Section(key="slices", title="Slices", tables=tables, lines=(*gone, *(f"Caution: {one}." for one in cautions)))


def _sliced(part: Found) -> Table:
    estimates = part["estimates"]
    columns = number_columns(estimates)
    together = f"All {len(estimates)} hold together at level {level(part['level'])}." if part["simultaneous"] else ""
    of = f" of {whose(estimates[0])}" if estimates else ""
    return Table(
        caption=f"{name(part['metric'])}{of} by {', '.join(map(name, part['by']))}. {levels(estimates)} {together}".strip(),
        columns=(TableColumn("slice", words=True), *columns, *BEHIND),
        rows=tuple((name(e["slice"][1]) if e.get("slice") else "all", *numbers(e, columns), *behind(e)) for e in estimates),
        marks=tuple(mark_of(e) for e in estimates),
    )


def threshold_section(report: Report) -> Section | None:
    """Return precision and recall at some thresholds; the picture shows all that are in the report."""
    found = report["thresholds"]
    if not found or not found["thresholds"]:
        return None
    size = len(found["thresholds"])
    most = min(SOME_THRESHOLDS, size)
    picked = sorted({round(i * (size - 1) / max(1, most - 1)) for i in range(most)})
    metrics = list(found["curves"])
    columns = [TableColumn("threshold"), TableColumn("units flagged"), TableColumn("labels among them")]
    for metric in metrics:
        columns += [TableColumn(metric), TableColumn(f"{metric} ribbon", under=True)]
    table = Table(
        caption=f"Classifier {name(found['classifier'])}. The ribbon is valid at all of them together, level {level(found['level'])}.",
        columns=tuple(columns),
        rows=tuple(_threshold(found, i, metrics) for i in picked),
        folded=f"{len(picked)} of {size} thresholds",
    )
    return Section(key="thresholds", title="Other thresholds", tables=(table,))


def _threshold(found: Found, i: int, metrics: Sequence[str]) -> tuple[str, ...]:
    cells = [f"{found['thresholds'][i]:.6g}", count(found["units"][i]), count(found["labels"][i])]
    for metric in metrics:
        curve = found["curves"][metric]
        cells += [share(curve["value"][i]), interval(curve["ribbon_low"][i], curve["ribbon_high"][i])]
    return tuple(cells)


def comparison_section(report: Report) -> Section | None:
    """Return the classifiers compared with each other, on the same units."""
    found = report["comparison"]
    if not found:
        return None
    better, columns = {frozenset(pair): pair[0] for pair in found["better"]}, number_columns(found["pairs"])
    table = Table(
        caption=f"Difference in {name(found['metric'])}, the first minus the second, on the same units. {levels(found['pairs'])}",
        columns=(TableColumn("pair", words=True), TableColumn("better", words=True, under=True), *columns, *BEHIND),
        rows=tuple((whose(e), _better(e, better), *numbers(e, columns), *behind(e)) for e in found["pairs"]),
        marks=tuple(mark_of(e)._replace(target=0.0) for e in found["pairs"]),
    )
    way = "Lower is better." if found["less_is_better"] else "Higher is better."
    best = [name(one) for one in found["best"]]
    lead = f"Shown to be best: {best[0]}." if len(best) == 1 else f"Not shown to be worse than another: {', '.join(best)}."
    few = tuple(f"{whose(e)}: {caution}" for e, caution in zip(found["pairs"], found["cautions"], strict=True) if caution)
    return Section(key="comparison", title="Comparison", lines=(f"{lead} {way}",), tables=(table,), notes=few)


def _better(pair: Found, settled: Mapping[frozenset[str], str]) -> str:
    winner = settled.get(frozenset((pair["classifier"], pair["over"])))
    return "not settled" if winner is None else f"{name(winner)} is better"


def confusion_section(report: Report) -> Section | None:
    """Return, for the units predicted to be of a class, the share that truly is of each."""
    cells = report["confusion"]
    if not cells:
        return None
    shown = sorted(cells, key=lambda c: -(c["count"] or 0.0))[:MOST_ROWS] if len(cells) > MOST_CLASSES**2 else cells
    columns = number_columns(shown)
    cut = (f"The {len(shown)} largest of {len(cells):,} cells; the others are in report.json.",) if len(shown) < len(cells) else ()
    table = Table(
        caption=levels(shown),
        columns=(TableColumn("class", words=True), *columns, *BEHIND, TableColumn("units, estimated")),
        rows=tuple(
            (f"predicted {name(c['predicted'])}, truly {name(c['true'])}", *numbers(c, columns), *behind(c), count(c["count"]))
            for c in shown
        ),
        marks=tuple(mark_of(c) for c in shown),
        folded=f"All {len(shown)} cells with their labels",
    )
    return Section(
        key="confusion",
        title="Confusion matrix",
        lines=("Of the units predicted to be of a class, the share that truly is of each.", *cut),
        tables=(table,),
    )


def result_sections(report: Report) -> Iterator[Section]:
    """Return all sections on results, in reading order."""
    made = (
        goal_section, metric_section, convergence_section, budget_section, slice_sections, threshold_section, comparison_section,
        confusion_section,
    )  # fmt: skip
    for make in made:
        section = make(report)
        if section is not None:
            yield section
