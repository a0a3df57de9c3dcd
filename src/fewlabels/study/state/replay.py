"""State is a fold over a study's ledger entries. Pure; resume, audit and undo are this one function."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from fewlabels.errors import LedgerError, StudyError
from fewlabels.estimators.agreement import TruthRule
from fewlabels.ledgers.base import UNREADABLE, Entry
from fewlabels.nouns.draw import Units
from fewlabels.nouns.goal import Goal
from fewlabels.nouns.label import UNANSWERED, Label
from fewlabels.nouns.plan import Plan
from fewlabels.nouns.profile import Profile
from fewlabels.nouns.sheet import FormSet
from fewlabels.nouns.stopping import ONLINE
from fewlabels.registry import note_origin
from fewlabels.study.state.standing import Batch, Look, Round, Seat, Standing


def replay(entries: Sequence[Entry]) -> Standing:
    """The state of a study after these entries."""
    by_kind: dict[str, list[Entry]] = {}
    for entry in entries:
        if UNREADABLE in entry.body:
            raise LedgerError(f"entry {entry.serial} ({entry.kind}, {entry.key}) was damaged: see fewlabels verify, and restore the ledger")
        by_kind.setdefault(entry.kind, []).append(entry)
    if "study" not in by_kind:
        name = entries[0].study if entries else "?"
        raise StudyError(f"study {name!r} was not created completely: create it again")
    told = [Label.of_json(e.body) for e in entries if e.kind in ("answer", "correction")]
    population, study = by_kind["population"][0].body, by_kind["study"][0].body
    standing = Standing(
        name=entries[0].study,
        population=population["population"],
        profile=Profile.of_json(population["profile"]),
        salt=study["salt"],
        goals=tuple(Goal.of_json(g) for g in study["goals"]),
        plans=tuple(_plan_of(e.body["plan"]) for e in by_kind.get("plan", [])),
        batches=tuple(Batch(number=e.body["number"], plan=e.body["plan"], units=tuple(e.body["units"])) for e in by_kind.get("batch", [])),
        looks=tuple(Look(plan=e.body["plan"], labels=e.body["labels"], certified=e.body["certified"]) for e in by_kind.get("look", [])),
        changed_after_look=_changed_after_look(entries, study["rule"]),
        left_after_peek=_left_after_peek(entries),
        gold_after_look=_gold_after_look(entries),
        answers=_answers(told),
        **_handed_again(entries),
        gold={(label.unit, label.question): label for label in told if label.gold},
        gold_units=tuple(unit for e in by_kind.get("gold", []) for unit in e.body["units"]),
        gold_share=max((e.body["share"] for e in by_kind.get("gold", [])), default=0.0),
        forms=_forms(entries),
        double_share=max((e.body["share"] for e in by_kind.get("double", [])), default=0.0),
        doubled_late=_doubled_late(entries),
        rule=study["rule"],
        follows=study.get("follows"),
        number_rule=study.get("number_rule", "md5"),
    )
    for entry in entries:
        if entry.kind == "draw":
            standing = _with_draw(standing, entry.body)
        elif entry.kind == "reserve":
            standing = replace(standing, reserve=_added(standing.reserve, Units.of_json(entry.body["units"])))
        elif entry.kind == "extension":
            standing = extend_standing(standing, entry.body)
    return standing


def _plan_of(data: Mapping[str, Any]) -> Plan:
    """The plan of an entry. Its interval may come from a package not installed here, which is named when the interval is needed."""
    plan = Plan.of_json(data)
    if plan.interval_from is not None:
        note_origin("interval", plan.interval, plan.interval_from)
    return plan


def _with_draw(standing: Standing, body: Mapping[str, Any]) -> Standing:
    """The study with one more draw: of a whole plan, or of one round of an online plan."""
    drawn = Units.of_json(body["units"])
    rounds = standing.rounds
    if "rate" in body:
        start = len(standing.units) if standing.units is not None else 0
        rounds = (*rounds, Round(start=start, units=len(drawn), rate=tuple(body["rate"]), waiting=tuple(body["waiting"])))
    return replace(standing, units=_added(standing.units, drawn), rounds=rounds, drawn_plans=standing.drawn_plans | {body["plan"]})


def _added(held: Units | None, more: Units) -> Units:
    """The units held plus those added."""
    if held is None:
        return more
    return _join([held, more]) if len(more) else held


def extend_standing(standing: Standing, body: Mapping[str, Any]) -> Standing:
    """The study after an extension: the units drawn so far also carry the decisions of the new classifiers."""
    profile, units = Profile.of_json(body["profile"]), standing.units
    assert units is not None  # a study is extended only once drawn
    again = Units.of_json({**units.as_json(), **body["units"]})
    return replace(
        standing,
        population=body["population"],
        profile=profile,
        profiles=(*(standing.profiles or (standing.profile,)), profile),
        known=len(standing.population["classifiers"]),
        goals=tuple(Goal.of_json(g) for g in body["goals"]),
        units=again,
    )


def _changed_after_look(entries: Sequence[Entry], rule: TruthRule) -> int:
    """Number of answers that came after numbers had been shown and changed what counts: corrections, and some additions.

    Under a rule that counts votes, every vote added to others; under "first", a usable answer where all others were unusable.
    """
    known: set[tuple[str, str]] = set()
    settled: set[tuple[str, str]] = set()  # of those, with an answer that no later one can replace
    shown = online = False
    changed = 0
    for entry in entries:
        if entry.kind == "look" or (entry.kind == "plan" and entry.body["plan"].get("stopping", {}).get("kind") in ONLINE):
            shown = True  # a study that may be looked at any time is assumed to have been
            online |= entry.kind == "plan"  # there a unit without a usable answer is handed out again, which the band accounts for
        elif entry.kind == "correction":
            changed += shown
        elif entry.kind == "answer" and not entry.body["gold"]:
            asked, usable = (entry.body["unit"], entry.body["question"]), entry.body["answer"] not in UNANSWERED
            changed += shown and usable and asked in known and asked not in settled and not (online and rule == "first")
            known |= set() if shown else {asked}
            settled |= {asked} if usable and rule == "first" else set()
    return changed


def _left_after_peek(entries: Sequence[Entry]) -> int:
    """Number of unusable answers recorded after a peek."""
    peeked, left = False, 0
    for entry in entries:
        peeked |= entry.kind == "look" and not entry.body["certified"]
        left += peeked and entry.kind == "answer" and not entry.body["gold"] and entry.body["answer"] in UNANSWERED
    return left


def _forms(entries: Sequence[Entry]) -> tuple[FormSet, ...]:
    """The labeling forms, each with the number of answers before it."""
    answers, forms = 0, []
    for entry in entries:
        if entry.kind == "sheet":
            forms.append(FormSet.of_json(entry.body, answers=answers))
        answers += entry.kind == "answer"
    return tuple(forms)


def _doubled_late(entries: Sequence[Entry]) -> tuple[tuple[float, int], ...]:
    """The shares of units for two labelers that were raised after the first answer, each with the number of answers before it."""
    answers, share, found = 0, 0.0, []
    for entry in entries:
        if entry.kind == "double" and entry.body["share"] > share:
            share = entry.body["share"]
            if answers:
                found.append((share, answers))
        answers += entry.kind == "answer"
    return tuple(found)


def _handed_again(entries: Sequence[Entry]) -> dict[str, Any]:
    """Number of answers to each unit, and to each unit handed out again the number at that time."""
    voices: dict[str, int] = {}
    handed: set[str] = set()
    again: dict[str, int] = {}
    for entry in entries:
        if entry.kind in ("answer", "correction") and not entry.body["gold"]:
            voices[entry.body["unit"]] = voices.get(entry.body["unit"], 0) + 1
        elif entry.kind == "batch":
            again |= {unit: voices.get(unit, 0) for unit in entry.body["units"] if unit in handed}
            handed |= set(entry.body["units"])
    return {"voices": voices, "handed_again": again}


def _gold_after_look(entries: Sequence[Entry]) -> int:
    """Number of units drawn for gold after numbers of the current plan had been shown."""
    shown, drawn = False, 0
    for entry in entries:
        shown = entry.kind == "look" or (shown and entry.kind != "draw")
        drawn += len(entry.body["units"]) if shown and entry.kind == "gold" else 0
    return drawn


def _answers(told: Sequence[Label]) -> dict[str, dict[Seat, Label]]:
    """Current answers by unit, question and labeler: a correction replaces the same labeler's answer and keeps its place."""
    answers: dict[str, dict[Seat, Label]] = {}
    for label in told:
        if not label.gold:
            answers.setdefault(label.unit, {})[label.question, label.labeler] = label
    return answers


def _join(draws: Sequence[Units]) -> Units:
    """The units of all draws, in asking order: later plans only add."""
    return Units(
        unit=tuple(unit for draw in draws for unit in draw.unit),
        number=np.concatenate([d.number for d in draws]),
        band=np.concatenate([d.band for d in draws]),
        guide_bin=np.concatenate([d.guide_bin for d in draws]),
        pattern=np.concatenate([d.pattern for d in draws]),
        slice=np.concatenate([d.slice for d in draws]),
        scores=np.concatenate([d.scores for d in draws]),
        weight=np.concatenate([d.weight for d in draws if d.weight is not None]) if draws[0].weight is not None else None,
    )
