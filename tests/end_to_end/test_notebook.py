"""The example notebook goes from a DataFrame to a verdict in five cells, and what it shows can be read in light and in dark."""

import os
import re
from pathlib import Path
from typing import Any, Literal

import nbformat
import pytest
from nbclient import NotebookClient
from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser  # all on the worker that has it: the notebook is run once

NOTEBOOK = Path(__file__).parents[2] / "examples" / "notebook.ipynb"
CELLS = 5
# What JupyterLab says of the tables and lists in an output, and what would be seen if our style reached out or theirs reached in.
HOST = """
body { margin: 0; background: Canvas; color: CanvasText; }
.output { padding: 12px; }
.output table { table-layout: fixed; margin-left: auto; border: none; font-size: 12px; }
.output td, .output th, .output tr { text-align: right; vertical-align: middle; padding: 0.5em; white-space: normal; border: none; }
.output tbody tr:nth-child(odd) { background: rgb(200, 0, 0); }
.output dl dt { float: left; width: 20%; font-weight: bold; }
.output dl dd { margin-left: 20%; }
.output code { background: rgb(200, 0, 0); }
"""
Scheme = Literal["light", "dark"]
SCHEMES: tuple[Scheme, Scheme] = ("light", "dark")
# The contrast of every piece of text with the nearest background behind it, by WCAG 2.
CONTRAST = """
() => {
  const parts = c => c.match(/[\\d.]+/g).map(Number);
  const part = v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const lum = c => { const [r, g, b] = parts(c).slice(0, 3).map(v => part(v / 255)); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const back = e => getComputedStyle(e).backgroundColor;
  const behind = e => { while (e && (parts(back(e))[3] ?? 1) === 0) e = e.parentElement; return e ? back(e) : "rgb(255, 255, 255)"; };
  const found = [];
  for (const e of document.querySelectorAll(".fewlabels *")) {
    const own = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
    if (!own || !e.getClientRects().length) continue;
    const style = getComputedStyle(e), color = e instanceof SVGElement ? style.fill : style.color;
    const [a, b] = [lum(color), lum(behind(e))].sort((x, y) => y - x);
    found.push([(a + 0.05) / (b + 0.05), e.textContent.trim().slice(0, 40)]);
  }
  return found;
}
"""


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The notebook with its outputs, run in an empty folder."""
    found = nbformat.read(NOTEBOOK, as_version=4)
    assert all(not cell.get("outputs") and cell.get("execution_count") is None for cell in found.cells), "commit it without outputs"
    folder = str(tmp_path_factory.mktemp("notebook"))
    return NotebookClient(found, timeout=300, kernel_name="python3", resources={"metadata": {"path": folder}}).execute()


@pytest.fixture(scope="module")
def outputs(executed: Any) -> list[dict[str, str]]:
    """What each cell shows last: by kind of text."""
    code = [cell for cell in executed.cells if cell.cell_type == "code"]
    return [dict(cell.outputs[-1]["data"]) for cell in code]


def test_five_cells_end_in_a_verdict(outputs: list[dict[str, str]]) -> None:
    assert len(outputs) == CELLS
    assert re.match(r"(SHIP|DO NOT SHIP|LABEL MORE)\n- precision >= 0.8", outputs[-1]["text/plain"])
    assert re.search(r'class="word">(SHIP|DO NOT SHIP|LABEL MORE)<', outputs[-1]["text/html"])
    for shown in outputs[1:]:
        assert shown["text/html"].startswith("<style>")
        assert "object at 0x" not in shown["text/plain"]


def test_no_number_is_seen_before_the_look(outputs: list[dict[str, str]]) -> None:
    waiting, looked = outputs[2], outputs[3]
    assert "of 600 planned units labeled" in waiting["text/html"]
    for kind in ("text/html", "text/plain"):
        assert not re.search(r"interval<|effective n|±", waiting[kind])
        assert "effective" in looked[kind]
        assert "±" in looked[kind]


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("said", ["by the system", "by the notebook"])
def test_the_outputs_can_be_read(outputs: list[dict[str, str]], browser: Browser, tmp_path: Path, scheme: Scheme, said: str) -> None:
    """In the scheme of the system; where the notebook says another than the system, in the notebook's."""
    attribute = f'data-jp-theme-light="{"true" if scheme == "light" else "false"}"' if said == "by the notebook" else ""
    system: Scheme = scheme if said == "by the system" else SCHEMES[scheme == "light"]
    context = browser.new_context(viewport={"width": 960, "height": 900}, color_scheme=system)
    page, asked = context.new_page(), []
    page.on("request", lambda request: asked.append(request.url))
    shown = "\n".join(f'<div class="output">{one["text/html"]}</div>' for one in outputs[1:])
    head = f'<!doctype html><meta name="color-scheme" content="{scheme}"><style>{HOST}</style>'
    page.set_content(f'{head}<body {attribute}><table class="host"><tr><td>host</table>{shown}')
    page.screenshot(path=artifact(tmp_path, f"{scheme}-{said.split()[-1]}.png"), full_page=True)
    assert asked == []
    _check(page, scheme)
    context.close()


def _check(page: Page, scheme: str) -> None:
    paper = page.eval_on_selector(".fewlabels", "e => getComputedStyle(e).backgroundColor")
    assert paper == {"light": "rgb(255, 255, 255)", "dark": "rgb(22, 27, 34)"}[scheme]
    worst, text = min(page.evaluate(CONTRAST))
    assert worst >= 4.5, text
    assert page.evaluate("document.documentElement.scrollWidth") <= 960
    assert page.evaluate(
        "[...document.querySelectorAll('.fewlabels *')].every(e => getComputedStyle(e).backgroundColor !== 'rgb(200, 0, 0)')"
    )
    assert page.eval_on_selector(".host td", "e => getComputedStyle(e).paddingLeft") == "1px", "our style reached the notebook"
    grids = page.evaluate(
        "[...document.querySelectorAll('.fewlabels use')].map(e => document.querySelectorAll(e.getAttribute('href')).length)"
    )
    assert set(grids) == {1}, "a picture takes its grid from another result"


def test_a_narrow_output_becomes_cards(outputs: list[dict[str, str]], browser: Browser, tmp_path: Path) -> None:
    context = browser.new_context(viewport={"width": 400, "height": 800})
    page = context.new_page()
    page.set_content(f'<!doctype html><style>{HOST}</style><div class="output">{outputs[-1]["text/html"]}</div>')
    page.screenshot(path=artifact(tmp_path, "narrow.png"), full_page=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    assert page.eval_on_selector(".fewlabels table tbody tr", "e => getComputedStyle(e).display") == "grid"
    context.close()


def artifact(tmp_path: Path, name: str) -> Path:
    """Where a screenshot is kept."""
    folder = Path(os.environ.get("FEWLABELS_TEST_ARTIFACTS", tmp_path)) / "notebook"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / name
