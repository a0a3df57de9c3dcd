"""Equal-risk bands (strata), the default: cut each side by score into bands with equal expected shares of the error, sample in each.

    size_i = |a_i| sqrt(max(s_i (1 - s_i), r v))            a = influence of unit i on the goals, s = its guide, v = mean of s (1 - s)
    pi     = fill((1 - e - f) fill(size, n) + e n/N + f [flagged] min(n, N1)/N1, n)

Most labels go where the guide says the error is, and evenly over the units of which it is surest (r, the floor); a share e evenly over the
frame, a share f evenly over the flagged units: no region is left out, whatever the guide says. The mixture (r, e, f) is chosen for the
default interval (`planning/mixing.py`). A band never spans both sides. Where units have metric weights, heavy and light units are
first separated, so that no label stands for units many times as heavy. Why: docs/decisions/0019-draw-and-interval.md. Derivation:
docs/maths/bands.md.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from fewlabels.designs.base import SMALLEST_TAKE, water_fill
from fewlabels.errors import PlanError
from fewlabels.nouns import ladder
from fewlabels.nouns.arrays import BoolArray, FloatArray, IntArray, own_floats
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.profile import Profile


class Mixture(NamedTuple):
    """How the rates of a draw follow the guide, and how far they do not.

    floor          of the variance of a unit's answer, as a part of its side's mean
    even           the share of the labels that is spread evenly over the frame
    even_flagged   and that is spread evenly over the flagged units
    """

    floor: float
    even: float
    even_flagged: float


MIXTURES = tuple(Mixture(floor, *even) for floor in (0.01, 0.03, 0.1, 0.3, 1.0) for even in ((0.1, 0.1), (0.3, 0.2)))
EVEN = Mixture(1.0, 1.0, 0.0)  # for a draw whose interval would otherwise be longer than a simple draw's
USUAL = Mixture(0.03, 0.3, 0.2)  # where none is chosen
EDITION = 4  # of this rule: a change that cuts other bands raises it
LABELS_PER_BAND = 10
HEAVY = 2.0  # a unit that weighs as much as this many labels is drawn with certainty
OWN_BAND = 0.6  # of a band's labels: a prediction pattern that carries as much has bands of its own
SMALLEST_REFERENCE = 100  # bands are cut for at least this many labels, so that a small study can grow


def inclusion(size: FloatArray, count: FloatArray, flagged: BoolArray, labels: float, *, mixture: Mixture = USUAL) -> FloatArray:
    """The inclusion probability of each cell's units under a mixture; cells are those of the frame."""
    N, N1 = count.sum(), count[flagged].sum()
    if labels >= N:
        return np.ones_like(count)
    best = water_fill(size, count, labels) if (size > 0).any() else np.full_like(count, labels / N)
    even_flagged = np.where(flagged, min(labels, N1) / N1, 0.0) if N1 else np.zeros_like(count)
    _, even, flags = mixture
    return water_fill((1 - even - flags) * best + even * labels / N + flags * even_flagged, count, labels)


def with_heavy(pi: FloatArray, weight: FloatArray, count: FloatArray, labels: float) -> FloatArray:
    """The same rates, but 1 for every unit whose metric weight alone is that of HEAVY labels of a uniform draw by weight.

    The label of such a unit decides the metric; no interval is valid that does not see it.
    """
    heavy = weight * labels >= HEAVY * (weight * count).sum()
    left = labels - count[heavy].sum()
    rest = np.where(heavy, 0.0, pi)
    if left <= 0 or not (rest > 0).any():
        return pi
    return np.where(heavy, 1.0, water_fill(rest, count, left))


def reference_of(labels: int, frame: int) -> int:
    """The number of labels for which bands are cut: the budget, at least 100, at most all units of the frame."""
    return min(max(labels, SMALLEST_REFERENCE), frame)


def rates(
    profile: Profile, *, frame: BoolArray, flagged: BoolArray, size: FloatArray, labels: float, mixture: Mixture = USUAL
) -> FloatArray:
    """The inclusion probability of each cell's units if `labels` are drawn; 0 outside the frame.

    frame, flagged and size are per profile cell; size is the influence times sqrt(s (1 - s)) of one unit of the cell.
    """
    count = profile.count[frame].astype(np.float64)
    pi = np.zeros(profile.count.shape)
    pi[frame] = inclusion(size[frame], count, flagged[frame], labels, mixture=mixture)
    if profile.weight is not None:
        pi[frame] = with_heavy(pi[frame], profile.mass[frame] / count, count, labels)
    return pi


def bands(
    profile: Profile,
    *,
    flagged: BoolArray,
    pi: FloatArray,
    labels: int,
    domain: IntArray | None = None,
    pattern: IntArray | None = None,
) -> DrawDesign:
    """Bands for a budget of `labels`: ten labels each, fewer (at least two) if the budget is too small for ten.

    pi are the rates at the number of labels for which bands are cut (`reference_of`); cells of rate 0 are outside the frame. No band spans
    both sides, nor several domains (a number per cell: which slice it belongs to) if there are enough labels to separate them.

    pattern   a number per cell: the predictions of several classifiers, separated where a pattern carries a band; rarer ones share
              bands of about the same rate
    """
    frame = pi > 0
    count = profile.count[frame].astype(np.float64)
    inside = pi[frame]
    fewest = min(2 * SMALLEST_TAKE, int(count.sum()))  # a frame of three units is drawn completely
    if labels < fewest:
        raise PlanError(f"bands need at least {fewest} labels, but the budget is {labels}: raise it")
    reference = reference_of(labels, int(count.sum()))
    per_band = max(LABELS_PER_BAND, math.ceil(reference / max(1, labels // SMALLEST_TAKE)))
    told = flagged.astype(np.int64) if pattern is None else pattern
    side = told if domain is None else told + (told.max() + 1) * domain
    cut = cut_sides if pattern is None else _cut_patterns
    band = cut(profile, frame, side, inside, per_band)
    while SMALLEST_TAKE * (band.max() + 1) > labels and per_band < reference:
        per_band = math.ceil(per_band * 1.25)
        band = cut(profile, frame, side, inside, per_band)
    if SMALLEST_TAKE * (band.max() + 1) > labels:  # certain units or slices forced more bands than the labels can serve: one per side
        band = np.where(frame, np.where(flagged | ~(frame & flagged).any(), 0, 1), -1)
    home = band[frame]
    mass = own_floats(np.bincount(home, weights=inside * count))
    return DrawDesign(name="bands", band=band, N=np.bincount(home, weights=count).astype(np.int64), mass=mass, edition=EDITION)


def cut_sides(profile: Profile, frame: BoolArray, side: IntArray, pi: FloatArray, per_band: int) -> IntArray:
    """The band of every cell, -1 outside the frame. `side` distinguishes sides and slices; `pi` is per cell of the frame."""
    band = np.full(profile.count.size, -1, dtype=np.int64)
    cells = np.flatnonzero(frame)
    start = 0
    for mine, whole in _parts(profile, cells, side[cells], pi, per_band):
        band[cells[mine]] = start if whole else start + _cut(profile, cells[mine], pi[mine], per_band)
        start = int(band.max()) + 1
    return band


def _cut_patterns(profile: Profile, frame: BoolArray, side: IntArray, pi: FloatArray, per_band: int) -> IntArray:
    """The same for prediction patterns: those that carry a band are cut by guide, all rarer ones together by rate."""
    band = np.full(profile.count.size, -1, dtype=np.int64)
    cells = np.flatnonzero(frame)
    expected = pi * profile.count[cells]
    _, where = np.unique(side[cells], return_inverse=True)
    carries = np.bincount(where, weights=expected) >= OWN_BAND * per_band
    carries |= np.bincount(where, weights=profile.count[cells] - expected) < 1e-6 * np.bincount(where)  # certain units share no band
    start = 0
    for p in np.flatnonzero(carries).tolist():
        mine = where == p
        band[cells[mine]] = start + _cut(profile, cells[mine], pi[mine], per_band)
        start = int(band.max()) + 1
    rare = np.flatnonzero(~carries[where])
    if rare.size:
        rare = rare[np.argsort(-pi[rare], kind="stable")]
        held = np.cumsum(expected[rare])
        goal = held[-1] / max(1, round(float(held[-1])) // per_band)
        band[cells[rare]] = start + np.minimum((held - expected[rare]) // goal, held[-1] // goal - 1e-9).astype(np.int64)
    return np.where(frame, np.unique(band, return_inverse=True)[1] - (0 if frame.all() else 1), -1)


def _parts(profile: Profile, cells: IntArray, side: IntArray, pi: FloatArray, per_band: int) -> Iterator[tuple[BoolArray, bool]]:
    """The parts of the frame that are cut by guide, or left whole: the two sides, and within them layers of weight.

    For several labels or classes: every prediction pattern that carries a band and a half; all rarer ones together are one band.
    """
    expected = pi * profile.count[cells]
    if profile.claims is not None:
        _, where = np.unique(profile.pattern[cells], return_inverse=True)
        common = np.bincount(where, weights=expected) >= 1.5 * per_band
        yield from ((where == p, False) for p in np.flatnonzero(common)[::-1])
        if not common.all():
            yield ~common[where], True
        return
    for mine in (side == s for s in np.unique(side)[::-1]):
        if profile.weight is None:
            parts = [mine]
        else:
            certain = mine & (pi > 1 - 1e-9)
            parts = [certain, *_layers(profile.layer[cells], mine & ~certain, expected, per_band)]
        yield from ((part, False) for part in parts if part.any())


def _layers(layer: IntArray, side: BoolArray, expected: FloatArray, per_band: int) -> Iterator[BoolArray]:
    """The cells of a side in parts of adjacent weight layers, each with labels for at least two bands."""
    first, held = None, 0.0
    layers = np.unique(layer[side])
    for i, current in enumerate(layers.tolist()):
        first = current if first is None else first
        held += float(expected[side & (layer == current)].sum())
        rest = float(expected[side & (layer > current)].sum())
        if i == layers.size - 1 or (held >= 2 * per_band and rest >= 2 * per_band):
            yield side & (layer >= first) & (layer <= current)
            first, held = None, 0.0


def _cut(profile: Profile, cells: IntArray, pi: FloatArray, per_band: float) -> IntArray:
    """The band (from 0) of each cell of one side: consecutive guide bins carrying about the same number of expected labels.

    A bin is never split. A bin that alone carries a band's worth is a band of its own; certain units (pi = 1) and units without a
    score share no band with others.
    """
    bins, where = np.unique(profile.guide_bin[cells], return_inverse=True)
    count = profile.count[cells].astype(np.float64)
    mass = np.bincount(where, weights=pi * count)
    goal = float(mass.sum()) / max(1, round(float(mass.sum())) // per_band)
    certain = np.isclose(mass, np.bincount(where, weights=count), rtol=1e-9).tolist()
    missing = (bins == ladder.MISSING).tolist()
    band_of_bin: list[int] = []
    current, held = 0, 0.0
    for b, here in enumerate(mass.tolist()):
        overshoots = held + here - goal > goal - held and not certain[b]
        if held > 0 and (overshoots or certain[b] != certain[b - 1] or missing[b]):
            current, held = current + 1, 0.0
        band_of_bin.append(current)
        held += here
    return np.array(band_of_bin, dtype=np.int64)[where]
