"""The status of a study, in numbers that may be shown at any time."""

from dataclasses import dataclass
from typing import Protocol

from fewlabels.nouns.display import Displayed
from fewlabels.nouns.missing import Missing
from fewlabels.nouns.plan import Plan
from fewlabels.nouns.population import Population
from fewlabels.study.estimate.missing import read_missing
from fewlabels.study.state.progress import Progress, progress
from fewlabels.study.state.standing import Standing


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Status(Displayed):
    """The status of a study.

    missing   the missing answers
    state     no plan, labeling, waiting for gold, ready, or decided
    peeks     number of `looks` that came early
    """

    name: str
    population: Population
    plan: Plan | None
    progress: Progress
    missing: Missing
    warnings: tuple[str, ...]
    state: str
    looks: int
    peeks: int


class Reads(Protocol):
    """The methods of a kind of study that its status needs."""

    def warnings(self, standing: Standing, done: Progress, missing: Missing) -> tuple[str, ...]:
        """Warnings shown beside the numbers."""

    def state(self, standing: Standing, done: Progress) -> str:
        """The state of the study, in a word."""


def read_status(standing: Standing, kind: "Reads", *, table: object | None = None) -> Status:
    """The status of a study of that kind; pass `table` if its population is held in memory."""
    done, missing = progress(standing), read_missing(standing)
    return Status(
        name=standing.name,
        population=standing.read_population(table),
        plan=standing.plans[-1] if standing.plans else None,
        progress=done,
        missing=missing,
        warnings=kind.warnings(standing, done, missing),
        state=kind.state(standing, done),
        looks=len(standing.looks),
        peeks=sum(not look.certified for look in standing.looks),
    )
