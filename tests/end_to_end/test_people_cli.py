"""`fewlabels sheet` and `fewlabels labelers`, as a person calls them."""

import csv
from pathlib import Path

import pytest

from fewlabels.nouns.label import Label
from fewlabels.study.study import Study
from tests.end_to_end.commands import fewlabels, ok

PLAN = (
    "plan",
    "demo/scored.parquet",
    "--score",
    "score",
    "--threshold",
    "0.5",
    "--goal",
    "precision +-0.1",
    "--budget",
    "40",
    "--study",
    "s",
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    ok("demo", "demo")
    ok(*PLAN)
    return tmp_path


def test_a_sheet_is_set_kept_and_shown(folder: Path) -> None:
    assert "see the id alone" in ok("sheet", "s").out
    (folder / "how.txt").write_text("Read all of it.")
    words = ok("sheet", "s", "--show", "text", "--instructions", "how.txt", "--ask", "Spam?", "--double", "0.25", "--check-every", "20").out
    for said in (
        "labelers of s see text",
        "asked: Spam?",
        "Read all of it.",
        "25% of the units go to two labelers",
        "after every 20 answers",
    ):
        assert said in words
    found = ok("sheet", "s", "--ask", "Is it spam?", "--json").json
    assert found == {
        "study": "s", "show": [{"column": "text", "kind": "text"}], "instructions": "Read all of it.", "ask": "Is it spam?",
        "check_every": 20, "double": 0.25,
    }  # fmt: skip


@pytest.mark.parametrize(("column", "why"), [("score", "labelers see no score"), ("nothing", "nothing"), ("text:video", "COLUMN:image")])
def test_columns_that_labelers_may_not_see_are_refused(column: str, why: str) -> None:
    found = fewlabels("sheet", "s", "--show", column)
    assert found.code == 5
    assert why in found.err
    assert ok("sheet", "s", "--json").json["show"] == []


def test_how_labelers_work_is_shown() -> None:
    study = Study.load("s")
    batch = study.ask(40)
    assert batch is not None
    study.tell([Label(unit=unit, answer="yes", labeler="ada") for unit in batch.units])
    study.tell([Label(unit=unit, answer="no" if unit == batch.units[0] else "yes", labeler="bob") for unit in batch.units[:10]])
    done = ok("labelers", "s")
    assert "0.900 [0.555, 0.997] of 10" in done.out
    assert "on 1 units the answers differ" in done.err
    found = ok("labelers", "s", "--json").json
    assert [one["labeler"] for one in found["labelers"]] == ["ada", "bob"]
    assert found["disputed"] == 1


def filled(batch: str, answers: str, *, differing: int = 0) -> list[str]:
    """Fill in the answer column of a batch, the first rows with the opposite answer; the units of it."""
    truth = dict(csv.reader(Path("demo/answers.csv").read_text().splitlines()))
    rows = list(csv.DictReader(Path(batch).read_text().splitlines()))
    opposite = {"yes": "no", "no": "yes"}
    with Path(answers).open("w") as out:
        out.write("unit,answer\n")
        for i, row in enumerate(rows):
            said = truth[row["unit"]]
            out.write(f"{row['unit']},{opposite[said] if i < differing else said}\n")
    return [row["unit"] for row in rows]


def test_second_looks_are_handed_out_to_who_labels_by_files() -> None:
    """A study whose units two labelers must answer waited for answers that no command gave a way to record."""
    ok(*PLAN[:-1], "twice", "--rule", "majority")
    ok("sheet", "twice", "--double", "0.5")
    ok("draw", "twice", "--units", "40", "--out", "first.csv")
    first = filled("first.csv", "told.csv")
    ok("tell", "twice", "told.csv", "--labeler", "ada")
    assert ok("estimate", "twice", "--json").json["certified"] is False
    drawn = ok("draw", "twice", "--units", "40", "--out", "second.csv")
    assert "need somebody else's answer" in drawn.err
    second = filled("second.csv", "told.csv", differing=3)
    assert 5 < len(second) < 35
    assert set(second) < set(first)
    assert filled("second.csv", "same.csv") == second, "the same batch until it is answered"
    ok("tell", "twice", "same.csv", "--labeler", "ada")  # the same labeler again is no second look
    assert ok("draw", "twice", "--units", "40", "--json").json["units"] == second
    ok("tell", "twice", "told.csv", "--labeler", "bob")
    third = ok("draw", "twice", "--units", "40", "--out", "third.csv", "--json").json["units"]
    assert sorted(third) == sorted(second[:3]), "a majority needs a third answer where two differ"
    filled("third.csv", "told.csv")
    ok("tell", "twice", "told.csv", "--labeler", "eve")
    assert "every planned unit is handed out and answered" in ok("draw", "twice", "--units", "40").err
    assert ok("estimate", "twice", "--json").json["certified"] is True


def test_a_file_of_second_answers_that_were_not_recorded_is_not_overwritten() -> None:
    ok(*PLAN[:-1], "twice", "--rule", "majority")
    ok("sheet", "twice", "--double", "0.5")
    ok("draw", "twice", "--units", "40", "--out", "first.csv")
    filled("first.csv", "told.csv")
    ok("tell", "twice", "told.csv", "--labeler", "ada")
    ok("draw", "twice", "--units", "40", "--out", "second.csv")
    filled("second.csv", "second.csv")
    refused = fewlabels("draw", "twice", "--units", "40", "--out", "second.csv")
    assert refused.code != 0
    assert "not recorded yet" in refused.err
