"""Commands that people run all day import what they use and no more. How long they take is measured by `make start`."""

import subprocess
import sys

import pytest

import fewlabels

UNITS = 20_000
SLOW = {"alembic", "duckdb", "matplotlib", "mlflow", "pandas", "polars", "pyarrow", "rich", "scipy", "sklearn"}
SLOW_PARTS = {"scipy.optimize", "scipy.stats"}
RUN = """
import sys
from fewlabels.cli.main import cli
cli(sys.argv[1:], prog_name="fewlabels", standalone_mode=False)
print("\\n".join(["IMPORTED", *sys.modules]))
"""


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Studies of 300 labels, always the same: a goal that is settled, one that is open, and one with scores that claim the opposite."""
    where = f"sqlite:///{tmp_path_factory.mktemp('start') / 'start.db'}"
    table = {"id": list(map(str, range(UNITS))), "score": [(i + 0.5) / UNITS for i in range(UNITS)]}
    population = fewlabels.read_population(table, score="score", threshold=0.5)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("fewlabels.study.create.new_salt", lambda: "0123456789abcdef" * 2)
        for name, goal in (("settled", "accuracy >= 0.5"), ("open", "accuracy >= 0.76"), ("opposite", "accuracy >= 0.5")):
            study = fewlabels.Study.create(name, population, goals=[goal], ledger=where)
            study.plan(300)
            batch = study.ask(300)
            assert batch is not None
            study.tell({unit: is_positive(int(unit)) != (name == "opposite") for unit in batch.units})
    return where


def is_positive(unit: int) -> bool:
    """Whether a unit is positive: of a hundred neighbors as many are as their scores claim, in an order that the draw does not know."""
    return unit * 61 % 100 < 100 * unit / UNITS


def run(command: str, study: str, ledger: str) -> tuple[str, set[str]]:
    """What a command prints, and the modules it imported."""
    words = [sys.executable, "-c", RUN, command, study, "--ledger", ledger]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    said, _, imported = done.stdout.partition("IMPORTED\n")
    return said, set(imported.split())


@pytest.mark.parametrize("study", ["settled", "open"])
def test_status_imports_neither_scipy_nor_an_engine_nor_migrations(study: str, ledger: str) -> None:
    said, imported = run("status", study, ledger)
    assert "300 of 300 planned units resolved" in said
    assert {"numpy", "sqlalchemy"} <= imported  # the list is one of modules
    assert not imported & SLOW


@pytest.mark.parametrize(("study", "outcome"), [("settled", "SHIP"), ("open", "LABEL MORE")])
def test_decide_imports_of_scipy_the_special_functions_only(study: str, outcome: str, ledger: str) -> None:
    said, imported = run("decide", study, ledger)
    assert said.startswith(outcome)
    assert "scipy.special" in imported
    assert not imported & (SLOW - {"scipy"} | SLOW_PARTS)


def test_scores_that_claim_the_opposite_are_found_by_the_exact_test(ledger: str) -> None:
    """Also without SciPy."""
    assert not run("status", "opposite", ledger)[1] & SLOW
    (warning,) = fewlabels.Study.load("opposite", ledger=ledger).status().warnings
    assert warning.startswith("the scores are not calibrated")
