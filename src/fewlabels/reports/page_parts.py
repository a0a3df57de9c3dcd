"""Sections of a report as HTML: headings, sentences, facts, tables whose rows carry a picture, commands."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from fewlabels.reports.figures import row_axis, row_picture, row_scale
from fewlabels.reports.markup import Element, add, tag
from fewlabels.reports.sections import Column, Section, Table

Group: TypeAlias = list[tuple[int, Column]]  # columns that share a place, each with its position
HASH = re.compile("[0-9a-f]{24,}")
GLYPHS = {"met": "✓", "not met": "✕", "open": "○"}  # beside the word, never instead of it
LEGEND = (
    "Bar: interval. Thin line: strict interval. Dot: value. Dashed line: target. Outer marks: the half-width that is wanted. A target is "
    "settled by the one-sided bound, which may lie inside the bar."
)
ROLES = {"table": "table", "thead": "rowgroup", "tbody": "rowgroup", "tr": "row", "th": "columnheader", "td": "cell"}
WIDE_FROM = 5  # columns from which a table becomes cards on a small screen


def section_html(section: Section, pictures: Iterable[Element]) -> Element:
    """One section with its pictures."""
    made = tag("section", tag("h2", section.title), id=section.key)
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
    """Names with what they are."""
    made = tag("dl", class_="facts")
    for title, text in pairs:
        add(made, tag("dt", title), tag("dd", tag("code", text) if HASH.fullmatch(text) else text))
    return made


def _folded(part: Table, key: str) -> Element:
    if part.folded is None:
        return table_html(part, key)
    return tag("details", tag("summary", part.folded), table_html(part, key))


def table_html(part: Table, key: str) -> Element:
    """A table; with marks, one of its columns is drawn. What becomes cards on a small screen says that it is a table all the same."""
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
    """A grid in place of a row hides from some readers that it is one."""
    for element in table.iter():
        role = "rowheader" if element.get("scope") == "row" else ROLES.get(element.tag)
        if role is not None:
            element.set("role", role)


def _grouped(columns: Sequence[Column]) -> list[Group]:
    """The columns that share a place: one, and those set under it."""
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
    """A name that may go on in the next line after an underscore."""
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
