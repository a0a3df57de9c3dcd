"""Alarms over a stream: false alarms where the metric is at the floor, how soon a fall is found, and ways of watching that must fail.

python -m benchmarks.streams --reps 2000 --seed 42 --out docs/streams.md
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from fewlabels.deciding.alarms import Promise
from fewlabels.deciding.streams import NOT_ASKED, Arrival, StreamAlarm, asking_probability, observe, paid, set_stream_alarm
from fewlabels.nouns.metrics import metric_named
from fewlabels.randomness import stream

Floats = NDArray[np.float64]
ERROR, LENGTH = 0.05, 1_000.0  # of the promises "ever" and "run length"
UNITS = 5_000  # of a path
FIRST_LOOK = 30  # labels before which nobody would look at a Wald bound
BEFORE, AFTER = 2_000, 4_000  # units of a path with a fall: before it, and at most after it


class Units(NamedTuple):
    """One unit of every path: what is predicted of it, and the true share of positives among units like it."""

    flagged: NDArray[np.bool_]
    guess: Floats
    share: Floats


Maker = Callable[[int, int, np.random.Generator], Units]  # of the unit's place in the stream and the number of paths


class Process(NamedTuple):
    """A process that makes units whose metric is exactly at the floor, or falls."""

    name: str
    metric: str
    floor: float
    make: Maker


def about(mean: Floats | float, rng: np.random.Generator, paths: int) -> Floats:
    """Chances of being positive, evenly spread about a mean as widely as they can be."""
    return np.asarray(mean + np.minimum(mean, 1 - np.asarray(mean)) * (2 * rng.random(paths) - 1))


def flagged_only(mean: float, guess: Callable[[Floats], Floats], *, fall: tuple[int, float] | None = None) -> Maker:
    """Flagged units whose chance of being positive varies about a mean; after `fall[0]` units about `fall[1]`."""

    def make(t: int, paths: int, rng: np.random.Generator) -> Units:
        share = about(mean if fall is None or t <= fall[0] else fall[1], rng, paths)
        known = share if fall is None or t <= fall[0] else about(mean, rng, paths)  # the guess does not know of the fall
        return Units(np.ones(paths, dtype=np.bool_), guess(known), share)

    return make


def both_sides(flag: float, right: float, missed: float) -> Maker:
    """A share `flag` of units is flagged, of which `right` are positive; of the others `missed`."""

    def make(t: int, paths: int, rng: np.random.Generator) -> Units:
        flagged = rng.random(paths) < flag
        share = about(np.where(flagged, right, missed), rng, paths)
        return Units(flagged, share, share)

    return make


def sinking(good: float, floor: float) -> Maker:
    """Better than the floor, and then at it for good: what was put on a fall meanwhile is lost."""
    early, late = flagged_only(good, np.asarray), flagged_only(floor, np.asarray)
    return lambda t, paths, rng: (early if t <= UNITS // 2 else late)(t, paths, rng)


PROCESSES = (
    Process("calibrated", "precision", 0.9, flagged_only(0.9, np.asarray)),
    Process("guess always 0.99", "precision", 0.9, flagged_only(0.9, lambda s: np.full(s.shape, 0.99))),
    Process("guess turned round", "precision", 0.9, flagged_only(0.9, lambda s: 1 - s)),
    Process("calibrated", "precision", 0.5, flagged_only(0.5, np.asarray)),
    Process("calibrated", "precision", 0.99, flagged_only(0.99, np.asarray)),
    Process("good, then at the floor", "precision", 0.9, sinking(0.96, 0.9)),
    Process("20 % flagged", "recall", 0.8, both_sides(0.2, 0.8, 0.05)),
    Process("20 % flagged", "f1", 0.8, both_sides(0.2, 0.8, 0.05)),
    Process("20 % flagged", "accuracy", 0.92, both_sides(0.2, 0.8, 0.05)),
)
RATES = (0.1, 1.0)


class Watched(NamedTuple):
    """Alarms after a number of units, and the first unit (0: none) at which two other ways of watching would have rung.

    wald       a Wald bound, looked at with every unit, excludes the floor
    restarts   the evidence of the last alarm reaches 1 / ERROR
    """

    alarms: tuple[StreamAlarm, ...]
    wald: NDArray[np.int64]
    restarts: NDArray[np.int64]


def watched(process: Process, alarms: Sequence[StreamAlarm], *, units: int, rng: np.random.Generator) -> Watched:
    """All alarms on the same paths of the same units; who is labeled is by the first of them."""
    paths = alarms[0].rang.size
    sums, wald, restarts = np.zeros((2, paths)), np.zeros(paths, dtype=np.int64), np.zeros(paths, dtype=np.int64)
    each = list(alarms)
    for t in range(1, units + 1):
        made = process.make(t, paths, rng)
        pi = asking_probability(each[0], flagged=made.flagged, guess=made.guess)
        y = (rng.random(paths) < made.share).astype(np.int64)
        unit = Arrival(made.flagged, made.guess, pi, np.where(rng.random(paths) < pi, y, NOT_ASKED))
        Z = paid(each[0], unit).Z
        sums += np.stack([Z, Z * Z])
        each = [observe(alarm, unit) for alarm in each]
        error = np.sqrt(np.maximum(sums[1] / t - (sums[0] / t) ** 2, 0.0) / t)
        below = (sums[0] / t + 1.645 * error < 0) & (each[0].labels >= FIRST_LOOK)
        wald = np.where(below & (wald == 0), t, wald)
        restarts = np.where((each[-1].evidence >= 1 / ERROR) & (restarts == 0), t, restarts)
    return Watched(tuple(each), wald, restarts)


def alarm_of(process: Process, promise: Promise, rate: float, paths: int, length: float | None = None) -> StreamAlarm:
    """An alarm for so many paths."""
    metric = metric_named(process.metric)
    return set_stream_alarm(metric, floor=process.floor, promise=promise, rate=rate, error=ERROR, run_length=length, paths=(paths,))


class Still(NamedTuple):
    """Paths that ring at the floor: the promise "ever", Wald's bound with every unit, and restarts that promise "ever"; and run lengths."""

    process: Process
    rate: float
    reps: int
    labeled: float
    ever: int
    wald: int
    restarts: int
    early: int  # paths on which the run-length alarm rings within a twentieth of its length
    run: float  # mean units until it rings, paths that have not counted as UNITS
    run_error: float
    still: float  # share of these


def still(process: Process, rate: float, *, reps: int, seed: tuple[int, ...]) -> Still:
    """False alarms of one process."""
    alarms = [alarm_of(process, "ever", rate, reps), alarm_of(process, "run length", rate, reps, LENGTH)]
    seen = watched(process, alarms, units=UNITS, rng=stream(*seed))
    ever, rang = seen.alarms[0], seen.alarms[1].rang
    run = np.where(rang > 0, rang, UNITS)
    return Still(
        *(process, rate, reps, float(ever.labels.mean() / UNITS)),
        ever=int(ever.has_rung.sum()),
        wald=int((seen.wald > 0).sum()),
        restarts=int((seen.restarts > 0).sum()),
        early=int(((rang > 0) & (rang <= LENGTH * ERROR)).sum()),
        run=float(run.mean()),
        run_error=float(run.std() / np.sqrt(reps)),
        still=float((rang == 0).mean()),
    )


class Fallen(NamedTuple):
    """A fall from `good` to `bad` after BEFORE units, floor 0.9."""

    bad: float
    rate: float
    promise: str
    reps: int
    early: int
    found: float
    half: float
    most: float
    labels: float


def fallen(bad: float, rate: float, *, reps: int, seed: tuple[int, ...]) -> Iterator[Fallen]:
    """How soon each promise finds it."""
    process = Process("falls", "precision", 0.9, flagged_only(0.95, np.asarray, fall=(BEFORE, bad)))
    alarms = [alarm_of(process, "ever", rate, reps)]
    alarms += [alarm_of(process, "run length", rate, reps, length) for length in (10_000.0, 100_000.0)]
    for alarm in watched(process, alarms, units=BEFORE + AFTER, rng=stream(*seed)).alarms:
        rang = alarm.rang[(alarm.rang == 0) | (alarm.rang > BEFORE)]
        waited = np.sort(np.where(rang > 0, rang - BEFORE, np.inf))
        half, most = (float(waited[int(np.ceil(q * waited.size)) - 1]) for q in (0.5, 0.9))
        share = float(alarm.labels.mean() / alarm.units)
        name = f"ever, {ERROR:.0%}" if alarm.promise == "ever" else f"run length {alarm.limit:,.0f}"
        yield Fallen(bad, rate, name, reps, reps - rang.size, float((rang > 0).mean()), half, most, half * share)


def most_false(reps: int, promised: float) -> int:
    """More false alarms than this come with probability below 1e-3 if the promise is kept."""
    return int(binom.ppf(1 - 1e-3, reps, promised))


EXPLAINED = f"""Units come one after another and are labeled with probabilities chosen before their labels are known
(`asking_probability`); *labeled*: the share that was. At the floor: processes whose metric is exactly the floor, where a false alarm is
most likely. *ever*: share of paths on which an alarm that promises {ERROR:.0%} rings within {UNITS:,} units. *Wald, every unit*: the twin
in which a one-sided bound at 5 % is looked at with every unit from {FIRST_LOOK} labels on. *restarts, "ever"*: the twin that sums restarted
bets, as the run length alarm does, and promises "ever". *run length*: mean units until an alarm of run length {LENGTH:,.0f} rings, with
its standard error; a path that has not rung after {UNITS:,} units counts as that many (*not rung*: their share), so the true mean is
larger. *early*: share that ring within {LENGTH * ERROR:,.0f} units, promised at most {ERROR:.0%}. A share is marked *too many* where it
would come with probability below 1e-3 if {ERROR:.0%} were true. How it is done: [maths](maths/streams.md).
"""
FALLING = f"""Precision is 0.95 for {BEFORE:,} flagged units and then falls, floor 0.9; the guess goes on as it was. *early*: rang before
the fall, when nothing was below the floor. Units after the fall until it rings, in half and in nine of ten of the other paths (a dash: not
within {AFTER:,}); *labels*: about how many of the first of these were labeled.
"""


def page(calm: Sequence[Still], falls: Sequence[Fallen], *, reps: int, seed: int) -> str:
    """docs/streams.md."""
    ways = [[getattr(r, way) for r in calm] for way in ("ever", "wald", "restarts")]
    marked = [sum(of > most_false(reps, ERROR) for of in each) for each in ways]
    shares = [f"{min(each) / reps:.3f} to {max(each) / reps:.3f}, too many in {many}" for each, many in zip(ways, marked, strict=True)]
    lines = [
        "# Streams",
        "",
        f"    python -m benchmarks.streams --reps {reps} --seed {seed} --out docs/streams.md",
        "",
        EXPLAINED,
        f"- {len(calm)} streams, {reps:,} paths each. False alarms of *ever*: {shares[0]}. The twins: a Wald bound with every unit "
        f"{shares[1]}; restarts that promise ever {shares[2]}.",
        f"- Run length {LENGTH:,.0f}: the shortest mean is {min(r.run for r in calm):,.0f} units, cut off at {UNITS:,}.",
        "",
        '| process | metric | floor | labeled | ever | Wald, every unit | restarts, "ever" | run length | not rung | early |',
        "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|",
        *(_still(r) for r in calm),
        "",
        "## How soon a fall is found",
        "",
        FALLING,
        "| falls to | labeled | alarm | early | found | units, half | nine of ten | labels |",
        "|--:|--:|---|--:|--:|--:|--:|--:|",
        *(_fallen(r) for r in falls),
    ]
    return "\n".join(lines) + "\n"


def _still(r: Still) -> str:
    shares = [f"{x / r.reps:.3f}{' (too many)' if x > most_false(r.reps, ERROR) else ''}" for x in (r.ever, r.wald, r.restarts, r.early)]
    run = f"{r.run:,.0f} ± {r.run_error:,.0f} | {r.still:.2f}"
    name = f"{r.process.name} | {r.process.metric} | {r.process.floor:g} | {r.labeled:.2f}"
    return f"| {name} | {' | '.join(shares[:3])} | {run} | {shares[3]} |"


def _fallen(r: Fallen) -> str:
    half, most, labels = (f"{x:,.0f}" if np.isfinite(x) else "-" for x in (r.half, r.most, r.labels))
    return f"| {r.bad:g} | {r.rate:g} | {r.promise} | {r.early / r.reps:.3f} | {r.found:.3f} | {half} | {most} | {labels} |"


def main() -> None:
    """Runs all streams and writes the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reps", type=int, default=2_000, help="paths of a stream")
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--out", type=Path, required=True, help="the page to write")
    options = parser.parse_args()
    reps, seed = options.reps, options.seed
    calm = [still(of, rate, reps=reps, seed=(seed, 1, p, r)) for p, of in enumerate(PROCESSES) for r, rate in enumerate(RATES)]
    cases = [(bad, rate) for bad in (0.85, 0.8, 0.7) for rate in RATES]
    falls = [row for c, (bad, rate) in enumerate(cases) for row in fallen(bad, rate, reps=reps, seed=(seed, 2, c))]
    options.out.write_text(page(calm, falls, reps=reps, seed=seed))


if __name__ == "__main__":
    main()
