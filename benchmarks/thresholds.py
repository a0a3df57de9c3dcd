"""Thresholds from one set of labels: do ribbons hold at all thresholds together, and does the guarantee hold after a search?

python -m benchmarks.thresholds --data FOLDER --reps 2000 --seed 42 --mapie PYTHON --out docs/thresholds.md

PYTHON is an interpreter that can import mapie; without it MAPIE is left out.
"""

import json
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import duckdb
import numpy as np
from scipy.stats import binom

from benchmarks.made import known
from benchmarks.options import parser_of
from benchmarks.search_draw import design_for_search
from benchmarks.tables import load
from benchmarks.thresholds_page import RibbonRow, SearchRow, page
from fewlabels.designs.base import takes_of
from fewlabels.engines.opening import open_engine
from fewlabels.estimators.ribbons import Curve, between, measure_thresholds
from fewlabels.estimators.thresholds import Pieces, limits_of, pieces_of, rank_of, read_thresholds, thresholds_of
from fewlabels.nouns.arrays import BoolArray, FloatArray, IntArray
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.metrics import F1, PRECISION, RECALL
from fewlabels.nouns.profile import Profile
from fewlabels.planning.design_choice import choose_design
from fewlabels.planning.threshold_search import Search, find, search_of, search_order
from fewlabels.randomness import stream
from fewlabels.study.simulate import CellCounts, replicate_cells

RIBBONS = (
    ("mnist8", "mlp"),
    ("mnist8", "lr"),
    ("mnist8", "nb"),
    ("fraud_sample", "gbm"),
    ("fraud_sample", "lr"),
    ("fraud_sample", "rules"),
)
RIBBON_LABELS, AT_ONCE = 1_000, 250
SEARCHES = (
    ("mnist8", "mlp", 0.95, (200, 500, 1_000)),
    ("mnist8", "lr", 0.9, (200, 500, 1_000)),
    ("mnist8", "lr", 0.8, (200, 500)),
    ("hate_tweets", "lr", 0.5, (500, 1_000)),
    ("hate_tweets", "lr", 0.6, (500, 1_000)),
    ("hate_tweets", "nb", 0.5, (500,)),
    ("fraud_sample", "gbm", 0.7, (200, 500)),
    ("fraud_sample", "gbm", 0.8, (200, 500)),
    ("fraud_sample", "lr", 0.7, (200, 500)),
    ("made-up", "flat", 0.8, (300, 1_000)),
)
TWIN_REPS, MAPIE_REPS = 500, 300
SLACK = 1e-12


class Table(NamedTuple):
    """A table with its truth."""

    name: str
    model: str
    profile: Profile
    positives: IntArray

    def drawn(self, design: DrawDesign, labels: int, reps: int, rng: np.random.Generator) -> CellCounts:
        """Labels and positive ones by cell of independent draws."""
        return replicate_cells(design, self.profile.count, self.positives, labels=labels, reps=reps, rng=rng)

    def found(self, bins: IntArray) -> tuple[FloatArray, FloatArray]:
        """Units flagged and true positives from each bin up."""
        flagged = rank_of(self.profile)[None, :] >= bins[:, None]
        return (flagged @ self.profile.count).astype(np.float64), (flagged @ self.positives).astype(np.float64)


def opened(profile: Profile, design: DrawDesign, labels: int) -> Pieces:
    """The pieces of a draw of so many labels."""
    take = takes_of(design, labels)
    return pieces_of(profile, design, thresholds_of(profile, design, take), take)


def ribbon_rows(at: Table, *, reps: int, rng: np.random.Generator) -> Iterator[RibbonRow]:
    """Coverage and width of all metrics on one table, the draw made for F1."""
    design = choose_design(at.profile, [F1], labels=RIBBON_LABELS)
    pieces = opened(at.profile, design, RIBBON_LABELS)
    seen: dict[str, list[FloatArray]] = {metric.name: [] for metric in (PRECISION, RECALL, F1)}
    for start in range(0, reps, AT_ONCE):
        n, k = at.drawn(design, RIBBON_LABELS, min(AT_ONCE, reps - start), rng)
        for curve in measure_thresholds(pieces, n, k, metrics=[PRECISION, RECALL, F1], level=0.95):
            seen[curve.metric].append(_judged(at, curve))
    for metric, parts in seen.items():
        each = np.concatenate(parts)  # one row a replicate: alone, all alone, ribbon, between, widths (ribbon, alone, between), tail
        alone, together, ribbon, between_held, wide, narrow, everywhere, tail = each[:, :8].mean(axis=0)
        yield RibbonRow(
            at.name, at.model, metric, pieces.thresholds.bin.size, float(each[:, 8:].mean(axis=0).min()), float(alone), float(together),
            int(each[:, 2].sum()), float(ribbon), float(between_held), float(wide / narrow), float(narrow), float(everywhere / narrow),
            float(tail), reps,
        )  # fmt: skip


def _judged(at: Table, curve: Curve) -> FloatArray:
    """What held in each replicate: the columns of `ribbon_rows`, then each threshold alone."""
    units, found = at.found(curve.thresholds.bin)
    truth = _truth(at, curve.metric, units, found)
    alone = _holds(curve.low, truth, curve.high)
    ribbon = _holds(curve.ribbon_low, truth, curve.ribbon_high).all(axis=1)
    bins = np.unique(rank_of(at.profile))
    inside = bins[(bins >= curve.thresholds.bin[-1]) & (bins <= curve.thresholds.bin[0])][::-1]
    all_units, all_found = at.found(inside)
    ends = between(curve, all_units) if curve.metric != "f1" else (np.full((alone.shape[0], inside.size), np.nan),) * 2
    everywhere = _holds(ends[0], _truth(at, curve.metric, all_units, all_found), ends[1]).all(axis=1)
    widths = [(b - a).mean(axis=1) for a, b in ((curve.ribbon_low, curve.ribbon_high), (curve.low, curve.high), ends)]
    columns = [alone.mean(axis=1), alone.all(axis=1), ribbon, everywhere, *widths, curve.tail]
    return np.column_stack([*columns, alone]).astype(np.float64)


def _truth(at: Table, metric: str, units: FloatArray, found: FloatArray) -> FloatArray:
    positives = float(at.positives.sum())
    return {"precision": found / units, "recall": found / positives, "f1": 2 * found / (units + positives)}[metric]


def _holds(low: FloatArray, truth: FloatArray, high: FloatArray) -> BoolArray:
    return np.asarray((low <= truth + SLACK) & (truth <= high + SLACK))


def search_row(at: Table, search: Search, labels: int, kind: str, *, reps: int, rng: np.random.Generator) -> SearchRow:
    """A search on one table with one budget, by a draw made for the search or for the precision of the table's own threshold."""
    own = kind == "search"
    design = design_for_search(at.profile, search, labels=labels) if own else choose_design(at.profile, [PRECISION], labels=labels)
    used = min(labels, design.frame)
    pieces = opened(at.profile, design, used)
    order = search_order(pieces, at.profile, search)
    units, found = at.found(pieces.thresholds.bin)
    wrong = found / units < search.target
    ends, twins = [], []
    for start in range(0, reps, AT_ONCE):
        n, k = (pieces.summed(c) for c in at.drawn(design, used, min(AT_ONCE, reps - start), rng))
        ends.append(find(pieces, order, n, k, search))
        if start < TWIN_REPS:
            twins.append(_twins(pieces, n, k, search))
    end, (pointwise, plugged) = np.concatenate(ends), np.concatenate(twins, axis=1)
    there = end >= 0
    below = int((there & wrong[end]).sum())
    return SearchRow(
        at.name, at.model, search.target, labels, kind, order.size, reps, float(there.mean()), below,
        float(np.where(there, units[end], 0).mean()), float(np.where(there, found[end], 0).mean() / at.positives.sum()),
        float(((pointwise >= 0) & wrong[pointwise]).mean()), float(((plugged >= 0) & wrong[plugged]).mean()),
        below <= binom.ppf(1 - 1e-3, reps, 0.05),
    )  # fmt: skip


def _twins(pieces: Pieces, n: FloatArray, k: FloatArray, search: Search) -> IntArray:
    """What must fail: the lowest threshold whose own bound passes, and the lowest whose estimate does; -1 for none."""
    enough = np.flatnonzero(pieces.thresholds.planned >= search.fewest)
    shown = limits_of(PRECISION, read_thresholds(pieces, n, k, flagged_only=True), tail=1 - search.level)
    lowest = []
    for passed in (shown.low[:, enough] >= search.target, shown.value[:, enough] >= search.target):
        last = passed.shape[1] - 1 - np.argmax(passed[:, ::-1], axis=1)
        lowest.append(np.where(passed.any(axis=1), enough[last], -1))
    return np.stack(lowest)


def flat(seed: int) -> tuple[Table, FloatArray, BoolArray]:
    """30,000 units; of 6,000 with scores above 0.5 some 79 % are positive whatever the score: just below a target of 80 % everywhere."""
    rng = stream(seed, 1)
    score = np.concatenate([rng.uniform(0.5, 1, 6_000), rng.uniform(0, 0.5, 24_000)])
    y = np.zeros(score.size, dtype=np.bool_)
    ordered = np.argsort(-score[:6_000], kind="stable")
    y[ordered] = (np.arange(6_000) * 79) % 100 < 79
    y[6_000:] = rng.random(24_000) < 0.05
    made = known("flat", y, score, score >= 0.5)
    return Table("made-up", "flat", made.profile, made.positives), score, y


def mapie_results(python: Path, columns: dict[str, FloatArray], cases: Sequence[dict[str, object]], scratch: Path) -> dict[str, object]:
    """What MAPIE finds on the same tables with as many simple random labels."""
    np.savez(scratch / "tables.npz", allow_pickle=False, **columns)
    (scratch / "cases.json").write_text(json.dumps(cases))
    script = Path(__file__).with_name("mapie_threshold.py")
    files = [str(scratch / name) for name in ("tables.npz", "cases.json", "out.json")]
    subprocess.run([str(python), "-I", str(script), *files], check=True)  # -I: modules beside the script do not hide Python's own
    answer: dict[str, object] = json.loads((scratch / "out.json").read_text())
    return answer


def columns_of(folder: Path, table: str, model: str) -> tuple[FloatArray, FloatArray]:
    """Scores and truth of every unit, for MAPIE."""
    with duckdb.connect() as reader:
        read = reader.execute(f"select score_{model} as s, y from '{folder / table}.parquet'").fetchnumpy()
    return np.asarray(read["s"], dtype=np.float64), np.asarray(read["y"], dtype=np.float64)


def main() -> None:
    """Runs all tables and writes the page."""
    parser = parser_of(__doc__, reps=2_000)
    parser.add_argument("--mapie", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        ribbons, searches, compared = run(options.data, scratch, reps=options.reps, seed=options.seed, mapie=options.mapie)
    text = page(ribbons, searches, compared, reps=options.reps, seed=options.seed, twin_reps=TWIN_REPS, mapie_reps=MAPIE_REPS)
    options.out.write_text(text)


class Known(NamedTuple):
    """Tables by name and model, and their columns as MAPIE reads them."""

    tables: dict[tuple[str, str], Table]
    columns: dict[str, FloatArray]


def known_tables(folder: Path, scratch: Path, *, seed: int) -> Known:
    """Every table with its truth."""
    made, score, y = flat(seed)
    tables, columns = {("made-up", "flat"): made}, {"made-up_flat_scores": score, "made-up_flat_y": y.astype(np.float64)}
    for table, model in dict.fromkeys([*RIBBONS, *((t, m) for t, m, *_ in SEARCHES if t != "made-up")]):
        engine = open_engine(load(folder, table, model, mode="real", seed=seed, scratch=scratch).population)
        profile = engine.profile()
        tables[table, model] = Table(table, model, profile, engine.positives(profile, truth="y"))
        columns[f"{table}_{model}_scores"], columns[f"{table}_{model}_y"] = columns_of(folder, table, model)
    return Known(tables, columns)


def search_rows(
    of: Known, scratch: Path, *, reps: int, seed: int, mapie: Path | None, draws: Sequence[str] = ("search", "precision")
) -> tuple[list[SearchRow], dict[str, object] | None]:
    """All searches, and MAPIE's on the same tables if it is there."""
    searches, cases = [], []
    for i, (table, model, target, budgets) in enumerate(SEARCHES):
        for labels in budgets:
            cases.append({"table": f"{table}_{model}", "target": target, "labels": labels, "reps": min(MAPIE_REPS, reps), "seed": seed})
            for j, kind in enumerate(("search", "precision")):
                if kind in draws:
                    rng = stream(seed, 2, i, labels, j)
                    row = search_row(of.tables[table, model], search_of(PRECISION, target), labels, kind, reps=reps, rng=rng)
                    print(row, flush=True)
                    searches.append(row)
    return searches, None if mapie is None else mapie_results(mapie, of.columns, cases, scratch)


def run(
    folder: Path, scratch: Path, *, reps: int, seed: int, mapie: Path | None
) -> tuple[list[RibbonRow], list[SearchRow], dict[str, object] | None]:
    """All rows."""
    tables = known_tables(folder, scratch, seed=seed)
    searches, compared = search_rows(tables, scratch, reps=reps, seed=seed, mapie=mapie)
    ribbons = []
    for i, key in enumerate(RIBBONS):
        for ribbon in ribbon_rows(tables.tables[key], reps=reps // 2, rng=stream(seed, 3, i)):
            print(ribbon, flush=True)
            ribbons.append(ribbon)
    return ribbons, searches, compared


if __name__ == "__main__":
    main()
