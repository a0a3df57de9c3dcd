"""The report as one page: self-contained, no network, a strict content policy, readable without scripts, in print and in dark mode.

Everything is in the page as text, tables and inline pictures; its one script only drives the sliders. Style and script are allowed by
their hashes, so nothing else can run, whatever a name contains.
"""

import base64
import hashlib
import html
import json
import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from fewlabels.nouns.canonical import Json
from fewlabels.reports.design import DESIGN
from fewlabels.reports.formatting import count, level, moment, name, percent, readable
from fewlabels.reports.markup import Element, add, tag, written
from fewlabels.reports.page_parts import alarm, section_html, strip, verdict_card
from fewlabels.reports.page_pictures import PICTURES, page_data
from fewlabels.reports.record_sections import record_sections
from fewlabels.reports.result_sections import alarms, is_peek, reasons, result_sections, verdict
from fewlabels.reports.sections import Section

PLACE = re.compile(r"\{\{(\w+)\}\}")


def report_page(report: Mapping[str, Json]) -> str:
    """Return the page of a report (`study/report/build.py` makes one)."""
    found = readable(report)
    sections = [*result_sections(found), *record_sections(found)]
    style, script = _file(DESIGN) + _file("report_page.css"), _file("report_page.js")
    parts = {
        "policy": html.escape(_policy(style, script)),
        "title": html.escape(f"{verdict(found)}: {name(found['study']['name'])}, fewlabels report"),
        "style": style,
        "body": written([_head(found), _main(found, sections)]),
        "data": json.dumps(page_data(found), ensure_ascii=False, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c"),
        "script": script,
    }
    return PLACE.sub(lambda place: parts[place[1]], _file("report_page.html"))  # in one pass: inserted text is not scanned again


def _file(called: str) -> str:
    return files("fewlabels.reports").joinpath(called).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    """Return the content policy that allows only this style and this script."""
    said = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (style, script)]
    return f"default-src 'none'; style-src 'sha256-{said[0]}'; script-src 'sha256-{said[1]}'; base-uri 'none'; form-action 'none'"


def _head(report: Mapping[str, Any]) -> Element:
    at = tag("span", f"as of {moment(report['record']['as_of'])}", class_="soft")
    return tag("header", tag("span", "fewlabels", class_="brand"), tag("span", "report", class_="soft"), at, class_="top")


def _main(report: Mapping[str, Any], sections: Sequence[Section]) -> Element:
    made = tag("main", tag("h1", name(report["study"]["name"], 200)))
    add(made, *map(alarm, alarms(report)))
    add(made, _card(report), _strip(report), _contents(sections))
    for section in sections:
        draw = PICTURES.get(section.key)
        add(made, section_html(section, draw(report) if draw else ()))
    return made


def _card(report: Mapping[str, Any]) -> Element:
    return verdict_card(verdict(report), report["verdict"]["next"], reasons(report), is_peek=is_peek(report))


def _strip(report: Mapping[str, Any]) -> Element:
    """Return the sizes behind the results, in a row."""
    done, population = report["progress"], report["population"]
    judged = population["classifiers"]
    flagged = (count(judged[0]["flagged"]), f"units flagged, {percent(judged[0]['flagged'] / max(1, population['units']))}")
    pairs = [
        (count(population["units"]), "units in the population"),
        flagged if len(judged) == 1 else (count(len(judged)), "classifiers"),
        (count(done["labels"]), f"of {count(done['planned'])} planned units labeled"),
        (count(done["answered"]), "usable answers"),
        (level(report["study"]["level"]), "level"),
    ]
    return strip(pairs)


def _contents(sections: Sequence[Section]) -> Element:
    return tag("nav", *(tag("a", section.title, href=f"#{section.key}") for section in sections), aria_label="On this page")
