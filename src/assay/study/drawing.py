"""From a plan to its units: draws what the plan adds, in asking order.

Main path: population > profile > plan > [draw] > labels > estimate > decision > report
"""

import hashlib
from collections.abc import Sequence

import numpy as np

from assay.designs.base import seats
from assay.engines.base import Engine, Taken, take_smallest
from assay.errors import FingerprintError
from assay.nouns.arrays import IntArray
from assay.nouns.canonical import Json
from assay.nouns.draw import Units
from assay.nouns.plan import Plan
from assay.nouns.profile import Profile
from assay.study.replay import Standing


def check_population(engine: Engine, profile: Profile) -> None:
    """Counts the table's cells again and refuses any difference from what the study was made on."""
    now = engine.profile()
    if now.fingerprint == profile.fingerprint:
        return
    differs = [name for name, value in profile.as_json().items() if now.as_json()[name] != value]
    raise FingerprintError(
        f"the population must be the one the study was made on (fingerprint {profile.fingerprint[:12]}, {profile.N:,} units), but the "
        f"table now has {now.N:,} units and differs in {', '.join(differs)}: restore it, or start a new study"
    )


def draw_plan(engine: Engine, profile: Profile, plan: Plan) -> Taken:
    """The units of the whole plan in asking order, and the cuts of its bands.

    Seat j of the asking order belongs to a band; the r-th seat of a band is its r-th smallest permanent number.
    """
    check_population(engine, profile)
    taken = take_smallest(engine, profile, band=plan.design.band, take=plan.take, salt=plan.salt)
    return Taken(units=taken.units.pick(asking_order(taken.units.band, seats(plan.design.mass, plan.design.N, plan.budget))), cut=taken.cut)


def asking_order(band: IntArray, seat: IntArray) -> IntArray:
    """Rows (sorted by band, then permanent number) in the order of their seats."""
    by_seat = np.argsort(seat, kind="stable")  # seats grouped by band, in seat order within each
    rows = np.empty(seat.size, dtype=np.int64)
    rows[by_seat] = np.argsort(band, kind="stable")
    return rows


def draw_body(plan: Plan, taken: Taken, standing: Standing) -> dict[str, Json]:
    """The ledger's entry: only the units this plan adds, the cuts, and the fingerprint that was counted again."""
    held = set(standing.units.unit) if standing.units else set()
    new = np.array([i for i, unit in enumerate(taken.units.unit) if unit not in held], dtype=np.int64)
    added: Units = taken.units.pick(new)
    return {
        "plan": plan.number,
        "plan_hash": plan.hash,
        "units": added.as_json(),
        "pi": [float(x) for x in (plan.take / plan.design.N)[added.band]],
        "cut": taken.cut.tolist(),
        "fingerprint": standing.profile.fingerprint,
    }


def shuffled(salt: str, units: Sequence[str]) -> tuple[str, ...]:
    """Units in an order that says nothing about their scores, the same every time."""
    return tuple(sorted(units, key=lambda unit: hashlib.md5(f"{salt}:order:{unit}".encode(), usedforsecurity=False).digest()))
