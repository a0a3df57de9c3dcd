"""The first plan of a study together with what labelers see."""

from collections.abc import Sequence
from shlex import quote
from typing import NamedTuple

from fewlabels.desk.desk import Desk
from fewlabels.engines.checks import require_columns
from fewlabels.errors import LedgerError, LedgerUnreachable, PlanError, StudyError
from fewlabels.ledgers.base import Entry
from fewlabels.ledgers.opening import open_ledger
from fewlabels.nouns.estimate import USUAL_INTERVAL
from fewlabels.nouns.goal import Goal
from fewlabels.nouns.population import Population
from fewlabels.nouns.process import About
from fewlabels.nouns.profile import Column, Profile
from fewlabels.nouns.sheet import Sheet
from fewlabels.planning.goal_scope import expand
from fewlabels.study.plan.next_plan import PlanWays, check_first
from fewlabels.study.population.first_sight import named_after
from fewlabels.study.state.replay import replay
from fewlabels.study.study import Study


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
    try:
        taken = open_ledger(ledger, create=False).studies()
    except LedgerUnreachable:
        raise
    except LedgerError:
        taken = []
    return named_after(source, taken)
