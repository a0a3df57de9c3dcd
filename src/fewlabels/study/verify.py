"""Recompute a study from its ledger and report what does not match.

Without the population: hashes, seals, plans, replay and every estimate that was shown. With it: also the fingerprint and the draw.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from fewlabels.designs.bands import EDITION
from fewlabels.designs.base import takes_of
from fewlabels.engines.base import Engine
from fewlabels.errors import FewlabelsError
from fewlabels.ledgers.base import Chain, Entry, Reading, StoredEntry, hash_of_text
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.draw import Units
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.known import KnownLabels
from fewlabels.nouns.plan import Plan
from fewlabels.nouns.works_with import Trait
from fewlabels.randomness import permanent_numbers
from fewlabels.study.decision.requests import answer, asked_body, is_kept, name_of
from fewlabels.study.draw.fixed import aside_of, chances, check_population, draw_plan, draw_reserve, gold_units, with_clusters
from fewlabels.study.draw.online import check_round
from fewlabels.study.estimate.confusion import read_confusion
from fewlabels.study.estimate.estimates import Estimates, look_body
from fewlabels.study.estimate.kept import read
from fewlabels.study.estimate.warnings import asked_late
from fewlabels.study.kinds import KINDS, kind_of
from fewlabels.study.plan.design import grown_design
from fewlabels.study.plan.extension import extension_plan
from fewlabels.study.plan.next_plan import still_fresh
from fewlabels.study.plan.pilot import pilot_units, plan_rest
from fewlabels.study.population.sample import changed_sample, probabilities
from fewlabels.study.state.register import BEGIN, Register
from fewlabels.study.state.snapshots import differences, head_of, restore, resume
from fewlabels.study.state.standing import Standing

REBUILD = "numbers may have been read from it; run fewlabels ledger rebuild, and ask for them again"
UNSEEN = ("decision", "convergence", "confusion")  # results that no look shows
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


class Verifier:
    """The record of a study, read from its first entry on: everything that can be recomputed is recomputed, entry by entry."""

    def __init__(self, study: str, *, damage: Sequence[str] | None, looks: bool = True) -> None:
        """Start before the first entry.

        damage  what the database's own check found; None if it was not run
        looks   False skips what earlier looks showed, on which nothing depends
        """
        self._study, self._looks = study, looks
        self._chain, self._fold = Chain(), Refolded(looks=looks)
        self._wrong: list[str] = [f"the database's own check: {one}" for one in damage or ()]
        self._checked = ["the database file"] if damage is not None else []

    def read(self, source: Reading) -> None:
        """Read all entries, and what is kept beside them."""
        chain, fold, head = self._chain, self._fold, head_of(source)
        for stored in source.stored():
            self._wrong += chain.follow(stored, hash_of_text(self._study, stored))
            if not self._wrong and not fold.unreadable:
                fold.follow(stored.entry(self._study))
                if head is not None and (stored.serial, stored.hash) == (head["serial"], head["hash"]) and not fold.unreadable:
                    fold.compare(head)
        if not self._wrong and not fold.unreadable:
            fold.end(source)

    def read_looks(self, entries: Iterable[StoredEntry], results: Mapping[str, Any]) -> None:
        """Read the looks recorded since, which show results of the state that was read."""
        self._fold.results |= results
        for stored in entries:
            self._wrong += self._chain.follow(stored, hash_of_text(self._study, stored))
            self._fold.check(stored.entry(self._study))

    def found(self, open_population: Callable[[Standing], Engine] | None = None) -> Verification:
        """What was recomputed, and what does not match."""
        checked = [*self._checked, f"hashes and seals of {self._chain.count:,} entries"]
        if self._wrong or self._fold.unreadable:
            return Verification(checked=tuple(checked), findings=tuple(self._wrong or self._fold.unreadable))
        findings, standing = self._fold.findings, self._fold.standing
        checked += [
            "plans",
            *(["permanent numbers"] if not _is_read(standing) else []),
            *(["known answers recorded before the salt"] if standing.owned is not None else []),
            *(["units drawn for gold"] if standing.gold_units else []),
            *(["estimates shown"] if self._looks else []),
        ]
        if open_population is not None:
            checked += ["fingerprint", "draw"] if not _is_read(standing) else ["the sample"]
            findings += _population(open_population, standing)
        notes = (*self._fold.backward_times(), *asked_late(standing))
        return Verification(checked=tuple(checked), findings=tuple(findings), notes=notes)

    @property
    def count(self) -> int:
        """How many entries were read."""
        return self._chain.count

    @property
    def register(self) -> Register:
        """The study as its entries say it is."""
        return self._fold.register

    @property
    def results(self) -> Mapping[str, Any]:
        """The results that were computed again for the state after the newest entry, of those whose look is recorded."""
        return {what: result for what, result in self._fold.results.items() if what in self._fold.recorded}


def with_report(found: Verification, source: Reading, report: Mapping[str, Any], *, name: str) -> Verification:
    """The verification, and whether a report was made from this very record: one made from a copy showed numbers that are no look here."""
    record = report["record"]
    salt = next((entry.body.get("salt") for entry in source.notable("study")), None)
    findings = []
    if record["salt"] != salt:
        findings.append(f"{name} is about another study: its salt is {record['salt']}, here it is {salt}")
    elif source.hash_at(record["entries"]) != record["last_hash"]:
        findings.append(
            f"{name} was made from a copy of this study: its last entry, {record['entries']} ({record['last_hash'][:12]}), is not in this "
            f"record of {sum(1 for _ in source.stored())}, so the look it shows is not counted here"
        )
    return replace(found, checked=(*found.checked, name), findings=(*found.findings, *findings))


class Refolded:
    """A study folded from its first entry, what each entry says being compared with those before it. Only the state is held."""

    def __init__(self, *, looks: bool) -> None:
        """Start before the first entry; looks=False: estimates that were shown are not computed again."""
        self._looks = looks
        self.register = Register(restore)
        self._found: dict[str, list[str]] = {"plans": [], "numbers": [], "draws": [], "gold": [], "looks": [], "snapshot": [], "known": []}
        self._failed: set[str] = set()  # checks that could not continue
        self._earlier: list[Plan] = []
        self._shown: set[int] = set()
        self._fingerprint = ""
        self._last: Entry | None = None
        self._back: tuple[int, Entry, Entry] | None = None  # times that run backwards: how often, and the first two
        self._seen: dict[str, Json] = {}  # what looks showed since the newest entry that results depend on, by request
        self._asked: dict[str, Any] = {}  # all requests
        self.results: dict[str, Any] = {}  # computed since then, by request
        self.recorded: set[str] = set()  # which of them were shown, or kept
        self.unreadable: list[str] = []

    @property
    def standing(self) -> Standing:
        """The study after the entries followed."""
        return self.register.standing()

    def follow(self, entry: Entry) -> None:
        """Compare one more entry with those before it, and take it in."""
        self.check(entry)
        try:
            self.register.take(entry)
        except (FewlabelsError, LookupError, TypeError, ValueError) as error:
            self.unreadable = [f"the entries cannot be read as a study ({error}): one was changed"]
        if self._last is not None and entry.at < self._last.at:
            count, *first = self._back or (0, self._last, entry)
            self._back = (count + 1, first[0], first[1])
        self._last = entry
        if self.register.basis == entry.hash:
            self._seen.clear()
            self.results.clear()
            self.recorded.clear()
        elif entry.kind == "look":
            self.recorded.add(_name_of(entry.body))
            self._seen[_name_of(entry.body)] = entry.body.get("shown", entry.body.get("estimates"))

    def check(self, entry: Entry) -> None:
        """Compare an entry with those before it."""
        if entry.kind == "look" and "asked" in entry.body:
            self._asked[_name_of(entry.body)] = entry.body["asked"]
        for check, find in CHECKS.get(entry.kind, ()):
            if check not in self._failed and (check != "looks" or self._looks):
                self._add(check, find, entry)

    def _add(self, check: str, find: "Callable[[Refolded, Any], Iterable[str]]", about: object) -> None:
        """Add findings, and one more if a changed entry makes it impossible to continue."""
        try:
            self._found[check] += find(self, about)
        except (FewlabelsError, ArithmeticError, LookupError, TypeError, ValueError) as error:
            self._found[check].append(f"recomputing failed ({type(error).__name__}: {error}): an entry does not fit those before it")
            self._failed.add(check)

    def end(self, source: Reading) -> None:
        """Check what belongs to the study as a whole, after the newest entry."""
        if not self.register.study:
            self.unreadable = [f"the entries cannot be read as a study ({BEGIN}): one was changed"]
            return
        self._add("numbers", Refolded._numbers, self.standing)
        self._add("snapshot", Refolded._kept, source)

    @property
    def findings(self) -> list[str]:
        """All findings."""
        return [one for found in self._found.values() for one in found]

    def backward_times(self) -> Iterator[str]:
        """Entries written, by their own account, before the one they follow: no error, as clocks are set back, but nothing to rely on."""
        if self._back is not None:
            count, before, entry = self._back
            yield (
                f"times run backwards at {count:,} entr{'y' if count == 1 else 'ies'}, first at entry {entry.serial} ({entry.kind}): "
                f"{entry.at} follows {before.at}, so a clock was set back, or two clocks differ"
            )

    # ---------------- what is kept beside the record

    def compare(self, head: Mapping[str, Any]) -> None:
        """Compare a snapshot with the study folded to the same entry."""
        self._add("snapshot", Refolded._differences, head)

    def _differences(self, head: Mapping[str, Any]) -> Iterator[str]:
        wrong = list(differences(self.register, head))
        if wrong:
            named = ", ".join(wrong[:3]) + (" and others" if len(wrong) > 3 else "")
            yield f"the snapshot beside the record does not say what the entries say ({named}): {REBUILD}"
        else:
            resume(self.register, head)

    def _kept(self, source: Reading) -> Iterator[str]:
        """Compare results that are kept with what looks showed, or compute them again."""
        standing = self.standing
        kept = {name[2:]: read(body, basis=self.register.basis) for name, body in source.kept("r/").items()}
        self.recorded.update(what for what, result in kept.items() if result is not None)
        for what, result in kept.items():
            if result is not None and not self._is_same(what, result, standing):
                yield f"the result kept beside the record ({what}) is not what the entries say: {REBUILD}"

    def _is_same(self, what: str, result: Any, standing: Standing) -> bool:
        if what in UNSEEN:
            return bool(result == self._result(what, standing))
        if what in self._seen and what not in self.results:  # it was compared with the entries when its look was read, if at all
            return without_words(_json_of(result)) == without_words(self._seen[what])
        known = what == "estimates" or what in self._asked
        return known and without_words(_json_of(result)) == without_words(_json_of(self._result(what, standing)))

    def _result(self, what: str, standing: Standing) -> Any:
        """A result of a state, computed once for as long as it stays the same."""
        if what not in self.results:
            self.results[what] = self._computed(what, standing)
        return self.results[what]

    def _computed(self, what: str, standing: Standing) -> Any:
        kind = kind_of(standing)
        if what == "estimates":
            return kind.read(standing)
        if what == "decision":
            return kind.decide(standing, self._result("estimates", standing))
        if what == "convergence":
            return kind.converge(standing)
        return read_confusion(standing) if what == "confusion" else answer(standing, self._asked[what], peek=True)

    # ---------------- checks, each of an entry and those before it

    def _plans(self, entry: Entry) -> Iterator[str]:
        """Recompute a plan's hash, takes, and the error its look may spend from the plans and looks before it."""
        plan, earlier, shown = Plan.of_json(entry.body["plan"]), self._earlier, self._shown
        if plan.hash != entry.body["hash"]:
            yield f"entry {entry.serial} (plan): its hash is not that of the plan it holds"
        spend = KINDS[plan.kind].spending(plan, earlier, shown)
        if (plan.change, plan.share, plan.promise) != spend:
            yield f"entry {entry.serial} (plan): the error its look may spend is not what the plans and looks before it allow"
        widened, owned = plan.change == "extension", self.register.owned_labels
        checks = 0 if owned is None else owned.counts.labels
        fresh = not earlier or earlier[-1].is_pilot or widened
        same = fresh or _follows(plan.design, earlier[-1].design, partial(grown_design, self.standing, plan.budget))
        if not same or not np.array_equal(plan.take, takes_of(plan.design, plan.by_bands)) or plan.check != checks:
            yield f"entry {entry.serial} (plan): its bands or takes do not follow from the plan before it"
        if earlier and not widened and not fresh and plan.fresh != still_fresh(earlier[-1], shown):
            yield f"entry {entry.serial} (plan): it marks classifiers as new although numbers of them were shown"
        if plan.change == "after the pilot" and not _is_same_plan(plan, plan_rest(self.standing)):
            yield f"entry {entry.serial} (plan): its guide and bands do not follow from the pilot's labels"
        if widened and not _is_same_plan(plan, extension_plan(self.standing, plan.budget)):
            yield f"entry {entry.serial} (plan): its bands do not follow from the units held and the new goals"
        earlier.append(plan)

    def _known(self, entry: Entry) -> Iterator[str]:
        """Recompute the hash of the known answers, and whether the salt was made after them."""
        if KnownLabels.of_json(entry.body).hash != entry.body["hash"]:
            yield f"entry {entry.serial} (known): its hash is not that of the answers it holds"
        if self.register.study:
            yield f"entry {entry.serial} (known): it was recorded after the salt was made, so the answers may have been chosen by the draw"

    def _salted(self, entry: Entry) -> Iterator[str]:
        """Whether the known answers are those that the salt was made for."""
        owned = self.register.owned_labels
        if entry.body.get("known") != (None if owned is None else owned.hash):
            yield f"entry {entry.serial} (study): the known answers are not those recorded before its salt was made"

    def _is_shown(self, entry: Entry) -> Iterator[str]:
        self._shown.add(entry.body["plan"])
        yield from ()

    def _is_counted(self, entry: Entry) -> Iterator[str]:
        self._fingerprint = entry.body["fingerprint"]
        yield from ()

    def _draws(self, entry: Entry) -> Iterator[str]:
        """Check the probabilities and fingerprint of a draw."""
        if "rate" in entry.body:
            if (wrong := check_round(self.standing, entry.body)) is not None:
                yield f"entry {entry.serial} (draw): {wrong}"
            return
        plan = next(plan for plan in self._earlier if plan.number == entry.body["plan"])
        if plan.elsewhere is not None:
            pi = probabilities(self.register.profiles[-1], plan.elsewhere, Units.of_json(entry.body["units"])).tolist()
        else:
            drawn = Units.of_json(entry.body["units"])
            pi = chances(plan, drawn.unit, drawn.band, self.register.owned_labels).tolist()
        if pi != entry.body["pi"] or entry.body["fingerprint"] != self._fingerprint or entry.body["plan_hash"] != plan.hash:
            yield f"entry {entry.serial} (draw): its probabilities, plan or fingerprint are not those of its plan and population"

    def _batches(self, entry: Entry) -> Iterator[str]:
        if not all(map(self.register.is_drawn, entry.body["units"])):
            yield f"entry {entry.serial} (batch): it hands out units that were never drawn"

    def _golds(self, entry: Entry) -> Iterator[str]:
        """Recompute the units drawn for gold from share, salt and earlier draws."""
        try:
            expected = list(gold_units(self.standing, entry.body["share"]))
        except FewlabelsError:
            expected = []
        if entry.body["units"] != expected:
            yield f"entry {entry.serial} (gold): its units do not follow from its share and the salt"

    def _answers(self, entry: Entry) -> Sequence[str]:
        if not entry.body["gold"] or self.register.is_gold(entry.body["unit"]):
            return ()
        return [f"entry {entry.serial} ({entry.kind}): a gold answer about a unit that was not drawn for gold"]

    def _numbers(self, standing: Standing) -> Iterator[str]:
        units = standing.reserve or standing.units
        if not units or _is_read(standing):  # whoever drew the sample had numbers of their own
            return
        before, rule = standing.plan.before, standing.number_rule
        pilot, rest = units.unit[:before], units.unit[before:]
        found = np.concatenate([permanent_numbers(standing.salt, pilot, rule), permanent_numbers(standing.plan.salt, rest, rule)])
        for i in np.flatnonzero(found != units.number).tolist():
            yield f"unit {units.unit[i]!r}: its permanent number is {found[i]}, the draw says {units.number[i]}"

    def _estimates(self, entry: Entry) -> Iterator[str]:
        """Recompute the estimates of a look from the entries before it."""
        before, asked, what = self.standing, entry.body.get("asked"), _name_of(entry.body)
        if asked is not None:
            shown = self._result(what, before) if entry.body["certified"] and is_kept(asked) else answer(before, asked, peek=True)
            again = asked_body(before, asked, shown)
        elif entry.body["certified"]:
            again = look_body(before, self._result(what, before))
        else:
            again = look_body(before, kind_of(before).read(before, peek=True))
        if without_words(again) != without_words(entry.body):
            yield f"entry {entry.serial} (look): recomputing its estimates from the ledger gives other numbers"


# The checks of an entry of each kind, each with the group of findings it belongs to.
CHECKS: Mapping[str, Sequence[tuple[str, Callable[[Refolded, Entry], Iterable[str]]]]] = {
    "population": [("draws", Refolded._is_counted)],
    "known": [("known", Refolded._known)],
    "study": [("known", Refolded._salted)],
    "extension": [("draws", Refolded._is_counted)],
    "plan": [("plans", Refolded._plans)],
    "draw": [("draws", Refolded._draws)],
    "batch": [("draws", Refolded._batches)],
    "gold": [("gold", Refolded._golds)],
    "answer": [("gold", Refolded._answers)],
    "correction": [("gold", Refolded._answers)],
    "look": [("looks", Refolded._estimates), ("plans", Refolded._is_shown)],
}


def _is_read(standing: Standing) -> bool:
    """Whether the study is a sample that was drawn elsewhere."""
    return Trait.ELSEWHERE in standing.traits


def _name_of(look: Mapping[str, Any]) -> str:
    """The name under which the result of a look is kept."""
    return name_of(look["asked"]) if "asked" in look else "estimates"


def _json_of(result: Any) -> Json:
    """A result as looks have it."""
    return [one.as_json() for one in result.estimates] if isinstance(result, Estimates) else result.as_json()


def _follows(design: DrawDesign, before: DrawDesign, grown: Callable[[], DrawDesign]) -> bool:
    """Whether a larger plan keeps the bands before it or splits them by the rule; by an earlier edition of it, any split will do."""
    if design.as_json() == before.as_json():
        return True
    if design.edition == EDITION:
        return design.as_json() == grown().as_json()
    pairs = {(new, old) for new, old in zip(design.band.tolist(), before.band.tolist(), strict=True)}
    return before.edition <= design.edition and len(pairs) == len(set(design.band.tolist()))


def _is_same_plan(plan: Plan, again: Plan) -> bool:
    """Whether a plan is the one made again. Bands cut by an earlier edition of the rule cannot be cut again; all else is compared."""
    if plan.design.edition == again.design.edition:
        return plan.hash == again.hash
    return replace(again, design=plan.design, take=plan.take).hash == plan.hash


def without_words(value: Json) -> Json:
    """A look without its explanations, which a later version may word differently or read from a newer atlas; numbers and verdicts stay."""
    if isinstance(value, Mapping):
        return {name: without_words(part) for name, part in value.items() if name not in WORDS}
    return [without_words(part) for part in value] if isinstance(value, list | tuple) else value


def _population(open_population: Callable[[Standing], Engine], standing: Standing) -> Iterator[str]:
    try:
        engine = open_population(standing)
        if _is_read(standing) and standing.plan.elsewhere is not None:
            yield from changed_sample(engine, standing.plan.elsewhere)
            return
        check_population(engine, standing.counted_profile)
        if standing.owned is not None:
            yield from _located(engine, standing, standing.owned)
        if standing.reserve is not None:
            yield from _reserve(engine, standing, standing.reserve)
        elif standing.is_drawn and standing.units is not None:
            plan = standing.plan
            first = standing.plans[0] if plan.before else plan
            pilot = pilot_units(standing)
            before = standing.units if plan.design.held is not None else None
            taken = draw_plan(engine, standing.counted_profile, first, before, aside=aside_of(standing))
            again = with_clusters(engine, standing, taken)
            yield from _same(again.units, pilot or standing.units, bands=before is None)
            if pilot is not None:
                rest = standing.units.pick(np.arange(plan.before, len(standing.units)))
                yield from _same(draw_plan(engine, standing.profile, plan, pilot).units, rest)
    except FewlabelsError as error:
        yield str(error)


def _located(engine: Engine, standing: Standing, known: KnownLabels) -> Iterator[str]:
    """Whether the units with known answers are in the table, and in the cells that the ledger has."""
    profile = standing.counted_profile
    wrong = int((engine.locate(profile, known.unit) != profile.cells(known.pattern, known.guide_bin, known.slice)).sum())
    if wrong:
        yield f"known: {wrong:,} units with known answers are not in the table, or not in the cells that the ledger says"


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
        yield "draw: the units are the same, but their scores, cells, clusters or bands are not what the ledger says"
