"""The limits of a share by one chance that is not that of the draw: of the table a process gave, of sizes of groups, of what has arrived.

    q   the share, or 1 - share if that is smaller;   v its variance by that chance, times (t / z)^2;   G its carriers
    w   = v/q + max(1/G - v/q, 0) / (1 + q^2/v)       the weight of one unseen error

v/q is the weight of a typical error among those seen, q^2/v how many were seen. Derivation: docs/maths/process.md.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import ndtri, stdtrit

from fewlabels.intervals.rare import GUARD, rare_limits
from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.evidence import Limits


class Chance(NamedTuple):
    """The variance of a metric by a chance, and the number of independent carriers of it: clusters of units, or units."""

    v: FloatArray
    clusters: FloatArray


def share_limits(share: FloatArray, chance: Chance, tail: float, *, unseen: bool = True) -> Limits:
    """The limits of a share that is known but for this chance: those of a rare share with one unseen carrier added.

    unseen   whether an error may be as heavy as a whole carrier although none was seen
    """
    p = np.where(np.isfinite(share), share, 0.5)
    mirrored = p > 0.5
    q = np.where(mirrored, 1 - p, p)
    q = np.where(q < GUARD, 0.0, q)
    carriers = np.maximum(chance.clusters, 1.0)
    v = chance.v * (stdtrit(np.maximum(carriers - 1, 1.0), 1 - tail) / ndtri(1 - tail)) ** 2
    typical = np.divide(v, q, out=np.zeros_like(v), where=q > 0)
    seen = np.divide(q, typical, out=np.zeros_like(v), where=typical > 0)  # errors, as many as they count for
    most = 1 / carriers if unseen else 0.0
    weight = typical + np.maximum(most - typical, 0) / (1 + seen)
    found = rare_limits(q, np.maximum(v, 1e-300), tail, w=weight, unseen=1.0)
    return Limits(np.where(mirrored, 1 - found.high, found.low), np.where(mirrored, 1 - found.low, found.high))
