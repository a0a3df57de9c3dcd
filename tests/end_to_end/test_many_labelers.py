"""Labelers by the dozen on a real server, with labelers, server and database killed: nothing acknowledged is lost, nothing is there twice.

`make many-labelers` is the same with 50 labelers and 8,000 answers: docs/many-labelers.md.
"""

import shutil
from pathlib import Path

import pytest

import fewlabels
from benchmarks.many_labelers import DOUBLE, STUDY, Outcome, make_study, run, wrong_in, wrong_leases
from benchmarks.many_labelers_page import page
from fewlabels.nouns.label import Label
from fewlabels.randomness import is_double

# It starts a server of its own, which it kills; CI installs PostgreSQL, a desk may be without.
HAS_POSTGRES = any(Path("/usr/lib/postgresql").glob("*/bin/postgres")) or shutil.which("postgres") is not None


@pytest.mark.parametrize(
    "kind",
    ["sqlite", pytest.param("postgres", marks=pytest.mark.skipif(not HAS_POSTGRES, reason="needs PostgreSQL: scripts/install-debian"))],
)
def test_nothing_acknowledged_is_lost(kind: str) -> None:
    found = run(kind, labelers=8, answers=700, faults=True, patience=400)
    assert found.wrong == []
    assert (found.clients_killed, found.servers_killed, found.databases_killed) == (3, 2, 2 if kind == "postgres" else 0)
    assert found.acknowledged >= 600  # the rest was in the hands of labelers that were killed
    assert found.answers / found.seconds > 5
    assert page([found], [found]).count("| 0 |") == 2 * page([found]).count("| 0 |") > 0  # a table for the version before


@pytest.fixture
def told(tmp_path: Path) -> fewlabels.Study:
    """A small study, answered as its plan asks: some units by two labelers."""
    study = make_study(tmp_path, f"sqlite:///{tmp_path}/ledger.db", 66)
    while batch := study.ask(100):
        study.tell([Label(unit=unit, answer="yes", labeler="ann") for unit in batch.units])
    second = [unit for unit in batch_units(study) if is_double(study.standing.salt, unit, DOUBLE)]
    study.tell([Label(unit=unit, answer="yes", labeler="bob") for unit in second])
    return study


def batch_units(study: fewlabels.Study) -> tuple[str, ...]:
    units = study.standing.units
    assert units is not None
    return units.unit


def found_wrong(study: fewlabels.Study, acknowledged: list[tuple[str, str, str]]) -> list[str]:
    entries = [e for e in study.ledger.entries(STUDY) if e.kind == "answer"]
    return list(wrong_in(study, entries, acknowledged))


def test_a_right_run_is_found_right(told: fewlabels.Study) -> None:
    assert found_wrong(told, [(unit, "ann", "recorded") for unit in batch_units(told)]) == []


def test_an_acknowledged_answer_that_is_not_there_is_found(told: fewlabels.Study) -> None:
    assert "1 acknowledged answers are not in the ledger" in found_wrong(told, [(batch_units(told)[0], "eve", "recorded")])[0]
    assert found_wrong(told, [(batch_units(told)[0], "eve", "refused")]) == []


def test_a_labeler_too_many_is_found(told: fewlabels.Study) -> None:
    told.tell([Label(unit=batch_units(told)[0], answer="yes", labeler="eve")])
    assert any("answers of" in line for line in found_wrong(told, []))


def test_a_unit_answered_twice_by_one_labeler_is_found(told: fewlabels.Study) -> None:
    entries = [e for e in told.ledger.entries(STUDY) if e.kind == "answer"]
    assert list(wrong_in(told, [*entries, entries[0]], [])) == ["1 units were answered twice by the same labeler"]


def test_a_unit_in_too_many_hands_is_found(told: fewlabels.Study) -> None:
    salt = told.standing.salt
    once = next(unit for unit in batch_units(told) if not is_double(salt, unit, DOUBLE))
    first, early, late = (once, "ann", 0.0, 0.1, 5.0), (once, "bob", 1.0, 1.1, 6.0), (once, "bob", 5.2, 5.3, 9.0)
    assert len(list(wrong_leases(told, [first, early]))) == 1
    assert list(wrong_leases(told, [first, late])) == []
    assert list(wrong_leases(told, [first, (once, "ann", 1.0, 1.1, 6.0)])) == []


def test_the_page_says_what_was_found() -> None:
    one = Outcome(
        ledger="sqlite", labelers=50, answers=20_000, seconds=100.0, clients_killed=5, servers_killed=2, databases_killed=0,
        acknowledged=1, refused=3, passed_on=0, wrong=["x"],
    )  # fmt: skip
    assert "| SQLite | 5 | 2 | 0 | 20,000 | 3 | 1 | 100 | 200 |" in page([one])
