"""A profile from a sketch: it has them, scores are calibrated, and figures that no table has are refused."""

import itertools
from typing import Any

import numpy as np
import pytest
from scipy.special import expit, logit, ndtr, ndtri

from fewlabels.errors import PlanError
from fewlabels.nouns import ladder
from fewlabels.nouns.goal import parse_goal
from fewlabels.nouns.metrics import METRICS
from fewlabels.nouns.profile import Profile
from fewlabels.planning.sketch import IMAGINED_SCORES, ImaginedScores, Sketch, check_goals, imagined_profile
from fewlabels.randomness import stream
from fewlabels.study.plan.one_draw import NO_NAMES, asks_for

USUAL = {"flagged": 0.04, "precision": 0.8, "prevalence": 0.05}


def sketch(**other: Any) -> Sketch:
    return Sketch(**{**USUAL, **other})


def value(profile: Profile, metric: str) -> float:
    """A metric, if the scores are calibrated."""
    ask = asks_for(profile, [parse_goal(f"{metric} +-0.01")], NO_NAMES)[0]
    return ask.value(ask.part.claimed(0))


# ---------------------------------------------------------------- the figures come out


@pytest.mark.parametrize("scores", IMAGINED_SCORES)
@pytest.mark.parametrize(
    "given",
    [
        sketch(),
        sketch(N=2_000),
        sketch(N=10**8),
        sketch(flagged=0.001, precision=0.5, prevalence=0.002),
        sketch(flagged=0.0005, precision=0.9, prevalence=0.0006),
        sketch(flagged=0.3, precision=0.6, prevalence=0.3),
        sketch(flagged=0.5, precision=0.95, prevalence=0.6),
        sketch(flagged=0.9, precision=0.95, prevalence=0.9),
        sketch(flagged=0.04, precision=0.051, prevalence=0.05),
        sketch(flagged=0.1, precision=0.999, prevalence=0.1),
    ],
    ids=str,
)
def test_the_profile_has_the_figures(given: Sketch, scores: ImaginedScores) -> None:
    profile = imagined_profile(given, scores)
    assert profile.N == given.N
    assert profile.flagged(0) == given.N1
    assert value(profile, "precision") == pytest.approx(given.precision, abs=1e-3)
    assert value(profile, "recall") == pytest.approx(given.recall, abs=1e-3)
    assert value(profile, "prevalence") == pytest.approx(given.prevalence, abs=1e-3, rel=1e-3)
    assert profile.count.size <= (1_000 if scores == "binormal" else 4)  # from 1,001 on, cells are merged before they are sized


def test_recall_follows_from_the_three_shares() -> None:
    assert sketch().recall == pytest.approx(0.64)
    assert sketch().fpr == pytest.approx(0.008 / 0.95)
    assert sketch().missed == pytest.approx(0.018 / 0.96)


def test_a_figure_that_is_another_comes_out_as_another() -> None:
    """The twin: a profile of other figures does not have these."""
    profile = imagined_profile(sketch(precision=0.79))
    assert abs(value(profile, "precision") - 0.8) > 5e-3
    assert abs(value(profile, "recall") - 0.64) > 5e-3


def test_flagged_units_have_the_higher_scores_of_binormal_ones() -> None:
    profile = imagined_profile(sketch())
    flagged = profile.predicted(0)
    assert profile.guide_bin[flagged].min() >= profile.guide_bin[~flagged].max() - 10  # but for the bins that the threshold shares


def test_binormal_scores_are_those_of_two_normal_signals(seed: int) -> None:
    """Units drawn from the two curves, each with the probability that Bayes' rule gives it, fall into the cells as imagined."""
    given = sketch(N=400_000)
    rng = stream(seed, 31)
    positive = rng.random(given.N) < given.prevalence
    d = float(ndtri(given.recall) - ndtri(given.fpr))
    t = rng.normal(0, 1, given.N) + d * positive
    score = expit(d * t - d * d / 2 + logit(given.prevalence))
    flagged = t >= -ndtri(given.fpr)
    profile = imagined_profile(given)
    edges = [0, *(int(ladder.bin_of(np.array([s]))[0]) for s in (0.0001, 0.001, 0.01, 0.1, 0.3, 0.7, 0.9, 0.99)), ladder.BINS]
    for side, (low, high) in itertools.product((0, 1), itertools.pairwise(e // 10 * 10 for e in edges)):
        cells = (profile.pattern == side) & (profile.guide_bin >= low) & (profile.guide_bin < high)
        seen = int(((flagged == side) & (ladder.bin_of(score) >= low) & (ladder.bin_of(score) < high)).sum())
        expected = int(profile.count[cells].sum())
        assert abs(seen - expected) <= 6 * np.sqrt(max(expected, 1)) + 2, (side, low, high)
    assert ndtr(d + ndtri(given.fpr)) == pytest.approx(given.recall)


def test_plain_scores_know_the_side_alone() -> None:
    profile = imagined_profile(sketch(), "plain")
    flagged = profile.predicted(0)
    for side, share in ((flagged, 0.8), (~flagged, 0.018 / 0.96)):
        assert profile.count[side].size <= 2
        assert profile.guide[side] == pytest.approx(share, rel=0.01)


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"flagged": 0.08}, ["cannot exceed the prevalence", "0.08 x 0.8 = 0.064 of 0.05", "a recall of 1.28", "flag at most 0.0625"]),
        ({"flagged": 0.9, "precision": 0.1, "prevalence": 0.5}, ["cannot exceed 1 - prevalence", "0.9 x 0.9 = 0.81 of 0.5", "flag fewer"]),
        ({"flagged": 4.0}, ["flagged must lie in (0, 1)", "got 4", "write 4% or 0.04"]),
        ({"flagged": float("nan")}, ["flagged must lie in (0, 1)", "got nan"]),
        ({"prevalence": 0.0}, ["positive (the prevalence) must lie in (0, 1)", "got 0"]),
        ({"precision": 0.0}, ["precision must lie in (0, 1]", "got 0"]),
        ({"precision": 1.25}, ["precision must lie in (0, 1]", "got 1.25"]),
        ({"N": 0}, ["1 to 100,000,000 units", "got 0"]),
        ({"N": 10**8 + 1}, ["1 to 100,000,000 units", "--units"]),
    ],
)
def test_figures_that_no_table_has_are_refused(given: dict[str, Any], said: list[str]) -> None:
    with pytest.raises(PlanError) as refused:
        sketch(**given)
    assert all(each in str(refused.value) for each in said), refused.value


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"precision": 1.0}, "err on both sides, so precision and recall must be below 1, got 1 and 0.8"),
        ({"precision": 0.5, "prevalence": 0.02}, "got 0.5 and 1"),
        ({"flagged": 0.7, "precision": 0.1, "prevalence": 0.07}, "got 0.1 and 1"),  # 0.7 x 0.1 is not 0.07 in binary numbers
        ({"precision": 0.05}, "the precision must exceed the prevalence, got 0.05 and 0.05"),
        ({"precision": 0.01}, "the precision must exceed the prevalence, got 0.01 and 0.05"),
    ],
)
def test_figures_that_binormal_scores_cannot_have_are_left_to_plain_ones(given: dict[str, Any], said: str) -> None:
    with pytest.raises(PlanError) as refused:
        imagined_profile(sketch(**given))
    assert said in str(refused.value)
    assert "--scores plain" in str(refused.value)
    profile = imagined_profile(sketch(**given), "plain")
    assert value(profile, "precision") == pytest.approx(sketch(**given).precision, abs=1e-3)
    assert value(profile, "recall") == pytest.approx(sketch(**given).recall, abs=1e-3)


@pytest.mark.parametrize(("units", "scores"), [(30, "binormal"), (1, "plain"), (7, "plain")])
def test_too_few_units_to_have_the_figures_are_refused(units: int, scores: ImaginedScores) -> None:
    with pytest.raises(PlanError, match=r"whole units must have the figures to 0.001.*name more units"):
        imagined_profile(sketch(N=units), scores)


@pytest.mark.parametrize(
    "goal",
    ["recall +-0.1 by country", "recall +-0.1 in country=DE", "recall +-0.1 for gbm", "recall by amount >= 0.5", "f1 >= 0 for a over b",
     "macro[f1] +-0.1"],
)  # fmt: skip
def test_goals_about_what_figures_do_not_have_are_refused(goal: str) -> None:
    with pytest.raises(PlanError, match="figures are about one classifier and all units"):
        check_goals(imagined_profile(sketch(N=10_000)), [parse_goal(goal)], budget=None)


def test_every_metric_of_one_classifier_is_accepted() -> None:
    profile = imagined_profile(sketch(N=10_000))
    plain = [name for name, metric in METRICS.items() if not metric.traits]
    assert len(plain) > 10
    check_goals(profile, [parse_goal(f"{name} +-0.1") for name in plain], budget=10_000)


def test_a_budget_of_more_units_than_the_goals_are_about_is_refused() -> None:
    profile = imagined_profile(sketch(N=10_000))
    check_goals(profile, [parse_goal("precision +-0.1")], budget=400)
    with pytest.raises(PlanError, match="at most the 400 units they are about, but the budget is 401"):
        check_goals(profile, [parse_goal("precision +-0.1")], budget=401)
