"""How often the bound that decides by default is wrong, wherever positives are: docs/belief-free.md.

    python -m benchmarks.belief_free --data FOLDER --folder FOLDER --seed 42 --out docs/belief-free.md        (make belief-free)
    python -m benchmarks.belief_free ... --kept         the page of the cells that were made so far
    python -m benchmarks.belief_free ... --known docs/belief-free.json      goes on from these, made by code with the same numbers

Tables and made-up populations, with scores as they are, too sure, worthless, reversed, and with positives hidden where they see none; one
look, plans that grew, planned looks, a pilot; bounds at 5 % and 1 %. Cells are screened with 1,000 replicates, the doubtful ones made anew
with 4,000, and those above 5.65 % again with 20,000; two fifths of that after pilots. Every cell is kept in --folder, so a run that was
stopped goes on; docs/belief-free.json has them too, so that another machine can go on (--known). The product's cautions about plans that
grew and planned looks are written, too.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from benchmarks import made
from benchmarks.belief_free_page import page
from benchmarks.judging import verdict
from benchmarks.kept import Kept
from benchmarks.one_sided import FEWEST, READ
from benchmarks.options import parser_of
from benchmarks.piloting import SECOND_DRAWS, Automatic, Judged
from benchmarks.planned_looks import Bench, prefixes
from benchmarks.tables import CHOSEN_ON, TWENTY_ONE, table_units
from fewlabels.deciding.planned_looks import planned_looks
from fewlabels.designs.base import takes, takes_of
from fewlabels.designs.extending import HeldByCell, grow_design
from fewlabels.estimators.grouping import groups_of
from fewlabels.estimators.measuring import Measured, measure
from fewlabels.intervals.falling import Bracket, find_root
from fewlabels.intervals.placed import path
from fewlabels.intervals.weighted_sum import none_seen
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.estimate import USUAL_INTERVAL
from fewlabels.nouns.evidence import Bands
from fewlabels.nouns.metrics import metric_named
from fewlabels.nouns.tally import Tally
from fewlabels.planning.design_choice import choose_design
from fewlabels.randomness import stream
from fewlabels.study.plan.looks import holds_at_looks
from fewlabels.study.simulate import true_value

LABELS = 600
SCREENED, JUDGED, FRESH = 1_000, 4_000, 20_000
OF_PILOTS = 0.4  # of these, where a guide is fitted and a draw designed after each pilot
DOUBTFUL = 0.0565  # of the replicates, at 5 %
LOOKS = 5
TAILS = (0.05, 0.01)
METRICS = ("precision", "recall", "f1", "accuracy", "negative_predictive_value")
WAYS = {"one look": 1, "grown x2": 2, "grown x3": 3, "five looks": LOOKS, "pilot": 1}  # how much the first draw is smaller
SCORES = ("own", "too sure", "shuffled", "reversed", "hidden evenly", "hidden by water-filling")
TOO_SURE = 3.0  # times the log-odds
HIDDEN = 1e-3  # of all units, in the lowest 80 % of the unflagged ones
LOWEST = 0.8
READ_AS = {"grown": ("grown x2", "grown x3"), "planned looks": ("five looks",)}


def rare(rng: np.random.Generator) -> made.Made:
    """0.2 % positive, 1 % flagged."""
    y, s = made.scored(rng, N=80_000, share=0.002, separation=3.0)
    return made.Made("rare", y, s, s >= np.quantile(s, 0.99))


def certain(rng: np.random.Generator) -> made.Made:
    """4 % positive; scores near 0 and 1 that are wrong in the tail, as those of naive Bayes are."""
    y, s = made.scored(rng, N=10_000, share=0.04, separation=2.5, sharpness=6.0)
    return made.Made("certain", y, s, s >= 0.5)


POPULATIONS = (*made.SYNTHETIC, rare, certain)


class Where(NamedTuple):
    """A table or a made-up population, with scores that may lie."""

    name: str
    scores: str


class Cell(NamedTuple):
    """One bound in one place: how often it was too high, and too low, of so many replicates; and the two-sided interval's misses."""

    where: str
    scores: str
    way: str
    metric: str
    reps: int
    seed: int
    truth: float
    too_high: dict[str, int]
    too_low: dict[str, int]
    missed: int

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What is measured."""
        return (self.where, self.scores, self.way, self.metric)

    def worst(self, tail: float) -> float:
        """The larger of the two shares of misses."""
        return max(self.too_high[str(tail)], self.too_low[str(tail)]) / self.reps

    @property
    def is_doubtful(self) -> bool:
        """Whether more replicates have to say."""
        return (
            self.worst(0.05) > DOUBTFUL
            or any(binom.sf(self.worst(tail) * self.reps - 1, self.reps, tail) < 0.1 for tail in TAILS)
            or binom.sf(self.missed - 1, self.reps, 0.05) < 0.05
        )


class Again(NamedTuple):
    """A cell, and the same with fresh seeds and more replicates."""

    before: Cell
    after: Cell


def units_of(where: Where, data: Path, seed: int) -> made.Made:
    """The units, with the scores as they are asked for. Positives hidden by water-filling depend on the draw, and are added there."""
    makers = {maker.__name__: maker for maker in POPULATIONS}
    number = int(hashlib.sha256(where.name.encode()).hexdigest()[:8], 16)
    units = makers[where.name](stream(seed, number)) if where.name in makers else table_units(data, *where.name.split())
    rng = stream(seed, number, SCORES.index(where.scores))
    if where.scores == "too sure":
        s = np.clip(units.guide, 1e-9, 1 - 1e-9)
        return units._replace(guide=1 / (1 + ((1 - s) / s) ** TOO_SURE))
    if where.scores in ("shuffled", "reversed"):
        mode: made.GuideMode = "shuffled" if where.scores == "shuffled" else "reversed"
        return units._replace(guide=made.turned(units.guide, units.flagged, mode, rng))
    if where.scores == "hidden evenly":
        rows = np.flatnonzero(~units.flagged)
        low = rows[np.argsort(units.guide[rows], kind="stable")][: int(LOWEST * rows.size)]
        y = units.y.copy()
        y[rng.choice(low[~y[low]], size=max(3, round(HIDDEN * y.size)), replace=False)] = True
        return units._replace(y=y)
    return units


def water_filled(at: made.Known, design: DrawDesign, labels: int, tail: float) -> NDArray[np.int64]:
    """The positives of each cell, with those added that such a draw shows none of with twice the tail's probability."""
    groups = groups_of(at.profile, design)
    open_groups = ~groups.flagged
    take = takes_of(design, labels)[groups.band].astype(np.float64)
    bands = Bands(*(counts[open_groups][None] for counts in (groups.N, take, np.zeros(groups.N.size))))

    def excess(log_e: NDArray[np.float64], _: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.asarray(none_seen(bands.N, bands.n, path(np.exp(log_e)[:, None], bands)) - np.log(2 * tail))

    start, end, only = np.log((bands.n / bands.N).min(-1)) - 1e-9, np.zeros(1) - 1e-9, np.zeros(1, dtype=np.int64)
    e = np.exp(find_root(excess, Bracket(start, excess(start, only), end, excess(end, only))))
    wanted = np.zeros(groups.N.size)
    wanted[open_groups] = path(e[:, None], bands)[0]
    positives = at.positives.copy()
    for g in np.flatnonzero(wanted >= 1):
        cells = np.flatnonzero(groups.of_cell == g)
        room = at.profile.count[cells] - positives[cells]
        some = np.floor(room * min(1.0, wanted[g] / max(1, room.sum()))).astype(np.int64)
        positives[cells] += some
    return positives


def cell_of(where: Where, way: str, metric_name: str, data: Path, *, reps: int, seed: int) -> Cell | None:
    """Make one cell; None if a study would refuse it, or if it were a census."""
    metric, units = metric_named(metric_name), units_of(where, data, seed=42)
    key = int(hashlib.sha256("|".join((*where, way, metric_name)).encode()).hexdigest()[:8], 16)
    rng = stream(seed, reps, key)
    if way == "pilot":
        return piloted(units, where, metric_name, reps=reps, seed=seed, rng=rng)
    at = units.known()
    first = -(-LABELS // WAYS[way])
    needed = units.y.size if metric.needs_unflagged else int(units.flagged.sum())
    if needed <= LABELS or (way == "five looks" and not holds_at_looks(metric_name)):
        return None
    design = choose_design(at.profile, [metric], labels=first)
    split = split_bands(at, design, choose_design(at.profile, [metric], labels=LABELS), first) if way.startswith("grown") else None
    if where.scores == "hidden by water-filling":
        if not metric.needs_unflagged:
            return None
        at = at._replace(positives=water_filled(at, design if split is None else split, LABELS, 0.05))
    truth = true_value(at.profile, at.positives, metric)
    bench = Bench(where.name, metric, design, groups_of(at.profile, design), None, at.positives, truth, "placed")
    if split is not None:
        tally = grown(at, design, split, first, reps=reps, rng=rng)
        found = [tuple(measure(metric, tally, tail=tail, interval="placed") for tail in (0.025, 0.05, 0.01))]
        return judged(where, way, metric_name, truth, found, reps=reps, seed=seed)
    if way == "five looks":
        fewest = int(np.minimum(design.N, design.smallest).sum())
        looks = planned_looks(LABELS, looks=LOOKS, level=0.95, frame=design.frame, fewest=fewest)
        sizes, tails = [look.labels for look in looks], [(*look.tails(0.95), look.tails(0.99)[1]) for look in looks]
    else:
        sizes, tails = [LABELS], [(0.025, 0.05, 0.01)]
    found = [
        tuple(measure(metric, tally, tail=tail, interval="placed") for tail in each)
        for tally, each in zip(prefixes(bench, sizes, reps=reps, rng=rng), tails, strict=True)
    ]
    return judged(where, way, metric_name, truth, found, reps=reps, seed=seed)


def split_bands(at: made.Known, design: DrawDesign, fresh: DrawDesign, first: int) -> DrawDesign | None:
    """The bands of a study that grew, as a larger plan splits them; None if it leaves them as they are."""
    rate = np.where(design.band >= 0, (takes_of(design, first) / design.N)[design.band], 0.0)
    split = grow_design(at.profile, HeldByCell(design.band, rate, np.zeros_like(at.positives)), fresh, labels=LABELS)
    return None if split is None else replace(split, held=None)


def grown(at: made.Known, design: DrawDesign, split: DrawDesign, first: int, *, reps: int, rng: np.random.Generator) -> Tally:
    """Tallies of draws by the first bands that grew: every part keeps what it holds, and gets the rest of its share."""
    inside = split.band >= 0
    K = np.bincount(split.band[inside], weights=at.positives[inside], minlength=split.N.size).astype(np.int64)
    parent = np.zeros(split.N.size, dtype=np.int64)
    parent[split.band[inside]] = design.band[inside]
    n, k = (np.zeros((reps, split.N.size), dtype=np.int64) for _ in range(2))
    for h, take in enumerate(takes_of(design, first).tolist()):
        mine = np.flatnonzero(parent == h)
        parts = np.stack([K[mine], (split.N - K)[mine]], axis=1).ravel()
        found = rng.multivariate_hypergeometric(parts, take, size=reps, method="marginals")
        k[:, mine], n[:, mine] = found[:, 0::2], found[:, 0::2] + found[:, 1::2]
    take = np.stack([takes(split.mass, split.N, LABELS, held=held) for held in n])
    k = k + rng.hypergeometric(K - k, split.N - n - (K - k), take - n)
    groups = groups_of(at.profile, split)
    return groups.tally(take[:, groups.band].astype(np.float64), k[:, groups.band].astype(np.float64))


def judged(where: Where, way: str, metric: str, truth: float, found: Sequence[Sequence[Measured]], *, reps: int, seed: int) -> Cell:
    """The misses of the bounds of all looks: the interval, and the bounds at 5 % and at 1 %."""
    near = 1e-9
    bounds = {str(tail): [each[i] for each in found] for i, tail in enumerate(TAILS, start=1)}
    high = {tail: int(np.any([one.low > truth + near for one in each], axis=0).sum()) for tail, each in bounds.items()}
    low = {tail: int(np.any([one.high < truth - near for one in each], axis=0).sum()) for tail, each in bounds.items()}
    missed = np.any([(each[0].low > truth + near) | (each[0].high < truth - near) for each in found], axis=0)
    return Cell(where.name, where.scores, way, metric, reps, seed, truth, high, low, int(missed.sum()))


def piloted(units: made.Made, where: Where, metric: str, *, reps: int, seed: int, rng: np.random.Generator) -> Cell | None:
    """A pilot and what follows it, the guide fitted to its labels."""
    of = metric_named(metric)
    needed = units.y.size if of.needs_unflagged else int(units.flagged.sum())
    if needed <= LABELS or where.scores == "hidden by water-filling":
        return None
    asked = Judged(units.guide[:, None], 0, units.flagged, units.y.astype(np.int64), of)
    automatic = Automatic(asked, LABELS)
    tails = (0.025, 0.05, 0.01)
    pilots = round(OF_PILOTS * reps) // SECOND_DRAWS
    found = automatic.at_tails(tails, pilots=pilots, interval="placed", rng=rng)
    return judged(where, "pilot", metric, asked.truth, [found], reps=SECOND_DRAWS * pilots, seed=seed)


def cells_at(where: Where, data: Path, *, reps: int, seed: int, known: frozenset[tuple[str, str, str, str]]) -> list[Cell]:
    """The cells of one place that are not known yet."""
    wanted = [(way, metric) for way in WAYS for metric in METRICS if (*where, way, metric) not in known]
    made_now = (cell_of(where, way, metric, data, reps=reps, seed=seed) for way, metric in wanted)
    return [cell for cell in made_now if cell is not None]


def again(cell: Cell, data: Path, *, reps: int, seed: int) -> Cell:
    """The same cell with more replicates."""
    found = cell_of(Where(cell.where, cell.scores), cell.way, cell.metric, data, reps=reps, seed=seed)
    assert found is not None
    return found


def of_size(cells: Sequence[Cell], reps: int) -> dict[tuple[str, str, str, str], Cell]:
    """The cells with so many replicates."""
    return {cell.key: cell for cell in cells if OF_PILOTS * reps <= cell.reps <= reps}


def places() -> Iterator[Where]:
    """Everything, the small tables first."""
    names = [*(f"{table} {model}" for table, model in reversed(TWENTY_ONE)), *(maker.__name__ for maker in POPULATIONS)]
    return (Where(name, scores) for scores in SCORES for name in names)


def run(given: Any, kept: Kept[Cell]) -> None:
    """Screen every cell, and make the doubtful ones anew."""
    with ProcessPoolExecutor(given.jobs) as pool:
        one = partial(cells_at, data=given.data, reps=SCREENED, seed=given.seed, known=frozenset(of_size(kept.rows, SCREENED)))
        for where, found in zip(places(), pool.map(one, places()), strict=True):
            kept.add(found)
            print(*where, *(f"{cell.way} {cell.metric} {cell.worst(0.05):.3f}" for cell in found if cell.is_doubtful), sep="; ", flush=True)
        for reps, wanted in ((JUDGED, SCREENED), (FRESH, JUDGED)):
            doubtful = sorted(left(kept.rows, reps, wanted), key=lambda cell: cell.worst(0.05), reverse=True)  # the worst first
            for cell in pool.map(partial(again, data=given.data, reps=reps, seed=given.seed + reps), doubtful):
                kept.add([cell])
                print(*cell, flush=True)


def left(rows: Sequence[Cell], reps: int, wanted: int) -> list[Cell]:
    """The cells with `wanted` replicates that are doubtful, and were not made again with `reps`."""
    have = of_size(rows, reps)
    return [
        cell for key, cell in of_size(rows, wanted).items()
        if key not in have and (cell.is_doubtful if reps == JUDGED else cell.worst(0.05) > DOUBTFUL)
    ]  # fmt: skip


def newest(rows: Sequence[Cell]) -> list[Cell]:
    """Every cell with the most replicates that it has."""
    return list({key: cell for reps in (SCREENED, JUDGED, FRESH) for key, cell in of_size(rows, reps).items()}.values())


def as_lines(rows: Sequence[Cell], seed: int) -> str:
    """All cells as JSON, one a line: every run of every cell, so that another machine can go on."""
    lines = ",\n".join(json.dumps(list(row)) for row in sorted(rows, key=lambda row: (*row.key, row.reps)))
    return f'{{"seed": {seed}, "fields": {json.dumps(Cell._fields)}, "cells": [\n{lines}\n]}}\n'


def take_up(kept: Kept[Cell], path: Path) -> None:
    """Keep the cells of a file, unless there are some already."""
    if not kept.rows:
        kept.add([Cell(*row) for row in json.loads(path.read_text())["cells"]])


def summary(cells: Sequence[Cell]) -> list[dict[str, object]]:
    """What the product reads of plans that grew and of planned looks: the worst place for each metric."""
    lines: list[dict[str, object]] = []
    for way, names in READ_AS.items():
        for metric in METRICS:
            some = [cell for cell in cells if cell.way in names and cell.metric == metric]
            if len({cell.where for cell in some}) < FEWEST:
                continue
            verdicts = {verdict(round((1 - cell.worst(0.05)) * cell.reps), cell.reps) for cell in some}
            status = next(one for one in ("refuse", "caution", "passes") if one in verdicts)
            highest = round(max(cell.worst(0.05) for cell in some), 4)
            line = {"way": way, "interval": USUAL_INTERVAL, "metric": metric, "labels": LABELS, "cells": len(some)}
            lines.append({**line, "highest": highest, "verdict": status})
    return lines


def main() -> None:
    """Make all cells and the page."""
    parser = parser_of(__doc__, reps=SCREENED)
    parser.add_argument("--folder", type=Path, required=True, help="where cells are kept")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--kept", action="store_true", help="make none")
    parser.add_argument("--known", type=Path, help="cells made before, by code whose numbers are the same")
    given = parser.parse_args()
    kept = Kept(given.folder / f"belief-free-{given.seed}.jsonl", Cell)
    if given.known is not None:
        take_up(kept, given.known)
    if not given.kept:
        run(given, kept)
    cells = newest(kept.rows)
    before, fresh = of_size(kept.rows, JUDGED), of_size(kept.rows, FRESH)
    again_of = [Again(before[key], cell) for key, cell in fresh.items() if key in before]
    given.out.write_text(page(cells, chosen_on=CHOSEN_ON, again=again_of, left=len(left(kept.rows, FRESH, JUDGED))))
    given.out.with_suffix(".json").write_text(as_lines(kept.rows, given.seed))
    others = [line for line in json.loads(READ.read_text())["tested"] if line["interval"] != USUAL_INTERVAL]
    READ.write_text(json.dumps({"seed": given.seed, "tested": [*others, *summary(cells)]}, indent=1) + "\n")


if __name__ == "__main__":
    main()
