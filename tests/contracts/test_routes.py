"""What every ledger promises of routes: nobody is given a unit that the form has for somebody else, whatever changes midway."""

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fewlabels.desk.desk import Desk, Said
from fewlabels.errors import LabelError
from fewlabels.ledgers.database import Database
from fewlabels.ledgers.opening import open_ledger
from fewlabels.ledgers.people import People
from fewlabels.nouns.sheet import Sheet
from fewlabels.nouns.turn import Turn
from fewlabels.randomness import stream
from fewlabels.study.population.read import read_population
from fewlabels.study.study import Study
from tests.contracts.ledgers_under_test import PARAMETERS, UnderTest

pytestmark = pytest.mark.parametrize("under", PARAMETERS)
LANGUAGES, VENDORS = ("DE", "FR", "PL"), ("acme", "bolt")
PEOPLE, GROUPS = ("ada", "bob", "cem", "dia"), ("german", "night shift")
UNITS, STEPS = 300, 60


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Made:
    """A study of units in three languages and of two vendors, its people, and what is true of each unit."""

    def __init__(self, address: str, seed: int, *, goals: Sequence[str] = ("precision +-0.1",), **how: Any) -> None:
        rng = stream(seed)
        ledger = open_ledger(address)
        assert isinstance(ledger, Database)
        ids = [f"u{i:03d}" for i in range(UNITS)]
        columns = {"language": rng.choice(LANGUAGES, UNITS), "vendor": rng.choice(VENDORS, UNITS)}
        self.of = {name: dict(zip(ids, map(str, values), strict=True)) for name, values in columns.items()}
        score = rng.random(UNITS)
        table = {"id": ids, **{name: values.tolist() for name, values in columns.items()}, "score": score}
        population = read_population(table, score="score", threshold=0.5, slices=list(columns))
        self.ledger, self.clock = ledger, Clock()
        self.study = Study.create("s", population, goals=list(goals), ledger=ledger)
        self.study.plan(120, **how)
        self.people = People(ledger, clock=self.clock)
        for name in PEOPLE:
            self.people.add(name)
        self.desk = Desk(self.study, lease=50.0, clock=self.clock)

    def may(self, person: str, unit: str) -> bool:
        """Whether the form in force lets somebody label a unit: worked out from the truth, not from what the desk keeps."""
        sheet = self.desk.sheet
        if sheet.route_by is None:
            return True
        names = sheet.routes.get(self.of[sheet.route_by][unit], ())
        mine = {person, *(group for group, members in self.people.groups().items() if person in members)}
        return not names or bool(mine & set(names))


@pytest.fixture
def made(under: UnderTest, tmp_path: Path) -> Made:
    return Made(under.address(tmp_path), 1)


def routed(column: str | None, **routes: tuple[str, ...]) -> Callable[[Sheet], Sheet]:
    return lambda sheet: replace(sheet, route_by=column, routes=routes)


def everything(desk: Desk, person: str, answer: str = "yes", *, adjudicates: bool = False) -> list[str]:
    """All that somebody is given, answered."""
    seen: list[str] = []
    while given := desk.take(person, 7, adjudicates=adjudicates):
        seen += [one.unit for one in given]
        found = desk.tell(person, [Said(one.unit, dict.fromkeys(desk.questions, answer)) for one in given])
        assert all(one.status != "refused" for one in found), found
    return seen


def wrong_offers(made: Made, seed: int) -> list[str]:
    """Random routes, people, groups and forms, changed midway; what was offered to somebody who may not have it."""
    dice, wrong = random.Random(seed), []
    for step in range(STEPS):
        made.clock.now += dice.choice([1.0, 1.0, 60.0])
        what, person = dice.random(), dice.choice(PEOPLE)
        if what < 0.15:
            column = dice.choice(["language", "vendor", None])
            values = {"language": LANGUAGES, "vendor": VENDORS, None: ()}[column]
            names = [tuple(dice.sample([*PEOPLE, *GROUPS], dice.randint(1, 2))) for _ in values]
            routes = {value: some for value, some in zip(values, names, strict=True) if dice.random() < 0.8}
            made.desk.change_sheet(partial(replace, route_by=column, routes=routes))
        elif what < 0.25:
            made.people.join(person, dice.choice(GROUPS))
        elif what < 0.3:
            made.people.leave(person, dice.choice(GROUPS))
        else:
            given = made.desk.take(person, dice.randint(1, 9), adjudicates=dice.random() < 0.2)
            wrong += [f"{step}: {person} was given {one.unit}" for one in given if not made.may(person, one.unit)]
            some = given[: dice.randint(0, len(given))]
            made.desk.tell(person, [Said(one.unit, {"positive": dice.choice(["yes", "no", "cannot_tell"])}) for one in some])
    return wrong


@pytest.mark.parametrize("seed", range(6))
def test_nobody_is_offered_a_unit_that_is_somebody_elses(under: UnderTest, tmp_path: Path, seed: int) -> None:
    how = {} if seed % 3 else {"stopping": "decision"}
    made = Made(under.address(tmp_path), seed, goals=["precision >= 0.5"] if how else ["precision +-0.1"], **how)
    if not how:
        made.desk.double(0.5)
    assert wrong_offers(made, seed) == []
    assert made.study.standing.whole.voiced > 20, "something was labeled"


def test_without_its_guard_the_wrong_unit_is_offered(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: the check above finds what it is there for."""
    monkeypatch.setattr(Sheet, "barred", lambda self, names: frozenset())
    assert wrong_offers(made, 1)


def test_three_labelers_of_two_languages_divide_the_units(made: Made) -> None:
    for person, group in (("ada", "german"), ("bob", "german"), ("cem", "french")):
        made.people.join(person, group)
    made.desk.change_sheet(routed("language", DE=("german",), FR=("french",), PL=("dia",)))
    drawn = made.study.standing.plan.budget
    seen = {person: everything(made.desk, person) for person in PEOPLE}
    assert {made.of["language"][unit] for unit in [*seen["ada"], *seen["bob"]]} == {"DE"}
    assert {made.of["language"][unit] for unit in seen["cem"]} == {"FR"}
    assert {made.of["language"][unit] for unit in seen["dia"]} == {"PL"}
    assert sum(map(len, seen.values())) == len(set().union(*seen.values())) == drawn


def test_second_looks_and_adjudication_follow_the_route(made: Made) -> None:
    made.desk.double(1.0)
    made.desk.change_sheet(routed("language", DE=("ada", "bob", "cem"), FR=("dia",), PL=("dia",)))
    first, second = everything(made.desk, "ada", "yes"), everything(made.desk, "bob", "no")
    assert set(first) == set(second)
    assert {made.of["language"][unit] for unit in first} == {"DE"}
    assert everything(made.desk, "dia", adjudicates=True) == []
    assert set(everything(made.desk, "cem", adjudicates=True)) == set(first)


def test_a_unit_handed_out_again_follows_the_route(under: UnderTest, tmp_path: Path) -> None:
    made = Made(under.address(tmp_path), 3, goals=["precision >= 0.5"], stopping="decision")
    made.desk.change_sheet(routed("vendor", acme=("ada",), bolt=("bob",)))
    (given,) = made.desk.take("ada", 1)
    made.desk.tell("ada", [Said(given.unit, {"positive": "cannot_tell"})])
    for _ in range(30):
        for person in ("ada", "bob", "cem"):
            for one in made.desk.take(person, 3):
                assert made.may(person, one.unit), (person, one)
                made.desk.tell(person, [Said(one.unit, {"positive": "yes"})])


def test_what_is_held_is_not_renewed_once_it_is_somebody_elses(made: Made) -> None:
    held = [one.unit for one in made.desk.take("ada", 20)]
    assert {made.of["language"][unit] for unit in held} == set(LANGUAGES)
    made.desk.change_sheet(routed("language", DE=("bob",)))
    renewed = [one.unit for one in made.desk.take("ada", 20)]
    assert not any(made.of["language"][unit] == "DE" for unit in renewed)
    assert {unit for unit in held if made.of["language"][unit] != "DE"} <= set(renewed)
    made.clock.now += 100
    assert {unit for unit in held if made.of["language"][unit] == "DE"} <= {one.unit for one in made.desk.take("bob", 120)}


def test_a_form_that_changes_while_units_are_leased_holds_for_them(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between reading the form and leasing the units, somebody else changes it."""
    made.desk.change_sheet(routed("language", DE=("bob",)))
    take = made.ledger.take
    changed: list[bool] = []

    def late(*args: Any, **how: Any) -> Any:
        if not changed:
            changed.append(True)
            made.desk.change_sheet(routed("vendor", acme=("bob",)))
        return take(*args, **how)

    monkeypatch.setattr(made.ledger, "take", late)
    given = made.desk.take("ada", 40)
    assert given
    assert {made.of["vendor"][one.unit] for one in given} == {"bolt"}


def test_a_group_that_somebody_leaves_is_closed_at_once(made: Made) -> None:
    made.people.join("ada", "german")
    made.desk.change_sheet(routed("language", DE=("german",), FR=("german",), PL=("german",)))
    assert made.desk.take("ada", 5)
    made.people.leave("ada", "german")
    assert made.desk.take("ada", 5) == []


@pytest.mark.parametrize(
    ("column", "routes", "why"),
    [
        ("score", {}, "slice column"),
        ("language", {"XX": ("ada",)}, "not one"),
        ("language", {"DE": ()}, "to nobody"),
        (None, {"DE": ("ada",)}, "none is named"),
    ],
)
def test_a_route_that_leads_nowhere_is_refused(made: Made, column: str | None, routes: dict[str, tuple[str, ...]], why: str) -> None:
    with pytest.raises(LabelError, match=why):
        made.desk.change_sheet(lambda sheet: replace(sheet, route_by=column, routes=routes))
    assert made.desk.sheet == Sheet()


def test_two_who_change_the_form_at_once_keep_each_others_part(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    other, refuse = Desk(made.study), Desk._refuse_sheet

    def slow(desk: Desk, sheet: Sheet) -> None:
        refuse(desk, sheet)
        if desk is made.desk:  # between the check and the act, somebody else is faster
            other.change_sheet(routed("language", DE=("ada",)))

    monkeypatch.setattr(Desk, "_refuse_sheet", slow)
    made.desk.change_sheet(lambda sheet: replace(sheet, ask="Is it?"))
    assert (made.desk.sheet.ask, made.desk.sheet.route_by) == ("Is it?", "language")


def test_a_lease_finds_the_units_between_many_for_others(under: UnderTest, tmp_path: Path) -> None:
    """Those that are theirs are found wherever they stand."""
    ledger = open_ledger(under.address(tmp_path))
    assert isinstance(ledger, Database)
    units = [f"u{i:06d}" for i in range(20_000)]
    values = np.where(np.arange(len(units)) % 100 == 99, "DE", "FR")
    with ledger.writing("s") as act:
        act.add_turns([Turn(unit, 1) for unit in units])
        act.put_routes(dict(zip(units, map(str, values), strict=True)))
    sheet = Sheet(route_by="language", routes={"DE": ("ada",), "FR": ("bob",)})
    held = ledger.take("s", "ada", units=20, now=0.0, until=10.0, sheet=sheet)
    assert [one.unit for one in held] == units[99:2_000:100]
