"""Are the fast permanent numbers as good as random? A battery, its control (md5) and the twins it must refuse.

python -m benchmarks.number_battery --ids 300000 --salts 60 --seed 42 --out docs/numbers.md

The rule of passing was fixed before the run. Every section of the battery is judged in three ways, and each way may fail by chance with
probability at most ERROR / (3 sections):

    largest    the largest |z| of the section against the normal, by Bonferroni
    pooled     the sum over salts of each test on each family, likewise
    even       Kolmogorov and Smirnov's test of all p-values of a test against the even distribution, by Bonferroni over tests
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import stats

from benchmarks.number_draws import Covered, covered
from benchmarks.number_rules import FAMILIES, FORMER, RULES, Rule, salts
from benchmarks.number_scores import TESTS, flip_bases, of_flips, of_salts
from fewlabels.nouns.arrays import FloatArray
from fewlabels.randomness import stream

ERROR = 1e-3
FIRST = 32  # bits of the number are its left half; those after them part numbers that agree in these
SECTIONS = 8
PARTS = 65  # the purpose of the stream that parts the probability of a count
FLIPPED = 10  # an avalanche takes 128 times the numbers of the other tests, so it has fewer ids by this factor


class Section(NamedTuple):
    """The scores of one part of the battery: tests by cells (families, or pairs of bits) by salts."""

    name: str
    tests: tuple[str, ...]
    z: FloatArray

    @property
    def largest(self) -> float:
        """The largest score."""
        return float(np.abs(self.z).max())

    @property
    def pooled(self) -> FloatArray:
        """One score for all salts, tests by cells."""
        return np.asarray(self.z.sum(axis=2) / np.sqrt(self.z.shape[2]))

    def p_values(self) -> tuple[float, float, float]:
        """Of the largest score, of the largest pooled score, of the evenness of the p-values: each corrected for how many there are."""
        single, pooled = 2 * stats.norm.sf(self.largest), 2 * stats.norm.sf(np.abs(self.pooled).max())
        even = min(float(stats.kstest(stats.norm.sf(z.reshape(-1)), "uniform").pvalue) for z in self.z)
        return min(1, self.z.size * single), min(1, self.pooled.size * pooled), min(1, len(self.tests) * even)

    def passes(self, error: float = ERROR) -> bool:
        """All three, at the section's part of the error."""
        return bool(min(self.p_values()) >= error / (3 * SECTIONS))


def of_families(rule: Rule, *, ids: int, drawn: Sequence[str]) -> Iterator[Section]:
    """The sections whose cells are families of ids; tests of the bits after the first 32 have one of their own."""
    population, others, rng = [make(ids) for make in FAMILIES.values()], [*drawn[1:], drawn[0]], stream(0, PARTS)
    scores = [[[dict(test(h, rng)) for test in TESTS] for h in (rule(salt, units) for salt in drawn)] for units in population]
    parts = {test.__name__: [[one[i] for one in family] for family in scores] for i, test in enumerate(TESTS)}
    parts["salts"] = [[dict(of_salts(rule, units, *two, rng=rng)) for two in zip(drawn, others, strict=True)] for units in population]
    sections = [section(name, part) for name, part in parts.items()]
    yield from (picked(one, last=False) for one in sections)
    rest = [picked(one, last=True) for one in sections]
    yield Section("the last bits", sum((one.tests for one in rest), ()), np.concatenate([one.z for one in rest]))


def section(name: str, scores: list[list[dict[str, float]]]) -> Section:
    """The scores of families by salts, by test."""
    tests = tuple(scores[0][0])
    return Section(name, tests, np.array([[[one[test] for one in family] for family in scores] for test in tests]))


def picked(one: Section, *, last: bool) -> Section:
    """The tests of a section that look at the last bits, or those that do not."""
    keep = [i for i, test in enumerate(one.tests) if ("last" in test) == last]
    return Section(one.name, tuple(one.tests[i] for i in keep), one.z[keep])


def of_bits(rule: Rule, *, ids: int, drawn: Sequence[str]) -> Iterator[Section]:
    """The sections whose cells are pairs of a bit of the id and a bit of the number."""
    bases, rng = flip_bases(ids), stream(0, PARTS, 1)
    found = [[of_flips(rule, salt, base, rng=rng) for salt in drawn] for base in bases.values()]
    turned = np.array([[flips for flips, _ in base] for base in found]).transpose(0, 2, 3, 1)  # bases, bits of the id, of the number, salts
    both = np.array([[pairs for _, pairs in base] for base in found]).transpose(0, 2, 3, 1)
    names = tuple(bases)
    yield Section(f"turned bits, first {FIRST}", names, turned[:, :, :FIRST].reshape(len(names), -1, len(drawn)))
    yield Section(f"turned bits, last {turned.shape[2] - FIRST}", names, turned[:, :, FIRST:].reshape(len(names), -1, len(drawn)))
    yield Section("turned bits, drawn together", names, both.reshape(len(names), -1, len(drawn)))


def battery(name: str, *, ids: int, count: int, seed: int) -> list[Section]:
    """All sections for one rule."""
    drawn, rule = salts(seed, count), RULES[name]
    return [*of_families(rule, ids=ids, drawn=drawn), *of_bits(rule, ids=ids // FLIPPED, drawn=drawn)]


def draws(name: str | None, families: Sequence[str], *, reps: int, seed: int) -> list[Covered]:
    """The simulated draws of one rule, or of every k-th id."""
    return [one for family in families for one in covered(RULES[name] if name else None, family, seed=seed, reps=reps)]


def main() -> None:
    """Runs the battery on the rule, the control and the twins, and writes the page."""
    from benchmarks.number_page import page

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ids", type=int, default=300_000)
    parser.add_argument("--salts", type=int, default=60)
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--reps", type=int, default=2_000)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    sizes = {name: (min(options.ids, 70_000), max(options.salts // 20, 2)) for name in RULES}
    sizes |= {"fast": (options.ids, options.salts), FORMER: (options.ids, max(options.salts // 5, 2))}
    found = {name: battery(name, ids=ids, count=count, seed=options.seed) for name, (ids, count) in sizes.items()}
    families = {"fast": tuple(FAMILIES), "md5": ("sequential", "snowflake"), "every k-th id": ("sequential",)}
    drawn = {name: draws(name if name in RULES else None, some, reps=options.reps, seed=options.seed) for name, some in families.items()}
    options.out.write_text(page(found, drawn, sizes, options))


if __name__ == "__main__":
    main()
