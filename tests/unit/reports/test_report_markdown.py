"""The report as Markdown: what GitHub would make of it, and that nobody's words become marks."""

import re
from typing import Any

import pytest

from fewlabels.reports.report_markdown import code, escaped, report_markdown
from tests.unit.reports.made_reports import HOSTILE, KINDS, Reports, poisoned

CELLS = re.compile(r"(?<!\\)\|")


def tables(text: str) -> list[list[list[str]]]:
    """The rows of each table."""
    found: list[list[list[str]]] = []
    for before, line in zip(["", *text.splitlines()], text.splitlines(), strict=False):
        if line.startswith("|"):
            if not before.startswith("|"):
                found.append([])
            found[-1].append([cell.strip() for cell in CELLS.split(line)[1:-1]])
    return found


def shown(found: dict[str, Any]) -> list[str]:
    value, low, high = (f"{found[part]:.3f}" for part in ("value", "low", "high"))
    return [value, f"{low} to {high}", f"{found['n_eff']:,.0f}", f"{found['labels']:,}"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_table_is_whole(kind: str, reports: Reports) -> None:
    report = reports[kind]
    text = report_markdown(report)
    for table in tables(text):
        assert len({len(row) for row in table}) == 1
        assert all(set(cell) <= set(":-") for cell in table[1])
    assert text.count("<details>") == text.count("</details>") == text.count("<summary>")
    assert escaped(report["verdict"]["next"]) in text
    assert report["plan"]["hash"] in text
    assert "\n".join(report["record"]["reproduce"]) in text


@pytest.mark.parametrize("kind", ["ship", "two"])
def test_goals_have_their_numbers(kind: str, reports: Reports) -> None:
    report = reports[kind]
    rows = {row[0]: row for row in tables(report_markdown(report))[0][2:]}
    for goal in report["verdict"]["goals"]:
        row = rows[escaped(goal["goal"])]
        found = goal["estimate"]
        assert [row[2], row[4], row[6], row[7]] == shown(found)
        assert row[1] == goal["status"]


@pytest.mark.parametrize("words", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("kind", ["two", "early"])
def test_hostile_words_stay_words(kind: str, words: str, reports: Reports) -> None:
    text = report_markdown(poisoned(reports[kind], words))
    prose = re.sub(r"(?ms)^(`{3,})bash\n.*?\n\1$|(`+).*?\2", "", text)  # but for code
    assert not re.search(r"<(?!/?details>|/?summary>)", prose)
    assert not re.search(r"@\w|(?<!\\)`|(?<!\\)\]\(|#\d|www\.|https:/|!\[", prose)
    assert not re.search("[\u202a-\u202e\u2066-\u2069\x00-\x08\x0b-\x1f]", text)
    for table in tables(text):
        assert len({len(row) for row in table}) == 1
    assert text.count("<details>") == text.count("</details>")


@pytest.mark.parametrize("text", ["# heading", "- list", "1. list", "> quote", "*x*", "_x_", "a|b", "@you", "[a](b)", "<b>", "$x$", "a\\"])
def test_a_mark_is_not_read_as_one(text: str) -> None:
    assert escaped(text) != text


@pytest.mark.parametrize("text", ["half-width 0.05", "false_positive_rate", "0.908", "1,234 labels", "a (b), c: d", "±0.05"])
def test_plain_words_are_left_alone(text: str) -> None:
    assert escaped(text) == text


def test_code_cannot_be_left() -> None:
    assert code("plain") == "`plain`"
    assert code("a``b") == "``` a``b ```"
