"""docs/recycling.md: the tables and what they say."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.stats import binom

from benchmarks.judging import verdict_of
from benchmarks.recycling_many import EPS, GUIDED_FLOOR, ONE_DRAW, PILOT, Score
from benchmarks.recycling_paper import LABELS, PAPER, TRIALS, Box, Saving, Totals

OTHER_N = 1_068
DRAWS = 20  # of each trial of Figure 2
Grid = dict[tuple[float, float], Saving]


class Study(NamedTuple):
    """All ways on one set of classifiers, planned in one way."""

    name: str
    pilot: bool
    found: list[Score]

    @property
    def head(self) -> str:
        """The first two columns of its rows."""
        return f"| {self.name} | {'pilot' if self.pilot else 'truth'} | "

    def fewer(self, way: str, parent: str) -> float:
        """Labels of a way below those of recycling, in %."""
        labels = {s.way: s.labels for s in self.found}
        return 100 * (1 - labels[way] / labels[f"recycled from the {parent}"])


TABLE_ONE = """## Savings of one parent and one child

Saving in % of the child's {n:,} labels, {trials} trials a cell, |A_P and A_C| even in [10,000, 100,000], draws without replacement.
*paper*: mean and 95 % range of its Table 1. *recycling*: mean and 95 % range of labels not drawn. *different units*: the same with units
counted once, against simple draws that also meet some of the parent's units by luck. *Lemma 3*: the exact expectation,
`expected_savings`. *one draw*: every unit at the larger of the two rates, takes fixed by pattern.

The mean lies in the paper's range in {inside} of {cells} cells. One draw never saves less than recycling. Both save the smaller of n_P PIR
and n_C CIR, but recycling leaves the first to chance: where the two are equal that costs up to {gap:.2f} points, where they differ nothing.
"""

GRID_MEAN = """Over all 361 cells the mean saving is {drawn:.2f} % by labels drawn (Lemma 3: {expected:.2f} %) and {different:.2f} % by
different units; 33.68 % in the paper; one draw: {one_draw:.2f} %. 95 % of all runs lie between {low:.2f} and {high:.2f} % (paper: 4.43 and
82.98). With {other:,} labels the means are {drawn2:.2f} and {different2:.2f} %.

The paper does not say how many labels its Table 1 used. Means do not tell {other:,} from {n:,}, and its ranges agree with neither. At PIR
0.05 and CIR 0.85 the saving is a binomial share, in 95 % of trials within [{a:.2f}, {b:.2f}] for {n:,} labels and [{c:.2f}, {d:.2f}] for
{other:,}; the paper has [2.79, 6.70]. At 0.85 and 0.85 its lower end, 55.49, is {sds:.0f} standard deviations below 85. Its sizes must have
varied between trials, with n_P well below n_C in some. {n:,} is what its section 5.2 uses.
"""


def table_one(found: Grid, other: Grid) -> list[str]:
    """The paper's Table 1 again, and the mean over all 361 cells."""
    inside = sum(low <= found[p, c].drawn.mean() <= high for p, c, _, low, high in PAPER)
    gap = max(s.one_draw - s.expected for s in found.values())
    return [
        TABLE_ONE.format(n=LABELS, trials=TRIALS, inside=inside, cells=len(PAPER), gap=gap),
        _grid_mean(found, other),
        "| PIR | CIR | paper | recycling | different units | Lemma 3 | one draw |",
        "|--:|--:|--:|--:|--:|--:|--:|",
        *(_cell(row, found[row[0], row[1]]) for row in PAPER),
        "",
    ]


def _cell(row: tuple[float, float, float, float, float], s: Saving) -> str:
    p, c, mean, low, high = row
    a, b = np.percentile(s.drawn, [2.5, 97.5])
    mark = "" if low <= s.drawn.mean() <= high else " (outside)"
    ours = f"{s.drawn.mean():.2f} [{a:.2f}, {b:.2f}]{mark} | {s.different.mean():.2f} | {s.expected:.2f} | {s.one_draw:.2f}"
    return f"| {p} | {c} | {mean:.2f} [{low:.2f}, {high:.2f}] | {ours} |"


def _grid_mean(found: Grid, other: Grid) -> str:
    def mean(cells: Grid, name: str) -> float:
        return float(np.mean([np.mean(getattr(s, name)) for s in cells.values()]))

    low, high = np.percentile(np.concatenate([s.different for s in found.values()]), [2.5, 97.5])
    a, b, c, d = (100 * float(binom.ppf(q, n, 0.05)) / n for n in (LABELS, OTHER_N) for q in (0.025, 0.975))
    means = {name: mean(found, name) for name in ("drawn", "expected", "different", "one_draw")}
    second = {f"{name}2": mean(other, name) for name in ("drawn", "different")}
    sds = (85 - 55.49) / (100 * np.sqrt(0.85 * 0.15 / LABELS))
    return GRID_MEAN.format(**means, **second, low=low, high=high, a=a, b=b, c=c, d=d, n=LABELS, other=OTHER_N, sds=sds)


FIGURE_TWO = """## Three models and their vote

The simulation of the paper's section 5.2: {trials} trials, {draws} draws of each, a million positives in 2 to 100 million units, the vote
as parent, {n:,} labels a classifier. Units are counted by block of scores and pattern, never listed. The paper gives no recall for models
2 and 3: they have model 1's here. In %: median saving and its 2.5th percentile; quartiles and means of the precision error and of the
farther limit of a normal interval, recycled and by simple draws.
"""


def figure_two(boxes: Sequence[Box], sums: Totals) -> list[str]:
    """The paper's Figure 2 again."""
    return [
        FIGURE_TWO.format(trials=TRIALS, draws=DRAWS, n=LABELS),
        "| model | saving | 2.5th | error, recycled | error, simple | means | interval, recycled | interval, simple | means |",
        "|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
        *(_model(m, box) for m, box in enumerate(boxes, start=1)),
        "",
        f"All four classifiers together, different units, mean over trials: {sums.separate.mean():,.0f} labels separately, "
        f"{sums.recycled.mean():,.0f} recycled from the vote, {sums.one_draw.mean():,.0f} in one draw: in no trial more than "
        f"{(sums.one_draw / sums.recycled).max():.4f} times recycling's.",
        "",
    ]


def _model(m: int, b: Box) -> str:
    low, mid = np.percentile(b.saving, [2.5, 50])
    shown = []
    for pair in (b.error, b.reach):
        shown += [" / ".join(f"{q:.2f}" for q in np.percentile(v, [25, 50, 75])) for v in pair]
        shown.append(f"{pair[0].mean():.3f}, {pair[1].mean():.3f}")
    return f"| {m} | {mid:.1f} | {low:.1f} | " + " | ".join(shown) + " |"


MANY = """## Labels until every precision is known to +-{eps:g}

A classifier alone needs n_c = z^2 p (1 - p) / 0.03^2 labels with the finite population factor; p is the truth, or (k + 1) / (n + 2) of a
pilot of {pilot} labels a classifier (a new pilot in each replicate; not counted, not read again). Labels are different units, mean of
{reps:,} replicates. Three models and their vote on real tables; five and ten made-up ones and their vote (200,000 units, 5 % positive,
scores of correlation rho given the truth; precisions mostly 0.5 to 0.95 in the mixed sets, 0.8 to 0.98 in the precise ones).

- *separate*: a simple draw for each. *recycled*: from the vote, or from the parent that needs the fewest labels.
- *largest*: one draw, pi = the largest n_c / N1_c of those who flag a unit, constant inside a pattern of decisions.
- *optimum*: the fewest labels with every linearized variance as in the own draw, p (1 - p) constant, no rate below 0.7 of the largest.
- *guided*, apart because it knows more: where answers vary, by pattern and score (with the truth: the true share of each part of a
  pattern; with the pilot: a logistic fit on votes and scores). No rate below {floor:g} of the largest, a floor chosen on these tables
  and on other made-up sets.
"""

JUDGED = """The lowest share, over classifiers, of replicates with an error of at most 0.03, and of 95 % intervals that held the truth (REC
on groups fixed before any label). A mark says that an exact binomial test at 1e-3 rejects 0.94 (caution), or that less than 0.90 was seen
(refuse).
"""


def labels_table(found: Sequence[Study], reps: int) -> list[str]:
    """Labels, errors and coverage for k classifiers."""
    ways = [s.way for s in found[0].found]
    judged = [f"{w}: {what}" for w in ONE_DRAW for what in ("error", "coverage")]
    parents = [(way, parent) for parent in ("vote", "best") for way in ONE_DRAW]
    return [
        MANY.format(eps=EPS, pilot=PILOT, reps=reps, floor=GUIDED_FLOOR),
        *_header(ways),
        *(s.head + " | ".join(f"{w.labels:,.0f}" for w in s.found) + " |" for s in found),
        "",
        "Fewer labels than recycling, in %, from the vote and from the best parent:",
        "",
        *_header([f"{way}, {parent}" for way, parent in parents]),
        *(s.head + " | ".join(f"{s.fewer(*pair):.1f}" for pair in parents) + " |" for s in found),
        "",
        JUDGED,
        *_header(["separate: error", "from the vote: error", "from the best: error", *judged]),
        *(s.head + " | ".join(share for w in s.found for share in _shares(w, reps)) + " |" for s in found),
        "",
    ]


def _header(columns: Sequence[str]) -> list[str]:
    return ["| set | p from | " + " | ".join(columns) + " |", "|---|---|" + "--:|" * len(columns)]


def _shares(s: Score, reps: int) -> list[str]:
    lowest = [int(hits.min()) for hits in (s.within, s.covered) if hits is not None]
    return [f"{hits / reps:.3f}{verdict_of(hits, reps)}" for hits in lowest]
