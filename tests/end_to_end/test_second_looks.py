"""A study whose units two labelers answer, walked by files alone: from the plan to the verdict, every second look by somebody else."""

import csv
import json
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path

import pytest

from tests.end_to_end.commands import Result, fewlabels, ok

LABELS = 40
PLAN = ("plan", "demo/scored.parquet", "--score", "score", "--threshold", "0.5", "--goal", "precision +-0.3", "--budget", LABELS)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder with a planned study, half of whose units two labelers must answer."""
    with chdir(tmp_path):
        ok("demo", "demo")
        ok(*PLAN, "--study", "twice", "--rule", "majority")
        ok("sheet", "twice", "--double", "0.5")
        yield tmp_path


def fill(file: str, answer: str = "yes", *, but: tuple[str, ...] = ()) -> list[str]:
    """Somebody answers a file in a spreadsheet; `but` are units they answer the other way. The units."""
    rows = list(csv.DictReader(Path(file).read_text().splitlines()))
    other = {"yes": "no", "no": "yes"}[answer]
    lines = [f"{row['unit']},{other if row['unit'] in but else answer}" for row in rows]
    Path(file).write_text("\n".join(["unit,answer", *lines]) + "\n")
    return [row["unit"] for row in rows]


def draw(labeler: str, file: str, *more: object) -> tuple[Result, list[str]]:
    """A file for somebody, and its units."""
    found = ok("draw", "twice", "--units", 15, "--for", labeler, "--out", file, "--json", *more)
    return found, found.json["units"]


def test_a_study_of_second_looks_is_walked_by_files_from_plan_to_verdict() -> None:
    first: list[str] = []
    for number in range(3):  # 15, 15 and 10 units
        drawn, units = draw("ada", f"first{number}.csv")
        assert drawn.json["second"] is False
        assert "--labeler ada" in drawn.err
        assert fill(f"first{number}.csv") == units
        ok("tell", "twice", f"first{number}.csv", "--labeler", "ada")
        first += units
    assert len(set(first)) == LABELS

    status = ok("status", "twice", "--json").json
    wanted = status["second_open"]
    assert 5 < wanted == status["progress"]["second_planned"]
    assert f"{wanted} second looks open" in ok("status", "twice").out
    assert "draw twice --for" in ok("status", "twice").err
    assert ok("estimate", "twice", "--json").json["certified"] is False

    nothing = ok("draw", "twice", "--for", "ada", "--json")
    assert (nothing.json["units"], nothing.json["second_open"]) == ([], wanted)
    assert "ada has answered all of these" in nothing.err

    second: list[str] = []
    differ: tuple[str, ...] = ()
    while drawn_units := draw("bob", "second.csv")[1]:
        assert ok("draw", "twice", "--for", "bob", "--json").json["second"] is True
        differ = differ or tuple(drawn_units[:2])
        fill("second.csv", but=differ)
        ok("tell", "twice", "second.csv", "--labeler", "bob")
        second += drawn_units
        Path("second.csv").unlink()
    assert len(second) == len(set(second)) == wanted
    assert set(second) <= set(first)

    drawn, third = draw("eve", "third.csv")
    assert set(third) == set(differ), "where two differ, a majority needs a third"
    fill("third.csv")
    ok("tell", "twice", "third.csv", "--labeler", "eve")
    assert ok("status", "twice", "--json").json["second_open"] == 0
    assert "handed out and answered" in ok("draw", "twice", "--for", "zoe").err
    assert ok("estimate", "twice", "--json").json["certified"] is True
    assert json.loads(ok("decide", "twice", "--json").out)["decision"]["outcome"] in ("ship", "do not ship", "label more")
    assert ok("verify", "twice").code == 0


def all_answered_once() -> None:
    ok("draw", "twice", "--units", LABELS, "--out", "first.csv")
    fill("first.csv")
    ok("tell", "twice", "first.csv", "--labeler", "ada")


def test_the_same_labelers_answer_again_is_no_second_look_and_says_so() -> None:
    all_answered_once()
    ok("draw", "twice", "--units", LABELS, "--out", "second.csv")
    units = fill("second.csv")
    told = ok("tell", "twice", "second.csv", "--labeler", "ada")
    assert f"{len(units)} of {len(units)} units wait for somebody else's answer (an answer by who gave the first is none)" in told.err
    assert "nothing new" not in ok("tell", "twice", "second.csv", "--labeler", "bob").out

    kinds = ok("status", "twice", "--json").json
    assert kinds["second_open"] == 0


def test_another_answer_of_the_same_labeler_says_who_has_to_give_it() -> None:
    all_answered_once()
    ok("draw", "twice", "--units", LABELS, "--out", "second.csv")
    fill("second.csv", "no")
    refused = fewlabels("tell", "twice", "second.csv", "--labeler", "ada")
    assert refused.code != 0
    assert "a second look is another labeler's" in refused.err
    assert "--labeler NAME" in refused.err


def test_telling_the_first_file_again_changes_nothing() -> None:
    all_answered_once()
    second = ok("draw", "twice", "--units", LABELS, "--json").json["units"]
    assert f"{LABELS} known" in ok("tell", "twice", "first.csv", "--labeler", "ada").out
    assert ok("draw", "twice", "--units", LABELS, "--json").json["units"] == second


def test_more_second_looks_are_handed_out_while_others_are_open() -> None:
    all_answered_once()
    wanted = ok("status", "twice", "--json").json["second_open"]
    one = ok("draw", "twice", "--units", 4, "--for", "bob", "--json").json["units"]
    other = ok("draw", "twice", "--units", LABELS, "--for", "cem", "--next", "--json").json["units"]
    assert len(one) == 4
    assert not set(one) & set(other)
    assert len(one) + len(other) == wanted
    assert "handed out and open" in ok("draw", "twice", "--next").err
