"""Labels typed fast all arrive, each on the unit that was on the screen, whatever the server does meanwhile."""

import statistics
import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Route

from tests.service.browsing import Entered, Server, enter_as, make_study, open_desk, wait_for, wait_saved

SPACING = 0.03
ANSWERS = {"1": "yes", "2": "no", "3": "cannot_tell", "y": "yes", "n": "no"}
KEYS = "1212121321yn"


@pytest.fixture
def server(desk_server: Server) -> Server:
    return desk_server


@pytest.fixture
def study(server: Server, request: pytest.FixtureRequest) -> str:
    """A study of the test's own."""
    make_study(server, labels=240, name=request.node.name)
    return str(request.node.name)


@pytest.fixture
def labeler(browser: Browser, server: Server, study: str) -> Iterator[Entered]:
    entered = enter_as(browser, server, "ann", "labeler", study=study)
    yield entered
    entered.context.close()


def keep_pace(page: Page, keys: str) -> float:
    """Types keys, one every 30 ms whatever the page does; returns the seconds it took."""
    begun = time.monotonic()
    for i, key in enumerate(keys):
        time.sleep(max(0.0, begun + i * SPACING - time.monotonic()))
        page.keyboard.press(key)
    return time.monotonic() - begun


def type_when_shown(page: Page, keys: str) -> None:
    """Types keys every 30 ms as long as there is a unit on the screen; waits for one otherwise."""
    for key in keys:
        page.wait_for_selector("#work:not([hidden])", timeout=60_000)
        page.keyboard.press(key)
        time.sleep(SPACING)


def witnessed(page: Page) -> dict[str, str]:
    """What the keys said of the units that were on the screen when they came."""
    seen = page.evaluate("window.witnessed")
    assert all(one["unit"] is not None for one in seen), "a key came while no unit was on the screen"
    found = {one["unit"]: ANSWERS[one["key"]] for one in seen}
    assert len(found) == len(seen), "a unit was shown twice"
    return found


def test_100_labels_typed_at_30_ms_arrive_each_on_the_unit_that_was_shown(labeler: Entered, server: Server, study: str) -> None:
    page = open_desk(labeler, server, study)
    took = keep_pace(page, (KEYS * 9)[:100])
    assert took < 4.5, "typing itself must keep its pace, or this test shows nothing"
    wait_saved(page)
    said = witnessed(page)
    assert len(said) == 100
    assert server.answers(study) == said
    assert page.inner_text("#refused-list") == ""
    assert labeler.seen.errors == []
    assert labeler.seen.elsewhere == []


def test_the_next_unit_is_on_the_screen_within_20_ms_of_the_key(labeler: Entered, server: Server, study: str, record_property) -> None:
    page = open_desk(labeler, server, study)
    type_when_shown(page, "12" * 50)
    wait_saved(page)
    measured = {
        name: sorted(page.evaluate(f"performance.getEntriesByName('{name}').map(one => one.duration)"))
        for name in ("fewlabels:next:made", "fewlabels:next")
    }
    for name, times in measured.items():
        assert len(times) == 100
        record_property(name, f"median {statistics.median(times):.1f} ms, 95th of 100 {times[94]:.1f} ms")
        print(f"{name}: median {statistics.median(times):.1f} ms, 95th of 100 {times[94]:.1f} ms")
    assert statistics.median(measured["fewlabels:next"]) < 20


def test_labels_arrive_though_the_server_answers_503_for_a_while(labeler: Entered, server: Server, study: str) -> None:
    page = open_desk(labeler, server, study)
    refused: list[str] = []

    def busy(route: Route) -> None:
        refused.append(route.request.url)
        route.fulfill(status=503, json={"error": "busy"})

    type_when_shown(page, "12" * 10)
    page.route("**/api/studies/*/answers", busy)
    type_when_shown(page, "21" * 20)
    wait_for(lambda: len(refused) >= 2, "two refused requests", page=page)
    assert "not saved yet" in page.inner_text("#saved")
    assert "kept in this tab" in page.inner_text("#notice")
    page.unroute("**/api/studies/*/answers")
    type_when_shown(page, "12" * 20)
    wait_saved(page)
    assert page.is_hidden("#notice")
    assert server.answers(study) == witnessed(page)
    assert len(server.answers(study)) == 100


def test_labels_arrive_though_the_server_is_killed_and_started_again(labeler: Entered, server: Server, study: str) -> None:
    page = open_desk(labeler, server, study)
    type_when_shown(page, "12" * 20)
    server.kill()
    try:
        page.wait_for_timeout(100)
        while page.is_visible("#work"):
            type_when_shown(page, "2")
        page.wait_for_timeout(1_500)
        kept = page.evaluate("Object.values(sessionStorage).join()")
        assert "score" not in kept
    finally:
        server.start()
    type_when_shown(page, "1" * 20)
    wait_saved(page)
    assert server.answers(study) == witnessed(page)
    assert page.evaluate("sessionStorage.length") == 0, "what is acknowledged is not kept"


def test_what_was_not_sent_is_sent_when_the_tab_is_loaded_again(labeler: Entered, server: Server, study: str) -> None:
    page = open_desk(labeler, server, study)
    page.route("**/api/studies/*/answers", lambda route: route.abort())
    type_when_shown(page, "1212")
    said = witnessed(page)
    page.wait_for_timeout(400)
    page.reload()
    assert labeler.seen.warned == 1, "the page asks before it is left with answers that are not saved"
    page.unroute("**/api/studies/*/answers")
    page.wait_for_selector("#work:not([hidden])")
    wait_for(lambda: len(server.answers(study)) == 4, "the answers of before", page=page)
    assert server.answers(study) == said
    wait_saved(page)
