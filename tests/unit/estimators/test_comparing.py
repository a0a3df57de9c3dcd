"""The difference of two classifiers: exact where all is labeled, odd in its sides, and dependent on nothing that cancels."""

import numpy as np
import pytest

from benchmarks.comparing import Judged, drawn_for
from fewlabels.designs.simple import simple
from fewlabels.errors import PlanError, StudyError
from fewlabels.estimators.comparing import CELLS, PairTally, compare, difference, disagreement, fill_pair, matters, pair_groups, slopes
from fewlabels.intervals.mover import mover
from fewlabels.nouns.estimate import IntervalKind
from fewlabels.nouns.evidence import Limits
from fewlabels.nouns.ladder import bin_of
from fewlabels.nouns.metric import Totals
from fewlabels.nouns.metrics import METRICS, metric_named
from fewlabels.nouns.profile import Profile
from fewlabels.nouns.tally import Tally
from fewlabels.nouns.weights import QUANTA

SIZE = np.array([900.0, 60.0, 40.0, 100.0])  # neither, the second alone, the first alone, both
POSITIVE = np.array([9.0, 12.0, 26.0, 81.0])


def tally_of(n: list[float], k: list[float], size: list[float] | None = None) -> PairTally:
    """One group a cell, in the order of the cells."""
    N = np.array(SIZE if size is None else size)
    flagged = np.array([False, False, True, True])
    t = Tally(
        flagged=flagged, N=N, n=np.array(n), k=np.array(k), logit=np.zeros(4), expected=np.full(4, 0.5), N1=N[2:].sum(), N0=N[:2].sum()
    )
    return PairTally(t, np.arange(CELLS), N)


def swapped(tally: PairTally) -> PairTally:
    """The same labels with the classifiers the other way round."""
    return tally._replace(cell=np.array([0, 2, 1, 3])[tally.cell], size=tally.size[[0, 2, 1, 3]])


@pytest.mark.parametrize("name", METRICS)
def test_census_has_no_error(name: str) -> None:
    found = compare(metric_named(name), tally_of(SIZE.tolist(), POSITIVE.tolist()), tail=0.025)
    TP1, TP2, P = POSITIVE[2:].sum(), POSITIVE[[1, 3]].sum(), POSITIVE.sum()
    both = [(TP1, SIZE[2:].sum() - TP1), (TP2, SIZE[[1, 3]].sum() - TP2)]
    totals = [Totals(*(np.asarray(x) for x in (TP, FP, P - TP, SIZE.sum() - P - FP))) for TP, FP in both]
    one, two = (metric_named(name).value(t) for t in totals)
    assert found.value == pytest.approx(float(one - two), abs=1e-12)
    assert found.high - found.low < 1e-9


@pytest.mark.parametrize("interval", ["rec", "strict", "midp", "wald"])
@pytest.mark.parametrize("name", ["f1", "recall", "precision", "accuracy", "mcc"])
def test_the_other_way_round_is_the_negative(name: str, interval: IntervalKind) -> None:
    tally = tally_of([80, 30, 25, 20], [1, 6, 16, 17])
    one, two = (compare(metric_named(name), t, tail=0.025, interval=interval) for t in (tally, swapped(tally)))
    assert one.value == pytest.approx(-two.value)
    assert one.low == pytest.approx(-two.high)
    assert one.high == pytest.approx(-two.low)
    assert one.low < one.value < one.high
    assert one.standard_error == pytest.approx(two.standard_error)


def test_what_cancels_does_not_matter() -> None:
    assert matters(metric_named("accuracy"), SIZE).tolist() == [False, True, True, False]
    assert matters(metric_named("precision"), SIZE).tolist() == [False, True, True, True]
    assert matters(metric_named("precision"), np.array([900.0, 50.0, 50.0, 100.0])).tolist() == [False, True, True, False]
    assert matters(metric_named("recall"), SIZE).all()
    assert matters(metric_named("f1"), SIZE).all()
    assert not matters(metric_named("prevalence"), SIZE).any()


def test_agreements_leave_the_difference_of_accuracies_alone() -> None:
    few, many = (tally_of([a, 30, 25, b], [0, 6, 16, 1]) for a, b in ((2, 2), (800, 90)))
    one, two = (compare(metric_named("accuracy"), t, tail=0.025) for t in (few, many))
    assert (one.value, one.low, one.high) == (two.value, two.low, two.high)


def test_slopes_are_derivatives() -> None:
    T = [np.asarray(t) for t in POSITIVE]
    for name in ("f1", "recall", "precision", "accuracy", "mcc", "kappa", "weighted_f1"):
        metric = metric_named(name)
        for c, slope in enumerate(slopes(metric, T, SIZE)):
            up, down = ([t + h * (j == c) for j, t in enumerate(T)] for h in (1e-4, -1e-4))
            numeric = (difference(metric, up, SIZE) - difference(metric, down, SIZE)) / 2e-4
            assert float(slope) == pytest.approx(float(numeric), rel=1e-5, abs=1e-9), name


def test_of_a_linear_difference_the_ellipsoid_is_mover() -> None:
    metric, tally = metric_named("accuracy"), tally_of([80, 30, 25, 20], [1, 6, 16, 17])
    ends = []
    for cell in (1, 2):  # a difference that depends on one cell alone has the limits of that cell
        alone = tally._replace(size=np.where(np.arange(CELLS) == cell, SIZE, 0.0))
        one = compare(metric, alone, tail=0.025)
        ends.append((one.value, Limits(one.low * SIZE[cell] / SIZE.sum(), one.high * SIZE[cell] / SIZE.sum())))
    points = [value * SIZE[cell] / SIZE.sum() for (value, _), cell in zip(ends, (1, 2), strict=True)]
    joined = mover(lambda a, b: np.asarray(a + b), points, [limits for _, limits in ends], low=-1, high=1)
    found = compare(metric, tally, tail=0.025)
    assert float(found.low) == pytest.approx(float(joined.low))
    assert float(found.high) == pytest.approx(float(joined.high))


def test_a_ratio_reaches_further_than_one_at_a_time() -> None:
    """Recall of a pair that tie: moving the denominator alone does nothing, moving both does."""
    tally = tally_of([80, 20, 20, 20], [1, 10, 10, 15], [900, 50, 50, 100])
    found = compare(metric_named("recall"), tally, tail=0.025)
    fixed = compare(metric_named("accuracy"), tally, tail=0.025)
    P = float((tally.tally.N * tally.tally.k / tally.tally.n).sum())
    assert found.value == 0
    assert float(found.high) > float(fixed.high) * 1_100 / 2 / P


def test_classifiers_that_agree_differ_by_nothing() -> None:
    found = compare(metric_named("f1"), tally_of([80, 1, 1, 20], [1, 0, 0, 17], [900, 0, 0, 100]), tail=0.025)
    assert [float(x) for x in found] == [0, 0, 0, 0]


def test_a_cell_without_labels_leaves_the_value_unknown() -> None:
    found = compare(metric_named("recall"), tally_of([80, 0, 25, 20], [1, 0, 16, 17]), tail=0.025)
    assert np.isnan(found.value)
    assert np.isnan(found.standard_error)
    known = compare(metric_named("recall"), tally_of([80, 30, 25, 20], [1, 6, 16, 17]), tail=0.025)
    assert found.low < known.low
    assert found.high > known.value


def test_no_positive_seen_leaves_everything_possible() -> None:
    found = compare(metric_named("recall"), tally_of([80, 30, 25, 20], [0, 0, 0, 0]), tail=0.025)
    assert np.isnan(found.value)
    assert (float(found.low), float(found.high)) == (-1, 1)


def test_refuses_what_is_no_difference() -> None:
    tally = tally_of([80, 30, 25, 20], [1, 6, 16, 17])
    with pytest.raises(StudyError, match="several labels together"):
        compare(metric_named("macro[f1]"), tally, tail=0.025)
    with pytest.raises(PlanError, match="one of the intervals"):
        compare(metric_named("f1"), tally, tail=0.025, interval="bootstrap")


def profile(*, weight: bool = False) -> Profile:
    """Two classifiers, patterns 0 to 3 over three guide bins; every unit weighs 3 quanta's worth of one where there are weights."""
    pattern, bins = np.repeat(np.arange(4), 3), np.tile(bin_of(np.array([0.02, 0.3, 0.8])), 4)
    count = np.array([400, 200, 50, 10, 20, 30, 15, 25, 35, 5, 20, 90])
    return Profile(
        columns=(),
        guide_bin=bins,
        pattern=pattern,
        slice=np.zeros(12, dtype=np.int64),
        count=count,
        slice_values=(("21",),) if weight else ((),),
        guided=True,
        smallest_id="",
        largest_id="",
        weight=count * int(3 * QUANTA) if weight else None,
    )


def test_groups_are_bands_cut_by_what_the_two_predict() -> None:
    made = profile()
    groups = pair_groups(made, simple(made, frame=np.ones(12, dtype=np.bool_)), 0, 1)
    assert groups.groups.N.size == CELLS
    assert groups.size.tolist() == [650, 75, 60, 115]  # bit 0 is the first's prediction
    assert (groups.cell[groups.groups.of_cell] == disagreement(made, 0, 1)).all()
    own = pair_groups(made, drawn_for(Judged(made, made.count), "f1", [(0, 1)], labels=200), 0, 1)
    assert own.groups.N.sum() == made.N
    for cell in range(CELLS):
        assert (np.diff(own.groups.logit[own.cell == cell]) > 0).all()


def test_weights_that_are_all_alike_change_nothing() -> None:
    counted, weighed = profile(), profile(weight=True)
    n, k = np.array([120.0, 30.0, 25.0, 60.0]), np.array([2.0, 6.0, 16.0, 50.0])
    frame = np.ones(12, dtype=np.bool_)
    one = compare(metric_named("recall"), pair_groups(counted, simple(counted, frame=frame), 0, 1).tally(n, k), tail=0.025)
    groups = pair_groups(weighed, simple(weighed, frame=frame), 0, 1, weight="amount")
    two = compare(metric_named("recall by amount"), groups.tally(n, k), tail=0.025)
    assert float(one.value) == pytest.approx(float(two.value))
    assert float(two.low) <= float(one.low) + 1e-9  # the heaviest a unit could be is known only to a factor of two


def test_empty_groups_join_their_own_cell() -> None:
    made = profile()
    groups = pair_groups(made, drawn_for(Judged(made, made.count), "f1", [(0, 1)], labels=400), 0, 1)
    n = np.full(groups.groups.N.size, 3.0)
    empty = np.flatnonzero(groups.cell == 3)[0]
    n[empty] = 0
    filled = fill_pair(groups.tally(n, n - 1 * (n > 0)))
    assert filled.tally.N.size == n.size - 1
    assert filled.labels == n.sum()
    sizes = np.bincount(filled.cell, weights=filled.tally.N, minlength=CELLS)
    assert sizes.tolist() == groups.size.tolist()
