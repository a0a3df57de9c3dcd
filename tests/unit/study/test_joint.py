"""Studies of several labels or classes: planned, asked, told in every form, read, decided and verified."""

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fewlabels.engines.duckdb import write_parquet
from fewlabels.errors import LabelError, PlanError, StudyError
from fewlabels.labeling.flat import Answerable, batch_text, read_answers
from fewlabels.nouns.classifier import Classifier
from fewlabels.nouns.label import Label
from fewlabels.randomness import stream
from fewlabels.study.population.read import read_population
from fewlabels.study.study import Study
from fewlabels.writing import write_whole
from tests.unit.study.made import ledger_in

UNITS = 900
LABELS = ("joy", "fear", "awe")
CLASSES = ("cat", "dog", "eel")
GOALS = ("macro[f1] +-0.2", "recall >= 0.5 for joy")


def _made() -> dict[str, Any]:
    rng = stream(41)
    truth = rng.random((UNITS, 3)) < np.array([0.3, 0.2, 0.1])
    scores = 1 / (1 + np.exp(-(rng.normal(0, 1.2, (UNITS, 3)) + 3 * truth - 2)))
    kind = rng.choice(CLASSES, UNITS, p=[0.5, 0.3, 0.2])
    given = np.where(rng.random(UNITS) < 0.8, kind, rng.choice(CLASSES, UNITS))
    ids = [f"u{i}" for i in range(UNITS)]
    return {
        "id": ids,
        "given": given.tolist(),
        **{f"s_{name}": scores[:, j] for j, name in enumerate(LABELS)},
        "truth": truth,
        "kind": kind,
    }


MADE = _made()
TABLE = {name: values for name, values in MADE.items() if name not in ("truth", "kind")}
TRUTH: dict[str, dict[str, int]] = {
    unit: dict(zip(LABELS, row, strict=True)) for unit, row in zip(MADE["id"], MADE["truth"].astype(int).tolist(), strict=True)
}
KIND: dict[str, str] = dict(zip(MADE["id"], MADE["kind"].tolist(), strict=True))
JUDGED = [Classifier(name, score=f"s_{name}", threshold=0.5, question=name) for name in LABELS]
SORTED = [Classifier(name, predicted="given", value=name) for name in CLASSES]


def of_labels(folder: Path, source: object = TABLE, *, goals: tuple[str, ...] = GOALS, budget: int = 150) -> Study:
    study = Study.create("l", read_population(source, classifiers=JUDGED), goals=list(goals), ledger=ledger_in(folder))
    study.plan(budget)
    return study


def of_classes(folder: Path, source: object = TABLE, *, budget: int = 150) -> Study:
    population = read_population(source, classifiers=SORTED)
    study = Study.create("c", population, goals=["class_accuracy +-0.1", "macro[f1] +-0.2"], ledger=ledger_in(folder))
    study.plan(budget)
    return study


def all_units(study: Study) -> tuple[str, ...]:
    batch = study.ask(UNITS)
    assert batch is not None
    return batch.units


def parquet(folder: Path) -> Path:
    write_parquet(folder / "t.parquet", TABLE)
    return folder / "t.parquet"


# ---------------------------------------------------------------- labels


@pytest.mark.parametrize("where", ["memory", "parquet"])
def test_a_study_of_labels_from_plan_to_verification(where: str, tmp_path: Path) -> None:
    study = of_labels(tmp_path, TABLE if where == "memory" else parquet(tmp_path))
    units = all_units(study)
    assert study.tell({unit: TRUTH[unit] for unit in units}) == (3 * 150, 0, 0, 0)
    shown = study.estimate()
    macro = shown["macro[f1]"]
    assert (macro.classifier, macro.planned, macro.labels) == ("all", True, 150)
    assert shown.of("recall", "joy").planned
    assert not shown.of("recall", "fear").planned
    assert {e.classifier for e in shown.estimates} == {"all", *LABELS}
    assert "class_accuracy" not in {e.metric for e in shown.estimates}
    parts = [shown.of("f1", name).value for name in LABELS]
    assert macro.value == pytest.approx(np.mean([p for p in parts if p is not None]))
    decision = study.decide()
    assert decision is not None
    assert [str(g.goal) for g in decision.goals] == list(GOALS)
    assert study.verify(population=True).passed


def test_every_form_of_telling_says_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fewlabels.study.create.new_salt", lambda: "0" * 32)
    found = []
    for form in ("dict", "questions", "columns", "labels", "csv"):
        (tmp_path / form).mkdir()
        study = of_labels(tmp_path / form)
        units = all_units(study)
        study.tell(told(form, units, tmp_path / form))
        found.append([e.as_json() for e in study.estimate().estimates])
    assert all(one == found[0] for one in found)


def told(form: str, units: tuple[str, ...], folder: Path) -> Any:
    """The truth of these units in one of the forms a study takes."""
    pairs = [(unit, q, TRUTH[unit][q]) for unit in units for q in LABELS]
    if form == "dict":
        return {unit: TRUTH[unit] for unit in units}
    if form == "questions":
        return [{"unit": unit, "question": q, "answer": y} for unit, q, y in pairs]
    if form == "columns":
        return [{"unit": unit, "note": "kept out", **TRUTH[unit]} for unit in units]
    if form == "labels":
        return [Label(unit=unit, question=q, answer=str(y)) for unit, q, y in pairs]
    path = folder / "batch.csv"
    write_whole(path, batch_text(units, [{} for _ in units], columns=(), suffix=".csv", questions=LABELS))
    head, *rows = csv.reader(path.read_text().splitlines())
    assert head == ["unit", *LABELS]
    lines = [head, *([row[0], *("yes" if TRUTH[row[0]][q] else "no" for q in LABELS)] for row in rows)]
    path.write_text("\n".join(",".join(line) for line in lines))
    return read_answers(path, unit_columns=("unit",), asked=Answerable({q: (q,) for q in LABELS})).labels


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ({"joy": 1, "feer": 0}, "questions the study asks \\(joy, fear, awe\\), but unit .* has one to 'feer'"),
        ({"feer": 0}, "has one to 'feer'"),
        (1, "needs a question in each row, or a column for each"),
        ({"joy": "perhaps"}, "an answer must be yes or no"),
    ],
    ids=["one wrong", "only wrong", "no question", "no answer"],
)
def test_an_answer_to_no_question_is_refused(answers: object, message: str, tmp_path: Path) -> None:
    study = of_labels(tmp_path)
    unit = all_units(study)[0]
    with pytest.raises(LabelError, match=message):
        study.tell({unit: answers})
    assert not study.standing.answers


def test_a_row_with_a_wrong_question_is_refused(tmp_path: Path) -> None:
    study = of_labels(tmp_path)
    unit = all_units(study)[0]
    for row in ({"unit": unit, "question": "feer", "answer": 1}, Label(unit=unit, question="feer", answer="yes")):
        with pytest.raises(LabelError, match="'feer'"):
            study.tell([row])
    with pytest.raises(LabelError, match="an answer must be yes or no"):
        study.tell([Label(unit=unit, question="joy", answer="perhaps")])


def test_a_partly_answered_unit_is_not_resolved(tmp_path: Path) -> None:
    study = of_labels(tmp_path)
    units = all_units(study)
    study.tell({unit: {q: y for q, y in TRUTH[unit].items() if q != "awe"} for unit in units})
    assert study.status().progress.labels == 0
    assert not study.estimate().estimates
    batch = study.ask(UNITS)
    assert batch is not None
    assert set(batch.units) == set(units)
    study.tell({unit: {"awe": TRUTH[unit]["awe"]} for unit in units})
    assert study.ask(UNITS) is None
    assert study.estimate()["macro[f1]"].value is not None


def test_cannot_tell_on_one_question_leaves_the_others_counted(tmp_path: Path) -> None:
    study = of_labels(tmp_path)
    units = all_units(study)
    study.tell({unit: {**TRUTH[unit], **({"fear": "cannot_tell"} if i < 10 else {})} for i, unit in enumerate(units)})
    shown = study.estimate()
    assert shown.of("prevalence", "joy").labels == 150
    assert shown.of("prevalence", "fear").labels == 140
    assert shown["macro[f1]"].labels == 150
    assert shown.missing.whole.missing == 10
    assert shown["macro[f1]"].worst_low is not None  # more than 5 % of the units lack an answer
    assert shown["macro[f1]"].worst_low <= shown["macro[f1]"].low


def test_closing_records_only_the_questions_that_are_open(tmp_path: Path) -> None:
    study = of_labels(tmp_path)
    units = all_units(study)
    study.tell({unit: {"joy": TRUTH[unit]["joy"]} for unit in units})
    assert study.close().recorded == 2 * 150
    assert study.standing.unresolved == ()


def test_labelers_see_no_score_of_any_label(tmp_path: Path) -> None:
    study = of_labels(tmp_path)
    with pytest.raises(StudyError, match="labelers see no score"):
        study.fetch(all_units(study)[:1], columns=["s_awe"])


def test_a_census_of_labels_is_exact(tmp_path: Path) -> None:
    study = of_labels(tmp_path, budget=UNITS)
    study.tell({unit: TRUTH[unit] for unit in all_units(study)})
    flags = np.stack([TABLE[f"s_{name}"] >= 0.5 for name in LABELS], axis=1)
    hit, wrong = (MADE["truth"] & flags).sum(), (MADE["truth"] ^ flags).sum()
    micro = study.estimate()["micro[f1]"]
    assert micro.value == pytest.approx(2 * hit / (2 * hit + wrong), rel=1e-12)
    assert micro.half_width < 1e-9


def test_a_goal_of_several_on_one_question_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="needs several labels or classes"):
        Study.create("x", read_population(TABLE, classifiers=JUDGED[:1]), goals=["macro[f1] +-0.1"], ledger=ledger_in(tmp_path))


def test_labels_have_no_confusion_matrix(tmp_path: Path) -> None:
    study = of_labels(tmp_path)
    study.tell({unit: TRUTH[unit] for unit in all_units(study)})
    with pytest.raises(StudyError, match="of several classes"):
        study.confusion()


# ---------------------------------------------------------------- classes


@pytest.mark.parametrize("where", ["memory", "parquet"])
def test_a_study_of_classes_from_plan_to_verification(where: str, tmp_path: Path) -> None:
    study = of_classes(tmp_path, TABLE if where == "memory" else parquet(tmp_path))
    units = all_units(study)
    assert study.tell({unit: KIND[unit] for unit in units}) == (150, 0, 0, 0)
    shown = study.estimate()
    right = float((MADE["kind"] == np.array(TABLE["given"])).mean())
    accuracy = shown["class_accuracy"]
    assert accuracy.low <= right <= accuracy.high
    assert shown["micro[f1]"].value == pytest.approx(accuracy.value, abs=0.03)  # the same total, estimated from other sums
    assert study.decide() is not None
    assert study.verify(population=True).passed


@pytest.mark.parametrize("answer", ["fox", "yes", "Cat", ""])
def test_an_answer_that_is_no_class_is_refused(answer: str, tmp_path: Path) -> None:
    study = of_classes(tmp_path)
    unit = all_units(study)[0]
    for row in ({"unit": unit, "answer": answer}, Label(unit=unit, answer=answer)):
        with pytest.raises(LabelError, match="one of the classes cat, dog, eel"):
            study.tell([row])


def test_rows_of_a_confusion_matrix_add_up_to_one(tmp_path: Path) -> None:
    study = of_classes(tmp_path)
    assert study.confusion() == ()  # before the look
    study.tell({unit: KIND[unit] for unit in all_units(study)})
    cells = study.confusion()
    assert [(c.predicted, c.true) for c in cells] == [(p, t) for p in CLASSES for t in CLASSES]
    for predicted in CLASSES:
        row = [c for c in cells if c.predicted == predicted]
        assert sum(c.share.value or 0 for c in row) == pytest.approx(1, rel=1e-12)
        assert {c.units for c in row} == {TABLE["given"].count(predicted)}
        assert all(0 <= c.share.low <= (c.share.value or 0) <= c.share.high <= 1 for c in row)
    diagonal = [c.share for c in cells if c.predicted == c.true]
    assert [s.value for s in diagonal] == pytest.approx([study.estimate().of("precision", name).value for name in CLASSES])


def test_a_census_of_classes_gives_the_confusion_matrix_itself(tmp_path: Path) -> None:
    study = of_classes(tmp_path, budget=UNITS)
    study.tell({unit: KIND[unit] for unit in all_units(study)})
    given = np.array(TABLE["given"])
    for cell in study.confusion():
        counted = int(((given == cell.predicted) & (MADE["kind"] == cell.true)).sum())
        assert cell.count == pytest.approx(counted, rel=1e-12)
        assert cell.share.half_width < 1e-9
        assert cell.as_json()["count"] == cell.count
    assert study.estimate()["class_accuracy"].value == pytest.approx(float((given == MADE["kind"]).mean()), rel=1e-12)
