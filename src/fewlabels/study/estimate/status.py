"""Where a study stands, in numbers that may be shown at any time."""

from dataclasses import dataclass

from fewlabels.nouns.display import Displayed
from fewlabels.nouns.missing import Missing
from fewlabels.nouns.plan import Plan
from fewlabels.nouns.population import Population
from fewlabels.study.estimate.missing import read_missing
from fewlabels.study.estimate.warnings import read_warnings
from fewlabels.study.state.progress import Progress, progress
from fewlabels.study.state.standing import Standing


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Status(Displayed):
    """Where a study stands. `missing` are the answers that are not there, `peeks` those of the `looks` that came early."""

    name: str
    population: Population
    plan: Plan | None
    progress: Progress
    missing: Missing
    warnings: tuple[str, ...]
    looks: int
    peeks: int


def read_status(standing: Standing, *, table: object | None = None) -> Status:
    """The status of a study; its population comes with its table if that lives in memory."""
    done, missing = progress(standing), read_missing(standing)
    return Status(
        name=standing.name,
        population=standing.read_population(table),
        plan=standing.plans[-1] if standing.plans else None,
        progress=done,
        missing=missing,
        warnings=read_warnings(standing, done, missing),
        looks=len(standing.looks),
        peeks=sum(not look.certified for look in standing.looks),
    )
