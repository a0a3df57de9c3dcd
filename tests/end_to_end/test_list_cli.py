"""`fewlabels list`: the studies of a ledger, what each is about and where it stands; nothing it shows is a look."""

import json
import sqlite3
from pathlib import Path

import pytest

from fewlabels.cli.main import REFUSED
from fewlabels.nouns.canonical import canonical
from tests.end_to_end.commands import fewlabels, ok
from tests.unit.study.made import TRUTH, write_csv

SMALL = ("t.csv", "--score", "score", "--threshold", "0.5")
BUDGET = 20


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_csv(tmp_path / "t.csv")
    (tmp_path / "answers.csv").write_text("unit,answer\n" + "".join(f"{u},{a}\n" for u, a in TRUTH.items()))
    return tmp_path


def plan(name: str, *more: object) -> None:
    ok("plan", *SMALL, "--goal", "precision +-0.1", "--budget", BUDGET, "--study", name, *more)


def states() -> dict[str, str]:
    """The state of each study, with a star if its results were shown; the word is that of `status`."""
    return {one["study"]: one["state"] + "*" * one["shown"] for one in ok("list", "--json").json["studies"]}


def test_a_study_is_listed_from_its_plan_to_its_results(folder: Path) -> None:
    plan("s")
    one = {"study": "s", "population": str(folder / "t.csv"), "goals": ["precision +-0.1"], "labels": 0, "planned": BUDGET, "shown": False}
    assert ok("list", "--json").json == {"ledger": "fewlabels.db", "studies": [{**one, "state": "labeling"}]}
    ok("draw", "s", "--units", 5, "--out", "b.csv")
    assert states() == {"s": "labeling"}
    ok("tell", "s", "answers.csv", "--drawn-only")
    ok("draw", "s", "--units", BUDGET, "--out", "b.csv")
    ok("tell", "s", "answers.csv", "--drawn-only")
    assert ok("list", "--json").json["studies"] == [{**one, "labels": BUDGET, "state": "ready"}]
    ok("decide", "s")
    assert states() == {"s": "ready*"}
    ok("plan", "--study", "s", "--budget", 2 * BUDGET)
    assert states() == {"s": "labeling"}  # what was shown is of the earlier plan


def test_a_table_below_this_folder_is_shown_by_its_path_from_here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan("s")
    row = ["s", "0", "of", "20", "labeling", "t.csv", "precision", "+-0.1"]
    assert ok("list").out.splitlines()[1].split() == row
    (folder / "inner").mkdir()
    monkeypatch.chdir(folder / "inner")
    assert str(folder / "t.csv") in ok("list", "--ledger", "sqlite:///../fewlabels.db").out


def test_a_peek_does_not_count_as_results() -> None:
    plan("s")
    ok("draw", "s", "--units", BUDGET, "--out", "b.csv")
    text = Path("b.csv").read_text().splitlines()
    Path("some.csv").write_text("unit,answer\n" + "".join(f"{u},{TRUTH[u]}\n" for u in (line.split(",")[0] for line in text[1:6])))
    ok("tell", "s", "some.csv")
    ok("estimate", "s", "--peek")
    assert states() == {"s": "labeling"}
    ok("tell", "s", "answers.csv", "--drawn-only")
    assert states() == {"s": "ready"}


def test_gold_that_is_missing_is_waited_for() -> None:
    plan("s")
    ok("draw", "s", "--units", BUDGET, "--out", "b.csv")
    ok("tell", "s", "answers.csv", "--drawn-only")
    ok("draw", "s", "--gold", "0.5", "--out", "gold.csv")
    assert states() == {"s": "waiting for gold"}


def test_an_online_study_is_ready_once_its_rule_has_ended_it() -> None:
    ok("plan", *SMALL, "--goal", "precision >= 0.05", "--stopping", "decision", "--budget", 40, "--study", "live")
    assert states() == {"live": "labeling"}
    for turn in range(10):
        ok("draw", "live", "--units", 10, "--out", "b.csv")
        assert states() == {"live": "labeling"}
        ok("decide", "live")
        assert states() == {"live": "labeling*" if turn else "labeling"}  # it may be looked at at any time, once there is a label
        ok("tell", "live", "answers.csv", "--drawn-only")
        if ok("status", "live", "--json").json["running"]["outcome"] in ("ship", "do not ship"):
            break
    assert states() == {"live": "decided"}
    ok("decide", "live")
    assert states() == {"live": "decided*"}


def test_monitors_and_broken_studies_are_listed_and_nothing_falls_over() -> None:
    plan("broken")
    plan("good")
    ok("monitor", "m", "--floor", "0.8", "--rate", "0.1")
    with sqlite3.connect("fewlabels.db") as connection:
        connection.execute("update entry set body = '{' where study = 'broken' and kind = 'plan'")
        columns = "serial, kind, key, at, body, seal, hash"
        connection.execute(f"insert into entry select 'begun', {columns} from entry where study = 'good' and serial = 1")
    connection.close()
    assert states() == {"broken": "damaged", "begun": "not created completely", "good": "labeling", "m": "monitor"}
    found = ok("list")
    assert [line.split()[0] for line in found.out.splitlines()] == ["study", "begun", "broken", "good", "m"]
    assert "fewlabels verify STUDY" in found.err


def test_names_are_shown_as_no_terminal_obeys_them() -> None:
    plan("a\x1b[2Jb")
    assert "a\\x1b[2Jb" in ok("list").out
    assert ok("list", "--json").json["studies"][0]["study"] == "a\x1b[2Jb"


def test_listing_is_no_look_and_changes_nothing(folder: Path) -> None:
    plan("s")
    ok("list")
    before = (folder / "fewlabels.db").read_bytes()
    ok("list")
    ok("ledger", "list")
    assert (folder / "fewlabels.db").read_bytes() == before


@pytest.mark.parametrize("command", [["list"], ["ledger", "list"]])
def test_a_ledger_that_is_not_there_is_refused_and_not_made(folder: Path, command: list[str]) -> None:
    found = fewlabels(*command, "--json")
    assert found.code == REFUSED
    assert "no ledger at fewlabels.db" in json.loads(found.out)["error"]["message"]
    assert not (folder / "fewlabels.db").exists()
    (folder / "fewlabels.db").write_bytes(b"no ledger at all")
    assert fewlabels(*command).code == REFUSED


def test_a_ledger_without_studies_says_so() -> None:
    plan("s")
    with sqlite3.connect("fewlabels.db") as connection:
        connection.execute("delete from entry")
    connection.close()
    assert ok("list").out == "no study in fewlabels.db\n"
    assert ok("list", "--json").json["studies"] == []


def test_a_password_is_not_shown() -> None:
    plan("s")
    with sqlite3.connect("fewlabels.db") as connection:
        (body,) = connection.execute("select body from entry where kind = 'population'").fetchone()
        held = json.loads(body)
        held["population"]["source"] = "postgresql://ada:secret@host/db#t"
        connection.execute("update entry set body = ? where kind = 'population'", (canonical(held),))
    connection.close()
    assert "secret" not in ok("list").out + ok("list", "--json").out
    assert "postgresql://ada:***@host/db#t" in ok("list").out
