"""Who may label what: units go to people and groups by the value of a slice column, such as a language or a vendor.

The values are those that the draw knows of its units, so that no engine is asked.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from fewlabels.errors import LabelError
from fewlabels.ledgers.people import People, Person
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.sheet import Sheet
from fewlabels.study.state.pages import PAGE
from fewlabels.study.state.register import Register
from fewlabels.study.state.standing import Standing
from fewlabels.study.study import Study


class RouteCount(NamedTuple):
    """A value of the column that routes go by: units planned, those that still wait for an answer, and who may label them.

    names   people and groups; empty if anybody may
    people  those of the study's labelers who may
    drawn   whether the units of the plan are drawn yet: before, nothing can be counted
    """

    value: str
    planned: int
    open: int
    names: tuple[str, ...]
    people: tuple[str, ...]
    drawn: bool = True

    @property
    def is_stranded(self) -> bool:
        """Whether units wait, or are going to, that nobody may label."""
        return bool((self.open or not self.drawn) and self.names and not self.people)

    def as_json(self) -> dict[str, Json]:
        """Plain data for the page."""
        return {**self._asdict(), "names": list(self.names), "people": list(self.people), "stranded": self.is_stranded}


def refuse_routes(standing: Standing, sheet: Sheet) -> None:
    """Raise LabelError if a form routes by a column that is no slice column, or by a value that the column does not have."""
    column = sheet.route_by
    if column is None:
        return
    known = standing.population["slices"]
    if column not in known:
        named = ", ".join(map(repr, known)) or "none"
        raise LabelError(
            f"units are routed by a slice column of the study ({named}), but {column!r} is not one: choose one of these, or create the "
            "study with this column as a slice"
        )
    strange = sorted(set(sheet.routes) - set(column_values(standing, column)))
    if strange:
        raise LabelError(f"routes are for values that {column!r} has in the table, but {strange[0]!r} is not one: correct it")


def column_values(standing: Standing, column: str) -> list[str]:
    """The values of a slice column, sorted."""
    return sorted(set(_by_code(standing, column)))


def _by_code(standing: Standing, column: str) -> list[str]:
    """The value of each slice code."""
    at = list(standing.population["slices"]).index(column)
    return [values[at] for values in standing.profile.slice_values]


def values_of(standing: Standing, register: Register, units: Sequence[str], *, column: str | None) -> dict[str, str]:
    """The values of drawn units in a slice column."""
    if column is None or standing.units is None:
        return {}
    codes, names = standing.units.slice, _by_code(standing, column)
    places = {unit: found for unit in units if (found := register.place(unit)) is not None}
    return {unit: names[int(codes[page * PAGE + place])] for unit, (page, place) in places.items()}


def read_routes(standing: Standing, sheet: Sheet, labelers: Mapping[str, Collection[str]]) -> list[RouteCount]:
    """What waits for whom, by value; `labelers`: those of the study, each with their groups."""
    column = sheet.route_by
    if column is None:
        return []
    planned, waiting = _counted(standing, column)
    found = []
    for value in column_values(standing, column):
        names = sheet.routes.get(value, ())
        people = tuple(who for who, groups in sorted(labelers.items()) if not names or {who, *groups} & set(names))
        found.append(RouteCount(value, planned.get(value, 0), waiting.get(value, 0), names, people, standing.units is not None))
    return found


def _counted(standing: Standing, column: str) -> tuple[dict[str, int], dict[str, int]]:
    """How many units are drawn of each value, and how many of those wait for an answer, a second one included."""
    if standing.units is None:
        return {}, {}
    names = _by_code(standing, column)
    waits = ~standing.resolved | ((standing.column("second") > 0) & (standing.column("twice") == 0))
    both: tuple[dict[str, int], dict[str, int]] = ({}, {})
    for counts, codes in zip(both, (standing.units.slice, standing.units.slice[waits]), strict=True):
        for code, count in enumerate(np.bincount(codes, minlength=len(names)).tolist()):
            counts[names[code]] = counts.get(names[code], 0) + int(count)
    return both


def labelers_of(people: Iterable[Person], study: str) -> dict[str, tuple[str, ...]]:
    """The people who may label in a study, each with their groups."""
    return {one.name: one.groups for one in people if one.role_in(study) in ("owner", "labeler", "adjudicator")}


def stranded(study: Study, sheet: Sheet, people: People) -> list[str]:
    """What waits for somebody who is not there, in words; of a study without routes nothing is read."""
    if not sheet.routes:
        return []
    return stranded_words(read_routes(study.standing, sheet, labelers_of(people.everyone(), study.name)))


def refuse_unknown(sheet: Sheet, people: Iterable[Person]) -> None:
    """Raise LabelError if a route leads to a name that is neither a person nor a group."""
    known = {name for one in people for name in (one.name, *one.groups)}
    strange = sorted({name for names in sheet.routes.values() for name in names} - known)
    if strange:
        raise LabelError(f"routes lead to people and groups, but {strange[0]!r} is neither: invite them first, or correct the name")


def stranded_words(routes: Sequence[RouteCount]) -> list[str]:
    """What waits for somebody who is not there, in words."""
    said = []
    for route in (route for route in routes if route.is_stranded):
        units = f"1 unit of `{route.value}` waits" if route.open == 1 else f"{route.open:,} units of `{route.value}` wait"
        units = units if route.drawn else f"units of `{route.value}` are going to wait"
        names = ", ".join(route.names)
        said.append(f"{units} for somebody: nobody may label them ({names}); give one of these access to the study, or name others")
    return said
