"""What holds of every interval, whatever the labels say."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fewlabels.estimators.effective import effective_n
from fewlabels.estimators.measuring import measure
from fewlabels.estimators.sides import Measured, read_sides
from fewlabels.intervals.binomial import share_of
from fewlabels.intervals.mover import mover
from fewlabels.intervals.rare import rec
from fewlabels.intervals.registered import INTERVALS
from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.estimate import IntervalKind
from fewlabels.nouns.evidence import Evidence, Limits
from fewlabels.nouns.metric import Totals
from fewlabels.nouns.metrics import METRICS
from fewlabels.nouns.tally import Tally
from tests.identities.made import EPS, checked, checked_less, tallies, tally_of

TAILS = (0.05, 0.025, 0.0025)
OTHER_SIDE = ("negative_predictive_value", "false_omission_rate")  # shares of the unflagged units
each_metric = pytest.mark.parametrize("name", METRICS)


@each_metric
@checked_less
@given(tally=tallies(census=True))
def test_a_census_is_exact(name: str, tally: Tally) -> None:
    metric = METRICS[name]
    A, B = tally.k[tally.flagged].sum(), tally.k[~tally.flagged].sum()
    totals = Totals.of_sides(np.asarray(A), np.asarray(B), N1=tally.N1, N0=tally.N0)
    truth = float(metric.value(totals))
    found = measure(metric, tally, tail=0.025)
    if np.isnan(truth):
        assert np.isnan(found.value)
        return
    shares = 8 * (tally.N.size + 2) * EPS  # the weights of the bands sum to 1 up to one rounding each
    slope = np.abs(metric.gradient(totals))  # few units left of a large side: its rounding counts for more
    rounding = shares * float(1 + tally.N1 * (slope[0] + slope[1]) + tally.N0 * (slope[2] + slope[3]))
    assert found.value == pytest.approx(truth, rel=rounding, abs=rounding)
    assert found.low <= truth <= found.high
    assert found.standard_error == 0


@checked
@given(tallies(census=True))
def test_a_census_leaves_no_width_but_the_guard(tally: Tally) -> None:
    found = measure(METRICS["prevalence"], tally, tail=0.025)
    assert found.high - found.low <= 3e-12  # the guard of 1e-12 on each side of each side, joined by MOVER: 2 sqrt(2) 1e-12


@each_metric
@checked_less
@given(tally=tallies())
def test_an_interval_lies_in_the_range_and_contains_the_value(name: str, tally: Tally) -> None:
    metric = METRICS[name]
    for tail in TAILS:
        found = measure(metric, tally, tail=tail)
        assert metric.low <= found.low <= found.high <= metric.high
        assert np.isnan(found.value) or found.low <= found.value <= found.high


@each_metric
@checked_less
@given(tally=tallies(short=True))
def test_an_interval_short_of_a_census_has_width(name: str, tally: Tally) -> None:
    both = tally.flagged.any() and not tally.flagged.all()
    found = measure(METRICS[name], tally, tail=0.25)
    one_sided = (name == "precision" and tally.flagged.any()) or (name in OTHER_SIDE and not tally.flagged.all())
    if both or name in ("accuracy", "prevalence") or one_sided:
        assert found.high > found.low


def test_wald_has_no_width_where_no_error_was_seen() -> None:
    """The twin: the usual interval fails the property above."""
    tally = tally_of([1, 0], [100, 900], [20, 20], [20, 0])
    found = measure(METRICS["precision"], tally, tail=0.025, interval="wald")
    assert found.low == found.high == 1
    assert measure(METRICS["precision"], tally, tail=0.025).low < 0.9


@each_metric
@checked_less
@given(tally=tallies(fewest=2))
def test_an_interval_at_a_higher_level_contains_that_at_a_lower(name: str, tally: Tally) -> None:
    wide, narrow = measure(METRICS[name], tally, tail=0.005), measure(METRICS[name], tally, tail=0.05)
    assert wide.low <= narrow.low + 4 * EPS
    assert wide.high >= narrow.high - 4 * EPS


@pytest.mark.lengthy
def test_replicates_are_measured_as_if_alone() -> None:
    rng = np.random.default_rng(3)
    many = tally_of([1, 1, 0, 0], [50, 90, 700, 8000], [5, 9, 30, 40], [0, 0, 0, 0], logit=[1, 3, -4, -1])
    k = rng.binomial(many.n.astype(int), [0.5, 0.9, 0.02, 0.2], size=(20, 4)).astype(np.float64)
    together = Tally(
        flagged=many.flagged, N=many.N, n=np.broadcast_to(many.n, k.shape), k=k, logit=many.logit, expected=many.expected, N1=140, N0=8700
    )
    for metric in METRICS.values():
        found = measure(metric, together, tail=0.025)
        for r in range(20):
            alone = measure(
                metric, tally_of([1, 1, 0, 0], many.N.tolist(), many.n.tolist(), k[r].tolist(), logit=[1, 3, -4, -1]), tail=0.025
            )
            # the Newton steps of all replicates end together, below 1e-10: one alone may end a step earlier
            assert [x[r] for x in found] == pytest.approx([float(x) for x in alone], abs=1e-9)


@each_metric
@checked_less
@given(tally=tallies())
def test_an_effective_n_is_at_most_the_frame(name: str, tally: Tally) -> None:
    metric = METRICS[name]
    found = measure(metric, tally, tail=0.025)
    n_eff = effective_n(metric, tally, found, tail=0.025)
    if np.isnan(found.value):
        assert n_eff is None
    else:
        assert n_eff is not None
        assert 1 <= n_eff <= (tally.N1 if metric.needs_flagged else 0) + (tally.N0 if metric.needs_unflagged else 0)


@each_metric
@pytest.mark.parametrize(
    ("labels", "share1", "share0"), [(100, 0.9, 0.05), (100, 1.0, 0.0), (400, 0.75, 0.025), (2000, 0.5, 0.5), (8000, 0.85, 0.01)]
)
def test_a_simple_draw_has_its_own_size_as_effective_n(name: str, labels: int, share1: float, share0: float) -> None:
    metric = METRICS[name]
    n = np.array([0.2, 0.8]) * labels
    tally = tally_of([1, 0], [2000, 8000], n.tolist(), (n * [share1, share0]).tolist())
    n_eff = effective_n(metric, tally, measure(metric, tally, tail=0.025), tail=0.025)
    own = n[0] if name == "precision" else n[1] if name in OTHER_SIDE else labels  # the labels of the side(s) the metric needs
    assert n_eff == pytest.approx(own, rel=0.01)


def joined(name: str, N1: float, N0: float, shares: tuple[FloatArray, FloatArray], limits: tuple[Limits, Limits]) -> Limits:
    """A metric of two sides of these sizes, by MOVER."""
    metric = METRICS[name]

    def theta(p1: FloatArray, p0: FloatArray) -> FloatArray:
        return metric.value(Totals.of_sides(N1 * p1, N0 * p0, N1=N1, N0=N0))

    return mover(theta, shares, limits, low=metric.low, high=metric.high)


@checked
@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.integers(1, 10**9))
def test_mover_of_precision_is_the_flagged_side_alone(a: float, b: float, c: float, N1: int) -> None:
    low, p, high = map(np.asarray, sorted((a, b, c)))
    zero = np.asarray(0.0)
    found = joined("precision", N1, 77, (p, zero), (Limits(low, high), Limits(zero, zero)))
    assert found.low == pytest.approx(float(low), abs=4 * EPS)
    assert found.high == pytest.approx(float(high), abs=4 * EPS)


@checked
@given(st.lists(st.floats(0, 1), min_size=6, max_size=6))
def test_mover_of_prevalence_adds_the_reaches_in_squares(six: list[float]) -> None:
    l1, p1, h1 = map(np.asarray, sorted(six[:3]))
    l0, p0, h0 = map(np.asarray, sorted(six[3:]))
    found = joined("prevalence", 200, 800, (p1, p0), (Limits(l1, h1), Limits(l0, h0)))
    value = 0.2 * p1 + 0.8 * p0
    assert found.low == pytest.approx(max(0, value - np.hypot(0.2 * (p1 - l1), 0.8 * (p0 - l0))), abs=16 * EPS)
    assert found.high == pytest.approx(min(1, value + np.hypot(0.2 * (h1 - p1), 0.8 * (h0 - p0))), abs=16 * EPS)


def test_what_is_undefined_leaves_the_whole_range() -> None:
    none_found = measure(METRICS["recall"], tally_of([1, 0], [50, 500], [5, 20], [0, 0]), tail=0.025)
    assert np.isnan(none_found.value)
    assert (float(none_found.low), float(none_found.high)) == (0.0, 1.0)
    no_label = measure(METRICS["recall"], tally_of([1, 0], [50, 500], [5, 0], [4, 0]), tail=0.025)
    assert np.isnan(no_label.value)
    assert (float(no_label.low), float(no_label.high)) == pytest.approx((0.0, 1.0), abs=0.1)


@checked
@given(st.floats(0.01, 3), st.floats(0, 1))
def test_a_forecast_of_less_than_one_label_has_a_variance(labels: float, share: float) -> None:
    """Fractions of a label appear in forecasts only; a negative or infinite variance there would size a study by nonsense."""
    side = read_sides(tally_of([1, 0], [500, 500], [labels, 20], [labels * share, 3])).flagged
    assert 0 < side.v < np.inf


# ---------------------------------------------------------------- every kind

SHARES = tuple(name for name, metric in METRICS.items() if share_of(metric))
COUNTED: tuple[IntervalKind, ...] = ("clopper_pearson", "wilson")
HONEST: tuple[IntervalKind, ...] = ("rec", "strict", "placed", "midp", *COUNTED)
KINDS = tuple(one.name for one in INTERVALS if not one.running)
BASELINES = {one.name: one.caution or "" for one in INTERVALS if one.is_baseline}
each_kind = pytest.mark.parametrize("kind", KINDS)


def found_by(kind: IntervalKind, name: str, tally: Tally, *, tail: float = 0.025) -> Measured:
    return measure(METRICS[name], tally, tail=tail, interval=kind, rng=np.random.default_rng(5))


def metrics_of(kind: IntervalKind) -> tuple[str, ...]:
    return SHARES if kind in COUNTED else tuple(METRICS)


def test_every_kind_is_honest_or_says_where_it_fails() -> None:
    assert set(HONEST) | set(BASELINES) == set(KINDS)
    assert not set(HONEST) & set(BASELINES)
    assert all(caution.startswith(f"{kind} is a baseline: ") for kind, caution in BASELINES.items())


@each_kind
@checked_less
@given(tally=tallies(fewest=0), data=st.data())
def test_every_interval_lies_in_the_range_and_contains_the_value(kind: IntervalKind, tally: Tally, data: st.DataObject) -> None:
    tally = replace(tally, simple=kind in COUNTED or data.draw(st.booleans()))
    name = data.draw(st.sampled_from(metrics_of(kind)))
    for tail in (0.25, 0.025, 0.0005):
        found = found_by(kind, name, tally, tail=tail)
        assert METRICS[name].low <= found.low <= found.high <= METRICS[name].high
        assert np.isnan(found.value) or found.low <= found.value <= found.high


@pytest.mark.parametrize("kind", HONEST)
@checked_less
@given(tally=tallies(short=True), data=st.data())
def test_every_honest_interval_short_of_a_census_has_width(kind: IntervalKind, tally: Tally, data: st.DataObject) -> None:
    tally = replace(tally, simple=True)
    name = data.draw(st.sampled_from(metrics_of(kind)))
    metric = METRICS[name]
    if (tally.N1 or not metric.needs_flagged) and (tally.N0 or not metric.needs_unflagged):
        found = found_by(kind, name, tally, tail=0.25)
        assert found.high > found.low


@pytest.mark.parametrize("kind", BASELINES)
def test_every_baseline_has_no_width_where_no_error_was_seen(kind: IntervalKind) -> None:
    """The twin: what the cautions say."""
    found = found_by(kind, "precision", tally_of([1, 0], [100, 900], [20, 20], [20, 0]))
    assert found.low == found.high == 1


@each_kind
def test_with_nothing_to_go_on_every_interval_is_the_whole_range(kind: IntervalKind) -> None:
    nothing = replace(tally_of([1, 0], [50, 500], [0, 0], [0, 0]), simple=True)
    for name in metrics_of(kind):
        found = found_by(kind, name, nothing)
        assert np.isnan(found.value)
        # rec of a side without a label is [0, 1], and a metric of two such sides may still have an end that no share reaches
        reach = found if name in SHARES else found._replace(low=np.asarray(METRICS[name].low), high=np.asarray(METRICS[name].high))
        assert (float(reach.low), float(reach.high)) == (METRICS[name].low, METRICS[name].high)


@pytest.mark.parametrize("kind", COUNTED)
def test_a_side_never_drawn_from_leaves_a_count_unknown(kind: IntervalKind) -> None:
    flagged_only = replace(tally_of([1], [50], [20], [15]), N0=1_000.0, simple=True)
    assert float(found_by(kind, "precision", flagged_only).value) == 0.75
    recall = found_by(kind, "recall", flagged_only)
    assert np.isnan(recall.value)
    assert (float(recall.low), float(recall.high)) == (0, 1)


@each_metric
@checked_less
@given(tally=tallies())
def test_midp_lies_inside_rec(name: str, tally: Tally) -> None:
    rec, midp = (found_by(kind, name, tally) for kind in ("rec", "midp"))
    assert float(midp.value) == pytest.approx(float(rec.value), nan_ok=True)
    assert rec.low <= midp.low + 1e-12
    assert midp.high <= rec.high + 1e-12


@each_kind
def test_replicates_are_measured_one_by_one_by_every_kind(kind: IntervalKind) -> None:
    one = replace(tally_of([1, 0], [500, 9000], [40, 60], [31, 5]), simple=True)
    shape = (3, 2, 2)
    many = replace(one, n=np.broadcast_to(one.n, shape), k=np.broadcast_to(one.k, shape))
    found, alone = found_by(kind, "recall", many), found_by(kind, "recall", one)
    assert found.low.shape == (3, 2)
    assert np.isfinite(found.low).all()
    if kind not in ("bootstrap", "rao_wu"):
        assert found.low == pytest.approx(float(alone.low), abs=1e-9)


@checked
@given(st.lists(st.floats(0, 1), min_size=9, max_size=9))
def test_mover_takes_any_number_of_parts(nine: list[float]) -> None:
    thirds = [sorted(nine[i : i + 3]) for i in (0, 3, 6)]
    points = [np.asarray(p) for _, p, _ in thirds]
    limits = [Limits(np.asarray(low), np.asarray(high)) for low, _, high in thirds]
    found = mover(lambda a, b, c: (a + b - c) / 3, points, limits, low=-1, high=1)
    down = np.sqrt(sum(x**2 for x in (points[0] - limits[0].low, points[1] - limits[1].low, limits[2].high - points[2]))) / 3
    assert float(found.low) == pytest.approx(max(-1, float((points[0] + points[1] - points[2]) / 3 - down)), abs=16 * EPS)


@pytest.mark.parametrize("p", [1.0, 1 - 1.2e-16, 1 + 2.3e-16])
def test_a_share_that_is_one_but_for_rounding_has_no_error(p: float) -> None:
    n, share, raw, v, df, spread, unlabeled = (np.asarray(value) for value in (67.0, p, 0.0, 4.8e-6, 52.0, 0.0151, 0.0))
    side = Evidence(
        N=2_070.0, n=n, p=share, raw=raw, v=v, df=df, spread=spread, unlabeled=unlabeled, ordered=np.asarray(False),
    )  # fmt: skip
    assert 0.93 < float(rec(side, 0.025).low) < 0.96
