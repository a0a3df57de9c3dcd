"""From a plan to its units: draw what the plan adds, in asking order."""

import hashlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from fewlabels.designs.base import pi_of, seats_of
from fewlabels.engines.base import Drawable, Engine, Taken, take_first, take_smallest
from fewlabels.errors import FingerprintError, PlanError
from fewlabels.nouns.arrays import FloatArray, IntArray
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.draw import NO_BAND, Units, join_units
from fewlabels.nouns.known import KnownLabels
from fewlabels.nouns.plan import Plan
from fewlabels.nouns.profile import Profile
from fewlabels.randomness import NumberRule, cluster_numbers, permanent_numbers
from fewlabels.study.state.standing import Standing


def check_population(engine: Engine, profile: Profile) -> None:
    """Recount the table's cells; raise FingerprintError unless it is the one the study was made on."""
    refuse_changed(profile, engine.profile())


def refuse_changed(profile: Profile, now: Profile) -> None:
    """Raise FingerprintError, naming what differs, unless the table is the one the study was made on."""
    if now.fingerprint == profile.fingerprint:
        return
    differs = [name for name, value in profile.as_json().items() if now.as_json()[name] != value]
    raise FingerprintError(
        f"the population must be the one the study was made on (fingerprint {profile.fingerprint[:12]}, {profile.N:,} units), but the "
        f"table now has {now.N:,} units and differs in {', '.join(differs)}: restore it, or start a new study"
    )


class Aside(NamedTuple):
    """The known answers that a draw skips, and the labels that the first plan drew by bands, among which those of the check are spread."""

    labels: KnownLabels
    among: int


def aside_of(standing: Standing) -> Aside | None:
    """What the draw of the current plan skips; None if no answers were known."""
    return None if standing.owned is None else Aside(standing.owned, standing.plans[0].by_bands)


class Recounting:
    """An engine whose first scan for a draw also recounts the cells and raises FingerprintError if the table has changed."""

    def __init__(self, engine: Engine) -> None:
        """Wrap the engine; it is not queried yet."""
        self._engine = engine
        self._counted = False

    def below(self, profile: Profile, *, band: IntArray, bound: IntArray, salt: str, rule: NumberRule = "md5") -> Units:
        """The units that the engine finds below the bounds."""
        if self._counted:
            return self._engine.below(profile, band=band, bound=bound, salt=salt, rule=rule)
        units, now = self._engine.below_and_profile(profile, band=band, bound=bound, salt=salt, rule=rule)
        refuse_changed(profile, now)
        self._counted = True
        return units


def _checked(engine: Engine, profile: Profile, unchanged: bool | None) -> Drawable:
    """The engine to draw from: itself if its files are known to be unchanged, else recounting as it draws. Raise if they changed."""
    if unchanged is False:
        check_population(engine, profile)
    return Recounting(engine) if unchanged is None else engine


def draw_plan(engine: Engine, profile: Profile, plan: Plan, before: Units | None = None, *, aside: Aside | None = None) -> Taken:
    """The units of the whole plan in asking order, and the cuts of its bands.

    Seat j of the asking order belongs to a band; the r-th seat of a band goes to its r-th smallest permanent number. The units of a
    Poisson draw are asked in the order of permanent number divided by rate. The round after a pilot draws none of the pilot's units again.
    After an extension, the units drawn `before` come first, in the order they were asked. Units whose answers were known are skipped.

    profile   of all units, as it was counted
    aside     the known answers, whose check is asked among the units drawn
    """
    told = engine.unchanged(profile)
    taken = _drawn(_checked(engine, profile, told), profile, plan, before, aside)
    if engine.unchanged(profile) is not told:
        check_population(engine, profile)  # its files changed during the draw: raise unless the contents are the same
    return taken


def draw_reserve(engine: Engine, profile: Profile, plan: Plan, take: IntArray) -> Units:
    """The first units of each band by permanent number, from which an online plan takes the next ones."""
    told = engine.unchanged(profile)
    band, rule = plan.design.band, plan.number_rule
    taken = take_smallest(_checked(engine, profile, told), profile, band=band, take=take, salt=plan.salt, rule=rule)
    if engine.unchanged(profile) is not told:
        check_population(engine, profile)
    return taken.units


def _drawn(source: Drawable, profile: Profile, plan: Plan, before: Units | None, aside: Aside | None) -> Taken:
    band = plan.design.band
    if plan.guide is not None and before is not None:
        return _draw_rest(source, profile, plan, before)
    if plan.design.poisson:
        rate = plan.design.mass / plan.design.N
        return take_first(source, profile, band=band, rate=rate, total=plan.budget, salt=plan.salt, rule=plan.number_rule)
    if aside is None:
        taken = take_smallest(source, profile, band=band, take=plan.take, salt=plan.salt, rule=plan.number_rule)
    else:
        taken = _take_rest(source, profile, plan, aside.labels)
    units = taken.units.pick(asking_order(taken.units.band, seats_of(plan.design, plan.by_bands)))
    if plan.design.held is not None and before is not None:
        place = {unit: i for i, unit in enumerate(before.unit)}
        held = int(plan.design.held.sum())
        first = sorted(range(held), key=lambda i: place[units.unit[i]])
        units = units.pick(np.array([*first, *range(held, len(units))], dtype=np.int64))
    return Taken(units=units if aside is None else _with_check(units, plan, aside), cut=taken.cut)


def _draw_rest(engine: Drawable, profile: Profile, plan: Plan, pilot: Units) -> Taken:
    """The units of the round after a pilot: the smallest numbers of each band, skipping those of the pilot."""
    found = _skipping(engine, profile, plan, plan.design.band, pilot)
    return Taken(
        units=found.units.pick(asking_order(found.units.band, seats_of(plan.design, int(plan.take.sum())))), cut=found.cut
    )  # fmt: skip


def _take_rest(engine: Drawable, profile: Profile, plan: Plan, known: KnownLabels) -> Taken:
    """The smallest numbers of each band, skipping units whose answers were known: a simple random draw of the others in the band.

    The plan's bands are of the cells that hold others; the table's profile has all cells.
    """
    band = np.full(profile.count.size, -1, dtype=np.int64)
    rest = profile.without(known)
    band[profile.cells(rest.pattern, rest.guide_bin, rest.slice)] = plan.design.band
    return _skipping(engine, profile, plan, band, known)


def _skipping(engine: Drawable, profile: Profile, plan: Plan, band: IntArray, those: Units | KnownLabels) -> Taken:
    """The take of each band, by the smallest numbers of units other than those."""
    held, design = set(those.unit), plan.design
    theirs = band[profile.cells(those.pattern, those.guide_bin, those.slice)]
    passed = np.bincount(theirs[theirs >= 0], minlength=design.N.size)
    found = take_smallest(engine, profile, band=band, take=plan.take + passed, salt=plan.salt, rule=plan.number_rule)
    fresh = np.array([i for i, unit in enumerate(found.units.unit) if unit not in held], dtype=np.int64)
    ranked = [fresh[found.units.band[fresh] == h] for h in range(design.N.size)]
    cut = found.cut.copy()
    for h, rows in enumerate(ranked):
        if rows.size > plan.take[h]:
            cut[h] = found.units.number[rows[plan.take[h]]]
    return Taken(units=found.units.pick(np.concatenate([rows[: plan.take[h]] for h, rows in enumerate(ranked)])), cut=cut)


def _with_check(units: Units, plan: Plan, aside: Aside) -> Units:
    """The units drawn, in asking order, with those of the check spread evenly among the first plan's."""
    place = {unit: at for unit, at in checked_units(aside.labels, plan.salt)}
    check = sorted(place, key=lambda unit: place[unit])
    rows = np.searchsorted(np.array(aside.labels.unit), check)
    more = Units(
        unit=tuple(check),
        number=permanent_numbers(plan.salt, check, plan.number_rule),
        band=np.full(rows.size, NO_BAND, dtype=np.int64),
        guide_bin=aside.labels.guide_bin[rows],
        pattern=aside.labels.pattern[rows],
        slice=aside.labels.slice[rows],
        scores=np.full((rows.size, units.scores.shape[1]), np.nan),
    )
    at = [*((np.arange(len(units)) + 0.5) / max(aside.among, 1)).tolist(), *(place[unit] for unit in check)]
    return join_units([units, more]).pick(np.argsort(at, kind="stable"))


def checked_units(known: KnownLabels, salt: str) -> Iterator[tuple[str, float]]:
    """The units of the check, each with its place from 0 to 1: the smallest numbers of the check in each part of the known answers."""
    row, counts = known.row, known.counts
    for part, labels in enumerate(counts.n.tolist()):
        mine = [known.unit[i] for i in np.flatnonzero(row == part).tolist()] if labels else []
        ranked = sorted(mine, key=lambda unit: hashlib.md5(f"{salt}:known:{unit}".encode(), usedforsecurity=False).digest())
        yield from ((unit, (rank + 0.5) / labels) for rank, unit in enumerate(ranked[:labels]))


def asking_order(band: IntArray, seat: IntArray) -> IntArray:
    """Rows (sorted by band, then permanent number) in the order of their seats."""
    by_seat = np.argsort(seat, kind="stable")  # seats grouped by band, in seat order within each
    rows = np.empty(seat.size, dtype=np.int64)
    rows[by_seat] = np.argsort(band, kind="stable")
    return rows


def with_clusters(engine: Engine, standing: Standing, taken: Taken) -> Taken:
    """The take with the number of each unit's cluster, if the population has clusters."""
    column = standing.population.get("cluster")
    if column is None:
        return taken
    units = taken.units
    names = [row[column] for row in engine.fetch(units.unit, columns=[column])]
    return replace(taken, units=replace(units, cluster=cluster_numbers(standing.salt, names, units.unit)))


def draw_body(plan: Plan, taken: Taken, standing: Standing) -> dict[str, Json]:
    """The ledger entry of a draw: only the units this plan adds, the cuts, and the fingerprint that was checked."""
    held = set(standing.units.unit) if standing.units else set()
    new = np.array([i for i, unit in enumerate(taken.units.unit) if unit not in held], dtype=np.int64)
    added: Units = taken.units.pick(new)
    return {
        "plan": plan.number,
        "plan_hash": plan.hash,
        "units": added.as_json(),
        "pi": chances(plan, added.unit, added.band, standing.owned).tolist(),
        "cut": taken.cut.tolist(),
        "fingerprint": standing.counted_profile.fingerprint,
    }


def chances(plan: Plan, units: Sequence[str], band: IntArray, known: KnownLabels | None) -> FloatArray:
    """The inclusion probability of units in these bands; of those of a check, in no band, that in their known part."""
    pi = pi_of(plan.design, plan.by_bands)[band]
    if known is None or not plan.check:
        return np.asarray(pi)
    counts, checked = known.counts, np.flatnonzero(band == NO_BAND)
    part = known.row[np.searchsorted(np.array(known.unit), [units[i] for i in checked.tolist()])] if checked.size else checked
    pi[checked] = (counts.n / counts.N)[part]
    return np.asarray(pi)


def gold_units(standing: Standing, share: float) -> tuple[str, ...]:
    """The units to adjudicate beyond those chosen already: the smallest gold numbers on each side, enough for a share of it.

    If several labels or classes are judged, a unit is flagged if any classifier flags it; otherwise if the first does. Labels are not
    read, and the units chosen on a side are always all those up to some gold number, so gold is a random part of each side even after
    the draw grew. The share never falls.
    """
    if not 0 < share <= 1:
        raise PlanError(f"the share of drawn units to adjudicate must lie in (0, 1], got {share:g}: 0.2 is usual")
    if standing.units is None:
        raise PlanError(f"study {standing.name!r} has no units drawn yet: draw some first")
    held = set(standing.gold_units)
    pattern = standing.units.pattern if standing.profile.claims is not None else standing.units.pattern & 1
    chosen: list[str] = []
    for flagged in (True, False):
        side = [u for u, p in zip(standing.units.unit, pattern.tolist(), strict=True) if (p > 0) == flagged]
        ranked = sorted(side, key=lambda unit: hashlib.md5(f"{standing.salt}:gold:{unit}".encode(), usedforsecurity=False).digest())
        last = max((i for i, unit in enumerate(ranked) if unit in held), default=-1)
        enough = math.ceil(max(share, standing.gold_share) * len(side) - 1e-9)
        chosen += [unit for unit in ranked[: max(enough, last + 1)] if unit not in held]
    return tuple(chosen)


def shuffled(salt: str, units: Sequence[str]) -> tuple[str, ...]:
    """The units in an order that reveals nothing about their scores and is the same every time."""
    return tuple(sorted(units, key=lambda unit: hashlib.md5(f"{salt}:order:{unit}".encode(), usedforsecurity=False).digest()))
