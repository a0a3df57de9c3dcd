"""Labels already owned: recorded before the salt, counted as they are, never drawn."""

import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fewlabels.errors import DrawError, LabelError, PlanError, StudyError
from fewlabels.ledgers.opening import open_ledger
from fewlabels.nouns.known import FEWEST_CHECKED, KnownLabels
from fewlabels.nouns.population import Population
from fewlabels.randomness import stream
from fewlabels.study.population.read import read_population
from fewlabels.study.study import Study

UNITS, BUDGET = 2_000, 200
MEMORY = "sqlite:///:memory:"
RNG = stream(5)
SCORE = RNG.beta(0.3, 2, UNITS)
TRUE = RNG.random(UNITS) < SCORE
IDS = [f"u{i:04d}" for i in range(UNITS)]
TABLE = {"id": IDS, "score": SCORE, "country": ["BR" if i % 3 else "DE" for i in range(UNITS)], "amount": np.ones(UNITS)}
CODED = {IDS[i]: bool(TRUE[i]) for i in np.argsort(-SCORE)[:300].tolist()}


def population(**how: Any) -> Population:
    return read_population(TABLE, score="score", threshold=0.4, **how)


def made(ledger: str = MEMORY, **how: Any) -> Study:
    given = {"known": CODED, "goals": ["recall >= 0.5"], **how}
    return Study.create("s", given.pop("of", None) or population(), ledger=ledger, **given)


def labeled(study: Study, budget: int = BUDGET) -> Study:
    study.plan(budget)
    while batch := study.ask(50):
        study.tell({unit: bool(TRUE[int(unit[1:])]) for unit in batch.units})
    return study


@pytest.mark.parametrize("check", [0.0, 0.1])
def test_known_units_are_never_drawn_and_the_check_is_handed_out_among_the_others(check: float) -> None:
    study = made(known_check=check)
    plan = study.plan(BUDGET)
    handed: list[str] = []
    while batch := study.ask(50):
        assert check == 0 or {*batch.units} & {*CODED}
        handed += batch.units
        study.tell({unit: bool(TRUE[int(unit[1:])]) for unit in batch.units})
    again = {*handed} & {*CODED}
    assert len(handed) == len({*handed}) == BUDGET
    owned, units = study.standing.owned, study.standing.units
    assert owned is not None
    assert units is not None
    assert len(again) == plan.check == owned.counts.labels
    assert (units.band == -1).sum() == plan.check
    assert plan.take.sum() == BUDGET - len(again)
    assert study.verify(population=True).findings == ()


def test_all_labels_make_it_exact() -> None:
    study = labeled(made(), UNITS - len(CODED))
    found = study.estimate()["recall"]
    truth = float((TRUE & (SCORE >= 0.4)).sum() / TRUE.sum())
    assert (found.value, found.low, found.high) == pytest.approx((truth, truth, truth), abs=1e-9)
    assert found.labels == UNITS - len(CODED)


def test_a_larger_budget_keeps_every_label_and_the_check() -> None:
    study = labeled(labeled(made(known_check=0.1)), BUDGET + 100)
    assert study.standing.plan.check == study.standing.plans[0].check > 0
    assert study.progress().labels == BUDGET + 100
    assert study.verify(population=True).findings == ()


def test_a_wrong_answer_that_the_check_finds_corrects_the_others() -> None:
    """Two positives in three were coded as none; checked, the interval holds the truth, and unchecked it does not."""
    wrong = {unit: answer and i % 3 == 0 for i, (unit, answer) in enumerate(CODED.items())}
    truth = float(TRUE.mean())
    checked, blind = (labeled(made(known=wrong, known_check=check), 400).estimate()["prevalence"] for check in (0.6, 0.0))
    assert checked.low <= truth <= checked.high
    assert not blind.low <= truth <= blind.high


def test_the_answers_are_recorded_before_the_salt(tmp_path: Path) -> None:
    address = f"sqlite:///{tmp_path / 'l.db'}"
    study = made(address)
    kinds = [entry.kind for entry in open_ledger(address).entries("s")]
    assert kinds == ["population", "known", "study"]
    owned = study.standing.owned
    assert owned is not None
    assert open_ledger(address).entries("s")[2].body["known"] == owned.hash


def test_a_study_without_known_answers_records_what_it_did(tmp_path: Path) -> None:
    address = f"sqlite:///{tmp_path / 'l.db'}"
    made(address, known=None).plan(BUDGET)
    entries = open_ledger(address).entries("s")
    assert [entry.kind for entry in entries] == ["population", "study", "plan"]
    assert "known" not in entries[1].body
    assert "check" not in entries[2].body["plan"]


def test_later_answers_are_refused(tmp_path: Path) -> None:
    address = f"sqlite:///{tmp_path / 'l.db'}"
    made(address)
    made(address)  # the same again
    for other in (None, {**CODED, "u0001": True}):
        with pytest.raises(StudyError, match="recorded before a study's salt is made"):
            made(address, known=other)
    with pytest.raises(StudyError, match="recorded before a study's salt is made"):
        made(address, known_check=0.2)


def test_verify_finds_an_answer_that_was_changed(tmp_path: Path) -> None:
    path = tmp_path / "l.db"
    study = labeled(made(f"sqlite:///{path}"))
    assert study.verify().passed
    first = CODED[sorted(CODED)[0]]
    with sqlite3.connect(path) as book:
        body = book.execute("select body from entry where kind = 'known'").fetchone()[0]
        turned = body.replace(f'"positive":[{int(first)}', f'"positive":[{int(not first)}')
        assert turned != body
        book.execute("update entry set body = ? where kind = 'known'", [turned])
    assert any("entry 2" in finding for finding in study.verify().findings)


def test_what_cannot_be_known_is_refused() -> None:
    for answers, says in (
        ({**CODED, "nobody": True, "zero": False}, r"2 of 302 are not in .*for example 'nobody', 'zero'"),
        ([{"unit": "u0001", "answer": "yes"}, {"unit": "u0001", "answer": "no"}], "1 have two that contradict"),
        ({"u0001": "unsure"}, "none of these does"),
    ):
        with pytest.raises(LabelError, match=says):
            made(known=answers)
    with pytest.raises(LabelError, match="all answered yes"):
        made(known=None, known_positive={"u0001": "no"})
    with pytest.raises(PlanError, match="about a part of the table"):
        made(of=population(slices=["country"]), goals=["recall >= 0.5 by country"])
    with pytest.raises(PlanError, match="a metric by weight"):
        made(of=population(weight="amount"))
    with pytest.raises(PlanError, match=r"share of known answers to check must lie in \[0, 1\]"):
        made(known_check=2.0)
    with pytest.raises(PlanError, match="the check of known answers takes"):
        made(known_check=1.0).plan(BUDGET)


def test_the_same_answer_twice_and_unusable_ones_are_no_obstacle() -> None:
    rows = [
        {"unit": "u0001", "answer": "yes"},
        {"unit": "u0001", "answer": "yes", "labeler": "ada"},
        {"unit": "u0002", "answer": "skipped"},
    ]
    owned = made(known=rows).standing.owned
    assert owned is not None
    assert owned.unit == ("u0001",)


def test_a_known_unit_is_not_told_as_if_it_had_been_drawn() -> None:
    study = labeled(made())
    unit = next(iter(CODED))
    with pytest.raises(DrawError, match="never as if they had been drawn"):
        study.tell({unit: True})
    assert study.tell({unit: True}, ignore_undrawn=True).undrawn == 1


def test_positives_found_by_other_means_count_and_the_others_are_drawn() -> None:
    found = [IDS[i] for i in np.flatnonzero(TRUE)[:60].tolist()]
    study = labeled(made(known=None, known_positive=found))
    owned = study.standing.owned
    assert owned is not None
    assert owned.one_sided
    assert owned.positive.all()
    shown = study.estimate()
    assert any("known to be positive" in line for line in shown.warnings)
    assert shown["prevalence"].low <= TRUE.mean() <= shown["prevalence"].high
    assert study.standing.units is not None
    assert not {*found} & {*study.standing.units.unit}


@pytest.mark.parametrize(("training", "says"), [("yes", "learned from the known answers"), ("unknown", "nobody said"), ("no", None)])
def test_it_says_what_it_means_that_the_classifier_learned_from_them(training: Any, says: str | None) -> None:
    warnings = " ".join(labeled(made(known_in_training=training)).estimate().warnings)
    assert ("flatter" in warnings) == (says is not None)
    assert says is None or says in warnings


def test_a_check_has_a_few_labels_in_every_part() -> None:
    labels = KnownLabels(
        unit=("a", *(f"b{i:03d}" for i in range(99))),
        positive=np.arange(100) < 20,
        pattern=np.zeros(100, dtype=np.int64),
        guide_bin=np.zeros(100, dtype=np.int64),
        slice=np.zeros(100, dtype=np.int64),
        check=0.1,
    )
    assert labels.counts.N.tolist() == [80, 20]
    assert labels.counts.n.tolist() == [8, FEWEST_CHECKED]
    assert KnownLabels.of_json(labels.as_json()).hash == labels.hash


@pytest.mark.parametrize("check", [0.0, 0.1, 1.0])
def test_answers_with_weights_give_the_value_back(check: float) -> None:
    """Known answers are rows too: as they are with weight 1, or as far as they are checked."""
    study = labeled(made(known_check=check), 500)
    found = study.answers()
    rows: list[dict[str, Any]] = [dict(zip(found.columns, row, strict=True)) for row in found.rows]
    assert sum(row["weight"] for row in rows) == pytest.approx(UNITS)
    positive = sum(row["weight"] * row["answer"] for row in rows)
    assert sum(row["weight"] * row["answer"] * row["predicted_classifier"] for row in rows) / positive == pytest.approx(
        study.estimate()["recall"].value, rel=1e-9
    )
    truth = {IDS[i]: (int(SCORE[i] >= 0.4), int(TRUE[i])) for i in range(UNITS)}
    assert {row["unit"]: (row["predicted_classifier"], row["answer"]) for row in rows} == {row["unit"]: truth[row["unit"]] for row in rows}


def test_labels_of_a_check_are_counted_even_if_it_is_complete() -> None:
    assert labeled(made(known_check=1.0), 500).estimate()["recall"].labels == 500
    assert labeled(made(), 500).estimate()["recall"].labels == 500


def test_each_unit_of_a_check_has_the_probability_of_its_part() -> None:
    study = labeled(made(known_check=0.1))
    known, units = study.standing.owned, study.standing.units
    assert known is not None
    assert units is not None
    entry = next(entry for entry in study.ledger.entries("s") if entry.kind == "draw")
    part = dict(zip(known.unit, known.row.tolist(), strict=True))
    for unit, pi in zip(entry.body["units"]["unit"], entry.body["pi"], strict=True):
        if unit in part:
            assert pi == known.counts.n[part[unit]] / known.counts.N[part[unit]]
