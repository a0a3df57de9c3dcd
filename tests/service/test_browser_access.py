"""Labelers are blind, whatever their browser is sent; and all of it can be done by keyboard."""

import re
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from playwright.sync_api import Browser, Page, Route

from fewlabels.desk.desk import Desk, Said
from tests.service.browsing import STUDY, Server, enter_as, make_study, open_desk, serving, wait_for, wait_saved, write_table

TELLTALE = re.compile(
    r"score|predict|flagged|band|verdict|estimate|interval|precision|recall|double|check_|adjudicat|other-labeler", re.IGNORECASE
)
SAME = re.compile("/static/|/events$")  # files that are the same for everybody, and a stream that does not end


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("access")
    with serving(folder) as running:
        write_table(folder / "scored.parquet")
        study = make_study(running, labels=60, instructions="Say yes to spam.")
        Desk(study).double(0.5)
        desk = Desk(study)
        given = desk.take("other-labeler", 30)
        desk.tell("other-labeler", [Said(one.unit, {"positive": "yes"}) for one in given])
        yield running


def scores(folder: Path) -> dict[str, str]:
    """The first digits of every unit's score."""
    rows = duckdb.connect().execute("SELECT id, score FROM read_parquet(?)", [f"{folder}/scored.parquet"]).fetchall()
    return {unit: f"{score:.5f}"[:6] for unit, score in rows}


class Received:
    """Every answer of the server to a page but the files that are the same for everybody."""

    def __init__(self, page: Page) -> None:
        self.texts: list[str] = []
        page.route(lambda url: not SAME.search(url), self._pass_on)

    def _pass_on(self, route: Route) -> None:
        if route.request.method == "DELETE":  # turns given back while the page goes away
            route.continue_()
            return
        answer = route.fetch()
        # Whether labelers are checked is said to none of them, in the same way whether they are or not.
        self.texts.append(answer.text().replace('"check_every":null', ""))
        route.fulfill(response=answer)


def test_a_labeler_receives_nothing_that_gives_an_answer_away(browser: Browser, server: Server) -> None:
    labeler = enter_as(browser, server, "ann", "labeler")
    received = Received(labeler.page)
    labeler.page.goto(f"{server.url}/")
    page = open_desk(labeler, server)
    for key in "12121":
        page.keyboard.press(key)
    wait_saved(page)
    page.goto(f"{server.url}/tokens")
    said = "\n".join(received.texts)
    assert len(received.texts) >= 6, "pages, the sheet, turns and acknowledgements"
    assert STUDY in said
    assert "made-up message" in said, "units did come"
    assert TELLTALE.findall(said) == []
    shares = set(re.findall(r"(?<!\d)0\.\d{4}", said))  # and not the end of a time such as 1794788180.1234
    hidden = [unit for unit, digits in scores(server.folder).items() if digits in shares]
    assert hidden == [], "no score of any unit, to four places"
    labeler.page.unroute_all(behavior="ignoreErrors")  # what is under way when the page closes is nobody's error
    labeler.context.close()


def test_the_same_search_finds_what_an_owner_receives(browser: Browser, server: Server) -> None:
    owner = enter_as(browser, server, "vic", "viewer")
    received = Received(owner.page)
    owner.page.goto(f"{server.url}/studies/{STUDY}/results")
    owner.page.wait_for_selector("#numbers .verdict")
    found = set(map(str.lower, TELLTALE.findall("\n".join(received.texts))))
    assert {"verdict", "interval", "recall"} <= found
    owner.page.unroute_all(behavior="ignoreErrors")
    owner.context.close()


@pytest.mark.parametrize("path", ["plan", "results", "results/numbers", "results/labelers", "audit", "audit/verified"])
def test_a_labeler_is_refused_every_other_page(browser: Browser, server: Server, path: str) -> None:
    labeler = enter_as(browser, server, "ann", "labeler")
    answer = labeler.page.goto(f"{server.url}/studies/{STUDY}/{path}")
    assert answer is not None
    assert answer.status == 403
    assert TELLTALE.findall(labeler.page.inner_text("main")) == []
    for other in ("people", "studies/new"):
        refused = labeler.page.goto(f"{server.url}/{other}")
        assert refused is not None
        assert refused.status == 403
    labeler.context.close()


def test_all_of_it_by_keyboard(browser: Browser, server: Server) -> None:
    people = server.people
    people.add("kim")
    people.set_role("kim", STUDY, "labeler")
    granted = people.grant("link", "kim", lasts=60)
    assert granted is not None
    page = browser.new_page()
    page.goto(f"{server.url}/enter?key={granted.secret}")
    press(page, "Enter", on="Sign in")
    page.wait_for_url(f"{server.url}/")
    press(page, "Enter", on=f"Label {STUDY}")
    page.wait_for_selector("#work:not([hidden])")
    first = page.inner_text("#unit-name")
    press(page, "Enter", on="Instructions")
    assert not page.is_visible(".instructions")
    press(page, " ", on="No")
    second = page.inner_text("#unit-name")
    assert second != first
    page.keyboard.press("1")
    press(page, "Enter", on="Undo")
    assert page.inner_text("#unit-name") == second
    page.keyboard.press("Enter")  # on the button it stands on: back once more
    assert page.inner_text("#unit-name") == first
    page.keyboard.press("Tab")
    wait_saved(page)
    said = server.study().standing.answers
    assert {label.answer for label in said[first].values() if label.labeler == "kim"} == {"no"}
    wait_for(lambda: "saved" in (page.text_content("#spoken") or ""), "the page to say that all is saved", page=page)
    press(page, "Enter", on="Sign out")
    page.wait_for_url(f"{server.url}/enter")
    page.close()


def press(page: Page, key: str, *, on: str) -> None:
    """Goes to a control with the Tab key alone, and presses a key on it."""
    name = "e => (e.getAttribute('aria-label') ?? e.innerText.replace(/\\s+/g, ' ')).trim()"
    for _ in range(60):
        page.keyboard.press("Tab")
        at = page.evaluate(f"() => ({name})(document.activeElement)")
        if at == on or at.startswith(f"{on} "):
            page.keyboard.press(key)
            return
    raise AssertionError(f"the Tab key does not reach {on!r}")
