"""Who may take the turns of a unit: the value of each unit, and the groups that people belong to.

What a value means is in the labeling form. Every function runs inside a transaction of the caller.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from fewlabels.ledgers.tables import BELONGS, ROUTE, TURN

CHUNK = 500  # units named in one query


def turned(connection: sa.Connection, study: str) -> list[str]:
    """Return the units of a study that have a turn."""
    return list(connection.execute(sa.select(TURN.c.unit).where(TURN.c.study == study).distinct()).scalars())


def put(connection: sa.Connection, study: str, values: Mapping[str, str]) -> None:
    """Store the values of units, replacing those they had."""
    units = list(values)
    for start in range(0, len(units), CHUNK):
        some = units[start : start + CHUNK]
        connection.execute(sa.delete(ROUTE).where(ROUTE.c.study == study, ROUTE.c.unit.in_(some)))
        connection.execute(sa.insert(ROUTE), [{"study": study, "unit": unit, "value": values[unit]} for unit in some])


def drop(connection: sa.Connection, study: str) -> None:
    """Delete the values of all units of a study."""
    connection.execute(sa.delete(ROUTE).where(ROUTE.c.study == study))


def values(connection: sa.Connection, study: str, units: Sequence[str]) -> dict[str, str]:
    """Return the values of those of the units that have one."""
    found: dict[str, str] = {}
    for start in range(0, len(units), CHUNK):
        named = sa.and_(ROUTE.c.study == study, ROUTE.c.unit.in_(units[start : start + CHUNK]))
        found |= {unit: value for unit, value in connection.execute(sa.select(ROUTE.c.unit, ROUTE.c.value).where(named))}
    return found


def names_of(connection: sa.Connection, person: str) -> set[str]:
    """Return the names under which a route may lead to a person: their own, and those of their groups."""
    return {person, *connection.execute(sa.select(BELONGS.c.name).where(BELONGS.c.person == person)).scalars()}


def are_for_others(study: str, barred: Collection[str]) -> Any:
    """Return the condition that a turn is of a unit with one of these values; one look at the index of routes for each turn."""
    wrong = sa.and_(ROUTE.c.study == study, ROUTE.c.unit == TURN.c.unit, ROUTE.c.value.in_(sorted(barred)))
    return sa.exists(sa.select(ROUTE.c.unit).where(wrong))
