"""What no input may break: the law every number shown obeys, and strategies for counts that are zero, one, huge and contradictory."""

import os
from collections.abc import Callable, Iterable
from typing import TypeVar

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st

from fewlabels.errors import FewlabelsError
from fewlabels.estimators.sides import Measured
from fewlabels.nouns.estimate import Estimate
from fewlabels.nouns.metric import Metric
from fewlabels.nouns.metrics import METRICS, metric_named
from fewlabels.nouns.tally import JointTally, Tally
from fewlabels.nouns.weights import WeightSums

Case = TypeVar("Case", bound=Callable[..., None])
CASES: dict[str, int] = {}  # name of a suite -> its cases in `make statistics`
HUGE = 10**12
NAMES = (*METRICS, "f2", "f0.01", "f1000", "cost[0,1,5,0]", "cost[-3,0,1000000,2]", "cost[0,0,1,0]")
JOINT_NAMES = (
    *(
        f"{average}[{name}]"
        for average in ("micro", "macro", "weighted")
        for name in ("precision", "recall", "f1", "mcc", "kappa", "accuracy")
    ),
    "f1_of_averages",
    "class_accuracy",
)
tails = st.sampled_from([1e-6, 1e-4, 0.005, 0.025, 0.05, 0.25, 0.49])
counts = st.one_of(st.sampled_from([0, 1, 2, HUGE]), st.integers(0, 60), st.integers(0, HUGE))
sizes = st.one_of(st.sampled_from([1, 2, 3, HUGE]), st.integers(1, 60), st.integers(1, HUGE))
guides = st.one_of(st.sampled_from([0.0, -13.8, 13.8]), st.floats(-13.8, 13.8))  # tied, or at the ends of what a guide can claim


def hostile(few: int, *, of: int) -> Callable[[Case], Case]:
    """Makes a test a hostile suite of `of` cases: all of them in `make statistics`, the same few of them in every run of `make test`."""
    wanted = of if "FEWLABELS_TEST_SEED" in os.environ else few

    def suite(test: Case) -> Case:
        CASES[test.__name__] = of
        return pytest.mark.hostile(settings(max_examples=wanted, deadline=None, derandomize=True, database=None)(test))

    return suite


def refused(call: Callable[[], object]) -> bool:
    """Whether the call is refused in the way fewlabels refuses: the rule, the values, and after a colon the way out. Else it raises."""
    said = None
    try:
        call()
    except FewlabelsError as error:
        said = str(error)
    assert said is None or ": " in said, said
    return said is not None


def lawful(metric: Metric, found: Measured) -> None:
    """Finite limits in order and in the range, around the value if there is one; a standard error exactly if there is a value."""
    value, low, high, error = (float(x) for x in found)
    assert metric.low <= low <= high <= metric.high
    assert np.isnan(value) or low <= value <= high
    assert np.isnan(value) == np.isnan(error)
    assert not error < 0
    assert not np.isinf([value, error]).any()


def shown_lawfully(found: Estimate, *, one_value: bool = True) -> None:
    """The same of an estimate as people see it; without a value it says why and what to do.

    one_value   whether the strict interval is around the same value; where a share was counted as it is, it need not be
    """
    metric = metric_named(found.metric)
    nan = float("nan")
    value, error = (nan if x is None else x for x in (found.value, found.standard_error))
    lawful(metric, Measured(*map(np.asarray, (value, found.low, found.high, error))))
    held = (value, error) if one_value else (nan, nan)
    lawful(metric, Measured(*map(np.asarray, (held[0], found.strict_low, found.strict_high, held[1]))))
    if found.worst_low is not None:
        assert found.worst_high is not None
        assert metric.low <= found.worst_low <= found.low <= found.high <= found.worst_high <= metric.high
    assert (found.value is None) == bool(found.why) == (found.n_eff is None)
    assert found.why is None or ": " in found.why
    assert found.n_eff is None or 0 <= found.n_eff < np.inf
    assert found.labels >= 0
    assert "nan" not in f"{found} {found.as_json()}"


def all_shown_lawfully(estimates: Iterable[Estimate]) -> None:
    for found in estimates:
        shown_lawfully(found)


@st.composite
def labeled(draw: st.DrawFn, N: int) -> tuple[int, int]:
    """Labels of a group of N units, and how many are positive: none, one, all but one, all."""
    n = min(N, draw(st.one_of(st.sampled_from([0, 1, 2, N]), st.integers(0, 60))))
    return n, draw(st.one_of(st.sampled_from([0, n, min(1, n), max(n - 1, 0)]), st.integers(0, n)))


@st.composite
def tallies(draw: st.DrawFn) -> Tally:
    """One to five groups, on both sides or on one, perhaps beside units that no group holds."""
    flagged = draw(st.one_of(st.lists(st.booleans(), min_size=1, max_size=5), st.lists(st.just(True), min_size=1, max_size=3)))
    if draw(st.integers(0, 4)) == 0:
        flagged = [not side for side in flagged]
    N = [draw(sizes) for _ in flagged]
    n, k = zip(*(draw(labeled(units)) for units in N), strict=True)
    side, units = np.array(flagged), np.array(N, dtype=np.float64)
    logit = np.array([draw(guides) for _ in flagged])
    beside = draw(st.sampled_from([(0, 0), (0, 0), (0, 10**6), (10**6, 0)]))
    return Tally(
        flagged=side,
        N=units,
        n=np.array(n, dtype=np.float64),
        k=np.array(k, dtype=np.float64),
        logit=logit,
        expected=1 / (1 + np.exp(-logit)),
        N1=float(units[side].sum()) + beside[0],
        N0=float(units[~side].sum()) + beside[1],
        simple=draw(st.booleans()),
    )


@st.composite
def weighed_tallies(draw: st.DrawFn) -> Tally:
    """Groups whose units weigh nothing, little or as much as can be; labels that weigh nothing although their group does not."""
    tally = draw(tallies())
    mean = np.array([draw(st.sampled_from([0.0, 2.0**-16, 1.0, 2.0**40])) for _ in tally.N])
    labeled_mean = mean * [draw(st.sampled_from([0.0, 0.5, 1.0, 2.0])) for _ in tally.N]
    share = np.divide(tally.k, tally.n, out=np.zeros_like(tally.n), where=tally.n > 0)
    x, xx = tally.n * labeled_mean, tally.n * labeled_mean**2 * 1.5
    X = np.maximum(tally.N * mean, x)
    weights = WeightSums(X, np.maximum(X * mean, xx), 4 * mean, x, xx, x * share, xx * share)
    N1, N0 = float(X[tally.flagged].sum()), float(X[~tally.flagged].sum())
    return Tally(
        **{name: getattr(tally, name) for name in ("flagged", "N", "n", "k", "logit", "expected", "simple")}, N1=N1, N0=N0, weights=weights
    )


@st.composite
def joint_tallies(draw: st.DrawFn) -> JointTally:
    """One to five classes: each unit is of one, each group is given one; any correlation the labels may have shown."""
    classes = draw(st.integers(1, 5))
    N = [draw(sizes) for _ in range(draw(st.integers(1, 5)))]
    given = np.array([draw(st.integers(0, classes - 1)) for _ in N])
    n = [draw(labeled(units))[0] for units in N]
    left = np.array(n, dtype=np.float64)
    tallies = []
    for j in range(classes):
        k = np.floor(left * draw(st.sampled_from([0.0, 0.3, 1.0])))
        left = left - k
        units, logit = np.array(N, dtype=np.float64), np.array([draw(guides) for _ in N])
        mine = given == j
        labels, guide = np.array(n, dtype=np.float64), 1 / (1 + np.exp(-logit))
        N1, N0 = float(units[mine].sum()), float(units[~mine].sum())
        tallies.append(Tally(flagged=mine, N=units, n=labels, k=k, logit=logit, expected=guide, N1=N1, N0=N0))
    return JointTally(tuple(tallies), draw(correlations(2 * classes)))


@st.composite
def correlations(draw: st.DrawFn, size: int) -> np.ndarray:
    """None at all, complete, or of a few labels' residuals."""
    kind = draw(st.integers(0, 2))
    if kind == 0:
        return np.eye(size)
    signs = np.array([draw(st.sampled_from([-1.0, 1.0])) for _ in range(size)])
    if kind == 1:
        return np.outer(signs, signs)
    residuals = np.random.default_rng(draw(st.integers(0, 99))).normal(size=(size, 3))
    residuals /= np.linalg.norm(residuals, axis=1)[:, None]
    correlation = residuals @ residuals.T
    np.fill_diagonal(correlation, 1.0)
    return np.asarray(correlation)
