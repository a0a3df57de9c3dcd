"""What goals come to: verdicts to expect, and goals that others imply or contradict."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from fewlabels.nouns.goal import parse_goal
from fewlabels.study.plan import outlook
from fewlabels.study.plan.growth import growth
from fewlabels.study.plan.outlook import Outlook, implied, outlook_of
from tests.unit.study.made import create


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


def labeled(folder: Path, answers: Sequence[str]) -> Outlook:
    """What a plan of 40 units should show once these answers to the first of them are in."""
    folder.mkdir()
    study = create(folder, goals=["accuracy +-0.15"])
    study.plan(40)
    batch = study.ask(len(answers))
    assert batch is not None
    study.tell(dict(zip(batch.units, answers, strict=True)))
    found = outlook_of(study.standing)
    assert found is not None
    return found


def test_answers_that_stay_out_are_foreseen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of ten units four stay out: 24 answers are to be expected of 40 units. With fewer units resolved nothing can be told."""
    monkeypatch.setattr(outlook, "TELLING", 10)
    out, all_in = labeled(tmp_path / "out", ["yes"] * 6 + ["cannot_tell"] * 4), labeled(tmp_path / "in", ["yes"] * 10)
    assert (out.labels, out.usable, all_in.usable) == (40, 24, 40)
    assert out.goals[0][1].half_width > all_in.goals[0][1].half_width
    monkeypatch.setattr(outlook, "TELLING", 11)
    assert labeled(tmp_path / "early", ["yes"] * 6 + ["cannot_tell"] * 4).usable == 40


def test_no_answer_is_read_before_the_look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outlook, "TELLING", 10)
    rest = ["cannot_tell"] * 4
    assert labeled(tmp_path / "yes", ["yes"] * 6 + rest) == labeled(tmp_path / "no", ["no"] * 6 + rest)


def test_what_a_larger_budget_gains_allows_for_them_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What `plan` says of the budget there is, is what `status` says of it; and of a larger one, what its usable answers should show."""
    monkeypatch.setattr(outlook, "TELLING", 10)
    study = create(tmp_path, goals=["accuracy +-0.15"])
    study.plan(40)
    batch = study.ask(10)
    assert batch is not None
    study.tell(dict(zip(batch.units, ["yes"] * 6 + ["cannot_tell"] * 4, strict=True)))
    ((_, before, after),) = growth(study.standing, 100).goals
    ahead = outlook_of(study.standing)
    assert ahead is not None
    assert before == ahead.goals[0][1]
    monkeypatch.setattr(outlook, "TELLING", 11)
    ((_, all_before, all_after),) = growth(study.standing, 100).goals  # the twin: as if all would be answered
    assert before.half_width > all_before.half_width
    assert after.half_width > all_after.half_width
