"""Clopper-Pearson, Wilson and the bootstraps against SciPy, statsmodels and closed forms."""

from typing import Literal

import numpy as np
import pytest
from scipy.stats import beta, binomtest
from statsmodels.stats.proportion import proportion_confint

from fewlabels.errors import PlanError
from fewlabels.estimators.measuring import measure
from fewlabels.intervals.binomial import binomial, clopper_pearson, share_of, wilson
from fewlabels.intervals.bootstrap import BootstrapKind, resample
from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.metric import Totals
from fewlabels.nouns.metrics import METRICS, metric_named
from fewlabels.nouns.tally import Tally
from fewlabels.randomness import stream
from tests.identities.made import simple_tally_of, tally_of

BOOTSTRAP = 11  # the purpose of the streams below
ROUNDING = 1e-12  # of an inverse beta function, in SciPy and here
CASES = [(n, k) for n in (1, 2, 10, 60, 1000) for k in sorted({0, 1, n // 10, n // 2, n - 1, n})]
LIMITS = {"clopper_pearson": clopper_pearson, "wilson": wilson}
NAMES: dict[str, tuple[Literal["exact", "wilson"], str]] = {"clopper_pearson": ("exact", "beta"), "wilson": ("wilson", "wilson")}
SIDES: tuple[Literal["less", "greater"], ...] = ("less", "greater")


def array(x: float) -> FloatArray:
    return np.asarray(float(x))


@pytest.mark.parametrize("level", [0.9, 0.95, 0.999])
@pytest.mark.parametrize("kind", NAMES)
def test_limits_are_those_of_scipy_and_statsmodels(kind: str, level: float) -> None:
    scipy_name, statsmodels_name = NAMES[kind]
    for n, k in CASES:
        found = tuple(map(float, binomial(array(k), array(n), (1 - level) / 2, limits=LIMITS[kind])))
        by_scipy = binomtest(k, n).proportion_ci(level, method=scipy_name)
        assert found == pytest.approx((by_scipy.low, by_scipy.high), abs=ROUNDING), (n, k)
        by_statsmodels = proportion_confint(k, n, alpha=1 - level, method=statsmodels_name)
        assert found == pytest.approx(tuple(np.nan_to_num(by_statsmodels, nan=float(k > 0))), abs=1e-9), (n, k)


@pytest.mark.parametrize("kind", NAMES)
def test_a_one_sided_bound_is_that_of_scipy(kind: str) -> None:
    for n, k in CASES:
        found = binomial(array(k), array(n), 0.05, limits=LIMITS[kind])
        for side in SIDES:
            by_scipy = binomtest(k, n, alternative=side).proportion_ci(0.95, method=NAMES[kind][0])
            mine, theirs = (found.high, by_scipy.high) if side == "less" else (found.low, by_scipy.low)
            assert float(mine) == pytest.approx(theirs, abs=ROUNDING), (n, k)


SHARES = {
    "precision": lambda tp, fp, fn, tn: (tp, tp + fp),
    "recall": lambda tp, fp, fn, tn: (tp, tp + fn),
    "accuracy": lambda tp, fp, fn, tn: (tp + tn, tp + fp + fn + tn),
    "prevalence": lambda tp, fp, fn, tn: (tp + fn, tp + fp + fn + tn),
    "specificity": lambda tp, fp, fn, tn: (tn, tn + fp),
    "negative_predictive_value": lambda tp, fp, fn, tn: (tn, tn + fn),
    "false_positive_rate": lambda tp, fp, fn, tn: (fp, tn + fp),
    "false_omission_rate": lambda tp, fp, fn, tn: (fn, tn + fn),
    "jaccard": lambda tp, fp, fn, tn: (tp, tp + fp + fn),
    "cost[0,1,1,0]": lambda tp, fp, fn, tn: (fp + fn, tp + fp + fn + tn),
}
MATRICES = [(45, 5, 8, 442), (0, 3, 2, 40), (7, 0, 0, 9), (1, 1, 1, 1)]


def drawn(tp: int, fp: int, fn: int, tn: int) -> Tally:
    """These counts as a simple draw; the sides have other sizes than the counts say, which must not matter."""
    return simple_tally_of([1, 0], [10_000, 900_000], [tp + fp, fn + tn], [tp, fn])


@pytest.mark.parametrize("matrix", MATRICES, ids=str)
@pytest.mark.parametrize("kind", NAMES)
@pytest.mark.parametrize("name", SHARES)
def test_a_share_of_a_simple_draw_is_read_from_its_counts(name: str, kind: str, matrix: tuple[int, int, int, int]) -> None:
    x, m = SHARES[name](*matrix)
    found = measure(metric_named(name), drawn(*matrix), tail=0.025, interval=kind)
    reference = binomtest(x, m).proportion_ci(0.95, method=NAMES[kind][0])
    assert float(found.value) == pytest.approx(x / m)
    assert (float(found.low), float(found.high)) == pytest.approx((reference.low, reference.high), abs=ROUNDING)
    assert float(found.standard_error) == pytest.approx(np.sqrt(x / m * (1 - x / m) / m))


@pytest.mark.parametrize("kind", NAMES)
@pytest.mark.parametrize(("name", "inside"), [("f1", 0), ("f1_negative", 3)])
def test_f1_is_read_from_the_share_it_is_a_function_of(name: str, inside: int, kind: str) -> None:
    matrix = MATRICES[0]
    x, m = matrix[inside], matrix[inside] + matrix[1] + matrix[2]
    found = measure(METRICS[name], drawn(*matrix), tail=0.025, interval=kind)
    reference = binomtest(x, m).proportion_ci(0.95, method=NAMES[kind][0])
    expected = [2 * u / (1 + u) for u in (x / m, reference.low, reference.high)]
    assert [float(found.value), float(found.low), float(found.high)] == pytest.approx(expected, abs=ROUNDING)


def test_which_metrics_are_shares() -> None:
    shares = {name for name, metric in METRICS.items() if share_of(metric)}
    assert shares == {*SHARES, "f1", "f1_negative"} - {"cost[0,1,1,0]"}
    assert share_of(metric_named("cost[0,1,5,0]")) is None
    assert share_of(metric_named("f2")) is None
    assert share_of(metric_named("cost[0,1,1,0]")) is not None


@pytest.mark.parametrize("name", [n for n, m in METRICS.items() if share_of(m)])
def test_a_share_says_the_same_as_its_metric(name: str) -> None:
    share = share_of(METRICS[name])
    assert share is not None
    totals = Totals(*map(array, (45, 5, 8, 442)))
    x, m = share.counted(totals)
    u = float(x / m)
    assert float(share.value(array(u))) == pytest.approx(float(METRICS[name].value(totals)))
    step = 1e-6
    slope = (share.value(array(u + step)) - share.value(array(u - step))) / (2 * step)
    assert float(share.slope(array(u))) == pytest.approx(float(slope), rel=1e-6)


@pytest.mark.parametrize("kind", NAMES)
def test_counts_of_no_simple_draw_and_metrics_that_are_no_share_are_refused(kind: str) -> None:
    apart = tally_of([1, 0], [100, 900], [20, 30], [15, 2])
    with pytest.raises(PlanError, match=r"simple draw.*2 groups.*--design simple"):
        measure(METRICS["recall"], apart, tail=0.025, interval=kind)
    for name in ("mcc", "kappa", "macro_f1", "cost[0,1,5,0]", "f2"):
        with pytest.raises(PlanError, match="use placed"):
            measure(metric_named(name), drawn(45, 5, 8, 442), tail=0.025, interval=kind)
    of_one_group = measure(METRICS["precision"], apart, tail=0.025, interval=kind)  # one side, one group: a simple draw of that side
    assert float(of_one_group.value) == 0.75


BANDS = tally_of([1, 1, 0, 0], [60, 500, 900, 5000], [30, 20, 40, 50], [28, 10, 6, 1], logit=[2, 0, -2, -4])
WHOLE = tally_of([1, 0], [40, 900], [40, 30], [31, 3])


@pytest.mark.parametrize("tally", [BANDS, WHOLE], ids=["bands", "one band taken whole"])
@pytest.mark.parametrize("kind", ["bootstrap", "rao_wu"])
def test_the_variance_over_resamples_is_the_closed_form(kind: BootstrapKind, tally: Tally, seed: int) -> None:
    """Of prevalence, a plain sum: W^2 p (1 - p) / n without a finite factor, or (1 - f) and n - 1 after Rao and Wu."""
    times = 40_000
    found = resample(METRICS["prevalence"], tally, times, kind=kind, rng=stream(seed, BOOTSTRAP, 0))
    W, p, n, f = tally.N / tally.N.sum(), tally.k / tally.n, tally.n, tally.n / tally.N
    each = p * (1 - p) / n if kind == "bootstrap" else (1 - f) * p * (1 - p) / (n - 1)
    expected = (W**2 * each).sum()
    # the variance of a sample variance is (kurtosis - 1) / times of its square; kurtosis is below 4 here: six standard errors
    assert found.var() == pytest.approx(expected, rel=6 * np.sqrt(3 / times))
    assert found.mean() == pytest.approx((W * p).sum(), abs=6 * np.sqrt(expected / times))


@pytest.mark.parametrize("kind", ["bootstrap", "rao_wu"])
def test_of_a_simple_draw_the_sides_are_resampled_too(kind: BootstrapKind, seed: int) -> None:
    """Post-stratified prevalence: the closed form inside sides, up to 1 / n for sides whose labels vary."""
    tally = simple_tally_of([1, 0], [20_000, 80_000], [200, 800], [150, 80])
    found = resample(METRICS["prevalence"], tally, 40_000, kind=kind, rng=stream(seed, BOOTSTRAP, 1))
    W, p, n = tally.N / tally.N.sum(), tally.k / tally.n, tally.n
    f = 0.01 if kind == "rao_wu" else 0.0
    assert found.var() == pytest.approx((W**2 * p * (1 - p) / n).sum() * (1 - f), rel=0.07)


@pytest.mark.parametrize("kind", ["bootstrap", "rao_wu"])
def test_resampling_needs_an_rng_and_repeats_with_it(kind: BootstrapKind, seed: int) -> None:
    with pytest.raises(PlanError, match="rng"):
        measure(METRICS["recall"], BANDS, tail=0.025, interval=kind)
    first, second = (measure(METRICS["recall"], BANDS, tail=0.025, interval=kind, rng=stream(seed, 3)) for _ in range(2))
    assert first == second
    assert first.low < first.value < first.high


def test_rao_wu_of_a_band_taken_whole_does_not_move(seed: int) -> None:
    found = resample(METRICS["precision"], WHOLE, 50, kind="rao_wu", rng=stream(seed, BOOTSTRAP, 2))
    assert found == pytest.approx(31 / 40)
    assert resample(METRICS["precision"], WHOLE, 50, kind="bootstrap", rng=stream(seed, BOOTSTRAP, 2)).std() > 0


def test_beta_has_the_mean_and_variance_it_is_made_from() -> None:
    """The limits are quantiles of Beta(m c, (1 - m) c): checked by its distribution function at both."""
    found = measure(METRICS["kappa"], BANDS, tail=0.025, interval="beta")
    wald = measure(METRICS["kappa"], BANDS, tail=0.025, interval="wald")
    m, sd = (float(found.value) + 1) / 2, float(wald.high - wald.value) / 1.959963984540054 / 2
    c = m * (1 - m) / sd**2 - 1
    assert beta.cdf((np.array([found.low, found.high]) + 1) / 2, m * c, (1 - m) * c) == pytest.approx([0.025, 0.975], abs=1e-9)
