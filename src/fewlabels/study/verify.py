"""Recompute a study from its ledger and report what does not match.

Without the population: hashes, seals, plans, replay and every estimate that was shown. With it: also the fingerprint and the draw.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from fewlabels.designs.base import pi_of, takes_of
from fewlabels.engines.base import Engine
from fewlabels.errors import FewlabelsError
from fewlabels.ledgers.base import Entry, broken
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.draw import Units
from fewlabels.nouns.plan import Plan
from fewlabels.randomness import permanent_number
from fewlabels.study.decision.requests import answer, asked_body
from fewlabels.study.draw.fixed import check_population, draw_plan, draw_reserve, gold_units
from fewlabels.study.draw.online import check_round
from fewlabels.study.estimate.estimates import look_body
from fewlabels.study.estimate.warnings import asked_late
from fewlabels.study.kinds import KINDS, kind_of
from fewlabels.study.plan.extension import extension_plan
from fewlabels.study.plan.next_plan import still_fresh
from fewlabels.study.plan.pilot import pilot_units, plan_rest
from fewlabels.study.state.replay import replay
from fewlabels.study.state.standing import Standing

WORDS = frozenset({"caution", "says", "why", "reason"})  # of a look: what explains its numbers


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """What was recomputed, and what does not match; passed if `findings` is empty. `notes` is what a reader should know all the same."""

    checked: tuple[str, ...]
    findings: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether everything matched."""
        return not self.findings

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json."""
        return {"passed": self.passed, "checked": list(self.checked), "findings": list(self.findings), "notes": list(self.notes)}


def verify(
    entries: Sequence[Entry],
    *,
    damage: Sequence[str] | None,
    open_population: Callable[[Standing], Engine] | None,
    looks: bool = True,
) -> Verification:
    """Recompute everything that can be recomputed; looks=False skips what earlier looks showed, on which no new number depends.

    damage   what the database's own check found; None if it was not run
    """
    checked = [*(["the database file"] if damage is not None else []), f"hashes and seals of {len(entries):,} entries"]
    findings = [*(f"the database's own check: {one}" for one in damage or ()), *broken(entries)]
    if findings:
        return Verification(checked=tuple(checked), findings=tuple(findings))
    try:
        standing = replay(entries)
    except FewlabelsError as error:
        return Verification(checked=tuple(checked), findings=(f"the entries cannot be read as a study ({error}): one was changed",))
    checked += [
        "plans",
        "permanent numbers",
        *(["units drawn for gold"] if standing.gold_units else []),
        *(["estimates shown"] if looks else []),
    ]
    shown = _looks(entries) if looks else iter(())
    for finding in (_plans(entries), _numbers(standing), _draws(entries, standing), _gold(entries), shown):
        findings += _guarded(finding)
    if open_population is not None:
        checked += ["fingerprint", "draw"]
        findings += _population(open_population, standing)
    return Verification(checked=tuple(checked), findings=tuple(findings), notes=(*_backward_times(entries), *asked_late(standing)))


def with_report(found: Verification, entries: Sequence[Entry], report: Mapping[str, Any], *, name: str) -> Verification:
    """The verification, and whether a report was made from this very record: one made from a copy showed numbers that are no look here."""
    record = report["record"]
    salt = next((entry.body.get("salt") for entry in entries if entry.kind == "study"), None)
    findings = []
    if record["salt"] != salt:
        findings.append(f"{name} is about another study: its salt is {record['salt']}, here it is {salt}")
    elif not any(entry.serial == record["entries"] and entry.hash == record["last_hash"] for entry in entries):
        findings.append(
            f"{name} was made from a copy of this study: its last entry, {record['entries']} ({record['last_hash'][:12]}), is not in this "
            f"record of {len(entries)}, so the look it shows is not counted here"
        )
    return replace(found, checked=(*found.checked, name), findings=(*found.findings, *findings))


def _backward_times(entries: Sequence[Entry]) -> Iterator[str]:
    """Entries written, by their own account, before the one they follow: no error, since clocks are set back, but nothing to rely on."""
    back = [(before, entry) for before, entry in pairwise(entries) if entry.at < before.at]
    if back:
        before, entry = back[0]
        yield (
            f"times run backwards at {len(back):,} entr{'y' if len(back) == 1 else 'ies'}, first at entry {entry.serial} ({entry.kind}): "
            f"{entry.at} follows {before.at}, so a clock was set back, or two clocks differ"
        )


def _guarded(found: Iterator[str]) -> Iterator[str]:
    """The findings, and one more if a changed entry makes it impossible to continue."""
    try:
        yield from found
    except (FewlabelsError, ArithmeticError, LookupError, TypeError, ValueError) as error:
        yield f"recomputing failed ({type(error).__name__}: {error}): an entry does not fit those before it"


def _plans(entries: Sequence[Entry]) -> Iterator[str]:
    """Recompute every plan's hash, takes, and the error its look may spend from the plans and looks before it."""
    earlier: list[Plan] = []
    shown: set[int] = set()
    for i, entry in enumerate(entries):
        if entry.kind == "look":
            shown.add(entry.body["plan"])
        if entry.kind != "plan":
            continue
        plan = Plan.of_json(entry.body["plan"])
        if plan.hash != entry.body["hash"]:
            yield f"entry {entry.serial} (plan): its hash is not that of the plan it holds"
        spend = KINDS[plan.kind].spending(plan, earlier, shown)
        if (plan.change, plan.share, plan.promise) != spend:
            yield f"entry {entry.serial} (plan): the error its look may spend is not what the plans and looks before it allow"
        widened = plan.change == "extension"
        fresh = not earlier or earlier[-1].is_pilot or widened
        design = plan.design if fresh else earlier[-1].design
        if plan.design.as_json() != design.as_json() or not np.array_equal(plan.take, takes_of(design, plan.budget - plan.before)):
            yield f"entry {entry.serial} (plan): its bands or takes do not follow from the first plan's"
        if earlier and not widened and not fresh and plan.fresh != still_fresh(earlier[-1], shown):
            yield f"entry {entry.serial} (plan): it marks classifiers as new although numbers of them were shown"
        yield from _made_from(entries[:i], entry, plan)
        earlier.append(plan)


def _made_from(before: Sequence[Entry], entry: Entry, plan: Plan) -> Iterator[str]:
    """Whether a plan that follows a pilot or an extension follows from the entries before it."""
    if plan.change == "after the pilot" and plan_rest(replay(before)).hash != plan.hash:
        yield f"entry {entry.serial} (plan): its guide and bands do not follow from the pilot's labels"
    if plan.change == "extension" and extension_plan(replay(before), plan.budget).hash != plan.hash:
        yield f"entry {entry.serial} (plan): its bands do not follow from the units held and the new goals"


def _draws(entries: Sequence[Entry], standing: Standing) -> Iterator[str]:
    """Check the probabilities and fingerprint of each draw, and that batches hold drawn units only."""
    plans = {plan.number: plan for plan in standing.plans}
    drawn = set(standing.units.unit) if standing.units else set()
    counted = ""
    for i, entry in enumerate(entries):
        if entry.kind in ("population", "extension"):
            counted = entry.body["fingerprint"]
        if entry.kind == "draw" and "rate" in entry.body:
            if (wrong := check_round(replay(entries[:i]), entry.body)) is not None:
                yield f"entry {entry.serial} (draw): {wrong}"
        elif entry.kind == "draw":
            plan = plans[entry.body["plan"]]
            pi = pi_of(plan.design, plan.budget - plan.before)[entry.body["units"]["band"]].tolist()
            if pi != entry.body["pi"] or entry.body["fingerprint"] != counted or entry.body["plan_hash"] != plan.hash:
                yield f"entry {entry.serial} (draw): its probabilities, plan or fingerprint are not those of its plan and population"
        if entry.kind == "batch" and not set(entry.body["units"]) <= drawn:
            yield f"entry {entry.serial} (batch): it hands out units that were never drawn"


def _numbers(standing: Standing) -> Iterator[str]:
    before = standing.plan.before if standing.plans else 0
    units = standing.reserve or standing.units
    rows = zip(units.unit, units.number.tolist(), strict=True) if units else ()
    for i, (unit, number) in enumerate(rows):
        salt = standing.salt if i < before else standing.plan.salt
        found = permanent_number(salt, unit, standing.number_rule)
        if found != number:
            yield f"unit {unit!r}: its permanent number is {found}, the draw says {number}"


def _gold(entries: Sequence[Entry]) -> Iterator[str]:
    """Recompute the units drawn for gold from share, salt and earlier draws; check that gold answers are about such units only."""
    chosen: set[str] = set()
    for i, entry in enumerate(entries):
        if entry.kind == "gold":
            try:
                expected = list(gold_units(replay(entries[:i]), entry.body["share"]))
            except FewlabelsError:
                expected = []
            if entry.body["units"] != expected:
                yield f"entry {entry.serial} (gold): its units do not follow from its share and the salt"
            chosen |= set(entry.body["units"])
        elif entry.kind in ("answer", "correction") and entry.body["gold"] and entry.body["unit"] not in chosen:
            yield f"entry {entry.serial} ({entry.kind}): a gold answer about a unit that was not drawn for gold"


def _looks(entries: Sequence[Entry]) -> Iterator[str]:
    """Recompute every estimate shown from the entries before it."""
    for i, entry in enumerate(entries):
        if entry.kind != "look":
            continue
        before = replay(entries[:i])
        asked = entry.body.get("asked")
        if asked is not None:
            again = asked_body(before, asked, answer(before, asked, peek=True))
        else:
            again = look_body(before, kind_of(before).read(before, peek=not entry.body["certified"]))
        if without_words(again) != without_words(entry.body):
            yield f"entry {entry.serial} (look): recomputing its estimates from the ledger gives other numbers"


def without_words(value: Json) -> Json:
    """A look without its explanations, which a later version may word differently or read from a newer atlas; numbers and verdicts stay."""
    if isinstance(value, Mapping):
        return {name: without_words(part) for name, part in value.items() if name not in WORDS}
    return [without_words(part) for part in value] if isinstance(value, list | tuple) else value


def _population(open_population: Callable[[Standing], Engine], standing: Standing) -> Iterator[str]:
    try:
        engine = open_population(standing)
        check_population(engine, standing.profile)
        if standing.reserve is not None:
            yield from _reserve(engine, standing, standing.reserve)
        elif standing.is_drawn and standing.units is not None:
            plan = standing.plan
            first = standing.plans[0] if plan.before else plan
            pilot = pilot_units(standing)
            before = standing.units if plan.design.held is not None else None
            yield from _same(draw_plan(engine, standing.profile, first, before).units, pilot or standing.units, bands=before is None)
            if pilot is not None:
                rest = standing.units.pick(np.arange(plan.before, len(standing.units)))
                yield from _same(draw_plan(engine, standing.profile, plan, pilot).units, rest)
    except FewlabelsError as error:
        yield str(error)


def _reserve(engine: Engine, standing: Standing, held: Units) -> Iterator[str]:
    """Whether the units an online study holds in reserve are the first of their bands."""
    take = np.bincount(held.band, minlength=standing.plan.design.N.size)
    again = draw_reserve(engine, standing.profile, standing.plan, take)
    order = np.argsort(held.band, kind="stable")
    yield from _same(again, held.pick(order))


def _same(drawn: Units, held: Units, *, bands: bool = True) -> Iterator[str]:
    """What differs between a repeated draw and the ledger; bands=False ignores bands, since units keep theirs when bands are split."""
    alike = {} if bands else {"band": None}
    if drawn.unit != held.unit:
        yield "draw: drawing the plan again from the population gives other units"
    elif drawn.as_json() | alike != held.as_json() | alike:
        yield "draw: the units are the same, but their scores, cells or bands are not what the ledger says"
