"""Intervals of several labels together hold at their level, also where the labels' truths lean on each other."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom

from fewlabels.estimators.grouping import groups_of
from fewlabels.estimators.joint import joint_tally, measure_joint
from fewlabels.nouns.metrics import metric_named
from fewlabels.planning.design_choice import DesignName, choose_design
from fewlabels.randomness import stream
from tests.identities.made_joint import Judged, draw_rows, labels

pytestmark = pytest.mark.statistics
REPS = 1_000
JOINT = 9  # the purpose of the streams below


def leaning(rng: np.random.Generator, *, lean: float = 1.0, N: int = 10_000) -> Judged:
    """Three labels of 12 %, 8 % and 5 %, whose truths and errors share a cause. Scores are about what they claim."""
    shared = lean * rng.normal(0, 1, N)[:, None]
    latent = (shared + rng.normal(0, 1, (N, 3))) / np.sqrt(1 + lean**2)
    truth = latent > np.array([1.175, 1.405, 1.645])
    signal = latent + 0.5 * (rng.normal(0, 1, N)[:, None] + rng.normal(0, 1, (N, 3)))
    scores = 1 / (1 + np.exp(-3 * (signal - np.array([1.3, 1.6, 1.9]))))
    return labels(scores, truth, goal="macro[f1] +-0.05")


def copies(rng: np.random.Generator, *, N: int = 10_000) -> Judged:
    """One common label asked three times over: nothing is learned from the second and third."""
    truth = rng.random(N) < 0.4
    score = 1 / (1 + np.exp(-(rng.normal(0, 1, N) + 1.5 * truth - 0.75)))
    return labels(np.repeat(score[:, None], 3, axis=1), np.repeat(truth[:, None], 3, axis=1))


def intervals(
    at: Judged, metric: str, *, count: int, design: DesignName, rng: np.random.Generator, independent: bool = False
) -> NDArray[np.float64]:
    """Low and high of REPS draws."""
    chosen = choose_design(at.profile, [metric_named(metric)], labels=count, name=design)
    groups = [groups_of(at.profile, chosen, classifier=j) for j in range(at.J)]
    found = np.empty((REPS, 2))
    for r in range(REPS):
        rows = draw_rows(at, chosen, labels=count, rng=rng)
        tally = joint_tally(groups, chosen, cell=at.cell[rows], positive=at.truth[rows])
        used = tally._replace(correlation=np.eye(2 * at.J)) if independent else tally
        m = measure_joint(metric_named(metric), used, tail=0.025)
        found[r] = float(m.low), float(m.high)
    return found


def hits(at: Judged, metric: str, ends: NDArray[np.float64]) -> int:
    truth = at.value(metric_named(metric))
    return int(((ends[:, 0] <= truth) & (truth <= ends[:, 1])).sum())


def enough_hits(covered: float = 0.94) -> int:
    """The fewest hits a true coverage of 0.94 gives with probability 1 - 1e-6."""
    return int(binom.ppf(1e-6, REPS, covered))


@pytest.mark.parametrize(
    ("metric", "design"),
    [
        ("macro[f1]", "bands"),
        pytest.param("weighted[recall]", "simple", marks=pytest.mark.slow),
        pytest.param("micro[f1]", "bands", marks=pytest.mark.slow),
        pytest.param("micro[f1]", "simple", marks=pytest.mark.slow),
        pytest.param("macro[f1]", "simple", marks=pytest.mark.slow),
        pytest.param("weighted[recall]", "bands", marks=pytest.mark.slow),
    ],
)
def test_interval_of_labels_that_lean_on_each_other_covers(metric: str, design: DesignName, seed: int) -> None:
    at = leaning(stream(seed, JOINT, 0))
    ends = intervals(at, metric, count=300, design=design, rng=stream(seed, JOINT, 1))
    assert hits(at, metric, ends) >= enough_hits()


def test_copies_cover_with_their_correlations_and_not_without(seed: int) -> None:
    """The twin: MOVER with independence is too narrow by the root of 3 where labels are copies of each other."""
    at = copies(stream(seed, JOINT, 0))
    ends = intervals(at, "macro[f1]", count=600, design="simple", rng=stream(seed, JOINT, 2))
    blind = intervals(at, "macro[f1]", count=600, design="simple", rng=stream(seed, JOINT, 2), independent=True)
    assert hits(at, "macro[f1]", ends) >= enough_hits()
    assert hits(at, "macro[f1]", blind) < enough_hits()
