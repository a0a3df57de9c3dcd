"""Goals as they are typed on the command line: a number without a comparison is asked about, and a percentage is read aloud."""

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from fewlabels.cli.output import note
from fewlabels.labeling.terminal import harmless

if TYPE_CHECKING:
    from fewlabels.errors import UnclearGoal


def can_ask() -> bool:
    """Return whether there is a person at a terminal."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def clear_goals(texts: Iterable[str], *, ask: bool) -> tuple[str, ...]:
    """Return the goals, each saying what its number is; say once how a half-width in percent was read. Raise GoalError for no goal."""
    found = tuple(clear_goal(text, ask=ask) for text in texts)
    say_reading(found)
    return found


def clear_goal(text: str, *, ask: bool) -> str:
    """Return a goal that says what its number is: as typed, or as a person answers where it does not. Raise GoalError for no goal."""
    from fewlabels.errors import UnclearGoal
    from fewlabels.nouns.goal import parse_goal

    try:
        parse_goal(text)
    except UnclearGoal as unclear:
        if not ask:
            raise
        return _asked(unclear)
    return text


def say_reading(texts: Iterable[str]) -> None:
    """Say how the first half-width in percent was read, if there is one."""
    from fewlabels.nouns.goal import reading_of

    said = next((reading for text in texts if (reading := reading_of(text))), None)
    if said is not None:
        note(said)


def _asked(unclear: "UnclearGoal") -> str:
    """Return what a person means."""
    from fewlabels.nouns.goal import parse_goal
    from fewlabels.nouns.goal_words import comparison_in, in_percent
    from fewlabels.nouns.metrics import plain

    ways = {parse_goal(way).kind: way for way in unclear.ways}
    words = {">=": "at least ", "<=": "at most ", "+-": "+-"}
    goal = parse_goal(unclear.ways[0])
    value = f"{in_percent(goal.value)} of it" if goal.relative else plain(goal.value)
    said = ", or ".join(f"{words[kind]}{value}" for kind in ways)

    def read(answer: str) -> str:
        kind = comparison_in(answer)
        if kind is None or kind not in ways:
            raise click.UsageError(f"answer {said}")
        return ways[kind]

    found: str = click.prompt(f"{harmless(unclear.text)}: {said}", value_proc=read, prompt_suffix="? ", err=True)
    return found
