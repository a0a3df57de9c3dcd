"""report.json: everything a study can say at its look, as plain data. A pure function of the ledger: rebuilding gives the same text.

What cannot be shown is listed in `left_out` with the reason; before the plan's look there is only progress, no numbers.
"""

# ruff: noqa: D102 - the methods a report asks for are documented in Study
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from shlex import quote
from typing import Any, Protocol

from fewlabels.errors import FewlabelsError, StudyError
from fewlabels.ledgers.base import Ledger
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.decision import Decision
from fewlabels.nouns.estimate import Estimate
from fewlabels.nouns.works_with import Trait
from fewlabels.study.estimate.comparison import Ranked, less_is_better
from fewlabels.study.estimate.confusion import ConfusionCell
from fewlabels.study.estimate.convergence import Convergence
from fewlabels.study.estimate.estimates import Estimates
from fewlabels.study.estimate.labelers import Labelers
from fewlabels.study.estimate.slices import InSlices
from fewlabels.study.estimate.thresholds import Curves
from fewlabels.study.report.budgets import read_budgets, uniform_labels
from fewlabels.study.report.words import asked_in_words, coverage, next_step, plain_words
from fewlabels.study.state.standing import Standing
from fewlabels.study.verify import Verification
from fewlabels.version import VERSION

FORMAT, FORMAT_VERSION = "fewlabels report", 1
MOST_SLICE_TABLES, MOST_SLICES, MOST_THRESHOLDS = 6, 60, 60


class Reportable(Protocol):
    """The methods of a study that a report needs."""

    name: str

    @property
    def ledger(self) -> Ledger: ...
    @property
    def standing(self) -> Standing: ...
    def estimate(self) -> Estimates: ...
    def decide(self) -> Decision | None: ...
    def convergence(self) -> Convergence: ...
    def slices(self, metric: str, *, by: Sequence[str], classifier: str | None, simultaneous: bool) -> InSlices: ...
    def curves(self) -> Curves: ...
    def rank(self, metric: str) -> Ranked: ...
    def confusion(self) -> tuple[ConfusionCell, ...]: ...
    def labelers(self) -> Labelers: ...


@dataclass(slots=True)
class Sections:
    """Sections of a report that may be refused; those refused are kept with the reason."""

    left_out: list[Json] = field(default_factory=list)

    def of(self, section: str, read: Callable[[], Json]) -> Json:
        """The section; None if it is refused."""
        try:
            return read()
        except FewlabelsError as error:
            self.left_out.append({"section": section, "why": str(error)})
            return None


def build_report(study: Reportable, *, verify: Callable[[], Verification]) -> dict[str, Json]:
    """The report of a study in its current state. Reading numbers counts as a look and is recorded, as by `estimate` and `decide`.

    verify   verifies the record, these looks included
    """
    shown, decision = study.estimate(), study.decide()
    standing, sections = study.standing, Sections()
    numbers = bool(shown.estimates)
    report: dict[str, Json] = {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "fewlabels": VERSION,
        "study": _study(standing),
        "population": _population(standing),
        "plan": _plan(study, standing),
        "progress": shown.progress.as_json(),
        "verdict": _verdict(standing, shown, decision, asked=asked_in_words(standing.forms, study.ledger.sheet(study.name))),
        "estimates": [_estimate(standing, e, caution) for e, caution in zip(shown.estimates, shown.cautions, strict=True)],
        "warnings": list(shown.warnings),
        "coverage": coverage(standing, shown),
        "convergence": study.convergence().as_json(),
        "budgets": (sections.of("other budgets", lambda: read_budgets(standing, shown)) or []) if numbers else [],
        "slices": list(_slices(study, standing, sections)) if numbers else [],
        "thresholds": sections.of("thresholds", lambda: _thinned(study.curves().as_json())) if numbers else None,
        "comparison": _comparison(study, standing, sections) if numbers and len(standing.classifiers) > 1 else None,
        "confusion": [cell.as_json() for cell in study.confusion()] if numbers and standing.classes else [],
        "missing": shown.missing.as_json(),
        "agreement": None if shown.agreement is None else shown.agreement.as_json(),
        "labelers": study.labelers().as_json(),
    }
    return report | {"left_out": sections.left_out, "record": _record(study, verify())}


def _study(standing: Standing) -> Json:
    return {
        "name": standing.name,
        "goals": [str(goal) for goal in standing.goals],
        "level": standing.goals[0].level,
        "rule": standing.rule,
        "follows": standing.follows,
        "questions": list(standing.questions),
    }


def _population(standing: Standing) -> Json:
    profile, population = standing.profile, standing.read_population()
    flagged = [profile.flagged(j) for j in range(len(population.classifiers))]
    return {
        "source": population.source,
        "id": population.id,
        "units": profile.whole,
        "classifiers": [
            {"name": c.name, "score": c.score, "threshold": c.threshold, "predicted": c.predicted, "flagged": units}
            for c, units in zip(population.classifiers, flagged, strict=True)
        ],
        "slices": list(population.slices),
        "weight": population.weight,
        "guide": population.guide_column,
        "fingerprint": standing.counted_profile.fingerprint,
    }


def _plan(study: Reportable, standing: Standing) -> Json:
    """The current plan, and those before it."""
    plan = standing.plan
    dated = {entry.body["plan"]["number"]: entry.at for entry in study.ledger.notable(study.name, "plan")}
    return {
        "number": plan.number,
        "hash": plan.hash,
        "at": dated[plan.number],
        "budget": plan.budget,
        "grow_to": plan.grow_to,
        "design": plan.design.name,
        "bands": int(plan.design.N.size),
        "assist": list(plan.assist),
        "interval": plan.interval,
        "stopping": None if plan.stopping is None else str(plan.stopping),
        "promise": plan.promise,
        "earlier": [
            {"number": one.number, "hash": one.hash, "at": dated[one.number], "budget": one.budget, "change": one.change}
            for one in standing.plans[:-1]
        ],
        "looks": [{"plan": look.plan, "labels": look.labels, "certified": look.certified} for look in dict.fromkeys(standing.looks)],
    }


def _verdict(standing: Standing, shown: Estimates, decision: Decision | None, *, asked: Sequence[str]) -> Json:
    head: dict[str, Json] = {"next": next_step(standing, shown, decision), "plain": plain_words(decision, asked)}
    if decision is None:
        return {"outcome": None, "certified": False, "reasons": [], "more": None, "goals": [], **head}
    said = decision.as_json()
    del said["about"]  # it is among what is said in plain words
    return {**said, **head}


def _estimate(standing: Standing, found: Estimate, caution: str | None) -> Json:
    return {**found.as_json(), "caution": caution, "uniform_labels": uniform_labels(found, standing)}


def _slices(study: Reportable, standing: Standing, sections: Sections) -> Iterator[Json]:
    """The metrics of the goals in every slice of every slice column."""
    columns = standing.read_population().slices
    wanted = dict.fromkeys((g.metric, g.classifier) for g in standing.goals if not {*g.traits} & {Trait.JOINT, Trait.DIFFERENCE})
    asked = [(column, metric, classifier) for column in columns for metric, classifier in wanted]
    for column, metric, classifier in asked[:MOST_SLICE_TABLES]:
        found = sections.of(f"{metric} by {column}", partial(_sliced, study, metric, column=column, classifier=classifier))
        if found is not None:
            yield found
    for column, metric, _ in asked[MOST_SLICE_TABLES:]:
        sections.left_out.append(
            {"section": f"{metric} by {column}", "why": f"a report shows {MOST_SLICE_TABLES} tables of slices: see fewlabels slices"}
        )


def _sliced(study: Reportable, metric: str, *, column: str, classifier: str | None) -> Json:
    found = study.slices(metric, by=[column], classifier=classifier, simultaneous=True)
    if len(found.estimates) > MOST_SLICES:
        raise StudyError(
            f"a report can show at most {MOST_SLICES} slices of a column, but {column} has {len(found.estimates)}: fewlabels slices"
        )
    return {"metric": metric, **found.as_json()}


def _thinned(curves: Mapping[str, Any]) -> Json:
    """A curve thinned to at most MOST_THRESHOLDS thresholds, evenly spaced; the first and the last are kept."""
    size = len(curves["thresholds"])
    kept = (
        sorted({round(i * (size - 1) / (MOST_THRESHOLDS - 1)) for i in range(MOST_THRESHOLDS)}) if size > MOST_THRESHOLDS else range(size)
    )

    def thin(values: list[Json]) -> list[Json]:
        return [values[i] for i in kept]

    return {
        **curves,
        **{name: thin(curves[name]) for name in ("thresholds", "units", "labels")},
        "curves": {metric: {part: thin(values) for part, values in curve.items()} for metric, curve in curves["curves"].items()},
    }


def _comparison(study: Reportable, standing: Standing, sections: Sections) -> Json:
    """The ranking of all classifiers by the metric of the first goal."""
    if standing.profile.claims is not None:
        return None  # labels or classes are parts of one classifier, not rivals
    metric = next((g.metric for g in standing.goals if Trait.JOINT not in g.traits), "f1")
    return sections.of("comparison", lambda: {**study.rank(metric).as_json(), "less_is_better": less_is_better(metric)})


def _record(study: Reportable, checked: Verification) -> Json:
    """What the report was made from, and how to reproduce it."""
    newest = study.ledger.newest(study.name)
    assert newest is not None  # it has a plan
    standing = study.standing
    return {
        "as_of": newest.at,
        "entries": newest.serial,
        "last_hash": newest.hash,
        "salt": standing.salt,
        "number_rule": standing.number_rule,
        "verification": checked.as_json(),
        "reproduce": [f"fewlabels verify {quote(study.name)} --population", f"fewlabels report {quote(study.name)} --out report.html"],
    }
