"""axe-core, which looks for what keeps people from reading a page: part of axe-playwright-python, run inside the page."""

from importlib.resources import files

from playwright.sync_api import Frame, Page

LEVELS = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa")


def axe_source() -> str:
    """The text of axe-core."""
    return files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")


LOOK = """
async levels => {
  const found = await axe.run({ runOnly: { type: "tag", values: levels }, resultTypes: ["violations"], preload: false });
  const said = one => one.nodes.map(node => `${one.id} (${one.impact}): ${node.html.slice(0, 120)} ${node.failureSummary.slice(0, 300)}`);
  return [found.passes.length, found.violations.flatMap(said)];
}
"""


def violations(page: Page | Frame, source: str) -> list[str]:
    """What axe-core finds at levels A and AA, one line each: the rule, and where.

    The script is put in by the driver of the browser, which the page's content policy does not bind: the policy stays as it is.
    """
    page.evaluate(source)
    passed, found = page.evaluate(LOOK, list(LEVELS))
    assert passed > 10, f"axe-core found only {passed} rules to hold a page against"
    return list(found)
