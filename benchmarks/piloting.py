"""Draws steered by any score column of a table, and draws steered by a guide that a pilot's labels made, against the known truth."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import duckdb
import numpy as np
from numpy.typing import NDArray

from benchmarks.units import Rows, Urn
from fewlabels.designs.base import takes
from fewlabels.engines.base import Known
from fewlabels.estimators.grouping import groups_of
from fewlabels.estimators.measuring import Measured, measure
from fewlabels.nouns import ladder
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.estimate import USUAL_INTERVAL, IntervalKind
from fewlabels.nouns.metric import Metric, Totals
from fewlabels.nouns.profile import Profile
from fewlabels.nouns.tally import PhasedTally, Tally
from fewlabels.planning.design_choice import choose_design
from fewlabels.planning.frames import frame_of
from fewlabels.planning.guiding import divide, fit_guide, log_odds
from fewlabels.study.simulate import replicate

Floats = NDArray[np.float64]
TAIL = 0.025
SECOND_DRAWS = 8  # independent second phases after each pilot: what costs time is the guide, not the draw


class Table(NamedTuple):
    """Units with their truth, the scores of several models, and what each model decides."""

    name: str
    models: tuple[str, ...]
    score: Floats
    flagged: NDArray[np.bool_]
    y: NDArray[np.int64]


class Judged(NamedTuple):
    """One model of a table, one metric; `score` holds the columns that may guide, `own` says which is the model's."""

    score: Floats
    own: int
    flagged: NDArray[np.bool_]
    y: NDArray[np.int64]
    metric: Metric

    @property
    def truth(self) -> float:
        """The metric if every unit were labeled."""
        A, B = (np.asarray(float(self.y[side].sum())) for side in (self.flagged, ~self.flagged))
        N1 = float(self.flagged.sum())
        return float(self.metric.value(Totals.of_sides(A, B, N1=N1, N0=self.y.size - N1)))


def load(folder: Path, name: str) -> Table:
    """A table of the folder: every model with a score column and a threshold."""
    manifest = json.loads((folder / "manifest.json").read_text())[name]
    told = manifest["metrics"]["models"]
    models = tuple(m for m in told if f"score_{m}" in manifest["columns"])
    with duckdb.connect() as reader:
        columns = reader.execute(f"select * from '{folder / manifest['file']}'").fetchnumpy()
    score = np.stack([np.asarray(columns[f"score_{m}"], dtype=np.float32) for m in models], axis=1)
    threshold = np.array([told[m].get("threshold") or manifest["thresholds"][m] for m in models], dtype=np.float32)
    return Table(name, models, score.astype(np.float64), score >= threshold, np.asarray(columns["y"], dtype=np.int64))


class Counted(NamedTuple):
    """Units counted by cell of a guide and the model's decision: the profile, each cell's key, every unit's, and positives by cell."""

    profile: Profile
    keys: Rows
    key: Rows
    positives: Rows

    @property
    def cell(self) -> Rows:
        """Each unit's cell."""
        return np.searchsorted(self.keys, self.key)

    @classmethod
    def of(cls, judged: Judged, bins: Rows, kept: NDArray[np.bool_] | None = None) -> "Counted":
        """The cells of all units, or of those kept; `bins` are the kept units' guide bins."""
        flagged, y = (judged.flagged, judged.y) if kept is None else (judged.flagged[kept], judged.y[kept])
        key = flagged * ladder.BINS + bins
        count = np.bincount(key, minlength=2 * ladder.BINS)
        cells = np.flatnonzero(count)
        profile = Profile(
            columns=(),
            guide_bin=cells % ladder.BINS,
            pattern=cells // ladder.BINS,
            slice=np.zeros(cells.size, dtype=np.int64),
            count=count[cells],
            slice_values=((),),
            guided=True,
            smallest_id="",
            largest_id="",
        )
        positives = np.bincount(key, weights=y, minlength=2 * ladder.BINS)[cells].astype(np.int64)
        return cls(profile, cells, key, positives)

    def design(self, metric: Metric, labels: int) -> DrawDesign:
        """Bands for the metric."""
        return choose_design(self.profile, [metric], labels=labels)


def guided_by(judged: Judged, column: int, *, labels: int, reps: int, rng: np.random.Generator) -> Measured:
    """Replicates of one draw steered by a score column as it is."""
    counted = Counted.of(judged, ladder.bin_of(judged.score[:, column]))
    design = counted.design(judged.metric, labels)
    groups = groups_of(counted.profile, design)
    return measure(judged.metric, replicate(groups, design, counted.positives, labels=labels, reps=reps, rng=rng), tail=TAIL)


class Automatic:
    """A pilot by the own score, a guide fitted to its labels, and a second draw of the rest by that guide."""

    def __init__(self, judged: Judged, labels: int) -> None:
        """Plans the pilot once."""
        self.judged, self.x = judged, log_odds(judged.score)
        self.counted = Counted.of(judged, ladder.bin_of(judged.score[:, judged.own]))
        needed = frame_of(self.counted.profile, [judged.metric])
        self.phases = divide(labels, frame=int(self.counted.profile.count[needed].sum()))
        design = self.counted.design(judged.metric, self.phases.pilot)
        self.groups = groups_of(self.counted.profile, design)
        self.cell = self.counted.cell
        self.urn = Urn(Known(cell=self.cell, weight=None, truths=()), design, self.phases.pilot)

    def measured(self, *, pilots: int, rng: np.random.Generator) -> Measured:
        """`pilots` pilots, each followed by several independent second draws."""
        [found] = self.at_tails([TAIL], pilots=pilots, interval=USUAL_INTERVAL, rng=rng)
        return found

    def at_tails(self, tails: Sequence[float], *, pilots: int, interval: IntervalKind, rng: np.random.Generator) -> list[Measured]:
        """The same, measured at several tails."""
        tallies = [self._once(rng) for _ in range(pilots)]
        each = [[measure(self.judged.metric, tally, tail=tail, interval=interval) for tally in tallies] for tail in tails]
        return [Measured(*(np.concatenate(parts) for parts in zip(*found, strict=True))) for found in each]

    def _once(self, rng: np.random.Generator) -> PhasedTally:
        judged = self.judged
        rows = self.urn.draw(rng)
        y = judged.y[rows]
        home, G = self.groups.of_cell[self.cell[rows]], self.groups.N.size
        n, k = (np.bincount(home, weights=w, minlength=G).astype(np.float64)[None] for w in (np.ones(rows.size), y))
        guide = fit_guide(self.x[rows], y.astype(np.float64), own=judged.own).probability(self.x)
        kept = np.ones(judged.y.size, dtype=np.bool_)
        kept[rows] = False
        rest = self._rest(guide[kept], kept, rng)
        return PhasedTally(self.groups.tally(n, k), rest, self.phases.weight)

    def _rest(self, guide: Floats, kept: NDArray[np.bool_], rng: np.random.Generator) -> Tally:
        """The second draw, of the units the pilot left."""
        counted = Counted.of(self.judged, ladder.bin_of(guide), kept)
        design = counted.design(self.judged.metric, self.phases.rest)
        groups = groups_of(counted.profile, design)  # one a band: bands cross no side
        inside = groups.of_cell >= 0
        K = np.bincount(groups.of_cell[inside], weights=counted.positives[inside], minlength=groups.N.size).astype(np.int64)
        n = takes(design.mass, design.N, self.phases.rest)[groups.band]
        k = rng.hypergeometric(K, groups.N.astype(np.int64) - K, n, size=(SECOND_DRAWS, n.size))
        return groups.tally(np.broadcast_to(n, k.shape).astype(np.float64), k.astype(np.float64))
