"""`fewlabels label`: keys from a pipe and from a real terminal, text that cannot harm, and answers that are on disk at once."""

import io
import os
import signal
import sys
from pathlib import Path

import pytest

from fewlabels.study.study import Study
from tests.end_to_end.commands import Prepared, Result, fewlabels, ok
from tests.end_to_end.terminals import Terminal
from tests.unit.study.made import TABLE, TRUTH, write_csv

BUDGET = 20
HOSTILE = "\x1b]0;owned\x07\x1b[2J\x9b31m\rgone\u202e"
SMALL = ("--score", "score", "--threshold", "0.5", "--goal", "precision +-0.1", "--budget", str(BUDGET), "--study", "s")


@pytest.fixture
def folder(prepared: Prepared, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a planned study, to be in. Every text is hostile."""
    found = prepared("planned", plan)
    monkeypatch.chdir(found)
    return found


def plan() -> None:
    write_csv(Path("t.csv"), {**TABLE, "text": [f"{HOSTILE} {unit}" for unit in TABLE["id"]]})
    ok("plan", "t.csv", *SMALL)


def typed(monkeypatch: pytest.MonkeyPatch, keys: str, *args: object) -> Result:
    """The command with keys on standard input, one a line."""
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{key}\n" for key in keys)))
    return fewlabels("label", "s", "--labeler", "ada", *args)


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
    assert typed(monkeypatch, "111q").err.splitlines()[-1] == "next: fewlabels label s"
    found = typed(monkeypatch, "1" * 100)
    assert found.err.splitlines()[-1] == "next: fewlabels decide s"
    assert "17 units answered" in found.out
    assert "nothing is left to label" in found.err
    assert len(told()) == BUDGET
    assert "17 units" not in typed(monkeypatch, "1").out


def test_the_estimate_is_that_of_the_same_answers_in_a_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = Study.load("s")
    batch = study.ask(BUDGET)
    assert batch is not None
    ok("draw", "s", "--units", BUDGET, "--out", "b.csv")
    (folder / "twin.db").write_bytes((folder / "fewlabels.db").read_bytes())
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


LABEL = ("label", "s", "--show", "text", "--labeler", "ada")
PROMPT = "1 yes  2 no  3 cannot_tell"


def test_single_keys_in_a_terminal(folder: Path) -> None:
    terminal = Terminal(folder, *LABEL)
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
    terminal = Terminal(folder, *LABEL)
    terminal.until(PROMPT)
    terminal.press("1")
    terminal.until(PROMPT, 2)
    terminal.press("\x03")
    assert terminal.ended() == 130
    assert "what was recorded is kept" in terminal.seen
    assert list(told().values()) == ["yes"]


def test_a_kill_loses_nothing(folder: Path) -> None:
    terminal = Terminal(folder, *LABEL)
    terminal.until(PROMPT)
    terminal.press("2")
    terminal.until(PROMPT, 2)
    os.kill(terminal.child.pid, signal.SIGKILL)
    assert terminal.ended() == -signal.SIGKILL
    assert list(told().values()) == ["no"]
    assert set(told()) <= set(TRUTH)
