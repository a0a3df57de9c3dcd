"""Extend a design to a later classifier, threshold or goal, or to many more labels, by only adding units.

Cells that the new predictions split stay in their old band as long as nothing in it needs a higher rate; otherwise the band is split by
the predictions, and each child keeps the units it holds. A band that a larger budget would give twenty labels or more is split by score.
A child's units below the old cut are a simple random sample of it, given how many there are, so nothing that was drawn is wasted and
nothing has to be drawn again:

    pi = max(pi_old, pi_new),      take of a child = max(held, its share)

Derivation: docs/maths/extending.md.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from fewlabels.designs.bands import EDITION, LABELS_PER_BAND, OWN_BAND, bands
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
    return _drop_empty(_holding(profile, old, band, pi), labels)


def grow_design(profile: Profile, old: HeldByCell, fresh: DrawDesign, *, labels: int) -> DrawDesign | None:
    """The old bands split along those of a `fresh` design made for `labels`; None if none of them can be split.

    Only bands that would get twice LABELS_PER_BAND are split; a part that would get less than half of that joins its neighbor.
    """
    pi = np.where(fresh.band >= 0, (takes_of(fresh, labels) / fresh.N)[fresh.band], 0.0)
    wanted = own_floats(np.maximum(pi, old.rate) * profile.count)
    inside = old.band >= 0
    size = np.bincount(old.band[inside], weights=wanted[inside])
    band = np.where(inside, old.band, -1)
    for h in np.flatnonzero(size >= 2 * LABELS_PER_BAND).tolist():
        cells = np.flatnonzero(old.band == h)
        part = _parts_of(fresh.band[cells], wanted[cells])
        band[cells] = np.where(part == 0, h, band.max() + part)
    if band.max() + 1 == size.size:
        return None
    return _holding(profile, old, band, pi)


def _parts_of(apart: IntArray, wanted: FloatArray) -> IntArray:
    """The part (from 0) of each cell of a band: neighbors among the fresh bands are joined until a part has labels enough."""
    names, where = np.unique(apart, return_inverse=True)
    part, held, rest = np.zeros(names.size, dtype=np.int64), 0.0, float(wanted.sum())
    for i, more in enumerate(np.bincount(where, weights=wanted).tolist()):
        if i and held >= LABELS_PER_BAND / 2 and rest >= LABELS_PER_BAND / 2:
            part[i:] += 1
            held = 0.0
        held, rest = held + more, rest - more
    return part[where]


def _holding(profile: Profile, old: HeldByCell, band: IntArray, pi: FloatArray) -> DrawDesign:
    """The design with these bands, the higher of both rates in each cell, and the units that the old one drew."""
    inside = band >= 0
    N = np.bincount(band[inside], weights=profile.count[inside]).astype(np.int64)
    mass = own_floats(np.bincount(band[inside], weights=(np.maximum(pi, old.rate) * profile.count)[inside]))
    held = np.bincount(band[inside], weights=old.units[inside], minlength=N.size).astype(np.int64)
    return DrawDesign(name="bands", band=band, N=N, mass=mass, held=held, edition=EDITION)


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
    return replace(design, band=place[design.band], N=design.N[kept], mass=design.mass[kept], held=design.held[kept])
