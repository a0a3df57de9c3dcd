"""A study on a table that fewlabels cannot open: queries are printed, and their results are read from files.

profile     one query, for the population as described, before there is a study
draw        one query, for the current plan: the same that drawing would first send to an engine
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, NoReturn

from fewlabels.engines import checks
from fewlabels.engines.offline import HandedEngine, Unopened, profile_from
from fewlabels.engines.offline_queries import draw_digest, profile_digest, written_for
from fewlabels.engines.prefilter import Sieve, sieve_of
from fewlabels.engines.warehouses import Place, place_of
from fewlabels.errors import PopulationError
from fewlabels.nouns.arrays import IntArray
from fewlabels.nouns.draw import Units
from fewlabels.nouns.goal import Goal
from fewlabels.nouns.population import MEMORY, Population
from fewlabels.nouns.profile import Column, Profile
from fewlabels.randomness import NumberRule
from fewlabels.study.draw.fixed import draw_plan
from fewlabels.study.plan.pilot import pilot_units
from fewlabels.study.population.profile import check_goals
from fewlabels.study.state.standing import Standing

DUPLICATES = (
    "ids were not checked for duplicates: `fewlabels sql ... --query problems` counts them. Duplicates among the candidates of a draw are "
    "always found: a share d of duplicated ids goes unnoticed in a draw of n units with probability about (1 - d)^n"
)
_USUAL = {"id": "text", "class": "text", "slice": "text", "prediction": "bool"}  # all others are float64


class _Asked(Exception):
    """The query, raised to end the draw that sent it."""

    def __init__(self, sieve: Sieve, salt: str, rule: NumberRule) -> None:
        super().__init__()
        self.sieve, self.salt, self.rule = sieve, salt, rule


class _Asking(Unopened):
    """An engine that raises the first query it receives."""

    def below_and_profile(
        self, profile: Profile, *, band: IntArray, bound: IntArray, salt: str, rule: NumberRule = "md5"
    ) -> NoReturn:  # fmt: skip
        raise _Asked(sieve_of(profile, band=band, bound=bound), salt, rule)


class Texts(NamedTuple):
    """The queries of one table in one dialect; `draw` is None if nothing is to be drawn; about `units` rows are expected from it."""

    dialect: str
    profile: str
    problems: str
    draw: str | None = None
    units: float = 0.0


def declared(population: Population, types: Mapping[str, str]) -> tuple[Column, ...]:
    """The columns the population names, each with its declared or default type. Raise PopulationError for other columns in `types`."""
    roles = checks.roles(population)
    unknown = sorted(set(types) - {role.column for role in roles})
    if unknown:
        raise PopulationError(
            f"types can be declared only for columns that the population names, but {unknown[0]!r} is not one: leave it out"
        )
    usual = {role.column: _USUAL.get(role.name, "float64") for role in reversed(roles)}
    columns = tuple(Column(name, types.get(name, usual[name])) for name in dict.fromkeys(role.column for role in roles))
    checks.require_types(roles, columns)
    return columns


def place_for(population: Population, *, dialect: str | None = None, table: str | None = None) -> Place:
    """Where the queries will run: the given dialect and table, or the population's. Raise PopulationError if neither is known."""
    own = None if population.source == MEMORY else place_of(population.source)
    if table is None and (own is None or dialect not in (None, own.dialect)):
        raise PopulationError(
            f"a query names its table as the engine knows it, but {population.source!r} is not one of its tables: name it with --table"
        )
    if dialect is None and own is None:
        raise PopulationError(f"SQL is written for one engine, but {population.source!r} does not say which: name it with --dialect")
    return Place(dialect or (own.dialect if own else ""), table or (own.table if own else ""))


def profile_texts(population: Population, columns: Sequence[Column], place: Place) -> Texts:
    """The queries to run before there is a study."""
    _refuse_twofold(population)
    written = written_for(population, columns, place)
    digest = profile_digest(population, written.types, place.table)
    return Texts(place.dialect, written.profile_text(digest=digest), written.problems_text())


def study_texts(standing: Standing, place: Place) -> Texts:
    """The queries to run for a study: its profile again, and the draw of the current plan unless it has been drawn."""
    population = standing.read_population()
    written = written_for(population, standing.profile.columns, place)
    digest = profile_digest(population, written.types, place.table)
    texts = Texts(place.dialect, written.profile_text(digest=digest), written.problems_text())
    if not standing.plans or standing.is_drawn:
        return texts
    plan, asked = standing.plan, _question(standing)
    digest = draw_digest(plan.hash, asked.sieve)
    draw = written.draw_text(asked.sieve, salt=asked.salt, rule=asked.rule, number=plan.number, digest=digest)
    return texts._replace(draw=draw, units=asked.sieve.units)


def handed_profile(population: Population, goals: Sequence[Goal], path: str, types: Mapping[str, str]) -> Profile:
    """The profile from a file with the result of the printed query. Raise for goals the population does not support."""
    check_goals(population, goals)
    _refuse_twofold(population)
    return profile_from(path, population, declared(population, types), place_for(population))


def handed_draw(standing: Standing, path: str) -> HandedEngine:
    """The engine that draws the current plan from a file with the result of the printed query."""
    return HandedEngine(standing.read_population(), path, number=standing.plan.number, plan_hash=standing.plan.hash)


def units_before(standing: Standing) -> Units | None:
    """The units drawn by earlier plans that the draw of the current plan depends on."""
    return standing.units if standing.plan.design.held is not None else pilot_units(standing)


def _question(standing: Standing) -> _Asked:
    """The query that the draw of the current plan sends to an engine."""
    try:
        draw_plan(_Asking(standing.read_population()), standing.profile, standing.plan, units_before(standing))
    except _Asked as asked:
        return asked
    raise AssertionError("a draw asks its engine")


def _refuse_twofold(population: Population) -> None:
    """Raise PopulationError if the population has to be profiled twice."""
    if population.is_joint and population.guide is None and population.risk is None:
        raise PopulationError(
            "several labels or classes without a guide are profiled twice, which takes an engine fewlabels can open: name a --guide, "
            "such as the probability that any of them is wrong"
        )
