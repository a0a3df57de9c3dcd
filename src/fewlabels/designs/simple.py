"""The simple draw: every unit the goals need has the same chance. The baseline, and the yardstick of the effective n."""

import numpy as np

from fewlabels.nouns.arrays import BoolArray
from fewlabels.nouns.design import Design
from fewlabels.nouns.profile import Profile


def simple(profile: Profile, *, frame: BoolArray) -> Design:
    """One band of all cells in the frame."""
    N = int(profile.count[frame].sum())
    return Design(name="simple", band=np.where(frame, 0, -1), N=np.array([N]), mass=np.array([1.0]))
