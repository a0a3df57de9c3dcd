"""Positives so far, corrected by the share that earlier ones had arrived."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

from fewlabels.estimators.measuring import measure
from fewlabels.nouns.late import Arrivals, Arrived
from fewlabels.nouns.metrics import metric_named
from fewlabels.nouns.tally import Tally

RECALL, PREVALENCE = metric_named("recall"), metric_named("prevalence")
COME = Arrivals(None, Arrived(600, 1_000))


def told(k: tuple[float, ...] = (30.0, 6.0, 1.0), arrivals: Arrivals | None = COME) -> Tally:
    N = np.array([400.0, 3_000.0, 9_000.0])
    return Tally(
        flagged=np.array([True, False, False]), N=N, n=np.array([60.0, 200.0, 200.0]), k=np.array(k), logit=np.array([1.0, -2.0, -5.0]),
        expected=np.array([0.6, 0.1, 0.01]), N1=400.0, N0=12_000.0, arrivals=arrivals,
    )  # fmt: skip


@pytest.mark.parametrize("interval", ["placed", "rec", "strict", "wald"])
def test_the_value_counts_what_is_still_to_arrive(interval: str) -> None:
    found = measure(RECALL, told(), tail=0.025, interval=interval)
    TP, FN = 200, (3_000 * 6 / 200 + 9_000 * 1 / 200) / 0.6
    assert float(found.value) == pytest.approx(TP / (TP + FN))
    assert found.low < found.value < found.high


def test_the_flagged_side_is_left_alone() -> None:
    precision = metric_named("precision")
    both = [measure(precision, told(arrivals=one), tail=0.025) for one in (COME, None)]
    assert both[0] == both[1]


def test_the_fewer_have_arrived_the_wider() -> None:
    widths = []
    for come in (990, 600, 200):
        found = measure(PREVALENCE, told(arrivals=Arrivals(None, Arrived(come, 1_000))), tail=0.025)
        widths.append(float(found.high - found.low))
    assert widths == sorted(widths)
    assert widths[0] < widths[2] / 2


def test_few_earlier_positives_widen() -> None:
    each = [measure(PREVALENCE, told(arrivals=Arrivals(None, Arrived(3 * m, 5 * m))), tail=0.025) for m in (1, 10, 1_000)]
    assert [float(one.value) for one in each] == pytest.approx([float(each[0].value)] * 3)
    widths = [float(one.high - one.low) for one in each]
    assert widths == sorted(widths, reverse=True)
    assert widths[0] > 2 * widths[2]


def test_all_arrived_and_known_for_sure_is_the_ordinary_interval() -> None:
    """The limits of the share that has arrived touch 1 as earlier positives become many."""
    sure = measure(RECALL, told(arrivals=Arrivals(None, Arrived(10**9, 10**9))), tail=0.025)
    plain = measure(RECALL, told(arrivals=None), tail=0.025)
    for mine, theirs in zip(sure, plain, strict=True):
        assert float(mine) == pytest.approx(float(theirs), abs=1e-6)


def test_where_none_had_arrived_nothing_is_known() -> None:
    found = measure(RECALL, told((30.0, 0.0, 0.0), Arrivals(None, Arrived(0, 1_000))), tail=0.025)
    assert np.isnan(found.value)
    assert float(found.high) == 1.0
    assert float(found.low) < 200 / (200 + 12_000)  # all others may be positive


def test_replicates_have_arrivals_of_their_own() -> None:
    come = np.array([300, 600, 900])
    each = replace(told(), n=np.tile(told().n, (3, 1)), k=np.tile(told().k, (3, 1)), arrivals=Arrivals(None, Arrived(come, 1_000)))
    found = measure(RECALL, each, tail=0.05)
    for i, count in enumerate(come.tolist()):
        alone = measure(RECALL, told(arrivals=Arrivals(None, Arrived(count, 1_000))), tail=0.05)
        assert [float(x[i]) for x in found] == pytest.approx([float(x) for x in alone], abs=1e-9)


@pytest.mark.parametrize(("k", "come"), [(0, 500), (6, 600), (40, 986)])
def test_where_every_unit_is_drawn_what_has_arrived_is_binomial(k: int, come: int) -> None:
    """With the share known for sure, the limits of the positives are exact: A of which so few, or so many, have arrived."""
    N, m, tail = 9_000.0, 10**12, 0.05
    census = Tally(
        flagged=np.array([False]), N=np.array([N]), n=np.array([N]), k=np.array([float(k)]), logit=np.array([-4.0]),
        expected=np.array([0.01]), N1=0.0, N0=N, arrivals=Arrivals(None, Arrived(come * m // 1_000, m)),
    )  # fmt: skip
    found, c = measure(PREVALENCE, census, tail=tail), come / 1_000
    low, high = float(found.low) * N, float(found.high) * N
    assert binom.cdf(k, np.ceil(high + 1e-3), c) <= tail + 1e-3
    assert binom.cdf(k, np.floor(high - 1e-3), c) >= tail - 1e-3
    assert binom.sf(k - 1, np.ceil(low + 1e-3), c) >= tail - 1e-3
    assert low == pytest.approx(k, abs=1e-3) or binom.sf(k - 1, np.floor(low - 1e-3), c) <= tail + 1e-3
