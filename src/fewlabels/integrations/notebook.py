"""Results as a notebook shows them, and as plain text: what each kind of result consists of, drawn by the code of the report.

A result is shown from its own data. No ledger is opened and nothing is recorded, so what `estimate` withholds cannot be seen here. For a
study itself, only its progress is shown.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from fewlabels.deciding.thresholds import FoundThreshold
from fewlabels.estimators.counts import Confusion
from fewlabels.nouns.decision import Decision
from fewlabels.nouns.estimate import Estimate
from fewlabels.nouns.gate import Gate
from fewlabels.nouns.plan import Plan
from fewlabels.reports.formatting import cleaned, count, interval, level, name, percent, plural, share
from fewlabels.reports.fragment import Fragment, Verdict, fragment_html, fragment_text
from fewlabels.reports.page_pictures import ribbon_pictures
from fewlabels.reports.record_sections import MOST_LABELERS, gold_tables, labeler_table, plan_facts, unlisted, worst_tables
from fewlabels.reports.result_sections import (
    EXPLAINED,
    PEEK,
    RUNNING,
    comparison_section,
    explained,
    goal_table,
    slice_sections,
    threshold_section,
)
from fewlabels.reports.sections import (
    BEHIND,
    MOST_ROWS,
    Mark,
    Section,
    Table,
    TableColumn,
    behind,
    levels,
    mark_of,
    named,
    number_columns,
    numbers,
    whose,
)
from fewlabels.reports.size_section import size_section
from fewlabels.study.estimate.comparison import Comparison, Ranked, less_is_better
from fewlabels.study.estimate.labelers import Labelers
from fewlabels.study.estimate.online import Running
from fewlabels.study.estimate.periods import Change
from fewlabels.study.estimate.result import Estimates
from fewlabels.study.estimate.slices import InSlices
from fewlabels.study.estimate.status import Status
from fewlabels.study.estimate.thresholds import Curves
from fewlabels.study.plan.sizes import Sizing
from fewlabels.study.report.words import after_decision, no_verdict
from fewlabels.study.state.progress import Progress
from fewlabels.study.study import Study

Found = Mapping[str, Any]
EARLY = "Numbers are shown at the planned look, not before."


def plain(result: Any) -> Any:
    """Return the result as plain data in which every text is safe to show."""
    return cleaned(result.as_json())


def _readable(text: str) -> str:
    return str(cleaned(text))


def _estimates_table(estimates: Sequence[Found], *, several: bool | None = None) -> Table:
    apart, columns = len({whose(e) for e in estimates}) > 1 if several is None else several, number_columns(estimates)
    return Table(
        caption=levels(estimates),
        columns=(TableColumn("metric", words=True), *columns, *BEHIND),
        rows=tuple((named(e, several=apart), *numbers(e, columns), *behind(e)) for e in estimates[:MOST_ROWS]),
        marks=tuple(mark_of(e) for e in estimates[:MOST_ROWS]),
    )


def _goals_first(estimates: Sequence[Found]) -> Iterator[Table]:
    """Return the metrics the draw was designed for, and the others folded."""
    several = len({whose(e) for e in estimates}) > 1
    planned, others = ([e for e in estimates if bool(e["planned"]) is wanted] for wanted in (True, False))
    if planned:
        yield _estimates_table(planned, several=several)
    if others:
        folded = f"{plural(len(others), 'other metric')}, not goals of the plan" if planned else None
        yield replace(_estimates_table(others, several=several), folded=folded)


def _of_estimate(found: Estimate) -> Fragment:
    data = plain(found)
    lines = [f"Unknown: {data['why']}."] if data["why"] else []
    bounds = (
        f"At least {share(data['at_least'])}, at most {share(data['at_most'])}: one-sided, each at level {level(data['level'])} by itself."
    )
    tables = (_estimates_table([data], several=False), *worst_tables([data]), *gold_tables([data]))
    section = Section(key="estimate", title="", tables=tables, bullets=(*lines, bounds), notes=explained([data]))
    return Fragment(title=f"{named(data, several=True)}", sections=(section,))


def _of_estimates(shown: Estimates) -> Fragment:
    done, warnings = shown.progress, [_readable(f"Warning: {one}") for one in shown.warnings]
    if not shown.estimates:
        section = Section(key="early", title="", lines=(f"{no_verdict(done)} {EARLY}",), bullets=tuple(warnings))
        return Fragment(title="Estimates", sizes=_sizes(done), progress=(done.labels, done.planned), sections=(section,))
    found = plain(shown)["estimates"]
    hidden = sum(max(0, sum(bool(one["planned"]) is wanted for one in found) - MOST_ROWS) for wanted in (True, False))
    cut = [f"{hidden:,} more: see fewlabels.table."] if hidden else []
    cautions = [_readable(f"Caution: {one}") for one in shown.cautions_of(shown.estimates)]
    agreed = [_readable(str(one)) for one in (shown.agreement, *shown.tipping) if one is not None]
    section = Section(
        key="estimates",
        title="",
        tables=(*_goals_first(found), *worst_tables(found), *gold_tables(found)),
        bullets=(*cut, *agreed, *cautions, *warnings),
        notes=(f"Every number is {shown.about}.", *explained(found)),
    )
    return Fragment(title="Estimates", alarms=() if shown.certified else (PEEK,), sizes=_sizes(done), sections=(section,))


def _sizes(done: Progress) -> tuple[tuple[str, str], ...]:
    """Return the progress of the labeling, in a row."""
    pairs = [(count(done.labels), f"of {count(done.planned)} planned units labeled"), (count(done.answered), "usable answers")]
    if done.second_planned:
        pairs.append((count(done.second_told), f"of {count(done.second_planned)} second looks"))
    if done.gold_planned:
        pairs.append((count(done.gold_told), f"of {count(done.gold_planned)} gold answers"))
    return tuple(pairs)


def _of_counts(found: Confusion) -> Fragment:
    data = [plain(one) for one in found.estimates]
    cautions = tuple(_readable(f"Caution: {one}") for one in found.cautions)
    section = Section(key="counts", title="", tables=(_estimates_table(data, several=False),), bullets=cautions, notes=explained(data))
    return Fragment(title="Metrics of a confusion matrix", sections=(section,))


def _of_decision(decision: Decision) -> Fragment:
    data = plain(decision)
    verdict = Verdict(decision.outcome.upper(), after_decision(decision), tuple(data["reasons"]), not decision.certified)
    alarms = () if decision.certified else (PEEK,)
    if not data["goals"]:
        return Fragment(title="Decision", verdict=verdict, alarms=alarms)
    notes = explained([goal["estimate"] for goal in data["goals"]])
    return Fragment(
        title="Decision",
        verdict=verdict,
        alarms=alarms,
        sections=(Section(key="goals", title="", tables=(goal_table(data["goals"]),), notes=notes),),
    )


def _of_running(found: Running) -> Fragment:
    data = plain(found)
    goals = [{"goal": g["goal"], "status": g["status"], "bound": None, "estimate": _running_band(g, found.labels)} for g in data["goals"]]
    ahead = "" if found.remaining is None else f"Label on: {found.remaining}."
    sizes = ((count(found.labels), f"of at most {count(found.budget)} labels read"), (count(found.missing), "of them without an answer"))
    return Fragment(
        title=f"Where the study stands, stopping: {data['stopping']}",
        verdict=Verdict(found.outcome.upper(), ahead),
        sizes=sizes,
        sections=(Section(key="goals", title="", tables=(goal_table(goals),), notes=(EXPLAINED, RUNNING)),),
    )


def _running_band(goal: Found, labels: int) -> Found:
    """Return a goal's running band under the names of an estimate; it is valid wherever errors occur, so the strict one is the same."""
    value, low, high = goal["value"], goal["low"], goal["high"]
    half = (high - low) / 2 if value is None else max(high - value, value - low)
    effect = labels / goal["n_eff"] if goal["n_eff"] else None
    return {**goal, "strict_low": low, "strict_high": high, "half_width": half, "labels": labels, "design_effect": effect}


def _plan_data(plan: Plan) -> Found:
    stopping = None if plan.stopping is None else str(plan.stopping)
    kept = {name: getattr(plan, name) for name in ("budget", "grow_to", "interval", "promise", "assist")}
    return {**kept, "design": plan.design.name, "bands": int(plan.design.N.size), "stopping": stopping}


def _of_plan(plan: Plan) -> Fragment:
    goals = [_readable(str(goal)) for goal in plan.goals]
    facts = (*plan_facts(_plan_data(plan), goals, plan.goals[0].level), ("hash", plan.hash))
    pilot = "" if plan.pilot is None else f", with a pilot of {count(plan.pilot.labels)} labels"
    return Fragment(title=f"Plan {plan.number} ({plan.change}{pilot})", sections=(Section(key="plan", title="", facts=facts),))


def _of_sizing(found: Sizing) -> Fragment:
    data = plain(found)
    needed = data["together"]
    sizes = [
        ("no number" if needed is None else count(needed), "of labels is enough" if needed is None else "labels needed"),
        *([] if data["uniform"] is None else [(count(data["uniform"]), "labels if drawn evenly")]),
        (count(data["units"]), f"units, {percent(data['flagged'] / max(1, data['units']))} flagged"),
    ]
    return Fragment(title="Labels that the goals need", sizes=tuple(sizes), sections=(size_section(data),))


def _of_slices(found: InSlices) -> Fragment:
    data = plain(found)
    section = slice_sections({"slices": [{"metric": data["estimates"][0]["metric"], **data}]})
    assert section is not None
    by = ", ".join(map(name, data["by"]))
    return Fragment(title=f"Slices by {by}", sections=(_untitled(section, *explained(data["estimates"])),))


def _untitled(section: Section, *notes: str) -> Section:
    """Return the section without its heading; cautions follow the table, then notes."""
    return Section(
        key=section.key, title="", tables=section.tables, facts=section.facts, bullets=(*section.lines, *section.bullets), notes=notes
    )


def _of_ranked(found: Ranked) -> Fragment:
    return _compared(plain(found))


def _of_comparison(found: Comparison) -> Fragment:
    data = plain(found)
    both = (data["first"], data["second"])
    better = [[data["better"], next(one for one in both if one != data["better"])]] if data["better"] else []
    best = [data["better"]] if data["better"] else list(both)
    pairs = {"pairs": [data["estimate"]], "cautions": [data["caution"]]}
    return _compared({"metric": data["estimate"]["metric"], "better": better, "best": best, **pairs})


def _compared(data: Found) -> Fragment:
    section = comparison_section({"comparison": {**data, "less_is_better": less_is_better(data["metric"])}})
    assert section is not None
    shown = Section(key="pairs", title="", lines=section.lines, tables=section.tables, notes=(*section.notes, *explained(data["pairs"])))
    return Fragment(title=f"Comparison in {name(data['metric'])}", sections=(shown,))


def _of_curves(found: Curves) -> Fragment:
    data = plain(found)
    section = threshold_section({"thresholds": data})
    figures = (ribbon_pictures(data, ()),) if len(data["thresholds"]) > 1 else ()
    sections = () if section is None else (Section(key="thresholds", title="", tables=section.tables),)
    return Fragment(title=f"Thresholds of {name(data['classifier'])}", figures=figures, sections=sections)


def _of_threshold(found: FoundThreshold) -> Fragment:
    data = plain(found)
    facts = [("tried", plural(data["tried"], "threshold"))]
    if data["threshold"] is not None:
        other = interval(data["other_low"], data["other_high"])
        facts = [
            ("threshold", f"{data['threshold']:.6g}"),
            ("units flagged", count(data["units"])),
            (data["metric"], f"{share(data['value'])}, at least {share(data['bound'])} at level {level(data['level'])}"),
            (data["other"], f"{share(data['other_value'])}, {other} wherever the search stops"),
            *facts,
        ]
    elif data["needed"] is not None:
        facts.append(("labels needed", f"about {count(data['needed'])}"))
    title = f"Threshold with {data['metric']} at least {data['target']:g}"
    return Fragment(title=title, sections=(Section(key="threshold", title="", lines=(_sentence(data["reason"]),), facts=tuple(facts)),))


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _of_change(found: Change) -> Fragment:
    data = plain(found)
    value, low, high = data["value"], data["low"], data["high"]
    table = Table(
        caption=f"The later minus the earlier, interval at level {level(data['level'])}. Labels of each, and units in both.",
        columns=(TableColumn("metric", words=True), *map(TableColumn, ("change", "interval", "labels before", "labels after", "shared"))),
        rows=(
            (
                named({**data, "slice": None}, several=True),
                share(value),
                interval(low, high),
                *map(count, data["labels"]),
                count(data["shared"]),
            ),
        ),
        marks=(Mark(value, low, high, low, high, target=0.0),),
    )
    title = f"{name(data['metric'])} in {name(data['after'])} minus {name(data['before'])}"
    return Fragment(title=title, sections=(Section(key="change", title="", tables=(table,)),))


def _of_labelers(found: Labelers) -> Fragment:
    data = plain(found)
    people = sorted(data["labelers"], key=lambda one: (-one["units"], one["labeler"]))
    lines = (f"{plural(data['disputed'], 'unit')} with answers that differ.", *unlisted(people[MOST_LABELERS:]))
    tables = (labeler_table(people[:MOST_LABELERS]),) if people else ()
    return Fragment(title=plural(len(people), "labeler"), sections=(Section(key="labelers", title="", tables=tables, bullets=lines),))


def _of_status(found: Status) -> Fragment:
    done, plan = found.progress, found.plan
    title = f"Study {name(_readable(found.name), 200)}"
    if plan is None:
        return Fragment(title=title, sections=(Section(key="status", title="", lines=("No plan yet: lock one with plan.",)),))
    facts = [
        ("goals", "; ".join(_readable(str(goal)) for goal in plan.goals)),
        ("plan", f"{plan.number}, {plural(plan.budget, 'label')}"),
        ("handed out", plural(done.asked, "unit")),
        ("promise", plan.promise),
    ]
    if done.unanswered:
        kinds = ", ".join(f"{count(getattr(done, kind))} {kind.replace('_', ' ')}" for kind in ("cannot_tell", "skipped", "never_answered"))
        facts.append(("no usable answer", kinds))
    if found.looks:
        facts.append(("looks so far", f"{count(found.looks)}, {count(found.peeks)} of them in a peek before the planned look"))
    warnings = tuple(_readable(f"Warning: {one}") for one in found.warnings)
    section = Section(key="status", title="", facts=tuple(facts), bullets=warnings)
    return Fragment(title=title, sizes=_sizes(done), progress=(done.labels, done.planned), sections=(section,))


def _of_study(study: Study) -> Fragment:
    return _of_status(study.status())


def _of_gate(gate: Gate) -> Fragment:
    data = plain(gate)
    verdict = Verdict(gate.verdict.replace("_", " ").upper(), data["headline"].partition(": ")[2], tuple(data["reasons"]))
    notes = [f"{rule['rule']}: {note}" for rule in data["rules"] for note in rule["notes"]]
    promise = [f"{data['promise']}; {data['about']}"] if data["promise"] else []
    bullets = (*notes, *(f"Warning: {one}" for one in data["warnings"]), *promise)
    tables = tuple(_rules(data["rules"])) if data["rules"] else ()
    return Fragment(title="Gate", verdict=verdict, sections=(Section(key="rules", title="", tables=tables, bullets=bullets),))


def _rules(rules: Sequence[Found]) -> Iterator[Table]:
    """Return the rules, drawn if all of them have numbers."""
    shown = number_columns(rule["estimate"] for rule in rules if rule["estimate"] is not None)
    first = (TableColumn("rule", words=True), TableColumn("verdict", words=True, under=True))
    columns = (*first, *shown, TableColumn("one-sided bound"), *BEHIND[:2])
    rows = tuple(
        (
            rule["rule"],
            rule["verdict"].replace("_", " "),
            *(("",) * len(shown) if rule["estimate"] is None else numbers(rule["estimate"], shown)),
            "none" if rule["bound"] is None else share(rule["bound"]),
            *_rule_behind(rule["estimate"]),
        )
        for rule in rules
    )
    marks = tuple(mark_of(rule["estimate"]) for rule in rules if rule["estimate"] is not None)
    yield Table(caption="", columns=columns, rows=rows, marks=marks if len(marks) == len(rules) else ())
    yield Table(
        caption="",
        columns=(TableColumn("rule", words=True), TableColumn("why", words=True)),
        rows=tuple((r["rule"], "; ".join(r["reasons"])) for r in rules),
    )


def _rule_behind(found: Found | None) -> tuple[str, ...]:
    return ("", "") if found is None else behind(found)[:2]


KINDS: dict[type, Callable[[Any], Fragment]] = {
    Estimates: _of_estimates,
    Estimate: _of_estimate,
    Confusion: _of_counts,
    Decision: _of_decision,
    Plan: _of_plan,
    Sizing: _of_sizing,
    Comparison: _of_comparison,
    Ranked: _of_ranked,
    Curves: _of_curves,
    FoundThreshold: _of_threshold,
    InSlices: _of_slices,
    Status: _of_status,
    Running: _of_running,
    Change: _of_change,
    Labelers: _of_labelers,
    Gate: _of_gate,
    Study: _of_study,
}


def described(result: object) -> Fragment | None:
    """Return what a result shows; None if its kind is not known here."""
    make = next((KINDS[kind] for kind in type(result).__mro__ if kind in KINDS), None)
    return None if make is None else make(result)


class ReportDrawing:
    """Draw results as the report does."""

    def html(self, result: object) -> str | None:
        """Return the result as an HTML fragment."""
        shown = described(result)
        return None if shown is None else fragment_html(shown)

    def text(self, result: object) -> str | None:
        """Return the result as plain text."""
        shown = described(result)
        return None if shown is None else fragment_text(shown)


DRAWING = ReportDrawing()
