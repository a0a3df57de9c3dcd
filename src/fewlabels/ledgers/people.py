"""Who may sign in: people, their roles in studies, and their secrets. Only hashes of secrets are stored.

Who was let into a study, by whom and how, and when it ended, are entries of that study, written in the same transaction.

A secret is 256 random bits, shown once. A link works once, for whoever uses it first; a session is what the browser then carries; a token
is for programs. All are looked up by their hash, so the time of a comparison does not depend on the secret.
"""

import hashlib
import secrets
import time
from collections import defaultdict
from collections.abc import Callable
from typing import Literal, NamedTuple, cast, get_args

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert as postgres_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from fewlabels.errors import StudyError
from fewlabels.ledgers.database import Database
from fewlabels.ledgers.tables import BELONGS, ENTRY, MEMBER, PERSON, SECRET, SEEN
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.person import refuse_alike

Role = Literal["labeler", "adjudicator", "viewer"]
ROLES: tuple[Role, ...] = get_args(Role)
SecretKind = Literal["link", "session", "token"]
OWNER = "owner"  # the name of the first owner, and the note of a link that creates one
NAMES = ""  # no study has this name: who adds a name waits for others who do, as neither would see the other's
SEEN_SECONDS = 300  # between two notes that somebody is there, so that not every request writes
ID_LENGTH = 16  # characters of a hash that identify a token to its holder


class Person(NamedTuple):
    """A person who may sign in. An owner may do everything; others have a role in each study.

    groups   those they belong to, such as the languages they read, or their vendor
    seen     when they last made a request, to some minutes; None if never
    """

    name: str
    is_owner: bool
    studies: tuple[tuple[str, Role], ...] = ()
    groups: tuple[str, ...] = ()
    seen: float | None = None

    def role_in(self, study: str) -> Literal["owner"] | Role | None:
        """Return their role in a study; None if they have no access to it."""
        return "owner" if self.is_owner else dict(self.studies).get(study)


class Holder(NamedTuple):
    """The holder of a secret, its hash, and when it expires."""

    person: str
    is_owner: bool
    kind: SecretKind
    hash: str
    at: float
    until: float
    entered_by: str | None = None  # the owner who used the person's link, if one did


class Granted(NamedTuple):
    """A new secret, never shown again."""

    secret: str
    id: str
    person: str
    until: float


class KeptToken(NamedTuple):
    """What is stored of a token: everything except the secret."""

    id: str
    person: str
    note: str
    at: float
    until: float


def hashed(secret: str) -> str:
    """Return the hash of a secret. It is 256 random bits, so a plain hash cannot be inverted by guessing."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


class People:
    """The people of one ledger. Every method is one transaction. `by` is the person who asks for it, None for the command line."""

    def __init__(self, database: Database, *, clock: Callable[[], float] = time.time) -> None:
        """Read and write the tables beside the ledger's entries."""
        self._database, self._clock = database, clock
        self._seen: dict[str, float] = {}  # when this process last noted that somebody was there

    def has_owner(self) -> bool:
        """Return whether there is an owner yet."""
        with self._database.reading() as connection:
            return connection.execute(sa.select(PERSON.c.name).where(PERSON.c.is_owner).limit(1)).first() is not None

    def everyone(self) -> list[Person]:
        """Return all people by name, with their roles in studies and their groups."""
        with self._database.reading() as connection:
            people = connection.execute(sa.select(PERSON.c.name, PERSON.c.is_owner).order_by(PERSON.c.name)).all()
            members = connection.execute(sa.select(MEMBER).order_by(MEMBER.c.person, MEMBER.c.study)).all()
            belongs = connection.execute(sa.select(BELONGS).order_by(BELONGS.c.person, BELONGS.c.name)).all()
            seen = {row.person: float(row.at) for row in connection.execute(sa.select(SEEN))}
        studies: defaultdict[str, list[tuple[str, Role]]] = defaultdict(list)
        groups: defaultdict[str, list[str]] = defaultdict(list)
        for member in members:
            studies[member.person].append((member.study, member.role))
        for one in belongs:
            groups[one.person].append(one.name)
        return [Person(name, bool(owner), tuple(studies[name]), tuple(groups[name]), seen.get(name)) for name, owner in people]

    def add(self, name: str, *, is_owner: bool = False) -> None:
        """Add a person; raise an error if the name is taken, or looks like one that is."""
        with self._database.receiving(NAMES) as connection:
            if _person(connection, name) is not None:
                raise StudyError(f"names of people must be unique, but there is already a {name!r}: choose another name")
            people, groups = (connection.execute(sa.select(column).distinct()).scalars() for column in (PERSON.c.name, BELONGS.c.name))
            refuse_alike(name, people, groups)
            connection.execute(sa.insert(PERSON).values(name=name, is_owner=is_owner, at=self._clock()))

    def groups(self) -> dict[str, tuple[str, ...]]:
        """Return the members of each group. A group without members is gone."""
        with self._database.reading() as connection:
            rows = connection.execute(sa.select(BELONGS.c.name, BELONGS.c.person).order_by(BELONGS.c.name, BELONGS.c.person)).all()
        return {group: tuple(person for name, person in rows if name == group) for group in dict.fromkeys(name for name, _ in rows)}

    def join(self, person: str, group: str, *, by: str | None = None) -> bool:
        """Put a person into a group; return False if no such person exists. Raise an error if the group's name looks like another name."""
        with self._database.receiving(NAMES) as connection:
            if _person(connection, person) is None:
                return False
            groups = list(connection.execute(sa.select(BELONGS.c.name).distinct()).scalars())
            if group not in groups:
                refuse_alike(group, connection.execute(sa.select(PERSON.c.name)).scalars(), groups)
            mine = sa.and_(BELONGS.c.person == person, BELONGS.c.name == group)
            if connection.execute(sa.select(BELONGS.c.name).where(mine)).first() is None:
                connection.execute(sa.insert(BELONGS).values(person=person, name=group))
                self._record(connection, person, f"joined the group {group}", by=by)
            return True

    def leave(self, person: str, group: str, *, by: str | None = None) -> bool:
        """Take a person out of a group; return whether they were in it."""
        with self._database.connection() as connection:
            mine = sa.and_(BELONGS.c.person == person, BELONGS.c.name == group)
            found = connection.execute(sa.delete(BELONGS).where(mine)).rowcount == 1
            if found:
                self._record(connection, person, f"left the group {group}", by=by)
            return found

    def note_seen(self, person: str) -> None:
        """Note that a person is there, unless that was noted in the last minutes."""
        now = self._clock()
        if now - self._seen.get(person, -SEEN_SECONDS) < SEEN_SECONDS:
            return
        self._seen[person] = now
        with self._database.connection() as connection:
            insert = postgres_insert if connection.dialect.name == "postgresql" else sqlite_insert
            noted = insert(SEEN).values(person=person, at=now)
            connection.execute(noted.on_conflict_do_update(index_elements=[SEEN.c.person], set_={"at": now}))

    def remove(self, name: str, *, by: str | None = None) -> bool:
        """Remove a person with all their secrets; their answers stay. Return whether there was such a person. The last owner stays."""
        with self._database.connection() as connection:
            found = _person(connection, name)
            owners = connection.execute(
                sa.select(PERSON.c.name).where(PERSON.c.is_owner).with_for_update()
            ).all()  # concurrent removals wait here
            if found is not None and found.is_owner and len(owners) == 1:
                raise StudyError(f"studies need an owner, but {name!r} is the last owner: invite another owner first")
            self._record(connection, name, "removed", by=by)
            self._seen.pop(name, None)
            for table, column in ((SECRET, SECRET.c.person), (MEMBER, MEMBER.c.person), (BELONGS, BELONGS.c.person), (SEEN, SEEN.c.person)):
                connection.execute(sa.delete(table).where(column == name))
            return connection.execute(sa.delete(PERSON).where(PERSON.c.name == name)).rowcount == 1

    def set_role(self, person: str, study: str, role: Role, *, by: str | None = None) -> bool:
        """Make a person a labeler, adjudicator or viewer of a study, replacing any earlier role; return False if no such person exists."""
        with self._database.connection() as connection:
            if _person(connection, person) is None:
                return False
            mine = sa.and_(MEMBER.c.person == person, MEMBER.c.study == study)
            if not connection.execute(sa.update(MEMBER).where(mine).values(role=role)).rowcount:
                connection.execute(sa.insert(MEMBER).values(person=person, study=study, role=role))
            held = [
                {"kind": row.kind, "id": row.hash[:ID_LENGTH], "until": row.until}
                for row in connection.execute(sa.select(SECRET).where(SECRET.c.person == person, SECRET.c.until > self._clock()))
            ]
            self._note(connection, study, person, "role", by=by, role=role, held=held)
            return True

    def drop_role(self, person: str, study: str, *, by: str | None = None) -> bool:
        """Remove a person from a study; return whether they were in it."""
        with self._database.connection() as connection:
            mine = sa.and_(MEMBER.c.person == person, MEMBER.c.study == study)
            found = connection.execute(sa.delete(MEMBER).where(mine)).rowcount == 1
            if found:
                self._note(connection, study, person, "role", by=by, role=None)
            return found

    def role(self, person: str, study: str) -> Role | None:
        """Return a person's role in a study, or None."""
        return self.roles(person).get(study)

    def roles(self, person: str) -> dict[str, Role]:
        """Return a person's roles by study."""
        with self._database.reading() as connection:
            rows = connection.execute(sa.select(MEMBER.c.study, MEMBER.c.role).where(MEMBER.c.person == person)).all()
        return {study: cast(Role, role) for study, role in rows if role in ROLES}

    def owner_link(self, lasts: float) -> Granted:
        """Create a link for the owner, the first if there are several; if there is none, whoever uses it becomes the owner.

        Earlier owner links that were not used are revoked.
        """
        with self._database.connection() as connection:
            query = sa.select(PERSON.c.name).where(PERSON.c.is_owner).order_by(PERSON.c.at, PERSON.c.name).limit(1)
            name = connection.execute(query).scalar() or OWNER
            connection.execute(sa.delete(SECRET).where(SECRET.c.kind == "link", SECRET.c.note == OWNER))
            return self._grant(connection, "link", name, lasts=lasts, note=OWNER)

    def grant(self, kind: SecretKind, person: str, *, lasts: float, note: str = "", by: str | None = None) -> Granted | None:
        """Create a secret for a person, valid for so many seconds; None if there is no such person. A new link ends the one before."""
        with self._database.connection() as connection:
            if _person(connection, person) is None:
                return None
            if kind == "link":
                connection.execute(sa.delete(SECRET).where(SECRET.c.kind == "link", SECRET.c.person == person))
            granted = self._grant(connection, kind, person, lasts=lasts, note="" if kind == "link" else note)
            self._record(connection, person, f"{kind} made", by=by, id=granted.id, until=granted.until)
            return granted

    def use_link(self, secret: str, *, lasts: float, by: str | None = None) -> Granted | None:
        """Exchange a link for a session; None if the link was used before, has expired, or never existed.

        by   the owner who is signed in where the link is used; if the link is another's, the session is marked as the owner's doing

        One transaction: if two people use it at once, only one gets a session.
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
            as_another = by if by != found.person else None
            granted = self._grant(connection, "session", found.person, lasts=lasts, note=as_another or "")
            self._record(connection, found.person, "entered", by=as_another or found.person, id=granted.id)
            return granted

    def holder(self, secret: str, kind: SecretKind) -> Holder | None:
        """Return the holder of a session or token; None if it is not valid, or no longer."""
        query = (
            sa.select(SECRET.c.person, PERSON.c.is_owner, SECRET.c.kind, SECRET.c.hash, SECRET.c.at, SECRET.c.until, SECRET.c.note)
            .join(PERSON, PERSON.c.name == SECRET.c.person)
            .where(SECRET.c.hash == hashed(secret), SECRET.c.kind == kind, SECRET.c.until > self._clock())
        )
        with self._database.reading() as connection:
            row = connection.execute(query).first()
        return None if row is None else Holder(*row[:-1], entered_by=(row.note or None) if kind == "session" else None)

    def renew(self, holder: Holder, *, until: float) -> None:
        """Extend a session."""
        with self._database.connection() as connection:
            connection.execute(sa.update(SECRET).where(SECRET.c.hash == holder.hash, SECRET.c.kind == "session").values(until=until))

    def revoke(self, hash: str) -> None:
        """Revoke a secret; do nothing if it has ended."""
        with self._database.connection() as connection:
            connection.execute(sa.delete(SECRET).where(SECRET.c.hash == hash))

    def tokens(self, person: str | None = None) -> list[KeptToken]:
        """Return a person's tokens that are still valid, or everybody's, the newest first."""
        query = sa.select(SECRET).where(SECRET.c.kind == "token", SECRET.c.until > self._clock()).order_by(SECRET.c.at.desc())
        if person is not None:
            query = query.where(SECRET.c.person == person)
        with self._database.reading() as connection:
            return [KeptToken(row.hash[:ID_LENGTH], row.person, row.note, row.at, row.until) for row in connection.execute(query)]

    def revoke_token(self, id: str, *, person: str | None = None, by: str | None = None) -> bool:
        """Revoke a token of a person, or of anybody; return whether there was such a token."""
        wanted = sa.and_(SECRET.c.kind == "token", sa.func.substr(SECRET.c.hash, 1, ID_LENGTH) == id)
        if person is not None:
            wanted = sa.and_(wanted, SECRET.c.person == person)
        with self._database.connection() as connection:
            found = connection.execute(sa.select(SECRET.c.person).where(wanted)).scalars().all()
            for holder in found:
                self._record(connection, holder, "token ended", by=by, id=id)
            connection.execute(sa.delete(SECRET).where(wanted))
            return bool(found)

    def _record(self, connection: sa.Connection, person: str, act: str, **about: Json) -> None:
        """Note an act in every study that a person may enter: their own, or all if they are an owner."""
        found = _person(connection, person)
        is_owner = found is not None and found.is_owner
        query = sa.select(ENTRY.c.study).distinct() if is_owner else sa.select(MEMBER.c.study).where(MEMBER.c.person == person)
        for study in sorted(connection.execute(query).scalars()):  # in one order, as each is locked
            self._note(connection, study, person, act, **about)

    def _note(self, connection: sa.Connection, study: str, person: str, act: str, **about: Json) -> None:
        self._database.note(connection, study, "access", {"person": person, "act": act, **about})

    def _grant(self, connection: sa.Connection, kind: SecretKind, person: str, *, lasts: float, note: str = "") -> Granted:
        """Create a secret, stored as its hash; delete expired ones."""
        now, secret = self._clock(), secrets.token_urlsafe(32)
        kept = hashed(secret)
        connection.execute(sa.delete(SECRET).where(SECRET.c.until <= now))
        connection.execute(sa.insert(SECRET).values(hash=kept, kind=kind, person=person, note=note, at=now, until=now + lasts))
        return Granted(secret, kept[:ID_LENGTH], person, now + lasts)


def _person(connection: sa.Connection, name: str) -> Person | None:
    row = connection.execute(sa.select(PERSON.c.name, PERSON.c.is_owner).where(PERSON.c.name == name)).first()
    return None if row is None else Person(row.name, bool(row.is_owner))
