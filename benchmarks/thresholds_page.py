"""docs/thresholds.md: what benchmarks.thresholds measured, in words and tables."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from benchmarks.judging import verdict_of


class RibbonRow(NamedTuple):
    """A metric at all thresholds of one table. Widths of the ribbon are over the mean width of an interval alone (`width`)."""

    table: str
    model: str
    metric: str
    thresholds: int
    lowest: float
    alone: float
    together: float
    hits: int
    ribbon: float
    everywhere: float
    ratio: float
    width: float
    everywhere_ratio: float
    tail: float
    reps: int


class SearchRow(NamedTuple):
    """A search on one table. below: runs whose threshold has a true precision below the target; units, recall: 0 where none is found."""

    table: str
    model: str
    target: float
    labels: int
    kind: str
    tried: int
    reps: int
    found: float
    below: int
    units: float
    recall: float
    pointwise: float
    plugged: float
    holds: bool


def page(
    ribbons: Sequence[RibbonRow],
    searches: Sequence[SearchRow],
    compared: dict[str, Any] | None,
    *,
    reps: int,
    seed: int,
    twin_reps: int,
    mapie_reps: int,
) -> str:
    """The page."""
    lines = [
        "# Thresholds from one set of labels",
        "",
        f"    python -m benchmarks.thresholds --data FOLDER --reps {reps} --seed {seed} --mapie PYTHON --out docs/thresholds.md",
        "",
        "Tables of real predictions whose truth is known (they are not part of fewlabels). The guide is the classifier's own "
        "score. Why it holds: "
        "[maths](maths/thresholds.md).",
        "",
        *_search_part(searches, compared, twin_reps=twin_reps, mapie_reps=mapie_reps),
        *_ribbon_part(ribbons),
    ]
    return "\n".join(lines) + "\n"


def _search_part(searches: Sequence[SearchRow], compared: dict[str, Any] | None, *, twin_reps: int, mapie_reps: int) -> list[str]:
    worst = max(searches, key=lambda r: r.below / r.reps)
    failing = [r for r in searches if not r.holds]
    version = f"MAPIE {compared['version']}" if compared else "MAPIE (not run)"
    lines = [
        "## The lowest threshold with a precision of at least a target",
        "",
        f"{searches[0].reps:,} studies a row, level 95 %. *found*: share of studies that find a threshold. *below*: share whose "
        f"threshold has "
        "a true precision below the target, which may be 5 %. *units*, *recall*: flagged at the threshold found and their true "
        "recall, 0 where "
        "none is found. *precision*: the draw of a precision goal at the classifier's own threshold, as a study makes it; *search*: a draw "
        "made for the search (benchmarks/search_draw.py), which fewlabels does not offer. "
        f"{version}, {mapie_reps} studies with as many simple random labels: *Holm* as it comes, *sequence* from the highest of "
        f"its thresholds "
        "that flags labels enough. Each is followed by its mean units. *made-up flat*: precision is about 79 % from "
        "any score up, so a threshold found is wrong. A draw with no more units than labels takes them all and knows precision exactly.",
        "",
        f"The largest share below the target is {worst.below / worst.reps:.3f} ({worst.table} {worst.model}, {worst.labels:,} labels); "
        + ("no row" if not failing else f"{len(failing)} rows")
        + " beyond what an error of 5 % gives by chance (exact binomial, 1 in 1,000).",
        "",
        "| table | target | labels | draw | tried | found | below | units | recall | MAPIE Holm | units | MAPIE sequence | units |",
        "|---|--:|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for i, r in enumerate(searches):
        mapie = _mapie(compared, i // 2) if r.kind == "search" else "| | | | |"
        lines.append(
            f"| {r.table} {r.model} | {r.target:g} | {r.labels:,} | {r.kind} | {r.tried} | {r.found:.2f} | "
            f"{r.below / r.reps:.3f}{'' if r.holds else ' (no)'} | {r.units:,.0f} | {r.recall:.2f} {mapie}"
        )
    return [*lines, "", *_twin_part(searches, twin_reps)]


def _mapie(compared: dict[str, Any] | None, case: int) -> str:
    if compared is None:
        return "| | | | |"
    holm, sequence = (compared["results"][case][way] for way in ("holm", "sequence"))
    return f"| {holm['found']:.2f} | {holm['units']:,.0f} | {sequence['found']:.2f} | {sequence['units']:,.0f} |"


def _twin_part(searches: Sequence[SearchRow], twin_reps: int) -> list[str]:
    lines = [
        "### What must fail, and does",
        "",
        f"The lowest threshold whose own 95 % bound passes, without an order (*bound*), and the lowest whose estimate passes "
        f"(*estimate*): "
        f"share whose true precision is below the target, {twin_reps} studies. With well-ordered scores the bounds of "
        f"neighboring thresholds "
        "fail together and the first does little harm; where precision is flat it does.",
        "",
        "| table | target | labels | draw | in order | bound | estimate |",
        "|---|--:|--:|---|--:|--:|--:|",
    ]
    lines += [
        f"| {r.table} {r.model} | {r.target:g} | {r.labels:,} | {r.kind} | {r.below / r.reps:.3f} | {r.pointwise:.3f} | {r.plugged:.3f} |"
        for r in searches
    ]
    return [*lines, ""]


def _ribbon_part(ribbons: Sequence[RibbonRow]) -> list[str]:
    main = [r for r in ribbons if r.metric != "f1"]
    lines = [
        "## Ribbons",
        "",
        f"1,000 labels drawn for F1, {ribbons[0].reps:,} studies, level 95 %, from the highest threshold that flags five labels "
        f"down to all "
        "units. *ribbon*: share of studies in which it holds at all thresholds of the curve together; *between*: at every bin "
        "of the ladder in "
        "that range, with what follows for thresholds between (not made for f1). *width*: the mean width of an interval alone; "
        "*x*: that of the "
        "ribbon over it, then between. *lowest*: coverage of an interval alone at its worst threshold. *together*: share of "
        "studies in which "
        "the intervals alone hold at all thresholds, what a ribbon is needed for.",
        "",
        f"Precision and recall: ribbons hold in {min(r.ribbon for r in main):.3f} to {max(r.ribbon for r in main):.3f} of "
        f"studies and are "
        f"{min(r.ratio for r in main):.2f} to {max(r.ratio for r in main):.2f} times as wide as an interval alone. That positives "
        "found cannot fall as a threshold does keeps them narrow: all thresholds together know it, one alone does not.",
        "",
        "| table | metric | thresholds | ribbon | x | between | x | width | lowest | together |",
        "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for r in ribbons:
        between = "| |" if r.metric == "f1" else f"| {r.everywhere:.3f} | {r.everywhere_ratio:.2f}"
        lines.append(
            f"| {r.table} {r.model} | {r.metric} | {r.thresholds} | {r.ribbon:.3f}{verdict_of(r.hits, r.reps)} | {r.ratio:.2f} "
            f"{between} | "
            f"{r.width:.3f} | {r.lowest:.3f} | {r.together:.3f} |"
        )
    return lines
