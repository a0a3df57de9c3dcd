"""Metrics by weight, and several classifiers judged on the same units: shares, variances and correlations against svy and NumPy."""

import numpy as np
import polars as pl
import pytest

from fewlabels.estimators.joint import correlate, measure_joint
from fewlabels.estimators.sides import read_sides
from fewlabels.estimators.weighted import read_shares, read_side
from fewlabels.nouns.arrays import FloatArray, IntArray
from fewlabels.nouns.metric import Totals
from fewlabels.nouns.metrics import metric_named
from fewlabels.nouns.tally import JointTally, Tally
from fewlabels.nouns.weights import WeightSums
from tests.identities.made import EPS, tally_of
from tests.references.surveyed import SAME, delta_method, survey

Units = tuple[FloatArray, FloatArray]  # metric weights and answers of a group's labels
SIZES = (60.0, 400.0, 9_000.0)


def made(n: int, seed: int) -> Units:
    rng = np.random.default_rng(seed)
    return rng.lognormal(0, 1, n), (rng.random(n) < 0.3).astype(np.float64)


def weighed(groups: list[Units]) -> Tally:
    """A flagged side of these groups; what their units weigh in all is known, and is not what the labels would expand to."""
    N = SIZES[: len(groups)]
    base = tally_of([1] * len(N), N, [x.size for x, _ in groups], [y.sum() for _, y in groups])
    X = np.array([1.2 * size * x.mean() for size, (x, _) in zip(N, groups, strict=True)])
    sums = [np.array([(x**power * y**answer).sum() for x, y in groups]) for power, answer in ((1, 0), (2, 0), (1, 1), (2, 1))]
    weights = WeightSums(X, X * X / base.N, np.full(len(N), 50.0), *sums)
    return Tally(
        flagged=base.flagged,
        N=base.N,
        n=base.n,
        k=base.k,
        logit=base.logit,
        expected=base.expected,
        N1=float(X.sum()),
        N0=0.0,
        weights=weights,
    )


def ratio_of(group: Units, N: float) -> tuple[float, float]:
    """r = sum(x y) / sum(x) of one stratum and its standard error: svy's ratio("xy", "x")."""
    x, y = group
    units = pl.DataFrame({"h": 0, "w": N / x.size, "N": int(N), "x": x, "xy": x * y})
    found = survey(units).estimation.ratio("xy", "x", method="taylor").to_polars()
    return float(found["est"][0]), float(found["se"][0])


@pytest.mark.parametrize("seed", range(5))
def test_the_share_of_one_group_by_weight_is_svys_ratio(seed: int) -> None:
    group = made(25, seed)
    side = read_side(weighed([group]))
    assert (float(side.p), float(np.sqrt(side.raw))) == pytest.approx(ratio_of(group, SIZES[0]), rel=SAME)


@pytest.mark.parametrize("seed", range(5))
def test_several_groups_by_weight_are_svys_ratios_weighted_by_what_each_holds(seed: int) -> None:
    """A separate ratio in each group. svy's ratio over strata is the combined one, which does not use the known X_h."""
    groups = [made(n, 10 * seed + n) for n in (12, 30, 45)]
    tally = weighed(groups)
    assert tally.weights is not None
    W = tally.weights.X / tally.weights.X.sum()
    found = np.array([ratio_of(group, N) for group, N in zip(groups, SIZES, strict=True)])
    side = read_side(tally)
    assert read_shares(tally).share == pytest.approx(found[:, 0], rel=SAME)
    assert float(side.p) == pytest.approx(W @ found[:, 0], rel=SAME)
    assert float(side.raw) == pytest.approx(W**2 @ found[:, 1] ** 2, rel=SAME)


# ---------------------------------------------------------------- several classifiers, the same units


def answers(seed: int, n: tuple[int, ...]) -> tuple[IntArray, FloatArray]:
    """Band of each unit and its answers to two questions that go together."""
    rng = np.random.default_rng(seed)
    band = np.repeat(np.arange(len(n)), n)
    u = rng.random((band.size, 2))
    return band, np.column_stack([u[:, 0] < 0.5, np.where(u[:, 0] < 0.7, u[:, 1] < 0.6, u[:, 1] < 0.4)]).astype(np.float64)


def centered(y: FloatArray, band: IntArray) -> FloatArray:
    return np.asarray(y - np.array([y[band == h].mean(0) for h in range(int(band.max()) + 1)])[band])


@pytest.mark.parametrize("seed", range(5))
def test_correlations_of_totals_are_those_of_the_covariance_matrices_of_the_bands(seed: int) -> None:
    """sum_h N_h^2 (1 - f_h) / n_h * numpy.cov(answers of the band)."""
    n, N = (12, 20, 31), np.array([40, 900, 31])  # the last band is taken whole
    band, y = answers(seed, n)
    covariance = sum(N[h] ** 2 * (1 - n[h] / N[h]) / n[h] * np.cov(y[band == h].T) for h in range(3))
    deviation = np.sqrt(np.diag(covariance))
    assert correlate(centered(y, band), band, N) == pytest.approx(covariance / np.outer(deviation, deviation), abs=64 * EPS)


@pytest.mark.parametrize("seed", range(5))
def test_correlations_of_totals_are_svys(seed: int) -> None:
    """estimation.prop("pair").covariance: the share of a question is the sum of the two pairs in which its answer is yes."""
    n, N = (12, 20, 30), np.array([40, 900, 5000])
    band, y = answers(seed, n)
    units = pl.DataFrame({"h": band, "w": (N / n)[band], "N": N[band], "pair": [f"{int(a)}{int(b)}" for a, b in y]})
    found = survey(units).estimation.prop("pair", method="taylor")
    pairs = found.keys()
    picks = np.array([[pair[j] == "1" for pair in pairs] for j in (0, 1)], dtype=np.float64)
    covariance = picks @ found.covariance @ picks.T
    reference = covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1])
    assert correlate(centered(y, band), band, N)[0, 1] == pytest.approx(reference, rel=SAME)


@pytest.mark.parametrize("name", ["macro[recall]", "macro[f1]", "micro[f1]", "weighted[f1]", "f1_of_averages", "macro[mcc]"])
def test_an_average_has_the_standard_error_of_svys_covariance_matrix(name: str) -> None:
    """prop("cell").covariance over side and both answers, and statsmodels' delta method, where smoothing adds nothing.

    Two questions on the same units, both flagged in the first band alone.
    """
    n, N = (60, 80), np.array([500, 3000])
    band, y = answers(1, n)
    k = np.array([[y[band == h, j].sum() for h in (0, 1)] for j in (0, 1)])
    tallies = tuple(tally_of([1, 0], N.tolist(), n, k[j].tolist()) for j in (0, 1))
    assert all(side.v == side.raw for tally in tallies for side in read_sides(tally))  # else the two are different numbers
    rest = centered(y, band)
    residuals = np.column_stack([np.where(band == side, rest[:, j], 0.0) for j in (0, 1) for side in (0, 1)])
    found = measure_joint(metric_named(name), JointTally(tallies, correlate(residuals, band, N)), tail=0.025)

    units = pl.DataFrame(
        {"h": band, "w": (N / n)[band], "N": N[band], "cell": [f"{h}{int(a)}{int(b)}" for h, (a, b) in zip(band, y, strict=True)]}
    )
    shares = survey(units).estimation.prop("cell", method="taylor")
    cells = shares.keys()

    def average(p: FloatArray) -> FloatArray:
        held = [
            [sum(q for q, c in zip(p, cells, strict=True) if c[0] == side and c[1 + j] == yes) for j in (0, 1)]
            for side in "01"
            for yes in "10"
        ]
        return np.atleast_1d(metric_named(name).value(Totals(*map(np.array, held))))

    delta = delta_method(average, shares.to_polars()["est"].to_numpy(), shares.covariance)
    assert float(found.value) == pytest.approx(float(delta.predicted()[0]), rel=SAME)
    assert float(found.standard_error) == pytest.approx(float(delta.se_vectorized()[0]), rel=SAME)
