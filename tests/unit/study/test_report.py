"""report.json: what it holds, that its schema is true of it, and that it is a pure function of the ledger."""

import copy
import json
import re
import shutil
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema_rs
import numpy as np
import pytest

from fewlabels.desk.desk import Desk
from fewlabels.errors import FileError
from fewlabels.nouns.classifier import Classifier
from fewlabels.nouns.sheet import Sheet
from fewlabels.study.report.write import json_text, read_report
from fewlabels.study.study import Study
from tests.unit.study.made import TABLE, TRUTH, columns, create, finished, label_all, ledger_in

SCHEMA = json.loads(files("fewlabels.reports").joinpath("report.schema.json").read_text(encoding="utf-8"))
COUNTRIES = {**TABLE, "country": [("BR", "DE")[i % 2] for i in range(len(TABLE["id"]))]}
CLASSES = {**columns(), "class": [("cat", "dog")[i % 2] for i in range(len(TABLE["id"]))]}


def errors(report: object) -> list[str]:
    return [str(error) for error in jsonschema_rs.validator_for(SCHEMA).iter_errors(report)]


def by_country(folder: Path, **how: Any) -> Study:
    return create(folder, table=COUNTRIES, slices=["country"], **how)


def one_look(folder: Path) -> Study:
    study = by_country(folder)
    study.plan(60)
    label_all(study)
    return study


def of_two(folder: Path) -> Study:
    judged = [Classifier("low", score="score", threshold=0.3), Classifier("high", score="score", threshold=0.6)]
    study = create(folder, score=None, threshold=None, classifiers=judged, goals=["precision +-0.1", "precision +-0.1 for high"])
    study.plan(80)
    label_all(study)
    return study


def online(folder: Path) -> Study:
    study = by_country(folder, goals=["recall >= 0.3"])
    study.plan(60, stopping="decision")
    label_all(study, batch=10)
    return study


def with_gaps(folder: Path) -> Study:
    study = by_country(folder)
    study.plan(100)
    while batch := study.ask(50):
        study.tell([{"unit": u, "answer": "skipped" if i % 4 == 0 else TRUTH[u], "labeler": "ann"} for i, u in enumerate(batch.units)])
        study.tell([{"unit": u, "answer": TRUTH[u], "labeler": "bob"} for u in batch.units[:10]])
    return study


def of_classes(folder: Path) -> Study:
    judged = [Classifier(name, predicted="class", value=name) for name in ("cat", "dog")]
    study = create(folder, table=CLASSES, score=None, threshold=None, classifiers=judged, goals=["class_accuracy +-0.1"])
    study.plan(80)
    while batch := study.ask(80):
        study.tell({unit: "cat" if TRUTH[unit] == "yes" else "dog" for unit in batch.units})
    return study


def early(folder: Path) -> Study:
    study = by_country(folder)
    study.plan(60)
    batch = study.ask(20)
    assert batch is not None
    study.tell({unit: TRUTH[unit] for unit in batch.units})
    return study


KINDS = [one_look, of_two, online, with_gaps, of_classes, early]


@pytest.mark.parametrize("made", KINDS, ids=lambda made: made.__name__)
def test_every_kind_of_study_follows_the_schema_and_reports_the_same_twice(made: Callable[[Path], Study], tmp_path: Path) -> None:
    study = made(tmp_path)
    first = json_text(study.report())
    assert errors(json.loads(first)) == []
    assert json_text(study.report()) == first
    assert study.verify().passed


def test_the_schema_refuses_what_no_report_says(tmp_path: Path) -> None:
    report = json.loads(json_text(one_look(tmp_path).report()))
    for spoil in (
        lambda r: r.update(extra=1),
        lambda r: r["estimates"][0].update(value="0.5"),
        lambda r: r["estimates"][0].pop("n_eff"),
        lambda r: r["verdict"].update(outcome="perhaps"),
        lambda r: r["record"].update(last_hash="0"),
        lambda r: r.update(version=2),
    ):
        spoiled = copy.deepcopy(report)
        spoil(spoiled)
        assert errors(spoiled)


def test_a_copy_of_the_ledger_gives_the_same_text(tmp_path: Path) -> None:
    study = one_look(tmp_path)
    first = json_text(study.report())
    other = tmp_path / "copy"
    other.mkdir()
    shutil.copy(tmp_path / "ledger.db", other / "ledger.db")
    assert json_text(Study.load("s", ledger=ledger_in(other), table=COUNTRIES).report()) == first


def test_numbers_are_those_of_estimate_and_decide(tmp_path: Path) -> None:
    study = one_look(tmp_path)
    report: Any = study.report()
    own = [{k: v for k, v in e.items() if k != "uniform_labels"} for e in report["estimates"]]
    assert own == study.estimate().as_json()["estimates"]
    decision = study.decide()
    assert decision is not None
    assert decision.about == study.estimate().about != ""
    assert {**report["verdict"], "about": decision.about}.items() >= decision.as_json().items()
    assert report["slices"][0] == {"metric": "precision", **study.slices("precision", by=["country"], simultaneous=True).as_json()}


def numbers(value: object, path: str = "") -> Iterator[tuple[str, float]]:
    """Every float in a report: counts are whole numbers."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield from numbers(part, f"{path}.{key}")
    elif isinstance(value, list):
        for part in value:
            yield from numbers(part, path)
    elif isinstance(value, float):
        yield path, value


def test_before_the_look_nothing_is_told_that_labels_say(tmp_path: Path) -> None:
    report: Any = early(tmp_path).report()
    allowed = {".study.level", ".population.classifiers.threshold"}
    about_people = (".labelers.labelers.agreement.", ".labelers.labelers.gold_accuracy.", ".missing.")
    told = {path for path, _ in numbers(report) if path not in allowed and not path.startswith(about_people)}
    assert told == set()
    assert (report["verdict"]["outcome"], report["estimates"], report["slices"], report["thresholds"]) == (None, [], [], None)
    assert all(one["answers"] == {} for one in report["labelers"]["labelers"])
    assert "40 of 60 units are still to be labeled" in report["verdict"]["next"]


def test_what_is_refused_is_named_with_its_reason(tmp_path: Path) -> None:
    report: Any = online(tmp_path).report()
    assert {one["section"] for one in report["left_out"]} == {"recall by country", "thresholds", "other budgets"}
    assert all(re.search("an online plan", one["why"]) for one in report["left_out"])


def test_plain_words_round_outward_and_name_the_question(tmp_path: Path) -> None:
    study = one_look(tmp_path)
    Desk(study).set_sheet(Sheet(ask="Is it spam?"))
    report: Any = study.report()
    question, precision, recall, about = report["verdict"]["plain"]
    assert about == f"Every number is about the {study.standing.profile.N:,} units of this table."
    answers = sum(len(told) for told in study.standing.answers.values())
    assert question == f"Asked about each unit after {answers} answers: Is it spam?"
    assert any(f"was recorded only after {answers} answers" in warning for warning in report["warnings"])
    for text, goal in zip((precision, recall), report["verdict"]["goals"], strict=True):
        ((low, high),) = [(float(low), float(high)) for low, high in re.findall(r"([\d.]+) to ([\d.]+)", text)]
        estimate = goal["estimate"]
        assert 100 * estimate["low"] - 1 <= low <= 100 * estimate["low"]
        assert 100 * estimate["high"] <= high <= 100 * estimate["high"] + 1


def test_other_budgets_count_on_as_few_usable_answers(tmp_path: Path) -> None:
    report: Any = with_gaps(tmp_path).report()
    for budget in report["budgets"]:
        now = budget["labels"].index(budget["now"])
        assert budget["chosen"][now] == pytest.approx(budget["half_width"], rel=0.25)


def test_planned_looks_show_nothing_of_answers_beyond_them(tmp_path: Path) -> None:
    found = []
    for answer in ("yes", "no"):
        folder = tmp_path / answer
        folder.mkdir()
        study = create(folder, goals=["precision +-0.1"])
        study.plan(40, stopping="2 looks")
        batch = study.ask(40)
        assert batch is not None
        then = study.standing.units
        assert then is not None
        study.tell({unit: TRUTH[unit] for unit in then.unit[:20]})
        study.tell(dict.fromkeys(then.unit[20:30], answer))
        report: Any = study.report()
        found.append([report["estimates"], report["budgets"], report["convergence"]["goals"], report["slices"]])
    assert found[0] == found[1]


def test_uniform_labels_are_those_that_give_effective_n(tmp_path: Path) -> None:
    report: Any = one_look(tmp_path).report()
    flagged = report["population"]["classifiers"][0]["flagged"]
    units = report["population"]["units"]
    by_metric = {e["metric"]: e for e in report["estimates"]}
    assert by_metric["precision"]["uniform_labels"] == min(units, int(np.ceil(by_metric["precision"]["n_eff"] * units / flagged)))
    assert by_metric["recall"]["uniform_labels"] == min(units, int(np.ceil(by_metric["recall"]["n_eff"])))


def test_a_larger_budget_is_expected_to_show_more_and_today_about_what_is_shown(tmp_path: Path) -> None:
    study = finished(tmp_path, budget=120)
    report: Any = study.report()
    for budget in report["budgets"]:
        assert budget["chosen"] == sorted(budget["chosen"], reverse=True)
        assert budget["chosen"][-1] < 0.01  # every unit of 400
        now = budget["labels"].index(budget["now"])
        assert budget["chosen"][now] == pytest.approx(budget["half_width"], rel=0.25)
        assert budget["uniform"][now] > budget["chosen"][now]


def test_files_are_written_as_their_endings_say_and_the_data_first(tmp_path: Path) -> None:
    study = one_look(tmp_path)
    report = study.report(tmp_path / "r.html", tmp_path / "r.md", str(tmp_path / "r.txt"))
    assert read_report(tmp_path / "r.json") == json.loads(json_text(report))
    assert (tmp_path / "r.html").read_text().startswith("<!doctype html>")
    before = study._written
    with pytest.raises(FileError, match=r"\.html, \.md, \.txt, \.json, got .*r\.pdf"):
        study.report(tmp_path / "r.pdf")
    assert study._written == before


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "cannot be read"),
        ("[]", "is not a fewlabels report"),
        ('{"format": "fewlabels report", "version": 99}', "has 99"),
        (None, "cannot be read"),
    ],
)
def test_what_is_no_report_is_refused(tmp_path: Path, text: str | None, says: str) -> None:
    path = tmp_path / "report.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(FileError, match=says):
        read_report(path)
