"""The report as Markdown for a pull request or a launch review (GitHub's dialect): no name becomes a link, a mention or a tag."""

import html
import re
from collections.abc import Iterator, Mapping, Sequence

from fewlabels.nouns.canonical import Json
from fewlabels.reports.formatting import moment, name, readable
from fewlabels.reports.record_sections import record_sections
from fewlabels.reports.result_sections import alarms, is_peek, reasons, result_sections, verdict
from fewlabels.reports.sections import Section, Table

MARKS = {"SHIP": "✅", "DO NOT SHIP": "🛑", "LABEL MORE": "📝", "UNDECIDED": "❔", "NO VERDICT YET": "⏳"}
PAGE_ONLY = ("convergence",)  # sections that consist of pictures
WITHOUT_TABLES = ("budgets",)
SPECIAL = re.compile(r"([\\`*\[\]|~$]|(?<!\w)_|_(?!\w)|^[#+=-]|^\d+(?=[.)]\s))")
QUIET = "\u200b"  # a zero-width space: breaks what would become a mention, a reference or a link
LINKED = re.compile(r"(?<=@)(?=\w)|(?<=#)(?=\d)|(?<=\w:)(?=/)|(?<=www)(?=\.)|(?<=\bGH-)(?=\d)", re.IGNORECASE)
HASH = re.compile("[0-9a-f]{24,}")


def report_markdown(report: Mapping[str, Json]) -> str:
    """Return the Markdown of a report (`study/report/build.py` makes one)."""
    found = readable(report)
    word = verdict(found)
    peek = " (a peek, not certified)" if is_peek(found) else ""
    lines = [
        f"## {MARKS.get(word, '❔')} {word}{peek}: {escaped(name(found['study']['name'], 200))}",
        "",
        f"**{escaped(found['verdict']['next'])}**",
    ]
    for alarm in alarms(found):
        lines += ["", "> [!WARNING]", f"> {escaped(alarm)}"]
    lines += ["", *(f"- {escaped(reason)}" for reason in reasons(found))]
    for section in [*result_sections(found), *record_sections(found)]:
        if section.key not in PAGE_ONLY:
            lines += ["", *_section(section)]
    lines += ["", f"As of {moment(found['record']['as_of'])}, written by fewlabels {escaped(found['fewlabels'])}."]
    return re.sub("\n{3,}", "\n\n", "\n".join(lines)).strip() + "\n"


def escaped(text: str) -> str:
    """Escape text so that Markdown shows it as it is."""
    return SPECIAL.sub(_backslashed, _unlinked(text))


def _backslashed(found: re.Match[str]) -> str:
    """Escape a character; for a number that would begin a list, the point."""
    return f"{found[0]}\\" if found[0].isdigit() else f"\\{found[0]}"


def _unlinked(text: str) -> str:
    """Escape text for HTML so that nothing becomes a link."""
    return html.escape(LINKED.sub(QUIET, text), quote=False)


def code(text: str) -> str:
    """Return text in a code span that it cannot close."""
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    return f"{fence}{' ' if '`' in text else ''}{text}{' ' if '`' in text else ''}{fence}"


def _section(section: Section) -> Iterator[str]:
    yield f"### {section.title}"
    for line in section.lines:
        yield from ("", escaped(line))
    if section.bullets:
        yield from ("", *(f"- {escaped(line)}" for line in section.bullets))
    if section.facts:
        yield from ("", *(f"- {escaped(title)}: {code(text) if HASH.fullmatch(text) else escaped(text)}" for title, text in section.facts))
    for table in section.tables if section.key not in WITHOUT_TABLES else ():
        yield from ("", *_table(table))
    for line in section.notes:
        yield from ("", escaped(line))
    if section.commands:
        fence = "`" * max(3, 1 + max(len(run) for command in section.commands for run in ["", *re.findall("`+", command)]))
        yield from ("", f"{fence}bash", *section.commands, fence)


def _table(table: Table) -> Iterator[str]:
    if table.folded is not None:
        yield from ("<details>", f"<summary>{_unlinked(table.folded)}</summary>", "")
    if table.caption:
        yield from (escaped(table.caption), "")
    yield _row([column.title for column in table.columns])
    yield "|" + "|".join(":--" if column.words else "--:" for column in table.columns) + "|"
    for row in table.rows:
        yield _row(row)
    if table.folded is not None:
        yield from ("", "</details>")


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(escaped(cell) for cell in cells) + " |"
