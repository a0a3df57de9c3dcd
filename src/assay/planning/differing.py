"""A draw that shows which of two classifiers is better: labels where the two disagree, as far as the metric allows.

No band crosses a disagreement cell. Derivation: docs/maths/comparing.md.

Main path: population > profile > [plan] > draw > labels > estimate > [decision] > report
"""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from assay.designs.bands import bands, reference_of
from assay.errors import PlanError
from assay.estimators.comparing import CELLS, PairGroups, PairTally, compare, matters
from assay.nouns.arrays import FloatArray
from assay.nouns.design import Design
from assay.nouns.estimate import IntervalKind
from assay.nouns.goal import DEFAULT_LEVEL, DEFAULT_POWER
from assay.nouns.metric import Metric
from assay.nouns.profile import Profile
from assay.planning.contests import Contest as Contest
from assay.planning.contests import difference_rates as difference_rates
from assay.planning.contests import difference_sizes as difference_sizes
from assay.planning.forecasting import CHANCE_REPS, SEED, WIDTH_REPS, spread_labels
from assay.planning.sizing import nearly_smallest, smallest
from assay.randomness import stream

FEWEST, THIN = 5.0, 0.1  # a cell may have this share of its units where a band that crosses cells expects fewer labels than FEWEST
SCALES = 30


def difference_design(contest: Contest, *, labels: int) -> Design:
    """Bands inside the disagreement cells, for a budget of `labels`."""
    profile = contest.profile
    reference = reference_of(labels, int(profile.count[contest.needed].sum()))
    apart = profile.predicted(contest.second).astype(np.int64)
    return bands(profile, flagged=profile.predicted(contest.first), pi=difference_rates(contest, reference), labels=labels, domain=apart)


def contests(profile: Profile, metric: Metric, classifiers: Sequence[int]) -> list[Contest]:
    """Every pair of these classifiers, in order."""
    return [Contest(profile, metric, i, j) for i, j in combinations(classifiers, 2)]


def ranking_design(profile: Profile, metric: Metric, classifiers: Sequence[int], *, labels: int) -> Design:
    """Bands for all pairs of several classifiers: every unit as likely as the pair that needs it most; no band crosses a pattern."""
    pairs = [pair for pair in contests(profile, metric, classifiers) if matters(metric, pair.size).any()]
    if not pairs:
        raise PlanError(f"a ranking needs two classifiers that differ, but all have the same {metric.name}: there is nothing to label")
    frame = np.logical_or.reduce([pair.needed for pair in pairs])
    reference = reference_of(labels, int(profile.count[frame].sum()))
    low, high = 0.0, 1.0
    for _ in range(SCALES):
        middle = (low + high) / 2
        if (_largest(pairs, middle * reference) * profile.count).sum() < reference:
            low = middle
        else:
            high = middle
    pattern = sum(profile.predicted(j).astype(np.int64) << place for place, j in enumerate(classifiers))
    apart = np.unique(pattern, return_inverse=True)[1].astype(np.int64)
    return bands(profile, flagged=profile.predicted(classifiers[0]), pi=_largest(pairs, high * reference), labels=labels, domain=apart)


def _largest(pairs: Sequence[Contest], labels: float) -> FloatArray:
    """The largest rate any pair has in a draw of `labels` of its own."""
    return np.asarray(np.maximum.reduce([difference_rates(pair, labels) for pair in pairs]))


def thin_share(groups: PairGroups, design: Design, labels: int) -> FloatArray:
    """The share of each disagreement cell's units where a band that crosses cells leaves to chance whether any label comes.

    Such a group is part of a band, and expects fewer than five labels of it. A draw made for the two has none.
    """
    at = groups.groups
    expected = spread_labels(at, design, labels)
    thin = (design.N[at.band] > at.N) & (expected < FEWEST)
    found, whole = (np.bincount(groups.cell, weights=at.N * chosen, minlength=CELLS) for chosen in (thin, np.ones(thin.shape)))
    return np.asarray(np.divide(found, whole, out=np.zeros(CELLS), where=whole > 0))


def refuse_thin(contest: Contest, design: Design, labels: int, *, names: tuple[str, str]) -> None:
    """Nothing comes back. Refuses to read the difference from a draw that was not made for the two and leaves a cell to chance."""
    groups, need = contest.groups(design), matters(contest.metric, contest.size)

    def served(n: int) -> bool:
        return not (need & (thin_share(groups, design, n) > THIN)).any()

    if served(labels):
        return
    enough = smallest(served, low=labels, high=design.frame)
    more = f"about {enough:,} labels of this draw would do" if enough is not None else "no number of labels of this draw will do"
    raise PlanError(
        f"a difference needs {FEWEST:g} labels expected in each part of a band that {names[0]} and {names[1]} tell apart, but {labels:,} "
        f"labels of a draw made for something else leave more than {THIN:.0%} of a cell to chance: {more}, or draw for the comparison"
    )


class Expected(NamedTuple):
    """What a number of labels is expected to show of a difference.

    half_width  its mean        chance  that the first is shown to be better by more than the margin (one-sided at the level)
    """

    value: float
    half_width: float
    chance: float
    reach: float  # how far below the value the one-sided bound lies, with the power asked


def expect_difference(
    contest: Contest,
    design: Design,
    labels: int,
    *,
    share: FloatArray | None = None,
    margin: float = 0.0,
    level: float = DEFAULT_LEVEL,
    power: float = DEFAULT_POWER,
    interval: IntervalKind = "rec",
) -> Expected:
    """What imagined draws of `labels` show if `share` (per profile cell; the guide at its word, if not said) is so."""
    believed = contest.profile.guide if share is None else share
    two = compare(contest.metric, _imagined(contest, design, labels, believed, WIDTH_REPS), tail=(1 - level) / 2, interval=interval)
    one = compare(contest.metric, _imagined(contest, design, labels, believed, CHANCE_REPS), tail=1 - level, interval=interval)
    value = contest.value(believed)
    return Expected(value, float(two.half_width.mean()), float((one.low > margin).mean()), value - float(np.quantile(one.low, 1 - power)))


def _imagined(contest: Contest, design: Design, labels: int, share: FloatArray, reps: int) -> PairTally:
    """Tallies of imagined draws; how many labels fall into a part of a band is chance too."""
    groups = contest.groups(design)
    at, inside = groups.groups, groups.groups.of_cell >= 0
    home, count = at.of_cell[inside], contest.profile.count[inside]
    p = np.bincount(home, weights=(count * share[inside]), minlength=at.N.size) / at.N
    rng, n = stream(SEED, labels, reps), spread_labels(at, design, labels)
    if (n != np.floor(n)).any():
        n = rng.binomial(at.N.astype(np.int64), np.minimum(n / at.N, 1.0), size=(reps, at.N.size)).astype(np.float64)
    each = np.broadcast_to(n, (reps, at.N.size)).astype(np.int64)
    return groups.tally(each.astype(np.float64), rng.binomial(each, np.clip(p, 0, 1)).astype(np.float64))


def labels_for_difference(
    contest: Contest,
    *,
    half_width: float | None = None,
    margin: float = 0.0,
    share: FloatArray | None = None,
    level: float = DEFAULT_LEVEL,
    power: float = DEFAULT_POWER,
    interval: IntervalKind = "rec",
) -> int | None:
    """Labels of a draw made for the two that reach the half-width; without one, that show the first better by more than the margin.

    None: not even a census does, because the difference is not believed to be beyond the margin.
    """
    frame = int(contest.profile.count[contest.needed].sum())

    def short(n: int) -> float:
        design = difference_design(contest, labels=n)
        at = expect_difference(contest, design, n, share=share, margin=margin, level=level, power=power, interval=interval)
        if half_width is not None:
            return at.half_width / half_width
        return at.reach / (at.value - margin) if at.value > margin else 2.0

    return nearly_smallest(short, low=min(10, frame), high=frame)
