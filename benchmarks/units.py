"""Replicates unit by unit, for what counts by cell cannot tell: metric weights, and several labels of the same unit."""

import numpy as np
from numpy.typing import NDArray

from fewlabels.designs.base import takes
from fewlabels.engines.base import Known
from fewlabels.estimators.grouping import Groups
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.tally import Tally
from fewlabels.nouns.weights import QUANTA, LabelSums

Rows = NDArray[np.int64]


class Urn:
    """The units of a design's bands, ready to be drawn from again and again."""

    def __init__(self, known: Known, design: DrawDesign, labels: int) -> None:
        """Sorts the units by band once."""
        band = design.band[known.cell]
        inside = np.flatnonzero(band >= 0)
        self.known = known
        self.order = inside[np.argsort(band[inside], kind="stable")]
        self.start = np.concatenate([[0], np.cumsum(design.N)])
        self.take = takes(design.mass, design.N, labels)

    def draw(self, rng: np.random.Generator) -> Rows:
        """The rows of one draw, without replacement inside each band."""
        pairs = zip(self.start[:-1], self.start[1:], self.take, strict=True)
        return np.concatenate([self.order[a:b][rng.choice(b - a, n, replace=False)] for a, b, n in pairs])

    def weighted_tally(self, groups: Groups, positive: NDArray[np.bool_], *, reps: int, rng: np.random.Generator) -> Tally:
        """Tallies of `reps` draws, with the sums of metric weights."""
        assert self.known.weight is not None
        x = self.known.weight / QUANTA
        home = groups.of_cell[self.known.cell]
        sums = np.zeros((6, reps, groups.N.size))
        for r in range(reps):
            rows = self.draw(rng)
            y, w = positive[rows], x[rows]
            for found, values in zip(sums, (np.ones(rows.size), y, w, w * w, w * y, w * w * y), strict=True):
                found[r] = np.bincount(home[rows], weights=values, minlength=groups.N.size)
        return groups.tally(sums[0], sums[1], LabelSums(*sums[2:]))
