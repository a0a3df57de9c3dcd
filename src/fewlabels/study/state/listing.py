"""The studies of a ledger, each with its population, goals and state. Nothing is computed from what the labels say."""

from collections.abc import Sequence
from typing import NamedTuple

from fewlabels.errors import LedgerError, StudyError
from fewlabels.ledgers.base import Entry, Ledger
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.redaction import without_password
from fewlabels.study.state.online_path import has_ended, walked
from fewlabels.study.state.progress import Progress, progress
from fewlabels.study.state.replay import replay
from fewlabels.study.state.standing import Standing


class Listed(NamedTuple):
    """A study in a list. What is unknown, for example because the record was damaged, is None or empty.

    population   where its table is, without a password; None for a monitor
    labels       number of units resolved, of `planned`; for a monitor, number of answers recorded
    state        no plan, planned, labeling, waiting for gold, ready to decide, results shown; monitor; not created completely, damaged
    """

    study: str
    population: str | None
    goals: tuple[str, ...]
    labels: int | None
    planned: int | None
    state: str

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json."""
        return {**self._asdict(), "goals": list(self.goals)}


def list_studies(ledger: Ledger) -> list[Listed]:
    """The studies and monitors of a ledger, sorted by name."""
    return [_listed(name, ledger.entries(name)) for name in ledger.studies()]


def _listed(name: str, entries: Sequence[Entry]) -> Listed:
    """A study as described by its entries."""
    try:
        return _monitor(name, entries) if entries[0].kind == "stream" else _study(replay(entries))
    except StudyError:
        return Listed(name, None, (), None, None, "not created completely")
    except (LedgerError, KeyError, TypeError, ValueError):  # an entry that was changed by hand may lack anything
        return Listed(name, None, (), None, None, "damaged")


def _study(standing: Standing) -> Listed:
    done = progress(standing)
    goals = tuple(map(str, standing.goals))
    return Listed(
        standing.name, without_password(standing.population["source"]), goals, done.labels, done.planned, state_of(standing, done)
    )


def _monitor(name: str, entries: Sequence[Entry]) -> Listed:
    how = entries[0].body
    answers = sum(entry.kind == "answer" for entry in entries)
    return Listed(name, None, (f"{how['metric']} >= {how['floor']:g}",), answers, None, "monitor")


def state_of(standing: Standing, done: Progress) -> str:
    """The state of a study, in a word or two.

    Results count as shown once numbers were seen at the look of the current plan; for an online study, at the labels it has now. A study
    with planned looks is labeling until the last one: only a verdict tells whether an earlier one ended it.
    """
    if not standing.plans:
        return "no plan"
    if not done.labels and not done.asked:
        return "planned"
    if done.waits_for_gold:
        return "waiting for gold"
    online = standing.plan.kind == "online"
    if not done.complete and not (online and has_ended(standing, walked(standing))):
        return "labeling"
    looks = [look for look in standing.looks if look.plan == standing.plan.number and look.certified]
    return "results shown" if any(look.labels == done.labels or not online for look in looks) else "ready to decide"
