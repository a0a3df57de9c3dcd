"""A draw for a difference: labels where two classifiers disagree, enough of them, and a refusal where another draw would not do."""

import numpy as np
import pytest

from benchmarks.comparing import Judged, drawn_for, judged, tied
from fewlabels.designs.base import takes_of
from fewlabels.errors import PlanError
from fewlabels.estimators.comparing import compare
from fewlabels.nouns.goal import parse_goal
from fewlabels.nouns.ladder import bin_of
from fewlabels.nouns.metrics import metric_named
from fewlabels.planning.assumptions import believed
from fewlabels.planning.contests import Contest, difference_rates, difference_sizes
from fewlabels.planning.design_choice import choose_design
from fewlabels.planning.forecasting import CHANCE_REPS, forecast
from fewlabels.planning.goal_scope import Ask, ask_of, contest_of
from fewlabels.planning.sizing import labels_needed
from fewlabels.planning.thin_cells import refuse_thin, thin_share
from fewlabels.randomness import stream
from fewlabels.study.simulate import replicate

NAMES = ("new", "old")


def two(*, share: float = 0.02, N: int = 30_000) -> Judged:
    """Two classifiers that cut two noisy views of the same log-odds; the first sees better, and its score is the guide."""
    rng = stream(42, 31)
    y = rng.random(N) < share
    signal = rng.normal(0, 1, N) + 3 * y
    log_odds = 3 * signal - 4.5 + np.log(share / (1 - share))
    other = log_odds + rng.normal(0, 3, N)
    pattern = (log_odds > 0).astype(np.int64) + 2 * (other > 0)
    return judged(y, bin_of(1 / (1 + np.exp(-log_odds))), pattern)


AT = two()


def contest(name: str) -> Contest:
    """The first against the second."""
    return Contest(AT.profile, metric_named(name), 0, 1)


@pytest.mark.parametrize("name", ["f1", "recall", "precision", "accuracy"])
def test_rates_add_up_to_the_labels(name: str) -> None:
    for labels in (50, 300, 900):
        pi = difference_rates(contest(name), labels)
        wanted = min(labels, AT.profile.count[contest(name).needed].sum())
        assert (pi * AT.profile.count).sum() == pytest.approx(wanted)
        assert (pi[contest(name).needed] > 0).all()
        assert (pi[~contest(name).needed] == 0).all()


def test_accuracy_is_drawn_where_the_two_disagree() -> None:
    cell = contest("accuracy").cell
    assert (np.isin(cell, (1, 2)) == contest("accuracy").needed).all()
    assert ((cell > 0) == contest("precision").needed).all()
    assert contest("f1").needed.all()


@pytest.mark.parametrize("name", ["f1", "recall"])
def test_disagreements_have_more_labels_than_their_units(name: str) -> None:
    pi, apart = difference_rates(contest(name), 300), np.isin(contest(name).cell, (1, 2))
    held = (pi * AT.profile.count)[apart].sum()
    assert held > 0.5 * 300 * 0.6  # nearly all of the optimal half, and the 30 % of their own
    assert held > 10 * 300 * AT.profile.count[apart].sum() / AT.profile.N
    assert (difference_sizes(contest(name))[~apart] > 0).all()  # a denominator is never left out


@pytest.mark.parametrize("name", ["f1", "recall", "precision", "accuracy"])
def test_no_band_crosses_a_disagreement_cell(name: str) -> None:
    design = drawn_for(AT, name, [(0, 1)], labels=400)
    groups = contest(name).groups(design)
    assert groups.groups.N.size == design.N.size
    assert (thin_share(groups, design, 400) == 0).all()
    refuse_thin(contest(name), design, 400, names=NAMES)
    assert (takes_of(design, min(400, design.frame)) >= np.minimum(design.N, 2)).all()


def test_a_draw_for_one_classifier_is_refused() -> None:
    design = choose_design(AT.profile, [metric_named("f1")], labels=200)
    with pytest.raises(PlanError, match="labels of this draw would suffice, or draw for the comparison"):
        refuse_thin(contest("accuracy"), design, 200, names=NAMES)
    refuse_thin(contest("accuracy"), design, design.frame, names=NAMES)  # a census leaves nothing to chance


def test_what_never_differs_is_refused() -> None:
    with pytest.raises(PlanError, match="nothing to label"):
        drawn_for(AT, "prevalence", [(0, 1)], labels=200)


def wanted(goal: str) -> Ask:
    """A goal about the first over the second."""
    return ask_of(AT.profile, parse_goal(goal), names=NAMES)


def test_labels_reach_the_half_width() -> None:
    labels = labels_needed(wanted("f1 +-0.06 for new over old"))
    assert labels is not None
    design = drawn_for(AT, "f1", [(0, 1)], labels=labels)
    groups = contest("f1").groups(design)
    drawn = groups.of(replicate(groups.groups, design, AT.positives, labels=labels, reps=400, rng=stream(42, 1)))
    found = compare(metric_named("f1"), drawn, tail=0.025).half_width.mean()
    assert 0.75 * 0.06 < found < 1.15 * 0.06  # the guide is right here, up to the luck of one population


def test_labels_show_the_better_one_with_power() -> None:
    ask, reps = wanted("accuracy >= 0.02 for new over old"), 400
    belief = believed(ask, AT.positives / AT.profile.count)
    labels = labels_needed(ask, believed=belief)
    assert labels is not None
    design = drawn_for(AT, "accuracy", [(0, 1)], labels=labels)
    groups = contest_of(ask).groups(design)
    drawn = groups.of(replicate(groups.groups, design, AT.positives, labels=labels, reps=reps, rng=stream(42, 2)))
    noise = 4 * np.sqrt(0.8 * 0.2 * (1 / CHANCE_REPS + 1 / reps))  # of the imagined draws and of these
    assert (compare(ask.metric, drawn, tail=0.05).low > 0.02).mean() > 0.8 - noise
    more = labels_needed(wanted("accuracy >= 0.02 for new over old with 0.95 power"), believed=belief)
    assert more is not None
    assert more > labels


def test_a_census_is_expected_to_be_exact() -> None:
    ask = wanted("accuracy +-0.1 for new over old")
    design = drawn_for(AT, "accuracy", [(0, 1)], labels=200)
    seen = forecast(ask, design, design.frame, believed=believed(ask, AT.positives / AT.profile.count))
    assert seen.half_width < 1e-9
    assert seen.value == pytest.approx(contest_of(ask).value(AT.positives / AT.profile.count))


def test_a_draw_for_all_pairs_serves_every_one() -> None:
    at = tied(3, stream(42, 3))
    pairs = [(0, 1), (0, 2), (1, 2)]
    design = drawn_for(at, "f1", pairs, labels=300)
    for first, second in pairs:
        refuse_thin(Contest(at.profile, metric_named("f1"), first, second), design, 300, names=(str(first), str(second)))
    assert takes_of(design, 300).sum() == 300
