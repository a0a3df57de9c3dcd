"""Looks, estimates and decisions: nothing before the look, a peek is marked and recorded, a census is exact."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fewlabels.errors import StudyError
from fewlabels.nouns.metrics import METRICS
from fewlabels.planning.design_choice import DesignName
from fewlabels.study.state.register import Register
from fewlabels.study.study import Study
from tests.unit.study.made import TABLE, TRUTH, create, finished, kinds, label_all, ledger_in, population, rows, truth_of


def part_labeled(folder: Path, *, budget: int = 40, labeled: int = 39) -> Study:
    study = create(folder)
    study.plan(budget)
    batch = study.ask(labeled)
    assert batch is not None
    study.tell(truth_of(batch.units))
    return study


@pytest.mark.parametrize("labeled", [1, 20, 39])
def test_nothing_is_shown_before_the_look(tmp_path: Path, labeled: int) -> None:
    study = part_labeled(tmp_path, labeled=labeled)
    before = rows(tmp_path)
    shown = study.estimate()
    assert (shown.estimates, shown.certified) == ((), False)
    assert study.decide() is None
    assert shown.as_json()["estimates"] == []
    assert rows(tmp_path) == before
    with pytest.raises(
        StudyError, match=f"no interval before all 40 planned units are resolved, {labeled} are: continue labeling, or peek"
    ):
        shown["recall"]
    assert "Numbers are shown at the planned look, not before." in " ".join(str(shown).split())


def test_status_never_shows_a_number_of_positives(tmp_path: Path) -> None:
    study = part_labeled(tmp_path)
    status = study.status()
    assert status.progress.labels == 39
    assert not hasattr(status, "estimates")
    assert kinds(study, tmp_path).count("look") == 0


def test_a_peek_is_marked_and_recorded(tmp_path: Path) -> None:
    study = part_labeled(tmp_path)
    shown = study.estimate(peek=True)
    assert len(shown.estimates) == len(METRICS)
    assert not shown.certified
    assert "WARNING: A peek, not certified" in str(shown)
    look = ledger_in(tmp_path).entries("s")[-1]
    assert (look.kind, look.body["certified"], look.body["labels"]) == ("look", False, 39)
    assert look.body["estimates"] == [e.as_json() for e in shown.estimates]
    decision = study.decide(peek=True)
    assert decision is not None
    assert not decision.certified
    assert "(a peek, not certified)" in str(decision)
    assert study.status().looks == 1


def test_a_peek_at_no_labels_shows_and_records_nothing(tmp_path: Path) -> None:
    study = create(tmp_path)
    study.plan(40)
    with pytest.raises(StudyError, match="no units drawn yet: draw some first"):
        study.estimate(peek=True)
    study.ask(10)
    assert study.estimate(peek=True).estimates == ()
    assert study.decide(peek=True) is None
    assert "look" not in kinds(study, tmp_path)


def test_a_peek_uses_only_labels_in_asking_order(tmp_path: Path) -> None:
    study = create(tmp_path)
    study.plan(40)
    study.ask(1)
    assert study.standing.units is not None
    order = study.standing.units.unit
    study.tell(truth_of(order[:20]))
    first = study.estimate(peek=True)
    study.tell(truth_of(order[21:]))  # all but one: what comes after the gap does not count yet
    second = study.estimate(peek=True)
    assert [e.as_json() for e in second.estimates] == [e.as_json() for e in first.estimates]


def test_looking_twice_is_one_look(tmp_path: Path) -> None:
    study = finished(tmp_path)
    first = study.estimate()
    before = rows(tmp_path)
    assert study.estimate() == first
    assert study.decide() is not None
    study.estimate(peek=True)
    assert Study.load("s", ledger=ledger_in(tmp_path)).estimate() == first
    assert rows(tmp_path) == before
    assert study.status().looks == 1


def test_a_look_after_a_correction_is_another_look(tmp_path: Path) -> None:
    study = finished(tmp_path)
    study.estimate()
    assert study.standing.units is not None
    unit = study.standing.units.unit[0]
    study.tell({unit: "no" if TRUTH[unit] == "yes" else "yes"}, correct=True)
    study.estimate()
    assert study.status().looks == 2


def test_closing_makes_the_look_possible(tmp_path: Path) -> None:
    study = part_labeled(tmp_path, labeled=30)
    study.close()
    shown = study.estimate()
    assert shown.certified
    assert shown["recall"].labels == 30
    assert shown.progress.never_answered == 10
    assert any("10 never answered" in w for w in shown.warnings)
    assert study.decide() is not None


def test_a_study_nobody_answered_knows_nothing(tmp_path: Path) -> None:
    study = create(tmp_path)
    study.plan(40)
    study.close()
    shown = study.estimate()
    assert shown.certified
    for name in METRICS:
        metric = shown[name]
        assert metric.value is None
        assert metric.why
        if name == "kappa":  # the known sizes of the sides alone keep it above -1
            assert -1 < metric.low < 0 < metric.high == 1
            continue
        assert (metric.low, metric.high) == (METRICS[name].low, METRICS[name].high)
    decision = study.decide()
    assert decision is not None
    assert decision.outcome == "label more"
    assert study.verify().passed


def test_every_metric_is_shown_and_goals_are_marked(tmp_path: Path) -> None:
    shown = finished(tmp_path).estimate()
    assert [e.metric for e in shown.estimates][:2] == ["precision", "recall"]
    assert {e.metric for e in shown.estimates} == set(METRICS)
    assert {e.metric for e in shown.estimates if e.planned} == {"precision", "recall"}


def test_a_draw_of_flagged_units_answers_for_precision_only(tmp_path: Path) -> None:
    study = finished(tmp_path, budget=20, goals=["precision +-0.1"])
    shown = study.estimate()
    assert "precision" in {e.metric for e in shown.estimates}
    assert "recall" not in {e.metric for e in shown.estimates}
    with pytest.raises(StudyError, match="this draw cannot estimate recall"):
        shown["recall"]
    assert study.decide() is not None


def true_values() -> dict[str, float]:
    flagged, y = np.asarray(TABLE["score"]) >= 0.5, np.asarray(TABLE["y"]) == 1
    tp, fp, fn = (flagged & y).sum(), (flagged & ~y).sum(), (~flagged & y).sum()
    return {"precision": tp / (tp + fp), "recall": tp / (tp + fn), "f1": 2 * tp / (2 * tp + fp + fn), "prevalence": (tp + fn) / y.size}


@pytest.mark.parametrize("design", ["bands", "simple"])
def test_a_census_has_no_error(tmp_path: Path, design: DesignName) -> None:
    study = create(tmp_path)
    study.plan(400, design=design)
    label_all(study)
    shown = study.estimate()
    for name, truth in true_values().items():
        assert shown[name].value == pytest.approx(truth, abs=1e-12)
        assert shown[name].low <= truth + 1e-12
        assert shown[name].high >= truth - 1e-12
        assert shown[name].half_width < 1e-6
    assert study.decide() is not None
    assert study.verify(population=True).passed


@pytest.mark.parametrize("design", ["bands", "simple"])
@pytest.mark.parametrize("budget", [40, 400])
def test_recall_with_nothing_found_is_unknown(tmp_path: Path, budget: int, design: DesignName) -> None:
    study = create(tmp_path)
    study.plan(budget, design=design)
    batch = study.ask(budget)
    assert batch is not None
    study.tell(dict.fromkeys(batch.units, "no"))
    shown = study.estimate()
    recall = shown["recall"]
    assert recall.value is None
    assert recall.why is not None
    assert (recall.low, recall.high) == (0.0, 1.0)
    assert recall.as_json()["value"] is None
    assert shown["precision"].value == 0.0
    decision = study.decide()
    assert decision is not None
    assert decision.outcome != "ship"
    assert study.verify().passed


def test_a_classifier_that_flags_nothing_walks_the_path(tmp_path: Path) -> None:
    study = create(tmp_path, threshold=1.0)
    study.plan(40)
    label_all(study)
    shown = study.estimate()
    assert shown["precision"].value is None
    assert study.decide() is not None
    assert study.verify().passed


def test_a_classifier_that_flags_everything_walks_the_path(tmp_path: Path) -> None:
    study = create(tmp_path, threshold=0.0)
    study.plan(40)
    label_all(study)
    shown = study.estimate()
    assert shown["recall"].value == pytest.approx(1.0)
    assert study.decide() is not None


def test_a_decision_is_about_the_goals(tmp_path: Path) -> None:
    study = create(tmp_path, goals=["precision >= 0.2", "recall >= 0.1"])
    study.plan(400)
    label_all(study)
    ship = study.decide()
    assert ship is not None
    assert (ship.outcome, ship.certified, ship.more) == ("ship", True, None)
    assert [v.status for v in ship.goals] == ["met", "met"]
    assert not str(ship).startswith("LABEL")


def test_a_goal_that_fails_is_not_shipped(tmp_path: Path) -> None:
    study = create(tmp_path, goals=["precision >= 0.2", "recall >= 0.99"])
    study.plan(400)
    label_all(study)
    decision = study.decide()
    assert decision is not None
    assert decision.outcome == "do not ship"
    assert any("recall >= 0.99" in reason for reason in decision.reasons)


def test_an_open_goal_asks_for_more_labels_than_there_are(tmp_path: Path) -> None:
    study = finished(tmp_path, budget=20)
    decision = study.decide()
    assert decision is not None
    assert decision.outcome == "label more"
    assert decision.more is not None
    assert 0 < decision.more.labels <= 380
    assert decision.more.flagged + decision.more.unflagged == decision.more.labels


def test_grown_estimates_use_all_labels(tmp_path: Path) -> None:
    study = finished(tmp_path)
    study.estimate()
    study.plan(100)
    assert study.estimate().estimates == ()  # the new plan's look has not come
    label_all(study)
    assert study.estimate()["recall"].labels == 100
    assert study.status().looks == 2
    assert study.verify(population=True, table=population().table).passed


@pytest.mark.parametrize("flagged", [True, False], ids=["flagged", "unflagged"])
def test_a_side_nobody_could_judge_stays_unknown(tmp_path: Path, flagged: bool) -> None:
    study = create(tmp_path)
    study.plan(60)
    batch = study.ask(60)
    assert batch is not None
    score = dict(zip(TABLE["id"], TABLE["score"], strict=True))
    study.tell({u: "cannot_tell" if (score[u] >= 0.5) == flagged else TRUTH[u] for u in batch.units})
    shown = study.estimate()
    assert (shown["precision"].value is None) == flagged
    assert shown["recall"].value is None
    # What the judged side says still rules something out: positives it found were missed, or were caught.
    assert (shown["recall"].low == 0.0) if flagged else (shown["recall"].high == 1.0)
    assert not flagged or (shown["precision"].low, shown["precision"].high) == (0.0, 1.0)
    assert study.decide() is not None
    assert study.verify().passed


def test_closing_after_a_peek_is_not_certified(tmp_path: Path) -> None:
    study = part_labeled(tmp_path, labeled=30)
    study.estimate(peek=True)
    study.close()
    shown = study.estimate()
    assert shown.progress.complete
    assert not shown.certified
    assert any("closed after a peek" in warning for warning in shown.warnings)
    assert (study.status().looks, study.status().peeks) == (2, 2)
    assert study.verify().passed


def test_closing_without_a_peek_is_certified(tmp_path: Path) -> None:
    study = part_labeled(tmp_path, labeled=30)
    study.close()
    assert study.estimate().certified


def test_corrections_after_a_look_are_warned_of(tmp_path: Path) -> None:
    study = finished(tmp_path)
    study.estimate()
    assert not any("corrected after" in warning for warning in study.status().warnings)
    unit = next(iter(study.standing.answers))
    study.tell({unit: "no" if TRUTH[unit] == "yes" else "yes"}, correct=True)
    assert any("1 answers were corrected after numbers were shown" in warning for warning in study.estimate().warnings)


def test_units_that_nobody_answers_are_not_counted_on(tmp_path: Path) -> None:
    """Thirty answers of a hundred: one more label would not do, whatever was planned."""
    study = part_labeled(tmp_path, budget=100, labeled=30)
    study.close()
    decision = study.decide()
    assert decision is not None
    assert decision.more is not None
    assert decision.more.labels > 50


def test_a_look_beside_a_teller_is_what_the_ledger_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer told between reading and recording must not leave a look that the ledger cannot reproduce."""
    study = part_labeled(tmp_path, labeled=20)
    batch = study.ask(20)
    assert batch is not None
    teller = Study.load("s", ledger=ledger_in(tmp_path), table=TABLE)
    answers = truth_of(batch.units)
    reading = study.followed.read

    def told_meanwhile(do: Callable[[Register], Any]) -> Any:
        found = reading(do)
        if answers:
            unit, answer = answers.popitem()
            teller.tell({unit: answer})
        return found

    with monkeypatch.context() as other_process:
        other_process.setattr(study.followed, "read", told_meanwhile)
        study.estimate(peek=True)
    assert not answers
    assert study.verify().passed
