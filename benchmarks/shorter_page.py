"""docs/shorter.md: how short the default interval is and how small the error, beside the version before and beside other draws."""

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from benchmarks.shorter import Row

Z = 1.959964
NEAR_CENSUS = 0.5  # of the frame
MUCH = 1.15  # times another squared error


class Pair(NamedTuple):
    """A cell by this version and by the one before."""

    now: "Row"
    before: "Row"

    @property
    def chosen(self) -> str:
        """Table and model."""
        return f"{self.now.table} {self.now.model}"

    @property
    def arm(self) -> float:
        """The longer arm over the one before."""
        return self.now.arm / self.before.arm

    @property
    def floor(self) -> float:
        """How long it must be without belief, over the one before."""
        return self.now.floor / self.before.arm

    @property
    def allowed(self) -> float:
        """How long it may be, over the one before."""
        return max(1.25, 1.15 * self.floor)


def page(rows: "Sequence[Row]", *, reps: tuple[int, int], chosen_on: Collection[str]) -> str:
    """The page."""
    before = {row.key: row for row in rows if row.version == "before"}
    pairs = [Pair(row, before[row.key]) for row in rows if row.version == "now" and row.key in before]
    head = f"""# How short, beside the version before and other draws

    make shorter DATA=FOLDER FOLDER=FOLDER BEFORE=CHECKOUT

Draws by bands made for the metric, with the default interval at 95 %, over those of the version before: the draw of
[decision 0005](decisions/0005-mixture.md) with `rec`, which believes the scores. {len(pairs):,} cells of 21 tables and models,
{reps[0]:,} replicates each for errors and {reps[1]:,} for intervals. *Chosen on*: seven tables on which constants were chosen. Means are
geometric; beside each, the largest.
"""
    parts = [
        head,
        "## The longer arm, over the version before\n",
        _table(pairs, chosen_on, lambda pair: pair.arm),
        _beyond(pairs),
        "## Half the width over 1.96 errors\n",
        "How much longer the interval is than one that knew its own error, before and now.\n",
        _lengths(pairs),
        _simple(pairs),
        "## Squared error, over the version before\n",
        _table(pairs, chosen_on, _over_before),
        _over(pairs, _over_before),
        "## Squared error, over ten strata by the square-root rule with Neyman's takes\n",
        _table(pairs, chosen_on, _over_strata),
        _over(pairs, _over_strata),
        _census(pairs),
    ]
    return "\n".join(parts) + "\n"


def _mean(values: Sequence[float]) -> float:
    return float(np.exp(np.mean(np.log(np.maximum(values, 1e-12)))))


def _table(pairs: Sequence[Pair], chosen_on: Collection[str], of: Callable[[Pair], float]) -> str:
    sizes = sorted({pair.now.labels for pair in pairs})
    lines = [f"| metric | tables | {' | '.join(f'{n:,}' for n in sizes)} |", f"|---|---|{'--:|' * len(sizes)}"]
    for metric in dict.fromkeys(pair.now.metric for pair in pairs):
        for name, mine in (("chosen on", True), ("others", False), ("all", None)):
            cells = [pair for pair in pairs if pair.now.metric == metric and mine in (None, pair.chosen in chosen_on)]
            each = [[of(pair) for pair in cells if pair.now.labels == n] for n in sizes]
            lines.append(f"| {metric} | {name} | {' | '.join(f'{_mean(x):.2f} ({max(x):.2f})' if x else '-' for x in each)} |")
    return "\n".join(lines) + "\n"


def _over_before(pair: Pair) -> float:
    return pair.now.error / pair.before.error


def _over_strata(pair: Pair) -> float:
    return pair.now.error / pair.now.strata_error


def _over(pairs: Sequence[Pair], of: Callable[[Pair], float]) -> str:
    """The mean of all cells, and where it is much larger than 1."""
    much = sorted((pair for pair in pairs if of(pair) > MUCH), key=of, reverse=True)
    said = f"All {len(pairs):,} cells: {_mean([of(pair) for pair in pairs]):.3f}. Above {MUCH:g}: {len(much)}"
    return said + (", the largest:" if much else ".") + _named(much, lambda pair: f"{of(pair):.2f}") + "\n"


def _beyond(pairs: Sequence[Pair]) -> str:
    """The cells whose arm is longer than it may be."""
    beyond = [pair for pair in pairs if pair.arm > pair.allowed]
    said = f"Longer than 1.25 times, and than 1.15 times the floor of its own draw: {len(beyond)} of {len(pairs):,} cells."
    return said + _named(beyond, lambda pair: f"{pair.arm:.2f}, floor {pair.floor:.2f}") + "\n"


def _named(pairs: Sequence[Pair], figure: Callable[[Pair], str]) -> str:
    return "".join(f"\n- {pair.chosen}, {pair.now.metric}, {pair.now.labels:,} labels: {figure(pair)}" for pair in pairs[:20])


def _lengths(pairs: Sequence[Pair]) -> str:
    sizes = sorted({pair.now.labels for pair in pairs})
    lines = [f"| metric | {' | '.join(f'{n:,}' for n in sizes)} |", f"|---|{'--:|' * len(sizes)}"]
    for metric in dict.fromkeys(pair.now.metric for pair in pairs):
        entries = []
        for n in sizes:
            cells = [pair for pair in pairs if (pair.now.metric, pair.now.labels) == (metric, n)]
            if not cells:
                entries.append("-")
                continue
            before, now = (
                _mean([row.half / (Z * row.error**0.5) for row in rows]) for rows in ([p.before for p in cells], [p.now for p in cells])
            )
            entries.append(f"{before:.2f}, {now:.2f}")
        lines.append(f"| {metric} | {' | '.join(entries)} |")
    return "\n".join(lines) + "\n"


def _simple(pairs: Sequence[Pair]) -> str:
    wider = [[row for row in rows if row.half > row.simple_half] for rows in zip(*pairs, strict=True)]
    shares = [f"{len(rows)} of {len(pairs):,}" for rows in wider]
    return f"Wider than the interval of a simple draw with as many labels: {shares[0]} cells, before {shares[1]}.\n"


def _census(pairs: Sequence[Pair]) -> str:
    near = [pair for pair in pairs if pair.now.metric == "precision" and pair.now.labels > NEAR_CENSUS * pair.now.frame]
    if not near:
        return ""
    shares = [pair.now.error / pair.now.proportional_error for pair in near]
    return (
        f"Precision where more than half of the flagged units are labeled, over proportional strata: {_mean(shares):.2f}, at most "
        f"{max(shares):.2f} ({len(near)} cells)."
    )
