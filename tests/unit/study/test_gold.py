"""Gold: units drawn for it by chance, told once, and waited for."""

from pathlib import Path

import numpy as np
import pytest

from fewlabels.errors import DrawError, LabelError, PlanError, StudyError
from fewlabels.nouns.classifier import Classifier
from fewlabels.nouns.label import CLOSER
from fewlabels.study.study import Study
from tests.unit.study.made import TRUTH, create, kinds, ledger_in, population, truth_of
from tests.unit.study.made_gold import OTHER, gold_counts, noisy, sides, told

WAITING = "no interval before all {} units drawn for gold are adjudicated"


# ---------------------------------------------------------------- which units


def test_a_share_of_each_side_is_drawn_without_looking_at_labels(tmp_path: Path) -> None:
    study = create(tmp_path)
    study.plan(120)
    before = study.adjudicate(0.2)
    assert study.standing.units is not None
    whole = sides(study, study.standing.units.unit)
    assert sides(study, before) == tuple(int(np.ceil(0.2 * n)) for n in whole)
    study.tell(noisy(study.standing.units.unit))
    assert study.adjudicate(0.2) == before
    assert gold_counts(study, tmp_path) == 1


def test_the_order_tells_nothing_of_the_side(tmp_path: Path) -> None:
    study = told(tmp_path)
    chosen = study.adjudicate(0.5)
    flagged, _ = sides(study, chosen)
    assert sides(study, chosen[:flagged]) != (flagged, 0)


def test_a_larger_share_only_adds_and_a_smaller_one_changes_nothing(tmp_path: Path) -> None:
    study = told(tmp_path)
    small = set(study.adjudicate(0.1))
    large = set(study.adjudicate(0.4))
    assert small < large
    assert set(study.adjudicate(0.1)) == large
    assert set(study.adjudicate(1.0)) == set(study.standing.asked)
    assert gold_counts(study, tmp_path) == 3
    assert study.verify().passed


def test_a_share_is_above_0_and_at_most_1(tmp_path: Path) -> None:
    study = told(tmp_path)
    for share in (0, -0.1, 1.01, float("nan")):
        with pytest.raises(PlanError, match=r"in \(0, 1\]"):
            study.adjudicate(share)


def test_after_growth_gold_is_asked_for_again_and_only_adds(tmp_path: Path) -> None:
    study = told(tmp_path, budget=60)
    first = set(study.adjudicate(0.3))
    study.tell_gold(truth_of(first))
    assert not any("the plan grew" in w for w in study.status().warnings)
    study.plan(150)
    batch = study.ask(150)
    assert batch is not None
    study.tell(noisy(batch.units))
    assert any("the plan grew after units were drawn for gold: draw" in w for w in study.estimate().warnings)
    second = set(study.adjudicate(0.1))  # the share never falls
    assert first < second
    assert study.standing.units is not None
    for mine, all_of in zip(sides(study, second), sides(study, study.standing.units.unit), strict=True):
        assert mine >= np.ceil(0.3 * all_of)
    assert not any("the plan grew" in w for w in study.status().warnings)
    assert study.estimate().estimates == ()
    study.tell_gold(truth_of(second - first))
    assert study.estimate().certified
    assert study.verify(population=True).passed


def test_of_two_classifiers_the_sides_are_those_of_the_one_judged(tmp_path: Path) -> None:
    both = [Classifier("a", score="score", threshold=0.5), Classifier("b", score="score", threshold=0.1)]
    study = Study.create("s", population(score=None, threshold=None, classifiers=both), goals=["f1 +-0.2"], ledger=ledger_in(tmp_path))
    study.plan(100)
    chosen = study.adjudicate(0.2)
    assert study.standing.units is not None
    assert sides(study, chosen) == tuple(int(np.ceil(0.2 * n)) for n in sides(study, study.standing.units.unit))


# ---------------------------------------------------------------- telling


def test_gold_of_a_unit_not_drawn_for_it_is_refused(tmp_path: Path) -> None:
    study = told(tmp_path)
    chosen = study.adjudicate(0.2)
    other = next(unit for unit in study.standing.asked if unit not in chosen)
    with pytest.raises(DrawError, match=f"{other!r} is not among the {len(chosen)} units drawn for gold"):
        study.tell_gold({chosen[0]: "yes", other: "yes"})
    assert study.standing.gold == {}
    with pytest.raises(DrawError, match="answers are recorded for drawn units only"):
        study.tell_gold({"nobody": "yes"})
    found = study.tell_gold(TRUTH, ignore_undrawn=True)
    assert (found.recorded, found.undrawn) == (len(chosen), len(TRUTH) - len(chosen))


def test_telling_gold_twice_is_telling_it_once(tmp_path: Path) -> None:
    study = told(tmp_path)
    gold = truth_of(study.adjudicate(0.2))
    assert study.tell_gold(gold).recorded == len(gold)
    entries = kinds(study, tmp_path)
    assert study.tell_gold(gold).known == len(gold)
    assert study.tell_gold([{"unit": u, "answer": a, "labeler": "eve"} for u, a in gold.items()]).known == len(gold)
    assert kinds(study, tmp_path) == entries


def test_a_gold_answer_is_changed_only_as_a_correction(tmp_path: Path) -> None:
    study = told(tmp_path)
    gold = truth_of(study.adjudicate(0.2))
    study.tell_gold(gold)
    shown = study.estimate()["prevalence"]
    unit = next(iter(gold))
    with pytest.raises(LabelError, match="correct=True"):
        study.tell_gold({unit: OTHER[gold[unit]]})
    assert study.tell_gold({unit: OTHER[gold[unit]]}, correct=True).corrected == 1
    after = study.estimate()
    assert after["prevalence"].value != shown.value
    assert after["prevalence"].told_value == shown.told_value
    assert any("1 answers were corrected after numbers were shown" in w for w in after.warnings)
    assert study.tell_gold(gold, correct=True).corrected == 1
    assert study.estimate()["prevalence"] == shown
    assert study.verify().passed


def test_gold_answers_are_not_labels(tmp_path: Path) -> None:
    study = create(tmp_path)
    study.plan(60)
    study.tell_gold(truth_of(study.adjudicate(1.0)))
    done = study.status().progress
    assert (done.labels, done.gold_told, done.gold_planned) == (0, 60, 60)
    assert study.estimate().estimates == ()
    assert study.estimate(peek=True).estimates == ()


# ---------------------------------------------------------------- the look


def test_the_look_waits_for_gold(tmp_path: Path) -> None:
    study = told(tmp_path)
    chosen = study.adjudicate(0.2)
    study.tell_gold(truth_of(chosen[1:]))
    shown = study.estimate()
    assert shown.estimates == ()
    assert study.decide() is None
    assert "still to be adjudicated" in str(shown)
    assert any(f"{len(chosen) - 1} of {len(chosen)} units drawn for gold are adjudicated" in w for w in shown.warnings)
    with pytest.raises(StudyError, match=WAITING.format(len(chosen))):
        shown["recall"]
    assert not study.estimate(peek=True).certified
    study.tell_gold(truth_of(chosen[:1]))
    assert study.estimate().certified


@pytest.mark.parametrize("answer", ["cannot_tell", "skipped"])
def test_an_adjudicator_who_cannot_tell_ends_the_wait_and_corrects_nothing(tmp_path: Path, answer: str) -> None:
    study = told(tmp_path)
    before = study.estimate(peek=False)
    chosen = study.adjudicate(0.2)
    study.tell_gold(dict.fromkeys(chosen, answer))
    shown = study.estimate()
    assert shown.certified
    assert any("nothing is corrected" in w for w in shown.warnings)
    assert shown.estimates == before.estimates


def test_gold_nobody_could_give_is_left_out_and_said(tmp_path: Path) -> None:
    study = told(tmp_path)
    chosen = study.adjudicate(0.5)
    study.tell_gold({**truth_of(chosen), chosen[0]: "cannot_tell"})
    shown = study.estimate()
    assert shown["prevalence"].gold == len(chosen) - 1
    assert any(f"1 of {len(chosen)} gold answers say neither yes nor no" in w for w in shown.warnings)


def test_closing_ends_the_wait_for_gold(tmp_path: Path) -> None:
    study = told(tmp_path)
    chosen = study.adjudicate(0.5)
    study.tell_gold(truth_of(chosen[5:]))
    assert study.close().recorded == 5
    assert study.close().recorded == 0
    shown = study.estimate()
    assert shown.certified
    assert shown["prevalence"].gold == len(chosen) - 5
    assert {label.labeler for label in study.standing.gold.values() if label.answer == "never_answered"} == {CLOSER}
    assert study.tell_gold(truth_of(chosen[:5])).recorded == 5  # a late answer corrects nobody's
    assert study.estimate()["prevalence"].gold == len(chosen)
    assert study.verify().passed


def test_closing_gold_after_a_peek_is_not_certified(tmp_path: Path) -> None:
    study = told(tmp_path)
    chosen = study.adjudicate(0.5)
    study.tell_gold(truth_of(chosen[5:]))
    study.estimate(peek=True)
    study.close()
    assert not study.estimate().certified


def test_gold_drawn_after_the_look_is_said(tmp_path: Path) -> None:
    study = told(tmp_path)
    study.estimate()
    chosen = study.adjudicate(0.2)
    study.tell_gold(truth_of(chosen))
    assert any(f"{len(chosen)} units were drawn for gold after numbers were shown" in w for w in study.estimate().warnings)
