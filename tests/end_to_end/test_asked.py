"""What labelers were asked is part of the record: a change after the first answer is an entry, and is said wherever numbers are."""

import json
import sqlite3
from pathlib import Path

import pytest

from fewlabels.ledgers.opening import open_ledger
from tests.end_to_end.commands import fewlabels, ok
from tests.end_to_end.test_gate import GOOD, PLAN

CHANGED = "what labelers are asked was changed after 150 answers"
ROUTED = "the share of units that two labelers answer was raised to 20% after 150 answers"


def labeled(folder: Path, *, changed: bool) -> None:
    """A study of 300 labels whose question, or nothing, is changed when half of them are in."""
    ok("demo", ".")
    ok(*PLAN, "--study", "mail", "--budget", "300")
    ok("sheet", "mail", "--show", "text", "--ask", "Is this message spam?")
    (folder / "policy.toml").write_text(GOOD, encoding="utf-8")
    for half in range(2):
        ok("draw", "mail", "--units", "150", "--show", "text", "--out", f"batch{half}.csv")
        ok("tell", "mail", "answers.csv", "--drawn-only") if half else tell_first(folder)
        if changed and not half:
            ok("sheet", "mail", "--ask", "Would you call this message ham?")
            ok("sheet", "mail", "--double", "0.2")


def tell_first(folder: Path) -> None:
    """Tells the answers of the first batch alone."""
    units = {line.split(",")[0].strip('"') for line in (folder / "batch0.csv").read_text().splitlines()[1:]}
    header, *rows = (folder / "answers.csv").read_text().splitlines()
    (folder / "first.csv").write_text("\n".join([header, *(row for row in rows if row.split(",")[0] in units)]) + "\n")
    ok("tell", "mail", "first.csv")


@pytest.mark.parametrize("changed", [True, False])
def test_a_question_changed_after_answers_is_said_everywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changed: bool) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FEWLABELS_LEDGER", raising=False)
    labeled(tmp_path, changed=changed)
    ok("report", "mail", "--out", "report.html", "--out", "report.txt")
    said = {
        name: fewlabels(*command)
        for name, command in {
            "status": ("status", "mail"),
            "estimate": ("estimate", "mail"),
            "estimate --json": ("estimate", "mail", "--json"),
            "decide": ("decide", "mail"),
            "gate": ("gate", "mail", "--policy", "policy.toml"),
            "gate --json": ("gate", "mail", "--policy", "policy.toml", "--json"),
            "verify": ("verify", "mail"),
            "verify --json": ("verify", "mail", "--json"),
        }.items()
    }
    texts = {name: " ".join(f"{one.out} {one.err}".split()) for name, one in said.items()}
    texts |= {name: " ".join((tmp_path / name).read_text().split()) for name in ("report.html", "report.txt")}
    for told in (CHANGED, ROUTED):
        assert {name: told in text for name, text in texts.items()} == dict.fromkeys(texts, changed)
    asked = ["Asked about each unit: Is this message spam?"]
    asked += ["Asked about each unit after 150 answers: Would you call this message ham?"] if changed else []
    report = json.loads((tmp_path / "report.json").read_text())
    assert [line for line in report["verdict"]["plain"] if line.startswith("Asked")] == asked
    forms = [entry.body for entry in open_ledger(f"sqlite:///{tmp_path}/fewlabels.db").entries("mail") if entry.kind == "sheet"]
    assert [(form["place"], form["ask"]) for form in forms][:2] == [
        ("workbench", "Is this message spam?"),
        ("file", "Is this message spam?"),
    ]
    assert len(forms) == (4 if changed else 2)


def test_a_form_changed_in_the_file_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ok("demo", ".")
    ok(*PLAN, "--study", "mail", "--budget", "100")
    ok("sheet", "mail", "--ask", "Is this message spam?")
    with sqlite3.connect("fewlabels.db") as connection:
        connection.execute("update entry set body = replace(body, 'spam?', 'ham?') where kind = 'sheet'")
    connection.close()
    assert "(sheet, sheet:1): its content does not match its hash" in fewlabels("verify", "mail").out
