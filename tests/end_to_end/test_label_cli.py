"""`assay label`: keys from a pipe and from a real terminal, text that cannot harm, and answers that are on disk at once."""

import fcntl
import io
import os
import pty
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from assay.study.study import Study
from tests.end_to_end.commands import PROGRAM, Result, assay, environment, ok
from tests.unit.study.made import TABLE, TRUTH, write_csv

BUDGET = 20
HOSTILE = "\x1b]0;owned\x07\x1b[2J\x9b31m\rgone\u202e"
SMALL = ("--score", "score", "--threshold", "0.5", "--goal", "precision +-0.1", "--budget", str(BUDGET), "--study", "s")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a planned study, to be in. Every text is hostile."""
    monkeypatch.chdir(tmp_path)
    write_csv(tmp_path / "t.csv", {**TABLE, "text": [f"{HOSTILE} {unit}" for unit in TABLE["id"]]})
    ok("plan", "t.csv", *SMALL)
    return tmp_path


def typed(monkeypatch: pytest.MonkeyPatch, keys: str, *args: object) -> Result:
    """The command with keys on standard input, one a line."""
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{key}\n" for key in keys)))
    return assay("label", "s", "--labeler", "ada", *args)


def told() -> dict[str, str]:
    """The answers in the ledger, by unit."""
    return {unit: label.answer for unit, seats in Study.load("s").standing.answers.items() for label in seats.values()}


def test_keys_from_a_pipe_are_recorded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = typed(monkeypatch, "123s\n1", "--show", "text", "--json")
    assert found.code == 0, found
    assert (found.json["told"], found.json["progress"]["resolved"]) == (5, 5)
    assert sorted(told().values()) == ["cannot_tell", "no", "skipped", "yes", "yes"]
    labelers = {who for seats in Study.load("s").standing.answers.values() for _, who in seats}
    assert labelers == {"ada"}


def test_undo_corrects_and_both_answers_stay_in_the_ledger(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert typed(monkeypatch, "1u2q").code == 0
    assert list(told().values()) == ["no"]
    kinds = [entry.kind for entry in Study.load("s").ledger.entries("s")]
    assert (kinds.count("answer"), kinds.count("correction")) == (1, 1)


def test_a_second_sitting_goes_on_where_the_first_ended(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    typed(monkeypatch, "111q")
    found = typed(monkeypatch, "1" * 100)
    assert "17 units answered" in found.out
    assert "nothing is left to label" in found.err
    assert len(told()) == BUDGET
    assert "17 units" not in typed(monkeypatch, "1").out


def test_the_estimate_is_that_of_the_same_answers_in_a_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = Study.load("s")
    batch = study.ask(BUDGET)
    assert batch is not None
    ok("draw", "s", "--units", BUDGET, "--out", "b.csv")
    (folder / "twin.db").write_bytes((folder / "assay.db").read_bytes())
    assert typed(monkeypatch, "".join("12"[i % 2] for i in range(BUDGET))).code == 0
    twin = Study.load("s", ledger="sqlite:///twin.db")
    twin.tell(told())
    assert Study.load("s").estimate().estimates
    assert Study.load("s").estimate().as_json() == twin.estimate().as_json()


def test_a_score_is_not_shown(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = typed(monkeypatch, "1", "--show", "score")
    assert found.code == 5
    assert "labelers see no score" in found.err
    assert told() == {}


def test_nothing_of_the_numbers_is_shown(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = typed(monkeypatch, "1" * BUDGET, "--show", "text").err.partition("nothing is left")[0]
    scores = {f"{score:.3f}" for score in TABLE["score"]}
    assert not any(score in shown for score in scores)
    assert not any(word in shown for word in ("score", "band", "precision", "pi ", "predicted"))


def test_hostile_text_from_a_pipe_is_harmless(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = typed(monkeypatch, "1q", "--show", "text").err
    assert "\\x1b]0;owned\\x07" in shown
    assert not set("\x1b\x07\x9b\r\u202e") & set(shown)


# ---------------------------------------------------------------- a real terminal


class Terminal:
    """The command in a terminal of its own, which shows what it writes and takes keys."""

    def __init__(self, folder: Path, *args: str) -> None:
        self.leader, follower = pty.openpty()
        command = [sys.executable, "-c", PROGRAM, "label", "s", "--show", "text", "--labeler", "ada", *args]
        self.child = subprocess.Popen(
            command,
            cwd=folder,
            env=environment(TERM="xterm"),
            stdin=follower,
            stdout=follower,
            stderr=follower,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # so that Ctrl-C reaches it, as on a desk
        )
        os.close(follower)
        os.set_blocking(self.leader, False)
        self.seen = ""

    def until(self, text: str, times: int = 1) -> None:
        """Returns once a text was shown so many times."""
        deadline = time.monotonic() + 60
        while self.seen.count(text) < times:
            assert time.monotonic() < deadline, self.seen
            self._read()

    def _read(self) -> bool:
        try:
            self.seen += os.read(self.leader, 65_536).decode()
        except BlockingIOError:
            time.sleep(0.01)
        except OSError:  # Linux: the last writer closed it
            return False
        return True

    def press(self, keys: str) -> None:
        os.write(self.leader, keys.encode())

    def ended(self) -> int:
        deadline = time.monotonic() + 30
        while self._read() and self.child.poll() is None and time.monotonic() < deadline:
            pass
        self._read()
        self.child.kill() if time.monotonic() >= deadline else None
        code = self.child.wait(timeout=30)
        os.close(self.leader)
        return code


PROMPT = "1 yes  2 no  3 cannot_tell"


def test_single_keys_in_a_terminal(folder: Path) -> None:
    terminal = Terminal(folder)
    for number, key in enumerate("12u3", start=1):
        terminal.until(PROMPT, number)
        terminal.press(key)
    terminal.until(PROMPT, 5)
    assert sorted(told().values()) == ["cannot_tell", "yes"]  # on disk while the next unit is shown
    terminal.press("q")
    assert terminal.ended() == 0
    assert "2 units answered" in terminal.seen
    assert not set("\x1b\x07\x9b\u202e") & set(terminal.seen)


def test_ctrl_c_loses_nothing(folder: Path) -> None:
    terminal = Terminal(folder)
    terminal.until(PROMPT)
    terminal.press("1")
    terminal.until(PROMPT, 2)
    terminal.press("\x03")
    assert terminal.ended() == 130
    assert "what was recorded is kept" in terminal.seen
    assert list(told().values()) == ["yes"]


def test_a_kill_loses_nothing(folder: Path) -> None:
    terminal = Terminal(folder)
    terminal.until(PROMPT)
    terminal.press("2")
    terminal.until(PROMPT, 2)
    os.kill(terminal.child.pid, signal.SIGKILL)
    assert terminal.ended() == -signal.SIGKILL
    assert list(told().values()) == ["no"]
    assert set(told()) <= set(TRUTH)
