"""Labeling in a terminal: one unit after another, one key per answer. Blind: only what the labeling form names is shown.

Unit text is untrusted: it can neither move the cursor nor set the title, nor pass for a line of fewlabels' own.
"""

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol

from fewlabels.errors import LabelError

KEYS = "123456789abcdefghijklmnoprtvwxyz"  # without q, s and u
SKIP, UNDO, QUIT = "s", "u", "q"
LONGEST = 20_000  # characters of a column that are shown
UNSEEN = frozenset({"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"})
JOINERS = "\u200c\u200d"  # part of words and of emoji; they do not move the cursor


class TerminalUnit(NamedTuple):
    """A unit to label, and what is shown of it."""

    unit: str
    content: Mapping[str, str | None]


class Work(Protocol):
    """Where units come from and answers go."""

    def take(self) -> TerminalUnit | None:
        """Return the next unit; None if there is none."""
        ...

    def tell(self, unit: str, answers: Mapping[str, str], *, seconds: float, again: bool) -> str | None:
        """Record answers, on disk when it returns; return the reason if they are refused. again: replace the labeler's earlier ones."""
        ...

    def progress(self) -> str:
        """Return the progress in a few words."""
        ...


class AtTerminal(NamedTuple):
    """The person at the terminal: the next key ("" when there are no more), a line to read, and a clock in seconds.

    fresh   discards the keys pressed so far, before the unit could be seen
    """

    key: Callable[[], str]
    show: Callable[[str], None]
    clock: Callable[[], float]
    fresh: Callable[[], None]


def harmless(text: str) -> str:
    """Return text in which every character is visible: terminal control characters are escaped."""
    return "".join(map(_seen, text))


def _seen(one: str) -> str:
    if one == "\n" or one in JOINERS:
        return one
    if one == "\t":
        return "    "
    if unicodedata.category(one) not in UNSEEN:
        return one
    return f"\\x{ord(one):02x}" if ord(one) < 0x100 else f"\\u{{{ord(one):x}}}"


def shown_lines(taken: TerminalUnit) -> list[str]:
    """Return a unit as the labeler sees it: its id unless a column is the id, then every column by name, each line after a bar."""
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
    """Return the answer of each key: in order, then cannot_tell."""
    every = tuple(dict.fromkeys((*answers, "cannot_tell")))
    if len(every) > len(KEYS):
        raise LabelError(
            f"the terminal has keys for {len(KEYS)} answers, but the study has {len(every)}: label in a file or in the workbench"
        )
    return dict(zip(KEYS, every, strict=False))


class Session:
    """One session of one labeler."""

    def __init__(self, work: Work, person: AtTerminal, *, questions: Sequence[str], answers: Sequence[str]) -> None:
        """Show nothing yet."""
        self._work, self._person = work, person
        self._questions, self._keys = tuple(questions), keys_of(answers)
        self._told: list[TerminalUnit] = []
        self._again: TerminalUnit | None = None
        self.nothing_left = False  # no unit was left when it ended

    def run(self) -> int:
        """Ask until the labeler quits or nothing is left; return how many units were answered."""
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
        """Ask again about the last unit that was answered."""
        if self._told:
            self._again = self._told.pop()
            self._person.show("  the previous unit again:")
        else:
            self._person.show("  nothing to undo in this session")

    def _asked(self, taken: TerminalUnit) -> dict[str, str] | str | None:
        """Return an answer to each question; UNDO; or None to quit."""
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
        """Return the key that answers one question, s or u; None to quit."""
        asked = f"{harmless(question)}?  " if len(self._questions) > 1 else ""
        self._person.show(f"{asked}{self._choices}".replace("\n", " "))
        hinted = False  # once per question, so that pasted text does not fill the screen
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
        """The meaning of each key, on one line."""
        return "  ".join(f"{key} {harmless(answer)}" for key, answer in self._keys.items()) + "  s skip  u undo  q quit"
