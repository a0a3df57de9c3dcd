"""Figures 5 and 6 of Yilmaz et al. 2021: micro and macro F1 of six labels.

Theirs: 600 tweets with 125 positives of six kinds of toxic comment. Ours: 600 texts of goemotions6 with six labels. Naive Bayes both.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import duckdb
import numpy as np

from benchmarks.baseline_ratio import draws_for, regularized
from benchmarks.baselines import Floats
from benchmarks.papers.rows import Row
from benchmarks.papers.sampling_figures import DOCUMENT, WAYS
from fewlabels.designs.base import water_fill
from fewlabels.randomness import stream

UNITS = 600
PARTS = (0.1, 0.25, 0.5, 0.75)


class Joint(NamedTuple):
    """Score, decision and truth by unit and label."""

    score: Floats
    d: Floats
    y: Floats


def read_joint(data: Path, rng: np.random.Generator) -> Joint:
    """Six hundred texts, drawn evenly."""
    about = json.loads((data / "manifest.json").read_text())["goemotions6"]
    names = about["labels"]
    columns = ", ".join(f"y_{name}, score_{name}_nb" for name in names)
    with duckdb.connect() as reader:
        found = reader.execute(f"select {columns} from '{data / 'goemotions6.parquet'}'").fetchnumpy()
    cut = [about["metrics"][name]["models"]["nb"]["threshold"] for name in names]
    score = np.stack([np.asarray(found[f"score_{name}_nb"], dtype=np.float64) for name in names], axis=1)
    y = np.stack([np.asarray(found[f"y_{name}"], dtype=np.float64) for name in names], axis=1)
    rows = rng.choice(y.shape[0], UNITS, replace=False)
    return Joint(score[rows], (score[rows] >= np.array(cut, dtype=np.float32)).astype(np.float64), y[rows])


def micro(tp: Floats, fp: Floats, fn: Floats) -> Floats:
    """F1 of all labels together."""
    a = tp.sum(-1)
    return np.asarray(2 * a / np.maximum(2 * a + fp.sum(-1) + fn.sum(-1), 1e-12))


def macro(tp: Floats, fp: Floats, fn: Floats) -> Floats:
    """Their eq. 110: of the mean precision and the mean recall."""
    precision = (tp / np.maximum(tp + fp, 1e-12)).mean(-1)
    recall = (tp / np.maximum(tp + fn, 1e-12)).mean(-1)
    return np.asarray(2 * precision * recall / np.maximum(precision + recall, 1e-12))


METRICS = {"micro": micro, "macro": macro}


def expected(of: Joint) -> tuple[Floats, Floats, Floats]:
    """Chances of a true positive, a false positive and a false negative, by unit and label."""
    p = regularized(of.score)
    return p * of.d, (1 - p) * of.d, p * (1 - of.d)


def deviations(of: Joint, metric: str) -> Floats:
    """Deviation h of every unit, by the slopes of the metric at the expected counts: eqs. 95 to 97 for micro, eq. 119 for macro."""
    chances = expected(of)
    at = [part.sum(0) for part in chances]
    slopes = []
    for i in range(3):
        slope = np.empty(of.score.shape[1])
        for c in range(slope.size):
            step = max(1e-4 * at[i][c], 1e-6)
            moved = [[a + (s * step * (np.arange(slope.size) == c) if j == i else 0) for j, a in enumerate(at)] for s in (1, -1)]
            slope[c] = (METRICS[metric](*moved[0]) - METRICS[metric](*moved[1])) / (2 * step)
        slopes.append(slope)
    if metric == "macro":  # as printed: without what the labels of a unit share
        return np.asarray(np.sqrt(np.maximum(sum((part * slope**2).sum(1) for part, slope in zip(chances, slopes, strict=True)), 1e-18)))
    mean = sum(part * slope for part, slope in zip(chances, slopes, strict=True))
    square = sum(part * slope**2 for part, slope in zip(chances, slopes, strict=True))
    total = np.asarray(mean).sum(1)
    return np.asarray(np.sqrt(np.maximum((np.asarray(square) - np.asarray(mean) ** 2).sum(1) + total**2, 1e-18)))


def estimates(of: Joint, way: str, drawn_for: str, *, labels: int, reps: int, rng: np.random.Generator) -> dict[str, Floats]:
    """Micro and macro F1 of every replicate."""
    cells = [of.d * of.y, of.d * (1 - of.y), (1 - of.d) * of.y]
    h = deviations(of, drawn_for) if way != "uniform" else np.ones(UNITS)
    if way == "bernoulli":
        b = water_fill(h, np.ones(UNITS), labels)
        weight = (rng.random((reps, UNITS)) < b) / b
    else:
        q = h / h.sum()
        weight = rng.multinomial(draws_for(q, labels), q, size=reps) / q
    sums = [weight @ cell for cell in cells]
    return {name: metric(*sums) for name, metric in METRICS.items()}


def rows(data: Path, *, reps: int, seed: int) -> Iterator[Row]:
    """Figures 5 and 6."""
    of = read_joint(data, stream(seed, 35))
    truth = {
        name: float(metric(*(c.sum(0) for c in (of.d * of.y, of.d * (1 - of.y), (1 - of.d) * of.y)))) for name, metric in METRICS.items()
    }
    error: dict[tuple[str, str, float, str], float] = {}
    for w, way in enumerate(WAYS):
        for i, part in enumerate(PARTS):
            for j, drawn_for in enumerate(METRICS):
                found = estimates(of, way, drawn_for, labels=round(part * UNITS), reps=reps, rng=stream(seed, 36, w, i, j))
                for name, values in found.items():
                    error[way, drawn_for, part, name] = float(np.abs(values - truth[name]).mean())
    ours = "; ".join(f"{part:.0%}: " + ", ".join(f"{error[way, 'micro', part, 'micro']:.4f}" for way in WAYS) for part in PARTS)
    positives = int(of.y.sum())
    why = f"600 texts of goemotions6 with {positives} positives in place of 600 comments with 125; the figure itself is not in the text"
    yield Row(
        DOCUMENT, "Figure 5 (micro F1 of six labels)", "in part", "Bernoulli pulls ahead of importance at small parts of the units",
        f"mean absolute error, uniform, importance, Bernoulli: {ours}", why, "several labels of a unit, with an interval",
    )  # fmt: skip
    told = "; ".join(
        f"{part:.0%}: micro {error['bernoulli', 'micro', part, 'micro']:.4f} and {error['bernoulli', 'macro', part, 'micro']:.4f}, macro "
        f"{error['bernoulli', 'micro', part, 'macro']:.4f} and {error['bernoulli', 'macro', part, 'macro']:.4f}"
        for part in PARTS
    )
    yield Row(
        DOCUMENT, "Figure 6 (micro and macro F1, Bernoulli)", "in part", "drawn for micro (first row) and for macro (second row)",
        f"mean absolute error drawn for micro and for macro: {told}", why,
    )  # fmt: skip
