"""An online study: units asked where answers say, read in asking order, true at every look, and the same when it is replayed."""

import json
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fewlabels.errors import FewlabelsError, PlanError, StudyError
from fewlabels.intervals.anytime import MISSING
from fewlabels.nouns.classifier import Classifier
from fewlabels.nouns.label import CLOSER
from fewlabels.randomness import stream
from fewlabels.study.draw.online import pick_number
from fewlabels.study.population.read import read_population
from fewlabels.study.state.online_path import walked
from fewlabels.study.study import Study
from tests.unit.study.made import TABLE, TRUTH, create, kinds, ledger_in, truth_of

FLAGGED = [unit for unit, score in zip(TABLE["id"], TABLE["score"].tolist(), strict=True) if score >= 0.5]
PRECISION = sum(TRUTH[unit] == "yes" for unit in FLAGGED) / len(FLAGGED)


def online(folder: Path, *goals: str, budget: int = 40, stopping: str = "decision", **how: Any) -> Study:
    study = create(folder, goals=goals or ["precision >= 0.3"], **how)
    study.plan(budget, stopping=stopping)
    return study


def labeled(study: Study, *, batch: int = 7) -> Study:
    while found := study.ask(batch):
        study.tell(truth_of(found.units))
    return study


def test_a_clear_goal_is_decided_before_the_budget_and_asking_ends(tmp_path: Path) -> None:
    study = labeled(online(tmp_path, "accuracy >= 0.6", budget=300))
    running = study.running()
    assert running.outcome == "ship"
    assert running.labels < 150
    assert study.ask(5) is None
    decision = study.decide()
    assert decision is not None
    assert decision.outcome == "ship"
    assert f"by label {running.goals[0].decided_at}" in decision.reasons[0]


def test_a_goal_that_fails_is_shown_to_fail(tmp_path: Path) -> None:
    study = labeled(online(tmp_path, "precision >= 0.97", budget=len(FLAGGED)))
    assert study.running().outcome == "do not ship"


def test_when_every_unit_is_labeled_the_band_is_the_truth_and_a_hair(tmp_path: Path) -> None:
    study = labeled(online(tmp_path, f"precision >= {PRECISION:.4f}", budget=len(FLAGGED)))
    running = study.running()
    assert running.labels == len(FLAGGED)
    one = running.goals[0]
    assert one.value == pytest.approx(PRECISION)
    assert one.low <= PRECISION <= one.high
    assert one.high - one.low <= 0.0031  # the step of the grid on either side


def test_a_budget_that_ends_first_leaves_it_undecided_and_may_be_raised(tmp_path: Path) -> None:
    study = labeled(online(tmp_path, f"precision >= {PRECISION:.3f}", budget=20))
    decision = study.decide()
    assert decision is not None
    assert decision.outcome == "undecided"
    assert "raise the budget" in decision.reasons[-1]
    assert study.ask(5) is None
    study.plan(40)
    labeled(study)
    assert study.running().labels == 40
    assert study.verify(population=False).passed


def test_labels_are_read_in_asking_order_up_to_the_first_that_is_open(tmp_path: Path) -> None:
    study = online(tmp_path, "accuracy >= 0.1 ", "accuracy >= 0.2")
    study.ask(10)
    units = study.standing.units
    assert units is not None
    study.tell(truth_of(units.unit[4:]))
    assert study.running().labels == 0
    assert study.running().beyond == 6
    study.tell(truth_of(units.unit[:3]))
    assert (study.running().labels, study.running().beyond) == (3, 6)
    study.tell(truth_of(units.unit[3:4]))
    assert (study.running().labels, study.running().beyond) == (10, 0)


def test_the_order_of_answers_does_not_change_the_band(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fewlabels.study.create.new_salt", lambda: "ab" * 16)
    found = []
    for turn in (1, -1):
        folder = tmp_path / str(turn)
        folder.mkdir()
        study = online(folder, "accuracy >= 0.5", stopping="decision +-0.05")
        batch = study.ask(40)
        assert batch is not None
        for unit in batch.units[::turn]:
            study.tell(truth_of([unit]))
        assert study.running().labels == 40
        found.append((batch.units, study.running().as_json()))
    assert found[0] == found[1]


def test_a_unit_nobody_could_tell_is_handed_out_again_first_then_counts_as_missing(tmp_path: Path) -> None:
    study = online(tmp_path, "accuracy >= 0.75", budget=80)
    first = study.ask(8)
    assert first is not None
    odd = first.units[2]
    study.tell({unit: "cannot_tell" if unit == odd else TRUTH[unit] for unit in first.units})
    assert study.running().again == 1
    second = study.ask(4)
    assert second is not None
    assert odd in second.units
    assert len(second.units) == 4
    study.tell(truth_of(unit for unit in second.units if unit != odd))
    assert study.running().missing == 0  # nobody has looked at it a second time
    open_now = study.ask(4)
    assert open_now is not None
    assert open_now.units == (odd,)
    assert study.tell({odd: "cannot_tell"}).recorded == 1  # the same answer again is news
    assert study.tell({odd: "cannot_tell"}).recorded == 0
    standing = study.standing
    assert standing.units is not None
    found = walked(standing)
    assert found.label[standing.units.unit.index(odd)] == MISSING  # seen twice, and nobody could tell
    assert study.running().missing == 1
    assert study.running().labels == 11
    study.tell([{"unit": odd, "answer": TRUTH[odd], "labeler": "bob"}])  # late, but an answer
    assert study.running().missing == 0


def test_two_labelers_who_cannot_tell_settle_it_and_so_does_closing(tmp_path: Path) -> None:
    study = online(tmp_path, "accuracy >= 0.75")
    batch = study.ask(6)
    assert batch is not None
    a, b, *rest = batch.units
    study.tell(truth_of(rest))
    study.tell([{"unit": a, "answer": "cannot_tell", "labeler": who} for who in ("ann", "bob")])
    standing = study.standing
    assert standing.units is not None
    label = dict(zip(standing.units.unit, walked(standing).label, strict=True))
    assert (label[a], label[b]) == (MISSING, None)
    study.close()
    assert study.running().missing == 2
    assert {told.labeler for told in study.standing.told(b)} == {CLOSER}
    assert study.verify().passed


def test_missing_labels_hold_the_band_open_on_both_sides(tmp_path: Path) -> None:
    units = len(FLAGGED)
    study = online(tmp_path, "precision >= 0.01", budget=units, stopping="decision +-0.005")
    while batch := study.ask(10, more=True):
        study.tell({unit: "skipped" if unit in FLAGGED[:5] else TRUTH[unit] for unit in batch.units})
        study.close()
    one = study.running().goals[0]
    assert one.low <= PRECISION <= one.high
    if study.running().labels == units:
        assert one.high - one.low >= 5 / units


def test_open_batches_of_many_labelers_are_read_the_same_when_replayed(tmp_path: Path) -> None:
    study = online(tmp_path, f"accuracy >= {0.8}", budget=200)
    rng = stream(3)
    held: list[list[str]] = []
    while len(held) < 60:
        batch = study.ask(int(rng.integers(1, 6)), more=True)
        if batch is None:
            break
        held.append(list(batch.units))
        if len(held) > 5:
            out = held.pop(int(rng.integers(len(held))))
            study.tell(truth_of(out))
    for out in held:
        study.tell(truth_of(out))
    assert any(one.waiting for one in study.standing.rounds)
    found = study.verify(population=True, table=TABLE)
    assert found.passed, found.findings
    drawn = study.standing.units
    assert drawn is not None
    assert len(set(drawn.unit)) == len(drawn.unit)
    assert study.running().labels == len(drawn)


def test_fifty_threads_lose_no_answer(tmp_path: Path) -> None:
    study = online(tmp_path, "accuracy >= 0.82", budget=150)

    def work(who: int) -> int:
        mine = Study.load("s", ledger=ledger_in(tmp_path), table=TABLE)
        batch = mine.ask(1 + who % 5, more=True)
        if batch is None:
            return 0
        told = mine.tell([{"unit": unit, "answer": TRUTH[unit], "labeler": f"p{who}"} for unit in batch.units])
        return told.recorded

    with ThreadPoolExecutor(8) as pool:
        recorded = sum(pool.map(work, range(50)))
    standing = study.standing
    assert standing.units is not None
    assert recorded == len(standing.units) == sum(bool(standing.told(unit)) for unit in standing.units.unit)
    assert study.running().labels == recorded
    assert study.verify().passed


def test_the_next_unit_is_the_next_of_its_band_by_permanent_number(tmp_path: Path) -> None:
    study = labeled(online(tmp_path, f"precision >= {PRECISION:.2f}", budget=40))
    standing = study.standing
    assert standing.units is not None
    for k in np.unique(standing.units.band):
        numbers = standing.units.number[standing.units.band == k]
        assert (np.diff(numbers) > 0).all()
    assert 0 <= pick_number("ab", 0) < 1
    assert pick_number("ab", 0) != pick_number("ab", 1) != pick_number("ac", 1)


def test_a_reserve_that_runs_dry_is_filled_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fewlabels.study.draw.online.SPARE", 0)
    monkeypatch.setattr("fewlabels.study.draw.online.AHEAD", 1.0)
    monkeypatch.setattr("fewlabels.study.draw.online.EXPECTED", 0.1)
    study = labeled(online(tmp_path, f"precision >= {PRECISION:.3f}", budget=len(FLAGGED)), batch=9)
    assert kinds(study, tmp_path).count("reserve") > 1
    found = study.verify(population=True, table=TABLE)
    assert found.passed, found.findings


@pytest.mark.parametrize("what", ["rate", "waiting", "unit", "band", "plan_hash"])
def test_a_changed_round_is_found(tmp_path: Path, what: str) -> None:
    study = labeled(online(tmp_path, f"precision >= {PRECISION:.2f}", budget=40), batch=8)
    entries = list(study._ledger.entries("s"))
    at = [i for i, entry in enumerate(entries) if entry.kind == "draw"][2]
    body = json.loads(json.dumps(entries[at].body))
    if what == "rate":
        body["rate"] = body["rate"][::-1]
    elif what == "waiting":
        body["waiting"] = [0]
    elif what == "band":
        body["units"]["band"] = [band + 1 for band in body["units"]["band"]]
    elif what == "plan_hash":
        body["plan_hash"] = "0" * 64
    else:
        names = body["units"]["unit"]
        names[0], names[1] = names[1], names[0]
    from fewlabels.study.draw.online import check_round
    from fewlabels.study.state.replay import replay

    before = replay(entries[:at])
    assert check_round(before, entries[at].body) is None
    assert check_round(before, body) is not None


def test_two_who_ask_while_the_reserve_is_dry_do_no_harm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fewlabels.study.draw.online.SPARE", 0)
    monkeypatch.setattr("fewlabels.study.draw.online.AHEAD", 1.0)
    monkeypatch.setattr("fewlabels.study.draw.online.EXPECTED", 0.01)
    online(tmp_path, "accuracy >= 0.82", budget=300)

    def work(units: int) -> int:
        batch = Study.load("s", ledger=ledger_in(tmp_path), table=TABLE).ask(units, more=True)
        return len(batch.units) if batch is not None else 0

    with ThreadPoolExecutor(6) as pool:
        asked = sum(pool.map(work, (40, 45, 50, 55, 30, 35)))
    study = Study.load("s", ledger=ledger_in(tmp_path), table=TABLE)
    assert study.standing.units is not None
    assert len(study.standing.units) == asked == 255
    found = study.verify(population=True)
    assert found.passed, found.findings


@pytest.mark.parametrize("positives", [1, 2, 5, 7, 10])
def test_a_census_is_never_empty_and_holds_the_truth(tmp_path: Path, positives: int) -> None:
    table = {"id": [f"i{i}" for i in range(11)], "score": [0.6 + i / 50 for i in range(11)]}
    study = Study.create("s", read_population(table, score="score", threshold=0.5), goals=["precision +-0.02"], ledger=ledger_in(tmp_path))
    study.plan(11, stopping="width")
    while batch := study.ask(4):
        study.tell({unit: int(unit[1:]) < positives for unit in batch.units})
    one = study.running().goals[0]
    assert not one.empty
    assert one.low <= positives / 11 <= one.high
    assert study.running().outcome == "ship"


@pytest.mark.parametrize("goal", ["precision >= 0.5", "precision <= 0.5"])
def test_a_census_at_the_target_itself_meets_it(tmp_path: Path, goal: str) -> None:
    table = {"id": ["a", "b", "c", "d"], "score": [0.6, 0.7, 0.8, 0.9]}
    study = Study.create("s", read_population(table, score="score", threshold=0.5), goals=[goal], ledger=ledger_in(tmp_path))
    study.plan(4, stopping="decision")
    while batch := study.ask(4):
        study.tell({unit: unit in "ab" for unit in batch.units})
    assert study.running().outcome == "ship"


def test_costs_in_another_currency_take_as_many_labels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fewlabels.study.create.new_salt", lambda: "cd" * 16)
    labels: list[int] = []
    for goal in ("cost[0,1,1,0] <= 0.3", "cost[0,100,100,0] <= 30"):
        folder = tmp_path / str(len(labels))
        folder.mkdir()
        labels.append(labeled(online(folder, goal, budget=300)).running().labels)
    assert labels[0] == labels[1] < 300


def test_corrections_of_a_study_that_may_be_watched_are_told(tmp_path: Path) -> None:
    study = online(tmp_path, "accuracy >= 0.8")
    batch = study.ask(10)
    assert batch is not None
    study.tell(truth_of(batch.units))
    study.tell({batch.units[0]: {"yes": "no", "no": "yes"}[TRUTH[batch.units[0]]]}, correct=True)
    assert any("1 answers were corrected" in warning for warning in study.status().warnings)


def test_width_ends_when_the_band_is_narrow_enough(tmp_path: Path) -> None:
    study = labeled(online(tmp_path, "accuracy +-0.1", budget=400, stopping="width"))
    running = study.running()
    assert running.outcome == "ship"
    assert running.goals[0].half_width <= 0.1
    assert running.labels < 400


def two_models(folder: Path, goal: str, budget: int) -> tuple[Study, dict[str, Any]]:
    rng = stream(11)
    n = 2_000
    y = rng.random(n) < 0.3
    good = np.where(rng.random(n) < 0.9, y, ~y)
    bad = np.where(rng.random(n) < 0.7, y, ~y)
    ids = [f"i{i}" for i in range(n)]
    table = {"id": ids, "a": good.astype(int), "b": bad.astype(int)}
    population = read_population(table, classifiers=[Classifier("a", predicted="a"), Classifier("b", predicted="b")])
    study = Study.create("ab", population, goals=[goal], ledger=ledger_in(folder))
    study.plan(budget, stopping="decision")
    return study, {"truth": dict(zip(ids, y.tolist(), strict=True)), "differ": int((good != bad).sum())}


@pytest.mark.parametrize("goal", ["accuracy >= 0 for a over b", "f1 >= 0 for a over b", "recall >= 0 for a over b"])
def test_the_better_of_two_is_found_from_disagreements_alone(tmp_path: Path, goal: str) -> None:
    study, known = two_models(tmp_path, goal, 400)
    assert study.standing.plan.design.frame == known["differ"]
    while batch := study.ask(20):
        study.tell({unit: bool(known["truth"][unit]) for unit in batch.units})
    assert study.running().outcome == "ship"
    assert study.running().labels < 200
    if goal.startswith("accuracy"):
        one = study.running().goals[0]
        assert one.low < 0.2 < one.high  # .9 - .7
    assert study.verify().passed


def test_goals_of_slices_are_decided_on_their_own_units(tmp_path: Path) -> None:
    table = {**TABLE, "half": ["left" if i % 2 else "right" for i in range(len(TABLE["id"]))]}
    population = read_population(table, score="score", threshold=0.5, slices=["half"])
    study = Study.create("s", population, goals=["accuracy >= 0.5 by half"], ledger=ledger_in(tmp_path))
    plan = study.plan(300, stopping="decision")
    assert "each at 0.975" in plan.promise
    assert "each goal at 0.025" in plan.promise
    labeled(study)
    assert study.running().outcome == "ship"
    assert {one.goal.slice for one in study.running().goals} == {("half", "left"), ("half", "right")}


@pytest.mark.parametrize(
    ("goal", "stopping", "says"),
    [
        ("precision +-0.1", "decision", "a target"),
        ("precision >= 0.5", "width", "a half-width"),
        ("mcc >= 0.5", "decision", "ratio of counts"),
        ("precision >= 0.5", "decision +-0.6", "tolerance"),
        ("precision >= 0.5", "twelve looks", "stopping rule must be"),
        ("precision >= 0.5", "12 looks", "2 to 10"),
        ("precision >= 0.99", "decision +-0.02", "name one below 0.01"),
        ("precision >= 0.02", "decision +-0.02", "name one below 0.02"),
    ],
)
def test_rules_that_do_not_fit_are_refused(tmp_path: Path, goal: str, stopping: str, says: str) -> None:
    with pytest.raises(PlanError, match=says):
        online(tmp_path, goal, stopping=stopping)


def test_the_rule_is_fixed_with_the_first_plan(tmp_path: Path) -> None:
    study = online(tmp_path, "precision >= 0.4")
    with pytest.raises(PlanError, match="locked with the first plan"):
        study.plan(90, stopping="decision +-0.1")
    with pytest.raises(PlanError, match="has its own design and intervals"):
        create(tmp_path, "other", goals=["precision >= 0.4"]).plan(40, stopping="decision", pilot=20)


def test_what_does_not_hold_at_every_look_is_refused(tmp_path: Path) -> None:
    study = online(tmp_path, "precision >= 0.4")
    for ask in (
        lambda: study.curves(),
        lambda: study.adjudicate(0.2),
        lambda: study.preview_extension(goals=["recall >= 0.5"]),
        lambda: study.sql(),
    ):
        with pytest.raises(FewlabelsError, match="this study has an online plan"):
            ask()
    fixed = create(tmp_path, "fixed")
    fixed.plan(40)
    with pytest.raises(StudyError, match="'fixed' has one look"):
        fixed.running()


def test_every_look_is_certified_and_recorded(tmp_path: Path) -> None:
    study = online(tmp_path, f"precision >= {PRECISION:.2f}", budget=40)
    assert study.estimate().estimates == ()
    for _ in range(3):
        batch = study.ask(10)
        assert batch is not None
        study.tell(truth_of(batch.units))
        shown = study.estimate()
        assert shown.certified
        assert shown["precision"].interval == "anytime"
    assert kinds(study, tmp_path).count("look") == 3
    with sqlite3.connect(tmp_path / "ledger.db") as file:
        assert file.execute("select count(*) from entry where kind = 'look'").fetchone()[0] == 3
    assert study.verify(population=True, table=TABLE).passed


def test_a_population_held_elsewhere_is_named(tmp_path: Path) -> None:
    study = online(tmp_path, "precision >= 0.4")
    with pytest.raises(FewlabelsError, match="held in memory"):
        Study.load("s", ledger=ledger_in(tmp_path)).ask(3)
    assert study.ask(3) is not None
