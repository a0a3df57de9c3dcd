"""docs/assisting.md: what other columns buy, and whether they may lie."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import binom

if TYPE_CHECKING:
    from benchmarks.assisting import Cell

TESTED = 0.01  # over the number of bounds


def page(cells: "Sequence[Cell]", *, chosen_on: Collection[str]) -> str:
    """The page."""
    reps = min(cell.reps for cell in cells)
    head = f"""# What other columns buy

    make assisting DATA=FOLDER FOLDER=FOLDER

A study that names other columns with `--candidate` beside one that does not, of the same labels
([how](maths/assisting.md)). {len(cells):,} cells: precision, recall and F1 of 21 tables and models, draws by bands made for the
metric, {reps:,} replicates a cell. The columns are the scores of the table's other models, two columns of noise, a constant, or the
answer itself. Shares of squared error and of half-width are geometric means; beside them the cell in which the columns did worst.
Misses are the highest of any cell, in %: of the bound at 5 %, and of the interval at 95 %, without the columns and with them.
"""
    return "\n".join([head, _table(cells, chosen_on), _broken(cells), "", _worst(cells), ""])


def _table(cells: "Sequence[Cell]", chosen_on: Collection[str]) -> str:
    lines = [
        "| columns | tables | labels | cells | squared error | worst cell | half-width | worst cell | misses at 5 % | misses at 95 % |",
        "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for columns in dict.fromkeys(cell.columns for cell in cells):
        for tables, chosen in (("chosen on", True), ("others", False)):
            for labels in sorted({cell.labels for cell in cells}):
                mine = [one for one in cells if one.columns == columns and (one.name in chosen_on) == chosen and one.labels == labels]
                if mine:
                    lines.append(f"| {columns} | {tables} | {labels:,} | {len(mine)} | {_summary(mine)} |")
    return "\n".join(lines) + "\n"


def _summary(cells: "Sequence[Cell]") -> str:
    error, width = ([getattr(cell, name) for cell in cells] for name in ("error", "width"))
    bound = [max(max(cell.high[i], cell.low[i]) / cell.reps for cell in cells) for i in (0, 1)]
    both = [max(cell.missed[i] / cell.reps for cell in cells) for i in (0, 1)]
    shares = [f"{value:.2f}" for value in (_mean(error), max(error), _mean(width), max(width))]
    return " | ".join([*shares, *(f"{100 * before:.1f}, {100 * after:.1f}" for before, after in (bound, both))])


def _mean(values: Sequence[float]) -> float:
    return float(np.exp(np.mean(np.log(values))))


def _broken(cells: "Sequence[Cell]") -> str:
    bounds = [(cell, cell_misses) for cell in cells for cell_misses in (cell.high[1], cell.low[1], cell.missed[1])]
    rejected = [cell for cell, misses in bounds if binom.sf(misses - 1, cell.reps, 0.05) < TESTED / len(bounds)]
    named = ": " + "; ".join(f"{cell.name}, {cell.columns}, {cell.metric}, {cell.labels:,}" for cell in rejected) if rejected else ""
    return f"An exact binomial test at {TESTED:g} over {len(bounds):,} bounds and intervals with columns rejects {len(rejected)}{named}."


def _worst(cells: "Sequence[Cell]") -> str:
    """The cells in which the columns did most harm."""
    lines = ["| columns | table and model | metric | labels | squared error |", "|---|---|---|--:|--:|"]
    for cell in sorted(cells, key=lambda one: -one.error)[:10]:
        lines.append(f"| {cell.columns} | {cell.name} | {cell.metric} | {cell.labels:,} | {cell.error:.3f} |")
    return "The ten cells in which they did most harm:\n\n" + "\n".join(lines)
