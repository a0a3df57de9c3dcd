"""What goals come to: verdicts to expect, and goals that others imply or contradict."""

import pytest

from fewlabels.nouns.goal import parse_goal
from fewlabels.study.plan.outlook import implied


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        ("recall >= 0.6", "recall >= 0.9", "recall >= 0.6 is implied by recall >= 0.9"),
        ("recall <= 0.6", "recall <= 0.9", "recall <= 0.9 is implied by recall <= 0.6"),
        ("f1 +-0.1", "f1 +-0.05", "f1 +-0.1 is implied by f1 +-0.05"),
        ("recall >= 60%", "recall >= 0.6", "recall >= 0.6 is given twice"),
        ("recall >= 0.9", "recall <= 0.5", "recall >= 0.9 and recall <= 0.5 contradict each other"),
    ],
)
def test_a_goal_that_another_implies_or_contradicts_is_named(one: str, other: str, said: str) -> None:
    for pair in ((one, other), (other, one)):
        lines = implied([parse_goal(text) for text in pair])
        assert len(lines) == 1
        assert lines[0].startswith(said)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("recall >= 0.6", "precision >= 0.9"),
        ("recall >= 0.6", "recall +-0.05"),
        ("recall >= 0.5", "recall <= 0.9"),
        ("recall >= 0.6", "recall >= 0.9 in country=DE"),
        ("recall >= 0.6 for a", "recall >= 0.9 for b"),
    ],
)
def test_goals_that_say_different_things_stand(one: str, other: str) -> None:
    assert implied([parse_goal(one), parse_goal(other)]) == []
