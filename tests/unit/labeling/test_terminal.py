"""Labeling in a terminal: keys, undo, and text that cannot harm."""

from collections.abc import Mapping

import pytest

from fewlabels.errors import LabelError
from fewlabels.labeling.terminal import LONGEST, AtTerminal, Session, TerminalUnit, harmless, keys_of, shown_lines

HOSTILE = "\x1b]0;title\x07\x1b[2J\x1b[1;1H\r\x08\x00\x7f\x9b31m\u202eevil\u2066\u2028\ud800"


class Desk:
    """Three units in memory."""

    def __init__(self, *units: str, refuse: str | None = None) -> None:
        self.left, self.told, self.refuse = list(units), list[tuple[str, dict[str, str], bool]](), refuse

    def take(self) -> TerminalUnit | None:
        return TerminalUnit(self.left[0], {"text": f"text of {self.left[0]}"}) if self.left else None

    def tell(self, unit: str, answers: Mapping[str, str], *, seconds: float, again: bool) -> str | None:
        assert seconds >= 0
        if self.refuse is not None:
            return self.refuse
        self.told.append((unit, dict(answers), again))
        if not again:
            self.left.remove(unit)
        return None

    def progress(self) -> str:
        return f"{len(self.told)} told"


def sit(
    desk: Desk, keys: str, *, questions: tuple[str, ...] = ("positive",), answers: tuple[str, ...] = ("yes", "no")
) -> tuple[int, list[str]]:
    shown: list[str] = []
    pressed = iter(keys)
    person = AtTerminal(lambda: next(pressed, ""), shown.append, lambda: 1.0, lambda: None)
    return Session(desk, person, questions=questions, answers=answers).run(), shown


def test_keys_answer_in_order() -> None:
    desk = Desk("a", "b", "c", "d")
    assert sit(desk, "123s")[0] == 4
    assert [(unit, said["positive"]) for unit, said, _ in desk.told] == [("a", "yes"), ("b", "no"), ("c", "cannot_tell"), ("d", "skipped")]


def test_the_next_unit_is_shown_after_the_answer_is_told() -> None:
    shown = sit(Desk("a", "b"), "1")[1]
    assert shown.index("1 told") > shown.index("  | text of a")
    assert shown.index("  | text of b") > shown.index("1 told")


def test_undo_asks_the_unit_before_once_more_and_corrects_it() -> None:
    desk = Desk("a", "b", "c")
    assert sit(desk, "12u31")[0] == 3
    assert [(unit, said["positive"], again) for unit, said, again in desk.told] == [
        ("a", "yes", False),
        ("b", "no", False),
        ("b", "cannot_tell", True),
        ("c", "yes", False),
    ]


def test_undo_goes_back_further_and_further() -> None:
    desk = Desk("a", "b", "c")
    assert sit(desk, "12uu21")[0] == 3
    assert [(unit, said["positive"], again) for unit, said, again in desk.told] == [
        ("a", "yes", False),
        ("b", "no", False),
        ("a", "no", True),
        ("c", "yes", False),
    ]


def test_quit_and_the_end_of_keys_lose_nothing() -> None:
    for keys in ("1q2", "1"):
        desk = Desk("a", "b")
        assert sit(desk, keys)[0] == 1
        assert [unit for unit, _, _ in desk.told] == ["a"]


def test_quitting_while_a_unit_is_asked_again_leaves_its_answer() -> None:
    desk = Desk("a", "b")
    sit(desk, "1uq")
    assert desk.told == [("a", {"positive": "yes"}, False)]


def test_other_keys_do_nothing() -> None:
    desk = Desk("a")
    shown = sit(desk, "xX9 \x1b[A\n2")[1]
    assert desk.told == [("a", {"positive": "no"}, False)]
    hints = [line for line in shown if "means nothing" in line]
    assert hints == ["  the key 'x' means nothing here: 1 yes  2 no  3 cannot_tell  s skip  u undo  q quit"]  # once, not for every key
    assert "  the key '\\x1b' means nothing here" in "".join(sit(Desk("a"), "\x1b1")[1])


def test_undo_at_the_start_says_so() -> None:
    desk = Desk("a")
    assert "  nothing to undo in this session" in sit(desk, "u1")[1]
    assert len(desk.told) == 1


def test_every_question_is_asked() -> None:
    desk = Desk("a", "b")
    shown = sit(desk, "12s", questions=("spam", "rude"))[1]
    assert desk.told == [("a", {"spam": "yes", "rude": "no"}, False), ("b", {"spam": "skipped", "rude": "skipped"}, False)]
    assert any(line.startswith("rude?") for line in shown)


def test_a_refusal_is_shown_and_the_unit_does_not_count() -> None:
    told, shown = sit(Desk("a", refuse="not \x1b yours"), "1")
    assert told == 0
    assert "  not recorded: not \\x1b yours" in shown


def test_classes_have_keys_that_are_not_skip_undo_or_quit() -> None:
    keys = keys_of([f"c{i}" for i in range(31)])
    assert len(keys) == 32
    assert not set(keys) & set("squ")
    assert keys["z"] == "cannot_tell"
    with pytest.raises(LabelError, match="32 answers"):
        keys_of([f"c{i}" for i in range(32)])


def test_hostile_text_is_seen_and_not_obeyed() -> None:
    text = harmless(HOSTILE)
    assert text.isprintable()
    assert "\\x1b]0;title\\x07" in text
    assert "\\u{202e}evil" in text
    assert harmless("héllo 日本 👩\u200d👧\nline\tx") == "héllo 日本 👩\u200d👧\nline    x"


def test_hostile_text_cannot_pass_for_a_line_of_fewlabels_own() -> None:
    lines = shown_lines(TerminalUnit("u", {"text": "x\n1 yes  2 no", "a\nb": "y\r\n"}))
    assert [line for line in lines if not line.startswith("  | ")] == ["  text", "  a b"]
    assert lines[0] == "  | unit u"
    assert "\r" not in "".join(lines)


def test_without_columns_the_id_is_shown_and_is_harmless() -> None:
    assert shown_lines(TerminalUnit("u\x1b\n1", {})) == ["  | unit u\\x1b 1"]


def test_the_id_is_shown_once_and_a_single_column_by_name() -> None:
    assert shown_lines(TerminalUnit("u7", {"text": "hello"})) == ["  | unit u7", "  text", "  | hello"]
    assert shown_lines(TerminalUnit("u7", {"message_id": "u7", "text": "hello"})) == ["  message_id", "  | u7", "  text", "  | hello"]


def test_long_text_is_cut_and_says_so() -> None:
    lines = shown_lines(TerminalUnit("u", {"text": "x" * (LONGEST + 5)}))
    assert lines[-1] == "  (5 more characters)"
    assert len(lines[2]) == LONGEST + 4
