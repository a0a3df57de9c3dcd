"""Sections of a report as HTML: headings, sentences, facts, tables whose rows carry a picture, commands."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from fewlabels.reports.figures import row_axis, row_picture, row_scale
from fewlabels.reports.markup import Element, add, tag
from fewlabels.reports.sections import Section, Table, TableColumn

Group: TypeAlias = list[tuple[int, TableColumn]]  # columns that share a cell, each with its position
HASH = re.compile("[0-9a-f]{24,}")
GLYPHS = {"met": "✓", "not met": "✕", "open": "○"}  # beside the word, never instead of it
SHAPES = {  # one shape per verdict, in a box of 48 by 48: color is never the only distinction
    "SHIP": ("M24 4a20 20 0 1 0 .01 0z", "M14 25l7 7 13-15"),
    "DO NOT SHIP": ("M15.7 4h16.6L44 15.7v16.6L32.3 44H15.7L4 32.3V15.7z", "M16 16l16 16M32 16L16 32"),
    "LABEL MORE": ("M9 5h30a4 4 0 0 1 4 4v30a4 4 0 0 1-4 4H9a4 4 0 0 1-4-4V9a4 4 0 0 1 4-4z", "M24 14v20M14 24h20"),
    "UNDECIDED": ("M24 3l21 21-21 21L3 24z", "M19.5 19.5a4.5 4.5 0 1 1 6.6 4c-1.4.8-2.1 1.7-2.1 3.5M24 32v.5"),
    "NO VERDICT YET": ("M24 4a20 20 0 1 0 .01 0z", "M24 13v12l8 5"),
}
LEGEND = (
    "Bar: interval. Dot: value. Dashed line: target. Outer marks: the half-width wanted. A target is decided by the one-sided bound, "
    "which may lie inside the bar."
)
ROLES = {"table": "table", "thead": "rowgroup", "tbody": "rowgroup", "tr": "row", "th": "columnheader", "td": "cell"}
WIDE_FROM = 5  # columns from which a table becomes cards on a small screen


def verdict_card(word: str, lead: str, reasons: Sequence[str], *, is_peek: bool = False) -> Element:
    """Return a verdict: its word and its shape, what to do next, and why."""
    outline, sign = SHAPES.get(word, SHAPES["UNDECIDED"])
    shape = tag(
        "svg", tag("path", class_="outline", d=outline), tag("path", class_="sign", d=sign), viewBox="0 0 48 48", aria_hidden="true"
    )
    peek = tag("span", "a peek, not certified", class_="peek") if is_peek else None
    told = tag("div", tag("p", word, peek, class_="word"), tag("p", lead, class_="next") if lead else None)
    if reasons:
        add(told, tag("ul", *(tag("li", reason) for reason in reasons), class_="reasons"))
    return tag("section", shape, told, class_=f"verdict {word.lower().replace(' ', '-')}", aria_label="Verdict")


def strip(pairs: Iterable[tuple[str, str]]) -> Element:
    """Return numbers in a row, each above what it counts."""
    return tag("dl", *(tag("div", tag("dt", words), tag("dd", number)) for number, words in pairs), class_="strip")


def alarm(text: str) -> Element:
    """Return a warning that a reader must see before the numbers."""
    return tag("p", tag("strong", "Warning. "), text, class_="alarm", role="alert")


def section_html(section: Section, pictures: Iterable[Element]) -> Element:
    """Return one section with its pictures."""
    made = tag("section", tag("h2", section.title) if section.title else None, id=section.key)
    add(made, *(tag("p", line) for line in section.lines))
    if section.bullets and section.key != "budgets":  # there the pictures say it
        add(made, tag("ul", *(tag("li", line) for line in section.bullets)))
    if section.facts:
        add(made, facts(section.facts))
    add(made, *pictures)
    for i, part in enumerate(section.tables):
        add(made, _folded(part, f"{section.key}-{i}"))
    if section.commands:
        add(made, tag("pre", tag("code", "\n".join(section.commands))))
    notes = (LEGEND, *section.notes) if section.notes else ()
    add(made, *(tag("p", line, class_="soft small") for line in notes))
    return made


def facts(pairs: Iterable[tuple[str, str]]) -> Element:
    """Return names with their values."""
    made = tag("dl", class_="facts")
    for title, text in pairs:
        add(made, tag("dt", title), tag("dd", tag("code", text) if HASH.fullmatch(text) else text))
    return made


def _folded(part: Table, key: str) -> Element:
    if part.folded is None:
        return table_html(part, key)
    return tag("details", tag("summary", part.folded), table_html(part, key))


def table_html(part: Table, key: str) -> Element:
    """Return a table; with marks, one of its columns is drawn. On a small screen it becomes cards, but keeps the ARIA roles of a table."""
    groups = _grouped(part.columns)
    found = row_scale(part.marks) if part.marks else None
    head = [_heading(group) for group in groups]
    if found is not None:
        head.insert(1, tag("th", tag("span", "picture", class_="unseen"), row_axis(found, key), scope="col", class_="picture"))
    rows = [tag("tr", *head)]
    for k, row in enumerate(part.rows):
        cells = [_cell(group, row, first=i == 0, state=part.states[k] if part.states else None) for i, group in enumerate(groups)]
        if found is not None:
            cells.insert(1, tag("td", row_picture(part.marks[k], found, key), class_="picture"))
        rows.append(tag("tr", *cells))
    table = tag("table", tag("thead", rows[0]), tag("tbody", *rows[1:]), class_="stack" if len(groups) >= WIDE_FROM else "slim")
    said = tag("p", part.caption, class_="caption", id=f"{key}-said") if part.caption else None
    table.set(*("aria-labelledby", f"{key}-said") if said is not None else ("aria-label", part.folded or "Numbers"))
    if len(groups) >= WIDE_FROM:
        _say_roles(table)
    narrow = tag("div", row_axis(found), class_="narrow", aria_hidden="true") if found is not None else None
    return tag("div", said, narrow, table, class_="table")


def _say_roles(table: Element) -> None:
    """Set the ARIA roles: some screen readers do not recognize a table laid out as a grid."""
    for element in table.iter():
        role = "rowheader" if element.get("scope") == "row" else ROLES.get(element.tag)
        if role is not None:
            element.set("role", role)


def _grouped(columns: Sequence[TableColumn]) -> list[Group]:
    """Yield the columns that share a cell: one, and those set under it."""
    groups: list[Group] = []
    for i, column in enumerate(columns):
        if column.under and groups:
            groups[-1].append((i, column))
        else:
            groups.append([(i, column)])
    return groups


def _heading(group: Group) -> Element:
    (_, column), *below = group
    made = tag("th", column.title, scope="col", class_="words" if column.words else None)
    return add(made, *(tag("span", one.title, class_="under") for _, one in below))


def _breakable(text: str) -> Iterator[Element | str]:
    """Return a name that may be broken after an underscore."""
    first, *rest = text.split("_")
    yield first
    for part in rest:
        yield from ("_", tag("wbr"), part)


def _cell(group: Group, row: Sequence[str], *, first: bool, state: str | None) -> Element:
    (i, column), *below = group
    named = " / ".join(one.title for _, one in group)
    if first:
        made = tag("th", *_breakable(row[i]), scope="row", class_=None if column.words else "number")
    else:
        made = tag("td", row[i], data_name=named, class_="words" if column.words else None)
    for j, _ in below:
        glyph = tag("span", f"{GLYPHS.get(row[j], '')} ", aria_hidden="true") if first and state else None
        add(made, tag("span", glyph, row[j], class_=f"under state {state.replace(' ', '-')}" if first and state else "under"))
    return made
