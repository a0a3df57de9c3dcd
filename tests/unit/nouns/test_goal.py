"""Goals as people type them."""

import contextlib
import string
import time
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fewlabels.errors import GoalError
from fewlabels.nouns.goal import LONGEST_TEXT, Goal, Kind, parse_goal
from fewlabels.nouns.metrics import METRICS
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
        ("recall >= 0.8 in country=DE", Goal(metric="recall", kind=">=", value=0.8, slice=("country", "DE"))),
        ("recall +-3% in city=New York", Goal(metric="recall", kind="+-", value=0.03, slice=("city", "New York"))),
        ("f1 +-5% for gbm by country", Goal(metric="f1", kind="+-", value=0.05, classifier="gbm", by="country")),
        ("f1 +-0.05 by country for gbm at 0.9", Goal(metric="f1", kind="+-", value=0.05, classifier="gbm", by="country", level=0.9)),
        ("recall by amount >= 0.8 by country", Goal(metric="recall by amount", kind=">=", value=0.8, by="country")),
        ("precision >= 0.9 with 90 % power", Goal(metric="precision", kind=">=", value=0.9, power=0.9)),
        ("shows precision >= 0.90 with 90% power if it is 0.93", Goal(metric="precision", kind=">=", value=0.9, power=0.9, expected=0.93)),
        ("show prevalence <= 2% if 1.5 %", Goal(metric="prevalence", kind="<=", value=0.02, expected=0.015)),
        (
            "f2 >= .5 for big model in a=b c at .9 if .6 with .95 power",
            Goal(metric="f2", kind=">=", value=0.5, level=0.9, expected=0.6, power=0.95, slice=("a", "b c"), classifier="big model"),
        ),
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
        "recall +-0.03 in country",
        "recall +-0.03 in country=",
        "recall +-0.03 in =DE",
        "recall +-0.03 by",
        "recall +-0.03 by country by city",
        "recall >= 0.8 in a=b by c",
        "recall >= 0.8 with power",
        "recall >= 0.8 with 0 power",
        "recall >= 0.8 with 100 % power",
        "recall >= 0.8 with 1.2 power",
        "recall >= 0.8 if",
    ],
)
def test_a_text_that_is_no_goal_is_refused(text: str) -> None:
    with pytest.raises(GoalError):
        parse_goal(text)


@pytest.mark.parametrize("level", [0.5, 0.0, 1.0, -1.0, float("nan")])
def test_a_level_that_promises_nothing_is_refused(level: float) -> None:
    with pytest.raises(GoalError, match="a level must lie in"):
        Goal(metric="recall", kind=">=", value=0.9, level=level)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -0.1])
@pytest.mark.parametrize("kind", ["+-", ">=", "<="])
def test_a_value_outside_the_range_is_refused(kind: Kind, value: float) -> None:
    with pytest.raises(GoalError):
        Goal(metric="recall", kind=kind, value=value)


@pytest.mark.parametrize(
    ("said", "message"),
    [
        (
            {"kind": "+-", "value": 0.05, "power": 0.9},
            "power and an expected value are only for a target, >= or <=, but recall has a half-width",
        ),
        ({"kind": "+-", "value": 0.05, "expected": 0.9}, "are only for a target, >= or <=, but recall has a half-width: leave them out"),
        ({"power": 0.0}, "the power must lie in"),
        ({"power": 1.0}, "the power must lie in"),
        ({"power": float("nan")}, "the power must lie in"),
        ({"expected": 0.8}, "beyond the target and inside .* got 0.8 for recall >= 0.8: choose a value the labels could confirm"),
        ({"expected": 0.7}, "got 0.7 for recall >= 0.8"),
        ({"expected": 1.0}, "got 1 for recall >= 0.8"),
        ({"expected": float("nan")}, "got nan"),
        ({"kind": "<=", "expected": 0.9}, "got 0.9 for recall <= 0.8"),
        ({"kind": "<=", "expected": 0.0}, "got 0 for recall <= 0.8"),
        ({"slice": ("a", "b"), "by": "c"}, "one slice or about every slice of a column, got in a and by c: leave one out"),
    ],
)
def test_what_no_plan_could_be_sized_for_is_refused(said: dict[str, Any], message: str) -> None:
    with pytest.raises(GoalError, match=message):
        Goal(**{"metric": "recall", "kind": ">=", "value": 0.8, **said})


@pytest.mark.parametrize("word", ["a", " in a=b", " by c", " for gbm", " if 0.9", " with 0.9 power", " at 0.9", "9", "% "])
def test_a_long_text_is_read_or_refused_at_once(word: str) -> None:
    began = time.perf_counter()
    with pytest.raises(GoalError):
        parse_goal("recall >= 0.8" + word * (5_000 // len(word)))
    with contextlib.suppress(GoalError):
        parse_goal(("recall >= 0.8" + word * 500)[:LONGEST_TEXT])
    assert time.perf_counter() - began < 2  # in truth a few milliseconds; a search that backtracks without end would not be done


def test_a_goal_that_says_nothing_new_is_written_as_it_always_was() -> None:
    """Plans of old ledgers keep their hash."""
    goal = Goal(metric="recall", kind=">=", value=0.9, classifier="gbm", level=0.9)
    old = {"metric": "recall", "kind": ">=", "value": 0.9, "classifier": "gbm", "level": 0.9}
    assert goal.as_json() == old
    assert Goal.of_json(old) == goal


words = st.text(string.ascii_letters + string.digits + "._-", min_size=1, max_size=8)
names = st.lists(words, min_size=1, max_size=3).map(" ".join)
inside = st.floats(0, 1, exclude_min=True, exclude_max=True)
metrics = st.one_of(st.sampled_from(sorted(METRICS)), st.floats(1e-3, 1e3).map(lambda b: f"f{b:.17f}".rstrip("0").rstrip(".")))
KINDS: tuple[Kind, ...] = ("+-", ">=", "<=")
KEPT = (" at ", " for ", " in ", " by ", " if ", " with ")  # words that end a name


@st.composite
def goals(draw: st.DrawFn) -> Goal:
    """Any goal that exists, with any of what may follow it."""
    metric, kind = draw(metrics), draw(st.sampled_from(KINDS))
    value = draw(inside)
    free = names.filter(lambda name: not any(word in f" {name} " for word in KEPT))
    where: dict[str, Any] = draw(st.sampled_from([{}, {"slice": (draw(words), draw(free))}, {"by": draw(words)}]))
    if kind != "+-":
        where = where | {"power": draw(st.floats(0.01, 0.99)), "expected": draw(st.none() | st.floats(1e-6, 1 - 1e-6))}
        low, high = METRICS[metric].low if metric in METRICS else 0.0, 1.0
        beyond = where["expected"] is not None and (where["expected"] > value if kind == ">=" else low < where["expected"] < value)
        where["expected"] = where["expected"] if beyond and where["expected"] < high else None
    return Goal(
        metric=metric, kind=kind, value=value, classifier=draw(st.none() | free), level=draw(st.floats(0.51, 0.999999)), **where
    )  # fmt: skip


@checked
@given(goals())
def test_a_goal_reads_back_from_its_text_and_its_json(typed: Goal) -> None:
    goal = parse_goal(str(typed))
    assert parse_goal(str(goal)) == goal == Goal.of_json(through_text(goal.as_json()))
    assert replace(goal, metric=typed.metric) == typed
    assert goal.definition.name == typed.definition.name


def test_common_goals_print_as_people_write_them() -> None:
    for text in (
        "precision +-0.03",
        "recall >= 0.9",
        "prevalence <= 0.002 at 0.99",
        "f2 >= 0.75 for gbm",
        "f1 +-0.05",
        "f1 +-0.05 by country",
        "recall >= 0.8 for gbm in city=New York with 0.9 power if 0.85 at 0.99",
    ):
        assert str(parse_goal(text)) == text
