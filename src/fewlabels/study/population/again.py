"""What a study was made with, to make another like it of another table."""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from fewlabels.nouns.goal import Goal
from fewlabels.nouns.profile import Profile
from fewlabels.planning.goal_scope import expand
from fewlabels.study.state.standing import Standing


def made_with(standing: Standing) -> dict[str, Any]:
    """Return the columns, classifiers, goals and settings of a study as plain data; the table is left out.

    `left` names what it has that a study made in the browser cannot have.
    """
    held, goals = standing.population, folded(standing)
    return {
        "id": held["id"],
        "classifiers": list(held["classifiers"]),
        **{name: held.get(name) for name in ("guide", "weight", "cluster")},
        "slices": list(held["slices"]),
        "goals": [str(replace(goal, level=0.95)) for goal in goals],  # the level is a setting of its own
        "level": goals[0].level,
        "about": standing.about,
        "rule": standing.rule,
        "left": [words for words, has in _left(standing) if has],
    }


def folded(standing: Standing) -> tuple[Goal, ...]:
    """Return the goals of a study, those for every value of a slice column as one, since another table may have other values."""
    names, slices = list(standing.classifiers), list(standing.population["slices"])
    found: list[Goal] = []
    for goal in standing.goals:
        whole = goal if goal.slice is None else replace(goal, slice=None, by=goal.slice[0])
        found.append(whole if _is_all(whole, standing.profile, standing.goals, names=names, slices=slices) else goal)
    return tuple(dict.fromkeys(found))


def _is_all(goal: Goal, profile: Profile, goals: Collection[Goal], *, names: Sequence[str], slices: Sequence[str]) -> bool:
    return goal.by is not None and set(expand(profile, [goal], slices=slices, names=names)) <= set(goals)


def next_name(name: str, taken: Collection[str]) -> str:
    """Return a free name for the study after this one: the number at its end, one higher.

    Examples:
        >>> next_name("spam-46", []), next_name("spam 09", ["spam 10"]), next_name("mail", [])
        ('spam-47', 'spam 11', 'mail-2')
    """
    parts = re.fullmatch(r"(.*?)([0-9]{1,9})", name, re.S)
    stem, number = (parts[1], parts[2]) if parts else (f"{name}-", "1")
    found = (f"{stem}{int(number) + i:0{len(number)}}" for i in range(1, len(taken) + 2))
    return next(one for one in found if one not in taken)


def _left(standing: Standing) -> list[tuple[str, bool]]:
    held = standing.population
    return [
        ("columns that make estimates steadier", bool(held.get("candidates"))),
        ("permission for missing scores", bool(held.get("missing_scores"))),
        ("answers that arrive by themselves", standing.late is not None),
        ("answers that were known before", standing.owned is not None),
    ]
