"""How many of another method's labels `bands` needs for the same mean squared error, on prediction tables with known truth.

    python -m benchmarks.against --data FOLDER --reps 2000 --seed 42 --out docs/against.md        (make against DATA=FOLDER)

share = mean squared error of bands / mean squared error of the other, both at the same number of labels. Errors shrink as one over the
labels, so the share is also the part of the other's labels that bands needs. F1 against four methods, precision against one; the
methods are in benchmarks.baselines. The error of bands is that of `fewlabels.simulate`, drawn again here from the same stream to know its
Monte-Carlo error.
"""

import json
import math
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import numpy as np

import fewlabels
from benchmarks.against_page import page
from benchmarks.baseline_online import online
from benchmarks.baseline_ratio import deviations, importance, poisson, poisson_f1
from benchmarks.baselines import Floats, Judged, guesses, simple, true_shares, two_bin
from benchmarks.options import read_options
from benchmarks.tables import Bench, load
from fewlabels.designs.base import water_fill
from fewlabels.engines.opening import open_engine
from fewlabels.estimators.grouping import groups_of
from fewlabels.estimators.measuring import measure
from fewlabels.nouns.metrics import metric_named
from fewlabels.planning.design_choice import choose_design
from fewlabels.randomness import stream
from fewlabels.study.simulate import SimulatedCell, replicate

TABLES = (
    ("mnist8", "mlp"),
    ("mnist8", "nb"),
    ("hate_tweets", "lr"),
    ("fraud_sample", "gbm"),
    ("fraud_sample", "rules"),
    ("news20_sci_space", "lr"),
    ("news20_talk_religion_misc", "hgb"),
    ("news20_rec_autos", "nb"),
    ("news20_sci_electronics", "lr"),
)
LABELS = (200, 500, 1_000)
UNDEFINED = 0.5  # what an estimate that is not defined is scored as: the middle of the range of a share


class Place(NamedTuple):
    """Where and how often a method is tried."""

    units: Judged
    threshold: float
    labels: int
    reps: int
    rng: np.random.Generator


Method = Callable[[Place], Floats]


def _exact_poisson(at: Place) -> Floats:
    b = water_fill(deviations(at.units), np.ones(at.units.y.size), at.labels)
    return poisson_f1(at.units, b, reps=at.reps, rng=at.rng)


def _two_bin(at: Place, *, told: bool) -> Floats:
    guess = true_shares(at.units) if told else guesses(at.units)
    return two_bin(at.units, threshold=at.threshold, labels=at.labels, guess=guess, reps=at.reps, rng=at.rng)


def _importance(at: Place, *, free_repeats: bool) -> Floats:
    return importance(at.units, labels=at.labels, reps=at.reps, rng=at.rng, free_repeats=free_repeats)


def _online(at: Place, *, free_repeats: bool = True, smoothed: bool = True) -> Floats:
    return online(at.units, labels=at.labels, reps=at.reps, rng=at.rng, free_repeats=free_repeats, smoothed=smoothed)


# In this order: a method's place is part of its stream, so new ones go to the end.
METHODS: dict[str, tuple[str, Method]] = {
    "simple": ("f1", lambda at: simple(at.units, labels=at.labels, reps=at.reps, rng=at.rng)),
    "two-bin": ("f1", lambda at: _two_bin(at, told=False)),
    "poisson": ("f1", lambda at: poisson(at.units, labels=at.labels, reps=at.reps, rng=at.rng)),
    "importance": ("f1", lambda at: _importance(at, free_repeats=True)),
    "online": ("precision", lambda at: _online(at)),
    "two-bin, told the true shares": ("f1", lambda at: _two_bin(at, told=True)),
    "poisson, exact filling": ("f1", _exact_poisson),
    "importance, every draw paid": ("f1", lambda at: _importance(at, free_repeats=False)),
    "online, every draw paid": ("precision", lambda at: _online(at, free_repeats=False)),
    "online, not smoothed": ("precision", lambda at: _online(at, smoothed=False)),
}


class Error(NamedTuple):
    """Mean squared error, the Monte-Carlo standard error of its logarithm, and the bias."""

    mse: float
    log_se: float
    bias: float
    undefined: int

    @classmethod
    def of(cls, values: Floats, truth: float) -> "Error":
        """From the estimates of all replicates; one that is not defined counts as one half."""
        defined = np.isfinite(values)
        gap = np.where(defined, values, UNDEFINED) - truth
        squares = gap**2
        mse = float(squares.mean())
        return cls(mse, float(squares.std(ddof=1) / math.sqrt(gap.size) / mse), float(gap.mean()), int((~defined).sum()))


def read_units(bench: Bench) -> tuple[Judged, float]:
    """Every unit of a table with its score, decision and truth, and the threshold."""
    threshold = bench.population.classifiers[0].threshold
    assert threshold is not None
    with duckdb.connect() as reader:
        columns = reader.execute(f"select y, score_{bench.model} as s from '{bench.population.source}'").fetchnumpy()
    s = np.asarray(columns["s"], dtype=np.float32)
    return Judged(s.astype(np.float64), s >= np.float32(threshold), np.asarray(columns["y"]) == 1), threshold


def bands_again(bench: Bench, cell: SimulatedCell, *, seed: int) -> Error:
    """The error of a cell of `fewlabels.simulate`, drawn again from its stream: the same mean squared error, and how sure it is."""
    engine, metric = open_engine(bench.population), metric_named(cell.metric)
    profile = engine.profile()
    design = choose_design(profile, [metric], labels=cell.labels)
    positives = engine.positives(profile, truth=bench.truth)
    rng = stream(seed, 0, 0, cell.labels, 0)
    tally = replicate(groups_of(profile, design), design, positives, labels=cell.labels_used, reps=cell.reps, rng=rng)
    assert cell.truth is not None
    assert cell.rmse is not None
    found = Error.of(measure(metric, tally, tail=0.025).value, cell.truth)
    assert math.isclose(found.mse, cell.rmse**2, rel_tol=1e-9), "fewlabels.simulate draws from other streams than this benchmark believes"
    return found


def row(name: str, cell: SimulatedCell, ours: Error, theirs: Error) -> dict[str, Any]:
    """One method in one cell, as it is written to the file."""
    return {
        "method": name,
        "metric": cell.metric,
        "labels": cell.labels,
        "reps": cell.reps,
        "truth": cell.truth,
        "bands_rmse": math.sqrt(ours.mse),
        "bands_coverage": cell.coverage,
        "bands_bias": ours.bias,
        "bands_undefined": ours.undefined,
        "rmse": math.sqrt(theirs.mse),
        "bias": theirs.bias,
        "undefined": theirs.undefined,
        "share": ours.mse / theirs.mse,
        "log_se": math.hypot(ours.log_se, theirs.log_se),
    }


def compare(bench: Bench, number: int, *, reps: int, seed: int) -> Iterator[dict[str, Any]]:
    """All methods on one table; `number` is its place in TABLES. Precision needs fewer labels than flagged units."""
    units, threshold = read_units(bench)
    for metric, fits in (("f1", LABELS), ("precision", tuple(n for n in LABELS if n < units.N1))):
        cells = fewlabels.simulate(
            bench.population, truth=bench.truth, metrics=(metric,), labels=fits, designs=("bands",), reps=reps, seed=seed
        )
        for cell in cells:
            ours = bands_again(bench, cell, seed=seed)
            truth = {"f1": units.f1, "precision": units.precision}[metric]
            for m, (name, (judges, method)) in enumerate(METHODS.items()):
                if judges == metric:
                    at = Place(units, threshold, cell.labels, reps, stream(seed, 1, m, number, cell.labels))
                    theirs = Error.of(method(at), truth)
                    yield {"table": bench.name, "flagged": units.N1, **row(name, cell, ours, theirs)}


def main() -> None:
    """Runs every comparison, writes the page and, beside it, the rows as JSON."""
    options = read_options(__doc__, reps=2_000)
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as scratch:
        for number, (table, model) in enumerate(TABLES):
            bench = load(options.data, table, model, mode="real", seed=options.seed, scratch=Path(scratch))
            found = list(compare(bench, number, reps=options.reps, seed=options.seed))
            rows += found
            print(bench.name, *(f"{r['method']}@{r['labels']} {r['share']:.3f}" for r in found), sep="\n  ", flush=True)
    options.out.write_text(page(rows, reps=options.reps, seed=options.seed))
    lines = ",\n".join(json.dumps(r) for r in rows)
    options.out.with_suffix(".json").write_text(f'{{"seed": {options.seed}, "reps": {options.reps}, "rows": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    main()
