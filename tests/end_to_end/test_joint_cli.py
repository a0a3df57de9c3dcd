"""Several labels, classes and weights on the command line: plan, draw, tell a file, estimate, decide."""

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fewlabels.cli.main import REFUSED
from tests.end_to_end.commands import fewlabels, ok
from tests.unit.study.made import write_csv
from tests.unit.study.test_joint import CLASSES, KIND, LABELS, TABLE, TRUTH

LABEL_OPTIONS = [part for name in LABELS for part in ("--label", f"{name}=s_{name}@0.5")]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    amount = np.where(np.arange(len(TABLE["id"])) % 10 == 0, 40.0, 1.5)
    write_csv(tmp_path / "t.csv", {**TABLE, "amount": amount})
    return tmp_path


def fill(path: Path, answers: dict[str, dict[str, Any]]) -> list[str]:
    """Fills in a batch as a person with a spreadsheet would; gives its heading."""
    head, *rows = csv.reader(path.read_text().splitlines())
    lines = [head, *([row[0], *(str(answers[row[0]][column]) for column in head[1:])] for row in rows)]
    path.write_text("\n".join(",".join(line) for line in lines) + "\n")
    return head


def test_labels_from_plan_to_decision(folder: Path) -> None:
    plan = ok(
        "plan", "t.csv", *LABEL_OPTIONS, "--goal", "macro[f1] +-0.2", "--goal", "recall >= 0.5 for joy", "--budget", 120, "--study", "l"
    )
    assert "macro[f1] +-0.2" in plan.out
    ok("draw", "l", "--units", 120, "--out", "batch.csv")
    assert fill(folder / "batch.csv", TRUTH) == ["unit", *LABELS]
    assert "360 recorded" in ok("tell", "l", "batch.csv", "--labeler", "ada").out
    shown = ok("estimate", "l", "--json").json
    found = {(e["metric"], e["classifier"]): e for e in shown["estimates"]}
    assert found["macro[f1]", "all"]["planned"]
    assert 0 < found["recall", "awe"]["high"] <= 1
    assert found["macro[f1]", "all"]["labels"] == 120
    assert ok("decide", "l", "--json").json["decision"]["outcome"] in ("ship", "do not ship", "label more")
    assert ok("verify", "l", "--population").code == 0
    assert "macro[f1]" in ok("estimate", "l").out


def test_a_file_with_answers_to_one_question_waits_for_the_others(folder: Path) -> None:
    ok("plan", "t.csv", *LABEL_OPTIONS, "--goal", "macro[f1] +-0.2", "--budget", 60, "--study", "l")
    ok("draw", "l", "--units", 60, "--out", "batch.csv")
    fill(folder / "batch.csv", {unit: {**answers, "awe": ""} for unit, answers in TRUTH.items()})
    told = ok("tell", "l", "batch.csv", "--json").json
    assert (told["recorded"], told["blank"], told["progress"]["labels"]) == (120, 60, 0)
    ok("draw", "l", "--units", 60, "--out", "batch.csv")  # all that is in it was told
    fill(folder / "batch.csv", TRUTH)
    refused = fewlabels("draw", "l", "--units", 60, "--out", "batch.csv")
    assert refused.code == REFUSED
    assert "60 answers that are not recorded yet" in refused.err
    ok("tell", "l", "batch.csv")
    assert ok("status", "l", "--json").json["progress"]["labels"] == 60


def test_a_file_without_a_question_column_is_refused(folder: Path) -> None:
    ok("plan", "t.csv", *LABEL_OPTIONS, "--goal", "macro[f1] +-0.2", "--budget", 60, "--study", "l")
    ok("draw", "l", "--units", 5, "--out", "batch.csv")
    text = (folder / "batch.csv").read_text().replace("fear", "feer")
    (folder / "batch.csv").write_text(text)
    refused = fewlabels("tell", "l", "batch.csv")
    assert refused.code == REFUSED
    assert "a column named fear is needed" in refused.err


def test_classes_from_plan_to_decision(folder: Path) -> None:
    names = ",".join(CLASSES)
    ok("plan", "t.csv", "--classes", f"given={names}", "--goal", "class_accuracy +-0.1", "--budget", 100, "--study", "c")
    ok("draw", "c", "--units", 100, "--out", "batch.csv")
    assert fill(folder / "batch.csv", {unit: {"answer": kind} for unit, kind in KIND.items()}) == ["unit", "answer"]
    ok("tell", "c", "batch.csv")
    shown = {e["metric"]: e for e in ok("estimate", "c", "--json").json["estimates"] if e["classifier"] == "all"}
    assert shown["class_accuracy"]["low"] < shown["class_accuracy"]["value"] < shown["class_accuracy"]["high"]
    assert ok("decide", "c", "--json").json["decision"]["goals"][0]["goal"].startswith("class_accuracy")


def test_weights_from_plan_to_decision(folder: Path) -> None:
    options = ("--score", "s_joy", "--threshold", 0.5, "--weight", "amount")
    assert "by amount" in ok("doctor", "t.csv", *options).out
    ok("plan", "t.csv", *options, "--goal", "recall by amount >= 0.5", "--budget", 120, "--study", "w")
    ok("draw", "w", "--units", 120, "--out", "batch.csv")
    fill(folder / "batch.csv", {unit: {"answer": answers["joy"]} for unit, answers in TRUTH.items()})
    ok("tell", "w", "batch.csv")
    found = {e["metric"]: e for e in ok("estimate", "w", "--json").json["estimates"]}
    assert found["recall by amount"]["planned"]
    assert found["recall by amount"]["value"] != found["recall"]["value"]
    assert ok("decide", "w").code == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--score", "s_joy", "--threshold", 0.5, "--goal", "recall by amount >= 0.5"), "--weight"),
        (("--score", "s_joy", "--threshold", 0.5, "--goal", "macro[f1] +-0.1"), "needs several labels or classes"),
        (("--classes", "given=cat", "--goal", "class_accuracy +-0.1"), "with two or more"),
        (("--classes", "given=cat,dog", "--score", "s_joy", "--threshold", 0.5, "--goal", "class_accuracy +-0.1"), "values of one column"),
        ((*LABEL_OPTIONS, "--goal", "class_accuracy +-0.1"), "of which a unit has one"),
        ((*LABEL_OPTIONS, "--goal", "recall >= 0.5 for anger"), "no classifier 'anger'"),
        (("--label", "joy", "--goal", "macro[f1] +-0.1"), "NAME=SCORE@THRESHOLD"),
    ],
    ids=str,
)
def test_what_cannot_be_asked_is_refused_with_the_way_out(options: tuple[object, ...], message: str, folder: Path) -> None:
    found = fewlabels("plan", "t.csv", *options)
    assert found.code == REFUSED
    assert message in found.err
