"""Labels already owned, on the command line: from a file of answers to a report, and what such answers must not do."""

import csv
import json
import random
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.end_to_end.commands import fewlabels as run
from tests.end_to_end.commands import ok

GOAL = ("documents.csv", "--score", "score", "--threshold", "0.5", "--goal", "recall >= 0.4", "--budget", "300")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with documents, the answers to be to all of them, and those of an earlier review."""
    monkeypatch.chdir(tmp_path)
    rng = random.Random(5)
    rows = [(f"d{i}", rng.betavariate(0.4, 2)) for i in range(2_000)]
    answers = {unit: "yes" if rng.random() < score else "no" for unit, score in rows}
    write("documents.csv", ("id", "score"), rows)
    write("answers.csv", ("unit", "answer"), answers.items())
    top = [unit for unit, _ in sorted(rows, key=lambda row: -row[1])[:250]]
    write("coded.csv", ("unit", "answer"), [(unit, answers[unit]) for unit in top] + [("d7", "cannot tell")])
    write("reported.csv", ("id",), [(unit,) for unit in top if answers[unit] == "yes"][:40])
    return tmp_path


def write(path: str, names: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> None:
    """A table."""
    with open(path, "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(names)
        table.writerows(rows)


def labeled(name: str, *more: str) -> None:
    """A study with all labels in."""
    ok("plan", *GOAL, "--study", name, *more)
    ok("draw", name, "--units", "1000", "--out", f"batch of {name}.csv")
    ok("tell", name, "answers.csv", "--drawn-only")


def test_from_known_answers_to_a_report(folder: Path) -> None:
    planned = ok("plan", *GOAL, "--known", "coded.csv", "--known-check", "0.1")
    assert "250 units count as their known answers say" in planned.err
    assert "1 known answers say neither yes nor no" in planned.err
    assert "nobody said whether the classifier learned" in planned.err
    labeled("checked", "--known", "coded.csv", "--known-check", "0.1", "--known-in-training", "no")
    shown = ok("estimate", "checked")
    assert "the check contradicts 0 of the" in shown.err
    assert "about the 2,000 units of this table" in shown.err
    ok("decide", "checked")
    ok("report", "checked", "--out", "checked.html")
    assert "250 units count as their known answers say" in (folder / "checked.html").read_text()
    verified = ok("verify", "checked", "--population")
    assert "known answers recorded before the salt" in verified.out
    assert "everything matches" in verified.out


def test_known_answers_narrow_the_interval(folder: Path) -> None:
    widths = {}
    for name, more in (("all", ()), ("known", ("--known", "coded.csv"))):
        labeled(name, *more)
        shown = json.loads(ok("estimate", name, "--json").out)["estimates"]
        recall = next(one for one in shown if one["metric"] == "recall")
        widths[name] = recall["high"] - recall["low"]
    assert widths["known"] < widths["all"]


def test_positives_found_by_other_means(folder: Path) -> None:
    assert "40 units are known to be positive" in ok("plan", *GOAL, "--known-positive", "reported.csv").err
    labeled("reported", "--known-positive", "reported.csv")
    assert "40 units are known to be positive" in ok("estimate", "reported").err


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (("plan", *GOAL, "--known", "coded.csv", "--about", "process"), "were not drawn from the process"),
        (("plan", *GOAL, "--known", "coded.csv", "--pilot", "100"), "leave the known answers out"),
        (("plan", *GOAL, "--known-check", "0.1"), "--known-check is for known answers"),
        (("plan", "--study", "s", "--known", "coded.csv"), "for a new study"),
        (("plan", *GOAL, "--known", "coded.csv", "--known-check", "0.3", "--study", "s"), "before a study's salt is made"),
        (("tell", "s", "coded.csv"), "never as if they had been drawn"),
    ],
)
def test_what_known_answers_must_not_do_is_refused(folder: Path, command: tuple[str, ...], says: str) -> None:
    ok("plan", *GOAL, "--study", "s", "--known", "coded.csv")
    ok("draw", "s", "--units", "10", "--out", "batch.csv")
    refused = run(*command)
    assert refused.code != 0
    assert says in " ".join(refused.err.split())
