"""Label-free counts of a population: all that the statistical code ever sees of the table.

A cell is (guide bin, prediction pattern, slice). Bit j of the pattern is the prediction of classifier j. The number of cells does
not depend on the number of units.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from fewlabels.errors import PopulationError
from fewlabels.nouns import ladder
from fewlabels.nouns.arrays import BoolArray, FloatArray, IntArray, own_ints
from fewlabels.nouns.canonical import Json, fingerprint
from fewlabels.nouns.known import NOTHING, KnownCounts, KnownLabels, KnownTotals
from fewlabels.nouns.process import Process
from fewlabels.nouns.weights import QUANTA

MOST_CELLS = 2_000_000
CLAIM_UNITS = 2.0**30  # sums of scores are kept as whole numbers of 2^-30, the same on every engine
UNSCORED = 0.5  # what a classifier without a score claims


class Column(NamedTuple):
    """A column's name and type: int, text, float32, float64, bool, uuid, decimal, or else the engine's name for it."""

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem that blocks a study: the rule, how many rows break it, an example, the way out, and the column it is about."""

    rule: str
    count: int
    example: str
    way_out: str
    column: str = ""

    def __str__(self) -> str:
        """One line: rule, count, example, way out."""
        return f"{self.rule}, but {self.count:,} do not (for example {self.example}): {self.way_out}"


class SourceFile(NamedTuple):
    """The version of a file: its name without folder, its size, and the sha256 of its Parquet footer (of the whole file for CSV).

    `changed` is when it was last written, as its store reports it. It is not part of the fingerprint: a copy is the same file.
    """

    name: str
    size: int
    digest: str
    changed: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Profile:
    """Counts of units by cell, and what identifies the table they were counted on.

    Cells are sorted by (pattern, guide_bin, slice) and hold at least one unit each. `guided` is False if the population has no guide:
    every guide_bin is then 0 and carries no information.
    """

    columns: tuple[Column, ...]
    guide_bin: IntArray
    pattern: IntArray
    slice: IntArray
    count: IntArray
    slice_values: tuple[tuple[str, ...], ...]  # slice code -> the values of the slice columns
    guided: bool
    smallest_id: str
    largest_id: str
    files: tuple[SourceFile, ...] = ()
    weight: IntArray | None = None  # sums of metric weights in quanta, by cell; the last slice value is then the layer
    claims: IntArray | None = None  # of several labels or classes: sums of their scores, shape (cells, classifiers), in 2^-30
    process: Process | None = None  # what the table came from, if a study is about that; not counted, so neither written nor fingerprinted
    known: KnownCounts | None = None  # units with known answers, which the cells then leave out; neither written nor fingerprinted

    def __post_init__(self) -> None:
        """Take ownership of the arrays; raise PopulationError if cells are empty, unsorted or too many."""
        for name in ("guide_bin", "pattern", "slice", "count", "weight", "claims"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, own_ints(getattr(self, name)))
        if len({self.guide_bin.size, self.pattern.size, self.slice.size, self.count.size}) > 1 or (self.guide_bin < 0).any():
            raise PopulationError(
                "cells have one guide bin, pattern, slice and count each: this is a defect of the engine, please report it"
            )
        if self.count.size == 0:
            raise PopulationError("a population needs at least one unit, but the table is empty: check the path or the filter")
        if self.count.size > MOST_CELLS:
            raise PopulationError(
                f"a profile can hold at most {MOST_CELLS:,} cells, but this one has {self.count.size:,}: drop a slice column"
            )
        if not (self.count > 0).all():
            raise PopulationError("every cell of a profile holds a unit: this is a defect of the engine, please report it")
        order = np.lexsort((self.slice, self.guide_bin, self.pattern))
        if not (order == np.arange(order.size)).all():
            raise PopulationError("cells must be sorted by (pattern, guide_bin, slice): this is a defect of the engine, please report it")

    @property
    def N(self) -> int:
        """The number of units in the population."""
        return int(self.count.sum())

    @property
    def counts(self) -> "SameCounts":
        """What a plan depends on, as a key of results to be kept."""
        digest = hashlib.blake2b(repr((self.guided, self.slice_values)).encode())
        for part in (self.guide_bin, self.pattern, self.slice, self.count, self.weight, self.claims):
            digest.update(b"-" if part is None else repr(part.shape).encode() + part.tobytes())
        digest.update(repr(self.process).encode())
        for row in self.known or ():
            digest.update(row.tobytes())
        return SameCounts(digest.digest(), self)

    @property
    def whole(self) -> int:
        """The number of units in the population, those with known answers included."""
        return self.N + (0 if self.known is None else int(self.known.N.sum()))

    @property
    def apart(self) -> str:
        """What to add where the units to be drawn are named, if the answers to others are known."""
        return "" if self.known is None else " and whose answers are not known"

    def aside(self, classifier: int) -> KnownTotals:
        """The units with known answers on both sides of a classifier (by position), and their expected positives."""
        return NOTHING if self.known is None else self.known.totals(classifier)

    def flagged(self, classifier: int) -> int:
        """How many units of the population the classifier (by position) predicts positive."""
        return int(self.count[self.predicted(classifier)].sum()) + int(self.aside(classifier).N1)

    def without(self, known: KnownLabels) -> "Profile":
        """The profile of all units but those with known answers, which are counted beside it."""
        home = self.cells(known.pattern, known.guide_bin, known.slice)
        left = self.count - np.bincount(home, minlength=self.count.size)
        if (home < 0).any() or (left < 0).any():
            raise PopulationError("known answers are about units of the table: the table has changed, restore it")
        if not left.any():
            raise PopulationError("a study needs units to draw, but the answers to all are known: count them, there is nothing to estimate")
        rest = replace(self, count=np.maximum(left, 1)).part(left > 0)
        return replace(rest, known=known.counts)

    def part(self, cells: BoolArray) -> "Profile":
        """The profile of these cells alone, as if the table held nothing else."""
        if cells.all():
            return self
        return replace(
            self,
            guide_bin=self.guide_bin[cells],
            pattern=self.pattern[cells],
            slice=self.slice[cells],
            count=self.count[cells],
            weight=None if self.weight is None else self.weight[cells],
            claims=None if self.claims is None else self.claims[cells],
        )

    def cells(self, pattern: IntArray, guide_bin: IntArray, slice: IntArray) -> IntArray:
        """The position of each of these cells in the profile; -1 for a cell it does not have."""
        patterns = self.pattern[np.flatnonzero(np.diff(self.pattern, prepend=self.pattern[0] - 1))]  # sorted, as the cells are

        def keys(pattern: IntArray, guide_bin: IntArray, slice: IntArray) -> IntArray:
            """One number for each cell, in the order of the profile; those it does not have may share a number with others."""
            return np.asarray(
                (np.searchsorted(patterns, pattern) * (self.guide_bin.max() + 1) + guide_bin) * (np.ptp(self.slice) + 1) + slice
            )

        found = np.searchsorted(keys(self.pattern, self.guide_bin, self.slice), keys(pattern, guide_bin, slice))
        found = np.minimum(found, self.count.size - 1)
        same = (self.pattern[found] == pattern) & (self.guide_bin[found] == guide_bin) & (self.slice[found] == slice)
        return np.where(same, found, -1)

    def predicted(self, classifier: int) -> BoolArray:
        """Which cells the classifier (by position) predicts positive."""
        return ((self.pattern >> classifier) & 1).astype(np.bool_)

    @property
    def guide(self) -> FloatArray:
        """The guide's probability in the middle of each cell's bin; 1/2 without a guide, the mean of the others where it is null."""
        missing = self.unscored
        if not self.guided or missing.all():
            return np.full(self.count.shape, 0.5)
        if not missing.any():
            return ladder.MIDDLES[self.guide_bin]
        guide = ladder.MIDDLES[np.where(missing, 0, self.guide_bin)]
        return np.where(missing, np.average(guide[~missing], weights=self.count[~missing]), guide)

    @property
    def unscored(self) -> BoolArray:
        """Which cells hold units whose guide is null."""
        return np.asarray(self.guide_bin == ladder.MISSING)

    def claimed(self, classifier: int) -> FloatArray:
        """The mean probability of a positive in each cell that a classifier (by position) or the guide predicts."""
        if self.claims is None:
            return self.guide
        return np.asarray(np.clip(self.claims[:, classifier] / (self.count * CLAIM_UNITS), 0.0, 1.0))

    @property
    def mass(self) -> FloatArray:
        """The metric weight of each cell."""
        if self.weight is None:
            raise PopulationError("this population has no weight column: name it with weight= (--weight)")
        return np.asarray(self.weight / QUANTA)

    @property
    def layer(self) -> IntArray:
        """The layer of each cell: the power of two its weights reach, in quanta; -1 without weight; 0 where no column is a weight."""
        if self.weight is None:
            return np.zeros(self.count.shape, dtype=np.int64)
        return np.array([int(values[-1]) for values in self.slice_values], dtype=np.int64)[self.slice]

    def amount(self, weight: str | None) -> FloatArray:
        """The sum over each cell: its units, or their metric weight for a metric by weight."""
        return self.count.astype(np.float64) if weight is None else self.mass

    def as_json(self) -> dict[str, Json]:
        """Plain data for the ledger."""
        return {
            "columns": [list(c) for c in self.columns],
            "guide_bin": self.guide_bin.tolist(),
            "pattern": self.pattern.tolist(),
            "slice": self.slice.tolist(),
            "count": self.count.tolist(),
            "slice_values": [list(v) for v in self.slice_values],
            "guided": self.guided,
            "smallest_id": self.smallest_id,
            "largest_id": self.largest_id,
            "files": [list(f) for f in self.files],
            "weight": None if self.weight is None else self.weight.tolist(),
            "claims": None if self.claims is None else self.claims.tolist(),
        }

    @classmethod
    def of_json(cls, data: Mapping[str, Any]) -> "Profile":
        """The profile that `as_json` wrote."""
        return cls(
            columns=tuple(Column(*c) for c in data["columns"]),
            guide_bin=own_ints(data["guide_bin"]),
            pattern=own_ints(data["pattern"]),
            slice=own_ints(data["slice"]),
            count=own_ints(data["count"]),
            slice_values=tuple(tuple(v) for v in data["slice_values"]),
            guided=data["guided"],
            smallest_id=data["smallest_id"],
            largest_id=data["largest_id"],
            files=tuple(SourceFile(*f) for f in data["files"]),
            weight=None if data["weight"] is None else own_ints(data["weight"]),
            claims=None if data["claims"] is None else own_ints(data["claims"]),
        )

    @property
    def fingerprint(self) -> str:
        """The sha256 of the profile: detects changed counts, columns, extreme ids and files, not values swapped within a cell."""
        return fingerprint({**self.as_json(), "files": [list(f[:3]) for f in self.files]})


@dataclass(frozen=True, slots=True)
class SameCounts:
    """A profile that is equal to any other with the same counts."""

    digest: bytes
    profile: Profile = field(compare=False, repr=False)
