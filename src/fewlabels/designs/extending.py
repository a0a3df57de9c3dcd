"""Extend a design to a later classifier, threshold or goal by only adding units.

Cells that the new predictions split stay in their old band as long as nothing in it needs a higher rate; otherwise the band is split by
the predictions, and each child keeps the units it holds. A child's units below the old cut are a simple random sample of it, given how
many there are, so nothing that was drawn is wasted and nothing has to be drawn again:

    pi = max(pi_old, pi_new),      take of a child = max(held, its share)

Derivation: docs/maths/extending.md.
"""

from typing import NamedTuple

import numpy as np

from fewlabels.designs.bands import LABELS_PER_BAND, OWN_BAND, bands
from fewlabels.designs.base import takes_of
from fewlabels.nouns.arrays import BoolArray, FloatArray, IntArray, own_floats
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.profile import Profile

RAISED = 1.1  # a rate that should grow by less is left as it is


class HeldByCell(NamedTuple):
    """What an earlier design drew, by cell of the profile that distinguishes the new predictions.

    band    the old band; -1 where the earlier goals did not need the cell
    rate    labels per unit
    units   units drawn
    """

    band: IntArray
    rate: FloatArray
    units: IntArray


def extend_design(profile: Profile, old: HeldByCell, *, pi: FloatArray, pattern: IntArray, flagged: BoolArray, labels: int) -> DrawDesign:
    """Bands that keep every unit drawn so far and give each cell about its rate pi in a draw of `labels`; with rate 0, no more units.

    pattern   the predictions to distinguish, a number per cell
    """
    band = _split(profile, old, pi, pattern)
    fresh = (old.band < 0) & (pi > 0)
    if fresh.any():
        share = max(4, round(float((pi * profile.count)[fresh].sum())))
        apart = bands(profile, flagged=flagged, pi=np.where(fresh, pi, 0.0), labels=share, pattern=pattern)
        band = np.where(fresh, apart.band + band.max() + 1, band)
    inside = band >= 0
    N = np.bincount(band[inside], weights=profile.count[inside]).astype(np.int64)
    mass = own_floats(np.bincount(band[inside], weights=(np.maximum(pi, old.rate) * profile.count)[inside]))
    held = np.bincount(band[inside], weights=old.units[inside], minlength=N.size).astype(np.int64)
    return _drop_empty(DrawDesign(name="bands", band=band, N=N, mass=mass, held=held), labels)


def _split(profile: Profile, old: HeldByCell, pi: FloatArray, pattern: IntArray) -> IntArray:
    """The old bands, split by pattern where a part should be drawn at a higher rate."""
    inside = old.band >= 0
    wanted = np.where(inside, pi * profile.count, 0.0)
    raised = inside & (pi > RAISED * old.rate)
    key = np.where(inside, old.band * (pattern.max() + 2), -1)
    for h in np.unique(old.band[raised]).tolist():
        for p in np.unique(pattern[(old.band == h) & raised]).tolist():
            part = (old.band == h) & (pattern == p)
            if wanted[part].sum() >= OWN_BAND * LABELS_PER_BAND / 2:
                key[part] += p + 1
    names, band = np.unique(key, return_inverse=True)
    return band - 1 if names[0] < 0 else band


def _drop_empty(design: DrawDesign, labels: int) -> DrawDesign:
    """The design without bands that get no label: a band that is never drawn from is not in the frame."""
    take = takes_of(design, labels)
    if (take > 0).all() or design.held is None:
        return design
    kept = np.flatnonzero(take > 0)
    place = np.full(take.size + 1, -1, dtype=np.int64)
    place[kept] = np.arange(kept.size)
    return DrawDesign(name=design.name, band=place[design.band], N=design.N[kept], mass=design.mass[kept], held=design.held[kept])
