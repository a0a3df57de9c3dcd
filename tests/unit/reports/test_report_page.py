"""The report page says what report.json says, in a frame that nobody's words can leave."""

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from fewlabels.errors import FileError
from fewlabels.reports.report_page import report_page
from tests.unit.reports.made_reports import HOSTILE, KINDS, Reports, poisoned
from tests.unit.reports.parsed import Parsed

WORDS = {"ship": "SHIP", "more": "LABEL MORE", "early": "NO VERDICT YET", "fail": "DO NOT SHIP", "online": "LABEL MORE"}
TAGS = {
    *("html", "head", "meta", "title", "style", "script", "body", "header", "main", "section", "nav", "h1", "h2", "p", "strong", "span"),
    *(
        "div",
        "a",
        "ul",
        "li",
        "dl",
        "dt",
        "dd",
        "pre",
        "code",
        "wbr",
        "details",
        "summary",
        "figure",
        "figcaption",
        "input",
        "label",
        "output",
    ),
    *("table", "thead", "tbody", "tr", "th", "td"),
    *("svg", "g", "defs", "use", "line", "rect", "circle", "text", "polyline", "polygon", "path"),
}
NUMBER = re.compile(r"-?\d+(?:,\d{3})*(?:\.\d+)?(?:e-?\d+)?")


def leaves(value: Any) -> Iterator[float]:
    """Every number of a report."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for held in value:
            yield from leaves(held)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield float(value)


def written(value: float) -> set[str]:
    """The ways a number of report.json may be rounded."""
    three = f"{round(value, 3) + 0.0:,.3f}"
    ways = {three, f"{value:,.0f}", f"{value:,.2f}", f"{100 * value:.1f}", f"{value:.2g}", f"{value:.4g}", f"{value:.6g}", f"{value:,.1f}"}
    return ways | ({f"{value:.4f}"} if abs(value) < 0.01 else set())


def share(value: float | None) -> str:
    if value is None:
        return "unknown"
    return f"{value:.4f}" if 5e-5 <= abs(value) < 0.01 else f"{round(value, 3) + 0.0:.3f}"


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_study_has_a_page(kind: str, reports: Reports) -> None:
    report = reports[kind]
    text = report_page(report)
    page = Parsed(text)
    assert len(text.encode()) < 120_000
    assert set(page.tags) <= TAGS
    assert page.texts["h1"] == [report["study"]["name"]]
    assert kind not in WORDS or WORDS[kind] in page.texts["p"]
    assert report["verdict"]["next"] in page.texts["p"]
    for reason in report["verdict"]["reasons"]:
        assert reason in page.texts["li"]
    for fact in (report["plan"]["hash"], report["population"]["fingerprint"], report["record"]["last_hash"], report["record"]["salt"]):
        assert fact in page.texts["code"]
    assert "\n".join(report["record"]["reproduce"]) in page.texts["code"]
    for line in report["coverage"]["statement"]:
        assert line in page.texts["p"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_number_in_a_table_is_one_of_the_report(kind: str, reports: Reports) -> None:
    report = reports[kind]
    allowed = {way for value in leaves(report) for way in written(value)}
    page = Parsed(report_page(report))
    found = {number for cell in page.numbers for number in NUMBER.findall(cell)}
    assert found or kind == "early"
    assert found - allowed == set()


@pytest.mark.parametrize("kind", ["ship", "two", "fail", "gold"])
def test_each_goal_has_what_is_behind_its_number(kind: str, reports: Reports) -> None:
    report = reports[kind]
    rows = Parsed(report_page(report)).rows
    assert report["verdict"]["goals"]
    for goal in report["verdict"]["goals"]:
        found = goal["estimate"]
        uniform = next(
            e["uniform_labels"] for e in report["estimates"] if e["metric"] == found["metric"] and e["classifier"] == found["classifier"]
        )
        _, value, interval, bound, n_eff, labels, effect, even = rows[goal["goal"]]
        assert value == [share(found["value"]), f"±{share(found['half_width'])}"]
        assert interval == [f"{share(found['low'])} to {share(found['high'])}"]
        assert bound == [share(goal["bound"]) if goal["bound"] is not None else "none"]
        assert (n_eff, labels, effect) == ([f"{found['n_eff']:,.0f}"], [f"{found['labels']:,}"], [f"{found['design_effect']:.2f}"])
        assert even == [f"{uniform:,}"]


def test_the_strict_interval_is_shown_where_scores_are_trusted(reports: Reports) -> None:
    report = reports["ship"]
    page = report_page(report)
    assert "trict interval" not in page
    found = report["verdict"]["goals"][0]["estimate"]
    found["strict_low"] = found["low"] - 0.05
    page = report_page(report)
    assert f"{share(found['strict_low'])} to {share(found['strict_high'])}" in page
    assert "Scores are trusted" in page


def test_a_changed_number_changes_the_page(reports: Reports) -> None:
    report = reports["ship"]
    before = report_page(report)
    report["verdict"]["goals"][0]["estimate"]["low"] -= 0.111
    assert report_page(report) != before


def test_unknown_is_a_word_and_never_a_zero(reports: Reports) -> None:
    report = reports["ship"]
    goal, part = report["verdict"]["goals"][0], report["slices"][0]["estimates"][0]
    for found in (goal["estimate"], part):
        found.update(value=None, n_eff=None, design_effect=None, low=0.0, high=1.0)
    rows = Parsed(report_page(report)).rows
    for row, behind in ((goal["goal"], slice(4, 7)), (part["slice"][1], slice(3, 6))):
        assert rows[row][1][0] == "unknown"
        assert rows[row][2][0] == "0.000 to 1.000"
        n_eff, labels, effect = rows[row][behind]
        assert (n_eff, effect) == (["unknown"], ["unknown"])
        assert labels[0].isdigit()


def test_a_report_that_is_not_to_be_trusted_says_so_first(reports: Reports) -> None:
    report = reports["ship"]
    assert 'class="alarm"' not in report_page(report)
    report["verdict"]["certified"] = False
    assert "A peek, not certified" in report_page(report).split('class="verdict')[0]
    report = reports["early"]
    assert 'class="alarm"' not in report_page(report), "without numbers there is nothing to certify"
    report["record"]["verification"] = {"passed": False, "checked": [], "findings": ["entry 3 was changed"]}
    assert "did not pass verification: entry 3 was changed" in report_page(report).split('class="verdict')[0]


def test_another_version_is_refused(reports: Reports) -> None:
    with pytest.raises(FileError, match="version 1, got 'fewlabels report' and 2"):
        report_page(reports["early"] | {"version": 2})


@pytest.mark.parametrize("words", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("kind", ["two", "classes", "early"])
def test_hostile_words_stay_words(kind: str, words: str, reports: Reports) -> None:
    text = report_page(poisoned(reports[kind], words))
    page = Parsed(text)
    assert set(page.tags) <= TAGS
    assert (page.tags.count("script"), page.tags.count("style"), page.tags.count("title")) == (2, 1, 1)
    for tag, name, value in page.attributes:
        assert not name.startswith("on"), (tag, name)
        assert name not in ("style", "src", "srcdoc", "action"), (tag, name)
        assert name != "href" or value.startswith("#"), (tag, value)
    assert not re.search("[\u202a-\u202e\u2066-\u2069\x00-\x08\x1b]", text)
    assert len(text.encode()) < 400_000
    text.encode("utf-8")
    json.loads(next(data for data in page.texts["script"] if data.startswith("{")))


def test_the_same_search_finds_markup_that_was_let_in(reports: Reports) -> None:
    text = report_page(reports["early"]).replace("<main>", "<main><b onclick='x'>")
    with pytest.raises(AssertionError):
        Parsed(text)
    found = Parsed(text.replace("onclick='x'>", "onclick='x'></b>"))
    assert not set(found.tags) <= TAGS
    assert any(name.startswith("on") for _, name, _ in found.attributes)


def test_names_that_a_study_really_may_have_are_shown(reports: Reports) -> None:
    report = reports["two"]
    name = '<b>a|b</b> & "c"'
    page = Parsed(report_page(json.loads(json.dumps(report).replace('"gbm"', json.dumps(name)))))
    assert f"f1 of {name}" in page.rows
    assert f"{name} over bold" in page.rows


@pytest.mark.parametrize("kind", ["ship", "early"])
def test_only_its_own_style_and_script_are_allowed(kind: str, reports: Reports) -> None:
    page = Parsed(report_page(reports[kind]))
    policy = next(value for _, name, value in page.attributes if name == "content" and "default-src" in value)
    script = next(data for data in page.texts["script"] if not data.startswith("{"))
    hashes = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (page.texts["style"][0], script)]
    assert policy == (
        f"default-src 'none'; style-src 'sha256-{hashes[0]}'; script-src 'sha256-{hashes[1]}'; base-uri 'none'; form-action 'none'"
    )
    assert not re.search("https?:|localStorage|sessionStorage|fetch|import ", script)


def test_pictures_have_words_and_no_place_outside(reports: Reports) -> None:
    page = Parsed(report_page(reports["two"]))
    drawn = [value for tag, name, value in page.attributes if (tag, name) == ("div", "aria-label")]
    assert len(drawn) >= 6
    assert all(len(words) > 20 for words in drawn)
    places = [float(value.rstrip("%")) for _, name, value in page.attributes if name in ("cx", "x1", "x2") and value.endswith("%")]
    assert places
    assert all(0 <= place <= 100 for place in places)
    assert "nan" not in " ".join(value for _, _, value in page.attributes).lower().split()
