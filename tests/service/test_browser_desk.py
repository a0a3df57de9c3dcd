"""The labeling page as people use it: undo, a key held down, no network, two tabs, a session that ends, several questions."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Route

from fewlabels.desk.desk import Desk
from fewlabels.nouns.classifier import Classifier
from fewlabels.nouns.sheet import FormColumn, Sheet
from fewlabels.study.population.read import read_population
from fewlabels.study.study import Study
from tests.service.browsing import (
    Entered,
    Server,
    enter_as,
    make_study,
    open_desk,
    wait_for,
    wait_saved,
)


@pytest.fixture
def server(desk_server: Server) -> Server:
    return desk_server


@pytest.fixture
def study(server: Server, request: pytest.FixtureRequest) -> str:
    """A study of the test's own."""
    name = request.node.name.replace("[", "-").replace("]", "")[:60]
    make_study(server, labels=60, name=name)
    return name


@pytest.fixture
def labeler(browser: Browser, server: Server, study: str) -> Iterator[Entered]:
    entered = enter_as(browser, server, "ann", "labeler", study=study)
    yield entered
    entered.context.close()


AT_ONCE = "keys => keys.forEach(key => document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true })))"


def on_screen(page: Page) -> str:
    return page.inner_text("#unit-name")


def test_undo_before_it_was_sent_edits_the_answer(labeler: Entered, server: Server, study: str) -> None:
    page = open_desk(labeler, server, study)
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.post_data or "") if request.url.endswith("/answers") else None)
    first = on_screen(page)
    page.evaluate(AT_ONCE, ["1", "u"])  # an answer waits a second before it is sent, and a busy machine is slower than that
    assert on_screen(page) == first
    assert page.get_attribute("#questions button[data-answer=yes]", "aria-pressed") == "true"
    page.keyboard.press("2")
    assert on_screen(page) != first
    wait_saved(page)
    assert server.answers(study) == {first: "no"}
    assert len(sent) == 1, "one request"
    assert '"correct":false' in sent[0]


def test_undo_after_it_was_sent_is_a_correction(labeler: Entered, server: Server, study: str) -> None:
    page = open_desk(labeler, server, study)
    first = on_screen(page)
    page.keyboard.press("1")
    wait_saved(page)
    second = on_screen(page)
    page.keyboard.press("2")
    page.keyboard.press("u")
    page.keyboard.press("u")
    assert on_screen(page) == first
    page.keyboard.press("3")
    assert on_screen(page) == second
    page.keyboard.press("Enter")  # keeps what was said of it
    wait_saved(page)
    assert server.answers(study) == {first: "cannot_tell", second: "no"}
    kinds = [entry.kind for entry in server.study(study).ledger.entries(study)]
    assert kinds.count("correction") == 1
    assert page.inner_text("#refused-list") == ""


def test_undo_while_it_is_being_sent_is_a_correction(labeler: Entered, server: Server, study: str) -> None:
    page = open_desk(labeler, server, study)
    held: list[Route] = []
    page.route("**/answers", lambda route: route.continue_() if held else held.append(route))
    first = on_screen(page)
    page.keyboard.press("1")
    wait_for(lambda: held, "the request", page=page)
    page.keyboard.press("u")
    page.keyboard.press("2")
    held[0].continue_()
    wait_for(lambda: server.answers(study) == {first: "no"}, "the newer answer", page=page)
    wait_saved(page)
    assert page.inner_text("#refused-list") == ""


def test_a_key_held_down_is_one_answer(labeler: Entered, server: Server, study: str) -> None:
    page = open_desk(labeler, server, study)
    first = on_screen(page)
    for _ in range(8):
        page.keyboard.down("1")  # without an up between: the browser marks all but the first as repeated
    page.keyboard.up("1")
    wait_saved(page)
    assert page.evaluate("window.witnessed.filter(one => one.repeat).length") == 7, "the keys did repeat"
    assert server.answers(study) == {first: "yes"}
    page.focus("#questions button[data-answer=no]")
    second = on_screen(page)
    for _ in range(8):
        page.keyboard.down("Enter")
    page.keyboard.up("Enter")
    wait_saved(page)
    assert server.answers(study) == {first: "yes", second: "no"}


def test_the_second_tap_of_a_double_tap_is_no_answer(labeler: Entered, server: Server, study: str) -> None:
    page = open_desk(labeler, server, study)
    page.wait_for_timeout(200)
    first = on_screen(page)
    page.dblclick("#questions button[data-answer=yes]")
    wait_saved(page)
    assert server.answers(study) == {first: "yes"}


def test_offline_answers_are_kept_and_sent_when_the_network_is_back(labeler: Entered, server: Server, study: str) -> None:
    page = open_desk(labeler, server, study)
    labeler.context.set_offline(True)
    page.keyboard.type("1212")
    wait_for(lambda: "You are offline" in page.inner_text("#notice"), "the notice", page=page)
    assert page.inner_text("#saved") == "4 answers not saved yet"
    assert server.answers(study) == {}
    labeler.context.set_offline(False)
    wait_saved(page)
    assert page.is_hidden("#notice")
    assert list(server.answers(study).values()).count("yes") == 2
    assert len(server.answers(study)) == 4


def test_of_two_tabs_one_labels(labeler: Entered, server: Server, study: str) -> None:
    first = open_desk(labeler, server, study)
    first.keyboard.press("1")
    second = labeler.context.new_page()
    second.goto(f"{server.url}/studies/{study}/label")
    wait_for(lambda: "another tab" in second.inner_text("#instead-words"), "the notice", page=second)
    second.keyboard.press("1")
    assert second.is_hidden("#work"), "a key does nothing here"
    second.get_by_role("button", name="Label here instead").click()
    second.wait_for_selector("#work:not([hidden])")
    wait_for(lambda: "another tab" in first.inner_text("#instead-words"), "the other to give way", page=first)
    second.keyboard.press("2")
    wait_saved(second)
    wait_saved(first)
    assert sorted(server.answers(study).values()) == ["no", "yes"]
    assert second.inner_text("#refused-list") == ""


def test_a_session_that_ends_keeps_the_answers_until_the_person_is_back(labeler: Entered, server: Server, study: str) -> None:
    page = open_desk(labeler, server, study)
    labeler.context.clear_cookies()
    first = on_screen(page)
    page.keyboard.press("1")
    wait_for(lambda: "session has ended" in page.inner_text("#notice"), "the notice", page=page)
    assert "1 answer kept" in page.inner_text("#notice")
    assert server.answers(study) == {}
    granted = server.people.grant("link", "ann", lasts=60)
    assert granted is not None
    other = labeler.context.new_page()
    other.goto(f"{server.url}/enter?key={granted.secret}")
    other.get_by_role("button", name="Sign in").click()
    other.wait_for_url(f"{server.url}/")
    page.bring_to_front()
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")  # a browser without a screen sends none
    wait_saved(page)
    assert server.answers(study) == {first: "yes"}


def test_answers_of_one_person_are_never_sent_as_another(labeler: Entered, server: Server, study: str) -> None:
    page = open_desk(labeler, server, study)
    people = server.people
    people.add("zoe") if "zoe" not in {one.name for one in people.everyone()} else None
    people.set_role("zoe", study, "labeler")
    granted = people.grant("link", "zoe", lasts=60)
    assert granted is not None
    other = labeler.context.new_page()
    other.goto(f"{server.url}/enter?key={granted.secret}")
    other.get_by_role("button", name="Sign in").click()
    other.wait_for_url(f"{server.url}/")
    page.keyboard.press("c")
    page.keyboard.type("for owners")
    page.keyboard.press("Control+Enter")
    page.keyboard.press("1")
    wait_for(lambda: "Someone else has signed in" in page.inner_text("#notice"), "the notice", page=page)
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    page.wait_for_timeout(500)
    assert server.answers(study) == {}
    assert server.study(study).ledger.note_count(study) == 0
    assert "1 answer" in page.inner_text("#notice")


def test_an_answer_that_came_too_late_is_listed(labeler: Entered, server: Server, study: str) -> None:
    page = open_desk(labeler, server, study)
    first = on_screen(page)
    Desk(server.study(study)).give_back("ann", [first])
    assert first in [given.unit for given in Desk(server.study(study)).take("zoe", 60)]
    page.keyboard.press("1")
    wait_for(lambda: page.is_visible("#refused"), "the list", page=page)
    assert first in page.inner_text("#refused-list")
    assert server.answers(study) == {}


def test_units_lost_while_the_page_slept_are_not_shown_any_more(labeler: Entered, server: Server, study: str) -> None:
    held: list[str] = []

    def ended(route: Route) -> None:
        answer = route.fetch()
        data = answer.json()
        for turn in data["turns"]:
            held.append(turn["unit"])
            turn["until"] = 1.0  # long ago
        route.fulfill(response=answer, json=data)

    labeler.page.route("**/turns", ended)
    page = open_desk(labeler, server, study)
    page.unroute("**/turns")
    first = on_screen(page)
    desk = Desk(server.study(study))
    assert desk.give_back("ann", held) == len(held) == 20
    assert {given.unit for given in desk.take("zoe", 20)} == set(held)
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    wait_for(lambda: on_screen(page) != first, "another unit", page=page)
    assert "given to someone else" in page.inner_text("#message")
    page.keyboard.press("1")
    wait_saved(page)
    assert set(server.answers(study)).isdisjoint(held)
    assert page.inner_text("#refused-list") == ""


def test_images_come_from_the_server_and_a_missing_one_is_said(labeler: Entered, server: Server, study: str) -> None:
    Desk(server.study(study)).set_sheet(Sheet(show=(FormColumn("photo", "image"), FormColumn("text"))))
    page = open_desk(labeler, server, study)
    seen: set[str] = set()
    for _ in range(24):  # all of one kind has a chance below 1e-6
        missing = int(on_screen(page)[1:]) % 2 == 1
        if missing:
            page.wait_for_selector("#unit .empty")
            assert "cannot be shown" in page.inner_text("#unit .empty")
        else:
            wait_for(lambda: page.eval_on_selector("#unit img", "image => image.naturalWidth > 0"), "the image", page=page)
            assert page.get_attribute("#unit img", "alt")
        seen.add("missing" if missing else "there")
        page.keyboard.press("1")
    assert seen == {"missing", "there"}
    assert labeler.seen.elsewhere == []


def test_several_questions_are_answered_row_by_row(browser: Browser, server: Server) -> None:
    population = read_population(
        str(server.folder / "scored.parquet"),
        classifiers=[
            Classifier("spam", score="score", threshold=0.5, question="spam"),
            Classifier("rude", score="score", threshold=0.6, question="rude"),
        ],
    )
    study = Study.create("two questions", population, goals=["precision +-0.2 for spam", "precision +-0.2 for rude"], ledger=server.ledger)
    study.plan(40)
    Desk(study).set_sheet(Sheet(show=(FormColumn("text"),)))
    entered = enter_as(browser, server, "ann", "labeler", study="two questions")
    page = entered.page
    page.goto(f"{server.url}/studies/two%20questions/label")
    page.wait_for_selector("#work:not([hidden])")
    first = on_screen(page)
    assert page.eval_on_selector_all("#questions legend", "all => all.map(one => one.textContent)") == ["spam", "rude"]
    page.keyboard.press("1")
    assert on_screen(page) == first, "one question is still open"
    page.keyboard.press("2")
    second = on_screen(page)
    assert second != first
    page.keyboard.press("2")
    page.keyboard.press("o")
    page.keyboard.press("1")  # the first reason
    assert on_screen(page) != second
    page.keyboard.press("u")
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    wait_saved(page)
    told = server.study("two questions").standing.answers
    said = {unit: {label.question: label.answer for label in seats.values()} for unit, seats in told.items()}
    assert said == {first: {"spam": "yes", "rude": "no"}, second: {"spam": "yes", "rude": "skipped"}}
    assert entered.seen.errors == []
    entered.context.close()
