"""The pages of people in a real browser: a pasted list, a name that is taken, and three labelers of two languages."""

from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, ViewportSize

from fewlabels.desk.desk import Desk, Said
from fewlabels.nouns.label import Label
from tests.service.accessible import faults, unfocused
from tests.service.browsing import Entered, Server, artifacts, enter, enter_as, make_study, open_desk, wait_for, wait_saved

LABELS = 24
WIDE: ViewportSize = {"width": 1280, "height": 900}
CHOSEN = "(e => e.value.slice(e.selectionStart, e.selectionEnd))(document.activeElement)"  # the text that is selected in a field
NARROW: ViewportSize = {"width": 390, "height": 800}


@pytest.fixture(scope="module")
def owner(browser: Browser, desk_server: Server) -> Entered:
    link = desk_server.people.owner_link(600)
    return enter(browser, desk_server, f"{desk_server.url}/enter?key={link.secret}", viewport=WIDE)


def pictures(page: Page, folder: Path, name: str) -> None:
    """Pictures of a page in light and dark, wide and narrow; nothing may stand in anybody's way in any of them."""
    looks: tuple[tuple[Literal["light", "dark"], ViewportSize, str], ...] = (
        ("light", WIDE, "light"), ("dark", WIDE, "dark"), ("light", NARROW, "narrow"),
    )  # fmt: skip
    for scheme, size, ending in looks:
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size(size)
        page.screenshot(path=folder / f"{name}-{ending}.png", full_page=True)
        assert faults(page) == [], (name, ending)
    page.emulate_media(color_scheme="light")
    page.set_viewport_size(WIDE)


def has_passed(desk: Page, unit: str) -> bool:
    """Whether another unit is on the screen, or none any more."""
    return not desk.is_visible("#work") or desk.inner_text("#unit-name") != unit


def test_three_labelers_of_two_languages_each_get_their_own(browser: Browser, desk_server: Server, owner: Entered, tmp_path: Path) -> None:
    server, name, folder = desk_server, "languages", artifacts(tmp_path)
    study = make_study(server, labels=LABELS, name=name)
    page = owner.page
    page.goto(f"{server.url}/people")
    page.fill("#invite-text", f"gero, labels, {name}, german\ngitta, labels, {name}, german\nulla, labels, {name}, english\nulla/x")
    page.get_by_role("button", name="Show what will happen").click()
    page.wait_for_selector("#invite-preview:not([hidden])")
    pictures(page, folder, "invite-preview")
    page.get_by_role("button", name="Do this for 3 lines").click()
    page.wait_for_selector("#fresh:not([hidden])")
    links = dict(line.split("\t") for line in page.input_value("#fresh-all").split("\n"))
    assert list(links) == ["gero", "gitta", "ulla"]
    wait_for(lambda: "english" in page.inner_text("#everyone"), "the groups", page=page)
    pictures(page, folder, "people")

    page.goto(f"{server.url}/studies/{name}/people")
    page.select_option("#route-by", "country")
    page.wait_for_selector("[data-add][data-value=DE]")
    page.select_option("[data-add][data-value=DE]", "german")
    page.wait_for_selector("[data-drop=german]")
    page.select_option("[data-add][data-value=US]", "english")
    page.wait_for_selector("[data-drop=english]")
    assert unfocused(page) == []

    said: dict[str, set[str]] = {}
    with ExitStack() as stack:
        for person, link in links.items():
            entered = enter(browser, server, link)
            stack.callback(entered.context.close)
            desk = open_desk(entered, server, name)
            said[person] = set()
            for _ in range(3 if person == "gero" else LABELS):
                if not desk.is_visible("#work"):
                    break
                unit = desk.inner_text("#unit-name")
                said[person].add(unit)
                desk.keyboard.press("1")
                wait_for(partial(has_passed, desk, unit), "the next", page=desk)
                desk.wait_for_timeout(130)
            wait_saved(desk)
            refused = desk.goto(f"{server.url}/studies/{name}/people")
            assert refused is not None
            assert refused.status == 403
    units = study.standing.units
    assert units is not None
    country = {unit: row["country"] for unit, row in zip(units.unit, study.fetch(units.unit, columns=["country"]), strict=True)}
    assert {country[unit] for unit in said["gero"] | said["gitta"]} == {"DE"}
    assert {country[unit] for unit in said["ulla"]} == {"US"}
    assert len(said["gero"]) == 3
    assert said["ulla"] == {unit for unit in units.unit if country[unit] == "US"}, "all of hers"

    study.tell([Label(unit=unit, answer="no", labeler="gitta") for unit in said["gero"]])
    page.reload()
    page.wait_for_selector("article.card")
    pictures(page, folder, "study-people")
    page.get_by_role("article", name="How gero works").get_by_role("link", name="Where others disagree").click()
    page.wait_for_selector("text=What gero answered")
    assert page.locator("tbody tr").count() == 3
    pictures(page, folder, "study-person")
    assert owner.seen.errors == []


def test_a_name_that_has_answers_is_offered_two_ways_out(desk_server: Server, owner: Entered, browser: Browser, tmp_path: Path) -> None:
    study = make_study(desk_server, labels=LABELS, name="names")
    desk = Desk(study)
    desk.tell("nora", [Said(one.unit, {"positive": "yes"}) for one in desk.take("nora", 4)])
    page = owner.page
    page.goto(f"{desk_server.url}/people")
    page.fill("#invite-text", "tom\nnora, labels, names\n")
    page.get_by_role("button", name="Show what will happen").click()
    wait_for(
        lambda: "'nora' has 4 answers in 1 study: is it the same person" in page.inner_text("#preview-lines"), "the refusal", page=page
    )
    pictures(page, artifacts(tmp_path), "invite-refused")
    page.get_by_role("button", name="Choose another name: nora").click()
    assert page.evaluate(CHOSEN) == "nora", "to be typed over"
    page.get_by_role("button", name="Show what will happen").click()
    page.get_by_role("button", name="It is the same person: nora").click()
    wait_for(lambda: "comes back and labels in names" in page.inner_text("#preview-lines"), "the choice", page=page)
    page.get_by_role("button", name="Do this for 2 lines").click()
    wait_for(lambda: "nora" in page.inner_text("#everyone"), "nora", page=page)
    assert {"nora", "tom"} <= {one.name for one in desk_server.people.everyone()}


def test_units_for_nobody_are_said_on_the_page(desk_server: Server, owner: Entered, browser: Browser, tmp_path: Path) -> None:
    study = make_study(desk_server, labels=LABELS, name="nobody")
    enter_as(browser, desk_server, "quinn", "viewer", study="nobody").context.close()
    Desk(study).take("somebody", 1)
    page = owner.page
    page.goto(f"{desk_server.url}/studies/nobody/people")
    page.select_option("#route-by", "country")
    page.select_option("[data-add][data-value=DE]", "quinn")
    page.wait_for_selector(".banner")
    assert "of `DE` wait for somebody: nobody may label them (quinn)" in page.inner_text(".banner")
    pictures(page, artifacts(tmp_path), "study-people-nobody")
    page.select_option("form.role select", "labeler")
    wait_for(lambda: page.locator(".banner").count() == 0, "the way out", page=page)
    page.click("[data-drop=quinn]")
    wait_for(lambda: page.locator("[data-drop]").count() == 0, "nobody named", page=page)
