"""Precision by country and by block of days on the fraud stream: one draw for all slices, and one for the whole table read by slice."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import duckdb
import numpy as np

import fewlabels
from benchmarks.drift_page import Held, Sliced
from benchmarks.fraud import BLOCK, MODELS, Table
from fewlabels.designs.base import takes_of
from fewlabels.engines.opening import open_engine
from fewlabels.estimators.grouping import fill_empty
from fewlabels.estimators.measuring import Measured, measure
from fewlabels.nouns.arrays import IntArray
from fewlabels.nouns.design import Design
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.estimate import IntervalKind
from fewlabels.nouns.goal import parse_goal
from fewlabels.nouns.metric import Metric
from fewlabels.nouns.metrics import PRECISION
from fewlabels.nouns.profile import Profile
from fewlabels.nouns.tally import Tally
from fewlabels.planning.goal_scope import Ask, ask_of, expand
from fewlabels.planning.shared_draw import design_together
from fewlabels.planning.simulated_draws import groups_for
from fewlabels.planning.sizing import labels_needed
from fewlabels.planning.together import labels_for_all, needs_together
from fewlabels.randomness import stream
from fewlabels.study.simulate import replicate_cells, true_value

SLICES = ("country", "block")
KINDS: tuple[IntervalKind, ...] = ("rec", "wald")
IN_SLICES = 1  # the purpose of the streams below


class Bench(NamedTuple):
    """One model's profile in slices, and the positives of its cells."""

    model: str
    profile: Profile
    positives: IntArray


def benches(table: Table, names: Sequence[str], scratch: Path) -> Iterator[Bench]:
    """Each model on the stream, read as a study reads a table."""
    c = table.columns
    path = scratch / "stream.parquet"
    with duckdb.connect() as connection:
        told = {
            "id": np.arange(c["y"].size),
            "y": c["y"],
            "country": np.asarray(names)[c["country"].astype(int)],
            "block": c["day"] // BLOCK,
        }
        connection.register("t", {**told, **{f"score_{m}": c[f"score_{m}"] for m in MODELS}})
        connection.execute(f"copy (select * from t) to '{path}' (format parquet)")
    for model in MODELS:
        judged = fewlabels.Classifier(model, score=f"score_{model}", threshold=table.threshold[model])
        engine = open_engine(fewlabels.read_population(path, id="id", classifiers=[judged], slices=list(SLICES)))
        profile = engine.profile()
        yield Bench(model, profile, engine.positives(profile, truth="y"))


def in_slices(at: Bench, text: str, *, reps: int, seed: int, planned: bool = True) -> Iterator[Sliced]:
    """Every slice of a goal "by COLUMN", in one draw made for all of them, or in one made for the whole table."""
    goal = parse_goal(text)
    asks = [ask_of(at.profile, g, slices=SLICES) for g in expand(at.profile, [goal], slices=SLICES)]
    whole = [ask_of(at.profile, parse_goal(f"{goal.metric} +-{goal.value:g}"), slices=SLICES)]
    served = asks if planned else whole
    alone = [labels_needed(ask) or ask.frame for ask in served]
    needs = needs_together(at.profile, served, alone, slices=SLICES)
    labels = labels_for_all(at.profile, served, needs, slices=SLICES) or 0
    design = design_together(at.profile, served, needs, labels=labels, choice=Design(), slices=SLICES)
    labels = min(labels, design.frame)
    rng = stream(seed, IN_SLICES, MODELS.index(at.model), len(text), int(planned))
    for ask, tally in zip(asks, counted(at, design, asks, labels=labels, reps=reps, rng=rng), strict=True):
        truth = true_value(ask.part, at.positives[ask.cells], ask.metric)
        found, plain = (read(PRECISION, tally, interval) for interval in KINDS)
        used = float(tally.labels.mean())
        yield Sliced(
            model=at.model, goal=str(ask.goal), planned=planned, labels=labels, frame=ask.frame, used=used, truth=truth,
            rec=held(found, truth), wald=held(plain, truth), reps=reps,
        )  # fmt: skip


def held(found: Measured, truth: float) -> Held:
    """Replicates that hold the truth, and the mean half-width."""
    return Held(int(((found.low <= truth) & (truth <= found.high)).sum()), float(np.mean((found.high - found.low) / 2)))


def counted(at: Bench, design: DrawDesign, asks: Sequence[Ask], *, labels: int, reps: int, rng: np.random.Generator) -> list[Tally]:
    """What each ask counts in the same draws: of every band so many units at random, whatever their slice."""
    n, k = replicate_cells(design, at.profile.count, at.positives, labels=labels, reps=reps, rng=rng)
    each = [groups_for(ask, design, take=takes_of(design, labels)) for ask in asks]
    return [g.tally(g.summed(n[:, ask.cells]), g.summed(k[:, ask.cells])) for ask, g in zip(asks, each, strict=True)]


def read(metric: Metric, tally: Tally, interval: IntervalKind) -> Measured:
    """The metric in every replicate; where a group came without a label it joins its neighbor, as in a study."""
    if (tally.n > 0).all():
        return measure(metric, tally, tail=0.025, interval=interval)
    each = [measure(metric, fill_empty(tally.one(r)), tail=0.025, interval=interval) for r in range(len(tally.n))]
    return Measured(*(np.stack(parts) for parts in zip(*each, strict=True)))
