"""`fewlabels ledger`: a ledger copied to another database and back, backed up, and what labelers were shown deleted."""

import contextlib
import json
import os
import pty
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from fewlabels.ledgers.tables import HEAD
from tests.contracts.ledgers_under_test import in_postgres
from tests.contracts.servers import NEEDS_POSTGRES
from tests.end_to_end.commands import PROGRAM, environment, fewlabels, ok, real
from tests.unit.ledgers.test_migrations import as_file

NOT_COPIED = "people, their links, sessions and tokens"

PLAN = ("plan", "demo/scored.parquet", "--score", "score", "--threshold", "0.5", "--goal", "precision +-0.1", "--budget", "40")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A demo study, half of it labeled at the desk, in fewlabels.db."""
    folder = tmp_path_factory.mktemp("made")
    keys = [sys.executable, "-c", PROGRAM, "label", "mail", "--labeler", "ada", "--show", "text"]
    with contextlib.chdir(folder):
        ok("demo", "demo")
        ok(*PLAN, "--study", "mail", "--ledger", "sqlite:///fewlabels.db")
        told = subprocess.run(keys, input="1\n2\n" * 10 + "q\n", env=environment(), capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stderr
    return folder


@pytest.fixture
def labeled(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """That study in a folder of its own."""
    folder = shutil.copytree(made, tmp_path / "labeled")
    monkeypatch.chdir(folder)
    monkeypatch.delenv("FEWLABELS_LEDGER", raising=False)
    return folder


def entries(path: str) -> list[tuple[object, ...]]:
    with sqlite3.connect(path) as connection:
        found = connection.execute("select * from entry order by study, serial").fetchall()
    connection.close()
    return found


def finished(ledger: str) -> object:
    """The numbers when the rest is closed."""
    (Path.cwd() / "none.csv").write_text("unit,answer\n", encoding="utf-8")
    assert ok("verify", "mail", "--ledger", ledger).out.endswith("everything matches\n")
    ok("tell", "mail", "none.csv", "--close", "--ledger", ledger)
    return ok("estimate", "mail", "--json", "--ledger", ledger).json["estimates"]


def test_a_copy_between_files_is_the_same_study(labeled: Path) -> None:
    done = ok("ledger", "copy", "sqlite:///fewlabels.db", "sqlite:///copy.db")
    assert done.out.split()[:5] == ["study", "entries", "added", "turns", "contents"]
    assert f"not copied: {NOT_COPIED}" in done.err
    assert "mail: " in done.err
    assert entries("copy.db") == entries("fewlabels.db")
    again = ok("ledger", "copy", "sqlite:///fewlabels.db", "sqlite:///copy.db", "--json").json
    assert again["studies"] == [{"study": "mail", "entries": len(entries("fewlabels.db")), "added": 0, "turns": 40, "contents": 40}]
    assert (again["from"], again["to"], again["not_copied"]) == ("fewlabels.db", "copy.db", NOT_COPIED)
    assert finished("sqlite:///copy.db") == finished("sqlite:///fewlabels.db")


@NEEDS_POSTGRES
def test_a_copy_to_postgresql_and_back_is_the_same_study(labeled: Path) -> None:
    team = in_postgres(labeled)
    ok("ledger", "copy", "sqlite:///fewlabels.db", team, "--study", "mail")
    ok("ledger", "copy", team, "sqlite:///back.db")
    assert entries("back.db") == entries("fewlabels.db")
    ok("ledger", "backup", "kept.db", "--ledger", team)
    assert entries("kept.db") == entries("fewlabels.db")
    assert finished(team) == finished("sqlite:///back.db") == finished("sqlite:///fewlabels.db")


@NEEDS_POSTGRES
def test_a_password_is_not_printed(labeled: Path) -> None:
    team = in_postgres(labeled).replace("postgresql://fewlabels@", "postgresql://fewlabels:sesame@")
    found = ok("ledger", "copy", "sqlite:///fewlabels.db", team, "--json")
    assert "sesame" not in found.out + found.err
    assert "***" in found.json["to"]


def test_a_backup_is_a_new_file(labeled: Path) -> None:
    done = ok("ledger", "backup", "kept.db", "--json")
    assert [one["study"] for one in done.json["studies"]] == ["mail"]
    assert "reading the backup back" in done.err
    assert entries("kept.db") == entries("fewlabels.db")
    before = Path("kept.db").read_bytes()
    refused = fewlabels("ledger", "backup", "kept.db", "--json")
    assert refused.code == 5
    assert "a backup must be a new file, but kept.db exists" in refused.json["error"]["message"]
    assert Path("kept.db").read_bytes() == before


def test_refusals_name_the_way_out(labeled: Path) -> None:
    for args, said in (
        (("copy", "sqlite:///nothing.db", "sqlite:///copy.db"), "no ledger at nothing.db"),
        (("copy", "sqlite:///fewlabels.db", "sqlite:///fewlabels.db"), "both are fewlabels.db: name another"),
        (
            ("copy", "sqlite:///fewlabels.db", "sqlite:///copy.db", "--study", "post"),
            "no study 'post' in the ledger at fewlabels.db (it has: mail)",
        ),
        (("copy", "sqlite:///fewlabels.db", "mysql://x"), "must start with sqlite:/// or postgresql://"),
        (("backup", "none/kept.db"), "the folder none of the backup does not exist"),
        (("forget", "post", "--yes"), "no study 'post' in this ledger"),
    ):
        refused = fewlabels("ledger", *args)
        assert refused.code == 5, refused
        assert said in refused.err
        assert refused.out == ""


def test_forgetting_asks_for_a_yes(labeled: Path) -> None:
    refused = real("ledger", "forget", "mail", "--json", cwd=labeled)
    assert refused.code == 2
    assert "confirm with --yes" in json.loads(refused.out)["error"]["message"]
    with sqlite3.connect("fewlabels.db") as connection:
        ((shown,),) = connection.execute("select body from content limit 1").fetchall()
    connection.close()
    assert shown.encode() in Path("fewlabels.db").read_bytes()
    assert ok("ledger", "forget", "mail", "--yes", "--json").json == {"study": "mail", "forgotten": 40}
    assert shown.encode() not in Path("fewlabels.db").read_bytes()
    assert ok("ledger", "forget", "mail", "--yes").out == "deleted what was shown of 0 units\n"
    assert ok("verify", "mail").out.endswith("everything matches\n")


@pytest.mark.parametrize(("key", "code", "left"), [(b"y\n", 0, 0), (b"n\n", 130, 40)])
def test_on_a_terminal_a_person_is_asked(labeled: Path, key: bytes, code: int, left: int) -> None:
    person, terminal = pty.openpty()
    os.write(person, key)
    command = [sys.executable, "-c", PROGRAM, "ledger", "forget", "mail"]
    done = subprocess.run(command, stdin=terminal, env=environment(), capture_output=True, text=True, check=False, timeout=60)
    os.close(person)
    os.close(terminal)
    assert done.returncode == code, done
    assert "for good? [y/N]" in done.stderr
    with sqlite3.connect("fewlabels.db") as connection:
        assert connection.execute("select count(*) from content").fetchone() == (left,)
    connection.close()


def test_an_older_ledger_is_read_and_upgraded_only_when_asked(tmp_path: Path) -> None:
    path = as_file("0001", tmp_path / "old.db")
    before = path.read_bytes()
    ledger = ("--ledger", f"sqlite:///{path}")
    ok("status", "recorded", *ledger)
    ok("verify", "recorded", *ledger)
    refused = fewlabels("plan", "--study", "recorded", "--budget", 100, *ledger)
    assert refused.code not in (0, 1)
    assert "fewlabels ledger upgrade" in refused.err
    assert path.read_bytes() == before
    assert ok("ledger", "upgrade", *ledger, "--json").json == {"ledger": str(path), "from": "0001", "to": HEAD}
    assert f"was of schema {HEAD}" in ok("ledger", "upgrade", *ledger).out
    ok("verify", "recorded", *ledger)


def test_a_look_taken_in_a_copy_is_seen_to_be_missing(labeled: Path) -> None:
    finished("sqlite:///fewlabels.db")
    ok("ledger", "backup", "copy.db")
    ok("report", "mail", "--out", "copied.html", "--ledger", "sqlite:///copy.db")
    refused = fewlabels("verify", "mail", "--report", "copied.json")
    assert refused.code == 5
    assert "copied.json was made from a copy of this study" in refused.out
    ok("verify", "mail", "--report", "copied.json", "--ledger", "sqlite:///copy.db")
    ok("report", "mail", "--out", "own.html")
    assert "own.json" in ok("verify", "mail", "--report", "own.json").out
    assert "copied.json was made from a copy" in fewlabels("verify", "mail", "--report", "copied.json").out
    ok(*PLAN, "--study", "other")
    assert "is about another study" in fewlabels("verify", "other", "--report", "own.json").out
