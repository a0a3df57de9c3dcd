"""Classifiers and populations that nobody could be judged on are refused; the others survive the ledger."""

from typing import Any

import pytest

from fewlabels.errors import PopulationError
from fewlabels.nouns.classifier import Classifier
from fewlabels.nouns.population import Population
from tests.identities.made import through_text

GBM = Classifier("gbm", score="s", threshold=0.3)
OLD = Classifier("old", score="points", threshold=60, score_range=(0, 100))
RULES = Classifier("rules", predicted="flag")


@pytest.mark.parametrize("name", ["", " gbm", "gbm ", "a=b", "a@b", "a,b"])
def test_a_name_the_command_line_could_not_carry_is_refused(name: str) -> None:
    with pytest.raises(PopulationError, match="a classifier's name"):
        Classifier(name, score="s", threshold=0.5)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({}, "needs score and threshold, or predicted"),
        ({"score": "s"}, "needs score and threshold"),
        ({"threshold": 0.5}, "needs score and threshold"),
        ({"predicted": "flag", "threshold": 0.5}, "both a prediction column and a threshold"),
        ({"score": "s", "threshold": float("nan")}, "a threshold must be a finite number"),
        ({"score": "s", "threshold": float("inf")}, "a threshold must be a finite number"),
        ({"score": "s", "threshold": 0.5, "score_range": (1, 0)}, "finite low < high"),
        ({"score": "s", "threshold": 0.5, "score_range": (0, 0)}, "finite low < high"),
        ({"score": "s", "threshold": 0.5, "score_range": (0, float("inf"))}, "finite low < high"),
        ({"score": "s", "threshold": 0.5, "score_range": (float("nan"), 1)}, "finite low < high"),
        ({"score": "s", "threshold": 0.5, "score_range": (-1.7e308, 1.7e308)}, "finite low < high"),
    ],
)
def test_a_classifier_whose_decision_cannot_be_read_is_refused(how: dict[str, Any], message: str) -> None:
    with pytest.raises(PopulationError, match=message):
        Classifier("gbm", **how)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"classifiers": ()}, "at least one classifier"),
        ({"classifiers": (GBM, Classifier("gbm", predicted="flag"))}, "names must differ"),
        ({"classifiers": (GBM,), "slices": ("country", "country")}, "slice columns must differ"),
    ],
)
def test_a_population_nobody_could_be_judged_on_is_refused(how: dict[str, Any], message: str) -> None:
    with pytest.raises(PopulationError, match=message):
        Population(source="t.parquet", id="id", **how)


@pytest.mark.parametrize("classifier", [GBM, OLD, RULES], ids=lambda c: c.name)
def test_a_classifier_survives_the_ledger(classifier: Classifier) -> None:
    assert Classifier.of_json(through_text(classifier.as_json())) == classifier


def test_a_population_survives_the_ledger_without_its_table() -> None:
    population = Population(source="memory", id="id", classifiers=(GBM, OLD, RULES), slices=("country",), guide="g", table={"id": [1]})
    again = Population.of_json(through_text(population.as_json()), table={"id": [1]})
    assert again == population
    assert again.table == {"id": [1]}
    assert "table" not in population.as_json()


def test_labelers_are_blind_to_scores_predictions_and_guide() -> None:
    population = Population(source="t", id="id", classifiers=(GBM, OLD, RULES), guide="g")
    assert population.hidden_columns == {"s", "points", "flag", "g"}


def test_the_guide_is_the_named_one_else_the_first_score_in_its_range() -> None:
    assert Population(source="t", id="id", classifiers=(OLD,), guide="g").guide_range == (0.0, 1.0)
    own = Population(source="t", id="id", classifiers=(OLD, GBM))
    assert (own.guide_column, own.guide_range) == ("points", (0.0, 100.0))
    assert Population(source="t", id="id", classifiers=(RULES, GBM)).guide_column is None


def test_a_classifier_is_found_by_name_and_the_first_without_one() -> None:
    population = Population(source="t", id="id", classifiers=(GBM, OLD))
    assert (population.classifier(None), population.classifier("old")) == (GBM, OLD)
    with pytest.raises(PopulationError, match="no classifier 'new'"):
        population.classifier("new")
