"""One result of every kind, of small studies whose names are hostile."""

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from typing import Any, TypeVar

import numpy as np

from fewlabels.engines.opening import open_engine
from fewlabels.estimators.counts import from_counts
from fewlabels.nouns.classifier import Classifier
from fewlabels.nouns.goal import parse_goal
from fewlabels.randomness import stream
from fewlabels.study.monitor import Monitor
from fewlabels.study.plan.sizes import size_goals
from fewlabels.study.population.read import read_population
from fewlabels.study.simulate import simulate
from fewlabels.study.study import Study

UNITS = 300
Kind = TypeVar("Kind")
HOSTILE = ('<b>"x"</b>', "a,b;c\td", "'; drop table t--", "=1+1", "ünï\u202ecode")
MEMORY = "sqlite:///:memory:"


@cache
def table() -> dict[str, object]:
    """Units with two scores, the truth, and slices of hostile names."""
    rng = stream(5)
    score = rng.beta(0.6, 1.4, UNITS)
    positive = rng.random(UNITS) < score
    return {
        "id": [f"u{i}" for i in range(UNITS)],
        "score": score,
        "other": np.clip(score + rng.normal(0, 0.2, UNITS), 0, 1),
        "place": [HOSTILE[i % len(HOSTILE)] for i in range(UNITS)],
        "y": positive.astype(np.int64),
    }


def truth(units: Iterable[str]) -> dict[str, bool]:
    """What people say of these units."""
    said = np.asarray(table()["y"]).tolist()
    return {unit: bool(said[int(unit[1:])]) for unit in units}


def begun(
    name: str = "s", *, goals: tuple[str, ...] = ("precision >= 0.3", "recall >= 0.2"), pair: bool = True, budget: int = 120, **how: Any
) -> Study:
    """A planned study without an answer; with `pair` also a goal that compares its two classifiers."""
    more = [replace(parse_goal("f1 >= 0.01"), classifier=HOSTILE[0], over=HOSTILE[2])] if pair else []
    judged = [Classifier(HOSTILE[0], score="score", threshold=0.5), Classifier(HOSTILE[2], score="other", threshold=0.5)]
    population = read_population(table(), classifiers=judged, slices=["place"])
    study = Study.create(name, population, goals=[*goals, *more], ledger=MEMORY)
    study.plan(budget, **how)
    return study


def label(study: Study, *, units: int = 1_000) -> None:
    """Answers of two labelers to one batch; all of it, if not said."""
    batch = study.ask(units)
    if batch is not None:
        for labeler, part in (("ann,\n<i>", batch.units[::2]), ("bob", batch.units[1::2])):
            study.tell([{"unit": unit, "answer": answer, "labeler": labeler} for unit, answer in truth(part).items()])


@cache
def finished() -> Study:
    """The study with all its labels."""
    study = begun()
    label(study)
    return study


def _classes() -> Study:
    rng = stream(6)
    given = rng.choice(["cat", "dog", "e|l"], 90).tolist()
    columns = {"id": [f"u{i}" for i in range(90)], "given": given}
    judged = [Classifier(name, predicted="given", value=name) for name in ("cat", "dog", "e|l")]
    study = Study.create("c", read_population(columns, classifiers=judged), goals=["class_accuracy +-0.2"], ledger=MEMORY)
    study.plan(60)
    batch = study.ask(60)
    study.tell({unit: given[int(unit[1:])] for unit in (batch.units if batch else ())})
    return study


def _online() -> Study:
    study = begun("o", goals=("accuracy >= 0.3",), pair=False, stopping="decision")
    label(study, units=20)
    return study


def _monitor() -> Monitor:
    return Monitor.create("m", floor=0.5, rate=0.2, ledger=MEMORY)


@cache
def everything() -> dict[str, object]:
    """A result of every kind, by the name of its kind."""
    study, first = finished(), HOSTILE[0]
    population = read_population(table(), score="score", threshold=0.5)
    goals = [parse_goal("precision >= 0.3")]
    earlier = begun("e", goals=("accuracy +-0.1",), pair=False)
    label(earlier)
    shown = study.estimate()
    return {
        "Estimates": shown,
        "Estimate": shown["precision"],
        "Decision": study.decide(),
        "InSlices": study.slices("recall", by=["place"]),
        "Curves": study.curves(),
        "Comparison": study.compare(first, HOSTILE[2]),
        "Ranked": study.rank(),
        "FoundThreshold": study.find_threshold("precision", 0.3),
        "Labelers": study.labelers(),
        "Convergence": earlier.convergence(),
        "Missing": shown.missing,
        "Change": study.change(earlier, "accuracy"),
        "Watched": study.alarm([], "precision", floor=0.1),
        "ConfusionCell": _classes().confusion(),
        "SimulatedCell": simulate(population, truth="y", metrics=["precision", "recall"], labels=[50], reps=20),
        "Sizing": size_goals(open_engine(population).profile(), goals, budget=60),
        "Running": _online().running(),
        "Confusion": from_counts(tp=3, fp=1, fn=0, tn=9),
        "Monitored": _monitor().state(),
        "WeighedAnswers": study.answers(),
    }


def result_of(kind: type[Kind]) -> Kind:
    """The result of a kind."""
    found = everything()[kind.__name__]
    assert isinstance(found, kind)
    return found
