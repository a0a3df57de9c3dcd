"""The sections about the running band: how often it misses, how wide it is, how soon it is narrow, and what a label costs."""

from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from pathlib import Path
from time import perf_counter

import numpy as np

from benchmarks.anytime_made import METRICS, TABLES, plain, precision, real, tailed
from benchmarks.anytime_paths import BAND, Paths, Setting, drawn, highest
from benchmarks.anytime_rules import FEWEST, best_half_width, ever_missed, fixed_for_width, fixed_half_width, simple_counts, wald
from benchmarks.anytime_store import Row
from benchmarks.anytime_widths import Widths, agreement, stops, widths
from fewlabels.estimators.online import path, terms_of
from fewlabels.intervals.anytime import bet, no_evidence, walk, width_effects
from fewlabels.nouns.metrics import F1
from fewlabels.randomness import stream

MISSING_, WIDE, STOPPING, GRID, SPEED, EXHAUSTED = 71, 72, 73, 74, 75, 76  # purposes of the streams
T = 3_000
LOOKS = (100, 300, 1_000, 3_000)
HALF_WIDTHS = (0.05, 0.03, 0.01)
Wanted = Iterator[tuple[str, Callable[[], Row]]]


def scenarios() -> dict[str, Setting]:
    """What the band's misses are counted on, by name."""
    return {
        "simple draw, truth .95": plain(0.95),
        "simple draw, truth .99": plain(0.99),
        "simple draw, truth .50": plain(0.5),
        "adaptive, even share .1, batches of 10": precision(0.95, even=0.1),
        "adaptive, even share .1, batches of 1": precision(0.95, even=0.1, batch=1),
        "adaptive, even share .1, batches of 100": precision(0.95, even=0.1, batch=100),
        "adaptive, even share .3, batches of 10": precision(0.95, even=0.3),
        "adaptive, even share .1, truth .99": precision(0.99, even=0.1),
        "adaptive, even share .1, scores reversed": precision(0.95, even=0.1, reversed_=True),
        "500 units to the last, even share .1, batches of 5": precision(0.95, N=500, even=0.1, batch=5),
        "recall with a tail, even share .1": tailed("recall", even=0.1),
        "recall with a tail, even share .5": tailed("recall", even=0.5),
        "F1 with a tail, even share .3": tailed("f1", even=0.3),
        "F1 with a tail, even share .1, batches of 50": tailed("f1", even=0.1, batch=50),
    }


def further() -> dict[str, Setting]:
    """The draws of a study, and an even draw from the same bands."""
    return {
        "adaptive as a study does it": precision(0.95),
        "adaptive as a study does it, scores reversed": precision(0.95, reversed_=True),
        "ten bands, drawn evenly": precision(0.95, even=1.0),
    }


def miss_row(make: Callable[[], Setting], *, paths: int, rng: np.random.Generator) -> Row:
    """Paths whose band ever leaves the truth out, by side."""
    at = make()
    best = highest(at, np.array([at.truth]), paths=paths, T=T, rng=rng)[:, 0]
    above, below = (best >= BAND).sum(axis=0).tolist()
    return {
        "truth": at.truth, "labels": min(T, at.size), "bands": at.N.size, "units": at.size, "paths": paths,
        "above": above, "below": below, "missed": int((best >= BAND).any(axis=1).sum()),
    }  # fmt: skip


def misses(folder: Path, *, paths: int, seed: int) -> Wanted:
    """Made-up populations, then real tables in the product's own bands."""
    for i, (name, at) in enumerate(scenarios().items()):
        yield name, partial(miss_row, at._replace, paths=paths, rng=stream(seed, MISSING_, i))
    for i, (table, model) in enumerate(TABLES):
        for j, metric in enumerate(METRICS):
            make = partial(real, folder, table, model, metric)
            yield f"{table} {model}, {metric}", partial(miss_row, make, paths=paths, rng=stream(seed, MISSING_, 100, i, j))
    for i, (name, at) in enumerate(further().items()):
        yield name, partial(miss_row, at._replace, paths=paths, rng=stream(seed, MISSING_, 50, i))


def wald_row(truth: float, *, paths: int, rng: np.random.Generator) -> Row:
    """Wald's interval looked at after every label from the 30th on."""
    found = 0
    for start in range(0, paths, 500):
        counts = simple_counts(truth, 10_000, T=T, paths=min(500, paths - start), rng=rng, every=1)
        found += int(ever_missed(wald, counts._replace(n=counts.n[:, FEWEST - 1 :], k=counts.k[:, FEWEST - 1 :]), truth).sum())
    return {"paths": paths, "missed": found}


def wald_misses(*, paths: int, seed: int) -> Wanted:
    """The twin of the simple draws."""
    for i, truth in enumerate((0.95, 0.99, 0.5)):
        yield f"simple draw, truth {f'{truth:.2f}'[1:]}", partial(wald_row, truth, paths=paths, rng=stream(seed, MISSING_, 200, i))


# ---------------------------------------------------------------- the grid


def grid_row(make: Callable[[], Setting], *, paths: int, labels: int, rng: np.random.Generator) -> Row:
    """The same paths judged at the truth and on a grid of 999 values."""
    found = agreement(make(), paths=paths, T=labels, points=999, rng=rng)
    return {"labels": labels, **found._asdict()}


def grids(*, paths: int, seed: int) -> Wanted:
    """A simple draw, an adaptive one, and F1."""
    every: tuple[tuple[str, Callable[[], Setting]], ...] = (
        ("simple draw, truth .95", partial(plain, 0.95)),
        ("adaptive as a study does it", partial(precision, 0.95)),
        ("F1 with a tail", partial(tailed, "f1")),
    )
    for i, (name, make) in enumerate(every):
        yield name, partial(grid_row, make, paths=paths, labels=1_000, rng=stream(seed, GRID, i))


def last_row(*, paths: int, rng: np.random.Generator) -> Row:
    """500 units to the last: values of a grid of 999 that are left at the end; the truth is one of them."""
    at = precision(0.95, N=500, even=0.1, batch=5)
    m = np.arange(1, 1_000) / 1_000
    alive = (highest(at, m, paths=paths, T=at.size, rng=rng) < BAND).all(axis=-1)
    truth = m.tolist().index(at.truth)
    alone = alive[:, truth] & (alive.sum(axis=1) == 1)
    return {"paths": paths, "truth alone": int(alone.sum()), "nothing": int((~alive.any(axis=1)).sum())}


def exhausted(*, paths: int, seed: int) -> Wanted:
    """What is left when every unit has been labeled."""
    yield "500 units", partial(last_row, paths=paths, rng=stream(seed, EXHAUSTED, 0))


# ---------------------------------------------------------------- widths


def width_settings() -> dict[str, Callable[[], Setting]]:
    """What widths are measured on: precision .95 of 10,000 units."""
    return {
        "adaptive, even share .3": partial(precision, 0.95, even=0.3),
        "adaptive as a study does it": partial(precision, 0.95),
    }


EVEN: dict[str, Callable[[], Setting]] = {"simple draw": partial(plain, 0.95), "even draw": partial(precision, 0.95, even=1.0)}


@lru_cache
def long_widths(way: str, *, paths: int, seed: int) -> Widths:
    """A draw until every path's band is as narrow as .01, at least to the last look: for widths, and for stops."""
    looks, rng = range(10, 6_001, 10), stream(seed, WIDE, 20 + list(EVEN).index(way))
    return widths(EVEN[way](), looks=looks, paths=paths, rng=rng, until=min(HALF_WIDTHS), fewest=max(LOOKS))


def short_widths(make: Callable[[], Setting], *, paths: int, rng: np.random.Generator) -> Widths:
    """A draw to the last look, read at the looks alone."""
    return widths(make(), looks=LOOKS, paths=paths, rng=rng)


def width_row(find: Callable[[], Widths], *, truth: float = 0.95, N: int = 10_000) -> Row:
    """Mean half-widths at 100, 300, 1,000 and 3,000 labels, over those of a simple draw planned for as many."""
    found = find()
    half = np.nanmean(found.half[:, np.isin(found.labels, LOOKS)], axis=0)
    fixed = np.array([fixed_half_width(truth, n, N) for n in LOOKS])
    return {"paths": found.half.shape[0], "half": half.tolist(), "over": (half / fixed).tolist()}


def half_widths(*, paths: int, seed: int) -> Wanted:
    """Precision by every way of drawing."""
    for way in EVEN:
        yield way, partial(width_row, partial(long_widths, way, paths=paths, seed=seed))
    for i, (name, make) in enumerate(width_settings().items()):
        rng = stream(seed, WIDE, i)
        yield name, partial(width_row, partial(short_widths, make, paths=paths, rng=rng))


def tail_row(metric: str, *, even: float | None, paths: int, rng: np.random.Generator) -> Row:
    """Mean half-widths of recall or F1 over those of the best fixed draw from the same bands."""
    at, looks = tailed(metric, even=even), LOOKS[1:3]
    half = np.nanmean(widths(at, looks=looks, paths=paths, rng=rng).half, axis=0)
    fixed = np.array([best_half_width(at, n) for n in looks])
    return {"paths": paths, "truth": at.truth, "half": half.tolist(), "over": (half / fixed).tolist()}


def tail_widths(*, paths: int, seed: int) -> Wanted:
    """Recall and F1 as a study draws them, and with a smaller even share."""
    for i, (metric, even) in enumerate((("f1", None), ("recall", None), ("f1", 0.3))):
        name = f"{metric}, {'as a study does it' if even is None else f'even share {even:g}'}"
        yield name, partial(tail_row, metric, even=even, paths=paths, rng=stream(seed, WIDE, 50, i))


def declared(make: Callable[[], Setting], half_width: float, *, paths: int, rng: np.random.Generator) -> Widths:
    """The band of bettors who know the half-width, until every path's is as narrow."""
    looks = range(10, min(int(6 * fixed_for_width(0.95, half_width, 10_000)), 6_000) + 10, 10)
    return widths(make(), looks=looks, paths=paths, rng=rng, effects=width_effects(half_width), until=half_width)


def stop_row(find: Callable[[], Widths], half_width: float, *, truth: float = 0.95, N: int = 10_000) -> Row:
    """Labels until the band is as narrow as asked, looked at every ten."""
    found = stops(find(), half_width)
    mean, fixed = float(found.labels.mean()), fixed_for_width(truth, half_width, N)
    return {
        "half_width": half_width, "paths": found.labels.size, "labels": mean, "fixed": fixed, "over": mean / fixed,
        "missed": int(found.missed.sum()), "unfinished": found.unfinished,
    }  # fmt: skip


def width_stops(*, paths: int, seed: int) -> Wanted:
    """Simple and even draws with the half-width declared and not, and the study's own draws with it."""
    for way in EVEN:
        for half_width in HALF_WIDTHS:
            yield f"{way}, +-{half_width:g}", partial(stop_row, partial(long_widths, way, paths=paths, seed=seed), half_width)
    ways: dict[str, Callable[[], Setting]] = {
        "simple draw": EVEN["simple draw"],
        "adaptive": partial(precision, 0.95),
        "even draw": EVEN["even draw"],
    }
    for i, (way, make) in enumerate(ways.items()):
        for j, half_width in enumerate(HALF_WIDTHS):
            find = partial(declared, make, half_width, paths=paths, rng=stream(seed, STOPPING, i, j))
            yield f"{way}, declared, +-{half_width:g}", partial(stop_row, find, half_width)


# ---------------------------------------------------------------- time


def speed_row(bands: int, *, labels: int, rng: np.random.Generator) -> Row:
    """Milliseconds a label on a grid of 999 values, for F1: one label at a time, and a whole path at once."""
    N, share = np.full(bands, 5_000), np.linspace(0.95, 0.01, bands)
    terms = terms_of(F1, np.arange(bands) < bands // 2)
    at = Setting("", N, np.round(N * share).astype(np.int64), share, terms, rare=True)
    steps, m = list(drawn(Paths(at, 1), T=labels, rng=rng)), np.linspace(0, 1, 1_001)[1:-1]
    evidence = no_evidence((1,), m)
    begin = perf_counter()
    for one in steps:
        evidence = bet(evidence, at.terms, one, m, N=float(at.size))
    single = perf_counter() - begin
    band, label, rate = (np.concatenate([one[i] for one in steps]) for i in (6, 7, 1))
    whole = path(N.astype(np.float64), share, band=band, label=label, rate=rate)
    begin = perf_counter()
    last = list(walk(at.terms, whole, m, N=float(at.size)))[-1][-1]
    walked = perf_counter() - begin
    known = np.isfinite(last)
    apart = float(np.abs(last[known] - evidence.best[0][known]).max())
    return {"labels": labels, "single": 1e3 * single / labels, "walked": 1e3 * walked / labels, "apart": apart}


def speeds(*, seed: int) -> Wanted:
    """Eleven bands and twenty."""
    for bands in (11, 20):
        yield f"{bands} bands", partial(speed_row, bands, labels=2_000, rng=stream(seed, SPEED, bands))
