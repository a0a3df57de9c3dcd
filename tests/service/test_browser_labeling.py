"""What a labeler does with a unit besides answering it: put it off, leave it out, comment, look closer; and what comes at the end."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from fewlabels.desk.desk import Desk, Said
from fewlabels.engines.duckdb import write_parquet
from fewlabels.ledgers.opening import open_ledger
from fewlabels.nouns.classifier import Classifier
from fewlabels.nouns.note import Note
from fewlabels.nouns.sheet import FormColumn, Sheet
from fewlabels.study.population.read import read_population
from fewlabels.study.study import Study
from tests.service.accessible import faults
from tests.service.browsing import Entered, Server, artifacts, enter, enter_as, make_study, open_desk, wait_for, wait_saved

SMALL_PHONE = {"width": 390, "height": 740}
DIALOG = "dialog[open]"
KINDS = ("yellow", "no color", "red")
REACH = """() => [...document.querySelectorAll("#questions button, #later, #skip, #comment, #undo")].map(e => e.getBoundingClientRect())
  .every(b => b.top >= 0 && b.bottom <= innerHeight && b.height >= 44)"""


@pytest.fixture
def server(desk_server: Server) -> Server:
    return desk_server


@pytest.fixture
def study(server: Server, request: pytest.FixtureRequest) -> str:
    """A study of the test's own."""
    name = request.node.name.replace("[", "-").replace("]", "")[:60]
    make_study(server, labels=30, name=name, instructions="# Spam\n- what *nobody* asked for")
    return name


@pytest.fixture
def labeler(browser: Browser, server: Server, study: str) -> Iterator[Entered]:
    entered = enter_as(browser, server, "ann", "labeler", study=study)
    yield entered
    assert entered.seen.errors == []
    entered.context.close()


def on_screen(page: Page) -> str:
    return page.inner_text("#unit-name")


def notes_of(server: Server, study: str) -> list[Note]:
    return open_ledger(server.ledger).notes(study, most=100)


def test_a_unit_put_off_comes_back_after_all_others_and_nothing_is_recorded(labeler: Entered, server: Server, study: str) -> None:
    page = open_desk(labeler, server, study)
    first = on_screen(page)
    page.keyboard.press("l")
    assert on_screen(page) != first
    assert "comes back after the other units" in page.inner_text("#message")
    seen = []
    for _ in range(29):
        page.wait_for_selector("#work:not([hidden])")
        seen.append(on_screen(page))
        page.keyboard.press("1")
    assert first not in seen
    wait_for(lambda: page.is_visible("#work") and on_screen(page) == first, "the unit to come back", page=page)
    wait_saved(page)
    assert first not in server.answers(study)
    page.click("#later")  # nothing else is open: it is back at once
    wait_for(lambda: page.is_visible("#work") and on_screen(page) == first, "the unit to come back", page=page)
    page.keyboard.press("2")
    wait_saved(page)
    assert server.answers(study)[first] == "no"
    assert len(server.answers(study)) == 30


def test_units_put_off_without_a_network_are_moved_when_it_is_back(labeler: Entered, server: Server, study: str) -> None:
    page = open_desk(labeler, server, study)
    off = on_screen(page)
    labeler.context.set_offline(True)
    page.keyboard.press("l")
    for key in "12":
        page.wait_for_timeout(300)  # whoever answers quicker holds more units, here all
        page.keyboard.press(key)
    assert on_screen(page) != off
    with page.expect_response("**/turns/later"):
        labeler.context.set_offline(False)
    wait_saved(page)
    assert [one.unit for one in Desk(server.study(study)).take("zoe", 30)][-1:] == [off], "open to others, last"
    assert len(server.answers(study)) == 2
    assert page.inner_text("#refused-list") == ""
    labeler.seen.errors[:] = [one for one in labeler.seen.errors if "ERR_INTERNET_DISCONNECTED" not in one]


def test_what_is_put_off_in_an_online_study_holds_up_its_steps_and_the_page_says_so(browser: Browser, server: Server) -> None:
    population = read_population(str(server.folder / "scored.parquet"), score="score", threshold=0.5)
    study = Study.create("online", population, goals=["precision >= 0.5"], ledger=server.ledger)
    study.plan(100, stopping="decision")
    Desk(study).set_sheet(Sheet(show=(FormColumn("text"),)))
    entered = enter_as(browser, server, "ann", "labeler", study="online")
    page = open_desk(entered, server, "online")
    first = on_screen(page)
    page.keyboard.press("l")
    assert page.inner_text("#message") == "Put off. The study moves past that unit only once it is answered."
    page.keyboard.press("1")
    wait_saved(page)
    assert first not in server.answers("online")
    assert entered.seen.errors == []
    entered.context.close()


def test_a_unit_with_an_answer_is_not_put_off(labeler: Entered, server: Server, study: str) -> None:
    page = open_desk(labeler, server, study)
    first = on_screen(page)
    page.keyboard.press("1")
    page.keyboard.press("u")
    assert page.is_disabled("#later")
    page.keyboard.press("l")
    assert on_screen(page) == first
    assert "has your answer" in page.inner_text("#message")


def test_leaving_out_asks_why_and_the_reason_is_kept_beside_the_record(labeler: Entered, server: Server, study: str) -> None:
    page = open_desk(labeler, server, study)
    first = on_screen(page)
    page.keyboard.press("o")
    assert "without a usable answer; the study allows for it" in page.inner_text(DIALOG)
    assert faults(page) == []
    page.keyboard.press("Enter")
    assert "Choose a reason" in page.inner_text("#out-problem")
    page.keyboard.press("Escape")
    assert not page.is_visible(DIALOG)
    assert on_screen(page) == first, "Esc returns to the unit"
    page.keyboard.press("o")
    page.keyboard.press("2")
    second = on_screen(page)
    assert second != first
    page.click("#skip")
    page.get_by_label("In other words").fill("only 3 letters <b>")
    page.keyboard.press("Enter")
    third = on_screen(page)
    page.keyboard.press("s")  # the key it used to have
    page.keyboard.press("1")
    page.keyboard.press("u")
    page.keyboard.press("1")
    wait_saved(page)
    assert server.answers(study) == {first: "skipped", second: "skipped", third: "yes"}
    kept = {(one.unit, one.labeler, one.kind): one.text for one in notes_of(server, study)}
    assert kept == {
        (first, "ann", "left out"): "In a language I do not read",
        (second, "ann", "left out"): "only 3 letters <b>",
    }, "an answer instead takes the reason back"
    assert "In a language" not in "".join(str(entry.body) for entry in server.study(study).ledger.entries(study))


def test_a_comment_is_kept_changed_and_deleted(labeler: Entered, server: Server, study: str) -> None:
    page = open_desk(labeler, server, study)
    first = on_screen(page)
    page.keyboard.press("c")
    assert page.input_value("#remark-text") == "", "the key is no part of it"
    assert faults(page) == []
    page.keyboard.type("two\nlines? 1 o l")
    page.keyboard.press("Control+Enter")
    assert on_screen(page) == first, "a comment is no answer"
    assert page.is_visible("#commented")
    wait_for(lambda: [one.text for one in notes_of(server, study)] == ["two\nlines? 1 o l"], "the comment", page=page)
    page.reload()
    page.wait_for_selector("#work:not([hidden])")
    assert on_screen(page) == first
    page.click("#comment")
    assert page.input_value("#remark-text") == "two\nlines? 1 o l", "kept with the unit"
    labeler.context.set_offline(True)
    page.fill("#remark-text", "")
    page.get_by_role("button", name="Save").click()
    page.keyboard.press("1")
    assert len(notes_of(server, study)) == 1
    labeler.context.set_offline(False)
    wait_for(lambda: notes_of(server, study) == [], "the comment to be deleted", page=page)
    wait_saved(page)
    assert server.answers(study) == {first: "yes"}
    labeler.seen.errors[:] = [one for one in labeler.seen.errors if "ERR_INTERNET_DISCONNECTED" not in one]


def test_y_and_n_answer_and_the_keys_are_shown(labeler: Entered, server: Server, study: str) -> None:
    page = open_desk(labeler, server, study)
    assert page.inner_html("#instructions .instructions").count("<li") == 1
    assert page.inner_text("#instructions em") == "nobody"
    first = on_screen(page)
    page.keyboard.press("y")
    second = on_screen(page)
    page.keyboard.press("n")
    page.keyboard.press("?")
    assert "put the unit off" in page.inner_text(DIALOG)
    assert faults(page) == []
    third = on_screen(page)
    page.keyboard.press("1")
    assert on_screen(page) == third, "behind a dialog no key answers"
    page.keyboard.press("Escape")
    assert "put the unit off" not in page.inner_text("main")
    wait_saved(page)
    assert server.answers(study) == {first: "yes", second: "no"}


def test_an_image_is_shown_in_full_size(labeler: Entered, server: Server, study: str) -> None:
    Desk(server.study(study)).set_sheet(Sheet(show=(FormColumn("photo", "image"),)))
    page = open_desk(labeler, server, study)
    while int(on_screen(page)[1:]) % 2 == 1:  # of these the image is missing
        page.keyboard.press("1")
        page.wait_for_selector("#work:not([hidden])")
    wait_for(lambda: page.eval_on_selector("#unit img", "image => image.naturalWidth > 0"), "the image", page=page)
    page.keyboard.press("z")
    assert page.is_visible("#zoom-frame img")
    assert faults(page) == []
    page.keyboard.press("+")
    page.keyboard.press("+")
    assert page.inner_text("#zoom-scale") == "156 %"
    page.keyboard.press("-")
    assert page.inner_text("#zoom-scale") == "125 %"
    page.keyboard.press("Escape")
    assert not page.is_visible(DIALOG)
    page.click("#unit .zoomable")
    assert page.is_visible("#zoom-frame img")
    page.get_by_role("button", name="Close").click()
    assert len(labeler.context.pages) == 1, "no new window"
    labeler.seen.errors[:] = [one for one in labeler.seen.errors if "404" not in one]  # the missing images


def test_the_end_says_what_comes_next_and_no_verdict(browser: Browser, server: Server) -> None:
    make_study(server, labels=30, name="end")
    make_study(server, labels=30, name="end next")
    server.people.add("eva")
    server.people.set_role("eva", "end next", "labeler")
    entered = enter_as(browser, server, "eva", "labeler", study="end")
    page = open_desk(entered, server, "end")
    desk = Desk(server.study("end"))
    theirs = [one.unit for one in desk.take("zoe", 30)]
    page.keyboard.type("1" * 20)
    wait_for(lambda: page.inner_text("#instead-heading") == "Nothing for you now", "the end of what is open", page=page)
    assert "with other people" in page.inner_text("#instead-words")
    assert page.inner_text("#instead-told") == "You have answered 20 units."
    assert page.get_attribute("#instead-studies a", "href") == "/studies/end%20next/label"
    desk.tell("zoe", [Said(unit, {"positive": "yes"}) for unit in theirs])
    page.click("#instead-act")
    wait_for(lambda: page.inner_text("#instead-heading") == "All units are labeled", "the end", page=page)
    assert page.is_hidden("#instead-results"), "for owners"
    assert "recall" not in page.inner_text("main")
    assert faults(page) == []
    page.screenshot(path=artifacts(server.folder) / "label-end.png")
    entered.context.close()


def test_a_closed_study_says_so(browser: Browser, server: Server) -> None:
    make_study(server, labels=30, name="closed").close()
    entered = enter_as(browser, server, "eva", "labeler", study="closed")
    entered.page.goto(f"{server.url}/studies/closed/label")
    wait_for(lambda: entered.page.inner_text("#instead-heading") == "Labeling is closed", "the end", page=entered.page)
    assert "never answered" in entered.page.inner_text("#instead-words")
    entered.context.close()


def test_classes_are_answered_by_key_and_by_button(browser: Browser, server: Server) -> None:
    """Three classes, two of which begin with y and n: those letters answer nothing."""
    table = server.folder / "classes.parquet"
    write_classes(table)
    population = read_population(str(table), classifiers=[Classifier(kind, predicted="kind", value=kind) for kind in KINDS])
    study = Study.create("classes", population, goals=["precision +-0.3 for red"], ledger=server.ledger)
    study.plan(20)
    Desk(study).set_sheet(Sheet(show=(FormColumn("text"),)))
    entered = enter_as(browser, server, "ann", "labeler", study="classes")
    page = open_desk(entered, server, "classes")
    answers = page.eval_on_selector_all("#questions button", "all => all.map(one => one.dataset.answer)")
    assert answers == [*Desk(study).answers, "cannot_tell"]
    assert set(answers) == {"yellow", "no color", "red", "cannot_tell"}
    units = [on_screen(page)]
    page.keyboard.press("y")
    page.keyboard.press("n")
    page.keyboard.press("4")
    assert on_screen(page) == units[0]
    page.keyboard.press("2")
    units.append(on_screen(page))
    page.wait_for_timeout(150)
    page.click("#questions button[data-answer='no color']")
    units.append(on_screen(page))
    page.keyboard.press("0")
    wait_saved(page)
    assert server.answers("classes") == dict(zip(units, [answers[1], "no color", "cannot_tell"], strict=True))
    page.keyboard.press("?")
    assert "no color" in page.inner_text(DIALOG)
    assert entered.seen.errors == []
    entered.context.close()


def write_classes(path: Path) -> None:
    """Writes a table of units in three classes."""
    numbers = range(300)
    write_parquet(
        path, {"id": [f"c{i}" for i in numbers], "text": [f"paint {i}" for i in numbers], "kind": [KINDS[i % 3] for i in numbers]}
    )


def test_a_dispute_is_adjudicated_without_seeing_the_answers(browser: Browser, server: Server) -> None:
    study = make_study(server, labels=30, name="dispute")
    desk = Desk(study)
    desk.double(1.0)
    disputed = desk.take("pam", 1)[0].unit
    assert disputed in [one.unit for one in desk.take("quin", 60)]
    for name, answer in (("pam", "yes"), ("quin", "no")):
        desk.tell(name, [Said(disputed, {"positive": answer})])
        desk.comment(name, disputed, f"clearly {answer}")
    entered = enter_as(browser, server, "adi", "adjudicator", study="dispute")
    page = entered.page
    heard: list[str] = []
    page.on("response", lambda one: heard.append(one.text()) if "/api/" in one.url else None)
    page.goto(f"{server.url}/studies/dispute/label?adjudicate=true")
    page.wait_for_selector("#work:not([hidden])")
    assert page.inner_text("h1") == "Adjudicate dispute"
    assert on_screen(page) == disputed
    page.keyboard.press("n")
    wait_for(lambda: page.inner_text("#instead-heading") == "No disagreement is open", "the end", page=page)
    wait_saved(page)
    said = {label.labeler: label.answer for label in server.study("dispute").standing.answers[disputed].values()}
    assert said == {"pam": "yes", "quin": "no", "adi": "no"}
    assert not any("pam" in text or "quin" in text or "clearly" in text for text in heard)
    assert faults(page) == []
    assert entered.seen.errors == []
    entered.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone_everything_is_within_reach(browser: Browser, server: Server, scheme: str, tmp_path: Path) -> None:
    name = f"phone {scheme}"
    make_study(server, labels=30, name=name, instructions="Read all of it.\n" * 12, ask="Is this message spam?")
    entered = enter_as(
        browser, server, "ann", "labeler", study=name, viewport=SMALL_PHONE, color_scheme=scheme, has_touch=True, is_mobile=True
    )
    page = open_desk(entered, server, name)
    assert page.evaluate(REACH), "with the instructions open"
    page.screenshot(path=artifacts(tmp_path) / f"label-phone-first-{scheme}.png")
    page.wait_for_timeout(130)
    page.tap("#questions button[data-answer=yes]")
    assert page.evaluate(REACH), "and without"
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight"), "nothing lies below"
    assert faults(page) == []
    page.screenshot(path=artifacts(tmp_path) / f"label-phone-{scheme}.png")
    page.wait_for_timeout(130)
    page.tap("#skip")
    page.get_by_label("In a language I do not read").tap()
    page.screenshot(path=artifacts(tmp_path) / f"label-phone-out-{scheme}.png")
    page.get_by_role("button", name="Leave out").last.tap()
    wait_saved(page)
    assert sorted(server.answers(name).values()) == ["skipped", "yes"]
    entered.context.close()


def test_owners_read_the_notes(browser: Browser, server: Server, tmp_path: Path) -> None:
    desk = Desk(make_study(server, labels=30, name="noted"))
    for i, one in enumerate(desk.take("pam", 30)):
        desk.comment("pam", one.unit, f"comment {i} <b>not bold</b>")
        desk.tell("pam", [Said(one.unit, {"positive": "skipped"}, note="no text")])
    people = server.people
    granted = people.owner_link(600)
    entered = enter(browser, server, f"{server.url}/enter?key={granted.secret}")
    page = entered.page
    page.goto(f"{server.url}/studies/noted/notes")
    assert page.locator("tbody tr").count() == 50
    assert "<b>not bold</b>" in page.inner_text("tbody")
    page.get_by_role("link", name="Older").click()
    assert page.locator("tbody tr").count() == 10
    assert faults(page) == []
    page.goto(f"{server.url}/studies/noted/notes?page=9")
    assert "60 notes on 2 pages" in page.inner_text("main")
    assert entered.seen.errors == []
    entered.context.close()
