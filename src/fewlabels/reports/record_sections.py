"""What the results of a report rest on, as sections: coverage, warnings, missing answers, labelers, plan, population, record."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fewlabels.reports.formatting import UNKNOWN, chance, count, interval, level, moment, name, percent, plural, share
from fewlabels.reports.sections import Section, Table, TableColumn, named, whose

Report = Mapping[str, Any]
Found = Mapping[str, Any]
MOST_LABELERS = 50
PART = (TableColumn("part", words=True), TableColumn("resolved"), TableColumn("missing"), TableColumn("share"))
RULES = {
    "first": "the first usable answer of a unit counts",
    "majority": "the answer of most labelers counts",
    "unanimous": "an answer counts if all labelers gave it",
}


def coverage_section(report: Report) -> Section:
    """Return what the intervals promise, and what was not tested."""
    found = report["coverage"]
    promise = f"Promise of the plan: {found['promise']}." if found["promise"] else "The plan promises nothing."
    cautions = tuple(f"Caution: {one}." for one in found["cautions"])
    return Section(key="coverage", title="What the intervals are worth", lines=(promise, *found["statement"]), bullets=cautions)


def warning_section(report: Report) -> Section | None:
    """Return what a reader has to know."""
    warnings = tuple(report["warnings"])
    return Section(key="warnings", title="Warnings", bullets=warnings) if warnings else None


def missing_section(report: Report) -> Section:
    """Return which answers are missing, where, and what they could change."""
    found, done = report["missing"], report["progress"]
    parts = [{"name": "all units", **{key: found[key] for key in ("drawn", "missing", "share")}}, found["flagged"], found["unflagged"]]
    sides = Table(caption="", columns=PART, rows=tuple(map(_part, parts)))
    tests = Table(
        caption="Each part against all others: it differs if the p-value is below its limit.",
        columns=(*PART, TableColumn("p-value"), TableColumn("limit"), TableColumn("differs", words=True)),
        rows=tuple(
            (*_part(p), chance(p["p_value"]), chance(p["limit"]), "beyond chance" if p["differs"] else "no") for p in found["tests"]
        ),
        folded=f"{len(found['tests'])} tests, {'a part differs beyond chance' if found['differs'] else 'no part differs beyond chance'}",
    )
    why = ", ".join(f"{count(done[kind])} {kind.replace('_', ' ')}" for kind in ("cannot_tell", "skipped", "never_answered"))
    lead = f"{count(found['missing'])} of {plural(found['drawn'], 'resolved unit')} have no usable answer ({why})."
    tables = (sides, *([tests] if found["tests"] else []), *worst_tables(report["estimates"]))
    return Section(key="missing", title="Missing answers", lines=(lead,), tables=tables)


def _part(part: Found) -> tuple[str, ...]:
    return part["name"], count(part["drawn"]), count(part["missing"]), percent(part["share"])


def worst_tables(estimates: Sequence[Found]) -> Iterator[Table]:
    """Yield the worst case of the estimates that have one; nothing if none has."""
    several = len({whose(e) for e in estimates}) > 1
    rows = tuple(
        (named(e, several=several), interval(e["low"], e["high"]), interval(e["worst_low"], e["worst_high"]))
        for e in estimates
        if e["worst_low"] is not None
    )
    if rows:
        columns = (TableColumn("metric", words=True), TableColumn("interval"), TableColumn("worst case"))
        yield Table(caption="If every missing answer were what moves the interval most.", columns=columns, rows=rows)


def labeler_section(report: Report) -> Section:
    """Return who labeled how many units, and how far labelers agree."""
    people = sorted(report["labelers"]["labelers"], key=lambda one: (-one["units"], one["labeler"]))
    tables = (labeler_table(people[:MOST_LABELERS]), *gold_tables(report["estimates"])) if people else ()
    lines = (_agreement(report), *unlisted(people[MOST_LABELERS:]))
    return Section(key="labelers", title="Who labeled", lines=lines, tables=tables)


def labeler_table(people: Sequence[Found]) -> Table:
    """Return a table with one row per labeler."""
    columns = (
        TableColumn("labeler", words=True), TableColumn("units"), TableColumn("answers", words=True), TableColumn("cannot tell"),
        TableColumn("skipped"), TableColumn("median seconds"), TableColumn("agreement", words=True),
        TableColumn("gold accuracy", words=True),
    )  # fmt: skip
    return Table(
        caption="Agreement: with the first other labeler of a unit. Gold accuracy: against adjudicated answers. Limits at level 0.95.",
        columns=columns,
        rows=tuple(_labeler_row(one) for one in people),
    )


def unlisted(rest: Sequence[Found]) -> Iterator[str]:
    """Return a sentence about labelers beyond the table; nothing if there are none."""
    if rest:
        yield f"{plural(len(rest), 'more labeler')} answered {plural(sum(one['units'] for one in rest), 'unit')}."


def _labeler_row(one: Found) -> tuple[str, ...]:
    said = ", ".join(f"{name(answer)} {count(number)}" for answer, number in one["answers"].items()) or "not shown before the look"
    seconds = "not measured" if one["median_seconds"] is None else f"{one['median_seconds']:,.1f}"
    alike = (_alike(one["agreement"]), _alike(one["gold_accuracy"]))
    return (name(one["labeler"]), count(one["units"]), said, count(one["cannot_tell"]), count(one["skipped"]), seconds, *alike)


def _alike(found: Found) -> str:
    """Format a share of agreement with its limits and its denominator."""
    if found["value"] is None:
        return f"{UNKNOWN}, 0 of 0"
    return f"{share(found['value'])} ({interval(found['low'], found['high'])}), {count(found['same'])} of {count(found['units'])}"


def _agreement(report: Report) -> str:
    found, disputed = report["agreement"], report["labelers"]["disputed"]
    if found is None:
        return "No unit was answered by two labelers: how far they agree is unknown."
    kinds = (("kappa", found["kappa"]), ("AC1", found["ac1"]))
    each = ", ".join(f"{kind} {share(one['value'])} ({interval(one['low'], one['high'])})" for kind, one in kinds)
    observed = f"{share(found['observed']['value'])} of {plural(found['units'], 'unit')} seen by two or more"
    return f"Labelers agree on {observed}; {each}; {plural(disputed, 'unit')} disputed."


def gold_tables(estimates: Sequence[Found]) -> Iterator[Table]:
    """Yield what gold answers corrected; nothing if they corrected nothing."""
    several = len({whose(e) for e in estimates}) > 1
    rows = tuple((named(e, several=several), *_corrected(e)) for e in estimates if e["gold"])
    if rows:
        columns = (
            TableColumn("metric", words=True),
            *map(TableColumn, ("recorded", "recorded interval", "corrected", "interval", "gold answers")),
        )
        yield Table(caption="As the labels were recorded, and corrected by the gold answers.", columns=columns, rows=rows)


def _corrected(found: Found) -> tuple[str, ...]:
    told = share(found["told_value"]), interval(found["told_low"], found["told_high"])
    return (*told, share(found["value"]), interval(found["low"], found["high"]), count(found["gold"]))


def plan_section(report: Report) -> Section:
    """Return the current plan, the plans before it, and the looks."""
    plan, study = report["plan"], report["study"]
    looks = (
        "; ".join(f"at {plural(one['labels'], 'label')} of plan {one['plan']}, {_certified(one)}" for one in plan["looks"]) or "none yet"
    )
    facts = [
        ("plan", f"number {plan['number']}, made {moment(plan['at'])}"),
        ("hash", plan["hash"]),
        *plan_facts(plan, study["goals"], study["level"]),
        ("looks so far", looks),
        ("rule", RULES.get(study["rule"], study["rule"])),
        ("questions", ", ".join(map(name, study["questions"]))),
        *([("follows", str(study["follows"]))] if study["follows"] else []),
    ]
    return Section(key="plan", title="Plan", facts=tuple(facts), tables=_earlier(plan))


def plan_facts(plan: Found, goals: Sequence[str], level_: float) -> tuple[tuple[str, str], ...]:
    """Return what a plan locks, apart from its number and hash."""
    grown = "" if plan["grow_to"] is None else f", may grow to {count(plan['grow_to'])}"
    return (
        ("budget", f"{plural(plan['budget'], 'label')}{grown}"),
        ("goals", "; ".join(goals)),
        ("level", level(level_)),
        ("draw", f"{plan['design']}, {plural(plan['bands'], 'band')}"),
        ("interval", plan["interval"]),
        *([("columns", f"{', '.join(plan['assist'])}: they steady the estimates, and are not trusted")] if plan.get("assist") else []),
        ("stopping", plan["stopping"] or "when the budget is used"),
        ("promise", plan["promise"] or "none"),
    )


def _certified(look: Found) -> str:
    return "certified" if look["certified"] else "a peek"


def _earlier(plan: Found) -> tuple[Table, ...]:
    if not plan["earlier"]:
        return ()
    columns = (
        TableColumn("plan"),
        TableColumn("made", words=True),
        TableColumn("budget"),
        TableColumn("change", words=True),
        TableColumn("hash", words=True),
    )
    rows = tuple(
        (str(one["number"]), moment(one["at"]), plural(one["budget"], "label"), str(one["change"] or "none"), one["hash"])
        for one in plan["earlier"]
    )
    return (Table(caption="Earlier plans.", columns=columns, rows=rows),)


def population_section(report: Report) -> Section:
    """Return the units the study is about."""
    found = report["population"]
    judged = [(f"classifier {name(one['name'])}", _classifier(one, found["units"])) for one in found["classifiers"]]
    facts = [
        ("source", found["source"]),
        ("units", f"{count(found['units'])}, identified by {found['id']}"),
        *judged,
        ("slice columns", ", ".join(map(name, found["slices"])) or "none"),
        *([("weight", found["weight"])] if found["weight"] else []),
        ("guide of the draw", found["guide"] or "none"),
        ("fingerprint", found["fingerprint"]),
    ]
    return Section(key="population", title="Population", facts=tuple((title, str(text)) for title, text in facts))


def _classifier(one: Found, units: int) -> str:
    rule = (
        f"{name(one['score'])} at least {one['threshold']:.6g}"
        if one["predicted"] is None and one["score"]
        else f"column {name(str(one['predicted']))}"
    )
    return f"{rule}: {plural(one['flagged'], 'unit')} flagged ({percent(one['flagged'] / units if units else None)})"


def record_section(report: Report) -> Section:
    """Return how to make the report again, and what was checked."""
    found = report["record"]
    checked = found["verification"]
    said = f"passed: {', '.join(checked['checked'])}" if checked["passed"] else f"did not pass: {'; '.join(checked['findings'])}"
    facts = (
        ("verification", said),
        ("as of", moment(found["as_of"])),
        ("entries", count(found["entries"])),
        ("last hash", found["last_hash"]),
        ("salt", found["salt"]),
        ("number rule", found["number_rule"]),
        ("written by", f"fewlabels {report['fewlabels']}, {report['format']} version {report['version']}"),
    )
    return Section(key="reproduce", title="How to reproduce", facts=facts, commands=tuple(found["reproduce"]))


def left_section(report: Report) -> Section | None:
    """Return what could not be shown, and why."""
    left = tuple(f"{one['section']}: {one['why']}" for one in report["left_out"])
    return Section(key="left-out", title="What was left out, and why", bullets=left) if left else None


def record_sections(report: Report) -> Iterator[Section]:
    """Return all sections on what the results rest on, in reading order."""
    made = (
        coverage_section, warning_section, missing_section, labeler_section, plan_section, population_section, record_section, left_section
    )  # fmt: skip
    for make in made:
        section = make(report)
        if section is not None:
            yield section
