"""Corrected intervals hold the truth behind labels that err, uncorrected ones do not; intervals of agreement hold at their level."""

from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom

from fewlabels.designs.base import takes
from fewlabels.estimators.agreement import ac1, agreement_of_counts, kappa, observed
from fewlabels.estimators.gold import GoldTally, measure_with_gold
from fewlabels.estimators.grouping import groups_of
from fewlabels.estimators.measuring import Measured, measure
from fewlabels.nouns import ladder
from fewlabels.nouns.metric import Totals
from fewlabels.nouns.metrics import metric_named
from fewlabels.nouns.tally import Tally
from fewlabels.planning.design_choice import DesignName, choose_design
from fewlabels.randomness import stream
from fewlabels.study.simulate import true_value
from tests.statistics.populations import Known, known

pytestmark = pytest.mark.statistics
REPS = 1_000
GOLD = 11  # the purpose of the streams below
METRICS = ("precision", "recall", "f1", "prevalence")


def enough_hits(reps: int = REPS) -> int:
    """The fewest hits a true coverage of 0.94 gives with probability 1 - 1e-6: 898 of 1,000."""
    return int(binom.ppf(1e-6, reps, 0.94))


class Erring(NamedTuple):
    """A population, the cell of each unit, its truth and the answer its labeler would give."""

    at: Known
    cell: NDArray[np.int64]
    y: NDArray[np.bool_]
    z: NDArray[np.bool_]


class Studies(NamedTuple):
    """Replicates of a draw: noisy answers, and gold ones for a random share of each side's labeled units."""

    noisy: Tally
    gold: GoldTally


def erring(rng: np.random.Generator, *, errs: float) -> Erring:
    """10 % positive; labelers miss a share `errs` of the positives and say yes to fewer others, more of them on the flagged side."""
    y = rng.random(20_000) < 0.1
    log_odds = 2 * (rng.normal(0, 1, y.size) + 2 * y) - 2 + np.log(1 / 9)
    guide = 1 / (1 + np.exp(-log_odds))
    flagged = guide >= 0.4
    z = rng.random(y.size) < np.where(y, 1 - errs, np.where(flagged, 0.6 * errs, 0.15 * errs))
    at = known("erring", y, guide, flagged)
    key = flagged.astype(np.int64) * ladder.BINS + ladder.bin_of(guide)
    return Erring(at, np.unique(key, return_inverse=True)[1], y, z)


def studies(of: Erring, *, labels: int, share: float, design: DesignName, rng: np.random.Generator) -> Studies:
    """Counts by group of (noisy, gold) answers, drawn by band and then, for gold, by side."""
    chosen = choose_design(of.at.profile, [metric_named(m) for m in METRICS], labels=labels, name=design)
    groups = groups_of(of.at.profile, chosen)
    kind = groups.of_cell[of.cell] * 4 + np.where(of.z, 0, 2) + np.where(of.y, 0, 1)
    held = np.bincount(kind, minlength=4 * groups.N.size).reshape(-1, 4)
    told, gold = np.zeros((REPS, *held.shape)), np.zeros((REPS, *held.shape))
    for band, take in enumerate(takes(chosen.mass, chosen.N, labels)):
        mine = np.flatnonzero(groups.band == band)
        found = rng.multivariate_hypergeometric(held[mine].ravel(), int(take), size=REPS, method="marginals")
        told[:, mine] = found.reshape(REPS, -1, 4)
    for side in (True, False):
        mine = np.flatnonzero(groups.flagged == side)
        for r in range(REPS):
            labeled = told[r, mine].astype(np.int64).ravel()
            gold[r, mine] = rng.multivariate_hypergeometric(labeled, round(share * labeled.sum()), method="marginals").reshape(-1, 4)
    counts = dict(zip(("yes_yes", "yes_no", "no_yes", "no_no"), np.moveaxis(gold, -1, 0), strict=True))
    return Studies(groups.tally(told.sum(-1), told[..., 0] + told[..., 1]), GoldTally(**counts))


def hits(of: Erring, metric: str, found: Measured) -> int:
    truth = true_value(of.at.profile, of.at.positives, metric_named(metric))
    return int(((found.low <= truth) & (truth <= found.high)).sum())


@pytest.mark.parametrize("design", ["bands", "simple"])
@pytest.mark.parametrize(("labels", "share", "errs"), [(300, 0.1, 0.05), (300, 0.2, 0.4), (1_000, 0.2, 0.2), (2_000, 0.5, 0.4)])
def test_corrected_intervals_cover(labels: int, share: float, errs: float, design: DesignName, seed: int) -> None:
    of = erring(stream(seed, GOLD, 0), errs=errs)
    drawn = studies(of, labels=labels, share=share, design=design, rng=stream(seed, GOLD, 1, labels))
    short = {}
    for metric in METRICS:
        found = hits(of, metric, measure_with_gold(metric_named(metric), drawn.noisy, drawn.gold, tail=0.025))
        if found < enough_hits():
            short[metric] = found / REPS
    assert not short


def test_uncorrected_intervals_do_not_cover(seed: int) -> None:
    of = erring(stream(seed, GOLD, 0), errs=0.4)
    drawn = studies(of, labels=1_000, share=0.2, design="bands", rng=stream(seed, GOLD, 2))
    for metric in METRICS:
        assert hits(of, metric, measure(metric_named(metric), drawn.noisy, tail=0.025)) < enough_hits(), metric


def test_the_correction_is_unbiased_and_its_variance_is_that_of_the_replicates(seed: int) -> None:
    of = erring(stream(seed, GOLD, 0), errs=0.4)
    drawn = studies(of, labels=2_000, share=0.5, design="bands", rng=stream(seed, GOLD, 3))
    truth = true_value(of.at.profile, of.at.positives, metric_named("prevalence"))
    found = measure_with_gold(metric_named("prevalence"), drawn.noisy, drawn.gold, tail=0.025)
    spread = float(found.value.std())
    assert abs(found.value.mean() - truth) < 5 * spread / np.sqrt(REPS)
    # the variance that intervals use is the larger of two, so a little above; 5 standard errors of a standard deviation
    assert 1 - 5 / np.sqrt(2 * REPS) < found.standard_error.mean() / spread < 1.2 + 5 / np.sqrt(2 * REPS)


def test_sensitivity_and_specificity_pooled_over_the_sides_are_biased(seed: int) -> None:
    """The twin of unbiasedness: one labeler's rates for both sides at once, known without error, still miss the flagged side."""
    of = erring(stream(seed, GOLD, 0), errs=0.4)
    flagged = of.at.profile.predicted(0)[of.cell]
    sensitivity, false_yes = of.z[of.y].mean(), of.z[~of.y].mean()
    shares = [(of.z[side].mean() - false_yes) / (sensitivity - false_yes) for side in (flagged, ~flagged)]
    N1 = float(flagged.sum())
    A, B = (np.asarray(N * p) for N, p in zip((N1, flagged.size - N1), shares, strict=True))
    pooled = metric_named("precision").value(Totals.of_sides(A, B, N1=N1, N0=flagged.size - N1))
    assert abs(pooled - true_value(of.at.profile, of.at.positives, metric_named("precision"))) > 0.05


@pytest.mark.parametrize("n", [10, 40, 200])
@pytest.mark.parametrize("apart", [0.01, 0.1, 0.3])
def test_intervals_of_agreement_cover(apart: float, n: int, seed: int) -> None:
    for yes, split in ((0.5, 0.5), (0.05, 0.8)):
        shares = [(1 - apart) * yes, apart * split, apart * (1 - split), (1 - apart) * (1 - yes)]
        x = stream(seed, GOLD, 4, n).multinomial(n, shares, size=2_000).astype(np.float64).T
        found = agreement_of_counts(both_yes=x[0], first_only=x[1], second_only=x[2], both_no=x[3], tail=0.025)
        for rate, shape in ((found.observed, observed), (found.kappa, kappa), (found.ac1, ac1)):
            truth = shape(*map(np.asarray, (apart, yes, split))) + np.zeros(2_000)
            covered = (rate.low <= truth + 1e-12) & (truth <= rate.high + 1e-12)
            assert covered.sum() >= enough_hits(2_000), (shape.__name__, yes)


def test_the_same_test_catches_the_usual_interval_of_kappa(seed: int) -> None:
    """Kappa plus and minus two of its standard errors by Cohen's simple formula: no width where nobody disagreed."""
    a, b, c, d = stream(seed, GOLD, 5).multinomial(40, [0.05 * 0.95, 0.025, 0.025, 0.95 * 0.95], size=2_000).astype(np.float64).T
    po, first, second = (a + d) / 40, (a + b) / 40, (a + c) / 40
    pe = first * second + (1 - first) * (1 - second)
    alive = pe < 1
    value = 1 - np.divide(1 - po, 1 - pe, out=np.zeros(2_000), where=alive)
    error = np.divide(np.sqrt(po * (1 - po) / 40), 1 - pe, out=np.zeros(2_000), where=alive)
    truth = float(kappa(np.asarray(0.05), np.asarray(0.05), np.asarray(0.5)))
    assert ((value - 1.96 * error <= truth) & (truth <= value + 1.96 * error)).sum() < enough_hits(2_000)
