"""Notes, stored beside the record: comments of labelers, and why they left units out. They are deleted with the contents.

Every function runs inside a transaction of the caller.
"""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from fewlabels.ledgers.tables import NOTE
from fewlabels.nouns.note import Note

CHUNK = 500  # units named in one query


def put(connection: sa.Connection, study: str, notes: Sequence[Note]) -> None:
    """Store notes, each in place of the labeler's earlier one of that kind; an empty text only deletes it."""
    latest = {note[:3]: note for note in notes}
    for note in latest.values():
        connection.execute(sa.delete(NOTE).where(_is(study, note)))
    if kept := [{"study": study, **note._asdict()} for note in latest.values() if note.text]:
        connection.execute(sa.insert(NOTE), kept)


def _is(study: str, note: Note) -> Any:
    of_unit = sa.and_(NOTE.c.study == study, NOTE.c.unit == note.unit)
    return sa.and_(of_unit, NOTE.c.labeler == note.labeler, NOTE.c.kind == note.kind)


def comments(connection: sa.Connection, study: str, labeler: str, units: Sequence[str]) -> dict[str, str]:
    """Return a labeler's own comments on these units."""
    found: dict[str, str] = {}
    for start in range(0, len(units), CHUNK):
        own = sa.and_(NOTE.c.study == study, NOTE.c.labeler == labeler, NOTE.c.kind == "comment")
        rows = connection.execute(sa.select(NOTE.c.unit, NOTE.c.text).where(own, NOTE.c.unit.in_(units[start : start + CHUNK])))
        found |= {unit: text for unit, text in rows}
    return found


def count(connection: sa.Connection, study: str) -> int:
    """Return how many notes there are on a study's units."""
    return int(connection.execute(sa.select(sa.func.count()).select_from(NOTE).where(NOTE.c.study == study)).scalar() or 0)


def newest(connection: sa.Connection, study: str, *, most: int, after: int) -> list[Note]:
    """Return up to so many notes of a study, the newest first, leaving out those `after` which they come."""
    ordered = sa.select(NOTE).where(NOTE.c.study == study).order_by(NOTE.c.at.desc(), NOTE.c.unit, NOTE.c.labeler, NOTE.c.kind)
    rows = connection.execute(ordered.limit(most).offset(after)).mappings()
    return [Note(row["unit"], row["labeler"], row["kind"], row["text"], row["at"]) for row in rows]
