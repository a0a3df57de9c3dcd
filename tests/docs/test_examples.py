"""Every example runs by itself in an empty folder, uses the public interface only, and says what its story promises."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import fewlabels

EXAMPLES = Path(__file__).parents[2] / "examples"
VERDICT = r"(SHIP|DO NOT SHIP|LABEL MORE)"
SHARE = r"-?[0-9]\.[0-9]+"
INTERVAL = rf"\[{SHARE}, {SHARE}\]"
FOUND = rf"{SHARE} {INTERVAL} \(true {SHARE}\)"
DIFFERENCE = r"[+-][0-9]\.[0-9]+ \[[+-][0-9]\.[0-9]+, [+-][0-9]\.[0-9]+\]"

# Lines of each example, in this order: words as they are, numbers by their shape, because the salt is another in every folder.
SAYS = {
    "fraud_weekly": [
        *(rf"{week} +recall {FOUND}, precision {FOUND}: {VERDICT}" for week in ("W44", "W45", "W46")),
        rf"recall since W45: {DIFFERENCE}",
        r"alarm: (has not rung|rang in W4[456]); as long as recall is at least 0\.7 in every period.*",
        r"the new model on the same payments: [1-9]\d* of 400 answers were there already",
        rf"W46 retrained recall {FOUND}, precision {FOUND}: {VERDICT}",
        rf"recall of the new model less that of the old: {DIFFERENCE}",
    ],
    "moderation_by_language": [
        *(
            rf"precision >= 0\.7 in language={name} +\d+  {SHARE} {INTERVAL} +{SHARE}  (met|not met|open)"
            for name in ("English", "Hindi", "Portuguese", "Spanish")
        ),
        rf"recall \+-0\.12 +700  {SHARE} {INTERVAL} +{SHARE}  (met|open)",
        VERDICT,
        *(rf"{name} +{SHARE} {INTERVAL}, \d+ labels \(true {SHARE}\)" for name in ("English", "Hindi", "Portuguese", "Spanish")),
    ],
    "ensemble_of_three": [
        "F1 of four filters from 900 labels, the same for all",
        *(rf"{name} +{FOUND}: (met|open)" for name in ("text", "sender", "links", "vote")),
        r"(text|sender|vote) is better than (text|sender|links)",
        r"not shown to be worse than another: .*(text|vote).*",
    ],
    "llm_judge": [
        rf"1\. labelers agree on {SHARE} of 200 units seen by two or more; kappa {SHARE} {INTERVAL}, AC1 {SHARE} {INTERVAL}",
        *(rf" +{metric} +as told {SHARE} {INTERVAL}, corrected {FOUND}" for metric in ("precision", "recall")),
        rf"3\. share of wrong answers {FOUND}; the judge counts {SHARE}",
        VERDICT,
    ],
    "ediscovery_recall": [
        rf"after [13],000 documents read for the test: {VERDICT}",
        rf"recall {SHARE}, at least {SHARE} with \d\d% confidence \(true {SHARE}\)",
        rf"elusion {SHARE}%, at most {SHARE}% \(true {SHARE}%\): of \d\d,\d\d\d documents not flagged",
    ],
    "two_models": [
        *(rf"{metric} +{DIFFERENCE} \(true [+-]\d\.\d+\), better: (challenger|not shown)" for metric in ("f1", "precision", "recall")),
        VERDICT,
        r"(0\.\d+ is the lowest threshold found|no threshold found) with precision at least 0\.7.*",
    ],
}


def run(name: str, folder: Path) -> str:
    """What an example prints in a folder."""
    done = subprocess.run([sys.executable, EXAMPLES / f"{name}.py"], cwd=folder, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def unsaid(printed: str, wanted: list[str]) -> list[str]:
    """The patterns of which no line is found after those before it."""
    lines, missing = iter(printed.splitlines()), []
    for pattern in wanted:
        if not any(re.fullmatch(pattern, line) for line in lines):
            missing.append(pattern)
    return missing


@pytest.mark.parametrize("name", SAYS)
def test_an_example_runs_and_says_what_it_promises(name: str, tmp_path: Path) -> None:
    printed = run(name, tmp_path)
    assert not unsaid(printed, SAYS[name]), printed
    assert (tmp_path / f"{name}.db").exists()
    if name == "moderation_by_language":  # the quickest: run again, it goes on where it was
        assert run(name, tmp_path) == printed


def test_a_line_that_is_missing_or_out_of_order_is_found() -> None:
    printed = "a 0.5\nb\nSHIP\n"
    assert unsaid(printed, [rf"a {SHARE}", "b", VERDICT]) == []
    assert unsaid(printed, ["b", rf"a {SHARE}"]) == [rf"a {SHARE}"]
    assert unsaid("a 0.5\nPERHAPS\n", [VERDICT]) == [VERDICT]


def test_every_example_is_run_and_listed() -> None:
    scripts = sorted(path.stem for path in EXAMPLES.glob("*.py"))
    listed = re.findall(r"^\| \[(\w+)\.py\]\(\1\.py\)", (EXAMPLES / "README.md").read_text(), flags=re.MULTILINE)
    assert sorted(SAYS) == scripts == sorted(listed)


@pytest.mark.parametrize("name", SAYS)
def test_an_example_tells_its_story_and_uses_the_public_interface_only(name: str) -> None:
    tree = ast.parse((EXAMPLES / f"{name}.py").read_text())
    assert len((ast.get_docstring(tree) or "").split()) > 60
    plain = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    parts = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert plain == {"numpy", "fewlabels"}
    assert parts <= {"typing"}
    attributes = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    used = {node.attr for node in attributes if isinstance(node.value, ast.Name) and node.value.id == "fewlabels"}
    assert used <= set(fewlabels.__all__)
    assert not [node.attr for node in attributes if node.attr.startswith("_")]
