"""Which of several classifiers is better, on one set of labels: claims that are all true with probability `level`.

For every ordered pair the claim "i is better than j" is a one-sided test, by the bound of the paired difference. k classifiers have
k (k - 1) ordered pairs; Holm's rule is valid whatever their dependence:

    with r claims made, make every further claim whose bound at tail (1 - level) / (k (k - 1) - r) lies beyond 0; repeat until none is

A rule based on the largest difference would need their joint distribution, which in rare classes is neither normal nor known.
The best are those not shown to be worse than another: every truly best one is among them unless a claim is false. What follows
from two claims, i over j and j over l, is claimed too: it costs nothing, because it is true if they are.
Source: Holm 1979, Scandinavian Journal of Statistics 6:65. Derivation: docs/maths/comparing.md.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from fewlabels.errors import PlanError
from fewlabels.estimators.comparing import PairTally, compare
from fewlabels.nouns.arrays import BoolArray
from fewlabels.nouns.estimate import USUAL_INTERVAL, IntervalKind
from fewlabels.nouns.goal import DEFAULT_LEVEL
from fewlabels.nouns.metric import Metric

Pair = tuple[int, int]


class Ranking(NamedTuple):
    """What the labels show about several classifiers.

    better   the settled orderings, best first: (i, j) for "i is better than j", by name
    best     those not shown to be worse than another
    level    the probability that no claim is false
    """

    better: tuple[tuple[str, str], ...]
    best: tuple[str, ...]
    level: float


def claims(
    metric: Metric,
    tallies: Mapping[Pair, PairTally],
    k: int,
    *,
    level: float = DEFAULT_LEVEL,
    lower_is_better: bool = False,
    interval: IntervalKind = USUAL_INTERVAL,
) -> BoolArray:
    """Claims [..., i, j] "i is better than j" of k classifiers, by Holm's rule; leading axes are replicates.

    tallies   one for every pair i < j
    """
    pairs = [(i, j) for i in range(k) for j in range(i + 1, k)]
    if set(tallies) != set(pairs):
        raise PlanError(f"a ranking of {k} classifiers needs a tally for each pair {pairs}, got {sorted(tallies)}: add the others")
    made = _beyond(metric, tallies, k, tail=(1 - level) / (k * (k - 1)), lower_is_better=lower_is_better, interval=interval)
    for r in range(1, len(pairs)):  # of a pair at most one claim is ever made
        more = _beyond(metric, tallies, k, tail=(1 - level) / (k * (k - 1) - r), lower_is_better=lower_is_better, interval=interval)
        made = np.where((made.sum(axis=(-2, -1)) >= r)[..., None, None], made | more, made)
    return _followed(made, k)


def _beyond(
    metric: Metric, tallies: Mapping[Pair, PairTally], k: int, *, tail: float, lower_is_better: bool, interval: IntervalKind
) -> BoolArray:
    """The claims whose bounds at this tail lie beyond 0."""
    shape = next(iter(tallies.values())).labels.shape
    found = np.zeros((*shape, k, k), dtype=np.bool_)
    for (i, j), tally in tallies.items():
        measured = compare(metric, tally, tail=tail, interval=interval)
        up, down = measured.low > 0, measured.high < 0
        found[..., i, j], found[..., j, i] = (down, up) if lower_is_better else (up, down)
    return found


def _followed(made: BoolArray, k: int) -> BoolArray:
    """The claims and their transitive closure."""
    found = made.copy()
    for j in range(k):
        found |= found[..., :, j, None] & found[..., None, j, :]
    return found


def rank(
    metric: Metric,
    tallies: Mapping[Pair, PairTally],
    names: Sequence[str],
    *,
    level: float = DEFAULT_LEVEL,
    lower_is_better: bool = False,
    interval: IntervalKind = USUAL_INTERVAL,
) -> Ranking:
    """The settled orderings of the named classifiers (one study), and the best."""
    if len(names) < 2:
        raise PlanError(f"a ranking needs two classifiers, got {list(names)}: name another")
    made = claims(metric, tallies, len(names), level=level, lower_is_better=lower_is_better, interval=interval)
    order = np.argsort(-made.sum(axis=-1), kind="stable")
    better = tuple((names[i], names[j]) for i in order for j in order if made[i, j])
    return Ranking(better, tuple(names[i] for i in order if not made[:, i].any()), level)
