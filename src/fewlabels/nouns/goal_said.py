"""A goal as a sentence, for people who picked or typed it and want to see how it was understood."""

from fewlabels.nouns.goal import Goal
from fewlabels.nouns.goal_words import in_percent
from fewlabels.nouns.metrics import plain
from fewlabels.nouns.process import About

WORDS = {">=": "at least", "<=": "at most"}


def said(goal: Goal, about: About = "table") -> str:
    """The goal in words.

    Examples:
        >>> from fewlabels.nouns.goal import parse_goal
        >>> said(parse_goal("recall >= 0.9 in every country"))
        'Show at level 0.95 that recall is at least 0.9 in every country, each by itself, among the units of this table.'
        >>> said(parse_goal("precision +-5% for gbm"), "process")
        'Know precision of gbm to within 0.05 either way at level 0.95, for units like these.'
    """
    metric = goal.metric.replace("_", " ")
    sure = f"at level {plain(goal.level)}"
    where = "for units like these" if about == "process" else "among the units of this table"
    if goal.kind == "+-":
        width = f"{in_percent(goal.value)} of its value" if goal.relative else plain(goal.value)
        return f"Know {_whose(goal, metric)}{_where(goal)} to within {width} either way {sure}, {where}."
    return f"Show {sure} that {_whose(goal, metric)} is {WORDS[goal.kind]} {plain(goal.value)}{_where(goal)}, {where}."


def _whose(goal: Goal, metric: str) -> str:
    """The metric, and of which classifiers."""
    if goal.over is not None:
        return f"{metric} of {goal.classifier} minus that of {goal.over}"
    if goal.classifier == "each":
        return f"{metric} of each classifier"
    return metric if goal.classifier is None else f"{metric} of {goal.classifier}"


def _where(goal: Goal) -> str:
    """The slice, or every slice of a column."""
    if goal.slice is not None:
        return f" where {goal.slice[0]} is {goal.slice[1]}"
    return "" if goal.by is None else f" in every {goal.by}, each by itself"
