"""`fewlabels gate`: the same verdict on the same ledger, exit codes a pipeline obeys, and files that hostile names cannot break out of."""

import contextlib
import json
import os
import re
import shutil
import sqlite3
from pathlib import Path
from xml.etree import ElementTree

import pytest

from fewlabels.nouns.gate import Gate, RuleVerdict
from fewlabels.nouns.goal import Goal
from fewlabels.nouns.policy import Rule
from fewlabels.reports.gate_github import MOST_ANNOTATIONS, annotations
from fewlabels.reports.gate_junit import junit
from fewlabels.reports.gate_markdown import MOST_BYTES, markdown
from tests.contracts.ledgers_under_test import in_postgres
from tests.contracts.servers import NEEDS_POSTGRES
from tests.end_to_end.commands import Result, fewlabels, ok, real

PLAN = ("plan", "scored.parquet", "--score", "score", "--threshold", "0.5", "--goal", "precision >= 0.7", "--goal", "recall >= 0.6")
GOOD = '[[rule]]\nmetric = "precision"\ntarget = 0.7\n\n[[rule]]\nmetric = "recall"\ntarget = 0.6\nlevel = 0.9\nmax_half_width = 0.4\n'
POLICIES = {
    "ship": (GOOD, 0),
    "label_more": ('[[rule]]\nmetric = "precision"\ntarget = 0.7\nmax_half_width = 0.001\n', 3),
    "do_not_ship": ('[[rule]]\nmetric = "precision"\ntarget = "<= 0.5"\n', 4),
    "invalid": ('[[rule]]\nmetric = "precision"\ntarget = 0.7\nclassifier = "nobody"\n', 5),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A demo study, all of it labeled, and a policy for each verdict."""
    folder = tmp_path_factory.mktemp("made")
    with contextlib.chdir(folder):
        ok("demo", ".")
        ok(*PLAN, "--study", "mail", "--budget", "300", "--ledger", "sqlite:///fewlabels.db")
        ok("draw", "mail", "--units", "300", "--out", "batch.csv", "--ledger", "sqlite:///fewlabels.db")
        ok("tell", "mail", "answers.csv", "--drawn-only", "--ledger", "sqlite:///fewlabels.db")
        for name, (text, _) in POLICIES.items():
            Path(f"{name}.toml").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def told(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """That study in a folder of its own."""
    folder = shutil.copytree(made, tmp_path / "told")
    monkeypatch.chdir(folder)
    for name in ("FEWLABELS_LEDGER", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"):
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.mark.parametrize(("verdict", "code"), [(name, code) for name, (_, code) in POLICIES.items()])
def test_every_verdict_has_its_exit_code_and_its_files(told: Path, verdict: str, code: int) -> None:
    files = ("--junit", "gate.xml", "--markdown", "gate.md")
    found = fewlabels("gate", "mail", "--policy", f"{verdict}.toml", "--json", *files)
    assert found.code == code
    assert (found.json["verdict"], found.json["exit_code"]) == (verdict, code)
    suite = ElementTree.parse("gate.xml").getroot()
    kinds = {(child.tag, child.get("type")) for case in suite.iter("testcase") for child in case}
    expected = {"ship": set(), "invalid": {("error", "invalid")}}.get(verdict, {("failure", verdict)})
    assert kinds == expected
    assert (suite.get("failures"), suite.get("errors")) == (str(int(code in (3, 4))), str(int(code == 5)))
    assert found.json["headline"].split(":")[0] in Path("gate.md").read_text(encoding="utf-8")
    assert fewlabels("gate", "mail", "--policy", f"{verdict}.toml", "--exit-zero").code == 0
    assert ok("verify", "mail").out.endswith("everything matches\n")
    assert not list(told.glob(".gate*"))


def test_people_read_rule_by_rule_and_the_verdict_last(told: Path) -> None:
    found = ok("gate", "mail", "--policy", "ship.toml")
    lines = found.out.splitlines()
    assert lines[0] == "ship         precision >= 0.7"
    assert re.fullmatch(r" +0\.\d+ \[0\.\d+, [01]\.\d+\] at 0\.95, effective n [\d,]+, \d+ labels", lines[1])
    assert "shown, one-sided bound 0." in lines[2]
    assert lines[-1].startswith("SHIP: mail, 2 of 2 rules hold, 300 of 300 planned labels")


def test_a_wrong_call_is_two_and_what_cannot_be_read_is_five(told: Path) -> None:
    assert fewlabels("gate", "mail").code == 2
    assert fewlabels("gate", "mail", "--policy", "ship.toml", "--reps", "3").code == 2
    assert fewlabels("gate", "mail", "--policy", "ship.toml", "--junit", "none/gate.xml").code == 2
    Path("bad.toml").write_text("levle = 3", encoding="utf-8")
    for args, said in (
        (("nobody", "--policy", "ship.toml"), "no study 'nobody'"),
        (("mail", "--policy", "none.toml"), "none.toml could not be read"),
        (("mail", "--policy", "bad.toml"), "did you mean level"),
        (("mail", "--policy", "ship.toml", "--ledger", "sqlite:///none.db"), "none.db"),
    ):
        found = fewlabels("gate", *args, "--json", "--junit", "gate.xml")
        assert found.code == 5
        assert said in found.json["reasons"][0]
        assert [said in str(error.get("message")) for error in ElementTree.parse("gate.xml").getroot().iter("error")] == [True]


def test_a_changed_ledger_is_five(told: Path) -> None:
    with sqlite3.connect("fewlabels.db") as connection:
        connection.execute("""update entry set body = replace(body, '"answer":"no"', '"answer":"yes"') where kind = 'answer'""")
    connection.close()
    found = fewlabels("gate", "mail", "--policy", "ship.toml", "--json")
    assert (found.code, found.json["verdict"], found.json["rules"]) == (5, "invalid", [])


PLACES = (
    {"PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1", "TZ": "UTC", "LANG": "C.UTF-8"},
    {"PYTHONHASHSEED": "1", "OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2", "TZ": "Asia/Kathmandu", "LANG": "C"},
    {
        "PYTHONHASHSEED": "4242",
        "OPENBLAS_NUM_THREADS": "1",
        "TZ": "America/St_Johns",
        "LANG": "tr_TR.UTF-8",
        "COLUMNS": "40",
    },
)


@pytest.mark.parametrize(("verdict", "places"), [("ship", 3), ("label_more", 2)])
def test_identical_ledgers_never_flip(told: Path, verdict: str, places: int) -> None:
    """Copies of one file, in other folders, processes, time zones, locales, hash seeds and numbers of threads, and asked again."""
    seen: list[Result] = []
    for i, place in enumerate(PLACES[-places:]):
        folder = told / f"place {i}"
        folder.mkdir()
        shutil.copy(told / "fewlabels.db", folder / "fewlabels.db")
        os.utime(folder / "fewlabels.db", (i * 10**8, i * 10**8))
        for _ in range(2 if (i, places) == (0, 3) else 1):
            seen.append(real("gate", "mail", "--policy", told / f"{verdict}.toml", "--json", cwd=folder, **place))
    assert {one.code for one in seen} == {POLICIES[verdict][1]}, seen[0].err
    assert len({one.out for one in seen}) == 1
    assert json.loads(seen[0].out)["verdict"] == verdict


@NEEDS_POSTGRES
def test_a_copy_in_postgresql_gives_the_same_bytes(told: Path) -> None:
    address = in_postgres(told)
    ok("ledger", "copy", "sqlite:///fewlabels.db", address)
    here, there = (
        ok("gate", "mail", "--policy", "ship.toml", "--json", "--ledger", ledger) for ledger in ("sqlite:///fewlabels.db", address)
    )
    assert here.out == there.out


def test_on_github_the_step_has_a_summary_outputs_and_annotations(told: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    monkeypatch.setenv("GITHUB_OUTPUT", "output")
    Path("summary.md").write_text("before\n", encoding="utf-8")
    found = fewlabels("gate", "mail", "--policy", "do_not_ship.toml", "--json")
    assert found.json["verdict"] == "do_not_ship"  # nothing but the object on stdout
    assert Path("output").read_text(encoding="utf-8") == "verdict=do_not_ship\nexit-code=4\n"
    assert Path("summary.md").read_text(encoding="utf-8").startswith("before\n## fewlabels gate: DO NOT SHIP")
    commands = [line for line in found.err.splitlines() if line.startswith("::")]
    assert len(commands) == 1
    assert commands[0].startswith("::error title=fewlabels gate%3A precision <= 0.5::do_not_ship: precision <= 0.5: shown to fail")
    assert not [line for line in fewlabels("gate", "mail", "--policy", "ship.toml").err.splitlines() if line.startswith("::")]
    Path("summary.md").write_bytes(b"x" * (MOST_BYTES - 10))
    fewlabels("gate", "mail", "--policy", "ship.toml")
    assert Path("summary.md").stat().st_size <= MOST_BYTES


HOSTILE = "a\n::error::b\r::add-mask::c|d`e<img src=x onerror=f>[g](http://h.example)*i* @j $k$ %0A::l \x1b[31m\u202em &lt; www.n.example"


def hostile(rules: int = 1) -> Gate:
    rule = Rule(goal=Goal(metric="recall", kind=">=", value=0.9, classifier=HOSTILE, slice=(HOSTILE, HOSTILE)))
    verdict = RuleVerdict(rule=rule, verdict="label_more", reasons=(f"{HOSTILE}: open",), notes=(HOSTILE,))
    return Gate(study=HOSTILE, verdict="label_more", rules=(verdict,) * rules, reasons=(HOSTILE,), warnings=(HOSTILE,), promise=HOSTILE)


def test_names_are_no_commands_to_github() -> None:
    for gate in (hostile(), hostile(25)):
        lines = annotations(gate)
        assert len(lines) == min(len(gate.rules), MOST_ANNOTATIONS)
        for line in lines:
            assert "\n" not in line
            assert "\r" not in line
            assert "\x1b" not in line
            title, _, message = line.removeprefix("::error title=").partition("::")
            assert ":" not in title
            assert "," not in title
            assert not re.search(r"%(?!25|3A|2C)", title + message)
            assert "%250A" in title + message  # a percent sign in a name stays one
    assert "16 more rules do not ship" in lines[-1]


def test_names_are_no_marks_in_markdown() -> None:
    text = markdown(hostile())
    for mark in ("<", "\r", "\x1b", "\u202e", "](", "@j", "$", "http://", "www.", "*i*"):
        assert mark not in text, mark
    rows = [line for line in text.splitlines() if line.startswith("| label more")]
    assert len(rows) == 1
    assert rows[0].count("|") == 10  # the cells of the table and no more
    assert text.count("`") == 0


def test_a_summary_is_cut_to_what_github_takes() -> None:
    text = markdown(hostile(500), most=20_000)
    assert len(text.encode()) <= 20_000
    assert "The rest is left out" in text
    assert markdown(hostile(), most=10) == ""


def test_names_break_no_junit_file() -> None:
    root = ElementTree.fromstring(junit(hostile()))
    (case,) = root.iter("testcase")
    assert [child.tag for child in case] == ["failure"]
    assert "\x1b" not in str(case.get("name"))


def test_the_self_test_says_rates_limits_and_seed(told: Path) -> None:
    Path("one.toml").write_text('[[rule]]\nmetric = "precision"\ntarget = 0.7\n', encoding="utf-8")
    found = ok("gate", "mail", "--policy", "one.toml", "--self-test", "--reps", "40", "--seed", "3")
    assert "PASSED: 40 simulated studies for each truth, seed 3" in found.out
    data = ok("gate", "mail", "--policy", "one.toml", "--self-test", "--reps", "40", "--seed", "3", "--json").json
    assert (data["passed"], data["seed"], data["reps"]) == (True, 3, 40)
    first = data["tried"][0]
    assert (first["keeps"], first["ships"]["reps"], first["allowed"]) == (False, 40, pytest.approx(0.05))
    assert first["truth"] < 0.7
    assert ok("verify", "mail").out.endswith("everything matches\n")
