"""The gate's self-test: truths where they are said to be, verdicts that are the gate's own, and a broken gate that is found out."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from fewlabels.errors import PlanError
from fewlabels.estimators.measuring import Measured, measure
from fewlabels.estimators.sides import Sides
from fewlabels.nouns.classifier import Classifier
from fewlabels.nouns.estimate import IntervalKind
from fewlabels.nouns.metric import Metric
from fewlabels.nouns.policy import Policy, parse_policy
from fewlabels.nouns.tally import AnyTally
from fewlabels.randomness import stream
from fewlabels.study.decision import gate_trial as trying
from fewlabels.study.decision.gate import read_gate
from fewlabels.study.decision.gate_self_test import SelfTest, self_test
from fewlabels.study.decision.gate_trial import bench_of, drawn
from fewlabels.study.decision.gate_truths import Shape, truth_at, value_at
from fewlabels.study.simulate import CellCounts
from fewlabels.study.study import Study
from tests.unit.study.made import UNITS, columns, create, finished, population

CUT = {**columns(2_000), "country": ["DE" if i % 3 else "BR" for i in range(2_000)]}


def policy(*rules: str) -> Policy:
    return parse_policy("\n".join(f"[[rule]]\n{rule}" for rule in rules))


ACCURATE = policy('metric = "accuracy"\ntarget = 0.8')


def planned(folder: Path, *goals: str, budget: int = 200) -> Study:
    study = create(folder, goals=goals or ["accuracy >= 0.8"], table=CUT, slices=["country"])
    study.plan(budget)
    return study


@pytest.mark.parametrize(
    "rule",
    [
        'metric = "accuracy"\ntarget = 0.8',
        'metric = "recall"\ntarget = 0.37',
        'metric = "prevalence"\ntarget = "<= 0.11"',
        'metric = "accuracy"\ntarget = 0.8\nslice = "country=DE"',
    ],
)
def test_a_truth_is_a_hair_on_the_wrong_side_and_made_of_whole_units(tmp_path: Path, rule: str) -> None:
    standing, goal = planned(tmp_path).standing, policy(rule).rules[0].goal
    truth = truth_at(standing, goal, "scores", goal.value, wrong=True)
    assert truth.dtype == np.int64
    assert (truth >= 0).all()
    assert (truth <= standing.profile.count).all()
    off = value_at(standing, goal, truth) - goal.value
    assert 0 < (-off if goal.kind == ">=" else off) < 0.004
    good = truth_at(standing, goal, "scores", 0.9 if goal.kind == ">=" else 0.05, wrong=False)
    assert value_at(standing, goal, good) == pytest.approx(0.9 if goal.kind == ">=" else 0.05, abs=0.004)


def around(study: Study, about: str) -> Iterator[str]:
    """Rules that just hold and just do not: by the bound, by the bound that two rules share, by effective n and by half-width."""
    found = study.gate(policy(f'metric = "accuracy"\ntarget = 0.5\n{about}')).rules[0].estimate
    assert found is not None
    assert found.n_eff is not None
    for off in (-0.02, -0.001, 0.001, 0.02):
        yield f'metric = "accuracy"\ntarget = {found.at_least + off}\nmax_half_width = 0.5\n{about}'
    for off in np.linspace(-0.004, 0.03, 18).tolist():
        yield f'metric = "accuracy"\ntarget = {found.at_most + off}\nmax_half_width = 0.5\n{about}'
    for times in (0.98, 1.02):
        yield f'metric = "accuracy"\ntarget = 0.5\nmin_n_eff = {found.n_eff * times}\nmax_half_width = 0.5\n{about}'
        yield f'metric = "accuracy"\ntarget = 0.5\nmax_half_width = {found.half_width * times}\n{about}'


@pytest.mark.parametrize("about", ["", 'slice = "country=BR"'])
def test_simulated_verdicts_are_those_of_the_gate(tmp_path: Path, about: str) -> None:
    """The counts of a real draw, judged as the self-test judges them, against the gate on the same labels."""
    study = planned(tmp_path)
    yes = dict(zip(CUT["id"], (CUT["y"] == 1).tolist(), strict=True))
    while batch := study.ask(300):
        study.tell({unit: yes[unit] for unit in batch.units})
    standing, units = study.standing, study.standing.units
    assert units is not None
    cell, size = standing.profile.cells(units.pattern, units.guide_bin, units.slice), standing.profile.count.size
    n = np.bincount(cell, minlength=size).astype(float)
    k = np.bincount(cell, weights=[yes[unit] for unit in units.unit], minlength=size).astype(float)
    seen = []
    for text in around(study, about):
        rules = policy(text, 'metric = "recall"\ntarget = 0.2')
        ships, fails = bench_of(standing, rules.rules[0], labels=200).judge(CellCounts(n[None], k[None]), among=2)
        seen.append("do_not_ship" if fails[0] else "ship" if ships[0] else "label_more")
        assert seen[-1] == read_gate(standing, rules, forecast=False).rules[0].verdict, text
    assert seen[:4] == ["ship", "ship", "label_more", "label_more"]
    assert seen[4] == "label_more"
    assert seen[21] == "do_not_ship"
    assert seen[22:] == ["ship", "label_more", "label_more", "ship"]


def found_by(study: Study, rules: Policy, *, reps: int = 100, seed: int = 42) -> SelfTest:
    return self_test(study.standing, rules, reps=reps, seed=seed)


def test_the_gate_passes_its_own_test_and_says_the_same_each_time(tmp_path: Path) -> None:
    study = planned(tmp_path)
    entries = len(study.ledger.entries("s"))
    found = found_by(study, ACCURATE)
    assert found.passed
    assert [(one.rule, one.shape, one.keeps) for one in found.tried] == [
        ("accuracy >= 0.8", "scores", False),
        ("accuracy >= 0.8", "scores", True),
        (None, "scores", True),
    ]
    assert found == found_by(study, ACCURATE)
    assert found != found_by(study, ACCURATE, seed=43)
    assert len(study.ledger.entries("s")) == entries  # nothing is looked at


def test_a_gate_that_compares_the_value_itself_is_found_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def naive(metric: Metric, tally: AnyTally, *, tail: float, interval: IntervalKind, sides: Sides | None) -> Measured:
        found = measure(metric, tally, tail=tail, interval=interval, sides=sides)
        return found._replace(low=found.value, high=found.value)

    monkeypatch.setattr(trying, "measure", naive)
    found = found_by(planned(tmp_path), ACCURATE)
    assert not found.passed
    assert 0.3 < found.tried[0].ships.share < 0.7
    assert "FAILED, 1 false-pass rates too high" in found.lines[-1]


def test_labels_shape_truths_after_the_look_only(tmp_path: Path) -> None:
    study = finished(tmp_path, budget=100, goals=["accuracy >= 0.8"])
    shapes: list[Shape] = [one.shape for one in found_by(study, ACCURATE, reps=20).tried]
    assert shapes == ["scores", "scores", "labels", "labels", "scores", "labels"]


def test_false_blocks_fall_with_more_labels_and_the_test_says_how_many(tmp_path: Path) -> None:
    found = found_by(planned(tmp_path, budget=60), policy('metric = "accuracy"\ntarget = 0.85'))
    block = found.tried[1]
    assert block.keeps
    assert block.blocked.share > 0.1
    ((rule, labels),) = found.enough
    assert rule == "accuracy >= 0.85"
    assert labels in (120, 240, 480)


def test_differences_are_tried_and_half_widths_are_not(tmp_path: Path) -> None:
    both = [Classifier("a", score="score", threshold=0.5), Classifier("b", score="score", threshold=0.3)]
    study = Study.create(
        "s", population(CUT, score=None, threshold=None, classifiers=both), goals=["accuracy >= 0 for a over b"], ledger="sqlite:///:memory:"
    )  # fmt: skip
    study.plan(150)
    found = found_by(
        study, policy('metric = "accuracy"\nclassifier = "a"\nover = "b"\ntarget = ">= 0"', 'metric = "accuracy"\nmax_half_width = 0.1')
    )
    assert found.passed
    assert found.tried[0].rule == "accuracy >= 0 for a over b"
    assert not found.tried[0].keeps
    assert next(why for _, why in found.left_out).startswith(("a half-width has no wrong side", "the draw leaves out"))


def test_nothing_simulated_is_no_pass(tmp_path: Path) -> None:
    found = found_by(planned(tmp_path), policy('metric = "accuracy"\nmax_half_width = 0.1'))
    assert not found.passed
    assert found.lines[-1].startswith("NOTHING SIMULATED")


def test_draws_that_no_counts_stand_for_are_refused(tmp_path: Path) -> None:
    study = create(tmp_path, goals=["accuracy >= 0.6"])
    study.plan(UNITS // 2, stopping="decision")
    with pytest.raises(PlanError, match="online plan"):
        found_by(study, ACCURATE)


def test_draws_take_as_many_units_of_each_band_as_the_plan(tmp_path: Path) -> None:
    standing = planned(tmp_path).standing
    goal = ACCURATE.rules[0].goal
    truth = truth_at(standing, goal, "scores", goal.value, wrong=True)
    counts = drawn(standing.plan.design, standing.profile.count, truth, labels=200, reps=5, rng=stream(1))
    for n in counts.n:
        assert np.array_equal(np.bincount(standing.plan.design.band, weights=n), standing.plan.take)
    assert (counts.k <= np.minimum(counts.n, truth)).all()
