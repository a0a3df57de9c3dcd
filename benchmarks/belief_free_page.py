"""docs/belief-free.md: how often the bound that decides by default is wrong, wherever positives are."""

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

from scipy.stats import binom

from benchmarks.judging import verdict

if TYPE_CHECKING:
    from benchmarks.belief_free import Again, Cell

TESTED = 0.01  # over the number of cells
MOST = 0.055  # of 20,000 replicates, at 5 %


def page(cells: "Sequence[Cell]", *, chosen_on: Collection[str], again: "Sequence[Again]", left: int) -> str:
    """The page; `again` are the cells that were made with 20,000 replicates, `left` those that are still to be."""
    tables = (
        _table(cells, "way", lambda cell: cell.way),
        _table(cells, "scores", lambda cell: cell.scores),
        _table(cells, "chosen on this table", lambda cell: "yes" if cell.where in chosen_on else "no"),
    )
    return "\n".join([_head(cells), *tables, _broken(cells), *_fresh(again, left), _two_sided(cells), ""])


SCORES = {
    "own": "as they are",
    "too sure": "*too sure*: log-odds three times too large",
    "shuffled": "*shuffled* over all units",
    "reversed": "*reversed* inside each side",
    "hidden evenly": "*hidden evenly*: positives, a thousandth of all units, added to the lowest 80 % of the unflagged ones",
    "hidden by water-filling": "*hidden by water-filling*: positives added where this draw would show them least",
}


def _head(cells: "Sequence[Cell]") -> str:
    fewest, most = min(cell.reps for cell in cells), max(cell.reps for cell in cells)
    told = "; ".join(SCORES[scores] for scores in dict.fromkeys(cell.scores for cell in cells))
    places = len(dict.fromkeys(cell.where for cell in cells))
    return f"""# The bound that decides, wherever positives are

    make belief-free DATA=FOLDER FOLDER=FOLDER

How often the one-sided bound of `placed` is wrong, of {fewest:,} to {most:,} replicates a cell, 600 labels drawn for the metric.
{len(cells):,} cells: {places} tables and made-up populations. Scores: {told}.
*grown*: bands made for a half or a third of the labels, and split when the study grew. *five looks*: wrong at any of them. *pilot*: two
phases, which are read by strict; eight second draws after each pilot. Each entry is the highest share of misses over the cells, of the
lower and the upper bound, in %, at 5 % and at 1 %. Cells are screened with 1,000 replicates (400 after pilots): one that is right 95 % of
the time shows 6.5 % or more once in fifty, so the highest of hundreds says little; the test at the end says more.
"""


def _table(cells: "Sequence[Cell]", title: str, part: "Callable[[Cell], str]") -> str:
    metrics = list(dict.fromkeys(cell.metric for cell in cells))
    lines = [f"| {title} | {' | '.join(metrics)} | cells | lowest two-sided coverage |", f"|---|{'--:|' * (len(metrics) + 2)}"]
    for value in dict.fromkeys(part(cell) for cell in cells):
        mine = [cell for cell in cells if part(cell) == value]
        entries = [_highest([cell for cell in mine if cell.metric == metric]) for metric in metrics]
        lowest = min(1 - cell.missed / cell.reps for cell in mine)
        lines.append(f"| {value} | {' | '.join(entries)} | {len(mine):,} | {lowest:.3f} |")
    return "\n".join(lines) + "\n"


def _highest(cells: "Sequence[Cell]") -> str:
    return " / ".join(f"{100 * max(cell.worst(tail) for cell in cells):.1f}" for tail in (0.05, 0.01)) if cells else "-"


def _fresh(again: "Sequence[Again]", left: int) -> list[str]:
    """What the cells that were wrong most often show with 20,000 fresh replicates."""
    lines: list[str] = []
    if again:
        high = [one for one in again if one.after.worst(0.05) > MOST]
        lines += [
            "The cells that are wrong most often at 5 % were made again with 20,000 replicates of fresh seeds (8,000 after pilots), "
            f"{len(again):,} of them. At most 5.5 % is asked; {len(high):,} are above it:",
            "",
            "| where | scores | way | metric | misses before | misses again |",
            "|---|---|---|---|--:|--:|",
        ]
        for before, after in sorted(again, key=lambda one: one.after.worst(0.05), reverse=True):
            where = f"{after.where} | {after.scores} | {after.way} | {after.metric}"
            lines.append(f"| {where} | {before.worst(0.05):.4f} | {after.worst(0.05):.4f} |")
        lines.append("")
    if left:
        lines += [f"{left:,} cells are wrong in more than 5.65 % of 4,000 replicates and were not made with 20,000.", ""]
    return lines


def _broken(cells: "Sequence[Cell]") -> str:
    count = 2 * len(cells)  # both bounds
    rejected = [
        (cell, tail)
        for cell in cells
        for tail in (0.05, 0.01)
        if binom.sf(round(cell.worst(tail) * cell.reps) - 1, cell.reps, tail) < TESTED / count
    ]
    lines = [
        f"An exact binomial test at 0.01 over {count:,} bounds rejects {len(rejected)} at 5 % or 1 %." + (" They are:" if rejected else ""),
        "",
    ]
    if rejected:
        lines += ["| where | scores | way | metric | tail | misses | replicates |", "|---|---|---|---|--:|--:|--:|"]
        lines += [
            f"| {cell.where} | {cell.scores} | {cell.way} | {cell.metric} | {tail:g} | {cell.worst(tail):.4f} | {cell.reps:,} |"
            for cell, tail in sorted(rejected, key=lambda one: -one[0].worst(one[1]) / one[1])
        ]
        lines.append("")
    return "\n".join(lines)


def _two_sided(cells: "Sequence[Cell]") -> str:
    """How many intervals at 95 % pass by the rule of the atlas."""
    short = [cell for cell in cells if verdict(cell.reps - cell.missed, cell.reps) != "passes"]
    said = f"Two-sided at 95 %, by the rule of the [atlas](atlas.md): {len(cells) - len(short):,} of {len(cells):,} cells pass."
    named = (f"\n- {', '.join(cell.key)}: {1 - cell.missed / cell.reps:.3f} of {cell.reps:,}" for cell in short)
    return said + "".join(named)
