"""Arguments that once ended a command in a traceback, in endless work or in all of the memory: each is answered in words."""

import shlex
from pathlib import Path

import pytest

from fewlabels.engines import files
from tests.end_to_end.commands import fewlabels, ok

TABLE = ("demo/scored.parquet", "--score", "score", "--threshold", "0.5", "--goal", "precision +-0.1")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    ok("demo", "demo")
    return tmp_path


@pytest.mark.parametrize("shares", [("nan", "0.1"), ("0.1", "inf"), ("2", "0.1"), ("0.5", "-0.1")])
def test_expected_shares_are_shares(shares: tuple[str, str]) -> None:
    refused = fewlabels("plan", *TABLE, "--design", "two_bins", "--budget", "40", "--expect", *shares)
    assert refused.code not in (0, 1), refused
    assert "between 0 and 1" in refused.err


@pytest.mark.parametrize("address", ["postgresql://[::1", "postgresql://host:port/db", "sqlite:///[", "postgresql://["])
def test_what_is_no_address_is_said_to_be_none(address: str) -> None:
    refused = fewlabels("status", "s", "--ledger", address)
    assert refused.code not in (0, 1), refused
    assert "ledger" in refused.err


def test_a_folder_that_is_no_table_is_not_walked_for_ever(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MOST_ENTRIES", 50)
    deep = folder / "deep"
    for i in range(60):
        (deep / f"part{i}").mkdir(parents=True)
    refused = fewlabels("doctor", deep, "--score", "score", "--threshold", "0.5")
    assert refused.code not in (0, 1), refused
    assert "at most 50 files and folders" in refused.err


@pytest.mark.parametrize("command", [("--config", "/dev/zero", "status", "s"), ("gate", "s", "--policy", "/dev/zero")])
def test_a_file_without_an_end_is_not_read_to_its_end(command: tuple[str, ...]) -> None:
    refused = fewlabels(*command)
    assert refused.code not in (0, 1), refused
    assert "at most 1,000,000 bytes" in refused.out + refused.err


def test_a_hint_is_a_line_that_can_be_pasted() -> None:
    name = "week 3; rm -rf ~"
    planned = ok("plan", *TABLE, "--budget", "40", "--study", name)
    hint = next(line for line in planned.err.splitlines() if line.startswith("next: "))
    assert shlex.split(hint.removeprefix("next: "))[:3] == ["fewlabels", "draw", name]
