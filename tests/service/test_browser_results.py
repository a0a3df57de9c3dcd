"""Results in a browser: slices sorted by keyboard, thresholds seen, and errors opened after a question that ends labeling."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from fewlabels.desk.desk import Desk
from fewlabels.nouns.sheet import Sheet, parse_shown
from fewlabels.study.population.read import read_population
from fewlabels.study.study import Study
from tests.service.accessible import faults, unfocused
from tests.service.browsing import PHONE, Server, artifacts, enter_as, serving, wait_for, write_table

LABELS, ONLINE_LABELS = 300, 30


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with a study that fails, whose labels are all in, and one that goes on."""
    folder = tmp_path_factory.mktemp("results")
    with serving(folder) as running:
        people = write_table(folder / "scored.parquet", ["plain", "<b>bold</b><script>document.title='owned'</script>"])
        population = read_population(str(folder / "scored.parquet"), score="score", threshold=0.5, slices=["country"])
        for name, labels, goals in (("done", LABELS, ["precision >= 0.85", "recall >= 0.3"]), ("open", ONLINE_LABELS, ["precision +-0.2"])):
            study = Study.create(name, population, goals=goals, ledger=running.ledger)
            study.plan(labels)
            Desk(study).set_sheet(Sheet(show=(parse_shown("text"),)))
            batch = study.ask(labels)
            assert batch is not None
            study.tell({unit: people[unit] for unit in batch.units[: labels if name == "done" else 10]})
        yield running


def names_of(page: Page) -> list[str]:
    """The slices of the forest, from the top."""
    return page.locator("#forest tbody th bdi").all_inner_texts()


def test_from_the_verdict_to_the_errors(browser: Browser, server: Server, tmp_path: Path) -> None:
    viewer = enter_as(browser, server, "vic", "viewer", study="done", color_scheme="light")
    page, folder = viewer.page, artifacts(tmp_path)
    page.goto(f"{server.url}/studies/done/results")
    expect(page.locator("#numbers .verdict")).to_have_text("DO NOT SHIP")
    sort_by_keyboard(page)
    page.wait_for_selector("#threshold-chart svg", timeout=120_000)
    assert "precision and recall" in (page.get_attribute("#threshold-chart svg", "aria-label") or "")
    found = server.study("done").find_threshold("precision", 0.85).threshold
    said = "No threshold was found that passes" if found is None else f"A threshold of {found:.4g} would pass"
    expect(page.locator("#offered")).to_contain_text(f"{said} precision >= 0.85.")
    assert page.locator("#convergence svg").count() == 2
    assert page.locator("table.matrix td").count() == 4
    page.screenshot(path=folder / "results-done-desk-light.png", full_page=True)
    assert faults(page) == []
    assert unfocused(page) == []
    open_errors(page, folder)
    server.people.set_role("vic", "done", "labeler")
    page.goto(f"{server.url}/studies/done/label")
    expect(page.locator("#instead-words")).to_contain_text("vic has opened the errors of this study")
    assert page.title() == "done: label"
    assert [said for said in viewer.seen.errors if "status of 400" not in said] == []
    assert viewer.seen.elsewhere == []
    viewer.context.close()


def sort_by_keyboard(page: Page) -> None:
    """The forest is there without being asked for, and sorts by its headings and by the list."""
    page.wait_for_selector("#forest tbody tr:nth-child(2)", timeout=60_000)
    assert names_of(page) == ["DE", "US"]
    first = page.locator("#forest thead button").first
    first.focus()
    page.keyboard.press("Enter")
    assert names_of(page) == ["US", "DE"]
    expect(page.locator("#forest thead th").first).to_have_attribute("aria-sort", "descending")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    value = page.locator("#forest thead th").nth(1)
    expect(value).to_have_attribute("aria-sort", "descending")
    expect(page.locator("#forest thead th").first).to_have_attribute("aria-sort", "none")
    values = [float(text) for text in page.locator("#forest td[data-name=value]").all_inner_texts()]
    assert values == sorted(values, reverse=True)
    page.keyboard.press("Enter")
    expect(value).to_have_attribute("aria-sort", "ascending")
    page.select_option("#slice-sort", "5")
    labels = [int(text) for text in page.locator("#forest td[data-name=labels]").all_inner_texts()]
    assert labels == sorted(labels, reverse=True)
    page.select_option("#slice-metric", "recall")
    expect(page.locator("#forest caption")).to_contain_text("recall at level")


def open_errors(page: Page, folder: Path) -> None:
    """The page asks before it shows anything; then there are errors to read, as text, and pages of them."""
    page.get_by_role("link", name="See what it got wrong").click()
    page.wait_for_selector("text=Open the errors?")
    assert "ends your own labeling in this study" in page.inner_text("main")
    assert page.locator("table.errors").count() == 0
    assert faults(page) == []
    page.get_by_role("button", name="Open the errors").click()
    page.wait_for_selector("table.errors")
    rows = page.locator("table.errors tbody tr")
    assert rows.count() >= 20
    for text in rows.all_inner_texts()[:20]:
        assert "false positive" in text or "false negative" in text
    assert page.title() == "done: errors"
    assert page.locator("table.errors b").count() == 0
    page.select_option("#by-kind", "false negative")
    page.get_by_role("button", name="Show").click()
    expect(page.locator("table.errors")).not_to_contain_text("false positive")
    page.get_by_role("link", name="score").click()
    expect(page.locator("table.errors th", has_text="score")).to_have_attribute("aria-sort", "ascending")
    page.screenshot(path=folder / "errors-desk-light.png", full_page=True)
    assert faults(page) == []


def test_the_page_follows_the_labeling_as_a_whole(browser: Browser, server: Server) -> None:
    viewer = enter_as(browser, server, "val", "viewer", study="open", color_scheme="dark", viewport=PHONE)
    page, study = viewer.page, server.study("open")
    page.goto(f"{server.url}/studies/open/results")
    words = f"10 of {ONLINE_LABELS} planned units resolved"
    expect(page.locator("#progress-words")).to_have_text(words)
    assert words in page.inner_text("#numbers .banner")
    assert page.locator("#slices").is_hidden()
    standing = study.standing
    study.tell(dict.fromkeys([unit for unit in standing.asked if not standing.is_resolved(unit)], "yes"))
    expect(page.locator("#numbers .verdict")).not_to_have_text("NOT YET", timeout=60_000)
    expect(page.locator("#progress-words")).to_have_text(f"{ONLINE_LABELS} of {ONLINE_LABELS} planned units resolved")
    page.wait_for_selector("#forest tbody tr", timeout=60_000)
    wait_for(lambda: page.get_attribute("#whole", "data-head") == page.get_attribute("#labelers", "data-head"), "one state", page=page)
    assert faults(page) == []
    assert viewer.seen.errors == []
    viewer.context.close()
