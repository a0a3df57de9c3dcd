"""The documentation agrees with itself and with the code: links, names, words, commands."""

import ast
import functools
import inspect
import re
import tomllib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest

import fewlabels
import fewlabels.nouns
from fewlabels.cli.main import COMMANDS

ROOT = Path(__file__).parents[2]
PAGES = sorted(page for place in ("", "docs/**/", "examples/", "changelog.d/") for page in ROOT.glob(f"{place}*.md"))
SOURCES = sorted((ROOT / "src" / "fewlabels").rglob("*.py"))
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FORBIDDEN = re.compile(r"/(?:tmp|home|root|users)/", re.IGNORECASE)  # a page that names one was written for one machine
MARKETING = re.compile(
    r"\b(simply|powerful|seamless(ly)?|robust|effortless(ly)?|state-of-the-art|cutting-edge|easy-to-use)\b", re.IGNORECASE
)
BRITISH = re.compile(
    r"\b(labell(ed|er|ing|ers)|behaviour|colour|favour|neighbour|licence[ds]|optimis(e|ed|ing)|recognis(e|ed))\b", re.IGNORECASE
)
MATHS = {
    "designs": "bands two_bins strata poisson extending",
    "estimators": "weighted linearize calibration joint missing gold agreement counts phases pooling thresholds periods comparing process "
    "arriving",
    "intervals": "rare anytime expanded",
    "nouns": "weights",
    "planning": "shares guiding shared_draw forecasting assumptions recycling sketch",
    "deciding": "alarms gating planned_looks streams",
}

# Class name -> the word of the glossary, where they differ.
WORDS = {
    "Bands": "band",
    "SameCounts": "profile",
    "TippingPoint": "tipping point",
    **dict.fromkeys(("KnownLabels", "KnownCounts", "KnownTotals", "Rest"), "known answer"),
    "ControlSums": "tally",
    "Units": "unit",
    "Totals": "metric",
    "Limits": "interval",
    "GoalVerdict": "decision",
    "Typed": "goal",
    "Displayed": "display",
    "Drawing": "display",
    "MoreLabels": "decision",
    "RuleVerdict": "gate",
    "Column": "profile",
    "FormColumn": "sheet",
    "FormSet": "sheet",
    "FormChange": "sheet",
    "Problem": "profile",
    "SourceFile": "fingerprint",
    "Rung": "profile",
    "JointTally": "joint",
    "PhasedTally": "phase",
    "PairTally": "difference",
    "GapTally": "gap",
    "Pilot": "pilot",
    "Cut": "strata",
    "DrawDesign": "draw design",
    "LabelSums": "metric weight",
    "WeightSums": "metric weight",
    "Agreed": "agreement",
    "Share": "agreement",
    "Clusters": "cluster",
    "Late": "late answer",
    "Arrivals": "arrived",
    "Sizes": "tally",
    **dict.fromkeys(("Finished", "Leased", "UnitTurns", "TurnCounts"), "turn"),
}


def ids(path: Path) -> str:
    return str(path.relative_to(ROOT))


def prose(page: Path) -> str:
    """The page without code: words are judged there."""
    return re.sub(r"`[^`\n]*`", "", re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL))


@functools.cache
def anchors(page: Path) -> frozenset[str]:
    """What a link may name in a page: its headings."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), flags=re.MULTILINE)
    return frozenset(re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings)


def broken_links(page: Path) -> Iterator[str]:
    """Every link of a page to a file or heading that does not exist."""
    for target in LINK.findall(page.read_text()):
        path, _, anchor = target.partition("#")
        found = (page.parent / path).resolve() if path else page
        if "://" not in target and (not found.exists() or (anchor and anchor not in anchors(found))):
            yield f"{ids(page)} links to {target}, which does not exist"


def missing_paths(page: Path) -> Iterator[str]:
    """Every file a page names in backticks that does not exist."""
    for name in re.findall(r"`((?:docs|tests|src|benchmarks|scripts)/[\w./-]+?)(?:::\w+)?/?`", page.read_text()):
        if "<" not in name and not (ROOT / name).exists():
            yield f"{ids(page)} names {name}, which does not exist"


def forbidden_words(page: Path) -> Iterator[str]:
    """Every word of a page that no page may have."""
    for rule, text in ((FORBIDDEN, page.read_text()), (MARKETING, prose(page)), (BRITISH, prose(page))):
        yield from (f"{ids(page)}: {found[0]}" for found in rule.finditer(text))


def missing_pages(source: Path) -> Iterator[str]:
    """Every page that a docstring names and that does not exist."""
    for node in ast.walk(ast.parse(source.read_text())):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            for name in re.findall(r"docs/[\w./-]+\.\w+", ast.get_docstring(node) or ""):
                if not (ROOT / name).exists():
                    yield f"{ids(source)} names {name}, which does not exist"


# One test each for all pages, not one a page: a thousand tests of a millisecond cost more to collect than to run.
RULES = {
    "links": (broken_links, PAGES),
    "paths in backticks": (missing_paths, PAGES),
    "words": (forbidden_words, PAGES),
    "pages named in docstrings": (missing_pages, SOURCES),
}


@pytest.mark.parametrize("rule", RULES)
def test_no_file_breaks_the_rule(rule: str) -> None:
    broken, files = RULES[rule]
    assert len(files) > 100
    found = [said for file in files for said in broken(file)]
    assert not found, "\n".join(found)


def test_what_breaks_a_rule_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    page, source = tmp_path / "page.md", tmp_path / "source.py"
    page.write_text(
        "# One heading\n[a](#one-heading) [b](#other) [c](gone.md) [d](https://example.org/x)\n"
        "`docs/gone.md` `page.md`, simply a colour from /home/ada, `simply`\n"
    )
    source.write_text('def f() -> None:\n    """See docs/gone.md, not docs/<name>.md."""\n')
    assert [found.split()[3] for found in broken_links(page)] == ["#other,", "gone.md,"]
    assert list(missing_paths(page)) == ["page.md names docs/gone.md, which does not exist"]
    assert [found.split()[1] for found in forbidden_words(page)] == ["/home/", "simply", "colour"]
    assert list(missing_pages(source)) == ["source.py names docs/gone.md, which does not exist"]


def test_tests_named_in_the_readme_exist() -> None:
    named = re.findall(r"`(tests/[\w./-]+\.py)::(\w+)`", (ROOT / "README.md").read_text())
    assert named
    for path, function in named:
        assert f"def {function}(" in (ROOT / path).read_text(), f"README names {path}::{function}, which does not exist"


def test_every_file_that_promises_a_number_has_a_page() -> None:
    for folder, names in MATHS.items():
        for name in names.split():
            assert (ROOT / "src" / "fewlabels" / folder / f"{name}.py").exists()
            assert (ROOT / "docs" / "maths" / f"{name.replace('_', '-')}.md").exists()


def test_every_maths_page_says_when_it_holds_and_breaks() -> None:
    for page in (ROOT / "docs" / "maths").glob("*.md"):
        headings = set(re.findall(r"^## (.+)$", page.read_text(), flags=re.MULTILINE))
        assert {"When it holds", "When it breaks", "Sources"} <= headings, f"{ids(page)} has {sorted(headings)}"


def test_glossary_holds_every_noun() -> None:
    glossary = (ROOT / "docs" / "glossary.md").read_text()
    words = set(re.findall(r"^\| ([a-z ]+?) \|", glossary, flags=re.MULTILINE)) | set(re.findall(r"\*\*([a-z ]+)\*\*", glossary))
    for module in iter_modules(fewlabels.nouns.__path__):
        found = import_module(f"fewlabels.nouns.{module.name}")
        for name, noun in inspect.getmembers(found, inspect.isclass):
            if noun.__module__ == found.__name__ and not name.startswith("_"):
                assert WORDS.get(name, name.lower()) in words, f"{name} of nouns/{module.name}.py is not in docs/glossary.md"


def test_every_command_is_shown() -> None:
    pages = [ROOT / "README.md", ROOT / "docs" / "tutorial.md", *(ROOT / "docs" / "how-to").glob("*.md")]
    text = "".join(page.read_text() for page in pages)
    for command in [*COMMANDS, "ledger"]:
        assert f"fewlabels {command}" in text, f"`fewlabels {command}` is in neither README.md, docs/tutorial.md nor docs/how-to"


def test_every_public_name_is_shown() -> None:
    text = "".join(page.read_text() for page in PAGES)
    for name in fewlabels.__all__:
        assert re.search(rf"\b{name}\b", text), f"fewlabels.{name} is in no page"


def test_fragments_are_named_and_written_as_the_changelog_says() -> None:
    for fragment in (ROOT / "changelog.d").glob("*.md"):
        assert re.fullmatch(r"\d{4}\.(added|fixed|numbers|removed)\.md", fragment.name), fragment.name
        assert fragment.read_text().strip().endswith("."), f"{fragment.name} ends with a full stop"


def test_the_package_shows_the_readme() -> None:
    assert tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["readme"] == "README.md"
