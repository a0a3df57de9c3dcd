"""What is read of people: how each labeler works, how intervals shrank, and second looks that a study waits for."""

from itertools import pairwise
from pathlib import Path

import pytest
from scipy.stats import beta

from fewlabels.desk.desk import Desk, Said
from fewlabels.errors import LabelError, StudyError
from fewlabels.estimators.agreement import TruthRule
from fewlabels.nouns.classifier import Classifier
from fewlabels.nouns.label import Label
from fewlabels.nouns.sheet import FormColumn, Sheet
from fewlabels.randomness import is_double
from fewlabels.study.estimate.convergence import sizes
from fewlabels.study.study import Study
from tests.unit.study.made import GOALS, TABLE, TRUTH, create, finished, label_all, ledger_in, population, truth_of
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
    study.tell_gold([Label(unit=u, answer=OTHER[TRUTH[u]] if u in wrong else TRUTH[u], labeler="eve") for u in gold])
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
    shown, found = study.estimate(), study.convergence()
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
    found = study.convergence()
    assert (found.kind, found.goals) == ("none", ())
    assert found.why == "no interval before all 40 planned units are resolved, 39 are"


def test_a_draw_whose_first_units_are_no_plan_has_no_picture(tmp_path: Path) -> None:
    study = finished(tmp_path)
    gold = study.adjudicate(0.5)
    study.tell_gold(truth_of(gold))
    assert "gold answers" in str(study.convergence().why)


def test_an_online_study_shows_its_running_band(tmp_path: Path) -> None:
    study = create(tmp_path, goals=["accuracy >= 0.82"])
    study.plan(120, stopping="decision")
    for _ in range(3):
        if batch := study.ask(20):  # it may have ended
            study.tell(truth_of(batch.units))
    found, running = study.convergence(), study.running().goals[0]
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


def doubled(folder: Path, rule: TruthRule) -> Study:
    study = Study.create("s", population(), goals=list(GOALS), ledger=ledger_in(folder), rule=rule)
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
    with pytest.raises(StudyError, match=f"two labelers have answered all {len(second)} units labeled twice, 0 are done"):
        study.estimate()["precision"]
    assert "still wait for a second labeler" in str(study.estimate())
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


def test_an_answer_that_comes_to_count_after_the_look_is_said(tmp_path: Path) -> None:
    study = create(tmp_path)
    study.plan(40)
    batch = study.ask(40)
    assert batch is not None
    unsure, *others = batch.units
    study.tell([Label(unit=unsure, answer="cannot_tell", labeler="ann"), *(Label(unit=u, answer=TRUTH[u], labeler="ann") for u in others)])
    assert study.estimate().certified
    study.tell([Label(unit=others[0], answer=OTHER[TRUTH[others[0]]], labeler="bob")])
    assert study.standing.changed_after_look == 0  # the first answer counts
    study.tell([Label(unit=unsure, answer="yes", labeler="bob"), Label(unit=unsure, answer="no", labeler="cyd")])
    assert study.standing.changed_after_look == 1
    assert any("after numbers" in warning for warning in study.estimate().warnings)


def test_reading_how_intervals_shrank_is_a_look(tmp_path: Path) -> None:
    study = finished(tmp_path, budget=100)
    assert study.status().looks == 0
    study.convergence()
    assert study.status().looks == 1


def test_what_was_answered_is_not_counted_before_the_look(tmp_path: Path) -> None:
    study = create(tmp_path)
    study.plan(40)
    batch = study.ask(40)
    assert batch is not None
    study.tell(truth_of(batch.units[:39]))
    assert study.labelers().labelers[0].answers == {}
    study.tell(truth_of(batch.units[39:]))
    assert sum(study.labelers().labelers[0].answers.values()) == 40


def test_where_two_differ_the_majority_waits_for_a_third(tmp_path: Path) -> None:
    study = doubled(tmp_path, "majority")
    label_all(study)
    second = [u for u in drawn(study) if is_double(study.standing.salt, u, 0.4)]
    study.tell([Label(unit=u, answer=OTHER[TRUTH[u]] if u == second[0] else TRUTH[u], labeler="bob") for u in second])
    assert not study.status().progress.complete
    desk = Desk(study)
    assert desk.adjudication == 1
    (given,) = desk.take("eve", 5, adjudicates=True)
    assert desk.tell("eve", [Said(given.unit, {"positive": "yes"})])[0].status == "recorded"
    assert study.estimate().certified
    assert study.standing.changed_after_look == 0


def test_units_told_by_file_get_their_second_look_at_the_desk(tmp_path: Path) -> None:
    study = doubled(tmp_path, "majority")
    label_all(study)
    desk = Desk(study)
    second = {u for u in drawn(study) if is_double(study.standing.salt, u, 0.4)}
    given = desk.take("bob", 40)
    assert {one.unit for one in given} == second
    desk.tell("bob", [Said(one.unit, {"positive": TRUTH[one.unit]}) for one in given])
    assert study.status().progress.complete


def test_progress_does_not_tell_a_second_look_from_a_first(tmp_path: Path) -> None:
    study = create(tmp_path)
    study.plan(40)
    desk = Desk(study)
    desk.double(0.5)
    seen = []
    for who in ("ann", "bob"):
        while given := desk.take(who, 1):
            desk.tell(who, [Said(given[0].unit, {"positive": "no"})])
            done = desk.progress(who)
            seen.append((done.resolved, done.waiting))
    steps = {after[0] - before[0] for before, after in pairwise(seen)}
    assert steps == {1}
    assert seen[-1] == (desk.progress("ann").planned, 0)


def test_the_order_at_the_desk_says_nothing_about_scores(tmp_path: Path) -> None:
    study = create(tmp_path)
    study.plan(200)
    given = [one.unit for one in Desk(study).take("ann", 200)]
    asking = {unit: i for i, unit in enumerate(drawn(study))}
    places = [asking[unit] for unit in given]
    assert sorted(places) == list(range(200))
    close = sum(abs(a - b) == 1 for a, b in pairwise(places))
    assert close < 15  # neighbors of the asking order are neighbors here about twice in a shuffled one, 199 times in that order


def test_a_check_never_counts_for_its_unit(tmp_path: Path) -> None:
    study = create(tmp_path)
    study.plan(40)
    desk = Desk(study)
    first = desk.take("ann", 40)
    unsure = {one.unit for one in first[:20]}
    desk.tell("ann", [Said(g.unit, {"positive": "cannot_tell" if g.unit in unsure else TRUTH[g.unit]}) for g in first])
    gold = study.adjudicate(0.6)
    study.tell_gold(truth_of(gold))
    desk.set_sheet(Sheet(check_every=1))
    study.tell([Label(unit=next(one.unit for one in first if one.unit not in gold), answer="yes", labeler="bob")])
    (given,) = desk.take("bob", 1)
    assert given.unit not in unsure
    before = study.standing.answer_of(given.unit)
    desk.tell("bob", [Said(given.unit, {"positive": OTHER[TRUTH[given.unit]]})])
    assert study.standing.answer_of(given.unit) == before


def test_checks_are_refused_where_voices_count(tmp_path: Path) -> None:
    with pytest.raises(LabelError, match="the rule is majority"):
        Desk(doubled(tmp_path, "majority")).set_sheet(Sheet(check_every=5))


def test_closing_takes_units_out_of_the_hands_that_hold_them(tmp_path: Path) -> None:
    study = create(tmp_path)
    study.plan(40)
    desk = Desk(study)
    given = desk.take("ann", 10)
    study.close()
    assert [one.status for one in desk.tell("ann", [Said(given[0].unit, {"positive": "yes"})])] == ["refused"]


def test_who_could_not_tell_says_more_when_an_online_study_asks_again(tmp_path: Path) -> None:
    study = create(tmp_path, goals=["accuracy >= 0.82"])
    study.plan(120, stopping="decision")
    desk = Desk(study)
    given = desk.take("ann", 5)
    desk.tell("ann", [Said(one.unit, {"positive": "cannot_tell"}) for one in given])
    again = [one for one in desk.take("ann", 5) if one.unit in {g.unit for g in given}]
    assert again  # she is alone
    assert desk.tell("ann", [Said(again[0].unit, {"positive": "yes"})])[0].status == "corrected"
    desk.give_back("ann", [one.unit for one in again[1:]])
    others = {one.unit for one in desk.take("bob", 5)}
    assert others & {one.unit for one in again[1:]}
    desk.tell("bob", [Said(min(others), {"positive": "no"})])
    desk.give_back("bob", sorted(others - {min(others)}))
    assert not {one.unit for one in desk.take("ann", 5)} & {one.unit for one in again[1:]}  # now there is somebody else


def test_a_column_that_a_later_classifier_judges_by_is_no_longer_shown(tmp_path: Path) -> None:
    table = {**TABLE, "other": TABLE["score"] * 0.5}
    study = Study.create("s", population(table), goals=list(GOALS), ledger=ledger_in(tmp_path))
    study.plan(40)
    desk = Desk(study)
    desk.set_sheet(Sheet(show=(FormColumn("text"), FormColumn("other"))))
    assert set(desk.take("ann", 1)[0].content) == {"text", "other"}
    study.extend(classifiers=[Classifier("late", score="other", threshold=0.3)])
    assert set(desk.take("ann", 1)[0].content) == {"text"}


def test_second_looks_handed_out_to_a_file_may_be_taken_at_the_desk_by_somebody_else_only(tmp_path: Path) -> None:
    study = Study.create("s", population(), goals=list(GOALS), rule="majority", ledger=ledger_in(tmp_path))
    study.plan(40)
    desk = Desk(study)
    desk.double(0.5)
    batch = study.ask(40)
    assert batch is not None
    study.tell([Label(unit=unit, answer=TRUTH[unit], labeler="ann") for unit in batch.units])
    second = study.ask(40, second=True)
    assert second is not None
    assert desk.take("ann", 40) == []
    given = [one.unit for one in desk.take("bob", 40)]
    assert set(given) == set(second.units)
    desk.tell("bob", [Said(unit, {"positive": TRUTH[unit]}) for unit in given])
    assert study.progress().second_open == 0
    assert desk.take("ann", 40) == desk.take("bob", 40) == []


def test_a_second_look_is_never_handed_to_who_had_the_first(tmp_path: Path) -> None:
    study = Study.create("s", population(), goals=list(GOALS), rule="unanimous", ledger=ledger_in(tmp_path))
    study.plan(40)
    Desk(study).double(1.0)
    halves = [study.ask(20), study.ask(20, more=True)]
    for who, batch in zip(("ann", "bob"), halves, strict=True):
        assert batch is not None
        study.tell([Label(unit=unit, answer=TRUTH[unit], labeler=who) for unit in batch.units])
    for who, other in zip(("ann", "bob"), reversed(halves), strict=True):
        batch = study.ask(40, second=True, labeler=who)
        assert batch is not None
        assert other is not None
        assert set(batch.units) == set(other.units)
    assert study.ask(40, second=True, labeler="eve") is not None
