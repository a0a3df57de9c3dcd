"""The report as text: 100 characters wide, in plain characters, with the numbers of report.json."""

import re

import pytest

from fewlabels.reports.formatting import LONGEST, clean, count, interval, level, moment, name, percent, share
from fewlabels.reports.report_text import report_text
from tests.unit.reports.made_reports import HOSTILE, KINDS, Reports, poisoned


@pytest.mark.parametrize("kind", KINDS)
def test_lines_fit_and_say_the_verdict(kind: str, reports: Reports) -> None:
    report = reports[kind]
    text = report_text(report)
    assert max(map(len, text.splitlines())) <= 100
    assert text.isprintable() or set(text) - {"\n"} == {c for c in text if c.isprintable()}
    outcome = report["verdict"]["outcome"]
    assert text.startswith("NO VERDICT YET" if outcome is None else outcome.upper())
    for goal in report["verdict"]["goals"]:
        found = goal["estimate"]
        rows = [line for line in text.splitlines() if share(found["value"]) in line and interval(found["low"], found["high"]) in line]
        assert any(f" {count(found['n_eff'])} " in row and f" {count(found['labels'])} " in row for row in rows)
    assert report["record"]["last_hash"] in text


@pytest.mark.parametrize("words", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_words_do_not_reach_the_terminal(words: str, reports: Reports) -> None:
    text = report_text(poisoned(reports["two"], words))
    assert not re.search("[\u202a-\u202e\u2066-\u2069\x00-\x09\x0b-\x1f\x7f-\x9f]", text)


def test_numbers_are_shown_as_the_command_line_shows_them() -> None:
    assert [share(v) for v in (None, 0.0, 0.12345, 0.00123, 0.000049, -0.0004, 1234.5)] == [
        "unknown", "0.000", "0.123", "0.0012", "0.000", "-0.0004", "1,234.500"
    ]  # fmt: skip
    assert (count(1234.4), count(None), percent(0.0325), level(0.95), level(1 - 0.05 / 3)) == (
        "1,234",
        "unknown",
        "3.2 %",
        "0.95",
        "0.983333",
    )
    assert moment("2026-11-16T01:53:41.592194+00:00") == "2026-11-16 01:53 UTC"
    assert interval(None, 0.5) == "unknown"


def test_long_and_hidden_words_are_cut_and_marked() -> None:
    assert clean("a\nb\tc\u202ed\x1b") == "a b c\ufffdd\ufffd"
    assert clean("x" * 5_000).endswith("… (5,000 characters)")
    assert len(clean("x" * 5_000)) < LONGEST + 30
    assert name("x" * 100) == "x" * 63 + "…"
