"""Chargebacks over 20 weeks: provisional and final numbers, and what happens if they come later than before: docs/late.md.

    python -m benchmarks.late --reps 100 --seed 42 --out docs/late.md        (make late)

Each week is a table of 20,000 payments with its own share of fraud. What is flagged is blocked and labeled by people; the rest is answered
by chargebacks. Of fraud 1.5 in 100 is reported after more than 60 days, when the study closes. How fast is known from earlier positives.
Every replicate draws the labels of all weeks and the earlier positives anew, and reads each week after 14, 30 and 60 days. Payments that
arrive by themselves cost nothing, so beside a draw of 800 stands one of all payments.

Twins: the same labels read as if all had arrived; and weeks whose chargebacks take twice as long, against the assumption.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from benchmarks.judging import verdict
from benchmarks.made import Known, Made, scored
from benchmarks.options import parser_of
from fewlabels.estimators.grouping import groups_of
from fewlabels.estimators.measuring import Measured, measure, sides_of
from fewlabels.nouns.late import Arrivals, Arrived
from fewlabels.nouns.metrics import metric_named
from fewlabels.nouns.tally import Tally
from fewlabels.planning.design_choice import choose_design
from fewlabels.randomness import stream
from fewlabels.study.simulate import replicate, true_value

WEEKS, PAYMENTS, LABELS = 20, 20_000, (800, 20_000)
AGES = (14, 30, 60)  # days; the last is the day of closing
EARLIER = (100, 1_000)  # earlier positives whose delays are known
METRICS = ("recall", "f1", "prevalence", "precision")
SHAPE, SCALE = 1.1, 16.0  # of the Weibull distribution of delays
SLOWER = 2.0


class Reading(NamedTuple):
    """A way to read a week: whether what is still to arrive is corrected for, and how much slower it arrives than before."""

    name: str
    corrected: bool
    slower: float = 1.0


READINGS = (Reading("corrected", True), Reading("as if all had arrived", False), Reading("twice as slow", True, SLOWER))


class Cell(NamedTuple):
    """One metric at one age: misses of the interval at 95 % and of the lower bound at 5 %, of all weeks and replicates."""

    reading: Reading
    labels: int
    earlier: int
    age: int
    metric: str
    reps: int
    missed: int
    too_high: int
    bias: float
    width: float

    @property
    def coverage(self) -> float:
        """How often the interval held the truth."""
        return 1 - self.missed / self.reps


def share_by(age: int, slower: float = 1.0) -> float:
    """The share of positives that have arrived at an age."""
    return float(1 - np.exp(-((age / (SCALE * slower)) ** SHAPE)))


def week(number: int, seed: int) -> Known:
    """The table of one week."""
    rng = stream(seed, number)
    y, score = scored(rng, N=PAYMENTS, share=rng.uniform(0.01, 0.05), separation=rng.uniform(1.8, 3.0), sharpness=rng.uniform(0.7, 1.6))
    return Made(f"week {number}", y, score, score >= 0.4).known()


def arrived(told: Tally, share: float, rng: np.random.Generator) -> Tally:
    """The tally with the positives of unflagged units that have arrived; the others count as negative."""
    k = np.where(told.flagged, told.k, rng.binomial(told.k.astype(np.int64), share))
    return replace(told, k=k.astype(np.float64))


def cells_at(age: int, earlier: int, labels: int, *, reps: int, seed: int) -> Iterator[Cell]:
    """All weeks at one age."""
    found: dict[tuple[Reading, str], list[tuple[Measured, Measured, float]]] = {}
    for number in range(WEEKS):
        at = week(number, seed)
        metrics = [metric_named(name) for name in METRICS]
        design = choose_design(at.profile, metrics[:1], labels=labels)
        rng = stream(seed, number, age, earlier, labels)
        told = replicate(groups_of(at.profile, design), design, at.positives, labels=labels, reps=reps, rng=rng)
        come = Arrived(rng.binomial(earlier, share_by(age), reps), earlier)
        for reading in READINGS:
            mine = arrived(told, share_by(age, reading.slower), rng)
            mine = replace(mine, arrivals=Arrivals(None, come) if reading.corrected else None)
            sides = sides_of(mine)
            for metric in metrics:
                both = tuple(measure(metric, mine, tail=tail, sides=sides) for tail in (0.025, 0.05))
                found.setdefault((reading, metric.name), []).append((both[0], both[1], true_value(at.profile, at.positives, metric)))
    for (reading, name), weeks in found.items():
        yield _cell(reading, labels, earlier, age, name, weeks)


def cells_of(place: tuple[int, int, int], *, reps: int, seed: int) -> list[Cell]:
    """The same as a list, for another process."""
    return list(cells_at(*place, reps=reps, seed=seed))


def _cell(reading: Reading, labels: int, earlier: int, age: int, name: str, weeks: Sequence[tuple[Measured, Measured, float]]) -> Cell:
    missed = sum(int(((one.low > truth + 1e-9) | (one.high < truth - 1e-9)).sum()) for one, _, truth in weeks)
    high = sum(int((bound.low > truth + 1e-9).sum()) for _, bound, truth in weeks)
    reps = sum(one.value.size for one, *_ in weeks)
    bias = float(np.mean([np.nanmean(one.value) - truth for one, _, truth in weeks]))
    width = float(np.mean([(one.high - one.low).mean() for one, *_ in weeks]))
    return Cell(reading, labels, earlier, age, name, reps, missed, high, bias, width)


def page(cells: Sequence[Cell], reps: int) -> str:
    """The page."""
    first = READINGS[0]
    mine = [cell for cell in cells if cell.reading == first]
    short = [cell for cell in mine if verdict(cell.reps - cell.missed, cell.reps) != "passes"]
    lowest = min(cell.coverage for cell in mine)
    days, arrive = (", ".join(each) for each in ([str(age) for age in AGES], [f"{share_by(age):.1%}" for age in AGES]))
    lines = [
        "# Answers that arrive by themselves: how far it was tested",
        "",
        f"    make late        ({WEEKS} weeks, {reps:,} replicates of each)",
        "",
        f"Chargebacks of {WEEKS} weeks of {PAYMENTS:,} payments, {' or '.join(f'{n:,}' for n in LABELS)} of them drawn a week "
        "([how](maths/arriving.md)). What is flagged is labeled by people, the rest answered by chargebacks. "
        f"Of the positives {arrive} have arrived after {days} days; the study closes then, and numbers before are provisional. How fast "
        "positives arrive is known from "
        f"{' or '.join(f'{m:,}' for m in EARLIER)} earlier ones. Coverage at 95 % over all weeks; *too high*: how often the lower bound at "
        "5 % lies above the truth.",
        "",
        f"By the rule of the [atlas](atlas.md) {len(mine) - len(short)} of {len(mine)} cells pass, the lowest with {lowest:.3f}.",
    ]
    lines += [f"- short: {c.metric}, {c.labels:,} drawn, {c.age} days, {c.earlier:,} earlier: {c.coverage:.4f}" for c in short]
    for reading in READINGS:
        about = {
            "corrected": "## Corrected",
            "as if all had arrived": "## Twin: as if all had arrived",
            "twice as slow": "## Twin: chargebacks take twice as long as before",
        }[reading.name]
        lines += [
            "",
            about,
            "",
            "| drawn | days | earlier positives | metric | coverage | too high | bias | width |",
            "|--:|--:|--:|---|--:|--:|--:|--:|",
        ]
        lines += [
            f"| {c.labels:,} | {c.age} | {c.earlier:,} | {c.metric} | {c.coverage:.3f} | {c.too_high / c.reps:.1%} | {c.bias:+.3f} | "
            f"{c.width:.3f} |"
            for c in cells
            if c.reading == reading
        ]
    return "\n".join([*lines, ""])


def main() -> None:
    """Make all cells and the page."""
    parser = parser_of(__doc__, reps=100, tables=False)
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    places = [(age, earlier, labels) for labels in LABELS for earlier in EARLIER for age in AGES]
    with ProcessPoolExecutor(given.jobs) as pool:
        found = pool.map(partial(cells_of, reps=given.reps, seed=given.seed), places)
        cells = [cell for some in found for cell in some]
    given.out.write_text(page(cells, given.reps))


if __name__ == "__main__":
    main()
