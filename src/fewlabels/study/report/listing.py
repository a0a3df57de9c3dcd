"""The studies of a ledger, each with its population, goals and state. No metric is shown."""

from collections.abc import Sequence
from typing import NamedTuple

from fewlabels.errors import LedgerError, StudyError
from fewlabels.ledgers.base import Entry, Ledger
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.redaction import without_password
from fewlabels.study.kinds import kind_of
from fewlabels.study.state.followed import FollowedStudy
from fewlabels.study.state.progress import Progress, progress
from fewlabels.study.state.standing import Standing


class Listed(NamedTuple):
    """A study in a list. What is unknown, for example because the record was damaged, is None or empty.

    population   where its table is, without a password; None for a monitor
    labels       number of units resolved, of `planned`; for a monitor, number of answers recorded
    state        as `status` has it: no plan, labeling, waiting for gold, ready, decided; or monitor, not created completely, damaged
    shown        whether numbers were seen at the look of the plan in force; of an online study, at the labels it has now
    """

    study: str
    population: str | None
    goals: tuple[str, ...]
    labels: int | None
    planned: int | None
    state: str
    shown: bool = False

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json."""
        return {**self._asdict(), "goals": list(self.goals)}


def list_studies(ledger: Ledger) -> list[Listed]:
    """The studies and monitors of a ledger, sorted by name."""
    return [_listed(ledger, name) for name in ledger.studies()]


def _listed(ledger: Ledger, name: str) -> Listed:
    """A study as described by its entries."""
    try:
        stream = ledger.notable(name, "stream")
        return _monitor(name, ledger.entries(name)) if stream else _study(FollowedStudy(ledger, name).standing())
    except StudyError:
        return Listed(name, None, (), None, None, "not created completely")
    except (LedgerError, KeyError, TypeError, ValueError):  # an entry that was changed by hand may lack anything
        return Listed(name, None, (), None, None, "damaged")


def _study(standing: Standing) -> Listed:
    done = progress(standing)
    goals = tuple(map(str, standing.goals))
    state = kind_of(standing).state(standing, done)
    return Listed(
        standing.name, without_password(standing.population["source"]), goals, done.labels, done.planned, state, is_shown(standing, done)
    )


def is_shown(standing: Standing, done: Progress) -> bool:
    """Whether numbers of the plan in force were seen at its look; of an online study, at the labels it has now."""
    if not standing.plans:
        return False
    looks = [look for look in standing.looks if look.plan == standing.plan.number and look.certified]
    return any(look.labels == done.labels or standing.plan.kind != "online" for look in looks)


def _monitor(name: str, entries: Sequence[Entry]) -> Listed:
    how = entries[0].body
    answers = sum(entry.kind == "answer" for entry in entries)
    return Listed(name, None, (f"{how['metric']} >= {how['floor']:g}",), answers, None, "monitor")
