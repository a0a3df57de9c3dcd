"""The interface of an engine: inspect, profile, the units below a bound, columns of given units, and truth for simulations.

Nothing else leaves the engine, so cost and memory outside it do not grow with the number of units. An engine makes no random
choices: it compares permanent numbers with bounds.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from fewlabels.errors import DrawError
from fewlabels.nouns.arrays import FloatArray, IntArray
from fewlabels.nouns.draw import Units
from fewlabels.nouns.process import Clusters
from fewlabels.nouns.profile import Column, Problem, Profile
from fewlabels.randomness import TOP, NumberRule

EXACT_DUPLICATES_UP_TO = 10_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspection:
    """What is in the table and what blocks a study. `duplicates_checked` is False if the table is too long to check ids exactly."""

    columns: tuple[Column, ...]
    N: int
    problems: tuple[Problem, ...]
    duplicates_checked: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Known:
    """What a simulation may know about every unit: its cell in the profile, its metric weight in quanta, and its true answers as text."""

    cell: IntArray
    weight: IntArray | None
    truths: tuple[tuple[str, ...], ...]  # one tuple per truth column


class Drawable(Protocol):
    """What a draw needs from an engine."""

    def below(self, profile: Profile, *, band: IntArray, bound: IntArray, salt: str, rule: NumberRule = "md5") -> Units:
        """Return every unit of a cell with band >= 0 whose permanent number, by the rule, is below the bound of its band.

        band     aligned with the profile's cells; -1 leaves a cell out
        bound    aligned with bands; 2^52 takes all units
        """


class Engine(Drawable, Protocol):
    """One population, opened where it is stored."""

    def inspect(self, *, check_duplicates: bool | None = None) -> Inspection:
        """Return columns, N and every problem with its count and an example. None: ids are checked exactly up to 10^7 units."""

    def profile(self) -> Profile:
        """Return counts by cell; raise an error for a table with problems, naming each."""

    def unchanged(self, profile: Profile) -> bool | None:
        """Return whether the table is the one that was profiled, without reading it; None if only counting again can tell."""

    def below_and_profile(
        self, profile: Profile, *, band: IntArray, bound: IntArray, salt: str, rule: NumberRule = "md5"
    ) -> tuple[Units, Profile]:
        """Return the result of `below`, and the profile as the same scan counts it."""

    def positives(self, profile: Profile, *, truth: str) -> IntArray:
        """Return how many units of each of the profile's cells are positive in the truth column (simulation only)."""

    def known(self, profile: Profile, *, truths: Sequence[str]) -> Known:
        """Return every unit's cell, weight and truth, as text by column (simulation only; memory grows with the number of units)."""

    def clusters(self, column: str) -> Clusters:
        """Return how many clusters there are by this column, and how large; a unit without a value is one of its own."""

    def locate(self, profile: Profile, units: Sequence[str]) -> IntArray:
        """Return the position in the profile of the cell of each of these units; -1 for an id that is not in the table."""

    def fetch(self, units: Sequence[str], *, columns: Sequence[str]) -> list[dict[str, str | None]]:
        """Return the named columns of the given units as text, in the order of the units."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Taken:
    """The take of every band: the units, and each band's cut, the smallest permanent number not taken (2^52 if all were)."""

    units: Units
    cut: IntArray


def take_smallest(engine: Drawable, profile: Profile, *, band: IntArray, take: IntArray, salt: str, rule: NumberRule = "md5") -> Taken:
    """Return the `take[h]` smallest permanent numbers of every band h: filter below a slightly larger bound, rank, and repeat if short.

    The bound expects take + 6 sqrt(take) + 10 units, so a band comes up short about once in 10^9; then its bound doubles.
    """
    in_frame = band >= 0
    N = np.bincount(band[in_frame], weights=profile.count[in_frame], minlength=take.size).astype(np.int64)
    if (take > N).any():
        worst = int((take - N).argmax())
        raise DrawError(
            f"a band can give at most its units, but band {worst} holds {N[worst]:,} and {take[worst]:,} are requested: plan again"
        )
    wanted = take + 6 * np.sqrt(take) + 10
    while True:
        bound = np.array([TOP if w >= n else int(TOP * (w / n)) for w, n in zip(wanted.tolist(), N.tolist(), strict=True)], dtype=np.int64)
        found = engine.below(profile, band=band, bound=bound, salt=salt, rule=rule)
        held = np.bincount(found.band, minlength=take.size)
        short = (held <= take) & (bound < TOP)  # one more than the take, for the cut
        if not short.any():
            break
        wanted = np.where(short, wanted * 2, wanted)
    return _rank(found, take, held, N)


def take_first(
    engine: Drawable, profile: Profile, *, band: IntArray, rate: FloatArray, total: int, salt: str, rule: NumberRule = "md5"
) -> Taken:
    """Return the `total` units with the smallest ratio of permanent number to rate, in that order: a sequential Poisson draw.

    rate     the rate of every band's units, up to a factor
    The bounds expect total + 6 sqrt(total) + 10 units in all, so they come up short about once in 10^9; then they double.
    """
    in_frame = band >= 0
    N = np.bincount(band[in_frame], weights=profile.count[in_frame], minlength=rate.size).astype(np.int64)
    if total > N.sum():
        raise DrawError(f"a draw can hold at most the {int(N.sum()):,} units of its bands, but {total:,} are requested: plan again")
    wanted = total + 6 * total**0.5 + 10
    while True:
        whole = wanted >= N.sum()  # then every unit is taken: a scale found by bisection may end slightly below 1
        scale = np.inf if whole else _scale(rate, N, wanted)
        bound = np.array([TOP if c >= 1 else int(TOP * c) for c in (scale * rate).tolist()], dtype=np.int64)
        found = engine.below(profile, band=band, bound=bound, salt=salt, rule=rule)
        if len(found) > total or whole:
            break
        wanted *= 2
    if len(found) < total:
        raise DrawError(f"{total:,} units were planned, but only {len(found):,} were found: the table has changed, restore it")
    keys = [unit.encode() for unit in found.unit]
    place = (found.number / rate[found.band]).tolist()
    rows = np.array(sorted(range(len(keys)), key=lambda i: (place[i], keys[i])), dtype=np.int64)
    cut = bound.copy()
    np.minimum.at(cut, found.band[rows[total:]], found.number[rows[total:]])
    return Taken(units=found.pick(rows[:total]), cut=cut)


def _scale(rate: FloatArray, N: IntArray, wanted: float) -> float:
    """Return the c with sum of N min(1, c rate) = wanted, slightly enlarged to absorb rounding."""
    low, high = 0.0, 1.0 / float(rate.min())
    for _ in range(100):
        middle = (low + high) / 2
        if (N * np.minimum(1.0, middle * rate)).sum() < wanted:
            low = middle
        else:
            high = middle
    return high


def _rank(found: Units, take: IntArray, held: IntArray, N: IntArray) -> Taken:
    """Return the first take[h] units of each band in the common order, and the cuts."""
    missing = (held < take) | ((take == N) & (held != N))
    if missing.any():
        worst = int(missing.argmax())
        raise DrawError(
            f"band {worst} held {N[worst]:,} units when the study was made, but only {held[worst]:,} were found now: "
            "the table has changed, restore it or start a new study"
        )
    ordered = found.in_order()
    cut = np.full(take.size, TOP, dtype=np.int64)
    rows: list[IntArray] = []
    for h in range(take.size):
        mine = ordered[found.band[ordered] == h]
        rows.append(mine[: take[h]])
        if mine.size > take[h]:
            cut[h] = found.number[mine[take[h]]]
    return Taken(units=found.pick(np.concatenate(rows) if rows else np.empty(0, dtype=np.int64)), cut=cut)
