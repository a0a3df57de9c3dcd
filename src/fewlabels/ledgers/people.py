"""Who may enter: people, what they are in a study, and the secrets that let them in. Only hashes of secrets are kept.

A secret is 256 random bits, shown once. A link is used up by whoever uses it first; a session is what the browser then carries; a token
is for programs. All are found by their hash, so a comparison takes no time that depends on the secret.
"""

import hashlib
import secrets
import time
from collections.abc import Callable
from typing import Literal, NamedTuple, cast, get_args

import sqlalchemy as sa

from fewlabels.errors import StudyError
from fewlabels.ledgers.database import Database
from fewlabels.ledgers.tables import MEMBER, PERSON, SECRET

Role = Literal["labeler", "adjudicator", "viewer"]
ROLES: tuple[Role, ...] = get_args(Role)
SecretKind = Literal["link", "session", "token"]
OWNER = "owner"  # the name of the first owner, and the note of a link that makes one
ID_LENGTH = 16  # characters of a hash that name a token to its holder


class Person(NamedTuple):
    """Somebody who may enter. An owner may do everything; others what they are in a study."""

    name: str
    is_owner: bool
    studies: tuple[tuple[str, Role], ...] = ()


class Holder(NamedTuple):
    """Whose secret it is, its hash, and until when it lets them in."""

    person: str
    is_owner: bool
    kind: SecretKind
    hash: str
    at: float
    until: float


class Granted(NamedTuple):
    """A new secret: shown now and never again."""

    secret: str
    id: str
    person: str
    until: float


class Kept(NamedTuple):
    """What is kept of a token: everything but the secret."""

    id: str
    note: str
    at: float
    until: float


def hashed(secret: str) -> str:
    """What is kept of a secret. It is 256 random bits, so a plain hash cannot be guessed backwards."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


class People:
    """The people of one ledger. Every method is one transaction."""

    def __init__(self, database: Database, *, clock: Callable[[], float] = time.time) -> None:
        """Reads and writes the tables beside the ledger's entries."""
        self._database, self._clock = database, clock

    def has_owner(self) -> bool:
        """Whether anybody has entered as owner yet."""
        with self._database.reading() as connection:
            return connection.execute(sa.select(PERSON.c.name).where(PERSON.c.is_owner).limit(1)).first() is not None

    def everyone(self) -> list[Person]:
        """All people by name, with what they are in which study."""
        with self._database.reading() as connection:
            people = connection.execute(sa.select(PERSON.c.name, PERSON.c.is_owner).order_by(PERSON.c.name)).all()
            members = connection.execute(sa.select(MEMBER).order_by(MEMBER.c.person, MEMBER.c.study)).all()
        return [Person(name, bool(owner), tuple((m.study, m.role) for m in members if m.person == name)) for name, owner in people]

    def add(self, name: str, *, is_owner: bool = False) -> None:
        """Takes somebody in; refuses a name that is taken."""
        with self._database.connection() as connection:
            if _person(connection, name) is not None:
                raise StudyError(f"names of people differ, but there is a {name!r} already: choose another name")
            connection.execute(sa.insert(PERSON).values(name=name, is_owner=is_owner, at=self._clock()))

    def remove(self, name: str) -> bool:
        """Takes somebody out, with all that lets them in; their answers stay. Says whether they were there. The last owner stays."""
        with self._database.connection() as connection:
            found = _person(connection, name)
            owners = connection.execute(sa.select(PERSON.c.name).where(PERSON.c.is_owner).with_for_update()).all()  # two wait here
            if found is not None and found.is_owner and len(owners) == 1:
                raise StudyError(f"somebody has to own the studies, but {name!r} is the last owner: take in another owner first")
            for table, column in ((SECRET, SECRET.c.person), (MEMBER, MEMBER.c.person)):
                connection.execute(sa.delete(table).where(column == name))
            return connection.execute(sa.delete(PERSON).where(PERSON.c.name == name)).rowcount == 1

    def set_role(self, person: str, study: str, role: Role) -> bool:
        """Makes somebody a labeler, adjudicator or viewer of a study, and nothing else there. False: there is no such person."""
        with self._database.connection() as connection:
            if _person(connection, person) is None:
                return False
            mine = sa.and_(MEMBER.c.person == person, MEMBER.c.study == study)
            if not connection.execute(sa.update(MEMBER).where(mine).values(role=role)).rowcount:
                connection.execute(sa.insert(MEMBER).values(person=person, study=study, role=role))
            return True

    def drop_role(self, person: str, study: str) -> bool:
        """Takes somebody out of a study; says whether they were in it."""
        with self._database.connection() as connection:
            mine = sa.and_(MEMBER.c.person == person, MEMBER.c.study == study)
            return connection.execute(sa.delete(MEMBER).where(mine)).rowcount == 1

    def role(self, person: str, study: str) -> Role | None:
        """What somebody is in a study; None: nothing."""
        return self.roles(person).get(study)

    def roles(self, person: str) -> dict[str, Role]:
        """What somebody is, by study."""
        with self._database.reading() as connection:
            rows = connection.execute(sa.select(MEMBER.c.study, MEMBER.c.role).where(MEMBER.c.person == person)).all()
        return {study: cast(Role, role) for study, role in rows if role in ROLES}

    def owner_link(self, lasts: float) -> Granted:
        """A link for the owner, the first of them if there are several; whoever uses it is made owner where there is none.

        Owner links that were made before and not used are used up.
        """
        with self._database.connection() as connection:
            query = sa.select(PERSON.c.name).where(PERSON.c.is_owner).order_by(PERSON.c.at, PERSON.c.name).limit(1)
            name = connection.execute(query).scalar() or OWNER
            connection.execute(sa.delete(SECRET).where(SECRET.c.kind == "link", SECRET.c.note == OWNER))
            return self._grant(connection, "link", name, lasts=lasts, note=OWNER)

    def grant(self, kind: SecretKind, person: str, *, lasts: float, note: str = "") -> Granted | None:
        """A new secret of somebody, good for so many seconds. None: there is no such person."""
        with self._database.connection() as connection:
            if _person(connection, person) is None:
                return None
            return self._grant(connection, kind, person, lasts=lasts, note="" if kind == "link" else note)

    def use_link(self, secret: str, *, lasts: float) -> Granted | None:
        """A session in exchange for a link, which is used up; None: used up before, too late, or never made.

        One transaction: of two who use it at once, one gets in.
        """
        with self._database.connection() as connection:
            now, link = self._clock(), SECRET.c.hash == hashed(secret)
            found = connection.execute(sa.select(SECRET).where(link, SECRET.c.kind == "link", SECRET.c.until > now)).first()
            if found is None or connection.execute(sa.delete(SECRET).where(link)).rowcount != 1:
                return None
            if _person(connection, found.person) is None:
                if found.note != OWNER:
                    return None
                connection.execute(sa.insert(PERSON).values(name=found.person, is_owner=True, at=now))
            return self._grant(connection, "session", found.person, lasts=lasts)

    def holder(self, secret: str, kind: SecretKind) -> Holder | None:
        """Whose session or token it is; None where it does not let anybody in, or no more."""
        query = (
            sa.select(SECRET.c.person, PERSON.c.is_owner, SECRET.c.kind, SECRET.c.hash, SECRET.c.at, SECRET.c.until)
            .join(PERSON, PERSON.c.name == SECRET.c.person)
            .where(SECRET.c.hash == hashed(secret), SECRET.c.kind == kind, SECRET.c.until > self._clock())
        )
        with self._database.reading() as connection:
            row = connection.execute(query).first()
        return None if row is None else Holder(*row)

    def renew(self, holder: Holder, *, until: float) -> None:
        """Lets a session last longer."""
        with self._database.connection() as connection:
            connection.execute(sa.update(SECRET).where(SECRET.c.hash == holder.hash, SECRET.c.kind == "session").values(until=until))

    def revoke(self, hash: str) -> None:
        """Ends a secret; nothing if it has ended."""
        with self._database.connection() as connection:
            connection.execute(sa.delete(SECRET).where(SECRET.c.hash == hash))

    def tokens(self, person: str) -> list[Kept]:
        """Somebody's tokens, the newest first."""
        query = sa.select(SECRET).where(SECRET.c.person == person, SECRET.c.kind == "token").order_by(SECRET.c.at.desc())
        with self._database.reading() as connection:
            return [Kept(row.hash[:ID_LENGTH], row.note, row.at, row.until) for row in connection.execute(query)]

    def revoke_token(self, person: str, id: str) -> bool:
        """Ends one of somebody's tokens; says whether there was such a one."""
        mine = sa.and_(SECRET.c.person == person, SECRET.c.kind == "token", sa.func.substr(SECRET.c.hash, 1, ID_LENGTH) == id)
        with self._database.connection() as connection:
            return connection.execute(sa.delete(SECRET).where(mine)).rowcount > 0

    def _grant(self, connection: sa.Connection, kind: SecretKind, person: str, *, lasts: float, note: str = "") -> Granted:
        """A new secret, kept as its hash; what has expired is swept out."""
        now, secret = self._clock(), secrets.token_urlsafe(32)
        kept = hashed(secret)
        connection.execute(sa.delete(SECRET).where(SECRET.c.until <= now))
        connection.execute(sa.insert(SECRET).values(hash=kept, kind=kind, person=person, note=note, at=now, until=now + lasts))
        return Granted(secret, kept[:ID_LENGTH], person, now + lasts)


def _person(connection: sa.Connection, name: str) -> Person | None:
    row = connection.execute(sa.select(PERSON.c.name, PERSON.c.is_owner).where(PERSON.c.name == name)).first()
    return None if row is None else Person(row.name, bool(row.is_owner))
