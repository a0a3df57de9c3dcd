"""Tables of records, one for each kind of thing there are several of: intervals, label formats, engines.

fewlabels' own records are listed where the table is made. Records of other packages are asked for only when a name is none of ours, or
when all are listed. What asks for them touches the world, so it is not here: `fewlabels/__init__.py` puts `plugins.installed` in the
place of `found_outside`, and mathematics may look up a name without knowing where it comes from.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, TypeVar

from fewlabels.errors import FewlabelsError


class Record(Protocol):
    """What every record has: the name it is looked up by, and the package that added it, with its version; None: fewlabels itself."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def name(self) -> str:
        """The one name in code, command line and ledgers."""

    @property
    def package(self) -> str | None:
        """The package and version it comes from; None: fewlabels itself."""


class Outside(NamedTuple):
    """A record that another package offers: its name, the package with its version, and what imports it."""

    name: str
    package: str
    load: Callable[[], object]


def _none(group: str) -> Sequence[Outside]:
    return ()


found_outside: Callable[[str], Sequence[Outside]] = _none
_came_from: dict[tuple[str, str], str] = {}
R = TypeVar("R", bound=Record)


def note_origin(what: str, name: str, package: str) -> None:
    """Remember the package that a recorded name came from, so that a refusal can name it where the package is missing."""
    _came_from[what, name] = package


class Registry(Generic[R]):
    """The records of one kind, by name."""

    def __init__(self, what: str, kind: type[R], own: Iterable[R], *, error: type[FewlabelsError]) -> None:
        """`what` one of them is called, as in the entry points fewlabels.<what>s; `error` is what a refusal raises."""
        self.what, self.group, self._kind, self._error = what, f"fewlabels.{what}s", kind, error
        self._held: dict[str, R] = {}
        for record in own:
            self.add(record)
        self.own = tuple(self._held)

    def __iter__(self) -> Iterator[R]:
        """The records held now: fewlabels' own, and those of other packages that were looked up."""
        return iter(tuple(self._held.values()))

    def named(self, name: str) -> R:
        """The record of that name. Refuses an unknown name, and one whose package does not work, saying why."""
        if name in self._held:
            return self._held[name]
        offers = [offer for offer in found_outside(self.group) if offer.name == name]
        if not offers:
            raise self._error(
                f"no {self.what} {name!r}: fewlabels knows {', '.join(self._held)}, and no installed package adds it: choose one of these, "
                f"or install {_came_from.get((self.what, name), 'the package that adds it')}"
            )
        if len(offers) > 1:
            raise self._error(
                f"a name is of one {self.what}, but {name!r} is added by {' and by '.join(offer.package for offer in offers)}: remove one"
            )
        return self._taken(offers[0])

    def is_offered(self, name: str) -> bool:
        """Whether some installed package says that it adds the name."""
        return any(offer.name == name for offer in found_outside(self.group))

    def every(self) -> list[R]:
        """All records, those of other packages included; one that cannot be used is left out, `refused` says why."""
        for offer in found_outside(self.group):
            if self._is_news(offer):
                self._try(offer.name)
        return list(self._held.values())

    def refused(self) -> list[str]:
        """Why some of what other packages add is not used, a sentence each."""
        said = []
        for offer in found_outside(self.group):
            if offer.name in self.own:
                said.append(str(self._taken_already(offer.name, offer.package)))
            elif self._is_news(offer) and (why := self._try(offer.name)) is not None:
                said.append(why)
        return list(dict.fromkeys(said))

    def add(self, record: R) -> R:
        """The record, now known by its name. Refuses a name that is taken."""
        if record.name in self._held:
            raise self._taken_already(record.name, record.package)
        self._held[record.name] = record
        return record

    def _is_news(self, offer: Outside) -> bool:
        return offer.name not in self._held

    def _try(self, name: str) -> str | None:
        """Looks the name up; comes back with why that failed."""
        try:
            self.named(name)
        except FewlabelsError as refusal:
            return str(refusal)
        return None

    def _taken(self, offer: Outside) -> R:
        """The offered record, marked with where it comes from. Refuses what cannot be imported, and what is no such record."""
        try:
            found = offer.load()
        except Exception as error:  # a stranger's code may raise anything, and other commands go on
            raise self._broken(offer, f"{type(error).__name__}: {error}") from error
        if not isinstance(found, self._kind):
            raise self._broken(offer, f"it is a {type(found).__name__}, and no {self._kind.__name__}")
        if found.name != offer.name:
            raise self._broken(offer, f"the record calls itself {found.name!r}")
        return self.add(replace(found, package=offer.package))

    def _broken(self, offer: Outside, why: str) -> FewlabelsError:
        return self._error(f"the {self.what} {offer.name!r} of {offer.package} cannot be used ({why}): mend or remove that package")

    def _taken_already(self, name: str, package: str | None) -> FewlabelsError:
        holder = self._held[name].package or "fewlabels"
        return self._error(f"the {self.what} {name!r} of {package or 'fewlabels'} needs another name: {holder} has one called so")
