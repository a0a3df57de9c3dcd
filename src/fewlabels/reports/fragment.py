"""One result as an HTML fragment, for a notebook: it is drawn by the code of the report, and its style affects nothing around it.

The fragment is self-contained: no script, no address, no font. It is light or dark as the notebook is, else as the system is.
Where HTML is not shown, the same fragment is plain text.
"""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from fewlabels.reports.design import DESIGN
from fewlabels.reports.markup import Element, add, tag, written
from fewlabels.reports.page_parts import LEGEND, alarm, section_html, strip, verdict_card
from fewlabels.reports.report_text import bullet, fact_lines, table_lines, wrapped
from fewlabels.reports.sections import Section

NAME = "fewlabels"  # the class of the outermost element
SCOPE = f".{NAME}.{NAME}"  # twice, to override the notebook's own rules for tables and lists
TEXT_SIZE, NARROW = "14px", "620px"
PAGE_ONLY = (":root", "html", "body", "main", "nav", ".top", ".brand", "h1", ".slider", ".controls", "section[id]")
LIGHT = ('[data-jp-theme-light="true"]', ".vscode-light", '[theme="light"]')  # how JupyterLab, VS Code and Colab mark it
DARK = ('[data-jp-theme-light="false"]', ".vscode-dark", ".vscode-high-contrast", '[theme="dark"]')
RULE = re.compile(r"(?P<media>@media[^{]*)\{|(?P<who>[^{}@]+)\{(?P<what>[^{}]*)\}|(?P<end>\})")
COMMA = re.compile(r",\s*(?![^()]*\))")  # outside of parentheses


class Verdict(NamedTuple):
    """A verdict in a word, what to do next, and why."""

    word: str
    lead: str
    reasons: tuple[str, ...] = ()
    is_peek: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Fragment:
    """What a result shows.

    title     what it is
    alarms    what a reader must see before the numbers
    sizes     numbers in a row, each with what it counts
    progress  how many of how many are done; None: nothing is in progress
    figures   pictures above the sections
    sections  sentences, facts and tables; notes are folded away
    """

    title: str
    verdict: Verdict | None = None
    alarms: tuple[str, ...] = ()
    sizes: tuple[tuple[str, str], ...] = ()
    progress: tuple[int, int] | None = None
    figures: tuple[Element, ...] = ()
    sections: tuple[Section, ...] = ()


def fragment_html(shown: Fragment) -> str:
    """Return the fragment as HTML, with its style."""
    text = fragment_text(shown)
    key = f"{NAME}-{hashlib.sha256(text.encode()).hexdigest()[:12]}"  # pictures have ids on the page: two results must not share one
    made = tag("div", tag("p", shown.title, class_="title"), *map(alarm, shown.alarms), class_=NAME)
    if shown.verdict is not None:
        word, lead, reasons, is_peek = shown.verdict
        add(made, verdict_card(word, lead, reasons, is_peek=is_peek))
    add(made, strip(shown.sizes) if shown.sizes else None, _progress(shown), *shown.figures)
    for i, section in enumerate(shown.sections):
        drawn = section_html(replace(section, key=f"{key}-{i}", bullets=(), notes=()), ())
        add(made, add(drawn, _bullets(section), _folded(section)))
    return f"<style>{style()}</style>\n{written([made])}"


def _progress(shown: Fragment) -> Element | None:
    if shown.progress is None:
        return None
    done, planned = shown.progress
    width = f"{100 * min(1.0, done / max(1, planned)):.1f}%"
    bars = (tag("rect", class_=kind, width=w, height="10", rx="5") for kind, w in (("far", "100%"), ("done", width)))
    return tag("svg", *bars, class_="progress", role="img", aria_label=f"{done:,} of {planned:,}")


def _bullets(section: Section) -> Element | None:
    """Return the notes below the tables."""
    return tag("ul", *(tag("li", line) for line in section.bullets), class_="reasons") if section.bullets else None


def _folded(section: Section) -> Element | None:
    if not section.notes:
        return None
    legend = [LEGEND] if any(table.marks for table in section.tables) else []
    notes = (tag("p", line, class_="soft small") for line in (*legend, *section.notes))
    return tag("details", tag("summary", "How to read this", class_="small"), *notes)


def fragment_text(shown: Fragment) -> str:
    """Return the same as plain text, at most 100 characters wide."""
    lines = [*wrapped(shown.title)]
    if shown.verdict is not None:
        peek = " (a peek, not certified)" if shown.verdict.is_peek else ""
        lines += wrapped(f"{shown.verdict.word}{peek}. {shown.verdict.lead}".rstrip())
        lines += [line for reason in shown.verdict.reasons for line in bullet(reason)]
    lines += [line for text in shown.alarms for line in wrapped(f"WARNING: {text}")]
    lines += wrapped(", ".join(f"{number} {words}" for number, words in shown.sizes)) if shown.sizes else []
    for section in shown.sections:
        lines += _section_lines(section)
    return "\n".join(line.rstrip() for line in lines)


def _section_lines(section: Section) -> Iterator[str]:
    for line in section.lines:
        yield from wrapped(line)
    for table in section.tables:
        yield from table_lines(table)
    yield from fact_lines(section.facts)
    for line in section.bullets:
        yield from bullet(line)


@cache
def style() -> str:
    """Return the design and the style of the report page, confined to the fragment."""
    page, own = _file(DESIGN) + _file("report_page.css"), _file("fragment.css")
    light, dark = (_variables(page, at) for at in (0, page.index("prefers-color-scheme: dark")))
    themes = [
        f"{SCOPE} {{ color-scheme: light; {light} }}",
        f"@media (prefers-color-scheme: dark) {{ {SCOPE} {{ color-scheme: dark; {dark} }} }}",
        f"{', '.join(f'{one} {SCOPE}' for one in LIGHT)} {{ color-scheme: light; {light} }}",
        f"{', '.join(f'{one} {SCOPE}' for one in DARK)} {{ color-scheme: dark; {dark} }}",
    ]
    return "\n".join([*themes, scoped(page), scoped(own)])


def _file(called: str) -> str:
    text = files("fewlabels.reports").joinpath(called).read_text(encoding="utf-8")
    return re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)


def _variables(css: str, at: int) -> str:
    """Return the colors that the first :root after a position sets."""
    found = re.compile(r":root\s*\{([^{}]*)\}").search(css, at)
    assert found is not None
    return " ".join(re.findall(r"--[\w-]+:[^;]+;", found[1]))


def scoped(css: str) -> str:
    """Return the rules confined to the fragment, without those for the page itself and for print, and with the fragment's own sizes."""
    made: list[str] = []
    media = ""
    for found in RULE.finditer(css):
        if found["media"]:
            media = found["media"].strip()
            made += [f"@container (max-width: {NARROW}) {{"] if "max-width" in media else []
        elif found["end"]:
            made += ["}"] if "max-width" in media else []
            media = ""
        elif not media or "max-width" in media:
            made += _scoped_rule(found["who"], found["what"])
    return "\n".join(made)


def _scoped_rule(who: str, what: str) -> Iterator[str]:
    kept = [one for one in COMMA.split(who.strip()) if not re.split(r"[ >]", one)[0].startswith(PAGE_ONLY)]
    if kept:
        sized = re.sub(r"(\d*\.?\d+)rem", rf"calc(\1 * {TEXT_SIZE})", " ".join(what.split()))
        within = (SCOPE if one == ":scope" else f"{SCOPE} {one}" for one in kept)
        yield f"{', '.join(within)} {{ {sized} }}"
