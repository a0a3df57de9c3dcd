"""The whole path in a browser, from a table to a verdict, with a picture of every page: on a desk by day, on a phone by night."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.service.accessible import faults, unfocused
from tests.service.browsing import PHONE, Entered, Server, artifacts, enter, serving, wait_for, wait_saved, write_table

LABELS = 60
NUMBERS = "#numbers .verdict"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with serving(tmp_path) as running:
        yield running


class Album:
    """Pictures of a page as its owner sees it: on a desk in light, on a phone in the dark; checked for access each time."""

    def __init__(self, browser: Browser, owner: Entered, folder: Path) -> None:
        state = owner.context.storage_state()
        self._phone = browser.new_context(viewport=PHONE, color_scheme="dark", storage_state=state, has_touch=True, is_mobile=True)
        self._folder = folder

    def take(self, page: Page, name: str, ready: str = "h1", *, phone: bool = True) -> None:
        """Nothing comes back. Two pictures of the page, and no fault on it."""
        page.wait_for_selector(ready)
        page.screenshot(path=self._folder / f"{name}-desk-light.png", full_page=True)
        assert faults(page) == [], name
        if not phone:
            return
        small = self._phone.new_page()
        small.goto(page.url)
        small.wait_for_selector(ready, timeout=60_000)
        small.wait_for_timeout(300)
        small.screenshot(path=self._folder / f"{name}-phone-dark.png", full_page=True)
        assert faults(small) == [], f"{name} on a phone"
        small.close()

    def close(self) -> None:
        self._phone.close()


def test_from_a_table_to_a_verdict(browser: Browser, server: Server, tmp_path: Path) -> None:
    people = write_table(tmp_path / "scored.parquet")
    folder = artifacts(tmp_path)
    context = browser.new_context(color_scheme="light")
    before = context.new_page()
    before.goto(f"{server.url}/")
    before.screenshot(path=folder / "outside-desk-light.png")
    assert before.inner_text("h1") == "Sign in first"
    before.goto(server.link or "")
    before.screenshot(path=folder / "enter-desk-light.png")
    assert faults(before) == []
    context.close()
    owner = enter(browser, server, server.link or "", color_scheme="light")
    page, album = owner.page, Album(browser, owner, folder)

    make(page, server, album)
    plan(page, album)
    link = take_in(page, server, album)
    label(browser, server, link, people, folder)
    read(page, server, album)
    album.close()
    refused = [said for said in owner.seen.errors if "status of 4" in said]
    assert owner.seen.errors == refused
    assert len(refused) == 2, "a table that is not there, and a sheet with a score"
    assert owner.seen.elsewhere == [], "no page asks another host"
    assert owner.seen.dialogs == []
    assert not list(tmp_path.glob("*.csv"))
    shutil.copy(server.folder / "server.log", folder / "server.log")
    assert "Traceback" not in (folder / "server.log").read_text()


def make(page: Page, server: Server, album: Album) -> None:
    """A study is made by looking; a table that is not there is refused in words."""
    album.take(page, "studies-none")
    page.get_by_role("link", name="New study").click()
    page.get_by_text("Another source").click()
    page.fill("#source", "nowhere.parquet")
    page.get_by_role("button", name="Look at it").click()
    wait_for(lambda: page.inner_text("#table-problem"), "the refusal", page=page)
    assert "nowhere.parquet" in page.inner_text("#table-problem")
    album.take(page, "new")
    page.get_by_role("button", name="scored.parquet").click()
    page.wait_for_selector("#new-study:not([hidden])")
    page.fill("#goals input", "precision +-0.1")
    page.get_by_role("button", name="Type one").click()
    page.fill("#goals .goal:nth-child(2) input", "recall >= 0.3")
    page.locator("#shown").get_by_role("button", name="Remove").click()
    page.fill("#name", "spam 46")
    page.get_by_role("button", name="Create the study").click()
    page.wait_for_url(f"{server.url}/studies/spam%2046/plan")


def plan(page: Page, album: Album) -> None:
    """Dragging labels narrows the interval; then the plan is locked, and the labeling form written."""
    page.wait_for_selector("#picture:not([hidden])", timeout=120_000)
    few = page.inner_text("#sentence")
    page.focus("#labels")
    for _ in range(30):
        page.keyboard.press("ArrowLeft")
    assert page.inner_text("#sentence") != few
    page.fill("#cost", "0.4")
    page.fill("#seconds", "15")
    page.fill("#budget", str(LABELS))
    assert page.inner_text("#sentence").startswith(f"With {LABELS} labels:")
    assert "24" in page.inner_text("#price")
    album.take(page, "plan", "#picture:not([hidden])")
    page.get_by_role("button", name="Lock this plan").click()
    assert f"{LABELS} labels" in page.inner_text("#sure")
    page.get_by_role("button", name="Not yet").click()
    assert page.is_visible("#fix"), "nothing was locked"
    page.get_by_role("button", name="Lock this plan").click()
    page.get_by_role("button", name="Lock it").click()
    page.wait_for_selector("#sheet-form")
    assert len(page.inner_text("dd.code")) == 64
    page.fill("[data-part=column]", "score")
    page.get_by_role("button", name="Save the labeling form").click()
    wait_for(lambda: "labelers see no score" in page.inner_text("#sheet-form [role=alert]"), "the refusal", page=page)
    page.fill("[data-part=column]", "text")
    page.fill("#ask", "Is this message spam?")
    page.fill("#instructions-text", "Spam is what nobody asked for.\nIf you cannot tell, say so.")
    page.get_by_role("button", name="Save the labeling form").click()
    wait_for(lambda: "saved" in page.inner_text("#sheet-told"), "the sheet", page=page)
    album.take(page, "planned", "#sheet-form")
    page.goto(page.url.replace("/plan", "/results"))
    expect(page.locator(NUMBERS)).to_have_text("NOT YET")
    album.take(page, "results-before", NUMBERS)


def take_in(page: Page, server: Server, album: Album) -> str:
    """A labeler is taken in and given the study; the link is shown once."""
    page.goto(f"{server.url}/people")
    page.fill("#invite-text", "Ann, labels, spam 46, german")
    page.get_by_role("button", name="Show what will happen").click()
    wait_for(lambda: "is invited and labels in spam 46 and joins german" in page.inner_text("#preview-lines"), "the preview", page=page)
    assert "Ann" not in page.inner_text("#everyone"), "nothing is done yet"
    page.get_by_role("button", name="Do this for 1 line").click()
    page.wait_for_selector("#fresh:not([hidden])")
    link = page.inner_text("#fresh-links .code")
    wait_for(lambda: "spam 46: labels" in page.inner_text("#everyone"), "the role", page=page)
    assert page.input_value("#fresh-all") == f"Ann\t{link}", "still there to be copied"
    page.fill("#note", "a script")
    page.get_by_role("button", name="Create a token").click()
    wait_for(lambda: page.is_visible("#token-text") and len(page.input_value("#token-text")) > 20, "the token", page=page)
    album.take(page, "people")
    page.reload()
    assert link not in page.content()
    return link


def label(browser: Browser, server: Server, link: str, people: dict[str, str], folder: Path) -> None:
    """The labeler answers on a phone, by touch."""
    labeler = enter(browser, server, link, viewport=PHONE, color_scheme="dark", has_touch=True, is_mobile=True)
    page = labeler.page
    page.screenshot(path=folder / "studies-labeler-phone-dark.png", full_page=True)
    assert faults(page) == []
    page.get_by_role("link", name="Label spam").click()
    page.wait_for_selector("#work:not([hidden])")
    for done in range(LABELS):
        unit = page.inner_text("#unit-name")
        if done == 7:
            page.screenshot(path=folder / "label-phone-dark.png", full_page=True)
            assert faults(page) == []
        page.wait_for_timeout(130)  # quicker taps are taken for the second of a double tap
        page.tap(f"#questions button[data-answer={people[unit]}]")
    wait_for(lambda: page.inner_text("#instead-heading") == "All units are labeled", "the end", page=page)
    wait_saved(page)
    page.screenshot(path=folder / "label-end-phone-dark.png", full_page=True)
    assert faults(page) == []
    assert server.answers("spam 46").items() <= people.items()
    assert len(server.answers("spam 46")) == LABELS
    assert labeler.seen.errors == []
    assert labeler.seen.elsewhere == []
    labeler.context.close()


def read(page: Page, server: Server, album: Album) -> None:
    """The verdict is that of the ledger, with effective n beside every number; the audit finds that everything matches."""
    page.goto(f"{server.url}/studies/spam%2046/results")
    decided = server.study("spam 46").decide()
    assert decided is not None
    expect(page.locator(NUMBERS)).to_contain_text(decided.outcome.upper())
    page.wait_for_selector("#convergence svg", timeout=60_000)
    page.wait_for_selector("#labelers table")
    for estimate in server.study("spam 46").estimate().estimates[:2]:
        row = page.locator("#numbers table").nth(1).locator("tr", has_text=estimate.metric).first.inner_text()
        assert f"{estimate.value:.3f}" in row
        assert f"{estimate.low:.3f} .. {estimate.high:.3f}" in row
        assert f"{estimate.n_eff:,.0f}" in row
    for reason in decided.reasons:
        assert reason in page.inner_text("#numbers")
    page.wait_for_selector("#slices tbody tr:nth-child(2)", timeout=60_000)
    assert "US" in page.inner_text("#slices")
    album.take(page, "results", "#convergence svg")
    page.goto(f"{server.url}/studies/spam%2046/audit")
    page.get_by_role("button", name="Recompute everything").click()
    wait_for(lambda: "Everything matches" in page.inner_text("#verified"), "the check", page=page)
    album.take(page, "audit")
    page.goto(f"{server.url}/")
    album.take(page, "studies")
    for path in ("", "people", "studies/new", "studies/spam%2046/plan", "studies/spam%2046/label", "studies/spam%2046/results"):
        page.goto(f"{server.url}/{path}")
        page.wait_for_timeout(300)
        assert unfocused(page) == [], path
