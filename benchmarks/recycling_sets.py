"""Sets of classifiers with known truth: three and their vote on real tables, five and ten and their vote made up from a seed."""

import json
from pathlib import Path
from typing import NamedTuple

import duckdb
import numpy as np
from numpy.typing import NDArray

from benchmarks.recycling_baseline import Cells
from fewlabels.nouns.arrays import BoolArray, FloatArray, IntArray

TABLES = {"mnist8": ("mlp", "lr", "nb"), "hate_tweets": ("lr", "hgb", "nb"), "fraud_sample": ("gbm", "lr", "rules")}
UNITS, PREVALENCE = 200_000, 0.05
BINS = 20  # of the guide inside a pattern


class ClassifierSet(NamedTuple):
    """Units somebody flags: which classifiers flag them (the vote last), their truth, and the scores where there are any."""

    name: str
    names: tuple[str, ...]
    flags: BoolArray  # (units, k)
    y: BoolArray
    scores: FloatArray  # (units, models)

    @property
    def pattern(self) -> IntArray:
        """Number of each unit's decision pattern, and of all patterns from 0."""
        code = self.flags.astype(np.int64) @ (1 << np.arange(self.flags.shape[1]))
        return np.asarray(np.unique(code, return_inverse=True)[1])

    @property
    def claim(self) -> FloatArray:
        """Mean log-odds of each unit's scores: a guide nobody had to label for."""
        s = np.clip(self.scores, 1e-4, 1 - 1e-4)
        return np.asarray(np.log(s / (1 - s)).mean(1))

    @property
    def cell(self) -> IntArray:
        """Pattern and, inside it, up to twenty parts by claim of at least fifty units each."""
        pattern, claim = self.pattern, self.claim
        key = np.zeros(pattern.size, dtype=np.int64)
        for s in range(pattern.max() + 1):
            mine = np.flatnonzero(pattern == s)
            parts = int(np.clip(mine.size // 50, 1, BINS))
            key[mine[np.argsort(claim[mine], kind="stable")]] = s * BINS + np.arange(mine.size) * parts // mine.size
        return np.asarray(np.unique(key, return_inverse=True)[1])

    def cells(self, cell: IntArray) -> Cells:
        """Units counted by cell."""
        first = np.unique(cell, return_index=True)[1]
        positives = np.bincount(cell, weights=self.y).astype(np.int64)
        return Cells(self.flags[first], np.bincount(cell).astype(np.int64), positives)


def flagged_by_someone(name: str, names: tuple[str, ...], *, flags: BoolArray, y: BoolArray, scores: FloatArray) -> ClassifierSet:
    """The set with the vote of the majority added, without the units nobody flags."""
    vote = flags.sum(1) * 2 > flags.shape[1]
    flags = np.column_stack([flags, vote])
    some = flags.any(1)
    return ClassifierSet(name, (*names, "vote"), flags[some], y[some], scores[some])


def real_set(folder: Path, table: str) -> ClassifierSet:
    """Three models of a table and their vote."""
    models = TABLES[table]
    thresholds = json.loads((folder / "manifest.json").read_text())[table]["thresholds"]
    columns = ", ".join(f"score_{m}" for m in models)
    with duckdb.connect() as reader:
        found = reader.execute(f"select y, {columns} from '{folder / table}.parquet'").fetchnumpy()
    scores = np.stack([np.asarray(found[f"score_{m}"], dtype=np.float32) for m in models], axis=1)
    flags = scores >= np.array([thresholds[m] for m in models], dtype=np.float32)
    return flagged_by_someone(table, models, flags=flags, y=np.asarray(found["y"]) > 0, scores=scores.astype(np.float64))


class Kind(NamedTuple):
    """Made-up classifiers: how far scores of positives lie above the others, and units flagged for each positive one."""

    name: str
    separation: tuple[float, float]
    flagged: tuple[float, float]


MIXED = Kind("mixed", (2.0, 3.2), (0.5, 1.25))  # precisions about 0.5 to 0.95
PRECISE = Kind("precise", (2.8, 3.6), (0.6, 1.0))  # about 0.8 to 0.98


def made_set(k: int, rho: float, *, kind: Kind, rng: np.random.Generator) -> ClassifierSet:
    """K classifiers whose scores have correlation rho given the truth, and their vote: 200,000 units, 5 % positive.

    score_c = d_c y + sqrt(rho) common + sqrt(1 - rho) own; the d_c and the shares flagged are even in the ranges of the kind.
    """
    y = rng.random(UNITS) < PREVALENCE
    common, own = rng.normal(size=UNITS), rng.normal(size=(UNITS, k))
    d, share = rng.uniform(*kind.separation, k), PREVALENCE * rng.uniform(*kind.flagged, k)
    scores = d * y[:, None] + np.sqrt(rho) * common[:, None] + np.sqrt(1 - rho) * own
    cut = np.array([np.quantile(scores[:, c], 1 - share[c]) for c in range(k)])
    names = tuple(f"c{c + 1}" for c in range(k))
    odds = np.log(PREVALENCE / (1 - PREVALENCE)) + d * scores - d**2 / 2
    return flagged_by_someone(f"{k} {kind.name}, rho {rho:g}", names, flags=scores >= cut, y=y, scores=_expit(odds))


def _expit(x: NDArray[np.float64]) -> FloatArray:
    return np.asarray(0.5 * (1 + np.tanh(0.5 * x)))
