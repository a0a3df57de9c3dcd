"""Strata with a known share of the labels each: proportional, constant, Neyman, two bins, or set by the user.

    proportional   n_h ∝ N_h                       constant   the same n_h everywhere
    neyman         n_h ∝ sum over h of |a| sqrt(s (1 - s))
    two_bins       n_1 flagged with the smallest standard error of F1 (or another choice), proportional within each side
    manual         n_h as given

Units without a score, where a population allows them, are a stratum of their own.
Strata are unions of cells: cut by score, by size, at edges or by a slice column, and always at the threshold. Edges are moved to the
nearest bin boundary of the ladder below. For comparison, and for protocols that prescribe one; `bands` needs fewer labels.
Derivation: docs/maths/strata.md.
"""

from collections.abc import Sequence

import numpy as np

from fewlabels.designs.two_bins import TwoBins, Weights
from fewlabels.errors import PlanError
from fewlabels.nouns.arrays import BoolArray, FloatArray, IntArray
from fewlabels.nouns.design import TEN, Cut, Design
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.profile import Profile

TINY = 1e-9  # of the largest mass: a stratum without uncertainty according to the guide still has mass
SUREST = 1e-3  # guessed shares are clipped to [SUREST, 1 - SUREST]: no side is all or none positive


def strata(
    profile: Profile, *, frame: BoolArray, flagged: BoolArray, size: FloatArray, labels: int, choice: Design, slices: Sequence[str] = ()
) -> DrawDesign:
    """The strata of the frame and their shares of `labels`. `slices` are the profile's slice columns, in order."""
    key = _cut(profile, frame, flagged, choice.cut or TEN, slices)
    names, home = np.unique(key[frame] + flagged[frame] * (key.max() + 1), return_inverse=True)
    band = np.full(profile.count.shape, -1, dtype=np.int64)
    band[frame] = home
    N, size_sum, expected = (
        np.bincount(home, weights=profile.count[frame] * each).astype(np.float64) for each in (1.0, size[frame], profile.guide[frame])
    )
    mass = _mass(choice, N, names > key.max(), size_sum, expected, labels)
    fewest = int(np.minimum(N, choice.smallest).sum())
    if labels < fewest:
        raise PlanError(
            f"{N.size} strata of at least {choice.smallest} labels need {fewest:,}, but the budget is {labels:,}: raise it, or cut fewer"
        )
    return DrawDesign(name=choice.name, band=band, N=N.astype(np.int64), mass=np.maximum(mass, TINY * mass.max()), smallest=choice.smallest)


def _cut(profile: Profile, frame: BoolArray, flagged: BoolArray, cut: Cut, slices: Sequence[str]) -> IntArray:
    """A number per cell that increases with the stratum; the cut at the threshold comes later."""
    if cut.kind == "column":
        if cut.column not in slices:
            raise PlanError(f"strata must be cut by a slice column, but {cut.column!r} is not one of {list(slices)}: name it with --slice")
        position = list(slices).index(cut.column)
        values = sorted({v[position] for v in profile.slice_values})
        return np.array([values.index(v[position]) for v in profile.slice_values], dtype=np.int64)[profile.slice]
    if cut.kind == "percentile":
        key = np.zeros(profile.count.shape, dtype=np.int64)
        for side in (frame & flagged, frame & ~flagged):
            key[side & ~profile.unscored] = _equal_sizes(
                profile.guide_bin[side & ~profile.unscored], profile.count[side & ~profile.unscored], cut.parts
            )
        return np.where(profile.unscored, cut.parts, key)
    edges = np.array(cut.edges) if cut.kind == "edges" else np.linspace(0, 1, cut.parts + 1)[1:-1]
    return np.where(profile.unscored, edges.size + 1, np.searchsorted(edges, profile.guide, side="right").astype(np.int64))


def _equal_sizes(guide_bin: IntArray, count: IntArray, parts: int) -> IntArray:
    """The part of each cell when guide bins are divided into parts with about the same number of units."""
    _, where = np.unique(guide_bin, return_inverse=True)
    held = np.bincount(where, weights=count)
    middle = (np.cumsum(held) - held / 2) / max(held.sum(), 1)
    return np.asarray(np.minimum((middle * parts).astype(np.int64), parts - 1)[where])


def _mass(choice: Design, N: FloatArray, side: BoolArray, size: FloatArray, expected: FloatArray, labels: int) -> FloatArray:
    """Each stratum's share of the labels."""
    if choice.name == "proportional":
        return N
    if choice.name == "constant":
        return np.ones_like(N)
    if choice.name == "neyman":
        return size if size.max() > 0 else N
    if choice.name == "manual":
        return _as_given(choice, N, side)
    if side.all() or not side.any():
        return N
    guess = choice.expect or tuple(np.clip(expected[s].sum() / N[s].sum(), SUREST, 1 - SUREST) for s in (side, ~side))
    bins = TwoBins(pi1=float(guess[0]), pi0=float(guess[1]), flagged_share=float(N[side].sum() / N.sum()))
    n1 = bins.best_flagged(labels, Weights(*choice.weights))
    return np.asarray(np.where(side, n1 * N / N[side].sum(), (labels - n1) * N / N[~side].sum()))


def _as_given(choice: Design, N: FloatArray, side: BoolArray) -> FloatArray:
    """The takes set by the user; raise PlanError unless there is one per stratum, at most its units."""
    takes = np.array(choice.takes, dtype=np.float64)
    shown = ", ".join(f"{'flagged' if f else 'unflagged'} {int(n):,}" for n, f in zip(N, side, strict=True))
    if takes.size != N.size:
        raise PlanError(f"there must be one take per stratum, got {takes.size} for {N.size} strata (units: {shown}): name {N.size}")
    if (takes > N).any() or (takes < np.minimum(choice.smallest, N)).any():
        raise PlanError(f"a take must lie between {choice.smallest} and the units of its stratum, got {list(choice.takes)} for {shown}")
    return takes
