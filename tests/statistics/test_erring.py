"""Hundreds of made-up sides and pairs of labelers: the corrected share of a side, and agreement, are inside their limits in each."""

from itertools import product
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom

from fewlabels.estimators.agreement import ac1, agreement_of_counts, kappa, observed
from fewlabels.estimators.gold import GoldTally, corrected_side
from fewlabels.nouns.estimate import IntervalKind
from fewlabels.nouns.tally import Tally
from fewlabels.randomness import stream

pytestmark = [pytest.mark.statistics, pytest.mark.slow]
ERRING = 12  # the purpose of the streams below
REPS = 500
UNITS = 300_000.0
Floats = NDArray[np.float64]

PAIRS = list(product((10, 20, 40, 100, 200, 400), (0.001, 0.01, 0.05, 0.2, 0.5), (0.01, 0.05, 0.2, 0.5), (0.1, 0.5, 0.8)))
SIDES = list(product((20, 60, 250, 1_000), (0.1, 0.2, 0.5), (1.0, 8.0, 60.0), (0.02, 0.1, 0.3, 0.6), (True, False)))


def enough(reps: int) -> int:
    """The fewest hits a true coverage of 0.94 gives with probability 1 - 1e-9; over a thousand cells a false alarm is one in a million."""
    return int(binom.ppf(1e-9, reps, 0.94))


class Side(NamedTuple):
    """Groups of a side: units, labels, share of positives, and how often a labeler says yes to a positive and to another."""

    N: Floats
    n: NDArray[np.int64]
    p: Floats
    hit: Floats
    false: Floats

    @property
    def truth(self) -> float:
        return float((self.N * self.p).sum() / self.N.sum())


def side(labels: int, expansion: float, share: float, *, guided: bool) -> Side:
    """Six groups whose expansions differ by up to `expansion`; labelers err where the guide is unsure, or, unguided, where it is sure."""
    rise = np.linspace(0.1, 1.9, 6)
    weight = np.geomspace(expansion, 1, 6)
    n = np.maximum(2, np.round(labels / 6 * np.ones(6))).astype(np.int64)
    N = UNITS * weight / weight.sum()
    p = np.clip(share * rise, 0, 0.95)
    unsure = rise if guided else rise[::-1]
    return Side(N, n, p, 1 - 0.15 * unsure, 0.05 * unsure * share**0.5)


def studies(of: Side, gold_share: float, rng: np.random.Generator) -> tuple[Tally, GoldTally]:
    """Replicates: labels by group, then gold among all labeled units of the side."""
    kinds = np.stack([of.p * of.hit, (1 - of.p) * of.false, of.p * (1 - of.hit), (1 - of.p) * (1 - of.false)], axis=1)
    told = np.stack([rng.multinomial(int(n), kind, size=REPS) for n, kind in zip(of.n, kinds, strict=True)], axis=1)
    gold = np.stack(
        [
            rng.multivariate_hypergeometric(one.ravel(), round(gold_share * int(one.sum())), method="marginals").reshape(one.shape)
            for one in told
        ]
    ).astype(np.float64)
    tally = Tally(
        flagged=np.ones(6, dtype=np.bool_),
        N=of.N,
        n=np.broadcast_to(of.n.astype(np.float64), (REPS, 6)).copy(),
        k=(told[..., 0] + told[..., 1]).astype(np.float64),
        logit=np.linspace(-3, 1, 6),
        expected=np.clip(of.p, 0.01, 0.99),
        N1=UNITS,
        N0=0.0,
    )
    return tally, GoldTally(yes_yes=gold[..., 0], yes_no=gold[..., 1], no_yes=gold[..., 2], no_no=gold[..., 3])


@pytest.mark.parametrize("interval", ["rec", "strict"])
def test_the_corrected_share_of_a_side_is_inside_its_limits(interval: IntervalKind, seed: int) -> None:
    assert len(SIDES) == 288
    short = {}
    for i, (labels, share, expansion, positives, guided) in enumerate(SIDES):
        of = side(labels, expansion, positives, guided=guided)
        tally, gold = studies(of, share, stream(seed, ERRING, 0, i))
        limits = corrected_side(tally, gold, tail=0.025, interval=interval).limits
        hits = int(((limits.low <= of.truth) & (of.truth <= limits.high)).sum())
        if hits < enough(REPS):
            short[SIDES[i]] = hits / REPS
    assert not short


def test_the_told_share_of_a_side_is_not(seed: int) -> None:
    """The twin: the same limits if every label were gold, and so right. Most units are positive, so that misses prevail."""
    of = side(1_000, 1.0, 0.6, guided=True)
    tally, _ = studies(of, 0.2, stream(seed, ERRING, 1))
    none = np.zeros_like(tally.k)
    limits = corrected_side(tally, GoldTally(yes_yes=tally.k, yes_no=none, no_yes=none, no_no=tally.n - tally.k), tail=0.025).limits
    assert int(((limits.low <= of.truth) & (of.truth <= limits.high)).sum()) < enough(REPS)


def test_agreement_is_inside_its_limits(seed: int) -> None:
    assert len(PAIRS) == 360
    short = {}
    for i, (n, D, c, s) in enumerate(PAIRS):
        shares = [(1 - D) * c, D * s, D * (1 - s), (1 - D) * (1 - c)]
        x = stream(seed, ERRING, 2, i).multinomial(n, shares, size=REPS).astype(np.float64).T
        found = agreement_of_counts(both_yes=x[0], first_only=x[1], second_only=x[2], both_no=x[3], tail=0.025)
        for rate, shape in ((found.observed, observed), (found.kappa, kappa), (found.ac1, ac1)):
            truth = float(shape(*map(np.asarray, (D, c, s))))
            hits = int(((rate.low <= truth + 1e-12) & (truth <= rate.high + 1e-12)).sum())
            if hits < enough(REPS):
                short[shape.__name__, PAIRS[i]] = hits / REPS
    assert not short
