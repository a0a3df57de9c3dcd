"""From a plan to its units: draw what the plan adds, in asking order."""

import hashlib
import math
from collections.abc import Sequence

import numpy as np

from fewlabels.designs.base import pi_of, seats_of
from fewlabels.engines.base import Drawable, Engine, Taken, take_first, take_smallest
from fewlabels.errors import FingerprintError, PlanError
from fewlabels.nouns.arrays import IntArray
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.draw import Units
from fewlabels.nouns.plan import Plan
from fewlabels.nouns.profile import Profile
from fewlabels.randomness import NumberRule
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


def draw_plan(engine: Engine, profile: Profile, plan: Plan, before: Units | None = None) -> Taken:
    """The units of the whole plan in asking order, and the cuts of its bands.

    Seat j of the asking order belongs to a band; the r-th seat of a band goes to its r-th smallest permanent number. The units of a
    Poisson draw are asked in the order of permanent number divided by rate. The round after a pilot draws none of the pilot's units again.
    After an extension, the units drawn `before` come first, in the order they were asked.
    """
    told = engine.unchanged(profile)
    taken = _drawn(_checked(engine, profile, told), profile, plan, before)
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


def _drawn(source: Drawable, profile: Profile, plan: Plan, before: Units | None) -> Taken:
    band = plan.design.band
    if plan.guide is not None and before is not None:
        return _draw_rest(source, profile, plan, before)
    if plan.design.poisson:
        rate = plan.design.mass / plan.design.N
        return take_first(source, profile, band=band, rate=rate, total=plan.budget, salt=plan.salt, rule=plan.number_rule)
    taken = take_smallest(source, profile, band=band, take=plan.take, salt=plan.salt, rule=plan.number_rule)
    units = taken.units.pick(asking_order(taken.units.band, seats_of(plan.design, plan.budget)))
    if plan.design.held is not None and before is not None:
        place = {unit: i for i, unit in enumerate(before.unit)}
        held = int(plan.design.held.sum())
        first = sorted(range(held), key=lambda i: place[units.unit[i]])
        units = units.pick(np.array([*first, *range(held, len(units))], dtype=np.int64))
    return Taken(units=units, cut=taken.cut)


def _draw_rest(engine: Drawable, profile: Profile, plan: Plan, pilot: Units) -> Taken:
    """The units of the round after a pilot: the smallest numbers of each band, skipping those of the pilot."""
    held = set(pilot.unit)
    band, design = plan.design.band, plan.design
    theirs = band[profile.cells(pilot.pattern, pilot.guide_bin, pilot.slice)]
    passed = np.bincount(theirs[theirs >= 0], minlength=design.N.size)
    found = take_smallest(engine, profile, band=band, take=plan.take + passed, salt=plan.salt, rule=plan.number_rule)
    fresh = np.array([i for i, unit in enumerate(found.units.unit) if unit not in held], dtype=np.int64)
    ranked = [fresh[found.units.band[fresh] == h] for h in range(design.N.size)]
    cut = found.cut.copy()
    for h, rows in enumerate(ranked):
        if rows.size > plan.take[h]:
            cut[h] = found.units.number[rows[plan.take[h]]]
    units = found.units.pick(np.concatenate([rows[: plan.take[h]] for h, rows in enumerate(ranked)]))
    return Taken(units=units.pick(asking_order(units.band, seats_of(design, int(plan.take.sum())))), cut=cut)


def asking_order(band: IntArray, seat: IntArray) -> IntArray:
    """Rows (sorted by band, then permanent number) in the order of their seats."""
    by_seat = np.argsort(seat, kind="stable")  # seats grouped by band, in seat order within each
    rows = np.empty(seat.size, dtype=np.int64)
    rows[by_seat] = np.argsort(band, kind="stable")
    return rows


def draw_body(plan: Plan, taken: Taken, standing: Standing) -> dict[str, Json]:
    """The ledger entry of a draw: only the units this plan adds, the cuts, and the fingerprint that was checked."""
    held = set(standing.units.unit) if standing.units else set()
    new = np.array([i for i, unit in enumerate(taken.units.unit) if unit not in held], dtype=np.int64)
    added: Units = taken.units.pick(new)
    return {
        "plan": plan.number,
        "plan_hash": plan.hash,
        "units": added.as_json(),
        "pi": [float(x) for x in pi_of(plan.design, plan.budget - plan.before)[added.band]],
        "cut": taken.cut.tolist(),
        "fingerprint": standing.profile.fingerprint,
    }


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
