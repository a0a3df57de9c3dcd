"""Planned looks: do the intervals of all of them hold together, are decisions at the threshold as rarely wrong as said, what is saved?

python -m benchmarks.planned_looks --data FOLDER --reps 4000 --seed 42 --out docs/planned-looks.md
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.comparing import Judged, asked, drawn_for, load
from benchmarks.judging import verdict_of
from benchmarks.made import GuideMode, known, noise, overconfident, precise, turned
from benchmarks.options import read_options
from fewlabels.deciding.planned_looks import PlannedLook, planned_looks
from fewlabels.designs.base import takes_of
from fewlabels.estimators.comparing import PairGroups
from fewlabels.estimators.grouping import Groups, groups_of
from fewlabels.estimators.measuring import Measured, measure
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.estimate import IntervalKind
from fewlabels.nouns.metric import Metric
from fewlabels.nouns.metrics import metric_named
from fewlabels.nouns.tally import AnyTally
from fewlabels.planning.design_choice import DesignName, choose_design
from fewlabels.planning.goal_scope import contest_of
from fewlabels.randomness import stream
from fewlabels.study.simulate import true_value

LEVEL = 0.95
LOOKS, BUDGETS = (2, 5, 10), (300, 1_000)
SINGLE = (("fraud_sample", "gbm"), ("fraud_sample", "rules"), ("hate_tweets", "lr"), ("mnist8", "mlp"), ("mnist8", "nb"))
PAIRS = (("fraud_sample", "gbm", "lr"), ("hate_tweets", "lr", "hgb"), ("mnist8", "mlp", "lr"), ("mnist8", "lr", "nb"))
METRICS = ("precision", "accuracy")
FAR = 1.5  # half-widths of one look between truth and target, where the labels to a decision are counted: power about 0.9
EXACT = 1e-9
FULL, MOST = ((1 - LEVEL) / 2, 1 - LEVEL), 0.9  # tails at the full level; of the frame: a larger budget is nearly a census


class Bench(NamedTuple):
    """One metric of one population, or the difference of two classifiers, with a design whose bands the first look can serve."""

    name: str
    metric: Metric
    design: DrawDesign
    groups: Groups
    pair: PairGroups | None
    positives: NDArray[np.int64]
    truth: float
    interval: IntervalKind = "rec"

    def tally(self, n: NDArray[np.float64], k: NDArray[np.float64]) -> AnyTally:
        """Labels by group as a study reads them."""
        tally = self.groups.tally(n, k)
        return tally if self.pair is None else self.pair.of(tally)

    def looks(self, budget: int, many: int) -> tuple[PlannedLook, ...]:
        """The looks of the plan."""
        fewest = int(np.minimum(self.design.N, self.design.smallest).sum())
        return planned_looks(budget, looks=many, level=LEVEL, frame=self.design.frame, fewest=fewest)


Maker = Callable[[int], Bench]  # of the labels of the first look


class Wrong(NamedTuple):
    """Paths on which some look errs: its interval misses the truth, or a bound settles a target at the truth as met, or as not met."""

    missed: int
    met: int
    not_met: int


class Row(NamedTuple):
    """What looks do on paths of one bench.

    own, once, full   at the looks' own tails; at the last look alone, at the full level; with every look at the full level
    wider, price      mean half-width of the last look over that of one look at the full level: on these bands; on bands made for it
    labels, decided   until a target FAR half-widths below the truth is met: mean share of the budget, and share of paths
    decided_once      the same share by one look at the whole budget
    """

    name: str
    metric: str
    budget: int
    looks: int
    reps: int
    own: Wrong
    once: Wrong
    full: Wrong
    wider: float
    price: float
    labels: float
    decided: float
    decided_once: float


def single(name: str, at: Judged, metric: str, design: DesignName = "bands", interval: IntervalKind = "rec") -> Maker:
    """One classifier."""
    of = metric_named(metric)

    def make(labels: int) -> Bench:
        made = choose_design(at.profile, [of], labels=labels, name=design)
        return Bench(name, of, made, groups_of(at.profile, made), None, at.positives, true_value(at.profile, at.positives, of), interval)

    return make


def paired(name: str, at: Judged, metric: str) -> Maker:
    """The first classifier less the second."""
    contest = contest_of(asked(at, metric, 0, 1))

    def make(labels: int) -> Bench:
        design = drawn_for(at, metric, [(0, 1)], labels=labels)
        groups = contest.groups(design)
        truth = contest.value(at.positives / at.profile.count)
        return Bench(name, contest.metric, design, groups.groups, groups, at.positives, truth)

    return make


def made_up(seed: int) -> Iterator[Maker]:
    """Populations made from a seed, some with a guide turned round."""
    for i, p in enumerate((0.5, 0.9, 0.95, 0.99)):
        y = stream(seed, 1, i).permutation(np.arange(10_000) < 10_000 * p)
        at = Judged(*known("", y, np.full(y.size, 0.7), np.ones(y.size, dtype=np.bool_))[1:])
        yield single(f"even, {p:g} positive, simple draw", at, "precision", "simple")
    for i, make in enumerate((precise, overconfident, noise)):
        made = make(stream(seed, 2, i))
        modes: tuple[tuple[GuideMode, str], ...] = (("own", made.name), ("reversed", f"{made.name}, guide reversed"))
        for mode, name in modes:
            at = Judged(*known("", made.y, turned(made.guide, made.flagged, mode, None), made.flagged)[1:])
            yield from (single(name, at, metric) for metric in METRICS)
            yield from (single(f"{name}, strict", at, metric, interval="strict") for metric in METRICS if make is overconfident)


def makers(folder: Path, seed: int) -> Iterator[Maker]:
    """All of them."""
    yield from made_up(seed)
    for table, model in SINGLE:
        at = load(folder, table, [model])
        yield from (single(f"{table} {model}", at, metric) for metric in METRICS)
    for table, *models in PAIRS:
        at = load(folder, table, models)
        yield from (paired(f"{table} {models[0]} - {models[1]}", at, metric) for metric in METRICS)


def prefixes(bench: Bench, sizes: Sequence[int], *, reps: int, rng: np.random.Generator) -> Iterator[AnyTally]:
    """The labels of every look of `reps` paths: each look's are those before it and the next units of every band."""
    inside = bench.groups.of_cell >= 0
    G = bench.groups.N.size
    K = np.bincount(bench.groups.of_cell[inside], weights=bench.positives[inside], minlength=G).astype(np.int64)
    parts = np.stack([K, bench.groups.N.astype(np.int64) - K], axis=1)
    left = np.repeat(parts[None], reps, axis=0)
    before = np.zeros(bench.design.N.size, dtype=np.int64)
    for size in sizes:
        take = takes_of(bench.design, size)
        for band in np.flatnonzero(take > before):
            mine = np.flatnonzero(bench.groups.band == band)
            left[:, mine] = after(left[:, mine], int((take - before)[band]), rng)
        before = take
        drawn = (parts - left).astype(np.float64)
        yield bench.tally(drawn.sum(axis=2), drawn[:, :, 0])


def after(left: NDArray[np.int64], take: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """What is left of the parts of a band when `take` more of its units are drawn, path by path."""
    flat = left.reshape(len(left), -1).copy()
    wanted, rest = np.full(len(left), take), flat.sum(axis=1)
    for j in range(flat.shape[1]):
        rest = rest - flat[:, j]
        drawn = rng.hypergeometric(flat[:, j], rest, wanted)
        flat[:, j] -= drawn
        wanted = wanted - drawn
    return flat.reshape(left.shape)


Shown = tuple[Measured, Measured]  # a look's interval, and its one-sided bounds


def shown(bench: Bench, tally: AnyTally, tails: tuple[float, float]) -> Shown:
    """The look as a study shows it."""
    two, one = (measure(bench.metric, tally, tail=tail, interval=bench.interval) for tail in tails)
    return two, one


def walked(bench: Bench, looks: Sequence[PlannedLook], *, reps: int, rng: np.random.Generator, one_look: float = np.nan) -> Row:
    """All paths of one bench with these looks; one_look: mean half-width of one look on bands made for it."""
    tallies = list(prefixes(bench, [look.labels for look in looks], reps=reps, rng=rng))
    own = [shown(bench, tally, look.tails(LEVEL)) for tally, look in zip(tallies, looks, strict=True)]
    full = [shown(bench, tally, FULL) for tally in tallies]
    wide, alone = (float(each[-1][0].half_width.mean()) for each in (own, full))
    target = bench.truth - FAR * alone
    met = np.stack([one.low >= target for _, one in own])
    spent = np.array([look.labels for look in looks])[np.where(met.any(axis=0), met.argmax(axis=0), len(looks) - 1)]
    return Row(
        *(bench.name, bench.metric.name, looks[-1].labels, len(looks), reps),
        own=wrong(own, bench.truth),
        full=wrong(full, bench.truth),
        once=wrong(full[-1:], bench.truth),
        wider=wide / alone,
        price=wide / one_look,
        labels=float(spent.mean() / looks[-1].labels),
        decided=float(met.any(axis=0).mean()),
        decided_once=float((full[-1][1].low >= target).mean()),
    )


def wrong(looks: Sequence[Shown], truth: float) -> Wrong:
    """Paths on which some look errs."""
    missed = [(two.low > truth + EXACT) | (two.high < truth - EXACT) for two, _ in looks]
    met, not_met = [one.low > truth + EXACT for _, one in looks], [one.high < truth - EXACT for _, one in looks]
    return Wrong(*(int(np.any(each, axis=0).sum()) for each in (missed, met, not_met)))


def rows(folder: Path, *, reps: int, seed: int) -> Iterator[Row]:
    """Every population, every budget that is no census, and every number of looks."""
    for b, make in enumerate(makers(folder, seed)):
        for budget in BUDGETS:
            alone = make(budget)
            if budget > MOST * alone.design.frame:
                continue
            (tally,) = prefixes(alone, [budget], reps=reps, rng=stream(seed, 4, b, budget))
            one_look = float(shown(alone, tally, FULL)[0].half_width.mean())
            for many in LOOKS:
                bench = make(-(-budget // many))
                yield walked(bench, bench.looks(budget, many), reps=reps, rng=stream(seed, 3, b, budget, many), one_look=one_look)


WRONG = ("missed", "false met", "false not met")
EXPLAINED = f"""A study that looks at a few sizes fixed before the first label (O'Brien-Fleming). Every path is one order of asking; a
look reads its first labels with rec (strict, where said) at its own tails, level {LEVEL:g}. *missed*: the truth is outside some interval.
*false met*, *false not met*: a one-sided bound at some look is on the wrong side of a target that is the truth. *one look*: the last alone.
*full level*: the twin, in which every look is read at the full level. *wider*: mean half-width of the last look over that of one look on
the same bands, which are cut for the first look; *price*: over that of one look on bands cut for the whole budget. *to met*: labels until
a target {FAR:g} half-widths below the truth is met, mean share of the budget; *decided*: paths that meet it, by the looks / by one look.

A cell passes if an exact binomial test at 1e-3 does not reject a true coverage of 0.94: *caution* where it does, *refuse* where fewer than
0.90 are covered. Even: all units are flagged. Budgets of more than 0.9 of the units that a metric needs are left out. How it is done:
[maths](maths/planned-looks.md).
"""
TITLES = "population,metric,labels,looks,missed,one look,full level,false met,one look,full level,false not met,one look,full level,"
TITLES += "wider,price,to met,decided"


def page(found: Sequence[Row], *, reps: int, seed: int) -> str:
    """docs/planned-looks.md."""
    lines = [
        "# Planned looks",
        "",
        f"    python -m benchmarks.planned_looks --data FOLDER --reps {reps} --seed {seed} --out docs/planned-looks.md",
        "",
        EXPLAINED,
        *(_summary([r for r in found if r.looks == many]) for many in LOOKS),
        "",
        f"| {TITLES.replace(',', ' | ')} |",
        "|---|---|" + "--:|" * (TITLES.count(",") - 1),
        *(_line(r) for r in found),
    ]
    return "\n".join(lines) + "\n"


def _span(values: Sequence[float], digits: int = 3) -> str:
    return f"{min(values):.{digits}f} to {max(values):.{digits}f}"


def _errors(each: Sequence[Wrong], reps: int) -> str:
    spans = [_span([of[i] / reps for of in each]) for i in range(3)]
    marked = [sum(verdict_of(reps - of[i], reps) != "" for of in each) for i in range(3)]
    return ", ".join(f"{name} {span} ({bad} do not pass)" for name, span, bad in zip(WRONG, spans, marked, strict=True))


def _summary(mine: Sequence[Row]) -> str:
    own, once, full = (_errors(each, mine[0].reps) for each in zip(*((r.own, r.once, r.full) for r in mine), strict=True))
    wider, price, labels = _span([r.wider for r in mine]), _span([r.price for r in mine]), _span([r.labels for r in mine], 2)
    return (
        f"- {mine[0].looks} looks, {len(mine)} plans, {mine[0].reps:,} paths each: {own}. One look: {once}. At the full level: {full}. "
        f"The last look is {wider} times as wide as one look on the same bands, {price} times as one on bands of its own; labels to a "
        f"decision are {labels} of the budget."
    )


def _line(r: Row) -> str:
    errors = [of[i] for i in range(3) for of in (r.own, r.once, r.full)]
    shares = " | ".join(f"{each / r.reps:.3f}{verdict_of(r.reps - each, r.reps)}" for each in errors)
    decided = f"{r.wider:.3f} | {r.price:.3f} | {r.labels:.2f} | {r.decided:.2f} / {r.decided_once:.2f}"
    return f"| {r.name} | {r.metric} | {r.budget:,} | {r.looks} | {shares} | {decided} |"


def main() -> None:
    """Runs all plans and writes the page."""
    options = read_options(__doc__, reps=4_000)
    chance = {"reps": options.reps, "seed": options.seed}
    options.out.write_text(page(list(rows(options.data, **chance)), **chance))


if __name__ == "__main__":
    main()
