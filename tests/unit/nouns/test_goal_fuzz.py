"""2,000 goals as people might type them: each is read as it was meant or refused with what to write instead, and none is misread."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from fewlabels.errors import GoalError
from fewlabels.nouns.goal import DEFAULT_LEVEL, DEFAULT_POWER, Goal, parse_goal
from fewlabels.nouns.goal_words import SIGNS, WORDS, Kind
from fewlabels.nouns.metrics import ALIASES, METRICS, OPPOSITES
from fewlabels.randomness import stream

TEXTS = 2_000
FUZZ = 77  # the stream of this test
Reader = Callable[[str], Goal]

OTHERS = ("f2", "f0.5", "macro[f1]", "recall by amount")
OWN = {**{name: name for name in (*METRICS, *OTHERS)}, **ALIASES}
OF_IT = ("of it", "of its value", "of the value", "of itself", "relative")
KEPT = ("no", "not", "amount")  # without a negation the goal is another one, and a column may have any name


@dataclass(frozen=True, slots=True, kw_only=True)
class Meant:
    """A typed text, and the goal that whoever typed it meant; None for one that only refusing does not misread.

    exact   whether it was typed without a mistake, and so has to be read
    """

    text: str
    goal: Goal | None
    exact: bool


def typed(rng: np.random.Generator) -> Meant:
    """A goal in the words of its grammar, half of the time with a mistake in them."""
    name = str(rng.choice([*OWN, *OPPOSITES]))
    symbols = {**SIGNS, **WORDS}
    sign = str(rng.choice([*SIGNS, *WORDS] if rng.random() < 0.5 else [*SIGNS, "within"]))
    kind: Kind | None = symbols[sign] if rng.random() < 0.93 else None
    percent, positive = rng.random() < 0.5, METRICS.get(OWN.get(name, ""), METRICS["f1"]).low == 0
    relative = kind == "+-" and positive and rng.random() < 0.5
    whole = int(rng.integers(1, 100))
    number = f"{whole}{rng.choice(['%', ' %', ' percent', ' points', ' pp'])}" if percent else f"{rng.choice(['0', ''])}.{whole:02d}"
    spoken = _spoken(name, rng).split(" ")
    head = [*spoken, *(sign.split(" ") if kind else []), *number.split(" ")]
    if relative:
        head += str(rng.choice(OF_IT)).split(" ")
    clauses, said = _clauses(rng, kind, whole / 100)
    if kind is None or name in OPPOSITES:
        return Meant(text=" ".join([*head, *clauses]), goal=None, exact=False)
    goal = Goal(metric=OWN[name], kind=kind, value=float(f"{whole}e-2"), relative=relative, **said)
    mistaken = rng.random() < 0.5
    head, clauses = _mistaken(head, clauses, len(spoken), rng) if mistaken else (head, clauses)
    text = str(rng.choice([" ", "  "])).join([*head, *clauses])
    return Meant(text=text, goal=goal, exact=not mistaken)


def _spoken(name: str, rng: np.random.Generator) -> str:
    """A metric's name as it is spoken or written, in any capitals."""
    said = name if "[" in name else name.replace("_", str(rng.choice([" ", "_", "-"])))
    return str(rng.choice([said, said.upper() if " by " not in said else said, said.capitalize()]))


def _clauses(rng: np.random.Generator, kind: Kind | None, value: float) -> tuple[list[str], dict[str, Any]]:
    """Clauses that follow, in any order, and what they say."""
    found: list[tuple[str, dict[str, Any]]] = []
    where = rng.random()
    if where < 0.2:
        found.append(("in country=DE", {"slice": ("country", "DE")}))
    elif where < 0.4:
        found.append((str(rng.choice(["by country", "in every country", "in each country"])), {"by": "country"}))
    if rng.random() < 0.3:
        found.append((str(rng.choice(["for gbm", "for big-model"])), {}))
        found[-1][1]["classifier"] = found[-1][0].removeprefix("for ")
    if rng.random() < 0.2:
        found.append(("at 0.99", {"level": 0.99}))
    if kind in (">=", "<=") and rng.random() < 0.2:
        found.append(("with 90 % power", {"power": 0.9}))
    if kind == ">=" and value < 0.99 and rng.random() < 0.2:
        found.append(("if it is 0.995", {"expected": 0.995}))
    order = rng.permutation(len(found))
    said: dict[str, Any] = {}
    for one in found:
        said |= one[1]
    return [found[i][0] for i in order], said


def _mistaken(head: list[str], clauses: list[str], first: int, rng: np.random.Generator) -> tuple[list[str], list[str]]:
    """The same with a mistake that leaves no second goal it could mean: numbers, names and what is KEPT are left as they are."""
    what = str(rng.choice(["letters", "clause", "missing", "twice", "swapped", "junk", "capitals"]))
    words = [i for i, word in enumerate(head) if word.isalpha() and word not in KEPT and len(word) > 1]
    if what == "letters" and words:
        at = int(rng.choice(words))
        return [*head[:at], _slip(head[at], rng), *head[at + 1 :]], clauses
    if what == "clause" and clauses:
        begin, rest = clauses[0].split(" ", 1)  # after a name, it would be part of the name, which no population has
        return head, [f"{_slip(begin, rng)} {rest}", *clauses[1:]]
    after = [i for i in range(first, len(head)) if head[i] not in KEPT and not re.search(r"\d|%|percent|point|pp|relative", head[i])]
    if what == "missing" and after:
        at = int(rng.choice(after))
        return [*head[:at], *head[at + 1 :]], clauses
    if what == "twice":
        at = int(rng.integers(len(head)))
        return [*head[: at + 1], *head[at:]], clauses
    if what == "swapped":
        at = int(rng.integers(len(head) - 1))
        return [*head[:at], head[at + 1], head[at], *head[at + 2 :]], clauses
    if what == "junk":
        at = int(rng.integers(len(head) + 1))
        return [*head[:at], str(rng.choice(["please", "about", "or so", "never", "of the truth", "roughly"])), *head[at:]], clauses
    return [word.upper() if " by " not in f" {' '.join(head)} " else word for word in head], clauses


def _slip(word: str, rng: np.random.Generator) -> str:
    """A word with a letter missing, doubled, or in the place of its neighbor."""
    at = int(rng.integers(len(word)))
    two = min(at, len(word) - 2)
    slipped = (word[:at] + word[at + 1 :], word[:at] + word[at] + word[at:], word[:two] + word[two + 1] + word[two] + word[two + 2 :])
    return slipped[int(rng.integers(3))]


def misreading(meant: Meant, reader: Reader) -> str | None:
    """How a reader misreads a text: as another goal, in print, or by refusing it without a word of help; None if it does not."""
    try:
        found = reader(meant.text)
    except GoalError as refused:
        if meant.exact:
            return f"{meant.text!r} is refused: {refused}"
        helps = re.search(r": .*\b(?:did you mean|write|use|ask|leave|written|follows|choose|name)\b", str(refused))
        return None if helps else f"{meant.text!r} is refused without help: {refused}"
    if meant.goal is None or replace(found, metric=found.definition.name) != meant.goal:
        return f"{meant.text!r} is read as {found}, meant was {meant.goal}"
    return None if parse_goal(str(found)) == found else f"{found} does not read back from its print"


def misreadings(reader: Reader, *, seed: int, texts: int = TEXTS) -> list[str]:
    """What a reader misreads."""
    rng = stream(seed, FUZZ)
    return [said for _ in range(texts) if (said := misreading(typed(rng), reader)) is not None]


def test_no_goal_is_misread(seed: int) -> None:
    assert misreadings(parse_goal, seed=seed) == []


def test_the_texts_are_of_every_kind(seed: int) -> None:
    rng = stream(seed, FUZZ)
    meant = [typed(rng) for _ in range(TEXTS)]
    goals = [one.goal for one in meant if one.goal is not None]
    read = sum(_is_read(one.text) for one in meant)
    assert 0.4 * TEXTS < read < 0.9 * TEXTS
    assert {goal.metric for goal in goals} >= {*METRICS, *ALIASES.values()}
    assert sum(goal.relative for goal in goals) > 100
    for clause in ("slice", "by", "classifier", "expected"):
        assert sum(getattr(goal, clause) is not None for goal in goals) > 20
    assert sum(goal.power != DEFAULT_POWER for goal in goals) > 20
    assert sum(goal.level != DEFAULT_LEVEL for goal in goals) > 20


def _is_read(text: str) -> bool:
    try:
        parse_goal(text)
    except GoalError:
        return False
    return True


@pytest.mark.parametrize(
    ("careless", "by"),
    [
        (r"\s+(?:of\s+(?:it|itself|its\s+value|the\s+value)|relative)\b", ""),  # a share of the value becomes points
        (r"\b(?:no|not)\s+(?=less|more|above|below)", ""),  # a target turns around
        (r"\s*(?:%|percent)(?!\s+power)", ""),  # 5 percent becomes 5
        (r"\s+in\s+country=DE", ""),  # a slice becomes the whole table
        (r"(?<=[ _-])positive(?=[ _-])|^positive", "negative"),  # the wrong metric
        (r"<=|≤", ">="),
    ],
)
def test_a_reader_that_drops_a_word_is_caught(careless: str, by: str, seed: int) -> None:
    wrong = misreadings(lambda text: parse_goal(re.sub(careless, by, text, flags=re.IGNORECASE)), seed=seed, texts=TEXTS // 4)
    assert len(wrong) > 2
