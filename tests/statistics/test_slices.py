"""Intervals hold at their level in every slice, and by every design; each test has a twin that must fail."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pytest

from fewlabels.estimators.grouping import fill_empty
from fewlabels.estimators.measuring import measure
from fewlabels.nouns import ladder
from fewlabels.nouns.arrays import BoolArray, IntArray
from fewlabels.nouns.design import Design
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.estimate import IntervalKind
from fewlabels.nouns.goal import parse_goal
from fewlabels.nouns.metrics import metric_named
from fewlabels.nouns.profile import Profile
from fewlabels.nouns.tally import Tally
from fewlabels.planning.design_choice import DesignName
from fewlabels.planning.goal_scope import Ask, ask_of, expand
from fewlabels.planning.shared_draw import design_together
from fewlabels.planning.simulated_draws import groups_for
from fewlabels.planning.sizing import labels_needed
from fewlabels.randomness import stream
from fewlabels.study.simulate import replicate_cells, true_value
from tests.statistics.populations import Known, calibrated, overconfident, precise
from tests.statistics.test_coverage import Maker, enough_hits, tallies

pytestmark = pytest.mark.statistics
REPS = 1_000
IN_SLICES = 16  # the purpose of the streams below
PREVALENCE = {"a": 0.02, "b": 0.08, "c": 0.2, "d": 0.45}


class Sliced(NamedTuple):
    """A profile in slices and the positives of its cells."""

    profile: Profile
    positives: IntArray


def in_four(rng: np.random.Generator, *, sharpness: float = 1.0) -> Sliced:
    """Four slices, from 2 % to 45 % positive; log-odds right up to `sharpness`."""
    sizes = dict(zip(PREVALENCE, (20_000, 10_000, 6_000, 4_000), strict=True))
    home = np.repeat(np.arange(4), list(sizes.values()))
    share = np.array(list(PREVALENCE.values()))[home]
    y = rng.random(home.size) < share
    log_odds = 2.2 * (rng.normal(0, 1, home.size) + 2.2 * y) - 2.2**2 / 2 + np.log(share / (1 - share))
    guide = 1 / (1 + np.exp(-sharpness * log_odds))
    flagged = (guide >= 0.5).astype(np.int64)
    keys, where = np.unique(np.stack([flagged, ladder.bin_of(guide), home]), axis=1, return_inverse=True)
    profile = Profile(
        columns=(),
        pattern=keys[0],
        guide_bin=keys[1],
        slice=keys[2],
        count=np.bincount(where.ravel()),
        slice_values=tuple((name,) for name in PREVALENCE),
        guided=True,
        smallest_id="",
        largest_id="",
    )
    return Sliced(profile, np.bincount(where.ravel(), weights=y).astype(np.int64))


def asks_of(at: Sliced, text: str) -> list[Ask]:
    return [ask_of(at.profile, g, slices=("s",)) for g in expand(at.profile, [parse_goal(text)], slices=("s",))]


def counted(at: Sliced, design: DrawDesign, asks: Sequence[Ask], labels: int, rng: np.random.Generator) -> list[Tally]:
    """What each ask would count in the same draws: of every band so many units at random, whatever their slice."""
    n, k = replicate_cells(design, at.profile.count, at.positives, labels=labels, reps=REPS, rng=rng)
    each = [groups_for(ask, design) for ask in asks]
    return [g.tally(g.summed(n[:, ask.cells]), g.summed(k[:, ask.cells])) for ask, g in zip(asks, each, strict=True)]


def held(ask: Ask, tally: Tally, truth: float, *, interval: IntervalKind = "rec") -> BoolArray:
    """Which replicates' intervals hold the truth; where a group came without a label it joins its neighbor, as in a study."""
    each = [tally] if (tally.n > 0).all() else [fill_empty(tally.counted(n, k)) for n, k in zip(tally.n, tally.k, strict=True)]
    found = [measure(ask.metric, one, tail=0.025, interval=interval) for one in each]
    low, high = (np.concatenate([np.atleast_1d(end) for end in ends]) for ends in zip(*((f.low, f.high) for f in found), strict=True))
    return np.asarray((low <= truth) & (truth <= high))


def truth_of(at: Sliced, ask: Ask) -> float:
    return true_value(ask.part, at.positives[ask.cells], ask.metric)


@pytest.mark.parametrize(
    ("text", "labels", "sharpness"),
    [
        ("recall +-0.1 by s", 600, 1.0),
        ("f1 +-0.1 by s", 600, 2.0),
        ("precision +-0.1 by s", 300, 1.0),
        ("prevalence +-0.05 by s", 400, 2.0),
    ],
)
def test_the_interval_of_every_slice_covers(text: str, labels: int, sharpness: float, seed: int) -> None:
    at = in_four(stream(seed, IN_SLICES), sharpness=sharpness)
    asks = asks_of(at, text)
    design = design_together(at.profile, asks, [labels_needed(ask) for ask in asks], labels=labels, choice=Design(), slices=("s",))
    found = counted(at, design, asks, labels, stream(seed, IN_SLICES, 1, labels))
    short = {str(a.goal): hits for a, t in zip(asks, found, strict=True) if (hits := held(a, t, truth_of(at, a)).sum()) < enough_hits(REPS)}
    assert not short


def test_the_interval_of_a_slice_covers_in_a_draw_made_for_all(seed: int) -> None:
    """Bands across slices: how many labels a slice has is chance, and some groups have none."""
    at = in_four(stream(seed, IN_SLICES))
    whole = ask_of(at.profile, parse_goal("recall +-0.05"))
    design = design_together(at.profile, [whole], [None], labels=600, choice=Design(), slices=("s",))
    asks = asks_of(at, "recall +-0.1 by s")[::2]  # the rarest positives, and a middle share
    found = counted(at, design, asks, 600, stream(seed, IN_SLICES, 2))
    assert any((tally.n == 0).any() for tally in found)
    for ask, tally in zip(asks, found, strict=True):
        assert held(ask, tally, truth_of(at, ask)).sum() >= enough_hits(REPS), str(ask.goal)


def test_the_interval_of_all_units_does_not_cover_a_slices_truth(seed: int) -> None:
    """The twin: the same draws, read for the whole table and held against one slice."""
    at = in_four(stream(seed, IN_SLICES))
    whole = ask_of(at.profile, parse_goal("recall +-0.05"))
    design = design_together(at.profile, [whole], [None], labels=600, choice=Design(), slices=("s",))
    (found,) = counted(at, design, [whole], 600, stream(seed, IN_SLICES, 2))
    assert held(whole, found, truth_of(at, whole)).sum() >= enough_hits(REPS)
    for ask in asks_of(at, "recall +-0.1 by s"):
        if abs(truth_of(at, ask) - truth_of(at, whole)) > 0.1:
            assert held(whole, found, truth_of(at, ask)).sum() < enough_hits(REPS)
    assert any(abs(truth_of(at, ask) - truth_of(at, whole)) > 0.1 for ask in asks_of(at, "recall +-0.1 by s"))


# ---------------------------------------------------------------- every design


STRATA: tuple[DesignName, ...] = ("proportional", "constant", "neyman", "two_bins")
POISSON: tuple[DesignName, ...] = ("poisson", "importance")


def covered(at: Known, metric: str, design: DesignName, rng: np.random.Generator, *, interval: IntervalKind = "rec") -> int:
    """Replicates of 300 labels whose interval holds the truth; one by one where a band may have no label."""
    tally = tallies(at, metric, labels=300, design=design, rng=rng, reps=REPS)
    truth = true_value(at.profile, at.positives, metric_named(metric))
    return int(held(ask_of(at.profile, parse_goal(f"{metric} +-0.1")), tally, truth, interval=interval).sum())


@pytest.mark.parametrize("metric", ["f1", "recall"])
@pytest.mark.parametrize("design", [*STRATA, *POISSON])
@pytest.mark.parametrize("maker", [precise, pytest.param(overconfident, marks=pytest.mark.slow)], ids=lambda m: m.__name__)
def test_the_interval_of_every_design_covers(maker: Maker, design: DesignName, metric: str, seed: int) -> None:
    at = maker(stream(seed, IN_SLICES, 3))
    assert covered(at, metric, design, stream(seed, IN_SLICES, 4)) >= enough_hits(REPS)


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["f1", "recall", "precision", "prevalence"])
@pytest.mark.parametrize("design", [*STRATA, *POISSON])
def test_the_interval_of_every_design_covers_rare_positives(design: DesignName, metric: str, seed: int) -> None:
    at = calibrated(stream(seed, IN_SLICES, 5))
    assert covered(at, metric, design, stream(seed, IN_SLICES, 6)) >= enough_hits(REPS)


def test_walds_interval_of_some_design_does_not_cover(seed: int) -> None:
    at = precise(stream(seed, IN_SLICES, 3))
    found = {design: covered(at, "recall", design, stream(seed, IN_SLICES, 4), interval="wald") for design in STRATA}
    assert min(found.values()) < enough_hits(REPS)
