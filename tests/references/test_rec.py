"""REC against numbers worked out step by step, and against Clopper-Pearson."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import beta, norm, t

from fewlabels.estimators.weighted import read_side, recalibrate
from fewlabels.intervals.rare import rec
from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.evidence import Evidence
from fewlabels.nouns.tally import Tally
from tests.identities.made import tally_of

# The recalibration stops when a Newton step is below 1e-10; everything after it is smooth with slopes of at most about 10.
STEP = 1e-9


def one_simple(n: float, k: float, *, x: float = 0.0) -> Tally:
    """n labels, k positive, of a side so large that f = 0 to double precision."""
    return tally_of([1], [1e18], [n], [k], logit=[x])


def mode(tally: Tally) -> tuple[float, float]:
    """a, b of the recalibration by a general optimizer: the mode of a binomial likelihood times N(0, 2^2) and N(1, 0.5^2)."""

    def loss(ab: FloatArray) -> float:
        eta = ab[0] + ab[1] * tally.logit
        likelihood = tally.k * -np.logaddexp(0, -eta) + (tally.n - tally.k) * -np.logaddexp(0, eta)
        return float(-likelihood.sum() + ab[0] ** 2 / 8 + (ab[1] - 1) ** 2 / 0.5)

    found = minimize(loss, np.array([0.0, 1.0]), method="Nelder-Mead", options={"xatol": 1e-11, "fatol": 1e-14, "maxiter": 4000})
    return float(found.x[0]), float(found.x[1])


def by_hand(tally: Tally, tail: float, *, strict: bool) -> tuple[float, float]:
    """docs/maths/rare.md written out for a side whose share is at most 1/2, with SciPy's distributions."""
    N, n, k = tally.N, tally.n, tally.k
    W, f, p = N / N.sum(), n / N, k / n
    a, b = mode(tally)
    mu = 1 / (1 + np.exp(-(a + b * tally.logit)))
    smooth = (k + 2 * mu) / (n + 2)
    V = (W**2 * (1 - f) * p * (1 - p) / (n - 1)).sum()
    Vs = (W**2 * (1 - f) * smooth * (1 - smooth) / (n - 0.5)).sum()
    df = max(1, (n - 1)[f < 1].sum())
    v = max(V, Vs) * (t.ppf(1 - tail, df) / norm.ppf(1 - tail)) ** 2
    q = (W * p).sum()
    part = (n > 0) & (n < N)
    spread = sum(W[part] ** 2 / (N[part] * np.log(N[part] / (N[part] - n[part]))))
    lower = 0.0
    if q > 0:
        n_e = q * (1 - q) / v
        lower = beta.ppf(tail, n_e * q, n_e - n_e * q + 1)
    w = max(v / q if q > 0 else spread, 0.5 * (1 - n.sum() / N.sum()) / n.sum(), 1 / N.sum())
    if strict or not proven(tally):
        w = max(w, spread)
    q_plus, v_plus = q + w, v + w * w
    n_plus = q_plus * (1 - q_plus) / v_plus
    return float(lower), float(beta.ppf(1 - tail, n_plus * q_plus, n_plus * (1 - q_plus)))


CASES = {
    "two bands, errors in one": tally_of([0, 0], [900, 100], [10, 10], [0, 3], logit=[-5, -1]),
    "no error seen": tally_of([0, 0], [900, 100], [15, 5], [0, 0], logit=[-5, -1]),
    "proven order": tally_of([0, 0, 0], [5000, 300, 60], [20, 10, 10], [0, 1, 9], logit=[-6, -2, 1]),
    "a band taken whole": tally_of([0, 0], [2000, 12], [30, 12], [1, 7], logit=[-4, 0]),
    "reversed guide": tally_of([0, 0], [500, 500], [25, 25], [9, 1], logit=[-4, 4]),
}


def proven(tally: Tally) -> bool:
    """Correlation of answers and guide over all labels, times the root of their number, beyond the one-sided 1 % point."""
    x = np.repeat(tally.logit, tally.n.astype(int))
    y = np.concatenate([np.arange(n) < k for n, k in zip(tally.n, tally.k, strict=True)])
    return bool(y.any() and np.corrcoef(x, y)[0, 1] * np.sqrt(x.size) > norm.isf(0.01))


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("tail", [0.05, 0.025, 0.005])
@pytest.mark.parametrize("name", CASES)
def test_rec_is_what_the_formulas_give_step_by_step(name: str, tail: float, strict: bool) -> None:
    tally = CASES[name]
    low, high = rec(read_side(tally), tail, strict=strict)
    # Nelder-Mead finds the mode to about the square root of the accuracy of the loss, 1e-7 in a and b; the limits are flatter there
    assert (float(low), float(high)) == pytest.approx(by_hand(tally, tail, strict=strict), rel=1e-6)


@pytest.mark.parametrize("name", CASES)
def test_the_recalibration_is_at_its_mode(name: str) -> None:
    tally = CASES[name]
    a, b = np.linalg.lstsq(
        np.column_stack([np.ones(tally.N.size), tally.logit]), np.log(mu := recalibrate(tally)) - np.log1p(-mu), rcond=None
    )[0]
    residual = tally.k - tally.n * mu
    assert residual.sum() - a / 4 == pytest.approx(0, abs=STEP * tally.n.sum())
    assert (residual * tally.logit).sum() - (b - 1) / 0.25 == pytest.approx(0, abs=STEP * tally.n.sum() * 10)


def test_without_labels_the_recalibration_is_the_guide() -> None:
    tally = tally_of([0, 0], [10, 10], [0, 0], [0, 0], logit=[-3, 2])
    assert recalibrate(tally) == pytest.approx(tally.expected, rel=1e-12)


@pytest.mark.parametrize("name", CASES)
def test_rec_of_the_opposite_answers_is_the_mirror_image(name: str) -> None:
    tally = CASES[name]
    mirrored = tally_of([0] * tally.N.size, tally.N.tolist(), tally.n.tolist(), (tally.n - tally.k).tolist(), logit=(-tally.logit).tolist())
    low, high = rec(read_side(tally), 0.025)
    mirror = rec(read_side(mirrored), 0.025)
    assert (1 - float(mirror.high), 1 - float(mirror.low)) == pytest.approx((float(low), float(high)), abs=STEP)


@pytest.mark.parametrize(("n", "k"), [(10, 1), (30, 15), (60, 4), (400, 200), (1000, 3)])
def test_with_the_binomial_variance_the_lower_limit_is_clopper_pearsons(n: int, k: int) -> None:
    """One group, f = 0, v = p (1 - p) / n and infinite df give n_e = n and x = k: exactly Clopper-Pearson below.

    Above, w = 1/n gives q+ = (k + 1)/n and v+ = p (1 - p)/n + 1/n^2, where Clopper-Pearson has Beta(k + 1, n - k).
    """
    p = k / n
    share, v, none = np.asarray(p, dtype=np.float64), np.asarray(p * (1 - p) / n, dtype=np.float64), np.asarray(0.0)
    side = Evidence(
        N=1e18, n=np.asarray(float(n)), p=share, raw=v, v=v, df=np.asarray(np.inf), spread=np.asarray(1 / n), unlabeled=none,
        ordered=np.asarray(False),
    )  # fmt: skip
    low, high = rec(side, 0.025)
    assert float(low) == pytest.approx(beta.ppf(0.025, k, n - k + 1), rel=1e-9)
    q = min(p, 1 - p)
    q_plus, v_plus = q + 1 / n, q * (1 - q) / n + 1 / n**2
    n_plus = q_plus * (1 - q_plus) / v_plus
    assert float(high) == pytest.approx(beta.ppf(0.975, n_plus * q_plus, n_plus * (1 - q_plus)), rel=1e-9)


@pytest.mark.parametrize(("n", "k"), [(10, 3), (60, 20), (400, 100)])
def test_of_one_group_the_lower_limit_is_clopper_pearsons_on_fewer_labels(n: int, k: int) -> None:
    """As read from labels V = p (1 - p)/(n - 1) and df = n - 1, so the effective number is (n - 1)(z/t)^2."""
    p, tail = k / n, 0.025
    side = read_side(one_simple(n, k))
    assert side.v == side.raw  # the smoothed variance is smaller here
    n_e = (n - 1) * (norm.ppf(1 - tail) / t.ppf(1 - tail, n - 1)) ** 2
    assert float(rec(side, tail).low) == pytest.approx(beta.ppf(tail, n_e * p, n_e * (1 - p) + 1), rel=1e-9)


@pytest.mark.parametrize("tail", [0.05, 0.025, 0.005])
def test_rec_of_a_simple_draw_contains_clopper_pearson(tail: float) -> None:
    """So its coverage there is guaranteed, not only measured: Clopper-Pearson misses each limit with probability at most tail."""
    for n in (2, 3, 5, 10, 30, 100, 1000):
        for k in sorted({0, 1, 2, n // 10, n // 4, n // 2, n - 1, n}):
            low, high = rec(read_side(one_simple(n, k)), tail)
            below = beta.ppf(tail, k, n - k + 1) if k else 0.0
            above = beta.ppf(1 - tail, k + 1, n - k) if k < n else 1.0
            assert float(low) <= below + 1e-12, (n, k)
            assert float(high) >= above - 1e-12, (n, k)
