"""The pages that are made from code are up to date, and hold every public name and command; figures cited are those measured."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType

import pytest

import fewlabels
from fewlabels.cli.main import COMMANDS, GROUPS

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def load(name: str) -> ModuleType:
    """A script as a module."""
    spec = spec_from_loader(f"script_{name}", SourceFileLoader(f"script_{name}", str(ROOT / "scripts" / name)))
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_reference_is_up_to_date() -> None:
    done = subprocess.run([sys.executable, "scripts/reference", "--check"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_reference_holds_every_name_and_command() -> None:
    api, commands = ((DOCS / "reference" / name).read_text() for name in ("api.md", "commands.md"))
    assert [name for name in fewlabels.__all__ if f"\n## {name}\n" not in api] == []
    assert [name for name in [*COMMANDS, *GROUPS] if not re.search(rf"\n#+ fewlabels {name}\n", commands)] == []
    assert commands.count("\n## fewlabels status\n") == commands.count(" fewlabels status\n") == 1  # though a group has it too
    assert "--smallest-take" in commands  # which --help leaves out
    assert "\n### fewlabels ledger copy\n" in commands
    assert "\n### Study.estimate\n" in api  # of a parent of Study


def test_a_page_that_differs_is_noticed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = load("reference")
    script.__dict__["PAGES"] = tmp_path
    assert script.main([]) == 0
    assert script.main(["--check"]) == 0
    (tmp_path / "results.md").write_text("old")
    (tmp_path / "commands.md").unlink()
    assert script.main(["--check"]) == 1
    assert capsys.readouterr().out == "out of date: results.md, commands.md in docs/reference; run scripts/reference\n"


def test_a_docstring_becomes_markdown() -> None:
    prose: Callable[[str], str] = load("reference").prose
    text = """Says it.

    low     the low end,
            of both

    Example:
        >>> 1 + 1
        2

        >>> 2 + 2
        4

    More.
    """
    fenced = "```python\n>>> 1 + 1\n2\n\n>>> 2 + 2\n4\n```"
    assert prose(text) == f"Says it.\n\n- `low`: the low end, of both\n\n**Example**\n\n{fenced}\n\nMore."


def test_pictures_and_the_figures_they_print_are_up_to_date(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = load("pictures")
    script.__dict__["FOLDER"] = tmp_path
    script.main()
    kept = {p.name: p.read_text() for p in (DOCS / "pictures").glob("*.svg") if p.name != "structure.svg"}  # drawn by scripts/structure
    assert {p.name: p.read_text() for p in tmp_path.iterdir()} == kept
    printed = capsys.readouterr().out
    found = re.search(r"some look from 30 on ([\d.]+)", printed)
    assert found is not None
    ever = float(found[1])
    assert f"{ever:.1%}".replace("%", " %") in (DOCS / "concepts" / "peeking.md").read_text()


@pytest.mark.parametrize("picture", sorted((DOCS / "pictures").glob("*.svg")), ids=lambda path: path.stem)
def test_every_picture_is_shown_with_words_for_those_who_cannot_see_it(picture: Path) -> None:
    shown = re.findall(rf"!\[([^\]]*)\]\([./]*pictures/{picture.name}\)", "".join(page.read_text() for page in DOCS.rglob("*.md")))
    assert shown
    assert all(len(words) > 40 for words in shown)


# interval, design -> the row of docs/which-method.md
ROWS = {
    ("rec", "bands"): "rec (`--trust-scores`), bands, 500 labels",
    ("strict", "bands"): "strict, bands, 500 labels",
    ("midp", "bands"): "midp, bands, 500 labels",
    ("wald", "bands"): "Wald, bands, 500 labels",
    ("wald", "simple"): "Wald, simple draw, 500 labels",
    ("bootstrap", "bands"): "bootstrap, bands, 500 labels",
    ("wilson", "simple"): "Wilson, simple draw, 500 labels",
    ("clopper_pearson", "simple"): "Clopper-Pearson, simple draw, 500 labels",
}


@pytest.mark.parametrize(("interval", "design"), ROWS, ids=lambda name: name)
def test_figures_of_which_method_are_those_of_the_atlas(interval: str, design: str) -> None:
    cells = json.loads((DOCS / "atlas.json").read_text())["cells"].values()
    held = [
        c["hits"] / c["reps"] for c in cells if not c["census"] and (c["interval"], c["design"], c["level"]) == (interval, design, 0.95)
    ]
    row = f"| {ROWS[interval, design]} | {len(held)} | {min(held):.3f} | {sum(held) / len(held):.3f} |"
    assert row in (DOCS / "which-method.md").read_text(), row
