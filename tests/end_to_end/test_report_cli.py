"""`fewlabels report` from the shell: what it writes, what it refuses, and that no text of a file reaches the terminal as a command."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fewlabels.demo.study import small_study
from fewlabels.study.report.write import json_text
from tests.end_to_end.commands import fewlabels


@pytest.fixture(scope="module")
def report() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json_text(small_study().report()))
    return found


def spoil(*path: Any, to: Any) -> Callable[[dict[str, Any]], None]:
    def change(report: dict[str, Any]) -> None:
        place: Any = report
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = to

    return change


@pytest.mark.parametrize(
    "change",
    [
        spoil("verdict", to=None),
        spoil("verdict", "goals", 0, "estimate", "metric", to={"a": 1}),
        spoil("convergence", to=[]),
        spoil("record", "as_of", to=7),
    ],
)
def test_a_file_that_is_no_report_is_refused_and_nothing_is_written(
    report: dict[str, Any], change: Callable[[dict[str, Any]], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    spoiled = json.loads(json.dumps(report))
    change(spoiled)
    Path("held.json").write_text(json.dumps(spoiled))
    done = fewlabels("report", "--from", "held.json", "--out", "page.html")
    assert done.code == 5, done
    assert "does not have the structure" in done.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["held.json"]


def test_what_a_file_says_is_no_command_of_the_terminal(report: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    hostile = json.loads(json.dumps(report))
    hostile["verdict"]["next"] = "Ship\x1b[31m\n\u202ealways"
    Path("held.json").write_text(json.dumps(hostile))
    done = fewlabels("report", "--from", "held.json", "--out", "page.html")
    assert done.code == 0
    assert not any(mark in done.err for mark in ("\x1b", "\u202e"))


def test_a_report_needs_a_study_or_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert fewlabels("report").code == 2
    assert fewlabels("report", "nobody", "--out", "x.pdf").code == 5
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "address",
    [
        "mysql://u:secretpw@db/x",
        "postgres://u:secretpw@db/x",
        "postgresql://u:secretpw@127.0.0.1:1/x",
        "postgresql://127.0.0.1:1/x?password=secretpw",
    ],
)
def test_no_password_is_printed(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = fewlabels("status", "nobody", "--ledger", address)
    assert done.code == 5
    assert "secretpw" not in done.out + done.err
