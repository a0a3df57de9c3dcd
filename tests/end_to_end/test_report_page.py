"""The report page in a real browser: opened from a file it asks nobody, moves when dragged, and everybody can read it."""

import html
import os
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Frame, Page, ViewportSize

from fewlabels.reports.report_page import report_page
from tests.accessibility.axe import axe_source, violations
from tests.service.accessible import faults
from tests.service.browsing import Seen
from tests.unit.reports.made_reports import HOSTILE, Reports, poisoned

READ = ("ship", "more", "early", "two", "alarm")
WIDE, NARROW = ViewportSize(width=1200, height=900), ViewportSize(width=500, height=900)


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Reports:
    return Reports(tmp_path_factory.getbasetemp())


@pytest.fixture(scope="module")
def axe() -> str:
    return axe_source()


def opened(browser: Browser, path: Path, text: str, **how: Any) -> tuple[Page, Seen]:
    """The page of a file, and what it said and asked for; close its context after use."""
    path.write_text(text, encoding="utf-8")
    context = browser.new_context(**{"viewport": WIDE, **how})
    seen = Seen(context, path.as_uri())
    page = context.new_page()
    page.goto(path.as_uri())
    return page, seen


def assert_quiet(seen: Seen) -> None:
    assert (seen.errors, seen.elsewhere, seen.dialogs) == ([], [], [])


def drag(page: Page | Frame, slider: str, value: int) -> str:
    """The sentence after a slider was moved."""
    page.eval_on_selector(f"#{slider}", f"e => {{ e.value = {value}; e.dispatchEvent(new Event('input')); }}")
    return page.inner_text(f"#{slider}-said")


def half_widths(sentence: str) -> list[float]:
    return [float(found) for found in re.findall(r"±([0-9.]+) (?:chosen|uniform)", sentence)]


def screenshot(page: Page, kind: str, what: str) -> None:
    """Keeps what the page looks like, where the tests are asked to."""
    kept = os.environ.get("FEWLABELS_TEST_ARTIFACTS")
    if kept:
        folder = Path(kept) / "report"
        folder.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=str(folder / f"{kind}-{what}.png"), full_page=True)


def test_dragging_the_budget_moves_sentence_and_marks(browser: Browser, reports: Reports, tmp_path: Path) -> None:
    text = report_page(reports["ship"])
    page, seen = opened(browser, tmp_path / "report.html", text)
    now = page.inner_text("#budget-said")
    assert f"{reports['ship']['plan']['budget']} labels" in now
    assert "A forecast, not a promise." in now
    assert page.get_attribute("#budget-said", "aria-live") == "polite"
    places = "all => all.map(e => [e.getAttribute('cx') ?? e.getAttribute('x'), +(e.getAttribute('cy') ?? e.getAttribute('y'))])"
    moved = page.eval_on_selector_all("[data-budget] .chosen-dot, [data-budget] .uniform-at", places)
    drawn = page.evaluate(
        f"text => ({places})([...new DOMParser().parseFromString(text, 'text/html')"
        ".querySelectorAll('[data-budget] .chosen-dot, [data-budget] .uniform-at')])",
        text,
    )
    assert [at for at, _ in moved] == [at for at, _ in drawn]
    assert [y for _, y in moved] == pytest.approx([y for _, y in drawn], abs=1), "the script begins where the picture is"
    few, many = drag(page, "budget", 0), drag(page, "budget", 1000)
    assert all(a > b for a, b in zip(half_widths(few), half_widths(many), strict=True))
    assert len(half_widths(few)) == 2 * len(reports["ship"]["budgets"])
    assert half_widths(now)[0] < half_widths(now)[1], "chosen labels tell more of precision than uniform ones"
    assert page.get_attribute("[data-budget] .chosen-dot", "cx") == "100.00%"
    page.focus("#budget")
    page.keyboard.press("ArrowLeft")
    assert page.inner_text("#budget-said") != many, "the keyboard drags too"
    assert_quiet(seen)
    page.context.close()


def test_the_sentence_of_the_script_rounds_as_the_page_does(browser: Browser, reports: Reports, tmp_path: Path) -> None:
    report = reports["ship"]
    page, seen = opened(browser, tmp_path / "report.html", report_page(report))
    said = page.inner_text("#budget-said")
    for curve in report["budgets"]:
        i = curve["labels"].index(curve["now"])
        assert f"±{curve['chosen'][i]:.3f} chosen" in said
        assert f"±{curve['uniform'][i]:.3f} uniform" in said
    found = report["thresholds"]
    top = len(found["thresholds"]) - 1
    said = drag(page, "threshold", top)
    assert f"{found['units'][top]:,} units flagged" in said
    recall = found["curves"]["recall"]
    assert f"recall {recall['value'][top]:.3f} ({recall['ribbon_low'][top]:.3f} to {recall['ribbon_high'][top]:.3f})" in said
    assert_quiet(seen)
    page.context.close()


def test_without_scripts_the_page_says_all_of_it(browser: Browser, reports: Reports, tmp_path: Path) -> None:
    report = reports["two"]
    page, seen = opened(browser, tmp_path / "report.html", report_page(report), java_script_enabled=False)
    text = page.locator("body").inner_text()
    for said in (
        "Every goal" if report["verdict"]["outcome"] == "ship" else report["verdict"]["next"],
        report["plan"]["hash"],
        "effective n",
    ):
        assert said in text
    assert page.locator("#budget-card").is_hidden(), "a slider that cannot move is not shown"
    assert page.locator("#goals table").is_visible()
    assert page.locator("#convergence .chart").first.is_visible()
    assert_quiet(seen)
    page.context.close()


def test_a_sandboxed_frame_of_500_pixels_is_enough(browser: Browser, reports: Reports, tmp_path: Path) -> None:
    text = report_page(reports["ship"])
    frame = f'<iframe sandbox="allow-scripts" width="500" height="800" srcdoc="{html.escape(text)}"></iframe>'
    page, seen = opened(browser, tmp_path / "viewer.html", f"<!doctype html><title>viewer</title>{frame}")
    inside = page.frames[1]
    inside.wait_for_selector("#budget-card:not([hidden])")
    before = inside.inner_text("#budget-said")
    assert drag(inside, "budget", 900) != before
    assert inside.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert inside.evaluate("(() => { try { return localStorage.length; } catch { return 'refused'; } })()") == "refused"
    assert_quiet(seen)
    screenshot(page, "ship", "in-a-sandboxed-frame")
    page.context.close()


def test_the_policy_stops_what_is_not_of_the_page(browser: Browser, reports: Reports, tmp_path: Path) -> None:
    page, _ = opened(browser, tmp_path / "report.html", report_page(reports["early"]))
    page.evaluate(
        """() => {
        window.stopped = [];
        document.addEventListener("securitypolicyviolation", event => window.stopped.push(event.effectiveDirective));
        const add = (kind, more) => document.body.appendChild(Object.assign(document.createElement(kind), more));
        add("script", { textContent: "window.ran = true" });
        add("style", { textContent: "body { display: none }" });
        add("img", { src: "https://example.org/x.png" });
        add("iframe", { src: "https://example.org/" });
        fetch("https://example.org/").catch(() => null);
        }"""
    )
    page.wait_for_function("window.stopped.length >= 5")
    assert {"script-src-elem", "style-src-elem", "img-src", "connect-src", "frame-src"} <= set(page.evaluate("window.stopped"))
    assert page.evaluate("window.ran") is None
    assert page.is_visible("h1")
    page.context.close()


def test_print_opens_what_is_folded_and_drops_the_controls(browser: Browser, reports: Reports, tmp_path: Path) -> None:
    page, seen = opened(browser, tmp_path / "report.html", report_page(reports["two"]), color_scheme="dark")
    visible = "selector => [...document.querySelectorAll(selector)].every(e => e.checkVisibility({ contentVisibilityAuto: true }))"
    assert not page.evaluate(visible, "#metrics td")
    assert page.is_visible("#budget-card")
    page.emulate_media(media="print", color_scheme="dark")
    page.wait_for_function(visible, arg="#metrics td")  # at the next frame
    assert not page.is_visible("#budget-card")
    assert not page.is_visible("nav")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)", "ink on paper, also in the dark"
    screenshot(page, "two", "print")
    assert_quiet(seen)
    page.context.close()


@pytest.mark.parametrize("words", HOSTILE[:3] + HOSTILE[5:], ids=range(5))
def test_hostile_names_do_nothing_and_break_nothing(browser: Browser, reports: Reports, tmp_path: Path, words: str) -> None:
    page, seen = opened(browser, tmp_path / "report.html", report_page(poisoned(reports["two"], words)), viewport=NARROW)
    assert page.eval_on_selector_all("script", "found => found.length") == 2
    assert page.is_visible("#budget-card")
    assert drag(page, "budget", 800)
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
    assert_quiet(seen)
    page.context.close()


def report_of(reports: Reports, kind: str) -> dict[str, Any]:
    """The report of a kind; of "alarm" one that says all that is bad."""
    if kind != "alarm":
        return reports[kind]
    report = reports["early"]
    report["verdict"] |= {"outcome": "do not ship", "reasons": ["recall >= 0.5: shown to fail"]}
    report["record"]["verification"] = {"passed": False, "checked": [], "findings": ["entry 3 was changed"]}
    return report


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("kind", READ)
def test_everybody_can_read_it(browser: Browser, reports: Reports, tmp_path: Path, axe: str, kind: str, scheme: str) -> None:
    page, seen = opened(browser, tmp_path / "report.html", report_page(report_of(reports, kind)), color_scheme=scheme)
    for width in (WIDE, NARROW):
        page.set_viewport_size(width)
        screenshot(page, kind, f"{width['width']}-{scheme}")
        page.eval_on_selector_all("details", "all => all.forEach(one => { one.open = true; })")
        assert violations(page, axe) == []
        assert width is WIDE or faults(page) == []
        page.eval_on_selector_all("details", "all => all.forEach(one => { one.open = false; })")
    assert_quiet(seen)
    page.context.close()


def test_axe_finds_what_is_wrong(browser: Browser, reports: Reports, tmp_path: Path, axe: str) -> None:
    text = report_page(reports["early"])
    broken = (
        text.replace('<html lang="en">', "<html>")
        .replace("<h1>", '<img src="data:,"><h1>')
        .replace(' id="goals"', ' id="goals" role="buton"')
    )
    page, _ = opened(browser, tmp_path / "report.html", broken)
    found = " ".join(violations(page, axe))
    assert "html-has-lang" in found
    assert "image-alt" in found
    assert "aria-roles" in found
    page.context.close()
