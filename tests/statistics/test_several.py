"""Every classifier judged on one draw has intervals that hold at their level; a twin that reads parts of bands alone must fail."""

from typing import NamedTuple

import numpy as np
import pytest

from fewlabels.designs.base import takes_of
from fewlabels.estimators.grouping import fill_empty, groups_of
from fewlabels.estimators.measuring import Measured, measure
from fewlabels.nouns import ladder
from fewlabels.nouns.arrays import IntArray
from fewlabels.nouns.design import Design
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.estimate import USUAL_INTERVAL, IntervalKind
from fewlabels.nouns.goal import parse_goal
from fewlabels.nouns.metric import Totals
from fewlabels.nouns.metrics import METRICS
from fewlabels.nouns.profile import Profile
from fewlabels.planning.goal_scope import ask_of
from fewlabels.planning.shared_draw import design_together
from fewlabels.randomness import stream
from fewlabels.study.simulate import CellCounts, replicate_cells
from tests.statistics.test_coverage import enough_hits

pytestmark = pytest.mark.statistics
REPS = 400
SEVERAL = 21  # the purpose of the streams below


class Ensemble(NamedTuple):
    """A profile with the decisions of several classifiers, and the positives of its cells."""

    profile: Profile
    positives: IntArray
    names: tuple[str, ...]

    def truth(self, metric: str, j: int) -> float:
        flagged = self.profile.predicted(j)
        A, B = (np.asarray(float(self.positives[side].sum())) for side in (flagged, ~flagged))
        N1 = float(self.profile.count[flagged].sum())
        return float(METRICS[metric].value(Totals.of_sides(A, B, N1=N1, N0=self.profile.N - N1)))


def ensemble(k: int, rng: np.random.Generator, *, share: float = 0.05, N: int = 30_000) -> Ensemble:
    """k classifiers that see the same truth through errors half of which they share; the first one's score guides."""
    y = rng.random(N) < share
    common = rng.normal(0, 1, N)
    seen = [2.4 * y + np.sqrt(0.5) * common + np.sqrt(0.5) * rng.normal(0, 1, N) for _ in range(k)]
    decided = [x >= np.quantile(x, 1 - share * rng.uniform(0.6, 1.6)) for x in seen]
    log_odds = 2.4 * (seen[0] - 1.2) + np.log(share / (1 - share))
    pattern = sum((d.astype(np.int64) << j for j, d in enumerate(decided)), start=np.zeros(N, dtype=np.int64))
    keys, where = np.unique(np.stack([pattern, ladder.bin_of(1 / (1 + np.exp(-log_odds)))]), axis=1, return_inverse=True)
    profile = Profile(
        columns=(), pattern=keys[0], guide_bin=keys[1], slice=np.zeros(keys.shape[1], dtype=np.int64), count=np.bincount(where.ravel()),
        slice_values=((),), guided=True, smallest_id="", largest_id="",
    )  # fmt: skip
    return Ensemble(profile, np.bincount(where.ravel(), weights=y).astype(np.int64), tuple(f"c{j}" for j in range(k)))


def measured(
    at: Ensemble, design: DrawDesign, counts: CellCounts, metric: str, j: int, *, take: IntArray | None, kind: IntervalKind
) -> Measured:
    groups = groups_of(at.profile, design, classifier=j, take=take)
    tally = groups.tally(groups.summed(counts.n), groups.summed(counts.k))
    one_by_one = [tally.one(r) for r in range(REPS)]
    each = [measure(METRICS[metric], fill_empty(t), tail=0.025, interval=kind) for t in one_by_one]
    return Measured(*(np.stack(part) for part in zip(*each, strict=True)))


def hits(shown: Measured, truth: float) -> int:
    return int(((shown.low <= truth) & (truth <= shown.high)).sum())


@pytest.mark.parametrize(("k", "goal", "labels"), [(3, "recall +-0.1", 120), (6, "recall +-0.1", 110)])
def test_one_draw_covers_for_every_classifier(k: int, goal: str, labels: int, seed: int) -> None:
    at = ensemble(k, stream(seed, SEVERAL, k))
    asks = [ask_of(at.profile, parse_goal(f"{goal} for {name}"), names=at.names) for name in at.names]
    design = design_together(at.profile, asks, [labels] * k, labels=labels, choice=Design())
    take, rng = takes_of(design, labels), stream(seed, SEVERAL, k, 1)
    counts = replicate_cells(design, at.profile.count, at.positives, labels=labels, reps=REPS, rng=rng)
    metric = goal.split()[0]
    poorest = REPS
    for j in range(k):
        truth = at.truth(metric, j)
        assert hits(measured(at, design, counts, metric, j, take=take, kind=USUAL_INTERVAL), truth) >= enough_hits(REPS)
        poorest = min(poorest, hits(measured(at, design, counts, metric, j, take=None, kind="wald"), truth))
    assert poorest < enough_hits(REPS)  # the twin: parts read alone, with the normal interval
