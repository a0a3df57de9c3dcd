"""A stream of card fraud: precision by slice, its change between periods, and how soon an alarm finds the drift.

python -m benchmarks.drift --data FOLDER --seed 42 --out docs/drift.md

FOLDER holds make_fraud.py, which makes the stream: 90 days, eight countries, one classifier (lr) whose features drift on day 45 and one
(gbm) whose do not.
"""

import tempfile
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import numpy as np

from benchmarks.by_slice import KINDS, SLICES, Bench, benches, held, in_slices
from benchmarks.drift_page import Changed, Rung, Sliced, page
from benchmarks.fraud import DAYS, DRIFT_DAY, MODELS, N, Table, fraud, load_maker, lr_precision
from benchmarks.made import Known
from benchmarks.options import read_options
from benchmarks.weeks import Both, Period, Units, draw_both, pooled_truth, two_weeks
from fewlabels.deciding.alarms import Alarm, Promise, set_alarm, watch
from fewlabels.estimators.grouping import groups_of
from fewlabels.estimators.measuring import Measured, measure
from fewlabels.estimators.periods import change, window
from fewlabels.nouns.arrays import FloatArray, IntArray
from fewlabels.nouns.estimate import IntervalKind
from fewlabels.nouns.metric import Metric
from fewlabels.nouns.metrics import PRECISION, metric_named
from fewlabels.planning.design_choice import choose_design
from fewlabels.randomness import stream
from fewlabels.study.simulate import replicate

STEP = 5  # days of a period
CHANGING, RINGING = 2, 3  # purposes of the streams below
TWINS: dict[str, tuple[IntervalKind, float]] = {  # a one-sided test of every period on its own
    "Wald test, 5 %": ("wald", 0.05),
    "REC bound, 5 %": ("rec", 0.05),
    "REC bound, 5 % / 18": ("rec", 0.05 * STEP / DAYS),
}


# ---------------------------------------------------------------- change and window


def months(table: Table, model: str, first: range, second: range) -> Units:
    """Two stretches of days of the stream; units in both come again."""
    day, score = table.columns["day"], table.columns[f"score_{model}"].astype(np.float64)
    members = [(day >= d.start) & (day < d.stop) for d in (first, second)]
    kept = members[0] | members[1]
    y = table.columns["y"][kept] == 1
    return Units(y, (members[0][kept], members[1][kept]), (score[kept], score[kept]), table.threshold[model])


class Pair(NamedTuple):
    """Two periods, and what is asked of them."""

    name: str
    units: Units
    metrics: tuple[str, ...]
    labels: tuple[int, ...]


def pairs(table: Table, seed: int) -> Iterator[Pair]:
    """What changes are measured on: the stream, and made-up weeks with rare classes whose units partly come again."""
    for model in MODELS:
        apart = months(table, model, range(30, 45), range(45, 60))
        half = months(table, model, range(15, 45), range(30, 60))
        yield Pair(f"{model}, days 30-44 and 45-59", apart, ("precision",), (100,))
        yield Pair(f"{model}, days 15-44 and 30-59", half, ("precision", "f1"), (300,))
    made = {"1 % positive": (0.01, 3.0, False), "errors rare": (0.2, 4.2, False), "those that come again are unlike": (0.3, 1.5, True)}
    asked = ("precision", "recall", "f1")
    for i, (name, (share, separation, odd)) in enumerate(made.items()):
        for again in (0.5, 0.9):
            rng = stream(seed, CHANGING, i, round(10 * again))
            units = two_weeks(rng, share=share, separation=separation, again=again, odd=odd)
            yield Pair(f"made up: {name}, {again:.0%} come again", units, asked[1:] if share < 0.1 else asked, (200,))


def changes(table: Table, *, reps: int, seed: int) -> Iterator[Changed]:
    """The change of every metric between every pair of periods, and the window of both."""
    for p, pair in enumerate(pairs(table, seed)):
        for m, metric in enumerate(pair.metrics):
            for labels in pair.labels:
                yield changed(pair.name, pair.units, metric, labels, reps=reps, rng=stream(seed, CHANGING, 9, p, m, labels))


def changed(name: str, units: Units, metric: str, labels: int, *, reps: int, rng: np.random.Generator) -> Changed:
    """One metric, one number of labels a period."""
    judged = metric_named(metric)
    before, after = (Period(units, which, judged, labels) for which in (0, 1))
    both = draw_both(before, after, units=units.y.size, reps=reps, rng=rng)
    truth, whole = after.truth - before.truth, pooled_truth(judged, before, after)
    shared = both.shared if both.shared.before.size else None
    rec, wald = (change(judged, both.before, both.after, shared, tail=0.025, interval=kind) for kind in KINDS)
    apart = change(judged, both.before, both.after, None, tail=0.025)
    one, twin = (pooled(judged, both, kind) for kind in KINDS)
    single = measure(judged, both.after, tail=0.025)
    return Changed(
        name=name, metric=metric, labels=int(both.after.labels.mean()), reps=reps, before=before.truth, after=after.truth,
        shared=float(both.shared.n.sum(axis=-1).mean()) if shared else 0.0,
        change=held(rec, truth), wald=held(wald, truth), apart=held(apart, truth),
        pooled=held(one, whole), pooled_wald=held(twin, whole), single=held(single, after.truth),
    )  # fmt: skip


def pooled(metric: Metric, both: Both, interval: IntervalKind) -> Measured:
    """The window of both periods in every replicate, read one by one as a study reads it."""
    each = [
        measure(metric, window([both.left.counted(n1, k1), both.after.counted(n2, k2)]), tail=0.025, interval=interval)
        for n1, k1, n2, k2 in zip(both.left.n, both.left.k, both.after.n, both.after.k, strict=True)
    ]
    return Measured(*(np.stack(parts) for parts in zip(*each, strict=True)))


# ---------------------------------------------------------------- alarms


class Ways(NamedTuple):
    """The period in which each way of watching first rings, 0 if never, by replicate."""

    ways: dict[str, IntArray]
    labels: FloatArray  # a period, on average


def alarms(floor: float) -> dict[str, Alarm]:
    """The alarms compared: P(ever) <= 5 %, 5 % within the 18 periods of the stream, and one false alarm in 18 periods on average."""
    steps = DAYS // STEP
    promised: tuple[tuple[str, Promise, float | None], ...] = (
        ("ever, 5 %", "ever", None),
        (f"run length {20 * steps}", "run length", 20.0 * steps),
        (f"run length {steps}", "run length", float(steps)),
    )
    return {name: set_alarm(PRECISION, floor=floor, promise=kind, run_length=length) for name, kind, length in promised}


def ringing(periods: Sequence[Known], *, floor: float, take: int, reps: int, rng: np.random.Generator) -> Ways:
    """All ways of watching, on the same draws of every period."""
    watching, used = alarms(floor), []
    twins = {way: np.zeros(reps, dtype=np.int64) for way in TWINS}
    for t, at in enumerate(periods, start=1):
        frame = int(at.profile.count[at.profile.predicted(0)].sum())
        labels = min(take, frame)
        design = choose_design(at.profile, [PRECISION], labels=labels)
        tally = replicate(groups_of(at.profile, design), design, at.positives, labels=labels, reps=reps, rng=rng)
        watching = {name: watch(alarm, tally) for name, alarm in watching.items()}
        for way, rang in twins.items():
            kind, tail = TWINS[way]
            rang[(measure(PRECISION, tally, tail=tail, interval=kind).high < floor) & (rang == 0)] = t
        used.append(labels)
    return Ways({name: alarm.rang for name, alarm in watching.items()} | twins, np.array(used, dtype=np.float64))


def found(table: Table, model: str, *, floor: float, take: int, reps: int, seed: int) -> Iterator[Rung]:
    """How soon each way rings on the stream as it is, over draws."""
    periods = [table.period(model, range(d, d + STEP)) for d in range(0, DAYS, STEP)]
    at = ringing(periods, floor=floor, take=take, reps=reps, rng=stream(seed, RINGING, MODELS.index(model), take, round(1000 * floor)))
    first = (DRIFT_DAY if model == "lr" else DAYS) // STEP
    for way, rang in at.ways.items():
        late = rang[(rang == 0) | (rang > first)]
        after = np.concatenate([[0.0], np.cumsum(at.labels[first:])])
        spent = np.where(late > first, after[np.maximum(late - first, 0)], np.inf)
        early, late_rings = int(((rang > 0) & (rang <= first)).sum()), int((rang > first).sum())
        half, most = (_quantile(spent, q) if model == "lr" else np.nan for q in (0.5, 0.9))
        yield Rung(f"{model}, the stream", way, floor, take, reps, early, late_rings, half, most)


def _quantile(spent: FloatArray, q: float) -> float:
    """The smallest number of labels that is enough in a share q of the replicates; infinite if none is."""
    return float(np.sort(spent)[max(0, int(np.ceil(q * spent.size)) - 1)]) if spent.size else float("nan")


def still(maker: ModuleType, *, floors: Sequence[float], takes: Sequence[int], populations: int, draws: int, seed: int) -> Iterator[Rung]:
    """How often each way rings on streams without drift: fresh populations of lr, several draws of each."""
    rang: dict[tuple[float, int, str], list[IntArray]] = {}
    for p in range(populations):
        table = fraud(maker, units=N, seed=seed * 1000 + p, drifts=False)
        periods = [table.period("lr", range(d, d + STEP)) for d in range(0, DAYS, STEP)]
        for floor, take in product(floors, takes):
            at = ringing(periods, floor=floor, take=take, reps=draws, rng=stream(seed, RINGING, 5, p, take, round(1000 * floor)))
            for way, when in at.ways.items():
                rang.setdefault((floor, take, way), []).append(when)
    for (floor, take, way), each in rang.items():
        rings = int((np.concatenate(each) > 0).sum())
        yield Rung("lr without drift, fresh streams", way, floor, take, populations * draws, rings, 0, np.nan, np.nan)


def all_slices(at: Bench, *, reps: int, seed: int) -> Iterator[Sliced]:
    """Draws planned for every slice of a column, and one for the whole table that is only read by country."""
    for column, half_width in product(SLICES, (0.05, 0.1)):
        yield from in_slices(at, f"precision +-{half_width} by {column}", reps=reps, seed=seed)
    yield from in_slices(at, "precision +-0.03 by country", reps=reps, seed=seed, planned=False)


def all_alarms(maker: ModuleType, table: Table, *, reps: int, seed: int) -> Iterator[Rung]:
    """The drift found, and alarms where nothing drifts."""
    for floor, take in ((0.48, 100), (0.5, 60), (0.5, 100)):
        yield from found(table, "lr", floor=floor, take=take, reps=reps, seed=seed)
    yield from found(table, "gbm", floor=0.62, take=60, reps=reps, seed=seed)
    usual = round(lr_precision(maker), 4)
    yield from still(maker, floors=(0.5, usual), takes=(60, 100), populations=50, draws=reps // 50, seed=seed)


def main() -> None:
    """Runs everything and writes the page."""
    options = read_options(__doc__, reps=1_000)
    maker, reps, seed = load_maker(options.data), options.reps, options.seed
    table = fraud(maker, units=N, seed=2024)
    with tempfile.TemporaryDirectory() as scratch:
        at = list(benches(table, maker.COUNTRY, Path(scratch)))
    usual = lr_precision(maker)
    slices = [row for b in at for row in all_slices(b, reps=reps, seed=seed)]
    moved = list(changes(table, reps=reps, seed=seed))
    rung = list(all_alarms(maker, table, reps=reps, seed=seed))
    options.out.write_text(page(slices, moved, rung, usual=usual, reps=reps, seed=seed))


if __name__ == "__main__":
    main()
