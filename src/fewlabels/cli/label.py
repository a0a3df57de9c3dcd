"""`fewlabels label`."""

import getpass
import os
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from fewlabels.cli.configuration import is_given, shown_of_file
from fewlabels.cli.options import json_option, ledger_option, study_argument
from fewlabels.cli.output import next_command, note, print_json

if TYPE_CHECKING:
    from fewlabels.desk.desk import Desk
    from fewlabels.labeling.terminal import TerminalUnit
    from fewlabels.study.study import Study


ESCAPE, END = b"\x1b", b"\x04"


@click.command("label")
@study_argument
@click.option("--labeler", metavar="NAME", help="Who answers. Default: your user name.")
@click.option("--show", multiple=True, metavar="COLUMN", help="A column to see, remembered for the study; never a score. Repeatable.")
@ledger_option
@json_option
def command(*, study: str, labeler: str | None, show: tuple[str, ...], ledger: str, as_json: bool) -> None:
    """Label in the terminal: 1 yes, 2 no, 3 cannot tell (or the classes), s skip, u undo, q quit.

    An answer is on disk before the next unit is shown. Without a terminal, keys are read from standard input, one per line.

    \b
    Example:
      fewlabels label demo --show text --labeler ada
    """  # noqa: D301
    from fewlabels.desk.desk import Desk
    from fewlabels.labeling.terminal import AtTerminal, Session, harmless
    from fewlabels.nouns.sheet import parse_shown
    from fewlabels.study.study import Study

    found = Study.load(study, ledger=ledger)
    desk = Desk(found)
    show = show or (() if desk.sheet.show else shown_of_file(study))
    if show:
        desk.set_sheet(replace(desk.sheet, show=tuple(map(parse_shown, show))))
    who = labeler or _user()
    for text in filter(None, (desk.sheet.instructions, desk.sheet.ask)):
        note(harmless(text))
    if not desk.sheet.show:
        note(f"only the id of a unit is shown: name columns with --show, or with fewlabels sheet {quote(study)}")
    with Keyboard() as keys:
        person = AtTerminal(keys.key, note, time.monotonic, keys.fresh)
        session = Session(AtDesk(desk, who), person, questions=desk.questions, answers=desk.answers)
        told = session.run()
    progress = desk.progress(who)
    if as_json:
        print_json({"study": study, "labeler": who, "told": told, "progress": progress.as_json()})
        return
    click.echo(f"{told:,} units answered")
    note(f"{progress.resolved:,} of {progress.planned:,} planned units are resolved")
    note(f"next: {_next(found, nothing_left=session.nothing_left)}")


def _next(study: "Study", *, nothing_left: bool) -> str:
    """Return what to do next: continue while there are units, wait while others have them, else look."""
    name = f" {quote(study.name)}" if is_given("study") else ""
    if not nothing_left:
        return f"fewlabels label{name}"
    state = study.state
    if state == "waiting for gold":
        return next_command(study)
    if state in ("ready", "decided"):
        return f"fewlabels decide{name}"
    return f"fewlabels status{name}; the units left are with other labelers or not drawn yet"


class AtDesk:
    """A labeler's session at the desk of a study."""

    def __init__(self, desk: "Desk", labeler: str) -> None:
        """Start without a unit."""
        self._desk, self._labeler = desk, labeler

    def take(self) -> "TerminalUnit | None":
        """Return the next unit, reserved for the labeler."""
        from fewlabels.labeling.terminal import TerminalUnit

        return next((TerminalUnit(one.unit, one.content) for one in self._desk.take(self._labeler, 1)), None)

    def tell(self, unit: str, answers: Mapping[str, str], *, seconds: float, again: bool) -> str | None:
        """Record answers; return the reason if they are refused."""
        from fewlabels.desk.desk import Said

        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        done = self._desk.tell(self._labeler, [Said(unit, answers, at=at, seconds=seconds, correct=again)])[0]
        return done.why if done.status == "refused" else None

    def progress(self) -> str:
        """Return the progress in words."""
        done = self._desk.progress(self._labeler)
        return f"{done.resolved:,} of {done.planned:,} resolved, {done.told:,} by you"


def _user() -> str:
    """Return the name of the user."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        raise click.UsageError("The system knows no name for this user: say who answers with --labeler NAME.") from None


class Keyboard:
    """Single keys from a terminal, not echoed; from anything else, the first character of each line.

    The terminal's mode stays the same from the first unit to the last, so that no key pressed after a unit is shown is lost. Ctrl-C works.
    """

    def __init__(self) -> None:
        """Leave the terminal as it is."""
        self._terminal = sys.stdin.fileno() if sys.stdin.isatty() else None
        self._before: list[Any] = []
        self._pressed = ""

    def __enter__(self) -> "Keyboard":
        """Read keys one by one from now on."""
        if self._terminal is not None:
            import termios
            import tty

            self._before = termios.tcgetattr(self._terminal)
            tty.setcbreak(self._terminal)
        return self

    def __exit__(self, *_: object) -> None:
        """Restore the terminal."""
        if self._terminal is not None:
            import termios

            termios.tcsetattr(self._terminal, termios.TCSADRAIN, self._before)

    def fresh(self) -> None:
        """Discard keys pressed earlier; those from a pipe stay."""
        if self._terminal is not None:
            import termios

            termios.tcflush(self._terminal, termios.TCIFLUSH)
            self._pressed = ""

    def key(self) -> str:
        """Return the next key, or "" at the end. Escape sequences, such as arrow keys, are ignored."""
        if self._terminal is None:
            return next((line.strip()[0] for line in sys.stdin if line.strip()), "")
        while not self._pressed:
            typed = os.read(self._terminal, 1_024)
            if typed in (b"", END):
                return ""
            self._pressed = typed.partition(ESCAPE)[0].decode("ascii", "ignore")
        key, self._pressed = self._pressed[0], self._pressed[1:]
        return key
