"""docs/comparing.md: the rows of the comparing benchmark, and the page they make."""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from benchmarks.judging import verdict_of
from fewlabels.nouns.estimate import IntervalKind

METRICS = ("f1", "recall", "precision", "accuracy")
KINDS: tuple[IntervalKind, ...] = ("rec", "strict", "wald")
Guide = Literal["own", "shuffled", "reversed"]
GUIDES: tuple[Guide, ...] = ("own", "shuffled", "reversed")


class Row(NamedTuple):
    """One pair, metric, budget and guide."""

    pair: str
    metric: str
    labels: int
    guide: Guide
    truth: float
    hits: dict[IntervalKind, int]
    half_width: float
    two: int | None  # labels of two draws as wide; None where it was not asked


class Family(NamedTuple):
    """False claims among classifiers that tie."""

    k: int
    metric: str
    labels: int
    holm: int
    bare: int  # a claim wherever a pair's own Wald interval at the level excludes 0


def page(found: Sequence[Row], false: Sequence[Family], *, reps: int, seed: int) -> str:
    """docs/comparing.md."""
    own = [r for r in found if r.guide == "own"]
    ratios = {name: [r.labels / r.two for r in own if r.two is not None and r.metric == name] for name in METRICS}
    failing = {kind: sum(verdict_of(r.hits[kind], reps) != "" for r in found) for kind in KINDS}
    least = {kind: min(r.hits[kind] for r in found) / reps for kind in KINDS}
    lines = [
        "# Differences of two classifiers",
        "",
        f"    python -m benchmarks.comparing --data FOLDER --reps {reps} --seed {seed} --out docs/comparing.md",
        "",
        "The first classifier's metric less the second's, from one draw made for the difference. The guide is the first's score (own), the "
        "same permuted over the units of each pattern of decisions (shuffled), or turned round in it (reversed). Budgets that would label "
        "all the difference depends on are left out: they are exact. A cell passes if an exact binomial test at 1e-3 does not reject a "
        f"true coverage of 0.94; {reps:,} replicates, nominal 0.95. How the interval is made: [maths](maths/comparing.md).",
        "",
        *(f"- {kind}: {failing[kind]} of {len(found)} cells do not pass; lowest coverage {least[kind]:.3f}." for kind in KINDS),
        *(f"- {name}: labels over those of two draws as wide {min(of):.3f} to {max(of):.3f}." for name, of in ratios.items()),
        "",
        *_coverage_table(own, reps),
        "",
        *_guide_table(found, reps),
        "",
        *_family_table(false, reps),
    ]
    return "\n".join(lines) + "\n"


def _coverage_table(own: Sequence[Row], reps: int) -> Iterator[str]:
    yield "## Coverage and price, the guide as it is\n"
    yield (
        "*two draws*: labels of a draw for each classifier, half each, in its default bands for the metric, whose difference has the same "
        "mean width (MOVER of the two intervals, 200 replicates, to two per cent); *share*: labels over those."
    )
    yield ""
    yield "| pair | metric | truth | labels | rec | strict | wald | half-width | two draws | share |"
    yield "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|"
    for r in own:
        marks = " | ".join(f"{r.hits[kind] / reps:.3f}{verdict_of(r.hits[kind], reps)}" for kind in KINDS)
        price = "| |" if r.two is None else f"{r.two:,} | {r.labels / r.two:.3f} |"
        yield f"| {r.pair} | {r.metric} | {r.truth:+.4f} | {r.labels:,} | {marks} | {r.half_width:.5f} | {price}"


def _guide_table(found: Sequence[Row], reps: int) -> Iterator[str]:
    yield "## Whatever the guide\n"
    yield "| guide | metric | cells | lowest rec | rec not passing | lowest wald | wald not passing |"
    yield "|---|---|--:|--:|--:|--:|--:|"
    for guide in GUIDES:
        for name in METRICS:
            mine = [r for r in found if (r.guide, r.metric) == (guide, name)]
            parts = [
                (min(r.hits[k] for r in mine) / reps, sum(verdict_of(r.hits[k], reps) != "" for r in mine)) for k in (KINDS[0], KINDS[2])
            ]
            yield f"| {guide} | {name} | {len(mine)} | " + " | ".join(f"{low:.3f} | {failed}" for low, failed in parts) + " |"


def _family_table(false: Sequence[Family], reps: int) -> Iterator[str]:
    yield "## Ranking classifiers that tie\n"
    yield (
        "Classifiers with exactly the same confusion matrix: every claim that one is better is false. Studies with at least one such "
        "claim, by Holm's rule at level 0.95, and by every pair's own Wald interval (a twin that must fail)."
    )
    yield ""
    yield "| classifiers | metric | labels | Holm | bare Wald |"
    yield "|--:|---|--:|--:|--:|"
    for f in false:
        yield f"| {f.k} | {f.metric} | {f.labels:,} | {f.holm / reps:.4f} | {f.bare / reps:.4f} |"
