"""A study made by looking, in a browser: a table is uploaded, proposals are taken, goals picked, and problems shown where they are."""

from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from fewlabels.nouns.sheet import FormColumn
from fewlabels.randomness import stream
from tests.service.accessible import faults, unfocused
from tests.service.browsing import PHONE, Server, artifacts, enter, serving

HOSTILE = "<img src=x onerror=alert(1)> <b>bold</b>"


def write_points(path: Path, units: int = 600, *, encoding: str = "latin-1") -> None:
    """A table as a spreadsheet of western Europe writes it: semicolons, Latin-1, scores from 0 to 100, a column of answers."""
    rng = stream(5, 1)
    lines = ["message_id;spam_score;text;country;amount;truth"]
    for i in range(units):
        score = float(np.clip(rng.normal(45, 20), 0.4, 99.2))
        lines.append(f"m{i};{score:.2f};Grüße {i} {HOSTILE};{'DE' if i % 3 else 'AT'};{rng.random() * 90:.2f};{i % 2}")
    path.write_bytes("\n".join(lines).encode(encoding))


def open_new(page: Page, server: Server, query: str = "") -> None:
    page.goto(f"{server.url}/studies/new{query}")
    page.wait_for_selector("#files tr")


def seen(page: Page) -> None:
    """Nothing comes back. Waits until the table that was chosen is shown, and its goals are read."""
    page.wait_for_selector("#new-study:not([hidden])", timeout=120_000)
    expect(page.locator("#goals .hint").first).to_contain_text("at level 0.95")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    write_points(tmp_path / "week 46.csv")
    return tmp_path


def test_a_table_is_uploaded_looked_at_and_made_a_study(browser: Browser, folder: Path) -> None:
    with serving(folder / "data") as server:
        owner = enter(browser, server, server.link or "", viewport={"width": 1280, "height": 900})
        page, pictures = owner.page, artifacts(folder)
        page.goto(f"{server.url}/studies/new")
        expect(page.locator("#files-none")).to_be_visible()
        assert faults(page) == []
        page.set_input_files("#file", folder / "week 46.csv")
        seen(page)
        expect(page.locator("#chosen-size")).to_have_text("600 rows, 6 columns")
        expect(page.locator("#upload-told")).to_contain_text("Windows-1252")
        assert page.locator("#rows tr").count() == 8
        assert page.input_value("#id-column") == "message_id"
        assert "different value in each of the 600 rows" in page.inner_text("#id-column-hint")
        limits = [page.input_value(f"[data-of={part}]") for part in ("score", "threshold", "low", "high")]
        assert limits == ["spam_score", "50", "0", "100"]
        assert page.locator("#slices input:checked").evaluate_all("all => all.map(one => one.value)") == ["country"]
        assert "amount could be" in page.inner_text("#weight-hint")
        assert page.locator("#shown bdi").all_inner_texts() == ["text"], "no score, no answer"
        assert HOSTILE in page.inner_text("#card"), "as text"
        page.fill("#ask", "Is it spam?")
        expect(page.locator("#card-question .asked")).to_have_text("Is it spam?")
        page.select_option("#metric", "recall")
        page.fill("#target", "0.3")
        page.select_option("#where", "country")
        page.click("#add-goal")
        expect(page.locator("#goals .goal").nth(1)).to_contain_text("recall is at least 0.3 in every country, each by itself")
        page.fill("#goals .goal:first-child input", "precision +-0.2")
        assert page.input_value("#name") == "week-46"
        page.screenshot(path=pictures / "new-desk-light.png", full_page=True)
        assert faults(page) == []
        assert unfocused(page) == []
        page.click("#create")
        page.wait_for_url(f"{server.url}/studies/week-46/plan", timeout=120_000)
        made = server.study("week-46").standing
        assert [str(goal) for goal in made.goals] == ["precision +-0.2", "recall >= 0.3 in country=AT", "recall >= 0.3 in country=DE"]
        assert made.forms[-1].sheet.show == (FormColumn("text"),)
        assert made.population["source"] == str((folder / "data" / "uploads" / "week 46.csv").resolve())

        open_new_like(page, server)
        page.screenshot(path=pictures / "new-like.png", full_page=True)
        assert owner.seen.errors == []
        assert owner.seen.dialogs == []


def open_new_like(page: Page, server: Server) -> None:
    """The week after: everything is filled in, the table is chosen anew, and the upload is there to be deleted."""
    page.goto(f"{server.url}/studies/new?like=week-46")
    page.get_by_role("button", name="Delete week 46.csv").click()
    expect(page.locator("#delete-words")).to_contain_text("is the table of week-46")
    page.get_by_role("button", name="Keep it").click()
    page.locator("#uploads").get_by_role("button", name="week 46.csv", exact=True).click()
    seen(page)
    goals = page.locator("#goals input").evaluate_all("all => all.map(one => one.value)")
    assert goals == ["precision +-0.2", "recall >= 0.3 by country"]
    assert (page.input_value("#name"), page.input_value("#ask")) == ("week-47", "Is it spam?")
    page.check("#follows")
    page.click("#create")
    page.wait_for_url(f"{server.url}/studies/week-47/plan", timeout=120_000)
    assert server.study("week-47").standing.follows == "week-46"


def test_a_problem_is_shown_at_its_field_and_nothing_typed_is_lost(browser: Browser, folder: Path) -> None:
    write_points(folder / "data" / "points.csv", encoding="utf-8")
    with serving(folder / "data") as server:
        owner = enter(browser, server, server.link or "", viewport=PHONE, color_scheme="dark")
        page = owner.page
        open_new(page, server)
        page.get_by_role("button", name="points.csv").click()
        seen(page)
        page.fill("#instructions-text", "Spam is what nobody asked for.")
        page.fill("[data-of=high]", "50")
        page.click("#add-goal")
        page.fill("#goals .goal:nth-child(2) input", "recal at least 30%")
        problem = page.locator("#goals .goal:nth-child(2) .field-problem")
        expect(problem).to_contain_text("did you mean recall?")
        page.click("#create")
        expect(page.locator("#goals .goal:nth-child(2) input")).to_be_focused()
        page.fill("#goals .goal:nth-child(2) input", "recall at least 30%")
        expect(problem).to_be_hidden()
        page.click("#create")
        score = page.locator("[data-of=score]")
        expect(score).to_be_focused()
        expect(score).to_have_attribute("aria-invalid", "true")
        words = page.locator(f"#{(score.get_attribute('aria-describedby') or '').split()[-1]}")
        expect(words).to_contain_text("within [0, 50]")
        assert "--" not in words.inner_text()
        page.screenshot(path=artifacts(folder) / "new-problem-phone-dark.png", full_page=True)
        assert faults(page) == []
        page.fill("[data-of=high]", "100")
        page.fill("#name", "")
        page.click("#create")
        expect(page.locator("#name")).to_be_focused()
        page.fill("#name", "kept")
        assert page.input_value("#instructions-text") == "Spam is what nobody asked for."
        page.click("#create")
        page.wait_for_url(f"{server.url}/studies/kept/plan", timeout=120_000)
        assert owner.seen.dialogs == []
