"""Names of people and groups: two that look alike are one name, so that nobody is taken for somebody else."""

import unicodedata
from collections.abc import Iterable

from fewlabels.errors import StudyError


def folded(name: str) -> str:
    """What a name is told apart by: its letters, whatever their case, width and accents' encoding, without the characters nobody sees."""
    once = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    seen = "".join(" " if c.isspace() else c for c in once if unicodedata.category(c) != "Cf")
    return " ".join(seen.split())


def refuse_outer_space(name: str) -> None:
    """Raise StudyError if a name begins or ends with a space, or has two in a row, as nobody would see the difference."""
    if name != " ".join(name.split()):
        raise StudyError(
            f"names begin and end with a visible character and have single spaces, but {name!r} does not: write {' '.join(name.split())!r}"
        )


def refuse_alike(name: str, people: Iterable[str], groups: Iterable[str]) -> None:
    """Raise StudyError if a new name has spaces nobody sees, or looks like that of a person or a group."""
    refuse_outer_space(name)
    for what, taken in (("person", people), ("group", groups)):
        alike = next((one for one in taken if folded(one) == folded(name)), None)
        if alike is not None:
            raise StudyError(
                f"people and groups are told apart by their names, but {name!r} looks like the {what} {alike!r}: choose another name"
            )
