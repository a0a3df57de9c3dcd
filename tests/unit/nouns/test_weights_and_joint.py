"""Metrics by a column and of several labels or classes as people type them, and populations that cannot have them."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fewlabels.errors import GoalError, PlanError, PopulationError
from fewlabels.nouns.classifier import Classifier
from fewlabels.nouns.goal import Goal, parse_goal
from fewlabels.nouns.metrics import METRICS, metric_named
from fewlabels.nouns.population import Population
from fewlabels.nouns.weights import LAYERS, NO_LAYER, layer_of
from fewlabels.study.population.profile import check_goals
from tests.identities.made import checked, through_text

GBM = Classifier("gbm", score="s", threshold=0.3)
LABELS = tuple(Classifier(name, score=f"s_{name}", threshold=0.4, question=name) for name in ("joy", "fear"))
CLASSES = tuple(Classifier(name, predicted="label", value=name) for name in ("cat", "dog"))


def population(*classifiers: Classifier, **how: Any) -> Population:
    return Population(source="t.parquet", id="id", classifiers=classifiers, **how)


@pytest.mark.parametrize(
    ("text", "goal"),
    [
        ("recall by amount >= 0.9", Goal(metric="recall by amount", kind=">=", value=0.9)),
        ("  Recall  by  Amount>=90% ", Goal(metric="recall by Amount", kind=">=", value=0.9)),
        ("f2 by views +-0.05 for gbm at 0.9", Goal(metric="f2 by views", kind="+-", value=0.05, classifier="gbm", level=0.9)),
        ("cost[0,1,5,0] by amount <= 0.2", Goal(metric="cost[0,1,5,0] by amount", kind="<=", value=0.2)),
        ("macro[f1] +-0.05", Goal(metric="macro[f1]", kind="+-", value=0.05)),
        ("Micro[F2] >= 0.5", Goal(metric="micro[f2]", kind=">=", value=0.5)),
        ("weighted[recall]±3%", Goal(metric="weighted[recall]", kind="+-", value=0.03)),
        ("class_accuracy >= 0.9 at 0.99", Goal(metric="class_accuracy", kind=">=", value=0.9, level=0.99)),
    ],
)
def test_a_goal_is_read_as_typed(text: str, goal: Goal) -> None:
    found = parse_goal(text)
    assert found == goal
    assert parse_goal(str(found)) == found == Goal.of_json(through_text(found.as_json()))


def test_what_the_parts_say_of_the_whole() -> None:
    by = metric_named("precision by amount")
    assert (by.weight, by.joint, by.needs_unflagged) == ("amount", False, False)
    macro, weighted = metric_named("macro[precision]"), metric_named("weighted[precision]")
    assert (macro.weight, macro.joint, macro.needs_unflagged) == (None, True, False)
    assert weighted.needs_unflagged  # how many units are of a class is not known from the flagged ones
    assert metric_named("macro[mcc]").low == -1
    assert metric_named("macro_f1") is METRICS["macro_f1"]  # both classes of one classifier: another metric


@pytest.mark.parametrize(
    "text",
    [
        "f1 by a by b >= 0.5",
        "f1 by >= 0.5",
        "by amount >= 0.5",
        "macro[macro[f1]] +-0.05",
        "macro[f1 by amount] +-0.05",
        "macro[f1] by amount +-0.05",
        "class_accuracy by amount >= 0.5",
        "macro[class_accuracy] +-0.05",
        "macro[] +-0.05",
        "macro[nothing] +-0.05",
        "median[f1] +-0.05",
        "recall by amount >= 1",
        "macro[f1] +-1",
    ],
)
def test_a_text_that_is_no_goal_is_refused(text: str) -> None:
    with pytest.raises(GoalError):
        parse_goal(text)


@pytest.mark.parametrize("name", ["macro[f1] by amount", "class_accuracy by amount"])
def test_several_labels_are_counted_in_units(name: str) -> None:
    with pytest.raises(GoalError, match="only a metric of one classifier can be weighted, and by only one column"):
        metric_named(name)


@pytest.mark.parametrize(
    ("who", "goal", "message"),
    [
        ((GBM,), "macro[f1] +-0.05", "needs several labels or classes"),
        ((GBM,), "class_accuracy >= 0.5", "needs several labels or classes"),
        (LABELS, "class_accuracy >= 0.5", "of which a unit has one"),
        (LABELS, "recall by amount >= 0.5", "judged in units"),
    ],
)
def test_a_goal_the_population_cannot_answer_is_refused(who: tuple[Classifier, ...], goal: str, message: str) -> None:
    with pytest.raises(PlanError, match=message):
        check_goals(population(*who, weight="amount"), [parse_goal(goal)])


@pytest.mark.parametrize(
    ("who", "goal"),
    [
        (LABELS, "macro[f1] +-0.05"),
        (LABELS, "recall >= 0.5 for fear"),
        (CLASSES, "class_accuracy >= 0.5"),
        (CLASSES, "precision >= 0.5 for dog"),
        ((GBM,), "recall by amount >= 0.5"),
    ],
)
def test_a_goal_the_population_can_answer_is_taken(who: tuple[Classifier, ...], goal: str) -> None:
    check_goals(population(*who, weight="amount"), [parse_goal(goal)])


def test_two_models_of_one_question_are_not_judged_together() -> None:
    one, two = population(GBM), population(GBM, Classifier("old", score="t", threshold=0.5))
    assert not one.is_joint
    assert not two.is_joint
    assert population(*LABELS).is_joint
    assert population(*CLASSES).is_joint
    assert population(*LABELS).questions == ("joy", "fear")
    assert population(*CLASSES).questions == ("positive",)


@pytest.mark.parametrize(
    "classifiers",
    [
        (*CLASSES, GBM),
        (CLASSES[0], Classifier("dog", predicted="other", value="dog")),
        (CLASSES[0], Classifier("dog", predicted="label", value="dog", question="kind")),
        (CLASSES[0], Classifier("pet", predicted="label", value="cat")),
    ],
    ids=["beside yes or no", "two columns", "two questions", "one class twice"],
)
def test_classes_that_do_not_exclude_each_other_are_refused(classifiers: tuple[Classifier, ...]) -> None:
    with pytest.raises(PopulationError, match="different values of one column"):
        population(*classifiers)


@pytest.mark.parametrize("how", [{"value": "cat"}, {"score": "s", "threshold": 0.5, "value": "cat"}, {"predicted": "l", "value": " cat"}])
def test_a_class_without_a_column_is_refused(how: dict[str, Any]) -> None:
    with pytest.raises(PopulationError):
        Classifier("cat", **how)


def test_a_weight_that_is_also_a_slice_is_refused() -> None:
    with pytest.raises(PopulationError, match="a weight or a slice"):
        population(GBM, weight="amount", slices=("amount",))


def test_they_survive_the_ledger() -> None:
    for made in (population(*LABELS, risk=((0.5, 1.0), (0.25, 0.0))), population(*CLASSES), population(GBM, weight="amount")):
        assert Population.of_json(through_text(made.as_json())) == made


@checked
@given(st.lists(st.integers(0, 2**56 - 1), min_size=1, max_size=20))
def test_a_layer_is_the_power_of_two_a_weight_reaches(quanta: list[int]) -> None:
    layers = layer_of(np.array(quanta))
    for value, layer in zip(quanta, layers.tolist(), strict=True):
        if value == 0:
            assert layer == NO_LAYER
        elif value < 2**53:  # beyond, a number of quanta may round up to the next power of two
            assert 2**layer <= value < 2 ** (layer + 1)
        assert layer < LAYERS
