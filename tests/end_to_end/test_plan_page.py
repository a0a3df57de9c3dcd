"""The planning picture in a real browser: it moves, it stays offline, and it runs nobody's text."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request

from fewlabels.engines.opening import open_engine
from fewlabels.nouns.classifier import Classifier
from fewlabels.nouns.goal import parse_goal
from fewlabels.randomness import stream
from fewlabels.reports.plan_page import plan_page
from fewlabels.study.plan import chart
from fewlabels.study.plan.chart import picture
from fewlabels.study.plan.one_draw import ColumnNames, PlanOptions
from fewlabels.study.plan.sizes import Sizing, size_goals
from fewlabels.study.population.read import read_population

EVIL = "</script><script>document.body.remove()</script>"


@pytest.fixture(autouse=True)
def coarse(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages of fewer numbers of labels and simulated draws than people get: made in an eighth of the time."""
    monkeypatch.setattr(chart, "POINTS", 9)
    monkeypatch.setattr(chart, "REPS", 6)


def made_page(seed: int, goals: list[str], name: str = "gbm") -> str:
    """The page of a made-up population of 20,000 units."""
    return made(seed, goals, name)[1]


def made(seed: int, goals: list[str], name: str = "gbm", budget: int | None = None) -> tuple[Sizing, str]:
    """The sizes on a made-up population of 20,000 units, and their page."""
    rng = stream(seed, 3)
    truth = rng.random(20_000) < 0.05
    score = 1 / (1 + np.exp(-(3 * (rng.normal(0, 1, truth.size) + 2.5 * truth) - 7)))
    judged = Classifier(name, score="score", threshold=0.5)
    profile = open_engine(read_population({"id": np.arange(truth.size), "score": score}, classifiers=[judged])).profile()
    wanted = [parse_goal(text) for text in goals]
    names = ColumnNames([name])
    sizing = size_goals(profile, wanted, budget=budget, names=names)
    return sizing, plan_page(picture(profile, wanted, sizing, ways=PlanOptions(), names=names))


class Seen:
    """What a page said and asked for while it was open."""

    def __init__(self, page: Page) -> None:
        self.errors: list[str] = []
        self.requests: list[str] = []
        page.on("console", self._said)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", self._asked)

    def _said(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.errors.append(message.text)

    def _asked(self, request: Request) -> None:
        if not request.url.startswith("file:"):
            self.requests.append(request.url)


def drag(page: Page, name: str, value: int) -> str:
    """The sentence after a slider was moved."""
    page.eval_on_selector(f"#{name}", f"e => {{ e.value = {value}; e.dispatchEvent(new Event('input')); }}")
    return page.inner_text("#sentence")


def opened(browser: Browser, folder: Path, seed: int, goals: list[str]) -> Page:
    """The picture of these goals, open in the browser; close it after use."""
    path = folder / "plan.html"
    path.write_text(made_page(seed, goals), encoding="utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())
    return page


def half_widths(sentence: str) -> tuple[float, float]:
    chosen, uniform = (float(found) for found in re.findall(r"± ([0-9.]+) points", sentence))
    return chosen, uniform


def test_dragging_labels_and_level_moves_the_band(browser: Browser, seed: int, tmp_path: Path) -> None:
    path = tmp_path / "plan.html"
    path.write_text(made_page(seed, ["f1 +-0.05", "recall >= 0.7"]), encoding="utf-8")
    assert path.stat().st_size < 100_000
    page = browser.new_page()
    seen = Seen(page)
    page.goto(path.as_uri())
    few, many = half_widths(drag(page, "labels", 200)), half_widths(drag(page, "labels", 900))
    assert many[0] < few[0]
    assert many[1] < few[1]
    assert many[0] < many[1], "chosen labels tell more than uniform ones"
    assert page.inner_text("#verdict") in ("Expected to pass", "Expected to stay open: label more")
    surer = half_widths(drag(page, "level", 3))
    assert surer[0] > many[0], "a higher level needs a wider band"
    rarer, commoner = (drag(page, "factor", value) for value in (0, 400))
    assert rarer != commoner
    page.select_option("#goal", index=1)
    assert page.inner_text("#sentence").startswith("With")
    assert "recall" in page.inner_text("#sentence")
    assert seen.errors == []
    assert seen.requests == [], "the page asks nobody"
    page.close()


@pytest.mark.parametrize("budget", [pytest.param(None, marks=pytest.mark.slow), 300])
def test_the_page_opens_with_the_forecast_that_the_terminal_prints(browser: Browser, seed: int, tmp_path: Path, budget: int | None) -> None:
    """The same labels, value, half-width, chance and verdict for every goal; with 300 labels recall stays open, and nothing is green."""
    sizing, text = made(seed, ["f1 +-0.06", "recall >= 0.72"], budget=budget)
    path = tmp_path / "plan.html"
    path.write_text(text, encoding="utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())
    assert sizing.shown_at is not None
    assert sizing.chance is not None
    said = page.inner_text("#together")
    assert f"{sizing.shown_at:,} labels" in said
    assert ("< 1 %" if sizing.chance < 0.01 else f"{sizing.chance:.0%}".replace("%", " %")) in said
    words = {"pass": "Expected to pass", "fail": "Expected to fail", "open": "Expected to stay open"}
    tones = {"pass": "ship", "fail": "do-not-ship", "open": "label-more"}
    for i, size in enumerate(sizing.goals):
        page.select_option("#goal", index=i)
        seen = size.forecast
        assert seen is not None
        assert seen.value is not None
        verdict, sentence = page.inner_text("#verdict"), page.inner_text("#sentence")
        assert verdict.startswith(words[seen.expected])
        assert page.get_attribute("#verdict", "class") == f"verdict {tones[seen.expected]}"
        assert (
            f"With {sizing.shown_at:,} labels: {size.goal.metric} {seen.value:.3f} ± {100 * seen.half_width:.1f} points chosen" in sentence
        )
        assert f"{size.labels:,} chosen labels" in page.inner_text("#next")
        assert "NaN" not in sentence
    assert (sizing.expected == "open") == (budget is not None)
    page.close()


def test_few_labels_are_too_thin_and_many_are_enough(browser: Browser, seed: int, tmp_path: Path) -> None:
    page = opened(browser, tmp_path, seed, ["f1 +-0.05"])
    drag(page, "labels", 0)
    assert page.inner_text("#verdict").startswith("Too thin")
    drag(page, "labels", 1000)
    assert page.inner_text("#verdict") == "Expected to pass"
    page.close()


def test_an_expected_failure_is_never_shown_as_enough(browser: Browser, seed: int, tmp_path: Path) -> None:
    """The scores themselves say a recall of about 0.8: of "recall >= 0.99" the terminal expects a failure, and so does the page."""
    page = opened(browser, tmp_path, seed, ["recall >= 0.99", "recall >= 0.5"])
    tones = {}
    for goal in (0, 1):
        page.select_option("#goal", index=goal)
        drag(page, "labels", 1000)
        tones[goal] = (page.get_attribute("#verdict", "class"), page.inner_text("#verdict"))
        for labels in (0, 250, 500, 750):
            drag(page, "labels", labels)
            assert not (goal == 0 and "pass" in page.inner_text("#verdict"))
    assert tones[0] == ("verdict do-not-ship", "Expected to fail: do not ship")
    assert tones[1] == ("verdict ship", "Expected to pass")
    page.close()


def test_no_number_is_nan_where_every_unit_is_labeled(browser: Browser, seed: int, tmp_path: Path) -> None:
    """With all flagged units labeled the half-width of precision is 0, of which no logarithm can be taken."""
    page = opened(browser, tmp_path, seed, ["precision +-0.05"])
    for labels in range(0, 1001, 50):
        said = drag(page, "labels", labels) + page.inner_text("#next")
        assert "NaN" not in said
        assert "Infinity" not in said
    assert "± 0.00 points chosen" in said
    page.close()


def test_a_name_that_is_a_script_is_shown_and_not_run(browser: Browser, seed: int, tmp_path: Path) -> None:
    text = made_page(seed, [f"f1 +-0.05 for {EVIL}"], name=EVIL)
    assert "<script>document.body" not in text
    path = tmp_path / "plan.html"
    path.write_text(text, encoding="utf-8")
    page = browser.new_page()
    seen = Seen(page)
    page.goto(path.as_uri())
    page.wait_for_timeout(200)
    assert page.title() == "fewlabels: how many labels?"
    assert page.eval_on_selector_all("script", "found => found.length") == 2
    assert EVIL in page.inner_text("#goal")
    assert seen.errors == []
    page.close()


def test_the_page_allows_no_network_and_says_its_numbers_without_scripts(seed: int) -> None:
    text = made_page(seed, ["precision +-0.05"])
    assert "default-src 'none'" in text
    assert "http://www.w3.org/2000/svg" in text  # the name of a namespace, not an address that is asked
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", text)
    found = re.search(r'id="data">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    data = json.loads(found[1])
    assert text.count("<tr><td>precision +-0.05</td>") == len(data["goals"][0]["labels"])


def test_a_share_of_the_value_moves_with_the_value(browser: Browser, seed: int, tmp_path: Path) -> None:
    """Dragged to more positives, 15 % of the prevalence are more points, as many more as the value; a goal in points stays where it is."""
    page = opened(browser, tmp_path, seed, ["prevalence +-15% of it", "prevalence +-0.01"])

    def value_and_points() -> tuple[float, float]:
        said = re.match(r"± 15 % of it \(± ([\d.]+) points\) needs about", page.inner_text("#next"))
        value = re.search(r"prevalence ([\d.]+) ±", page.inner_text("#sentence"))
        assert said is not None
        assert value is not None
        return float(value[1]), float(said[1])

    usual = value_and_points()
    drag(page, "factor", 400)
    many = value_and_points()
    assert many[0] > 1.5 * usual[0]
    assert many[1] / usual[1] == pytest.approx(many[0] / usual[0], rel=0.05)
    page.select_option("#goal", index=1)
    assert page.inner_text("#next").startswith("± 1.0 points needs")
    page.close()
