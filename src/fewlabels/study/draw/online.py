"""Which units an online study asks next: a random band, then the band's next unit by permanent number.

Step t picks its band by md5("<salt>|pick|<t>"); the probabilities depend on the answers recorded when it was asked, all from earlier
steps. So any number of labelers may hold open batches: what is still open adds no information and does no harm. Labels are read in
asking order, up to the first that is not settled.
"""

import hashlib
import math
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from fewlabels.designs.online import asking_rates, even_share, picked, predicted
from fewlabels.engines.base import Engine
from fewlabels.estimators.online import influences, point
from fewlabels.ledgers.base import Writing
from fewlabels.nouns.arrays import FloatArray, IntArray
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.draw import Units
from fewlabels.nouns.label import CLOSER, Label
from fewlabels.planning.online import Course
from fewlabels.randomness import TOP
from fewlabels.study.draw.batches import new_batch, open_batch
from fewlabels.study.draw.fixed import draw_reserve
from fewlabels.study.state.online_path import Walked, has_ended, some_left, walked
from fewlabels.study.state.standing import Batch, Standing

EXPECTED = 1.0  # times the units the plan expects to ask of a band: the base of its reserve
AHEAD = 2.0  # times that, or times the units asked so far: the reserve; at least 1, else it would not last for the next batch
SPARE = 50  # units added to that
UNSETTLED = -2


def reserve_takes(standing: Standing, units: int) -> IntArray:
    """How many units of each band to hold in reserve: twice what the plan expects of it, some spare, and as many as are wanted now."""
    design, plan = standing.plan.design, standing.plan
    expected = EXPECTED * plan.budget * np.maximum(design.mass / design.mass.sum(), design.N / design.N.sum())
    drawn = np.bincount(standing.units.band, minlength=design.N.size) if standing.units is not None else np.zeros(design.N.size)
    return np.asarray(np.minimum(design.N, np.ceil(AHEAD * np.maximum(expected, drawn) + SPARE + units)).astype(np.int64))


def reserve_body(engine: Engine, standing: Standing, units: int) -> dict[str, Json] | None:
    """The ledger entry: the units added to the reserve, by band and permanent number; None if it holds them all."""
    take = reserve_takes(standing, units)
    found = draw_reserve(engine, standing.profile, standing.plan, take)
    known = set(standing.reserve.unit) if standing.reserve is not None else set()
    new = np.array([i for i, unit in enumerate(found.unit) if unit not in known], dtype=np.int64)
    if not new.size:
        return None
    return {
        "plan": standing.plan.number, "take": take.tolist(), "units": found.pick(new).as_json(), "fingerprint": standing.profile.fingerprint
    }  # fmt: skip


def pick_number(salt: str, step: int) -> float:
    """The number in [0, 1) that picks a step's band: 52 bits of the md5 of salt and step, distinct from the number of any id."""
    digest = hashlib.md5(f"{salt}|pick|{step}".encode(), usedforsecurity=False).hexdigest()
    return int(digest[:13], 16) / TOP


def rates_now(standing: Standing, found: Walked) -> FloatArray:
    """The probability of each band for the units asked now, from all answers recorded so far."""
    course, units = found.course, standing.units
    label = np.array([UNSETTLED if one is None else one for one in found.label], dtype=np.int64)
    band = units.band if units is not None else np.empty(0, dtype=np.int64)
    drawn, positives, negatives = (
        np.bincount(band[which], minlength=course.N.size).astype(np.float64) for which in (label >= UNSETTLED, label == 1, label == 0)
    )
    share = predicted(positives, positives + negatives, course.prior)
    size = _influence(course, positives, negatives) * np.sqrt(share * (1 - share))
    even = even_share(rare=any(one.rare for one in course.goals), labels=int((positives + negatives).sum()))
    return asking_rates(size, course.N - drawn, even=even)


def _influence(course: Course, positives: FloatArray, negatives: FloatArray) -> FloatArray:
    """How much one more label in each band moves the goals, evaluated at their targets or at the current estimate."""
    values, sums = [], []
    share = predicted(positives, positives + negatives, course.prior)
    for one in course.goals:
        t = one.terms
        value = point(t, course.N, course.prior, positives=positives, negatives=negatives)
        target = value if one.goal.kind == "+-" or one.sign else one.goal.value
        values.append(float(np.clip(target if math.isfinite(target) else 0.5, one.grid[0], one.grid[-1])))
        G = t.known_g + (course.N * ((1 - share) * t.g0 + share * t.g1)).sum()
        sums.append(float(course.N.sum()) if one.sign or G <= 0 else float(G))
    return influences([one.terms for one in course.goals], values, sums)


def next_units(standing: Standing, found: Walked, units: int) -> tuple[Units, FloatArray] | None:
    """The next units in asking order, and the probabilities they were picked with; None if the reserve of a band has run dry."""
    assert standing.reserve is not None  # held before the first unit is asked
    course, plan = found.course, standing.plan
    rate = rates_now(standing, found)
    band = standing.units.band if standing.units is not None else np.empty(0, dtype=np.int64)
    asked = np.bincount(band, minlength=course.N.size)
    rows = [np.flatnonzero(standing.reserve.band == k) for k in range(course.N.size)]
    left = course.N - asked
    chosen: list[int] = []
    for step in range(band.size, band.size + units):
        k = picked(some_left(rate, left), left, pick_number(plan.salt, step))
        if asked[k] >= rows[k].size:
            return None
        chosen.append(int(rows[k][asked[k]]))
        asked[k] += 1
        left[k] -= 1
    return standing.reserve.pick(np.array(chosen, dtype=np.int64)), rate


def round_body(standing: Standing, found: Walked, drawn: Units, rate: FloatArray) -> dict[str, Json]:
    """The ledger entry of a round: its units in asking order, the probabilities, and the steps that were waiting for an answer."""
    return {
        "plan": standing.plan.number,
        "plan_hash": standing.plan.hash,
        "units": drawn.as_json(),
        "rate": rate.tolist(),
        "waiting": [t for t, one in enumerate(found.label) if one is None],
        "fingerprint": standing.profile.fingerprint,
    }


def next_batch(act: Writing, standing: Standing, units: int, *, more: bool) -> Batch | Literal["dry"] | None:
    """The units to label now, recorded; None if the study has ended; "dry" if the reserve is too short.

    Units without a usable answer come first, once more; then new ones, as far as the budget allows. more=True hands out new units even
    if earlier ones are still open.
    """
    found = walked(standing)
    names = standing.units.unit if standing.units is not None else ()
    if (found.waiting or found.seen_again) and not more:
        return open_batch(standing, [names[t] for t in sorted((*found.waiting, *found.seen_again))])
    again = [names[t] for t in found.again][:units]
    count = min(units - len(again), standing.plan.budget - len(names))
    if (count <= 0 and not again) or has_ended(standing, found):
        return None
    fresh: list[str] = []
    if count > 0:
        drawn = next_units(standing, found, count)
        if drawn is None:
            return "dry"
        act.append("draw", key=f"draw:{standing.plan.number}:{len(names)}", body=round_body(standing, found, *drawn))
        fresh = list(drawn[0].unit)
    return new_batch(act, standing, [*again, *fresh])


def closing_online(standing: Standing) -> list[Label]:
    """The labels that end the wait: "never answered" for every unit that is not settled."""
    names = standing.units.unit if standing.units is not None else ()
    return [
        Label(unit=names[t], answer="never_answered", labeler=CLOSER, question=standing.questions[0])
        for t, one in enumerate(walked(standing).label)
        if one is None
    ]


def check_round(before: Standing, body: Mapping[str, Any]) -> str | None:
    """What is wrong with a recorded round, given all entries before it; None if nothing is."""
    found = walked(before)
    if not np.allclose(rates_now(before, found), np.array(body["rate"]), rtol=1e-9, atol=1e-12):
        return "its probabilities do not follow from the answers before it"
    if body["waiting"] != [t for t, one in enumerate(found.label) if one is None]:
        return "it does not say which steps were waiting for an answer"
    if (body["plan"], body["plan_hash"], body["fingerprint"]) != (before.plan.number, before.plan.hash, before.profile.fingerprint):
        return "it does not belong to the current plan and population"
    again = next_units(before, found, len(body["units"]["unit"]))
    if again is None or again[0].as_json() != body["units"]:
        return "its units do not follow from the salt and the probabilities"
    return None
