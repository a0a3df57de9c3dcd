"""axe-core, which looks for what keeps people from reading a page: fetched once by npm, run inside the page."""

import os
import shutil
import subprocess
from pathlib import Path

from playwright.sync_api import Frame, Page

VERSION = "4.14.0"
LEVELS = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa")
ROOT = Path(__file__).parents[2]


def axe_source() -> str:
    """The text of axe-core, which npm brings."""
    kept = Path(os.environ.get("FEWLABELS_SERVICES_FOLDER", ROOT / ".services")) / f"axe-core-{VERSION}"
    script = kept / "node_modules" / "axe-core" / "axe.min.js"
    if not script.exists():
        npm = shutil.which("npm")
        assert npm is not None, "npm is missing, and it brings axe-core: run scripts/install-debian"
        fetched = kept.with_name(f"{kept.name}-{os.getpid()}")  # several processes may fetch it at once
        fetched.mkdir(parents=True)
        done = subprocess.run(
            [npm, "install", "--no-audit", "--no-fund", "--prefix", str(fetched), f"axe-core@{VERSION}"], capture_output=True, text=True
        )
        assert done.returncode == 0, f"npm could not fetch axe-core: {done.stderr}"
        try:
            fetched.rename(kept)
        except OSError:  # another process was first
            shutil.rmtree(fetched)
    return script.read_text(encoding="utf-8")


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
