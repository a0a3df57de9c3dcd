"""Who may take the turns of a unit: the value of each unit, and the groups that people belong to.

What a value means is in the labeling form. Every function runs inside a transaction of the caller.
"""

from collections.abc import Collection, Mapping
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert as postgres_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from fewlabels.ledgers.tables import BELONGS, ROUTE, TURN


def turned(connection: sa.Connection, study: str) -> list[str]:
    """Return the units of a study that have a turn."""
    return list(connection.execute(sa.select(TURN.c.unit).where(TURN.c.study == study).distinct()).scalars())


def put(connection: sa.Connection, study: str, values: Mapping[str, str]) -> None:
    """Store the values of units, replacing those they had; each unit is looked up by itself, as a table being filled has no statistics."""
    rows = [{"study": study, "unit": unit, "value": value} for unit, value in values.items()]
    insert = postgres_insert if connection.dialect.name == "postgresql" else sqlite_insert
    stored = insert(ROUTE)
    if rows:
        connection.execute(
            stored.on_conflict_do_update(index_elements=[ROUTE.c.study, ROUTE.c.unit], set_={"value": stored.excluded.value}), rows
        )


def drop(connection: sa.Connection, study: str) -> None:
    """Delete the values of all units of a study."""
    connection.execute(sa.delete(ROUTE).where(ROUTE.c.study == study))


def names_of(connection: sa.Connection, person: str) -> set[str]:
    """Return the names under which a route may lead to a person: their own, and those of their groups."""
    return {person, *connection.execute(sa.select(BELONGS.c.name).where(BELONGS.c.person == person)).scalars()}


def are_for_others(study: str, barred: Collection[str]) -> Any:
    """Return the condition that a turn is of a unit with one of these values; one look at the index of routes for each turn."""
    wrong = sa.and_(ROUTE.c.study == study, ROUTE.c.unit == TURN.c.unit, ROUTE.c.value.in_(sorted(barred)))
    return sa.exists(sa.select(ROUTE.c.unit).where(wrong))
