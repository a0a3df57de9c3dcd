"""How many labels two classifiers save by sharing them: by recycling one's draw for the other, or by one draw for both.

A parent flags A_P and a child A_C. Their overlap is seen from both: PIR = |A_P and A_C| / |A_P|, CIR = |A_P and A_C| / |A_C|. Drawn alone
they need n_P and n_C labels of their flagged units.

    recycling   X of the parent's labels fall on the child, X ~ Binomial(n_P, PIR); at most the child's own proportion is useful:
                saved = X where X + |S-| <= n_C, else n_C X / (X + |S-|) on average,       |S-| = X (1 - CIR) / CIR, rounded at random
    one draw    every unit as likely as the classifier that needs it most has it:  saved = min(n_P PIR, n_C CIR)

Source: Lemma 3 of the paper whose Algorithm 1 is RecycleSamplesForPrecision; it states the cases, not the expectation.
Derivation: docs/maths/recycling.md.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import gammaln, xlog1py, xlogy

from fewlabels.errors import PlanError
from fewlabels.nouns.arrays import FloatArray, IntArray
from fewlabels.nouns.metrics import PRECISION
from fewlabels.planning.goal_scope import Ask


class Sharing(NamedTuple):
    """Expected labels for a parent and a child together.

    separate    a draw for each, no label used twice
    recycling   the parent's draw, and what the child still needs
    one_draw    one draw in which every unit has the larger of the two rates, takes fixed in each of the three decision patterns
    """

    separate: float
    recycling: float
    one_draw: float


def labels_shared(parent_ratio: float, child_ratio: float, *, parent_labels: int, child_labels: int) -> Sharing:
    """The expected labels of a parent and a child together, for each of the three ways."""
    separate = float(parent_labels + child_labels)
    recycled = expected_savings(parent_ratio, child_ratio, parent_labels=parent_labels, child_labels=child_labels)
    shared = one_draw_savings(parent_ratio, child_ratio, parent_labels=parent_labels, child_labels=child_labels)
    return Sharing(separate, separate - recycled, separate - shared)


def expected_savings(
    parent_ratio: float, child_ratio: float, *, parent_labels: int, child_labels: int, parent_units: int | None = None
) -> float:
    """The expected number of the child's labels that the parent's draw already holds (PIR, CIR, n_P, n_C in this order).

    parent_units   |A_P|, for a draw without replacement: X is then hypergeometric, and varies less
    """
    _check(parent_ratio, child_ratio, parent_labels, child_labels)
    if parent_ratio == 0:
        return 0.0
    x = np.arange(parent_labels + 1)
    if parent_units is None:
        chance = np.exp(_log_choose(parent_labels, x) + xlogy(x, parent_ratio) + xlog1py(parent_labels - x, -parent_ratio))
    else:
        both = round(parent_ratio * parent_units)
        x = np.arange(max(0, parent_labels - (parent_units - both)), min(both, parent_labels) + 1)
        ways = _log_choose(both, x) + _log_choose(parent_units - both, parent_labels - x)
        chance = np.exp(ways - _log_choose(parent_units, np.asarray(parent_labels)))
    return float((chance * savings_given(x, child_ratio, child_labels=child_labels)).sum())


def savings_given(x: IntArray, child_ratio: float, *, child_labels: int) -> FloatArray:
    """The expected number of useful labels among x labels of the parent that fall on the child, |S-| rounded at random without bias.

    The first n_C of the shuffled S+ and S- hold n_C x / (x + |S-|) of S+ on average (hypergeometric).
    """
    outside = x * (1 - child_ratio) / child_ratio
    low = np.floor(outside + 1e-9)
    up = np.clip(outside - low, 0.0, 1.0)
    return np.asarray((1 - up) * _kept(x, low, child_labels) + up * _kept(x, low + 1, child_labels))


def one_draw_savings(parent_ratio: float, child_ratio: float, *, parent_labels: int, child_labels: int) -> float:
    """min(n_P PIR, n_C CIR): the overlap is drawn once, at the larger rate.

    Never less than recycling's expectation (Jensen: recycling is the mean of about the same minimum with a random n_P PIR).
    """
    _check(parent_ratio, child_ratio, parent_labels, child_labels)
    return min(parent_labels * parent_ratio, child_labels * child_ratio)


def _kept(x: IntArray, outside: FloatArray, child_labels: int) -> FloatArray:
    total = x + outside
    return np.where(total <= child_labels, x, child_labels * x / np.maximum(total, 1.0))


def _log_choose(n: int, x: IntArray) -> FloatArray:
    """The logarithm of n choose x. scipy.stats has the distributions but takes half a second to import."""
    return np.asarray(gammaln(n + 1) - gammaln(x + 1) - gammaln(n - x + 1))


class Recycled(NamedTuple):
    """The labels that simple draws need if one classifier's labels are recycled for all others, and the parent that needs the fewest."""

    parent: int
    labels: float


def best_parent(flagged: FloatArray, overlap: FloatArray, labels: Sequence[int]) -> Recycled:
    """The parent with the fewest expected labels; children share nothing with each other.

    flagged   units each classifier flags, shape (k,)
    overlap   units two of them flag, shape (k, k)
    labels    labels of a simple draw for each
    """
    totals = []
    for p in range(len(labels)):
        saved = (
            expected_savings(
                float(overlap[p, c] / flagged[p]), float(overlap[p, c] / flagged[c]), parent_labels=labels[p], child_labels=labels[c]
            )
            for c in range(len(labels))
            if c != p
        )
        totals.append(sum(labels) - sum(saved))
    best = int(np.argmin(totals))
    return Recycled(best, totals[best])


def recycled(asks: Sequence[Ask], simple: Sequence[int | None], names: Sequence[str]) -> tuple[str, int] | None:
    """The best parent and the labels of recycling its simple draw, for precision goals of different classifiers; None for other goals."""
    judged, labels = [ask.classifier for ask in asks], [n for n in simple if n is not None]
    plain = all(ask.metric is PRECISION and ask.goal.slice is None and not ask.goal.is_difference for ask in asks)
    if not plain or len(labels) < len(asks) or len(asks) < 2 or len(set(judged)) < len(asks) or asks[0].part.claims is not None:
        return None
    flags = np.stack([asks[0].part.predicted(j) for j in judged]).astype(np.float64)
    overlap = (flags * asks[0].part.count) @ flags.T
    found = best_parent(np.diag(overlap), overlap, labels)
    return names[judged[found.parent]], round(found.labels)


def _check(parent_ratio: float, child_ratio: float, parent_labels: int, child_labels: int) -> None:
    if not (0 <= parent_ratio <= 1 and 0 <= child_ratio <= 1) or (parent_ratio == 0) != (child_ratio == 0):
        raise PlanError(
            f"overlap ratios must lie in [0, 1] and be 0 together, but the parent's is {parent_ratio:g} and the child's {child_ratio:g}: "
            "divide the units both flag by those the parent flags, and by those the child flags"
        )
    if parent_labels < 0 or child_labels < 0:
        raise PlanError(
            f"numbers of labels must be at least 0, got {parent_labels} and {child_labels}: pass 0 for a classifier without a draw"
        )
