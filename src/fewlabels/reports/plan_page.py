"""The planning picture: one self-contained page with sliders for labels, prevalence and level that shows how the interval narrows.

Plain data goes into the page as JSON; HTML is never assembled from text by hand. The page allows no
network, no storage and no frame of its own, so it works offline, in a mail and inside a sandboxed viewer.
"""

import html
import json
import re
from collections.abc import Mapping, Sequence
from importlib.resources import files

from fewlabels.nouns.canonical import Json
from fewlabels.reports.design import DESIGN

WIDTHS = "widths.js"
"""What the page and the workbench say of a picture; the service serves the same file."""


def plan_page(picture: Mapping[str, Json]) -> str:
    """Return the page of a picture (`study/plan/chart.py` makes one)."""
    template, widths, design = (
        files("fewlabels.reports").joinpath(name).read_text(encoding="utf-8") for name in ("plan_page.html", WIDTHS, DESIGN)
    )
    data = json.dumps(picture, ensure_ascii=False, allow_nan=False).replace("<", "\\u003c")
    script = re.sub("^export ", "", widths, flags=re.MULTILINE)  # no module: the page is one file
    return (
        template.replace("/*DESIGN*/", design).replace("/*WIDTHS*/", script).replace("<!--ROWS-->", _rows(picture)).replace('"DATA"', data)
    )


def _rows(picture: Mapping[str, Json]) -> str:
    """Return the table for print, mail and readers without scripts: half-widths at every number of labels, if scores are calibrated."""
    lines: list[str] = []
    goals = picture["goals"]
    assert isinstance(goals, Sequence)
    for goal in goals:
        assert isinstance(goal, Mapping)
        for n, chosen, uniform in zip(*(_floats(goal[name]) for name in ("labels", "shown_chosen", "shown_uniform")), strict=True):
            lines.append(
                f"<tr><td>{html.escape(str(goal['goal']))}</td><td>{n:,.0f}</td><td>&plusmn;{chosen:.3f}</td><td>&plusmn;{uniform:.3f}</td></tr>"
            )
    return "\n".join(lines)


def _floats(values: Json) -> list[float]:
    assert isinstance(values, Sequence)
    return [float(value) for value in values if isinstance(value, int | float)]
