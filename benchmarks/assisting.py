"""What other columns buy, and whether they may lie: docs/assisting.md.

    python -m benchmarks.assisting --data FOLDER --folder FOLDER --seed 42 --out docs/assisting.md        (make assisting)

Every table and model, with the scores of the other models as candidates, with columns of noise, with a constant, and with one that repeats
the answer. Draws by bands made for the metric; the estimate with the columns beside the one without, of the same labels. Every cell
is kept in --folder, so a run that was stopped goes on.
"""

import json
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import numpy as np
from numpy.typing import NDArray

import fewlabels
from benchmarks.assisting_page import page
from benchmarks.kept import Kept
from benchmarks.options import parser_of
from benchmarks.tables import CHOSEN_ON, TWENTY_ONE
from fewlabels.engines.opening import open_engine
from fewlabels.estimators.assisting import Columns
from fewlabels.estimators.grouping import groups_of
from fewlabels.estimators.measuring import Measured, measure
from fewlabels.nouns.metrics import metric_named
from fewlabels.nouns.profile import Profile
from fewlabels.planning.design_choice import choose_design
from fewlabels.planning.guiding import columns_by_cell
from fewlabels.randomness import stream
from fewlabels.study.simulate import replicate_steadied, true_value

REPS = 400
METRICS = ("precision", "recall", "f1")
LABELS = (200, 500, 1_000)
TAILS = (0.025, 0.05)
NEAR = 1e-9  # of a bound and the truth
COLUMNS = ("other models", "noise", "constant", "the answer")


class Where(NamedTuple):
    """A table, its model, and the columns beside it."""

    table: str
    model: str
    columns: str

    @property
    def place(self) -> tuple[int, int]:
        """Numbers for its random streams."""
        return TWENTY_ONE.index((self.table, self.model)), COLUMNS.index(self.columns)


class Cell(NamedTuple):
    """Squared error, mean half-width and misses, each without the columns and with them.

    high, low   replicates whose lower bound at 5 % was too high, whose upper bound was too low
    missed      replicates whose interval at 95 % did not contain the truth
    """

    table: str
    model: str
    columns: str
    metric: str
    labels: int
    reps: int
    truth: float
    squared: tuple[float, float]
    half_width: tuple[float, float]
    high: tuple[float, float]
    low: tuple[float, float]
    missed: tuple[float, float]

    @property
    def name(self) -> str:
        """Table and model in one word."""
        return f"{self.table} {self.model}"

    @property
    def error(self) -> float:
        """Squared error with the columns over that without."""
        return self.squared[1] / self.squared[0] if self.squared[0] > 0 else 1.0

    @property
    def width(self) -> float:
        """Half-width with the columns over that without."""
        return self.half_width[1] / self.half_width[0] if self.half_width[0] > 0 else 1.0


def columns_of(where: Where, others: Sequence[NDArray[Any]], y: NDArray[Any], rng: np.random.Generator) -> list[NDArray[np.float64]]:
    """The columns beside the model's own score."""
    made = {
        "other models": lambda: [np.clip(np.asarray(score, dtype=np.float64), 0, 1) for score in others],
        "noise": lambda: [rng.random(y.size), rng.beta(0.3, 0.3, y.size)],
        "constant": lambda: [np.full(y.size, 0.3)],
        "the answer": lambda: [np.where(y == 1, 0.95, 0.05)],
    }
    return made[where.columns]()


class Read(NamedTuple):
    """A table as a study with candidates sees it, and its truth by cell."""

    profile: Profile
    positives: NDArray[np.int64]
    columns: Columns


def read(where: Where, data: Path, *, seed: int) -> Read:
    """The profile, the positives of every cell and the columns."""
    manifest = json.loads((data / "manifest.json").read_text())[where.table]
    others = [model for model in manifest["thresholds"] if model != where.model]
    scores = ", ".join(f"score_{model}" for model in (where.model, *others))
    with duckdb.connect() as reader:
        held = reader.execute(f"select y, {scores} from '{data / manifest['file']}'").fetchnumpy()
    y = np.asarray(held["y"]).astype(np.int64)
    beside = columns_of(where, [held[f"score_{model}"] for model in others], y, stream(seed, *where.place))
    names = [f"c{i}" for i in range(len(beside))]
    own = np.asarray(held[f"score_{where.model}"], dtype=np.float32).astype(np.float64)
    table = {"id": np.arange(y.size), "y": y, "s": own, **dict(zip(names, beside, strict=True))}
    threshold = float(np.float32(manifest["thresholds"][where.model]))
    engine = open_engine(fewlabels.read_population(table, id="id", score="s", threshold=threshold, candidates=names))
    profile = engine.profile()
    x = columns_by_cell(profile, slices=0, candidates=len(names))
    return Read(profile, engine.positives(profile, truth="y"), Columns(x, profile.count.astype(np.float64)))


def cells_at(where: Where, data: Path, *, reps: int, seed: int) -> list[Cell]:
    """The cells of one table, model and columns; none for what would be a census."""
    profile, positives, columns = read(where, data, seed=seed)
    found = []
    for m, name in enumerate(METRICS):
        metric = metric_named(name)
        truth = true_value(profile, positives, metric)
        for labels in LABELS:
            design = choose_design(profile, [metric], labels=labels)
            if labels >= design.frame:
                continue
            rng, groups = stream(seed, *where.place, m, labels), groups_of(profile, design)
            steadied = replicate_steadied(profile, groups, design, positives, columns, labels=labels, reps=reps, rng=rng)
            found.append(
                judged(
                    where, name, labels, truth,
                    [[measure(metric, tally, tail=tail) for tail in TAILS] for tally in (replace(steadied, control=None), steadied)],
                )
            )  # fmt: skip
    return found


def judged(where: Where, metric: str, labels: int, truth: float, found: Sequence[Sequence[Measured]]) -> Cell:
    """The cell of one metric: without the columns, and with them."""

    def each(one: Callable[[Measured], float], tail: int) -> tuple[float, float]:
        return one(found[0][tail]), one(found[1][tail])

    def squared(of: Measured) -> float:
        return float(np.mean((np.where(np.isfinite(of.value), of.value, (of.low + of.high) / 2) - truth) ** 2))

    return Cell(
        *where,
        metric=metric,
        labels=labels,
        reps=found[0][0].value.size,
        truth=truth,
        squared=each(squared, 0),
        half_width=each(lambda of: float(of.half_width.mean()), 0),
        high=each(lambda of: int((of.low > truth + NEAR).sum()), 1),
        low=each(lambda of: int((of.high < truth - NEAR).sum()), 1),
        missed=each(lambda of: int(((of.low > truth + NEAR) | (of.high < truth - NEAR)).sum()), 0),
    )


def run(given: Any) -> list[Cell]:
    """Make what is missing."""
    kept = Kept(given.folder / f"assisting-{given.seed}.jsonl", Cell)
    known = {(cell.table, cell.model, cell.columns) for cell in kept.rows}
    left = [Where(*of, columns) for columns in COLUMNS for of in reversed(TWENTY_ONE) if (*of, columns) not in known]
    with ProcessPoolExecutor(given.jobs) as pool:
        for where, found in zip(left, pool.map(partial(cells_at, data=given.data, reps=given.reps, seed=given.seed), left), strict=True):
            kept.add(found)
            print(*where, *(f"{cell.metric} {cell.labels} {cell.error:.2f}" for cell in found), sep="; ", flush=True)
    return kept.rows


def main() -> None:
    """Make all cells and the page."""
    parser = parser_of(__doc__, reps=REPS)
    parser.add_argument("--folder", type=Path, required=True, help="where cells are kept")
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    given.out.write_text(page(run(given), chosen_on=CHOSEN_ON))


if __name__ == "__main__":
    main()
