"""`fewlabels sheet` and `fewlabels labelers`, as a person calls them."""

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
