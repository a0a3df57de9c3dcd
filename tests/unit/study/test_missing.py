"""Answers that nobody gave: what is shown of them, what is decided, and where a number cannot be had."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom

from fewlabels.designs.base import takes
from fewlabels.estimators.grouping import groups_of
from fewlabels.estimators.measuring import measure
from fewlabels.nouns.estimate import Estimate
from fewlabels.nouns.metrics import METRICS
from fewlabels.planning.design_choice import choose_design
from fewlabels.randomness import permanent_number, stream
from fewlabels.study.simulate import replicate, true_value
from fewlabels.study.study import Study
from tests.statistics.populations import known
from tests.unit.study.made import GOALS, columns, create, label_all, ledger_in, population, truth_of

BIG = columns(6_000)
POSITIVE = dict(zip(BIG["id"], (BIG["y"] == 1).tolist(), strict=True))
FLAGGED = dict(zip(BIG["id"], (BIG["score"] >= 0.5).tolist(), strict=True))
MIX = 41  # the purpose of the stream
Skips = Callable[[str, float], bool]


def labeled(folder: Path, *, goals: tuple[str, ...] = ("precision >= 0.5",), budget: int = 400, skips: Skips) -> Study:
    """A study on 6,000 units whose labelers skip some; `skips` sees the unit and an even number of its own."""
    study = Study.create("s", population(BIG), goals=list(goals), ledger=ledger_in(folder))
    study.plan(budget)
    while batch := study.ask(1_000):
        study.tell({u: "skipped" if skips(u, permanent_number("chance", u) / 2**52) else POSITIVE[u] for u in batch.units})
    return study


def finite(estimates: tuple[Estimate, ...]) -> bool:
    numbers = [x for e in estimates for x in (e.low, e.high, e.strict_low, e.strict_high, e.worst_low, e.worst_high) if x is not None]
    return bool(np.isfinite(numbers).all()) and all(e.low <= e.high for e in estimates)


def test_answers_missing_by_chance_are_assumed_to_be_like_the_others(tmp_path: Path) -> None:
    study = labeled(tmp_path, goals=("precision >= 0.5", "recall >= 0.3"), skips=lambda u, chance: chance < 0.1)
    shown = study.estimate()
    assert not shown.missing.differs
    assert 0.05 < (shown.missing.whole.share or 0) < 0.15
    (warning,) = [w for w in shown.warnings if "no usable answer" in w]
    assert "assume that within a band and side the missing answers are like the others" in warning
    assert "read the worst case too" in warning
    for e in shown.estimates:
        assert e.worst_low is not None
        assert e.worst_high is not None
        assert e.worst_low <= e.low <= e.high <= e.worst_high
    assert "worst case [" in str(shown["recall"])
    assert shown.promise == study.standing.plan.promise
    decision = study.decide()
    assert decision is not None
    assert not any("worst case" in reason for reason in decision.reasons)
    assert study.verify().passed


def test_answers_missing_on_one_side_are_not_called_random(tmp_path: Path) -> None:
    study = labeled(tmp_path, goals=("precision >= 0.45", "recall >= 0.2"), skips=lambda u, chance: FLAGGED[u] and chance < 0.3)
    shown = study.estimate()
    assert shown.missing.differs
    (warning,) = [w for w in shown.warnings if "no usable answer" in w]
    assert "NOT missing at random (flagged units: " in warning
    assert "does not hold as it stands" in shown.promise
    precision = shown["precision"]
    assert precision.low > 0.45  # the plain interval would ship
    assert precision.worst_low is not None
    assert precision.worst_low < 0.45
    decision = study.decide()
    assert decision is not None
    assert decision.outcome == "label more"
    assert decision.more is None  # more labels of the same kind are no remedy
    assert any("in the worst case" in reason for reason in decision.reasons)
    assert any("Have somebody else answer them" in reason for reason in decision.reasons)


def test_a_goal_that_even_the_worst_case_meets_is_met(tmp_path: Path) -> None:
    study = labeled(tmp_path, goals=("precision >= 0.3",), skips=lambda u, chance: BIG["score"][int(u[1:])] < 0.6 and chance < 0.5)
    assert study.estimate().missing.differs
    decision = study.decide()
    assert decision is not None
    assert decision.outcome == "ship"
    assert "bound" in decision.reasons[0]
    assert "in the worst case" in decision.reasons[0]


def test_answers_of_somebody_else_settle_it(tmp_path: Path) -> None:
    study = labeled(tmp_path, goals=("precision >= 0.5", "recall >= 0.2"), skips=lambda u, chance: FLAGGED[u] and chance < 0.3)
    units = study.standing.units
    assert units is not None
    study.tell([{"unit": u, "answer": POSITIVE[u], "labeler": "grace"} for u in units.unit])
    shown = study.estimate()
    assert (shown.missing.whole.missing, shown.missing.differs) == (0, False)
    assert shown["precision"].worst_low is None
    assert shown.promise == study.standing.plan.promise


@pytest.mark.parametrize(("lacking", "shown"), [(2, False), (3, True)])
def test_the_worst_case_is_shown_above_five_percent_and_not_at_it(tmp_path: Path, lacking: int, shown: bool) -> None:
    study = create(tmp_path, goals=("precision +-0.2",))
    study.plan(40)
    batch = study.ask(40)
    assert batch is not None
    study.tell({**truth_of(batch.units), **dict.fromkeys(batch.units[:lacking], "skipped")})
    precision = study.estimate()["precision"]
    assert (precision.worst_low is not None) == shown


def test_the_share_is_that_of_the_sides_a_metric_needs(tmp_path: Path) -> None:
    study = labeled(tmp_path, goals=("recall >= 0.2",), skips=lambda u, chance: not FLAGGED[u] and chance < 0.02)
    shown = study.estimate()
    assert shown.missing.flagged.missing == 0
    assert shown.missing.unflagged.missing > 0
    assert shown["precision"].worst_low is None
    assert shown.missing.share_for(METRICS["precision"]) == 0
    assert 0 < shown.missing.share_for(METRICS["recall"]) < 0.05
    assert shown["recall"].worst_low is None


@pytest.mark.parametrize("who", ["nobody", "one band", "one side"])
def test_whoever_is_missing_the_numbers_are_finite(tmp_path: Path, who: str) -> None:
    study = create(tmp_path, goals=GOALS)
    study.plan(60)
    batch = study.ask(60)
    units = study.standing.units
    assert batch is not None
    assert units is not None
    lacking = {"nobody": units.band >= 0, "one band": units.band == units.band.max(), "one side": units.pattern == 1}[who]
    study.tell({**truth_of(batch.units), **{u: "cannot_tell" for u, gone in zip(units.unit, lacking.tolist(), strict=True) if gone}})
    shown = study.estimate()
    assert finite(shown.estimates)
    assert (shown["precision"].value is None) == (who != "one band")
    decision = study.decide()
    assert decision is not None
    assert decision.outcome != "ship"
    assert study.verify().passed


def test_missing_answers_are_counted_before_anything_is_drawn_or_told(tmp_path: Path) -> None:
    study = create(tmp_path)
    assert study.status().missing.whole.drawn == 0
    study.plan(20)
    study.ask(20)
    found = study.status().missing
    assert (found.whole.drawn, found.bands, found.tests, found.differs) == (0, (), (), False)
    assert found.as_json()["share"] is None
    assert str(found) == "too few to compare parts"


def test_an_estimate_of_an_older_ledger_has_no_worst_case(tmp_path: Path) -> None:
    study = create(tmp_path)
    study.plan(40)
    label_all(study)
    written = study.estimate()["recall"].as_json()
    del written["worst_low"], written["worst_high"]
    assert Estimate.of_json(written).worst_low is None


@pytest.mark.statistics
def test_labels_lost_by_chance_within_bands_leave_the_interval_its_level(seed: int) -> None:
    at = known("big", BIG["y"] == 1, BIG["score"], BIG["score"] >= 0.5)
    metric, reps = METRICS["recall"], 600
    design = choose_design(at.profile, [metric], labels=300)
    assert takes(design.mass, design.N, 300).sum() == 300
    rng = stream(seed, MIX)
    groups = groups_of(at.profile, design)
    tally = replicate(groups, design, at.positives, labels=300, reps=reps, rng=rng)
    k = rng.binomial(tally.k.astype(int), 0.8).astype(float)
    n = k + rng.binomial((tally.n - tally.k).astype(int), 0.8).astype(float)
    found = measure(metric, groups.tally(n, k), tail=0.025)
    truth = true_value(at.profile, at.positives, metric)
    hits = int(((found.low <= truth) & (truth <= found.high)).sum())
    assert hits >= binom.ppf(1e-6, reps, 0.94)  # 534 of 600
