"""Every possible draw of a small stratified population: totals are unbiased and V is the variance, exactly."""

from itertools import combinations, product

import numpy as np
import pytest
from scipy.stats import hypergeom

from fewlabels.estimators import weighted
from fewlabels.estimators.measuring import measure, read_sides
from fewlabels.estimators.weighted import read_side
from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.estimate import IntervalKind
from fewlabels.nouns.metrics import METRICS
from fewlabels.nouns.tally import Tally
from tests.identities.made import EPS, tally_of

# answers of every unit, band by band; and labels per band
POPULATIONS = {
    "mixed": ([[1, 0, 0, 1, 1], [0, 0, 1, 0], [1, 0, 0]], [2, 2, 2]),
    "a band of one answer": ([[1, 1, 1, 1], [0, 1, 0, 1, 0]], [2, 3]),
    "rare": ([[0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 1]], [3, 2]),
    "a band taken whole": ([[1, 0, 1], [0, 1, 0, 0, 0]], [3, 2]),
    "one band": ([[1, 1, 0, 1, 0, 0, 1]], [4]),
}


def all_draws(answers: list[list[int]], take: list[int]) -> FloatArray:
    """The positives of each band in every possible draw, one row a draw; all draws are equally likely."""
    ways = [[sum(chosen) for chosen in combinations(band, n)] for band, n in zip(answers, take, strict=True)]
    return np.array(list(product(*ways)), dtype=np.float64)


def tally_all(answers: list[list[int]], take: list[int], *, flagged: list[int]) -> Tally:
    k = all_draws(answers, take)
    like = tally_of(flagged, [len(band) for band in answers], take, take)
    return Tally(
        flagged=like.flagged,
        N=like.N,
        n=np.broadcast_to(like.n, k.shape),
        k=k,
        logit=like.logit,
        expected=like.expected,
        N1=like.N1,
        N0=like.N0,
    )


@pytest.mark.parametrize("name", POPULATIONS)
def test_the_share_is_unbiased_and_its_variance_too(name: str) -> None:
    answers, take = POPULATIONS[name]
    side = read_side(tally_all(answers, take, flagged=[1] * len(answers)))
    truth = sum(map(sum, answers)) / sum(map(len, answers))
    rounding = 8 * side.p.size * EPS
    assert side.p.mean() == pytest.approx(truth, rel=rounding)
    true_variance = float(((side.p - truth) ** 2).mean())
    assert side.raw.mean() == pytest.approx(true_variance, rel=rounding)
    assert (side.v >= side.raw).all()


def test_a_variance_divided_by_n_or_without_the_finite_factor_is_noticed() -> None:
    """The twins: the same check must refuse dividing by n_h, and forgetting 1 - f_h."""
    answers, take = POPULATIONS["mixed"]
    k = all_draws(answers, take)
    N, n = np.array([len(band) for band in answers]), np.array(take)
    W, p_h = N / N.sum(), k / n
    true_variance = float(((W * p_h).sum(1)).var())
    by_n = (W**2 * (1 - n / N) * p_h * (1 - p_h) / n).sum(1).mean()
    endless = (W**2 * p_h * (1 - p_h) / (n - 1)).sum(1).mean()
    assert by_n == pytest.approx(true_variance / 2)
    assert endless > 1.5 * true_variance


def test_one_label_a_band_has_no_variance_to_read() -> None:
    """The twin of n_h >= 2: with one label a band the raw V is 0 whatever the truth; the smoothed one is not."""
    side = read_side(tally_all([[1, 0, 0], [0, 1, 0, 1]], [1, 1], flagged=[1, 1]))
    assert (side.raw == 0).all()
    assert side.p.var() > 0.05
    assert (side.v > 0).all()


@pytest.mark.parametrize("name", ["precision", "accuracy", "prevalence"])
def test_metrics_linear_in_the_totals_are_unbiased(name: str) -> None:
    answers, take = POPULATIONS["mixed"]
    tally = tally_all(answers, take, flagged=[1, 0, 0])
    A, B = sum(answers[0]), sum(answers[1]) + sum(answers[2])
    truth = {"precision": A / 5, "accuracy": (A + 7 - B) / 12, "prevalence": (A + B) / 12}[name]
    values = measure(METRICS[name], tally, tail=0.025).value
    assert values.mean() == pytest.approx(truth, rel=8 * values.size * EPS)


def test_the_variance_of_a_linear_metric_is_that_of_both_sides() -> None:
    answers, take = POPULATIONS["mixed"]
    tally = tally_all(answers, take, flagged=[1, 0, 0])
    sides = read_sides(tally)
    values = measure(METRICS["accuracy"], tally, tail=0.025).value
    linear = (5 / 12) ** 2 * sides.flagged.raw.mean() + (7 / 12) ** 2 * sides.other.raw.mean()
    assert linear == pytest.approx(float(values.var()), rel=8 * values.size * EPS)


@pytest.mark.parametrize("interval", ["placed", "rec"])
@pytest.mark.parametrize("labeled", [0.1, 0.3, 0.5, 0.7, 0.9, 0.97])
@pytest.mark.parametrize("N", [20, 50, 200, 532, pytest.param(2_000, marks=pytest.mark.slow)])
def test_a_simple_draw_covers_whatever_share_is_labeled(N: int, labeled: float, interval: IntervalKind) -> None:
    """No simulation: the chance of every count of positives, for every number of positives among the N units."""
    assert smallest_coverage(N, int(N * labeled), interval) >= 0.948


def test_an_unseen_error_of_one_label_less_the_finite_factor_would_not_cover(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: (1 - f) / n for what an unseen error weighs excludes four errors after 100 right answers of 200."""
    monkeypatch.setattr(weighted, "_weight_left", lambda n, N: (1 - n / N) / n)
    assert smallest_coverage(200, 100, "rec") < 0.94


def smallest_coverage(N: int, n: int, interval: IntervalKind) -> float:
    """The lowest chance, over all numbers of positives, that the interval of a simple draw of n of N units holds the truth."""
    k = np.arange(n + 1, dtype=np.float64)[:, None]
    tally = Tally(
        flagged=np.array([True]), N=np.array([float(N)]), n=np.full_like(k, n), k=k,
        logit=np.zeros(1), expected=np.full(1, 0.5), N1=float(N), N0=0.0,
    )  # fmt: skip
    found = measure(METRICS["precision"], tally, tail=0.025, interval=interval)
    chances = hypergeom.pmf(np.arange(n + 1), N, np.arange(N + 1)[:, None], n)
    share = np.arange(N + 1)[:, None] / N
    return float((chances * ((found.low <= share) & (share <= found.high))).sum(axis=1).min())
