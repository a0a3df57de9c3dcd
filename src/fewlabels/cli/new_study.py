"""What a newcomer's table suggests, and the first plan of a study together with what labelers see."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import NamedTuple

from fewlabels.desk.desk import Desk
from fewlabels.engines.checks import FLAG_TYPES, ID_TYPES, require_columns
from fewlabels.engines.opening import open_engine
from fewlabels.engines.sql_engine import SqlEngine
from fewlabels.engines.warehouses import elsewhere
from fewlabels.errors import EngineError, LedgerError, LedgerUnreachable, PlanError, StudyError
from fewlabels.ledgers.base import Entry
from fewlabels.ledgers.opening import open_ledger
from fewlabels.nouns.classifier import Classifier
from fewlabels.nouns.estimate import USUAL_INTERVAL
from fewlabels.nouns.goal import Goal
from fewlabels.nouns.population import Population
from fewlabels.nouns.process import About
from fewlabels.nouns.profile import Column, Profile
from fewlabels.nouns.sheet import Sheet
from fewlabels.planning.goal_scope import expand
from fewlabels.study.plan.next_plan import PlanWays, check_first
from fewlabels.study.population.read import read_population
from fewlabels.study.state.replay import replay
from fewlabels.study.study import Study

TRIED = 4  # id columns that are read to see whether they name every unit once
MOST_SCORES = 20
ID_NAMES = (re.compile(r"id", re.I), re.compile(r".*[^a-z]id|.*Id|uuid|guid", re.I), re.compile(r"key|unit|number|no", re.I))
SCORE_NAMES = (re.compile(r"score", re.I), re.compile(r".*score.*", re.I), re.compile(r".*prob.*|p|.*[^a-z]p|.*conf.*|.*pred.*", re.I))
DECISION_NAMES = (re.compile(r"pred.*|flag.*|.*[^a-z](pred|predicted|prediction|flag|flagged|decision)|decision", re.I),)
SHOWN_NAMES = re.compile(r"(.*[^a-z])?(text|message|body|title|subject|content|comment|description|url|summary|review|post)", re.I)
GIVEAWAYS = re.compile(r".*(label|truth|answer|target|gold|class|pred|score|prob|flag|decision).*|y", re.I)


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstSight:
    """A first look at a table: each list holds the columns that may serve as what it is named after, the likeliest first."""

    columns: tuple[Column, ...]
    ids: tuple[str, ...]
    scores: tuple[str, ...]  # every value a number within the limits, by default [0, 1]
    unsound: tuple[str, ...]  # named like a score, but with values that are missing or outside the limits
    decisions: tuple[str, ...]  # true/false, or integers whose name says so
    shown: tuple[str, ...]  # text whose name gives no label away

    @property
    def names(self) -> tuple[str, ...]:
        """The columns by name."""
        return tuple(column.name for column in self.columns)


def look_at(source: str, *, limits: tuple[float, float] = (0.0, 1.0)) -> FirstSight:
    """Return what the names, types and values of a table's columns suggest; `limits` are those of a score."""
    columns = _columns(source)
    ids = _named([c.name for c in columns if c.type in ID_TYPES], ID_NAMES)
    numbers = [c.name for c in columns if c.type in ("float32", "float64") or (c.type == "int" and _is_score(c.name))]
    scores = _named(numbers, SCORE_NAMES)[:MOST_SCORES]
    decisions = [c.name for c in columns if c.type == "bool"]
    decisions += [c.name for c in columns if c.type in FLAG_TYPES and any(name.fullmatch(c.name) for name in DECISION_NAMES)]
    ids, sound = _tried(source, ids, scores, limits)
    unsound = tuple(name for name in scores if _is_score(name) and name not in sound)
    texts = [c.name for c in columns if c.type == "text" and c.name not in ids[:1] and not GIVEAWAYS.fullmatch(c.name)]
    shown = [name for name in texts if SHOWN_NAMES.fullmatch(name)] or texts
    return FirstSight(
        columns=columns, ids=ids, scores=sound, unsound=unsound, decisions=tuple(dict.fromkeys(decisions)), shown=tuple(shown)
    )  # fmt: skip


def _columns(source: str) -> tuple[Column, ...]:
    """Return the columns of a table of which nothing is known yet."""
    unknown = read_population(source, id="", classifiers=[Classifier("unknown", predicted="unknown")])
    engine = open_engine(unknown)
    if not isinstance(engine, SqlEngine):
        raise elsewhere(source)
    columns = engine.columns()
    if not columns:
        raise EngineError(f"a population needs columns, but {source} has none: check the path")
    return columns


def _named(columns: Sequence[str], likely: Iterable[re.Pattern[str]]) -> tuple[str, ...]:
    """Return the columns, those with a likely name first."""
    first = [column for name in likely for column in columns if name.fullmatch(column)]
    return tuple(dict.fromkeys([*first, *columns]))


def _is_score(name: str) -> bool:
    """Return whether a column is named like a score."""
    return any(likely.fullmatch(name) for likely in SCORE_NAMES[:2])


def _tried(
    source: str, ids: tuple[str, ...], scores: tuple[str, ...], limits: tuple[float, float]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the columns whose values were checked: first an id that names every unit once, and scores within the limits."""
    sound: tuple[str, ...] = ()
    for column in ids[:TRIED] if scores else ():
        judged = [Classifier(f"c{i}", score=score, threshold=middle(limits), score_range=limits) for i, score in enumerate(scores)]
        problems = open_engine(read_population(source, id=column, classifiers=judged)).inspect().problems
        rules = [problem.rule for problem in problems]
        sound = tuple(score for score in scores if not any(f"a score in {score!r}" in rule for rule in rules))
        if not any(" an id" in rule or " ids " in rule for rule in rules):
            ids = (column, *(other for other in ids if other != column))
            break
    return ids, sound


def middle(limits: tuple[float, float]) -> float:
    """Return the threshold to propose: halfway between the limits of a score."""
    return (limits[0] + limits[1]) / 2


def flagged_line(profile: Profile) -> str:
    """Say how many units the first classifier flags, and how many positives the scores predict."""
    flagged = int(profile.count[profile.predicted(0)].sum())
    line = f"flags {flagged:,} of {profile.N:,} units ({flagged / profile.N:.2%})"
    if not profile.guided and profile.claims is None:
        return line
    return f"{line}; the scores claim about {float((profile.count * profile.claimed(0)).sum()):,.0f} positives"


def refuse_undivided(profile: Profile, threshold: float) -> None:
    """Raise an error if a threshold flags no unit, or every unit."""
    flagged = int(profile.count[profile.predicted(0)].sum())
    if 0 < flagged < profile.N:
        return
    how, other = ("no unit", "lower") if not flagged else ("every unit", "higher")
    raise PlanError(
        f"a threshold must have units on both sides, but {threshold:g} flags {how} of {profile.N:,}: choose a {other} one with --threshold"
    )


def check_shown(population: Population, columns: Sequence[Column], show: Sequence[str]) -> None:
    """Raise an error for columns the table does not have, and for those that would reveal a score or prediction."""
    require_columns(columns, show)
    population.refuse_hidden(show)


def check_beginning(
    population: Population, profile: Profile, goals: Sequence[Goal], *, budget: int, grow_to: int | None = None
) -> None:  # fmt: skip
    """Check, before anything is recorded, that a plan with this budget can be locked."""
    check_first(population, profile, list(goals), budget=budget, grow_to=grow_to, ways=PlanWays("bands", USUAL_INTERVAL, None, None))


class Beginning(NamedTuple):
    """What a first plan is made of, apart from its name and ledger."""

    population: Population
    profile: Profile
    goals: Sequence[Goal]
    level: float
    budget: int
    grow_to: int | None = None

    @property
    def about(self) -> About:
        """What numbers are about."""
        return "table" if self.profile.process is None else "process"


def begin(name: str, first: Beginning, *, ledger: str, sheet: Sheet) -> Study:
    """Lock the first plan of a new study, and set what its labelers see. Idempotent."""
    study = Study.create(
        name, first.population, goals=first.goals, profile=first.profile, ledger=ledger, level=first.level, about=first.about
    )
    study.plan(first.budget, grow_to=first.grow_to)
    set_shown(study, sheet)
    return study


def refuse_taken(name: str, first: Beginning, *, ledger: str) -> None:
    """Raise an error, before anything is written, if the ledger holds another study of this name."""
    entries = _entries(name, ledger)
    if not entries:
        return
    held = replay(entries)
    goals = expand(first.profile, first.goals, slices=first.population.slices, names=[c.name for c in first.population.classifiers])
    same = held.profile.fingerprint == first.profile.fingerprint and held.population == first.population.as_json()
    same = same and (held.goals, held.about) == (goals, first.about)
    if same and all((plan.budget, plan.grow_to) == (first.budget, first.grow_to) for plan in held.plans[:1]):
        return
    free = free_name(name, ledger=ledger)
    raise StudyError(
        f"a new study needs a name of its own, but the ledger already holds another study named {name!r}: choose a free one, such as "
        f"{free!r}, with --study; to continue the existing one: fewlabels status {quote(name)}"
    )


def set_shown(study: Study, sheet: Sheet) -> None:
    """Set what labelers see, unless it is set already."""
    desk = Desk(study)
    if sheet != Sheet() and desk.sheet == Sheet():
        desk.set_sheet(sheet)


def is_planned(name: str, *, ledger: str) -> bool:
    """Return whether a ledger holds a study of that name that has a plan."""
    entries = _entries(name, ledger)
    return bool(entries) and bool(replay(entries).plans)


def _entries(name: str, ledger: str) -> Sequence[Entry]:
    """Return a study's entries in a ledger; none if there is no ledger yet. A damaged ledger is reported when it is written to."""
    try:
        return open_ledger(ledger, create=False).entries(name)
    except LedgerUnreachable:
        raise
    except LedgerError:
        return ()


def free_name(source: str, *, ledger: str) -> str:
    """Return a free name for a study of a table: the name of the file, with a number if it is taken."""
    wanted = Path(source.partition("#")[2] or source.rpartition(":")[2]).name.split(".")[0]
    wanted = re.sub(r"[^\w.-]+", "-", wanted).strip("-.") or "study"
    try:
        taken = set(open_ledger(ledger, create=False).studies())
    except LedgerUnreachable:
        raise
    except LedgerError:
        return wanted
    return next(name for name in (wanted, *(f"{wanted}-{i}" for i in range(2, len(taken) + 3))) if name not in taken)
