"""Messages in a browser: no option and no command of the shell, and the rest as it was."""

import re

import pytest

from fewlabels.service.wording import for_browser

SAID = [
    ("name the column (--answer-column), or draw again (fewlabels draw S)", "name the column, or draw again"),
    ("exact for these 12 units; it says nothing about others: --about process",
     "exact for these 12 units; it says nothing about others: choose units like these when the study is created"),
    ("no slice column 'x' and the population has none: name it with --slice",
     "no slice column 'x' and the population has none: choose it as a slice when the study is created"),
    ("put it there, or start the server with --data or --allow-source",
     "put it there, upload it, or ask who runs the server to allow it"),
    ("recorded as an answer (fewlabels tell --gold, or tell_gold): once", "recorded as an answer: once"),
    ("draw 4 more (adjudicate, fewlabels draw --gold), or gold is not", "draw 4 more, or gold is not"),
    ("a classifier of its own (fewlabels plan --study x --add-classifier)", "a classifier of its own"),
    ("was damaged: see fewlabels verify, and restore", "was damaged: see the page Audit, and restore"),
    ("tested on made-up populations only, see docs/maths/shared-draw.md", "tested on made-up populations only"),
    ("recall >= 0.9: shown", "recall >= 0.9: shown"),
    ("precision of m: 0.93 .. 0.96, p = 0.5; 1 - 2", "precision of m: 0.93 .. 0.96, p = 0.5; 1 - 2"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "shown"), SAID)
def test_options_and_commands_are_left_out(text: str, shown: str) -> None:
    assert for_browser(text) == shown
    assert not re.search(r"--[a-z]|fewlabels [a-z]", for_browser(text))


def test_text_without_them_is_the_same_object() -> None:
    text = "the table has 3 of 4 drawn units: it has changed since they were drawn"
    assert for_browser(text) is text
