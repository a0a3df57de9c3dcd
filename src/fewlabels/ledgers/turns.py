"""Turns, stored beside the record: who is working on what, so that no two people do the same work, and how long a look took.

No number depends on them. Every function runs inside a transaction of the caller.
"""

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from fewlabels.ledgers import routes
from fewlabels.ledgers.tables import LISTING, TURN
from fewlabels.nouns.turn import Finished, Leased, Turn, TurnCounts, UnitTurns

CHUNK = 500  # units named in one query
ADJUDICATION, AGAIN, CHECK = "adjudication", "again", "check"
OTHER = TURN.alias()


class LabelerTurns(NamedTuple):
    """How many turns a labeler has answered, holds now, and has answered lately."""

    told: int = 0
    held: int = 0
    lately: int = 0


def _of(study: str, *more: Any) -> Any:
    return sa.and_(TURN.c.study == study, *more)


def _kinds(adjudicates: bool) -> Any:
    return TURN.c.kind == ADJUDICATION if adjudicates else TURN.c.kind != ADJUDICATION


def known(connection: sa.Connection, study: str, units: Sequence[str] | None = None) -> dict[str, UnitTurns]:
    """Return the turns of each of these units that has one, or of every unit."""
    untold = sa.func.sum(sa.case((TURN.c.told.is_(None), 1), else_=0))
    found: dict[str, UnitTurns] = {}
    for some in [None] if units is None else [units[start : start + CHUNK] for start in range(0, len(units), CHUNK)]:
        which = _of(study) if some is None else _of(study, TURN.c.unit.in_(some))
        rows = connection.execute(sa.select(TURN.c.unit, sa.func.max(TURN.c.number), untold).where(which).group_by(TURN.c.unit))
        found |= {unit: UnitTurns(newest=newest, waiting=int(count)) for unit, newest, count in rows}
    return found


def adjudicated(connection: sa.Connection, study: str) -> set[str]:
    """Return the units that have a turn for an adjudicator."""
    return set(connection.execute(sa.select(TURN.c.unit).where(_of(study, TURN.c.kind == ADJUDICATION))).scalars())


def checks(connection: sa.Connection, study: str, labeler: str) -> set[str]:
    """Return the units that this labeler is still to label as a check."""
    waiting = _of(study, TURN.c.kind == CHECK, TURN.c.labeler == labeler, TURN.c.told.is_(None))
    return set(connection.execute(sa.select(TURN.c.unit).where(waiting)).scalars())


def add(connection: sa.Connection, study: str, turns: Sequence[Turn]) -> None:
    """Append turns after the existing ones. The caller ensures that none of them exists yet."""
    if turns:
        last = connection.execute(sa.select(sa.func.max(TURN.c.position)).where(_of(study))).scalar() or 0
        rows = [turn._asdict() | {"study": study, "position": last + i} for i, turn in enumerate(turns, start=1)]
        connection.execute(sa.insert(TURN), rows)


def take(
    connection: sa.Connection, study: str, labeler: str, *, units: int, now: float, until: float, adjudicates: bool = False,
    barred: Collection[str] = (),
) -> list[Leased]:  # fmt: skip
    """Lease turns to a labeler: renew those still held, then take those named for them, then open ones in order; never two of one unit.

    barred   the values whose units are for others: nothing of them is taken, and what the labeler still holds is not renewed

    On PostgreSQL, rows that another transaction is leasing are skipped; on SQLite, transactions are serialized anyway. Two leases for
    one labeler must not run at once: the caller ensures that.
    """
    mine = TURN.c.labeler == labeler
    routed = [sa.not_(routes.are_for_others(study, barred))] if barred else []
    waiting = _of(study, _kinds(adjudicates), TURN.c.told.is_(None), *routed)
    theirs = sa.and_(OTHER.c.study == study, OTHER.c.unit == TURN.c.unit, OTHER.c.labeler == labeler)  # few, however many turns there are
    holds = sa.exists(sa.select(OTHER.c.unit).where(theirs, OTHER.c.told.is_(None), OTHER.c.until >= now))
    has_told = sa.exists(sa.select(OTHER.c.unit).where(theirs, OTHER.c.told.is_not(None)))
    others = [sa.exists(sa.select(OTHER.c.unit).where(OTHER.c.study == study, who)) for who in _before_and_after(labeler)]
    new = sa.and_(sa.not_(holds), sa.or_(sa.not_(has_told), sa.and_(TURN.c.kind == AGAIN, sa.not_(sa.or_(*others)))))
    held = sa.select(TURN).where(waiting, mine, TURN.c.until >= now)
    named = sa.select(TURN).where(waiting, mine, TURN.c.until.is_(None), new)
    fresh = sa.select(TURN).where(waiting, sa.or_(TURN.c.labeler.is_(None), TURN.c.until < now), new)
    chosen: dict[str, Any] = {}
    for wanted in (held, named, fresh):
        _choose(connection, wanted, chosen, units)
    _set(connection, study, [_name(row) | {"labeler": labeler, "until": until, "taken": now} for row in chosen.values()])
    return [Leased(unit, until) for unit in chosen]


def _before_and_after(labeler: str) -> tuple[Any, Any]:
    """Labelers of other names: two ranges of an index, where != would read everything."""
    return OTHER.c.labeler < labeler, OTHER.c.labeler > labeler


def _choose(connection: sa.Connection, wanted: sa.Select[Any], chosen: dict[str, Any], units: int) -> None:
    """Choose up to so many units in all. If both turns of a unit are open, a labeler gets one of them, and then the next unit."""
    while len(chosen) < units:
        short = units - len(chosen)
        some = wanted.where(TURN.c.unit.not_in(list(chosen))) if chosen else wanted
        ordered = some.order_by(TURN.c.position, TURN.c.unit, TURN.c.number).limit(short)
        rows = connection.execute(ordered.with_for_update(skip_locked=True)).mappings().all()
        for row in rows:
            chosen.setdefault(row["unit"], row)
        if len(rows) < short:
            return


def give_back(connection: sa.Connection, study: str, labeler: str, units: Collection[str]) -> int:
    """Release turns that a labeler holds; return how many there were."""
    theirs = _of(study, TURN.c.labeler == labeler, TURN.c.told.is_(None), TURN.c.unit.in_(list(units)), TURN.c.kind != CHECK)
    return connection.execute(sa.update(TURN).where(theirs).values(labeler=None, until=None, taken=None)).rowcount


def later(connection: sa.Connection, study: str, labeler: str, units: Collection[str]) -> int:
    """Release turns that a labeler holds and move them behind all others; return how many there were.

    A check stays named for its labeler, as one whose lease is over: it comes back in its new place, like any other unit.
    """
    theirs = _of(study, TURN.c.labeler == labeler, TURN.c.told.is_(None), TURN.c.unit.in_(list(units)))
    rows = connection.execute(sa.select(TURN).where(theirs).order_by(TURN.c.position).with_for_update()).mappings().all()
    last = connection.execute(sa.select(sa.func.max(TURN.c.position)).where(_of(study))).scalar() or 0
    checks = [row["kind"] == CHECK for row in rows]
    released = [{"labeler": labeler if check else None, "until": 0.0 if check else None, "taken": None} for check in checks]
    moved = [_name(row) | {"position": last + i} for i, row in enumerate(rows, start=1)]
    _set(connection, study, [place | holder for place, holder in zip(moved, released, strict=True)])
    return len(rows)


def open_to(connection: sa.Connection, labeler: str, studies: Sequence[str], *, now: float) -> list[str]:
    """Return those of these studies, unless archived, in which a turn waits for this labeler or for anybody who has not looked yet."""
    theirs = sa.and_(OTHER.c.study == TURN.c.study, OTHER.c.unit == TURN.c.unit, OTHER.c.labeler == labeler)
    has_told = sa.exists(sa.select(OTHER.c.unit).where(theirs, OTHER.c.told.is_not(None)))
    free = sa.or_(TURN.c.labeler.is_(None), TURN.c.until < now, TURN.c.labeler == labeler)
    archived = sa.select(LISTING.c.study).where(LISTING.c.archived.is_not(None))
    found: list[str] = []
    for study in studies:  # one at a time: the index then finds the first turn that waits, and no other is read
        waiting = _of(study, _kinds(False), TURN.c.told.is_(None), free, sa.not_(has_told), TURN.c.study.not_in(archived))
        found += connection.execute(sa.select(TURN.c.study).where(waiting).limit(1)).scalars()
    return found


def drop(connection: sa.Connection, study: str, units: Sequence[str]) -> None:
    """Remove the unanswered turns of these units, whoever holds them."""
    for start in range(0, len(units), CHUNK):
        waiting = _of(study, TURN.c.told.is_(None), TURN.c.unit.in_(units[start : start + CHUNK]))
        connection.execute(sa.delete(TURN).where(waiting))


def own(connection: sa.Connection, study: str, labeler: str, units: Collection[str]) -> set[str]:
    """Return those of the units whose turn is, or was, this labeler's; nobody else can take it until the transaction ends."""
    theirs = _of(study, TURN.c.labeler == labeler, TURN.c.unit.in_(list(units)))
    return set(connection.execute(sa.select(TURN.c.unit).where(theirs).with_for_update()).scalars())


def finish(connection: sa.Connection, study: str, finished: Sequence[Finished]) -> None:
    """Mark turns as answered: the labeler's own, else one that nobody holds, else a new one. Marking twice changes nothing.

    A unit without turns gets none: it was never handed out here.
    """
    if not finished or not connection.execute(sa.select(sa.exists(sa.select(TURN.c.unit).where(_of(study))))).scalar():
        return
    for start in range(0, len(finished), CHUNK):
        some = finished[start : start + CHUNK]
        named = _of(study, TURN.c.unit.in_({one.unit for one in some}))
        rows: dict[str, list[dict[str, Any]]] = {}
        for row in connection.execute(sa.select(TURN).where(named).order_by(TURN.c.number).with_for_update()).mappings():
            rows.setdefault(row["unit"], []).append(dict(row))
        ended, added = _looks(some, rows)
        _set(connection, study, ended)
        add(connection, study, added)


def _looks(finished: Sequence[Finished], rows: dict[str, list[dict[str, Any]]]) -> tuple[list[dict[str, Any]], list[Turn]]:
    """Return how answers change the turns of their units: those that end, and those added as answered."""
    ended: list[dict[str, Any]] = []
    added: list[Turn] = []
    for one in finished:
        theirs = rows.get(one.unit, [])
        row = _ended_by(one, theirs)
        if row is not None:
            row |= {"labeler": one.labeler, "told": one.at}
            ended.append(_name(row) | {"labeler": one.labeler, "told": one.at, "seconds": one.seconds})
        elif theirs and not _has_told(one.labeler, theirs):
            added.append(Turn(one.unit, theirs[-1]["number"] + 1, "label", one.labeler, one.at))
            theirs.append({**added[-1]._asdict(), "until": None})
    return ended, added


def _has_told(labeler: str, turns: Sequence[dict[str, Any]]) -> bool:
    return any(row["labeler"] == labeler and row["told"] is not None for row in turns)


def _ended_by(one: Finished, turns: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """Return the waiting turn that an answer ends. For a unit the labeler has answered before, only one handed out again counts."""
    waiting = [row for row in turns if row["told"] is None]
    mine = [row for row in waiting if row["labeler"] == one.labeler]
    free = [row for row in waiting if row["labeler"] is None or (row["until"] is not None and row["until"] < one.at)]
    if _has_told(one.labeler, turns):
        free = [row for row in free if row["kind"] == AGAIN]
    return next(iter(mine or free), None)


def _name(row: Any) -> dict[str, Any]:
    return {"unit_": row["unit"], "number_": row["number"]}


def _set(connection: sa.Connection, study: str, rows: Sequence[dict[str, Any]]) -> None:
    """Change turns, each identified by `unit_` and `number_`."""
    if rows:
        this = _of(study, TURN.c.unit == sa.bindparam("unit_"), TURN.c.number == sa.bindparam("number_"))
        connection.execute(sa.update(TURN).where(this), list(rows))


def waiting(connection: sa.Connection, study: str) -> int:
    """Return how many turns of all labelers are still unanswered."""
    of = sa.select(sa.func.count()).select_from(TURN).where(_of(study, TURN.c.told.is_(None), TURN.c.kind != ADJUDICATION))
    return int(connection.execute(of).scalar() or 0)


def counts(connection: sa.Connection, study: str, *, now: float, labeler: str | None = None, adjudicates: bool = False) -> TurnCounts:
    """Return how many turns are open, leased and answered, for all labelers or one."""
    wanted = _of(study, _kinds(adjudicates), *([] if labeler is None else [TURN.c.labeler == labeler]))
    told, held = TURN.c.told.is_not(None), sa.and_(TURN.c.told.is_(None), TURN.c.until >= now)
    sums = [sa.func.coalesce(sa.func.sum(sa.case((state, 1), else_=0)), 0) for state in (told, held)]
    row = connection.execute(sa.select(*sums, sa.func.count()).where(wanted)).one()
    return TurnCounts(told=int(row[0]), held=int(row[1]), open=int(row[2]) - int(row[0]) - int(row[1]))


def by_labeler(connection: sa.Connection, study: str, *, now: float, since: float) -> dict[str, LabelerTurns]:
    """Return how many turns each labeler holds, has answered, and has answered since a moment."""
    told, held = TURN.c.told.is_not(None), sa.and_(TURN.c.told.is_(None), TURN.c.until >= now)
    sums = [sa.func.sum(sa.case((state, 1), else_=0)) for state in (told, held, TURN.c.told >= since)]
    rows = connection.execute(sa.select(TURN.c.labeler, *sums).where(_of(study, TURN.c.labeler.is_not(None))).group_by(TURN.c.labeler))
    return {labeler: LabelerTurns(told=int(told), held=int(held), lately=int(lately or 0)) for labeler, told, held, lately in rows}


def seconds(connection: sa.Connection, study: str) -> dict[str, list[float]]:
    """Return how long each labeler looked at each unit they answered, if it was measured."""
    found: dict[str, list[float]] = {}
    measured = _of(study, TURN.c.told.is_not(None), TURN.c.seconds.is_not(None))
    for labeler, took in connection.execute(sa.select(TURN.c.labeler, TURN.c.seconds).where(measured)):
        found.setdefault(labeler, []).append(took)
    return found
