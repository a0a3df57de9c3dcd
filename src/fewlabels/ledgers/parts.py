"""Parts of snapshots, stored beside the record: bytes by name. Nobody relies on them unless their digests match.

Every function runs inside a transaction of the caller.
"""

from collections.abc import Iterator, Mapping, Sequence

import sqlalchemy as sa

from fewlabels.ledgers.tables import SNAPSHOT

CHUNK = 500  # parts named in one query


def parts(connection: sa.Connection, study: str, names: Sequence[str]) -> dict[str, bytes]:
    """Return those of the parts that there are."""
    found: dict[str, bytes] = {}
    for some in _chunks(names):
        wanted = sa.select(SNAPSHOT.c.part, SNAPSHOT.c.body).where(SNAPSHOT.c.study == study, SNAPSHOT.c.part.in_(some))
        found |= {part: bytes(body) for part, body in connection.execute(wanted)}
    return found


def beginning(connection: sa.Connection, study: str, start: str) -> dict[str, bytes]:
    """Return the parts whose names begin like this."""
    wanted = sa.select(SNAPSHOT.c.part, SNAPSHOT.c.body).where(
        SNAPSHOT.c.study == study, SNAPSHOT.c.part.startswith(start, autoescape=True)
    )
    return {part: bytes(body) for part, body in connection.execute(wanted)}


def put(connection: sa.Connection, study: str, held: Mapping[str, bytes]) -> None:
    """Write parts in place of those of the same names."""
    for some in _chunks(list(held)):
        connection.execute(sa.delete(SNAPSHOT).where(SNAPSHOT.c.study == study, SNAPSHOT.c.part.in_(some)))
        connection.execute(sa.insert(SNAPSHOT), [{"study": study, "part": part, "body": held[part]} for part in some])


def drop(connection: sa.Connection, study: str, start: str = "") -> None:
    """Delete the parts of a study whose names begin like this."""
    connection.execute(sa.delete(SNAPSHOT).where(SNAPSHOT.c.study == study, SNAPSHOT.c.part.startswith(start, autoescape=True)))


def _chunks(names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    yield from (tuple(names[start : start + CHUNK]) for start in range(0, len(names), CHUNK))
