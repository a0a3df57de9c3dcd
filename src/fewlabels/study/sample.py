"""A sample drawn elsewhere, read as a study: the same entries in the ledger, the same numbers, report and gate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from shlex import quote
from typing import TYPE_CHECKING

import numpy as np

from fewlabels.deciding.error_spending import spending
from fewlabels.engines.opening import open_engine
from fewlabels.errors import LabelError, StudyError
from fewlabels.intervals.registered import plan_interval
from fewlabels.ledgers.base import Ledger
from fewlabels.ledgers.opening import DEFAULT_LEDGER, open_ledger
from fewlabels.nouns.classifier import Classifier
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.estimate import USUAL_INTERVAL
from fewlabels.nouns.goal import DEFAULT_LEVEL, Goal
from fewlabels.nouns.label import CLOSER, Label, read_answer
from fewlabels.nouns.plan import Plan
from fewlabels.nouns.population import Population
from fewlabels.nouns.process import About
from fewlabels.nouns.profile import Profile
from fewlabels.planning.goal_scope import expand
from fewlabels.randomness import cluster_numbers, new_salt
from fewlabels.study.create import population_body
from fewlabels.study.labels.record import record
from fewlabels.study.population.profile import about_of, about_which, check_goals, read_goals
from fewlabels.study.population.read import read_population
from fewlabels.study.population.sample import Sample, elsewhere_of, read_sample, refuse_one_sided
from fewlabels.study.study import Study

if TYPE_CHECKING:
    from fewlabels.nouns.canonical import Json

LABELER = "sample"


def from_sample(  # noqa: PLR0913 - one keyword for each thing a sample may hold
    source: object,
    *,
    name: str,
    goals: str | Goal | Sequence[str | Goal],
    id: str = "id",
    answer: str = "answer",
    probability: str = "probability",
    score: str | None = None,
    threshold: float | None = None,
    predicted: str | None = None,
    score_range: tuple[float, float] = (0.0, 1.0),
    stratum: str | None = None,
    stratum_size: str | None = None,
    cluster: str | None = None,
    about: About | None = None,
    level: float = DEFAULT_LEVEL,
    interval: str | None = None,
    ledger: str | Ledger = DEFAULT_LEDGER,
) -> Study:
    """Read a sample drawn and labeled elsewhere as a study: every metric with its interval, a report, a gate, and the record of it.

    source is a path or a table in memory with one row for each drawn unit: its id, the answer (empty if nobody gave one), the inclusion
    probability, and the classifier's score or prediction. stratum and stratum_size name the strata of a stratified draw and how many units
    each had; without them, units are taken to have come in one by one. cluster is as in `read_population`.

    Reading the same sample again has no further effect.

    Examples:
        >>> import fewlabels
        >>> from fewlabels.demo.study import small_study
        >>> taken = small_study().answers()
        >>> table = {name: list(values) for name, values in zip(taken.columns, zip(*taken.rows))}
        >>> columns = {"id": "unit", "predicted": "predicted_new", "stratum": "band", "stratum_size": "band_size"}
        >>> study = fewlabels.from_sample(table, name="read", goals="precision >= 0.6", ledger="sqlite:///:memory:", **columns)
        >>> study.estimate()["precision"].value
        0.75
    """
    if not name:
        raise StudyError(f"a study needs a name, got {name!r}: name it, for example after the classifier and the week")
    if (stratum is None) != (stratum_size is None):
        raise StudyError(
            f"strata come with their sizes, but the stratum is {stratum!r} and its size {stratum_size!r}: name both columns, or neither"
        )
    judged = Classifier("classifier", score=score, threshold=threshold, predicted=predicted, score_range=score_range)
    population = read_population(source, id=id, classifiers=[judged], cluster=cluster)
    wanted = read_goals(goals, level)
    check_goals(population, wanted)
    about = about_of(population, wanted, about)
    named = {"answer": answer, "probability": probability, "stratum": stratum, "size": stratum_size, "cluster": cluster}
    sample, profile = read_sample(open_engine(population), {what: column for what, column in named.items() if column is not None})
    labels = list(_labels(sample))
    profile = about_which(population, profile, about)
    wanted = expand(profile, wanted, slices=(), names=[judged.name])
    refuse_one_sided(profile, wanted)
    study = Study(name, open_ledger(ledger) if isinstance(ledger, str) else ledger, population.table)
    _begin(study, population, profile, wanted, sample, about=about, interval=interval)
    study.followed.act(lambda act, register: record(act, labels, register, correct=False, ignore_undrawn=False))
    return study


def _labels(sample: Sample) -> Sequence[Label]:
    """The answers as labels, those that nobody gave as never answered; raise LabelError for one that is none, and if there is none."""
    found = []
    for unit, text in zip(sample.units.unit, sample.answer, strict=True):
        empty = text is None or not text.strip()
        said = "never_answered" if empty else read_answer(text)
        found.append(Label(unit=unit, answer=said, labeler=CLOSER if said == "never_answered" else LABELER))
    if all(label.answer not in ("yes", "no") for label in found):
        raise LabelError(
            f"a sample needs answers, but none of its {len(found):,} units has one in {sample.columns['answer']!r}: name the column that "
            "holds them"
        )
    return found


def _begin(
    study: Study,
    population: Population,
    profile: Profile,
    goals: tuple[Goal, ...],
    sample: Sample,
    *,
    about: About,
    interval: str | None,
) -> None:
    """Record population, study, plan and draw in one act, unless they are there; raise StudyError if another study has the name."""
    with study.ledger.writing(study.name) as act:
        act.append("population", key="population", body={**population_body(population, profile), "sample": sample.hash})
        kept = next(iter(act.since(0))).body
        if kept.get("sample") != sample.hash or kept["fingerprint"] != profile.fingerprint:
            raise StudyError(
                f"a study named {study.name!r} exists on another table or sample: choose another name, or load it: "
                f"fewlabels status {quote(study.name)}"
            )
        body: dict[str, Json] = {"salt": new_salt(), "goals": [goal.as_json() for goal in goals], "rule": "first"}
        if act.append("study", key="study", body=body | ({} if about == "table" else {"about": about})):
            plan = _plan(profile, goals, sample, salt=str(body["salt"]), about=about, interval=interval)
            act.append("plan", key="plan:1", body={"plan": plan.as_json(), "hash": plan.hash})
            act.append("draw", key="draw:1", body=_draw_body(plan, profile, sample))
    standing = study.standing
    if (standing.goals, standing.about) != (goals, about) or interval not in (None, standing.plan.interval):
        raise StudyError(
            f"a study named {study.name!r} read this sample with the goals {', '.join(map(str, standing.goals))}, about the "
            f"{standing.about}, by {standing.plan.interval}: choose another name, or load it: fewlabels status {quote(study.name)}"
        )


def _plan(profile: Profile, goals: tuple[Goal, ...], sample: Sample, *, salt: str, about: About, interval: str | None) -> Plan:
    """The plan that the sample is: its strata, with as many labels of each as were drawn, and one look at all of them."""
    kind, units = plan_interval(interval or USUAL_INTERVAL), sample.units
    band = np.zeros(profile.count.size, dtype=np.int64)
    band[profile.cells(units.pattern, units.guide_bin, units.slice)] = units.band
    take = np.bincount(units.band)
    N = np.bincount(band, weights=profile.count).astype(np.int64) if sample.size is None else sample.size
    design = DrawDesign(name="elsewhere", band=band, N=N, mass=take.astype(np.float64), smallest=1)
    spend = spending([], budget=len(units), grow_to=None)
    return Plan(
        number=1, goals=goals, design=design, budget=len(units), take=take, salt=salt, grow_to=None, change=spend.change,
        share=spend.share, promise=spend.promise, interval=kind.name, interval_from=kind.package, about=about,
        alarm=None, elsewhere=elsewhere_of(sample),
    )  # fmt: skip


def _draw_body(plan: Plan, profile: Profile, sample: Sample) -> dict[str, Json]:
    """The ledger entry of the draw; a unit's permanent number is its place, since whoever drew it had numbers of their own."""
    units = replace(sample.units, number=np.arange(len(sample.units), dtype=np.int64))
    if sample.cluster is not None:
        units = replace(units, cluster=cluster_numbers(plan.salt, sample.cluster, units.unit))
    return {
        "plan": plan.number, "plan_hash": plan.hash, "units": units.as_json(), "pi": sample.pi.tolist(), "cut": [],
        "fingerprint": profile.fingerprint,
    }  # fmt: skip
