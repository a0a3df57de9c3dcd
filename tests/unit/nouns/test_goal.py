"""Goals as people type them."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import GoalError
from assay.nouns.goal import Goal, Kind, parse_goal
from assay.nouns.metrics import METRICS
from tests.identities.made import checked, through_text


@pytest.mark.parametrize(
    ("text", "goal"),
    [
        ("precision +-0.03", Goal(metric="precision", kind="+-", value=0.03)),
        ("precision +/- .03", Goal(metric="precision", kind="+-", value=0.03)),
        ("  f1 ±5%  for gbm ", Goal(metric="f1", kind="+-", value=0.05, classifier="gbm")),
        ("recall >= 0.90", Goal(metric="recall", kind=">=", value=0.9)),
        ("Recall≥90 %", Goal(metric="recall", kind=">=", value=0.9)),
        ("prevalence <= 0.002 at 0.99", Goal(metric="prevalence", kind="<=", value=0.002, level=0.99)),
        ("prevalence ≤ 0.00001", Goal(metric="prevalence", kind="<=", value=0.00001)),
        ("f0.5 >= 0.7 for big model at .9", Goal(metric="f0.5", kind=">=", value=0.7, classifier="big model", level=0.9)),
        ("accuracy >= 0.7 for look at me", Goal(metric="accuracy", kind=">=", value=0.7, classifier="look at me")),
        ("f.5 +-0.11%", Goal(metric="f0.5", kind="+-", value=0.0011)),
    ],
)
def test_a_goal_is_read_as_typed(text: str, goal: Goal) -> None:
    assert parse_goal(text) == goal


def test_a_level_in_the_text_wins_over_the_study_level() -> None:
    assert parse_goal("recall >= 0.9", level=0.8).level == 0.8
    assert parse_goal("recall >= 0.9 at 0.99", level=0.8).level == 0.99


@pytest.mark.parametrize(
    "text",
    [
        "",
        "precision",
        "precision 0.03",
        "precision +-",
        "precision +-0",
        "precision +-1",
        "precision +-100%",
        "precision +--0.03",
        "precision >= 0",
        "precision >= 1",
        "precision >= 1.2",
        "precision > 0.9",
        "precision == 0.9",
        "precision +-nan",
        "precision +-1e-2",
        "precision +-0,03",
        "precision +-0.03 for",
        "precision +-0.03 at 0.5",
        "precision +-0.03 at 1",
        "precision +-0.03 at 95",
        "precision +-0.03; recall +-0.03",
        "precision +-\u0660.\u0660\u0663",
        "auc >= 0.9",
        "f0 >= 0.9",
        "precision\x00 +-0.03",
        "+-0.03",
        "9" * 5000,
    ],
)
def test_a_text_that_is_no_goal_is_refused(text: str) -> None:
    with pytest.raises(GoalError):
        parse_goal(text)


@pytest.mark.parametrize("level", [0.5, 0.0, 1.0, -1.0, float("nan")])
def test_a_level_that_promises_nothing_is_refused(level: float) -> None:
    with pytest.raises(GoalError, match="a level lies in"):
        Goal(metric="recall", kind=">=", value=0.9, level=level)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -0.1])
@pytest.mark.parametrize("kind", ["+-", ">=", "<="])
def test_a_value_outside_the_range_is_refused(kind: Kind, value: float) -> None:
    with pytest.raises(GoalError):
        Goal(metric="recall", kind=kind, value=value)


names = st.text(string.ascii_letters + string.digits + " ._-", min_size=1, max_size=12).map(str.strip)
inside = st.floats(0, 1, exclude_min=True, exclude_max=True)
metrics = st.one_of(st.sampled_from(sorted(METRICS)), st.floats(1e-3, 1e3).map(lambda b: f"f{b:.17f}".rstrip("0").rstrip(".")))


@checked
@given(
    metrics,
    st.sampled_from(["+-", ">=", "<="]),
    inside,
    st.none() | names.filter(lambda n: n and " at " not in n),
    st.floats(0.51, 0.999999),
)
def test_a_goal_reads_back_from_its_text_and_its_json(metric: str, kind: Kind, value: float, classifier: str | None, level: float) -> None:
    typed = Goal(metric=metric, kind=kind, value=value, classifier=classifier, level=level)
    goal = parse_goal(str(typed))
    assert parse_goal(str(goal)) == goal == Goal.of_json(through_text(goal.as_json()))
    assert (goal.kind, goal.value, goal.classifier, goal.level) == (typed.kind, typed.value, typed.classifier, typed.level)
    assert goal.definition.name == typed.definition.name


def test_common_goals_print_as_people_write_them() -> None:
    for text in ("precision +-0.03", "recall >= 0.9", "prevalence <= 0.002 at 0.99", "f2 >= 0.75 for gbm", "f1 +-0.05"):
        assert str(parse_goal(text)) == text
