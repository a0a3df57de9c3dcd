"""The report as plain text for a terminal or a mail: at most 100 characters wide, no color codes."""

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from fewlabels.nouns.canonical import Json
from fewlabels.reports.formatting import moment, name, readable
from fewlabels.reports.record_sections import record_sections
from fewlabels.reports.result_sections import alarms, is_peek, reasons, result_sections, verdict
from fewlabels.reports.sections import Section, Table

WIDTH, NAMES = 100, 20  # characters: a line, and the minimum for a column of names
PAGE_ONLY = ("convergence",)
WITHOUT_TABLES = ("budgets",)
PIECES = re.compile(r"[^\s-]+-?")  # parts of a title, which may be broken at a space or after a hyphen


def report_text(report: Mapping[str, Json]) -> str:
    """Return the plain text of a report (`study/report/build.py` makes one)."""
    found = readable(report)
    peek = " (a peek, not certified)" if is_peek(found) else ""
    lines = [*wrapped(f"{verdict(found)}{peek}: {name(found['study']['name'], 200)}"), "=" * WIDTH, *wrapped(found["verdict"]["next"])]
    for alarm in alarms(found):
        lines += ["", *wrapped(f"WARNING: {alarm}")]
    for reason in reasons(found):
        lines += bullet(reason)
    for section in [*result_sections(found), *record_sections(found)]:
        if section.key not in PAGE_ONLY:
            lines += ["", *_section(section)]
    lines += ["", f"as of {moment(found['record']['as_of'])}, written by fewlabels {found['fewlabels']}"]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def wrapped(text: str, first: str = "", rest: str = "") -> list[str]:
    """Return the text in lines of at most WIDTH characters."""
    return textwrap.wrap(text, WIDTH, initial_indent=first, subsequent_indent=rest) or [first.rstrip()]


def bullet(text: str) -> list[str]:
    """Return the text as a bullet."""
    return wrapped(text, "- ", "  ")


def _section(section: Section) -> Iterator[str]:
    yield from (section.title, "-" * len(section.title))
    for line in section.lines:
        yield from wrapped(line)
    for line in section.bullets:
        yield from bullet(line)
    yield from fact_lines(section.facts)
    for table in section.tables if section.key not in WITHOUT_TABLES else ():
        yield from ("", *table_lines(table))
    for line in section.notes:
        yield from wrapped(line)
    if section.commands:
        yield from ("", *(f"  {command}" for command in section.commands))


def fact_lines(facts: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Return names with their values, aligned."""
    widest = max((len(title) for title, _ in facts), default=0)
    for title, text in facts:
        yield from wrapped(text, f"{title.ljust(min(widest, 40))}  ", " " * (min(widest, 40) + 2))


def table_lines(table: Table) -> Iterator[str]:
    """Return aligned columns; names on their own lines if they leave no room, running text if the numbers do not fit either."""
    if table.folded is not None:
        yield f"{table.folded}:"
    if table.caption:
        yield from wrapped(table.caption)
    cells = zip(table.columns, *table.rows, strict=True)
    widths = [max(len(text) for text in (*PIECES.findall(column.title), *column_cells)) for column, *column_cells in cells]
    room = {gap: WIDTH - sum(widths[1:]) - gap * (len(widths) - 1) for gap in (2, 1)}
    if room[2] >= min(widths[0], NAMES):
        yield from _aligned(table, [min(widths[0], room[2]), *widths[1:]], gap=2)
    elif room[1] >= 1:
        yield from _apart(table, widths, gap=2 if room[2] >= 1 else 1)
    else:
        yield from _prose(table)


def _prose(table: Table) -> Iterator[str]:
    for row in table.rows:
        yield from wrapped(row[0])
        said = ", ".join(f"{column.title} {cell}" for column, cell in zip(table.columns[1:], row[1:], strict=True))
        yield from wrapped(said, "    ", "    ")


def _aligned(table: Table, widths: Sequence[int], *, gap: int) -> Iterator[str]:
    columns = ColumnWidths(widths, [column.words for column in table.columns], gap)
    yield from columns.heading([column.title for column in table.columns])
    for row in table.rows:
        called = textwrap.wrap(row[0], widths[0]) or [""]
        yield columns.line([called[0], *row[1:]])
        yield from called[1:]


def _apart(table: Table, widths: Sequence[int], *, gap: int) -> Iterator[str]:
    columns = ColumnWidths([0, *widths[1:]], [column.words for column in table.columns], gap)
    yield from columns.heading(["", *(column.title for column in table.columns[1:])])
    for row in table.rows:
        yield from wrapped(row[0])
        yield columns.line(["", *row[1:]])


class ColumnWidths(NamedTuple):
    """The width of each column, which of them hold words, and the separator."""

    widths: Sequence[int]
    words: Sequence[bool]
    gap: int

    def heading(self, titles: Sequence[str]) -> Iterator[str]:
        """Return titles broken to the width of their columns, aligned at the bottom."""
        broken = [textwrap.wrap(title, max(1, width)) or [""] for title, width in zip(titles, self.widths, strict=True)]
        tallest = max(map(len, broken))
        for k in range(tallest):
            yield self.line([lines[k - tallest + len(lines)] if k >= tallest - len(lines) else "" for lines in broken])

    def line(self, cells: Sequence[str]) -> str:
        """Return one row."""
        placed = zip(cells, self.widths, self.words, strict=True)
        return (" " * self.gap).join(cell.ljust(width) if left else cell.rjust(width) for cell, width, left in placed)
