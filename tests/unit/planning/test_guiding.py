"""The fitted guide: what it finds, what it leaves alone, that it is a mode, and that draws by it are read honestly."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import binom

from benchmarks.piloting import SECOND_DRAWS, Automatic, Judged, guided_by
from fewlabels.errors import PlanError
from fewlabels.estimators.logistic import likelihood, penalty, ridge_mode
from fewlabels.nouns.metrics import metric_named
from fewlabels.planning import guiding
from fewlabels.planning.guiding import FittedGuide, divide, fit_guide, log_odds
from fewlabels.randomness import stream
from tests.identities.made import checked

Floats = NDArray[np.float64]


def made(labels: int, *, seed: int = 1, noise: float = 2.0, squeeze: float = 1.0) -> tuple[Floats, Floats]:
    """Log-odds of an own score that is the true one with noise, the true one, and a column that says nothing; and the answers."""
    rng = stream(seed, labels)
    true = rng.normal(-1.5, 2.0, labels)
    x = np.column_stack([true + rng.normal(0, noise, labels), squeeze * true, rng.normal(-1.5, 2.0, labels)])
    return x, (rng.random(labels) < 1 / (1 + np.exp(-true))).astype(np.float64)


def test_without_labels_it_leans_to_the_own_score() -> None:
    guide = fit_guide(np.zeros((0, 3)), np.zeros(0), own=1)
    own = np.exp(2) / (np.exp(2) + 2)
    assert guide.belief == pytest.approx(((1 - own) / 2, own, (1 - own) / 2))
    assert guide.slopes == pytest.approx(guide.belief)
    assert guide.intercept == 0


def test_one_column_is_left_nearly_as_it_is_by_few_labels() -> None:
    x, y = made(20)
    guide = fit_guide(x[:, 1:2], y[:20], own=0)
    assert guide.belief == (1.0,)
    assert guide.slopes[0] == pytest.approx(1, abs=0.15)


@pytest.mark.parametrize("labels", [50, 250])
def test_a_better_column_is_found(labels: int) -> None:
    x, y = made(labels)
    guide = fit_guide(x, y, own=0)
    assert guide.belief[1] > 0.9
    assert guide.slopes[1] == pytest.approx(1, abs=0.25)


@pytest.mark.parametrize("labels", [50, 250])
@pytest.mark.parametrize("seed", range(5))
def test_a_good_own_score_is_kept_and_noise_gets_nothing(labels: int, seed: int) -> None:
    x, y = made(labels, seed=seed)
    guide = fit_guide(x, y, own=1)
    assert guide.belief[1] > 0.95
    assert abs(guide.slopes[2]) < 0.1
    assert guide.slopes[1] == pytest.approx(1, abs=0.3)


def test_scores_that_claim_too_much_are_turned_down() -> None:
    x, y = made(1_000, squeeze=3.0)
    assert fit_guide(x[:, 1:2], y, own=0).slopes[0] == pytest.approx(1 / 3, abs=0.1)


def test_columns_have_no_order() -> None:
    x, y = made(100)
    one, other = fit_guide(x, y, own=0), fit_guide(x[:, ::-1], y, own=2)
    assert one.slopes == pytest.approx(other.slopes[::-1])
    assert one.intercept == pytest.approx(other.intercept)


@checked
@given(st.integers(1, 40), st.integers(1, 5), st.integers(0, 2**31), st.floats(0.1, 16))
def test_any_labels_make_a_finite_guide(labels: int, columns: int, seed: int, width: float) -> None:
    rng = stream(seed, 1)
    x = np.clip(rng.normal(0, width, (labels, columns)), -16.2, 16.2)
    guide = fit_guide(x, (rng.random(labels) < rng.random()).astype(np.float64), own=columns - 1)
    found = guide.probability(x)
    assert ((found >= 0) & (found <= 1)).all()
    assert sum(guide.belief) == pytest.approx(1)


def test_the_fit_is_the_mode() -> None:
    """A step to any side is lower."""
    x, y = made(80)
    z = np.column_stack([np.ones(80), x])
    center, sd = np.array([0, 1.0, 0, 0]), np.array([2, 0.25, 0.1, 0.1])
    b = ridge_mode(z, y, center, sd)

    def height(b: Floats) -> float:
        return likelihood(z, y, b) - penalty(b, center, sd)

    for j in range(4):
        for step in (-1e-3, 1e-3):
            assert height(b + step * np.eye(4)[j]) < height(b)


@pytest.mark.lengthy
def test_laplace_is_close_to_the_integral() -> None:
    """The evidence of one column's fit, against a sum over a fine grid of intercept and slope."""
    x, y = made(60)
    z = np.column_stack([np.ones(60), x[:, 0]])
    a, b = np.meshgrid(np.linspace(-9, 9, 721), np.linspace(-0.5, 2.5, 601), indexing="ij")
    eta = a[..., None] + b[..., None] * x[:, 0]
    log_post = (y * eta - np.logaddexp(0, eta)).sum(-1) - 0.5 * (a / 2) ** 2 - 0.5 * ((b - 1) / 0.25) ** 2
    whole = np.exp(log_post).sum() * (18 / 720) * (3 / 600) / (2 * np.pi * 2 * 0.25)
    fitted = guiding._candidates(z, y, 0)[1]
    assert fitted.evidence == pytest.approx(np.log(whole), abs=0.05)


def test_log_odds_are_finite_and_odd() -> None:
    s = np.array([0, 1e-9, 0.2, 0.5, 0.8, 1])
    assert log_odds(s) == pytest.approx(-log_odds(1 - s), rel=1e-6, abs=1e-12)
    assert np.abs(log_odds(s)).max() == pytest.approx(np.log(1e7), rel=1e-6)


def test_a_guide_is_plain_data() -> None:
    guide = fit_guide(*made(60), own=0)
    again = FittedGuide.of_json(json.loads(json.dumps(guide.as_json())))
    assert again == guide
    x = made(10)[0]
    by_hand = 1 / (1 + np.exp(-(guide.intercept + x @ np.array(guide.slopes))))
    assert again.probability(x) == pytest.approx(by_hand)


def test_what_cannot_be_fitted_is_refused() -> None:
    x, y = made(10)
    for bad, own in ((x[:5], 0), (x, 3), (x, -1), (np.full_like(x, np.inf), 0), (x[:, 0], 0)):
        with pytest.raises(PlanError, match="a fit needs"):
            fit_guide(bad, y, own=own)
    with pytest.raises(PlanError, match="fitted on 3 columns"):
        fit_guide(x, y, own=0).probability(x[:, :2])
    with pytest.raises(PlanError, match="one finite slope"):
        FittedGuide(intercept=0.0, slopes=(1.0,), belief=(0.5, 0.5))


@pytest.mark.parametrize("labels", [200, 333, 10_000])
def test_a_budget_is_divided_without_rest(labels: int) -> None:
    phases = divide(labels, frame=10**9)
    assert phases.pilot + phases.rest == labels
    assert phases.pilot == pytest.approx(labels / 4, abs=0.5)
    assert phases.weight == pytest.approx(0.75 * phases.pilot / labels, rel=1e-4)


def test_the_pilot_counts_what_its_variance_says() -> None:
    """V2 / (V1 + V2) of two simple draws, the second of what the first left, times 3/4; nothing where all is labeled."""
    n, F = 400, 532
    pilot, rest, weight = divide(n, frame=F)
    first = 1 / pilot - 1 / F
    second = (1 - pilot / F) ** 2 * (1 / rest - 1 / (F - pilot))
    assert weight == pytest.approx(0.75 * second / (first + second), rel=1e-12)
    assert divide(F, frame=F).weight == 0


def test_a_budget_too_small_to_learn_from_or_too_large_is_refused() -> None:
    with pytest.raises(PlanError, match="from 200 labels up"):
        divide(199, frame=10_000)
    with pytest.raises(PlanError, match="at most the 500 units"):
        divide(501, frame=500)


def population(*, informed: bool) -> Judged:
    """20,000 units, a tenth positive; a poor own score, and beside it a good column or two of noise."""
    rng = stream(9, informed)
    true = rng.normal(-4.2, 2.5, 20_000)
    own = true + rng.normal(0, 3, true.size)
    others = [true] if informed else [rng.permutation(own), rng.permutation(own)]
    y = (rng.random(true.size) < 1 / (1 + np.exp(-true))).astype(np.int64)
    score = 1 / (1 + np.exp(-np.column_stack([own, *others])))
    return Judged(score, 0, own > 0, y, metric_named("f1"))


@pytest.mark.lengthy
@pytest.mark.statistics
@pytest.mark.parametrize("informed", [True, False])
def test_its_draws_are_read_honestly_and_worth_it_where_a_column_knows_more(informed: bool, seed: int) -> None:
    judged, pilots = population(informed=informed), 150
    found = Automatic(judged, 400).measured(pilots=pilots, rng=stream(seed, 1, informed))
    own = guided_by(judged, 0, labels=400, reps=2_000, rng=stream(seed, 2, informed))
    covered = (found.low <= judged.truth) & (judged.truth <= found.high)
    firsts = covered.reshape(pilots, SECOND_DRAWS)[:, 0]  # one second draw a pilot: these are independent
    assert int(firsts.sum()) >= binom.ppf(1e-6, pilots, 0.95)
    error = np.mean((found.value - judged.truth) ** 2) / np.mean((own.value - judged.truth) ** 2)
    # the ratio is 0.65 and 1.05, each with a standard error of about 0.06 of it at these numbers of draws: five of them above
    assert error < (0.85 if informed else 1.37)
