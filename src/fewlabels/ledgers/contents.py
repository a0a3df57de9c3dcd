"""What labelers are shown, stored beside the record: the content of units, which can be deleted, and forms set before they were entries."""

import json
from collections.abc import Iterable, Mapping, Sequence

import sqlalchemy as sa

from fewlabels.ledgers.tables import CONTENT, NOTE, SHEET
from fewlabels.nouns.sheet import Sheet

CHUNK = 500  # units named in one query
Content = Mapping[str, str | None]


def sheet(connection: sa.Connection, study: str) -> Sheet:
    """Return the labeling form of a study that was set before forms were entries; an empty one if there is none."""
    body = connection.execute(sa.select(SHEET.c.body).where(SHEET.c.study == study)).scalar()
    return Sheet() if body is None else Sheet.of_json(json.loads(body))


def contents(connection: sa.Connection, study: str, units: Sequence[str]) -> dict[str, Content]:
    """Return the stored content of these units."""
    found: dict[str, Content] = {}
    for start in range(0, len(units), CHUNK):
        named = sa.and_(CONTENT.c.study == study, CONTENT.c.unit.in_(units[start : start + CHUNK]))
        rows = connection.execute(sa.select(CONTENT.c.unit, CONTENT.c.body).where(named))
        found |= {unit: json.loads(body) for unit, body in rows}
    return found


def set_contents(connection: sa.Connection, study: str, held: Iterable[tuple[str, Content]]) -> None:
    """Store the content of units, replacing what was stored."""
    rows = [{"study": study, "unit": unit, "body": json.dumps(dict(content))} for unit, content in held]
    for start in range(0, len(rows), CHUNK):
        some = rows[start : start + CHUNK]
        named = sa.and_(CONTENT.c.study == study, CONTENT.c.unit.in_([row["unit"] for row in some]))
        connection.execute(sa.delete(CONTENT).where(named))
        connection.execute(sa.insert(CONTENT), some)


def forget(connection: sa.Connection, study: str) -> int:
    """Delete the content of all units of a study, and what labelers wrote about them; return of how many units there was content.

    The record keeps ids, scores and answers.
    """
    connection.execute(sa.delete(NOTE).where(NOTE.c.study == study))
    return connection.execute(sa.delete(CONTENT).where(CONTENT.c.study == study)).rowcount
