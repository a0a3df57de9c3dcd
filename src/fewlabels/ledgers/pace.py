"""How fast a study is being labeled, from the turns beside the record. Answers that come from files have no turns, and no pace."""

from typing import NamedTuple

import sqlalchemy as sa

from fewlabels.ledgers.database import Database
from fewlabels.ledgers.tables import TURN

HOUR = 3600.0


class Pace(NamedTuple):
    """Answers given in the last hour and day, when the last one was given, and by whom: labeler to (answers, last at)."""

    hour: int
    day: int
    last: float | None
    labelers: dict[str, tuple[int, float]]


def pace(database: Database, study: str, *, now: float) -> Pace:
    """Return the pace of a study. Times are seconds since 1970."""
    in_hour, in_day = (sa.func.coalesce(sa.func.sum(sa.case((TURN.c.told > now - span, 1), else_=0)), 0) for span in (HOUR, 24 * HOUR))
    told = sa.and_(TURN.c.study == study, TURN.c.told.is_not(None))
    with database.reading() as connection:
        hour, day, last = connection.execute(sa.select(in_hour, in_day, sa.func.max(TURN.c.told)).where(told)).one()
        each = sa.select(TURN.c.labeler, sa.func.count(), sa.func.max(TURN.c.told)).where(told).group_by(TURN.c.labeler)
        labelers = {row[0]: (int(row[1]), float(row[2])) for row in connection.execute(each) if row[0] is not None}
    return Pace(int(hour), int(day), last, labelers)


def hours_left(found: Pace, remaining: int) -> float | None:
    """Return the hours that the remaining answers take at the pace of the last hour; None if nobody answered in it."""
    return remaining / found.hour if found.hour and remaining > 0 else None
