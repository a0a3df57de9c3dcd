"""Samples drawn elsewhere, made up: tables as somebody else would hand them over, and the tally that is read from one."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from fewlabels.engines.opening import open_engine
from fewlabels.estimators.grouping import fill_empty, groups_of
from fewlabels.estimators.sizes import of_sample, sampled_tally
from fewlabels.nouns.arrays import BoolArray, FloatArray, IntArray
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.tally import Tally
from fewlabels.study.population.read import read_population
from fewlabels.study.population.sample import elsewhere_of, read_sample

COLUMNS = {"answer": "answer", "probability": "probability"}
STRATA = {**COLUMNS, "stratum": "stratum", "size": "stratum_size"}


def stratified(
    rng: np.random.Generator, stratum: IntArray, take: IntArray, flagged: BoolArray, positive: BoolArray
) -> Mapping[str, Any]:  # fmt: skip
    """A simple random sample of `take[h]` units of each stratum."""
    rows = np.concatenate([rng.choice(np.flatnonzero(stratum == h), n, replace=False) for h, n in enumerate(take.tolist())])
    size = np.bincount(stratum)
    h = stratum[rows]
    return _table(rows, flagged, positive, (take / size)[h]) | {"stratum": h, "stratum_size": size[h]}


def one_by_one(rng: np.random.Generator, pi: FloatArray, flagged: BoolArray, positive: BoolArray) -> Mapping[str, Any]:
    """Each unit with its own probability, independently."""
    rows = np.flatnonzero(rng.random(pi.size) < pi)
    return _table(rows, flagged, positive, pi[rows])


def _table(rows: IntArray, flagged: BoolArray, positive: BoolArray, pi: FloatArray) -> dict[str, Any]:
    return {
        "id": [f"u{i}" for i in rows.tolist()],
        "flag": flagged[rows],
        "answer": positive[rows].astype(np.int64),
        "probability": pi,
    }


def tally_of(table: Mapping[str, Any]) -> Tally:
    """The tally of a sample, as a study reads it."""
    engine = open_engine(read_population(table, predicted="flag"))
    sample, profile = read_sample(engine, STRATA if "stratum" in table else COLUMNS)
    units = sample.units
    cell = profile.cells(units.pattern, units.guide_bin, units.slice)
    band = np.zeros(profile.count.size, dtype=np.int64)
    band[cell] = units.band
    N = np.bincount(band, weights=profile.count).astype(np.int64) if sample.size is None else sample.size
    take = np.bincount(units.band)
    design = DrawDesign(name="elsewhere", band=band, N=N, mass=take.astype(np.float64), smallest=1)
    groups = of_sample(groups_of(profile, design, take=take), how := elsewhere_of(sample))
    y = np.array([text == "1" for text in sample.answer], dtype=np.float64)
    return fill_empty(sampled_tally(groups, how, cell=cell, y=y))


def known(tally: Tally) -> Tally:
    """The twin: the same, its sizes taken as known."""
    return replace(tally, sizes=None)
