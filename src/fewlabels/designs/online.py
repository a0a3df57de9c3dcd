"""Adaptive sampling, one unit at a time.

Each step picks a band at random, with probabilities updated from the answers so far, then takes that band's next unit.

    p_k = (positives + 3 prior) / (labels + 3)                       predicted share of positives among the units left in band k
    r_k = (1 - eta) n_k a_k sqrt(p_k (1 - p_k)) / sum  +  eta n_k / sum     probability of band k

    positives, labels   positive answers and answers so far in band k
    prior               the share of positives that the guide predicts in band k
    n_k                 units left in band k
    a_k                 |influence of one of its labels on the goals|
    sum                 in either term, the sum of its numerator over all bands, without 1 - eta or eta

A share eta of the draws is spread evenly over all units left, so an unexpected label, even in a rarely sampled band, never represents more
than about 1/eta units. Until LEARNING answers are in, eta is at least 1/2. The confidence sequence is valid for any r that does not look
ahead. Derivation: docs/maths/anytime.md.
"""

import numpy as np

from fewlabels.designs.bands import SMALLEST_REFERENCE, cut_sides, rates
from fewlabels.nouns.arrays import BoolArray, FloatArray, IntArray, own_floats
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.profile import Profile

PRIOR = 3.0  # the weight of the guide in a band, in labels
EVEN_SHARE, EVEN_SHARE_RARE = 0.3, 0.5  # eta; the larger where the denominator is itself estimated from labels (recall, F1)
LEARNING, EVEN_AT_FIRST = 200, 0.5
BANDS = 16  # approximate number over all sides


def online_bands(profile: Profile, *, frame: BoolArray, kind: IntArray, flagged: BoolArray, size: FloatArray) -> DrawDesign:
    """The bands of an online draw. No band spans sides or kinds (a number per cell: the predictions and slices that goals distinguish).

    frame, flagged and size are per profile cell; size is the influence times sqrt(s (1 - s)) of one unit of the cell.
    """
    units = int(profile.count[frame].sum())
    labels = min(SMALLEST_REFERENCE, max(units // 4, min(units, 4)))  # a quarter of a small frame: if all were drawn, nothing would be cut
    pi = rates(profile, frame=frame, flagged=flagged, size=size, labels=float(labels))[frame]
    band = cut_sides(profile, frame, flagged + 2 * kind, pi, max(2, labels // BANDS))
    home, count = band[frame], profile.count[frame]
    N, mass = (np.bincount(home, weights=count * each) for each in (1.0, pi))
    return DrawDesign(name="online", band=band, N=N.astype(np.int64), mass=own_floats(mass))


def predicted(positives: FloatArray, labels: FloatArray, prior: FloatArray) -> FloatArray:
    """The predicted share of positives among the units left in each band."""
    return np.asarray((positives + PRIOR * prior) / (labels + PRIOR))


def even_share(*, rare: bool, labels: int) -> float:
    """The share of the draws that is spread evenly; `rare` if the metric's denominator is itself estimated from labels."""
    eta = EVEN_SHARE_RARE if rare else EVEN_SHARE
    return max(eta, EVEN_AT_FIRST) if labels < LEARNING else eta


def asking_rates(size: FloatArray, left: FloatArray, *, even: float) -> FloatArray:
    """The probability of each band; arrays may have leading axes. `size` is the size of one unit, `left` the units not drawn yet."""
    weight = left * size
    whole = weight.sum(axis=-1, keepdims=True)
    spread = left / left.sum(axis=-1, keepdims=True)
    chosen = np.divide(weight, whole, out=spread.copy(), where=whole > 0)
    found = (1 - even) * chosen + even * spread
    return np.asarray(found / found.sum(axis=-1, keepdims=True))


def picked(rate: FloatArray, left: FloatArray, v: float) -> int:
    """The band selected by v in [0, 1): the one at which the cumulative probability exceeds it, among bands with units left."""
    some = np.flatnonzero(left > 0)
    cumulative = np.cumsum(rate[some])
    return int(some[min(int(np.searchsorted(cumulative, v * cumulative[-1], side="right")), some.size - 1)])
