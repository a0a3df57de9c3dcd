"""Labeling in a terminal: one unit after another, one key an answer. Blind: what is shown comes from the sheet and nowhere else.

Unit text is hostile: it can neither move the cursor nor set the title, nor pass for a line of fewlabels' own.
"""

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol

from fewlabels.errors import LabelError

KEYS = "123456789abcdefghijklmnoprtvwxyz"  # without q, s and u
SKIP, UNDO, QUIT = "s", "u", "q"
LONGEST = 20_000  # characters of a column that are shown
UNSEEN = frozenset({"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"})
JOINERS = "\u200c\u200d"  # part of words and of emoji; they move nothing


class Taken(NamedTuple):
    """A unit to be labeled, and what is shown of it."""

    unit: str
    content: Mapping[str, str | None]


class Work(Protocol):
    """Where units come from and answers go."""

    def take(self) -> Taken | None:
        """The next unit; None when there is none."""
        ...

    def tell(self, unit: str, answers: Mapping[str, str], *, seconds: float, again: bool) -> str | None:
        """Records answers, on disk when it returns; why not, if they are refused. again: they replace the labeler's earlier ones."""
        ...

    def progress(self) -> str:
        """How far the work is, in a few words."""
        ...


class Person(NamedTuple):
    """The person at the terminal: the next key ("" when there are no more), a line to read, and a clock in seconds.

    fresh   forgets the keys pressed so far: they were pressed before the unit could be seen
    """

    key: Callable[[], str]
    show: Callable[[str], None]
    clock: Callable[[], float]
    fresh: Callable[[], None]


def harmless(text: str) -> str:
    """Text whose every character is seen: signs that a terminal would obey are written out."""
    return "".join(map(_seen, text))


def _seen(one: str) -> str:
    if one == "\n" or one in JOINERS:
        return one
    if one == "\t":
        return "    "
    if unicodedata.category(one) not in UNSEEN:
        return one
    return f"\\x{ord(one):02x}" if ord(one) < 0x100 else f"\\u{{{ord(one):x}}}"


def shown_lines(taken: Taken) -> list[str]:
    """A unit as the labeler sees it: its id unless a column is the id, then every column by name. Every line is set apart by a bar."""
    is_shown = taken.unit in taken.content.values()
    lines = [] if is_shown else [f"  | unit {harmless(taken.unit[:LONGEST]).replace(chr(10), ' ')}"]
    for column, value in taken.content.items():
        lines.append(f"  {harmless(column).replace(chr(10), ' ')}")
        text = value or ""
        lines += [f"  | {line}" for line in harmless(text[:LONGEST]).split("\n")]
        if len(text) > LONGEST:
            lines.append(f"  ({len(text) - LONGEST:,} more characters)")
    return lines


def keys_of(answers: Sequence[str]) -> dict[str, str]:
    """The answer of each key: in order, cannot_tell after them."""
    every = tuple(dict.fromkeys((*answers, "cannot_tell")))
    if len(every) > len(KEYS):
        raise LabelError(
            f"the terminal has keys for {len(KEYS)} answers, but the study has {len(every)}: label in a file or in the workbench"
        )
    return dict(zip(KEYS, every, strict=False))


class Session:
    """One sitting of one labeler."""

    def __init__(self, work: Work, person: Person, *, questions: Sequence[str], answers: Sequence[str]) -> None:
        """Nothing is shown yet."""
        self._work, self._person = work, person
        self._questions, self._keys = tuple(questions), keys_of(answers)
        self._told: list[Taken] = []
        self._again: Taken | None = None
        self.nothing_left = False  # there was no unit to take when it ended

    def run(self) -> int:
        """Asks until the labeler quits or nothing is left; returns how many units were answered."""
        told = 0
        while (taken := self._again or self._work.take()) is not None:
            began = self._person.clock()
            said = self._asked(taken)
            if said is None:
                return told
            if isinstance(said, str):
                self._go_back()
                continue
            again, self._again = self._again is not None, None
            why = self._work.tell(taken.unit, said, seconds=max(0.0, self._person.clock() - began), again=again)
            if why is None:
                self._told.append(taken)
                told += not again
            else:
                self._person.show(f"  not recorded: {harmless(why)}")
        self.nothing_left = True
        self._person.show("nothing is left to label")
        return told

    def _go_back(self) -> None:
        """Nothing comes back. The last unit that was told is asked again."""
        if self._told:
            self._again = self._told.pop()
            self._person.show("  the unit before, once more:")
        else:
            self._person.show("  nothing to undo in this sitting")

    def _asked(self, taken: Taken) -> dict[str, str] | str | None:
        """An answer to each question; UNDO; or None to quit."""
        progress = self._work.progress()
        self._person.fresh()
        self._person.show("")
        self._person.show(progress)
        for line in shown_lines(taken):
            self._person.show(line)
        said: dict[str, str] = {}
        for question in self._questions:
            answer = self._answer(question)
            if answer in (None, UNDO):
                return answer
            if answer == SKIP:
                return dict.fromkeys(self._questions, "skipped")
            said[question] = self._keys[str(answer)]
        return said

    def _answer(self, question: str) -> str | None:
        """The key that answers one question, s or u; None to quit."""
        asked = f"{harmless(question)}?  " if len(self._questions) > 1 else ""
        self._person.show(f"{asked}{self._choices}".replace("\n", " "))
        hinted = False  # once a question, so that a pasted text does not fill the screen
        while True:
            key = self._person.key()
            if key in ("", QUIT):
                return None
            if key in self._keys or key in (SKIP, UNDO):
                return key
            if not hinted:
                self._person.show(f"  the key {harmless(repr(key))} means nothing here: {self._choices}".replace("\n", " "))
            hinted = True

    @property
    def _choices(self) -> str:
        """What each key means, on one line."""
        return "  ".join(f"{key} {harmless(answer)}" for key, answer in self._keys.items()) + "  s skip  u undo  q quit"
