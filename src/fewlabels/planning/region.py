"""The region where the scores see none: the units that a tipping point is about, fixed in the plan before the first label.

The lowest bands of the first classifier's unflagged side that are expected to hold at most one positive together; at least the lowest one.
A region ends where a band does, so that its labels are those of whole bands, and never is the whole side: then no score sets it apart.
"""

import numpy as np

from fewlabels.nouns import ladder
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.profile import Profile

MOST_EXPECTED = 1.0  # positives in the region


def region_of(profile: Profile, design: DrawDesign) -> int | None:
    """The guide's bin at which the region ends: it is every unflagged unit in a lower one. None if there is no such region."""
    mine = (design.band >= 0) & ~profile.predicted(0) & (profile.guide_bin < ladder.MISSING)
    if profile.claims is not None or not profile.guided or not mine.any():
        return None
    bins, band = profile.guide_bin[mine], design.band[mine]
    lowest, highest = np.full(design.N.size, ladder.MISSING), np.full(design.N.size, -1)
    np.minimum.at(lowest, band, bins)
    np.maximum.at(highest, band, bins)
    used = highest >= 0
    ends = np.unique(highest[used]) + 1
    whole = [int(end) for end in ends[:-1] if ((highest[used] < end) | (lowest[used] >= end)).all()]
    if not whole:
        return None
    expected = profile.count[mine] * profile.guide[mine]
    few = [end for end in whole if float(expected[bins < end].sum()) <= MOST_EXPECTED]
    return max(few) if few else whole[0]
