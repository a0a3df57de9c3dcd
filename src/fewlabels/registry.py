"""Registries, one for each extensible kind of record: intervals, label formats, engines.

The records of fewlabels are listed where the registry is made. Records of other packages are looked up only when a name is not one of
ours, or when all are listed. That lookup has side effects, so it is not here: `fewlabels/__init__.py` replaces `found_outside` by
`plugins.installed`, and the statistical code may look up a name without knowing where it comes from.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, TypeVar

from fewlabels.errors import FewlabelsError


class Record(Protocol):
    """A record: the name it is looked up by, and the package and version that added it, None for fewlabels itself."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def name(self) -> str:
        """The one name in code, command line and ledgers."""

    @property
    def package(self) -> str | None:
        """The package and version it comes from; None for fewlabels itself."""


class Outside(NamedTuple):
    """A record that another package offers: its name, the package and version, and a function that imports it."""

    name: str
    package: str
    load: Callable[[], object]


def _none(group: str) -> Sequence[Outside]:
    return ()


found_outside: Callable[[str], Sequence[Outside]] = _none
_came_from: dict[tuple[str, str], str] = {}
R = TypeVar("R", bound=Record)


def note_origin(what: str, name: str, package: str) -> None:
    """Remember the package that a recorded name came from, so that an error can name it if the package is missing."""
    _came_from[what, name] = package


class Registry(Generic[R]):
    """The records of one kind, by name."""

    def __init__(self, what: str, kind: type[R], own: Iterable[R], *, error: type[FewlabelsError]) -> None:
        """`what` is the name of the kind, as in the entry points fewlabels.<what>s; `error` is the exception that a refusal raises."""
        self.what, self.group, self._kind, self._error = what, f"fewlabels.{what}s", kind, error
        self._held: dict[str, R] = {}
        for record in own:
            self.add(record)
        self.own = tuple(self._held)

    def __iter__(self) -> Iterator[R]:
        """The records loaded so far: those of fewlabels, and those of other packages that were looked up."""
        return iter(tuple(self._held.values()))

    def named(self, name: str) -> R:
        """The record with that name; raise the registry's error if it is unknown or its package does not work."""
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
                f"a name can belong to only one {self.what}, but {name!r} is added by "
                f"{' and by '.join(offer.package for offer in offers)}: remove one"
            )
        return self._taken(offers[0])

    def is_offered(self, name: str) -> bool:
        """Whether an installed package claims to add the name."""
        return any(offer.name == name for offer in found_outside(self.group))

    def every(self) -> list[R]:
        """All records, those of other packages included; those that cannot be used are left out, and `refused` says why."""
        for offer in found_outside(self.group):
            if self._is_news(offer):
                self._try(offer.name)
        return list(self._held.values())

    def refused(self) -> list[str]:
        """Why some records of other packages are not used, one sentence each."""
        said = []
        for offer in found_outside(self.group):
            if offer.name in self.own:
                said.append(str(self._taken_already(offer.name, offer.package)))
            elif self._is_news(offer) and (why := self._try(offer.name)) is not None:
                said.append(why)
        return list(dict.fromkeys(said))

    def add(self, record: R) -> R:
        """Add a record and return it; raise the registry's error if its name is taken."""
        if record.name in self._held:
            raise self._taken_already(record.name, record.package)
        self._held[record.name] = record
        return record

    def _is_news(self, offer: Outside) -> bool:
        return offer.name not in self._held

    def _try(self, name: str) -> str | None:
        """Look up the name; return why that failed, or None."""
        try:
            self.named(name)
        except FewlabelsError as refusal:
            return str(refusal)
        return None

    def _taken(self, offer: Outside) -> R:
        """The offered record, marked with its package; raise the registry's error if it cannot be imported or is of another type."""
        try:
            found = offer.load()
        except Exception as error:  # foreign code may raise anything, and other commands must go on
            raise self._broken(offer, f"{type(error).__name__}: {error}") from error
        if not isinstance(found, self._kind):
            raise self._broken(offer, f"it is a {type(found).__name__}, not a {self._kind.__name__}")
        if found.name != offer.name:
            raise self._broken(offer, f"the record calls itself {found.name!r}")
        return self.add(replace(found, package=offer.package))

    def _broken(self, offer: Outside, why: str) -> FewlabelsError:
        return self._error(f"the {self.what} {offer.name!r} of {offer.package} cannot be used ({why}): fix or remove that package")

    def _taken_already(self, name: str, package: str | None) -> FewlabelsError:
        holder = self._held[name].package or "fewlabels"
        return self._error(f"the {self.what} {name!r} of {package or 'fewlabels'} needs another name: {holder} already has that name")
