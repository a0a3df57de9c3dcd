"""The simple draw (simple random sample): every unit the goals need has the same probability. The baseline behind the effective n."""

import numpy as np

from fewlabels.nouns.arrays import BoolArray
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.profile import Profile


def simple(profile: Profile, *, frame: BoolArray) -> DrawDesign:
    """One band of all cells in the frame."""
    N = int(profile.count[frame].sum())
    return DrawDesign(name="simple", band=np.where(frame, 0, -1), N=np.array([N]), mass=np.array([1.0]))
