"""Poisson draws: every unit has its own probability, and units are asked in the order of permanent number over probability.

The n smallest u / pi are drawn (sequential Poisson), so that the budget is exact and a larger one only adds. Given how many units of a
band are drawn, they are a simple random sample of it: estimates are those of strata, and a band without a drawn unit joins its neighbor.

    poisson      pi by the mixture of bands
    importance   pi ∝ sqrt(E z^2), z the influence of the unit's whole outcome (Yilmaz et al. 2021), each unit at most once
    given        pi from a column

Derivation: docs/maths/poisson.md.
"""

from dataclasses import replace

import numpy as np

from fewlabels.designs.bands import bands
from fewlabels.designs.base import water_fill
from fewlabels.errors import PlanError
from fewlabels.nouns.arrays import BoolArray, FloatArray
from fewlabels.nouns.design import DesignName
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.profile import Profile

TINY = 1e-9  # of the largest size: a unit that does not matter according to the guide can still be drawn


def poisson(profile: Profile, *, name: DesignName, flagged: BoolArray, pi: FloatArray, labels: int) -> DrawDesign:
    """Bands of cells of about the same rate, sampled at that rate instead of with a fixed take."""
    return as_poisson(bands(profile, flagged=flagged, pi=pi, labels=labels), name=name)


def as_poisson(bands: DrawDesign, *, name: DesignName) -> DrawDesign:
    """The same bands, each unit drawn at its band's rate."""
    return replace(bands, name=name, poisson=True, smallest=0)


def importance(profile: Profile, *, frame: BoolArray, size: FloatArray, labels: float) -> FloatArray:
    """Rates proportional to size, by exact water-filling; 0 only outside the frame. Equal rates if no unit has a size."""
    pi = np.zeros(profile.count.shape)
    mine = np.maximum(size[frame], TINY * size[frame].max()) if (size[frame] > 0).any() else np.ones(int(frame.sum()))
    pi[frame] = water_fill(mine, profile.count[frame].astype(np.float64), labels)
    return pi


def given(profile: Profile, *, frame: BoolArray, flagged: BoolArray, position: int) -> DrawDesign:
    """One band per side and probability, read from the values of a slice column (by position)."""
    pi = np.array([_probability(values[position]) for values in profile.slice_values])[profile.slice]
    keys, home = np.unique(np.stack([flagged[frame], pi[frame]]), axis=1, return_inverse=True)
    band = np.full(profile.count.shape, -1, dtype=np.int64)
    band[frame] = home.ravel()
    N = np.bincount(home.ravel(), weights=profile.count[frame])
    return DrawDesign(name="given", band=band, N=N.astype(np.int64), mass=N * keys[1], poisson=True, smallest=0)


def _probability(text: str) -> float:
    """A probability read from a value of the column."""
    try:
        pi = float(text)
    except ValueError:
        pi = np.nan
    if not 0 < pi <= 1:
        raise PlanError(f"given probabilities must lie in (0, 1], but the column holds {text!r}: leave out units that cannot be drawn")
    return pi
