"""A draw made for a search, to hold against the draws that goals make: what it finds, docs/thresholds.md says."""

import numpy as np

from fewlabels.designs.bands import USUAL, bands, reference_of
from fewlabels.designs.base import water_fill
from fewlabels.estimators.thresholds import rank_of
from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.profile import Profile
from fewlabels.planning.threshold_search import Search, beliefs


def design_for_search(profile: Profile, search: Search, *, labels: int) -> DrawDesign:
    """Bands for the search for a precision: for everything that may be true, the draw that settles the threshold it would find.

    pi = fill(sum over beliefs of w (0.7 fill(sqrt(p (1 - p)) where flagged there, n) + 0.3 n / N1), n)
    """
    count = profile.count.astype(np.float64)
    each = [(belief, rank_of(profile) >= _crossing(profile, belief.share, search)) for belief in beliefs(profile)]
    frame = max(int(count[flagged].sum()) for _, flagged in each)
    reference = reference_of(labels, frame)
    size = np.zeros(count.shape)
    for (share, weight), flagged in each:
        N1 = float(count[flagged].sum())
        n = min(float(reference), N1)
        best = water_fill(np.where(flagged, np.sqrt(share * (1 - share)), 0.0), count, n)
        size += weight * ((1 - USUAL.even) * best + USUAL.even * flagged * n / N1)
    pi = water_fill(size, count, float(reference))
    return bands(profile, flagged=np.ones(count.shape, dtype=np.bool_), pi=pi, labels=min(labels, frame))


def _crossing(profile: Profile, share: FloatArray, search: Search) -> int:
    """The lowest bin at which precision would be the target; at least as low as flags twice the units that could show it."""
    rank = rank_of(profile)
    bins, where = np.unique(rank, return_inverse=True)
    units, found = (np.cumsum(np.bincount(where, weights=w)[::-1])[::-1] for w in (profile.count, profile.count * share))
    reached = np.flatnonzero((found >= search.target * units) & (bins >= 0))
    enough = np.flatnonzero((units >= 2 * search.fewest) & (bins >= 0))
    candidates = [int(bins[which[at]]) for which, at in ((reached, 0), (enough, -1)) if which.size]
    return min(candidates, default=int(bins[bins >= 0].min()))
