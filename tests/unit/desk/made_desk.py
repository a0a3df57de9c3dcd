"""A desk whose clock the test moves, and what labelers say at it."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from fewlabels.desk.desk import Acknowledged, Desk, Given, Said
from fewlabels.ledgers.base import Ledger
from fewlabels.study.study import Study
from tests.contracts.ledgers_under_test import UnderTest
from tests.unit.study import made, test_joint
from tests.unit.study.made import FIXED_TIME, TRUTH, create

LEASE = 100.0


class Clock:
    """Seconds that pass when told to."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


def keep_in(under: UnderTest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Studies that are made from now on are kept in ledgers of this kind."""

    def ledger_in(folder: Path) -> Ledger:
        found: Ledger = under.ledger(under.address(folder), clock=lambda: FIXED_TIME)
        return found

    for module in (made, test_joint):
        monkeypatch.setattr(module, "ledger_in", ledger_in)


def planned(folder: Path, *, budget: int = 40, **how: Any) -> Study:
    study = create(folder, **how)
    study.plan(budget)
    return study


def desk_of(study: Study, clock: Clock | None = None) -> Desk:
    return Desk(study, lease=LEASE, clock=clock or Clock())


def units_of(given: Iterable[Given]) -> list[str]:
    return [one.unit for one in given]


def says(desk: Desk, answers: Mapping[str, str], **how: Any) -> list[Said]:
    """The same answer to every question about each unit."""
    return [Said(unit, dict.fromkeys(desk.questions, answer), **how) for unit, answer in answers.items()]


def tell(desk: Desk, labeler: str, units: Iterable[str], answer: str | None = None, **how: Any) -> list[Acknowledged]:
    """Tells the truth, or one answer to all; nothing may be refused."""
    found = desk.tell(labeler, says(desk, {unit: answer or TRUTH[unit] for unit in units}, **how))
    assert all(one.status != "refused" for one in found), found
    return found


def work(desk: Desk, labeler: str, *, at_once: int = 7, answer: str | None = None) -> list[str]:
    """Everything a labeler is given until there is no more, answered."""
    seen: list[str] = []
    while given := desk.take(labeler, at_once):
        units = units_of(given)
        assert not set(units) & set(seen), "a labeler got a unit twice"
        seen += units
        tell(desk, labeler, units, answer)
    return seen


def statuses(found: Iterable[Acknowledged]) -> list[str]:
    return [one.status for one in found]
