"""The made-up weeks of the tutorial: what it says of them is true, and the same every time."""

import csv
import json
from pathlib import Path

import duckdb
import pytest
from click.testing import CliRunner

from fewlabels.cli.main import cli
from fewlabels.demo.fraud import FraudDemo, write_fraud_demo


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> FraudDemo:
    return write_fraud_demo(tmp_path_factory.mktemp("shop"))


def rows_of(query: str) -> list[tuple[object, ...]]:
    with duckdb.connect() as connection:
        return list(connection.execute(query).fetchall())


def truth(table: Path, answers: Path) -> tuple[float, float]:
    """Precision and recall of a week."""
    [(precision, recall)] = rows_of(f"""
        select count(*) filter (yes and flagged) / count(*) filter (flagged), count(*) filter (yes and flagged) / count(*) filter (yes)
        from (select score >= 0.5 as flagged, answer = 'yes' as yes from '{table}' join '{answers}' on id = unit)
    """)
    assert isinstance(precision, float)
    assert isinstance(recall, float)
    return precision, recall


def test_recall_is_what_the_tutorial_needs(made: FraudDemo) -> None:
    recalls = [truth(*files)[1] for files in zip(made.weeks, made.answers, strict=True)]
    assert recalls[0] == pytest.approx(0.82, abs=0.01)
    assert recalls[1] == pytest.approx(0.84, abs=0.01)
    assert recalls[2] == pytest.approx(0.39, abs=0.01)
    assert truth(made.rescored, made.answers[-1])[1] == pytest.approx(0.81, abs=0.01)


def test_the_retrained_model_scores_the_same_payments(made: FraudDemo) -> None:
    files = (made.weeks[-1], made.rescored)
    last, again = (rows_of(f"select id, amount, country, shop, note from '{path}' order by id") for path in files)
    assert last == again
    assert len(last) == made.units
    assert rows_of(f"select count(*) from '{made.weeks[0]}' join '{made.weeks[1]}' using (id)") == [(0,)]  # new payments every week


def test_a_person_can_tell_from_the_note(made: FraudDemo) -> None:
    notes = {str(unit): str(note) for unit, note in rows_of(f"select id, note from '{made.weeks[0]}'")}
    answers = {row["unit"]: row["answer"] for row in csv.DictReader(made.answers[0].read_text().splitlines())}
    said = {(note, answers[unit]) for unit, note in notes.items()}
    assert len(said) == len({note for note, _ in said}) == 6
    assert not any("," in note or '"' in note for note, _ in said)  # the tutorial fills in a CSV with awk


def test_the_files_are_the_same_every_time(made: FraudDemo, tmp_path: Path) -> None:
    again = write_fraud_demo(tmp_path / "again")
    for first, second in zip([*made.weeks, made.rescored, *made.answers], [*again.weeks, again.rescored, *again.answers], strict=True):
        assert rows_of(f"select * from '{first}' order by all") == rows_of(f"select * from '{second}' order by all")


def test_the_command_names_the_files(tmp_path: Path) -> None:
    done = CliRunner().invoke(cli, ["demo", str(tmp_path / "shop"), "--story", "fraud", "--json"])
    shown = json.loads(done.output)
    assert [Path(path).name for path in shown["populations"]] == [
        "week1.parquet",
        "week2.parquet",
        "week3.parquet",
        "week3-retrained.parquet",
    ]
    assert all(Path(path).exists() for path in [*shown["populations"], *shown["answers"]])
