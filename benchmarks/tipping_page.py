"""docs/tipping.md: whether the labels rule out what truly hides."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from scipy.stats import binom

if TYPE_CHECKING:
    from benchmarks.tipping import Limits, Price

TESTED = 0.01  # over the number of tests


def page(limits: "Sequence[Limits]", prices: "Sequence[Price]") -> str:
    """The page."""
    return "\n".join([_head(limits), *_limits(limits), "", *_prices(prices), ""])


def _too_often(count: int, reps: int, tail: float, tests: int) -> bool:
    return bool(binom.sf(count - 1, reps, tail) < TESTED / tests)


def _head(limits: "Sequence[Limits]") -> str:
    reps, verdicts = limits[0].reps, limits[0].verdicts
    rejected = [
        f"{one.where}, {one.scores}"
        for one in limits
        if _too_often(one.above, one.reps, 0.05, 3 * len(limits))
        or _too_often(one.above_half, one.reps, 0.025, 3 * len(limits))
        or _too_often(one.false, one.verdicts, 0.05, 3 * len(limits))
    ]
    said = f"Rejected by an exact binomial test at {TESTED} over the number of tests: {'; '.join(rejected) or 'none'}."
    return f"""# Tipping points: is what hides ruled out only if it does not hide?

    make tipping DATA=FOLDER

The region is that of a plan of 600 labels for recall ([what it is](maths/tipping.md)), in {len(limits)} places: tables and made-up
populations with their own scores, with positives hidden evenly in the lowest 80 % of the unflagged units, and hidden where this draw would
show them least. {reps:,} draws each, {verdicts:,} for the verdict. *More than U*: more positives are in the region than the labels rule
out, at 5 % and at 2.5 %, the half that a verdict uses. *Falsely stands*: the target, which the truth just misses, is said to stand whatever
hides; at most 5 %.

{said}
"""


def _limits(limits: "Sequence[Limits]") -> list[str]:
    lines = [
        "| where | scores | units in the region | labels there | positives there | more than U at 5 % | at 2.5 % | falsely stands |",
        "|---|---|--:|--:|--:|--:|--:|--:|",
    ]
    for one in limits:
        above, half = f"{one.above / one.reps:.1%}", f"{one.above_half / one.reps:.1%}"
        counts = f"{one.units:,} | {one.labels:,} | {one.hidden:,}"
        lines.append(f"| {one.where} | {one.scores} | {counts} | {above} | {half} | {one.false / one.verdicts:.1%} |")
    return lines


def _prices(prices: "Sequence[Price]") -> list[str]:
    lines = [
        "## The price",
        "",
        "Labels spread evenly over the region, as many as it takes to rule out more than m if none of them is positive: how often they do.",
        "With none there they always should; with as many as the scores expect, as often as the labels show none of them (*stated*); with",
        "m + 1 there, at most 2.5 % of the time.",
        "",
        "| where | units | m | labels | none there | the scores expect | ruled out | stated | m + 1 there |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for one in prices:
        ruled = [f"{count / one.reps:.1%}" for count in (one.none_there, one.with_expected, one.with_more)]
        asked = f"{one.where} | {one.units:,} | {one.most:,} | {one.labels:,}"
        lines.append(f"| {asked} | {ruled[0]} | {one.expected:,} | {ruled[1]} | {one.chance:.1%} | {ruled[2]} |")
    return lines
