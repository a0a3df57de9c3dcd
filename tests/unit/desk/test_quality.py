"""Quality of labels at the desk: units that two labelers see by design, checks against gold answers, and the adjudicator's queue."""

from pathlib import Path

import pytest

from fewlabels.desk.desk import Desk
from fewlabels.errors import LabelError
from fewlabels.nouns.label import Label
from fewlabels.nouns.sheet import Sheet
from fewlabels.randomness import is_double
from fewlabels.study.study import Study
from tests.contracts.ledgers_under_test import PARAMETERS, UnderTest
from tests.unit.desk.made_desk import Clock, desk_of, keep_in, planned, says, statuses, tell, units_of, work
from tests.unit.study.made import TRUTH
from tests.unit.study.made_gold import OTHER
from tests.unit.study.test_joint import LABELS, of_labels


@pytest.fixture(autouse=True, params=PARAMETERS)
def under(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> UnderTest:
    """Every ledger there is."""
    found: UnderTest = request.param
    keep_in(found, monkeypatch)
    return found


def tellers(study: Study) -> dict[str, set[str]]:
    return {unit: {who for _, who in told} for unit, told in study.standing.answers.items()}


def chosen(study: Study, share: float) -> set[str]:
    drawn = study.standing.units
    assert drawn is not None
    return {unit for unit in drawn.unit if is_double(study.standing.salt, unit, share)}


@pytest.mark.parametrize("share", [0.25, 1.0])
def test_a_share_of_the_units_is_seen_by_two_labelers_and_no_others(tmp_path: Path, share: float) -> None:
    study = planned(tmp_path)
    desk = desk_of(study)
    desk.double(share)
    for labeler in ("ada", "bob", "eve"):
        work(desk, labeler)
    twice = chosen(study, share)
    assert 0 < len(twice) <= 40
    assert {unit for unit, who in tellers(study).items() if len(who) == 2} == twice
    assert all(len(who) <= 2 for who in tellers(study).values())
    assert len(tellers(study)) == 40
    assert study.verify().findings == ()


def test_labelers_who_take_turns_share_the_second_looks(tmp_path: Path) -> None:
    study = planned(tmp_path)
    desk = desk_of(study)
    desk.double(0.5)
    left = {"ada", "bob", "eve"}
    while left:
        for labeler in sorted(left):
            given = units_of(desk.take(labeler, 3))
            tell(desk, labeler, given)
            left -= set() if given else {labeler}
    assert {unit for unit, who in tellers(study).items() if len(who) == 2} == chosen(study, 0.5)


def test_corrections_and_repeats_leave_the_second_look_to_another(tmp_path: Path) -> None:
    study = planned(tmp_path, budget=10)
    desk = desk_of(study)
    desk.double(1.0)
    units = units_of(desk.take("ada", 10))
    tell(desk, "ada", units)
    tell(desk, "ada", units)  # a request that is repeated
    tell(desk, "ada", units[:5], "cannot_tell", correct=True)
    study.tell([Label(unit=unit, answer=TRUTH[unit], labeler="ada") for unit in units[5:]])
    assert sorted(units_of(desk.take("bob", 10))) == sorted(units)


def test_answers_of_a_file_to_several_questions_leave_the_second_look(tmp_path: Path) -> None:
    study = of_labels(tmp_path, budget=30)
    desk = desk_of(study)
    desk.double(1.0)
    (unit,) = units_of(desk.take("ada", 1))
    study.tell([Label(unit=unit, answer="yes", question=name, labeler="ada") for name in LABELS])
    assert unit not in units_of(desk.take("ada", 100))
    desk.give_back("ada", units_of(desk.take("ada", 100)))
    assert unit in units_of(desk.take("bob", 100))


def test_whoever_answered_in_a_file_is_not_the_second_to_look(tmp_path: Path) -> None:
    study = planned(tmp_path, budget=12)
    batch = study.ask(12)
    assert batch is not None
    study.tell([Label(unit=unit, answer=TRUTH[unit], labeler="ada") for unit in batch.units])
    desk = desk_of(study)
    desk.double(0.5)
    assert desk.take("ada", 12) == []
    assert set(work(desk, "bob")) == chosen(study, 0.5)


def test_a_share_that_is_set_late_does_not_end_the_work_of_one_labeler(tmp_path: Path) -> None:
    study = planned(tmp_path, budget=400)
    desk = desk_of(study)
    desk.take("ada", 200)
    tell(desk, "ada", units_of(desk.take("ada", 200)))
    desk.double(0.5)
    assert len(desk.take("ada", 5)) == 5  # second looks at what she has seen are for others, but there is more


def test_a_larger_share_only_adds_units(tmp_path: Path) -> None:
    study = planned(tmp_path)
    desk = desk_of(study)
    desk.double(0.2)
    work(desk, "ada")
    first = set(work(desk, "bob"))
    assert first == chosen(study, 0.2)
    desk.double(0.6)
    desk.double(0.1)
    assert set(work(desk, "bob")) == chosen(study, 0.6) - first
    assert chosen(study, 0.2) < chosen(study, 0.6)


@pytest.mark.parametrize("share", [0.0, -0.1, 1.01, float("nan")])
def test_a_share_that_is_none_is_refused(tmp_path: Path, share: float) -> None:
    with pytest.raises(LabelError, match=r"in \(0, 1\]"):
        desk_of(planned(tmp_path)).double(share)


def with_gold(folder: Path, *, check_every: int, gold: bool = True) -> tuple[Study, Desk, set[str]]:
    """Bob has answered 40 units, some of them have a gold answer, and 40 more are planned."""
    study = planned(folder)
    desk = desk_of(study)
    work(desk, "bob")
    units = study.adjudicate(0.4)
    if gold:
        study.tell_gold({unit: TRUTH[unit] for unit in units})
    study.plan(80)
    desk.set_sheet(Sheet(check_every=check_every))
    return study, desk, set(units)


def test_units_with_a_gold_answer_are_mixed_in_after_enough_answers(tmp_path: Path) -> None:
    study, desk, gold = with_gold(tmp_path, check_every=5)
    order: list[str] = []
    while given := desk.take("ada", 1):
        order += units_of(given)
        tell(desk, "ada", units_of(given))
    checks = [place for place, unit in enumerate(order) if unit in gold]
    assert len(order) == len(set(order))
    assert checks[:3] == [5, 10, 15]
    assert all((place + 1) // 5 >= i for i, place in enumerate(checks, start=1))
    assert [unit for unit in order if tellers(study)[unit] != {"ada"}] == [order[place] for place in checks]
    assert desk.progress("ada").waiting == 0


def test_one_check_waits_at_a_time(tmp_path: Path) -> None:
    _, desk, gold = with_gold(tmp_path, check_every=5)
    tell(desk, "ada", units_of(desk.take("ada", 5)))
    for _ in range(4):  # asked again and again without an answer
        given = units_of(desk.take("ada", 40))
    assert len(set(given) & gold) == 1
    tell(desk, "ada", given)
    assert desk.progress("ada").waiting == 0


def test_a_check_of_a_unit_told_in_a_file_leaves_its_second_look_to_another(tmp_path: Path) -> None:
    study = planned(tmp_path)
    batch = study.ask(40)
    assert batch is not None
    study.tell([Label(unit=unit, answer=TRUTH[unit], labeler="bob") for unit in batch.units])
    gold = study.adjudicate(0.4)
    study.tell_gold({unit: TRUTH[unit] for unit in gold})
    study.plan(80)
    desk = desk_of(study)
    desk.set_sheet(Sheet(check_every=2))
    tell(desk, "ada", units_of(desk.take("ada", 2)))
    (check,) = set(units_of(desk.take("ada", 1))) & set(gold)
    tell(desk, "ada", [check])
    desk.double(1.0)
    assert not set(work(desk, "bob")) & set(batch.units)


def test_a_check_is_nobody_elses(tmp_path: Path) -> None:
    _, desk, gold = with_gold(tmp_path, check_every=5)
    tell(desk, "ada", units_of(desk.take("ada", 5)))
    (check,) = set(units_of(desk.take("ada", 1))) & gold
    assert check not in units_of(desk.take("eve", 200))
    assert desk.give_back("ada", [check]) == 0


@pytest.mark.parametrize(("check_every", "gold"), [(0, True), (5, False)])
def test_without_gold_answers_or_when_not_wanted_there_are_no_checks(tmp_path: Path, check_every: int, gold: bool) -> None:
    study, desk, _ = with_gold(tmp_path, check_every=check_every, gold=gold)
    assert len(work(desk, "ada")) == 40
    assert all(len(who) == 1 for who in tellers(study).values())


def test_a_gold_answer_that_is_none_is_no_check(tmp_path: Path) -> None:
    study, desk, gold = with_gold(tmp_path, check_every=5, gold=False)
    study.tell_gold({unit: "cannot_tell" for unit in gold})
    assert not set(work(desk, "ada")) & gold


def disputed(folder: Path) -> tuple[Study, Desk, list[str]]:
    """Ada and Bob have both seen ten units and disagree on the first three; on the fourth one of them cannot tell."""
    study = planned(folder, budget=10)
    desk = desk_of(study, Clock())
    desk.double(1.0)
    units = units_of(desk.take("ada", 10))
    tell(desk, "ada", units)
    desk.take("bob", 10)
    tell(desk, "bob", units[4:])
    assert statuses(desk.tell("bob", says(desk, {unit: OTHER[TRUTH[unit]] for unit in units[:3]}))) == ["recorded"] * 3
    tell(desk, "bob", units[3:4], "cannot_tell")
    return study, desk, units


def test_units_on_which_labelers_disagree_wait_for_an_adjudicator(tmp_path: Path) -> None:
    study, desk, units = disputed(tmp_path)
    assert desk.adjudication == desk.adjudication == 3
    assert desk.take("eve", 10) == []
    assert desk.take("ada", 10, adjudicates=True) == []  # she is one of those who disagree
    hers = units_of(desk.take("eve", 2, adjudicates=True))
    assert len(hers) == 2
    assert {*hers, *units_of(desk.take("carol", 5, adjudicates=True))} == set(units[:3])
    tell(desk, "eve", hers)
    assert desk.adjudication == 1
    assert all(tellers(study)[unit] == {"ada", "bob", "eve"} for unit in hers)


def test_a_dispute_of_files_is_for_somebody_else(tmp_path: Path) -> None:
    study = planned(tmp_path, budget=10)
    batch = study.ask(10)
    assert batch is not None
    unit = batch.units[0]
    study.tell([Label(unit=one, answer=TRUTH[one], labeler="ada") for one in batch.units])
    study.tell([Label(unit=unit, answer=OTHER[TRUTH[unit]], labeler="bob")])
    desk = desk_of(study)
    assert desk.adjudication == 1
    assert desk.take("ada", adjudicates=True) == desk.take("bob", adjudicates=True) == []
    assert units_of(desk.take("eve", adjudicates=True)) == [unit]


def test_a_dispute_in_one_of_several_questions_is_one(tmp_path: Path) -> None:
    study = of_labels(tmp_path, budget=30)
    desk = desk_of(study)
    desk.double(1.0)
    first, second = units_of(desk.take("ada", 2))
    desk.tell("ada", says(desk, {first: "yes", second: "yes"}))
    desk.take("bob", 100)
    said = says(desk, {first: "yes", second: "yes"})
    said[1] = said[1]._replace(answers={**said[1].answers, LABELS[2]: "no"})
    assert statuses(desk.tell("bob", said)) == ["recorded"] * 2
    assert units_of(desk.take("eve", adjudicates=True)) == [second]


def test_progress_says_nothing_of_answers(tmp_path: Path) -> None:
    _, desk, _ = disputed(tmp_path)
    assert desk.progress("ada").as_json() == {"told": 10, "resolved": 20, "planned": 20, "waiting": 0}  # looks of two
