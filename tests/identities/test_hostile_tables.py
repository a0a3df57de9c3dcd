"""Hostile tables, from the population to the decision: tied, missing and impossible scores, one unit, no unit, one answer, none."""

from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fewlabels.ledgers.sqlite import SqliteLedger
from fewlabels.nouns.classifier import Classifier
from fewlabels.study.population.read import read_population
from fewlabels.study.study import Study
from tests.identities.hostile import all_shown_lawfully, hostile, refused

GOALS = (
    ("precision +-0.1",),
    ("recall >= 0.5",),
    ("f1 +-0.05", "prevalence <= 0.1"),
    ("mcc >= 0.2",),
    ("kappa +-0.3", "cost[0,1,5,0] <= 0.5"),
    ("false_omission_rate <= 0.01",),
    ("recall by amount +-0.2",),
    ("specificity +-0.1", "precision by amount >= 0.4"),
)
JOINT_GOALS = (("macro[f1] +-0.2",), ("micro[recall] >= 0.4", "f1_of_averages +-0.3"), ("weighted[f1] +-0.2", "precision >= 0.3 for b"))
ANSWERS = ("yes", "no", "cannot_tell", "skipped")
usual = st.floats(0, 1)
intervals = st.sampled_from([None, "strict", "placed", "midp"])
bad = st.sampled_from([float("nan"), None, float("inf"), -0.5, 1.5, "high", True])


@st.composite
def score_columns(draw: st.DrawFn, units: int) -> list[Any]:
    """Scores all tied, at the ends, too small to be told from 0, or any; sometimes one that is no score."""
    tied = draw(st.one_of(st.sampled_from([0.0, 1.0, 0.5, 5e-324, 1e-12, 1 - 1e-16]), usual))
    scores: list[Any] = draw(st.one_of(st.just([tied] * units), st.lists(usual, min_size=units, max_size=units)))
    if units and draw(st.integers(0, 9)) == 0:
        scores[draw(st.integers(0, units - 1))] = draw(bad)
    return scores


@st.composite
def id_columns(draw: st.DrawFn, units: int) -> list[Any]:
    """Numbers or texts; sometimes one twice, empty or missing."""
    ids: list[Any] = draw(st.sampled_from([list(range(units)), [f"u{i}" for i in range(units)], [-(10**15) + i for i in range(units)]]))
    if units > 1 and draw(st.integers(0, 9)) == 0:
        ids[0] = draw(st.sampled_from([ids[1], None, "", "u 1"]))
    return ids


@st.composite
def weight_columns(draw: st.DrawFn, units: int) -> list[Any]:
    """Weights of nothing, tiny, huge, one that has all; sometimes one that is none."""
    weight = st.sampled_from([0.0, 1e-9, 1.0, 1.0, 7.5, 2.0**40])
    weights: list[Any] = draw(st.one_of(st.lists(weight, min_size=units, max_size=units), st.just([1.0] * units)))
    if units and draw(st.integers(0, 9)) == 0:
        weights[-1] = draw(st.sampled_from([float("nan"), -1.0, None, 1e300]))
    return weights


numbers = count()
units_of = st.one_of(st.integers(0, 3), st.integers(4, 12), st.integers(4, 40))


def run(study: Study, data: st.DataObject, units: int, answer: Callable[[], object]) -> None:
    """One study to its end: planned, asked, told, closed and decided; perhaps peeked at on the way."""
    how: dict[str, Any] = data.draw(st.fixed_dictionaries({"design": st.sampled_from([None, "simple"]), "interval": intervals}))
    first = data.draw(st.one_of(st.sampled_from([0, 1, 10**9]), st.integers(1, 30)))
    tries = (first, units, units // 2, 5, 2, 1)  # some are refused: beyond the units the goals are about, or too few for the bands
    if all(refused(partial(study.plan, budget, **how)) for budget in tries):
        return
    batch = study.ask(data.draw(st.sampled_from([1, 3, 100])))
    if batch is not None:
        study.tell({unit: answer() for unit in batch.units})
    if data.draw(st.integers(0, 7)) == 0:
        all_shown_lawfully(study.estimate(peek=True).estimates)
    while (batch := study.ask(100)) is not None and data.draw(st.integers(0, 9)):
        study.tell({unit: answer() for unit in batch.units})
    study.close()
    all_shown_lawfully(study.estimate().estimates)
    if data.draw(st.integers(0, 7)) == 0:
        decision = study.decide()
        assert decision is None or decision.reasons
        assert str(study.status())


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> SqliteLedger:
    folder: Path = tmp_path_factory.mktemp("hostile")
    return SqliteLedger(f"sqlite:///{folder}/ledger.db")


@hostile(40, of=800)
@given(data=st.data())
def test_any_table(ledger: SqliteLedger, data: st.DataObject) -> None:
    units = data.draw(units_of)
    table = {"id": data.draw(id_columns(units)), "s": data.draw(score_columns(units)), "amount": data.draw(weight_columns(units))}
    goals = data.draw(st.sampled_from(GOALS))
    weight = "amount" if any(" by " in goal for goal in goals) else None
    threshold = data.draw(st.one_of(st.sampled_from([0.0, 0.5, 1.0, 5e-324]), usual))
    kind = data.draw(st.one_of(st.sampled_from(ANSWERS).map(lambda only: (only,)), st.just(ANSWERS[:2]), st.just(ANSWERS)))

    def show() -> None:
        population = read_population(table, score="s", threshold=threshold, weight=weight)
        study = Study.create(f"t{next(numbers)}", population, goals=goals, ledger=ledger)
        run(study, data, units, lambda: data.draw(st.sampled_from(kind)))

    refused(show)


@hostile(12, of=200)
@given(data=st.data())
def test_any_table_of_several_labels(ledger: SqliteLedger, data: st.DataObject) -> None:
    units = data.draw(units_of)
    table = {"id": data.draw(id_columns(units)), **{name: data.draw(score_columns(units)) for name in "ab"}}
    judged = [Classifier(name, score=name, threshold=data.draw(usual), question=name) for name in "ab"]
    kind = data.draw(st.one_of(st.sampled_from(ANSWERS).map(lambda only: (only,)), st.just(ANSWERS)))

    def show() -> None:
        population = read_population(table, classifiers=judged)
        study = Study.create(f"j{next(numbers)}", population, goals=data.draw(st.sampled_from(JOINT_GOALS)), ledger=ledger)
        run(study, data, units, lambda: {name: data.draw(st.sampled_from(kind)) for name in "ab"})

    refused(show)
