"""What is read of people: how each labeler works, how intervals shrank, and second looks that a study waits for."""

from pathlib import Path

import pytest
from scipy.stats import beta

from assay.errors import StudyError
from assay.nouns.label import Label
from assay.randomness import is_double
from assay.study.desk import Desk, Said
from assay.study.readings.shrinking import sizes
from assay.study.study import Study
from tests.unit.study.made import GOALS, TRUTH, create, finished, label_all, ledger_in, population, truth_of
from tests.unit.study.made_gold import OTHER


def drawn(study: Study) -> tuple[str, ...]:
    units = study.standing.units
    assert units is not None
    return units.unit


def test_a_labeler_is_read_from_their_own_answers(tmp_path: Path) -> None:
    study = create(tmp_path)
    study.plan(40)
    study.ask(40)
    units = drawn(study)
    study.tell([Label(unit=u, answer=TRUTH[u], labeler="ann") for u in units[:38]])
    study.tell([Label(unit=units[38], answer="skipped", labeler="ann"), Label(unit=units[39], answer="cannot_tell", labeler="ann")])
    study.tell([Label(unit=u, answer=OTHER[TRUTH[u]] if u in units[:3] else TRUTH[u], labeler="bob") for u in units[:20]])
    found = study.labelers()
    ann, bob = found.labelers
    assert (ann.name, ann.units, sum(ann.answers.values()), ann.skipped, ann.cannot_tell) == ("ann", 40, 38, 1, 1)
    assert (bob.agreement.same, bob.agreement.units) == (17, 20)
    assert ann.agreement == bob.agreement
    assert bob.agreement.low == pytest.approx(beta.ppf(0.025, 17, 4))
    assert bob.agreement.high == pytest.approx(beta.ppf(0.975, 18, 3))
    assert found.disputed == 3
    assert (ann.gold_accuracy.value, ann.gold_accuracy.low, ann.gold_accuracy.high) == (None, 0.0, 1.0)
    assert ann.median_seconds is None


def test_gold_and_speed_are_read(tmp_path: Path) -> None:
    study = create(tmp_path)
    study.plan(40)
    desk = Desk(study)
    for seconds in (1.0, 3.0, 8.0, 100.0):
        desk.tell("ann", [Said(g.unit, {"positive": TRUTH[g.unit]}, seconds=seconds) for g in desk.take("ann", 10)])
    gold = study.adjudicate(0.5)
    wrong = set(gold[:2])
    study.tell([Label(unit=u, answer=OTHER[TRUTH[u]] if u in wrong else TRUTH[u], labeler="eve") for u in gold], gold=True)
    (ann,) = study.labelers().labelers
    assert (ann.gold_accuracy.same, ann.gold_accuracy.units) == (len(gold) - 2, len(gold))
    assert ann.median_seconds == 5.5


def test_the_closer_is_no_labeler(tmp_path: Path) -> None:
    study = create(tmp_path)
    study.plan(40)
    study.ask(10)
    study.close()
    assert study.labelers().labelers == ()


def test_intervals_shrink_to_the_one_of_the_look(tmp_path: Path) -> None:
    study = finished(tmp_path, budget=200)
    shown, found = study.estimate(), study.shrinking()
    assert found.kind == "afterwards"
    assert [str(goal) for goal, _ in found.goals] == list(GOALS)
    for goal, points in found.goals:
        last = shown.of(goal.metric)
        assert points[-1] == (200, last.low, last.value, last.high)
        assert points[-1].high - points[-1].low < points[0].high - points[0].low
        assert [p.labels for p in points] == sizes(200)


def test_nothing_is_shown_before_the_look(tmp_path: Path) -> None:
    study = create(tmp_path)
    study.plan(40)
    batch = study.ask(39)
    assert batch is not None
    study.tell(truth_of(batch.units))
    found = study.shrinking()
    assert (found.kind, found.goals) == ("none", ())
    assert found.why == "no interval before all 40 planned units are resolved, 39 are"


def test_a_draw_whose_first_units_are_no_plan_has_no_picture(tmp_path: Path) -> None:
    study = finished(tmp_path)
    gold = study.adjudicate(0.5)
    study.tell(truth_of(gold), gold=True)
    assert "gold answers" in str(study.shrinking().why)


def test_an_online_study_shows_its_running_band(tmp_path: Path) -> None:
    study = create(tmp_path, goals=["accuracy >= 0.82"])
    study.plan(120, stopping="decision")
    for _ in range(3):
        if batch := study.ask(20):  # it may have ended
            study.tell(truth_of(batch.units))
    found, running = study.shrinking(), study.running().goals[0]
    assert found.kind == "running"
    (goal, points), *_ = found.goals
    assert str(goal) == "accuracy >= 0.82"
    assert points[-1][1:] == (running.low, running.value, running.high)
    assert points[-1].labels == study.running().labels


def test_sizes_rise_to_all() -> None:
    assert sizes(0) == []
    assert sizes(5) == [5]
    assert sizes(1_000)[0] == 20
    assert sizes(1_000)[-1] == 1_000
    assert sizes(1_000) == sorted(set(sizes(1_000)))


def doubled(folder: Path, rule: str) -> Study:
    study = Study.create("s", population(), goals=list(GOALS), ledger=ledger_in(folder), rule=rule)  # type: ignore[arg-type]  # one of three
    study.plan(40)
    Desk(study).double(0.4)
    return study


def test_where_voices_count_the_look_waits_for_the_second_ones(tmp_path: Path) -> None:
    study = doubled(tmp_path, "majority")
    label_all(study)
    second = [u for u in drawn(study) if is_double(study.standing.salt, u, 0.4)]
    done = study.status().progress
    assert (done.labels, done.second_planned, done.second_told, done.complete) == (40, len(second), 0, False)
    assert 5 < len(second) < 30
    with pytest.raises(StudyError, match=f"two labelers have answered all {len(second)} units chosen for it, 0 are"):
        study.estimate()["precision"]
    assert "before the last second answer" in str(study.estimate())
    study.tell([Label(unit=u, answer=TRUTH[u], labeler="bob") for u in second])
    assert study.estimate().certified


def test_where_the_first_answer_counts_it_does_not(tmp_path: Path) -> None:
    study = doubled(tmp_path, "first")
    label_all(study)
    assert study.estimate().certified


def test_closing_ends_the_waiting_for_second_looks(tmp_path: Path) -> None:
    study = doubled(tmp_path, "majority")
    label_all(study)
    study.close()
    done = study.status().progress
    assert done.complete
    assert done.second_told == done.second_planned > 0
    assert study.standing.answer_of(drawn(study)[0]) is not None


def test_a_larger_share_only_adds_units() -> None:
    units = [f"u{i}" for i in range(2_000)]
    small, large = ({u for u in units if is_double("s", u, share)} for share in (0.1, 0.3))
    assert small < large
    assert 140 < len(small) < 260
    assert all(is_double("s", u, 1.0) for u in units)
