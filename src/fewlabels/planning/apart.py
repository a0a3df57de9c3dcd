"""Goals that share no unit: each set of them that do is a draw of its own, and one draw for all is the union.

    n_c  proportional to what the goals of part c need together,   sum n_c = the labels of the draw

A draw for each part is then what every goal would have alone, so that many slices cost no more on one draw than on a draw for each.
"""

from collections.abc import Sequence

import numpy as np

from fewlabels.designs.bands import EDITION
from fewlabels.nouns.arrays import FloatArray, IntArray
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.planning.goal_scope import Ask

ROUNDS = 60


def parts_of(asks: Sequence[Ask]) -> list[list[int]]:
    """The asks, by position, in sets that share no unit; in the order of the first of each."""
    owner = np.full(asks[0].cells.shape, -1, dtype=np.int64)
    joined = list(range(len(asks)))

    def root(i: int) -> int:
        while joined[i] != i:
            i = joined[i]
        return i

    for i, ask in enumerate(asks):
        mine = np.flatnonzero(ask.cells)[ask.needed]
        for other in np.unique(owner[mine]).tolist():
            if other >= 0:
                first, second = sorted((root(i), root(other)))
                joined[second] = first
        owner[mine] = i
    found: dict[int, list[int]] = {}
    for i in range(len(asks)):
        found.setdefault(root(i), []).append(i)
    return [found[first] for first in sorted(found)]


def shared_out(needs: FloatArray, frames: IntArray, labels: int) -> IntArray:
    """The labels of each part, which are proportional to its needs and at most its units; they sum to `labels`."""
    labels = min(labels, int(frames.sum()))
    low, high = 0.0, float((frames / needs).max())
    for _ in range(ROUNDS):
        middle = (low + high) / 2
        low, high = (middle, high) if np.minimum(middle * needs, frames).sum() < labels else (low, middle)
    exact = np.minimum(high * needs, frames)
    found = np.floor(exact + 1e-9).astype(np.int64)
    left = exact - found
    for at in np.argsort(-left, kind="stable")[: max(0, labels - int(found.sum()))]:
        found[at] += 1
    return found


def union(designs: Sequence[DrawDesign], homes: Sequence[IntArray], labels: IntArray, cells: int) -> DrawDesign:
    """One design of several that share no cell. `homes` are the cells of each in the whole profile, `labels` those of each."""
    band = np.full(cells, -1, dtype=np.int64)
    start = 0
    for design, home in zip(designs, homes, strict=True):
        inside = design.band >= 0
        band[home[inside]] = start + design.band[inside]
        start += design.N.size
    return DrawDesign(
        name="bands",
        band=band,
        N=np.concatenate([design.N for design in designs]),
        mass=np.concatenate([design.mass * (n / design.mass.sum()) for design, n in zip(designs, labels.tolist(), strict=True)]),
        judged=tuple(sorted({j for design in designs for j in design.judged})),
        edition=EDITION,
    )
