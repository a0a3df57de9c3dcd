"""A pasted list of people to invite, read before anything is done, and names that already stand for somebody's answers."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from fewlabels.desk.messages import refuse_name
from fewlabels.errors import FewlabelsError, StudyError
from fewlabels.ledgers.people import OWNER, ROLES, Person, Role
from fewlabels.nouns.label import RESERVED
from fewlabels.nouns.person import folded, refuse_alike
from fewlabels.study.study import Study

MOST = 500  # lines of a list
LONGEST = 64  # characters of a name
Becomes = Literal["new", "returns", "changes", "nothing", "refused"]
WORDS: Mapping[str, Role] = {  # what people write for a role
    "labels": "labeler", "label": "labeler", "reads results": "viewer", "reads": "viewer", "settles disagreements": "adjudicator",
    "settles": "adjudicator",
}  # fmt: skip


class Invite(NamedTuple):
    """A line of the list: a name, and the role in a study and the group that they get, if it says so."""

    name: str
    role: Role | None = None
    study: str | None = None
    group: str | None = None


class Preview(NamedTuple):
    """What a line would do. `why` is in words; `answers` of a refused name are those that somebody of that name has already given."""

    line: int
    invite: Invite
    becomes: Becomes
    why: str
    answers: int = 0


class Known(NamedTuple):
    """Whom a list is read against: the people, the studies, the groups, and how many answers each name has in how many studies."""

    people: Mapping[str, Person]
    studies: Collection[str]
    groups: Collection[str]
    answered: "Mapping[str, Answered]"


class Answered(NamedTuple):
    """The answers recorded under a name."""

    name: str
    answers: int
    studies: int

    def __str__(self) -> str:
        """How many, in words."""
        answers = "1 answer" if self.answers == 1 else f"{self.answers:,} answers"
        return f"{answers} in {'1 study' if self.studies == 1 else f'{self.studies:,} studies'}"


def answered_names(studies: Iterable[Study]) -> dict[str, Answered]:
    """How many units each name has answered in which of the studies, by what the name is told apart by."""
    found: dict[str, Answered] = {}
    for study in studies:
        for name, units in study.followed.read(lambda register: dict(register.labelers)).items():
            before = found.get(folded(name), Answered(name, 0, 0))
            found[folded(name)] = Answered(before.name, before.answers + units, before.studies + 1)
    return found


def refuse_answered(name: str, answered: Mapping[str, Answered], *, returns: bool) -> None:
    """Raise StudyError if a name to be given to somebody has answers already; `returns`: it is the same person, who comes back."""
    before = answered.get(folded(name))
    if before is None or (returns and before.name == name):
        return
    raise StudyError(
        f"a name stands for one person, but {before.name!r} has {before}: choose another name, or bring the same person back as "
        f"{before.name!r} (returns: true)"
    )


def read_list(text: str) -> list[Invite | str]:
    """The lines of a list, `name, role, study, group, ...` or less; in place of one that cannot be read, why. Empty lines are skipped."""
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) > MOST:
        raise StudyError(f"a list has at most {MOST} lines, got {len(lines):,}: paste it in parts")
    return [one for line in lines for one in _read(line)]


def _read(line: str) -> list[Invite | str]:
    """One line, its parts between tabs, commas or semicolons; after the study come groups, each an invite of its own."""
    mark = next((mark for mark in ("\t", ",") if mark in line), ";")
    name, role, study, *rest = [part.strip() for part in line.split(mark)] + [""] * 2
    groups = [group.strip() for part in rest for group in part.split(";") if group.strip()]
    return [_invite(name, role, study, group) for group in groups or [""]]


def _invite(name: str, role: str, study: str, group: str) -> Invite | str:
    said = WORDS.get(role.lower(), role.lower())
    if said and said not in ROLES:
        return f"what somebody does is one of labels, settles disagreements, reads results, got {role[:60]!r}: correct it"
    if bool(said) != bool(study):
        return f"a role is one in a study, but the line of {name[:60]!r} has only {'a role' if said else 'a study'}: add the other"
    return Invite(name, said or None, study or None, group or None)


def preview(lines: Sequence[Invite | str], known: Known, *, returns: Collection[str] = ()) -> list[Preview]:
    """What every line would do; `returns`: the names of people who come back."""
    found: list[Preview] = []
    new: list[str] = []
    for number, line in enumerate(lines, start=1):
        if isinstance(line, str):
            found.append(Preview(number, Invite(""), "refused", line))
            continue
        one = _previewed(number, line, known, new, returns=returns)
        new += [line.name] if one.becomes in ("new", "returns") and line.name not in new else []
        found.append(one)
    return found


def _previewed(number: int, line: Invite, known: Known, new: Sequence[str], *, returns: Collection[str]) -> Preview:
    is_here = line.name in known.people or line.name in new
    before = None if is_here else known.answered.get(folded(line.name))
    try:
        _refuse(line, known, new)
        if before is not None and before.name == line.name and line.name not in returns:
            why = f"{line.name!r} has {before}: is it the same person, or somebody else, who needs another name?"
            return Preview(number, line, "refused", why, before.answers)
        if not is_here:
            refuse_answered(line.name, known.answered, returns=line.name in returns)
    except FewlabelsError as error:
        return Preview(number, line, "refused", str(error))
    gets = _gets(line)
    if is_here:
        return Preview(number, line, "changes" if gets else "nothing", gets.removeprefix(" and ") or "has access already")
    is_back = before is not None
    return Preview(number, line, "returns" if is_back else "new", f"{'comes back' if is_back else 'is invited'}{gets}")


def _refuse(line: Invite, known: Known, new: Sequence[str]) -> None:
    """Raise if a name cannot be anybody's, or a study or group nobody's."""
    refuse_name(line.name)
    is_reserved = line.name in RESERVED or (line.name == OWNER and OWNER not in known.people)
    if is_reserved or "/" in line.name or len(line.name) > LONGEST:
        raise StudyError(
            f"a name has up to {LONGEST} characters, no slash, and is none that fewlabels reserves, got {line.name[:80]!r}: correct it"
        )
    if line.name not in known.people and line.name not in new:
        refuse_alike(line.name, [*known.people, *new], known.groups)
    if line.study is not None and line.study not in known.studies:
        raise StudyError(f"a role is one in a study, but there is no study {line.study!r}: correct its name")
    if line.role is not None and line.name in known.people and known.people[line.name].is_owner:
        raise StudyError(f"an owner has access to every study, but {line.name!r} would get a role in {line.study!r}: leave it out")
    if line.group is not None and ("/" in line.group or len(line.group) > LONGEST or not line.group.isprintable()):
        raise StudyError(f"a group's name has up to {LONGEST} visible characters and no slash, got {line.group[:80]!r}: correct it")
    if line.group is not None and line.group not in known.groups:
        refuse_alike(line.group, [*known.people, *new], known.groups)


def _gets(line: Invite) -> str:
    """What a person gets besides access, in words."""
    does = {"labeler": "labels", "adjudicator": "settles disagreements", "viewer": "reads results"}
    parts = [] if line.role is None else [f"{does[line.role]} in {line.study}"]
    parts += [] if line.group is None else [f"joins {line.group}"]
    return "".join(f" and {part}" for part in parts)
