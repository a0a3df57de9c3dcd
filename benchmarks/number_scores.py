"""The battery: what independent uniform numbers would show, as z-scores.

Each test returns scores that are standard normal if the numbers are as good as random. A count is compared with its exact binomial or
Poisson law, and takes a random part of its own probability, so that its p-value is even; a table with chi-square, a sum of many small
terms with the normal.
"""

from collections.abc import Callable, Iterator

import numpy as np
from scipy import stats

from benchmarks.number_rules import Rule, related
from fewlabels.nouns.arrays import BoolArray, FloatArray, IntArray
from fewlabels.randomness import BITS, TOP, stream

LAGS = (1, 2, 10, 1000)
WINDOWS = (42, 32, 21, 10, 0)  # the first bit of each window of ten
RARE = ((1 / 64, "1/64"), (1 / 1024, "1/1024"), (1e-4, "1e-4"))
BLOCKS = ((0.3, 1000), (1 / 64, 64), (1 / 64, 4096), (1 / 1024, 16_384), (1e-4, 100_000))
RANKS = np.array([0.2887880951, 0.5775761902, 0.1283502644, 0.0052854503])  # of 32 by 32 random bits: full, one less, two less, fewer
HARD = 1 << 17  # ids of the harder tests
ENOUGH = 1 << 16  # fewer ids have too few collisions and matrices of low rank for a score
BASE = 63  # the purpose of the stream of random ids below


def score(above: float, below: float) -> float:
    """The normal score of an outcome with these chances of more and of less."""
    z = stats.norm.isf(above) if above < below else -stats.norm.isf(below)
    return float(np.clip(z, -99, 99))


def of_count(k: int, n: int, p: float, rng: np.random.Generator) -> float:
    """A count of n trials of chance p each."""
    own, part = stats.binom.pmf(k, n, p), rng.random()
    return score(stats.binom.sf(k, n, p) + part * own, stats.binom.cdf(k - 1, n, p) + (1 - part) * own)


def of_rare(k: int, mean: float, rng: np.random.Generator) -> float:
    """A count of many rare events."""
    own, part = stats.poisson.pmf(k, mean), rng.random()
    return score(stats.poisson.sf(k, mean) + part * own, stats.poisson.cdf(k - 1, mean) + (1 - part) * own)


def of_table(counts: IntArray, chances: FloatArray | float | None = None) -> float:
    """The counts of a table with known chances, even if none are given: Pearson's chi-square."""
    n = counts.sum()
    if n == 0:
        return 99.0  # nothing to count where there should be: no random numbers
    expected = n * (np.full(counts.size, 1 / counts.size) if chances is None else np.asarray(chances))
    chi2 = float(((counts - expected) ** 2 / expected).sum())
    return score(float(stats.chi2.sf(chi2, counts.size - 1)), float(stats.chi2.cdf(chi2, counts.size - 1)))


def of_blocks(inside: BoolArray, p: float, size: int) -> float:
    """How much the counts of blocks of consecutive ids scatter, by a chi-square with the exact variance of binomial counts."""
    k = inside[: inside.size // size * size].reshape(-1, size).sum(axis=1)
    spread, blocks = size * p * (1 - p), k.size
    stretch = 1 + (1 - 6 * p * (1 - p)) / (2 * spread)
    scatter = float(((k - size * p) ** 2).sum() / spread / stretch)
    return score(float(stats.chi2.sf(scatter, blocks / stretch)), float(stats.chi2.cdf(scatter, blocks / stretch)))


def pairs(values: IntArray, lag: int) -> tuple[IntArray, IntArray]:
    """Values so far apart, no value in two pairs."""
    folded = values[: values.size // (2 * lag) * 2 * lag].reshape(-1, 2, lag)
    return folded[:, 0].reshape(-1), folded[:, 1].reshape(-1)


def evenness(h: IntArray, rng: np.random.Generator) -> Iterator[tuple[str, float]]:
    """Every number by itself: windows of its bits, its value, and how many lie below what a draw asks for."""
    for low in WINDOWS:
        yield f"{'bits' if low >= 20 else 'last bits'} {low} to {low + 9}", of_table(np.bincount((h >> low) & 1023, minlength=1024))
    yield "value", of_table(np.bincount((h * (1000 / TOP)).astype(np.int64), minlength=1000))
    for p, name in RARE:
        yield f"below {name}", of_count(int((h < p * TOP).sum()), h.size, np.ceil(p * TOP) / TOP, rng)
    for p, size in BLOCKS:
        if h.size >= 4 * size:
            yield f"scatter of blocks of {size}, {p:.2g}", of_blocks(h < p * TOP, np.ceil(p * TOP) / TOP, size)


def serial(h: IntArray, rng: np.random.Generator) -> Iterator[tuple[str, float]]:
    """Numbers of ids that follow one another: correlation, tables of pairs and fours, runs, and pairs drawn together."""
    u = h / TOP - 0.5
    for lag in LAGS:
        yield f"correlation, lag {lag}", float(12 * (u[:-lag] * u[lag:]).sum() / np.sqrt(u.size - lag))
        a, b = pairs(h, lag)
        yield f"pairs, lag {lag}", of_table(np.bincount((a >> 47 << 5) | (b >> 47), minlength=1024))
        yield f"last bits of pairs, lag {lag}", of_table(np.bincount(((a & 31) << 5) | (b & 31), minlength=1024))
        for p in (1 / 8, 1 / 64):
            yield f"both below {p:.2g}, lag {lag}", of_count(int(((a < p * TOP) & (b < p * TOP)).sum()), a.size, p * p, rng)
    four = (h[: h.size // 4 * 4] >> 49).reshape(-1, 4) @ np.array([512, 64, 8, 1])
    yield "fours", of_table(np.bincount(four, minlength=4096))
    above = np.asarray(h >= TOP // 2)
    yield "runs about 1/2", of_count(int((above[1:] != above[:-1]).sum()), u.size - 1, 0.5, rng)
    up = np.asarray(u[1:] > u[:-1])
    yield "turns", float(((up[1:] != up[:-1]).sum() - 2 * (u.size - 2) / 3) / np.sqrt((16 * u.size - 29) / 90))


def harder(h: IntArray, rng: np.random.Generator) -> Iterator[tuple[str, float]]:
    """Tests that undo generators which pass the simple ones, on the first and on the last 32 of the 52 bits."""
    for name, word in (("first", h[:HARD] >> 20), ("last", h[:HARD] & 0xFFFFFFFF)):
        if word.size < ENOUGH:
            continue
        days = np.sort(word[: word.size // 4096 * 4096].reshape(-1, 4096), axis=1)
        gaps = np.sort(np.diff(days, axis=1), axis=1)
        yield f"birthday spacings, {name} bits", of_rare(int((gaps[:, 1:] == gaps[:, :-1]).sum()), days.shape[0] * 4.0, rng)
        yield f"collisions, {name} bits", of_rare(word.size - np.unique(word >> 2).size, word.size**2 / 2**31, rng)
        yield f"matrix rank, {name} bits", of_table(rank_table(word[: word.size // 4]), RANKS)
    largest = (h[: h.size // 8 * 8] / TOP).reshape(-1, 8).max(axis=1) ** 8
    yield "largest of 8", of_table(np.bincount((largest * 1000).astype(np.int64), minlength=1000))
    wait = np.diff(np.flatnonzero(h < TOP // 16)) - 1
    chances = np.append((15 / 16) ** np.arange(80) / 16, (15 / 16) ** 80)
    yield "gaps below 1/16", of_table(np.bincount(np.minimum(wait, 80), minlength=81), chances)


def rank_table(word: IntArray) -> IntArray:
    """How many 32 by 32 matrices of bits have rank 32, 31, 30 or less, by elimination in all of them at once."""
    rows = word[: word.size // 32 * 32].reshape(-1, 32).copy()
    at, rank = np.arange(rows.shape[0]), np.zeros(rows.shape[0], dtype=np.int64)
    for bit in range(32):
        has = ((rows >> bit) & 1).astype(bool) & (np.arange(32) >= rank[:, None])
        found, pivot = has.any(axis=1), has.argmax(axis=1)
        chosen = rows[at, pivot]
        swapped = np.minimum(rank, 31)
        rows[at[found], pivot[found]] = rows[at[found], swapped[found]]
        rows[at[found], swapped[found]] = chosen[found]
        under = ((rows >> bit) & 1).astype(bool) & (np.arange(32) > rank[:, None]) & found.reshape(-1, 1)
        rows ^= np.where(under, chosen.reshape(-1, 1), 0)
        rank += found
    return np.bincount(np.minimum(32 - rank, 3), minlength=4)


def between(h: IntArray, g: IntArray, rng: np.random.Generator) -> Iterator[tuple[str, float]]:
    """The same ids under two salts."""
    yield "correlation", float(12 * ((h / TOP - 0.5) * (g / TOP - 0.5)).sum() / np.sqrt(h.size))
    yield "pairs", of_table(np.bincount((h >> 47 << 5) | (g >> 47), minlength=1024))
    yield "last bits of pairs", of_table(np.bincount(((h & 31) << 5) | (g & 31), minlength=1024))
    for p in (1 / 8, 1 / 64):
        yield f"both below {p:.2g}", of_count(int(((h < p * TOP) & (g < p * TOP)).sum()), h.size, p * p, rng)


def of_salts(rule: Rule, ids: IntArray, salt: str, other: str, *, rng: np.random.Generator) -> Iterator[tuple[str, float]]:
    """A salt against another, and against the salt with one bit turned."""
    h = rule(salt, ids)
    for name, g in (("two salts", other), ("one bit of the salt", related(salt, int(other[:2], 16) % 128))):
        yield from ((f"{name}: {test}", z) for test, z in between(h, rule(g, ids), rng))


def without_bit(index: IntArray, bit: int) -> IntArray:
    """The index-th integers that have a 0 at this bit: the index, with a 0 pushed in."""
    low = np.int64((1 << bit) - 1)
    return np.asarray(((index & ~low) << 1) | (index & low))


def flip_bases(n: int) -> dict[str, IntArray]:
    """What ids are made of whose bits are turned: random 63 bits, and a sequence."""
    return {"random": stream(0, BASE).integers(0, (1 << 63) - 1, n), "sequential": np.arange(n, dtype=np.int64)}


def of_flips(rule: Rule, salt: str, index: IntArray, *, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Avalanche: each of the 64 bits of ids is turned.

    How often does each of the 52 bits of the number turn (64 by 52 scores), and how often do both ids lie below 1/8 and 1/32 (64 by 2)?
    """
    n = index.size
    turned, both = np.empty((64, BITS)), np.empty((64, 2))
    for bit in range(64):
        ids = without_bit(index, bit)
        h, g = rule(salt, ids), rule(salt, ids ^ (np.int64(1) << np.int64(bit)))
        counts = np.unpackbits((h ^ g).astype(">u8").view(np.uint8).reshape(-1, 8), axis=1).sum(axis=0, dtype=np.int64)[-BITS:]
        turned[bit] = (counts + rng.uniform(-0.5, 0.5, BITS) - n / 2) / np.sqrt(n / 4)
        for i, p in enumerate((1 / 8, 1 / 32)):
            below = h < p * TOP  # the same ids for many bits: only what is added by the other id is new
            both[bit, i] = of_count(int((below & (g < p * TOP)).sum()), int(below.sum()), p, rng)
    return turned, both


TESTS: tuple[Callable[[IntArray, np.random.Generator], Iterator[tuple[str, float]]], ...] = (evenness, serial, harder)
