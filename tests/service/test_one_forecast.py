"""The same forecast wherever it is asked for: Python, the commands, the page of a plan, the workbench and its API."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

import fewlabels
from fewlabels.nouns.canonical import Json
from tests.end_to_end.commands import ok
from tests.service.workbench import Bench

GOALS = ("precision >= 0.7", "recall +-0.08", "precision +-0.15 by country")
SAID = ("value", "half_width", "chance", "settles", "expected")


def figures(goals: list[dict[str, Any]]) -> dict[str, dict[str, Json]]:
    """What is forecast of each goal."""
    return {one["goal"]: {name: (one.get("forecast") or one)[name] for name in SAID} for one in goals}


def page_data(path: Path) -> Any:
    """What the page of a plan shows."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', path.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    return json.loads(found.group(1))


@pytest.mark.parametrize("budget", [None, 300])
def test_all_places_say_the_same_of_one_plan(bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, budget: int | None) -> None:
    """Before the look, with a budget of one's own and with the size for all. The twin: another budget has other figures."""
    monkeypatch.chdir(bench.folder / "data")
    table = ("scored.parquet", "--score", "score", "--threshold", "0.5", "--slice", "country")
    goals = [part for goal in GOALS for part in ("--goal", goal)]
    spent = () if budget is None else ("--budget", budget)
    ledger = ("--ledger", bench.address)
    planned = ok("plan", *table, *goals, *spent, "--study", "one", *ledger, "--html", tmp_path / "plan.html", "--json").json
    shown_at, expected = planned["shown_at"], figures(planned["goals"])
    assert shown_at == (budget or planned["for_all"])
    assert planned["plan"]["budget"] == shown_at

    population = fewlabels.read_population("scored.parquet", score="score", threshold=0.5, slices=["country"])
    size = fewlabels.size(population, list(GOALS), budget=budget)
    assert figures([g.as_json() for g in size.goals]) == expected
    assert (size.shown_at, size.for_all, size.chance, size.expected) == (
        shown_at, planned["for_all"], planned["chance"], planned["expected"],
    )  # fmt: skip

    status = ok("status", "one", *ledger, "--json").json["forecast"]
    assert status["labels"] == shown_at
    assert status["expected"] == planned["expected"]
    assert status["chance"] == pytest.approx(planned["chance"])
    for goal, seen in figures(status["goals"]).items():
        assert seen["expected"] == expected[goal]["expected"]
        assert [seen[name] for name in SAID[:3]] == pytest.approx([expected[goal][name] for name in SAID[:3]])

    page = page_data(tmp_path / "plan.html")
    assert (page["shown_at"], page["chance"], page["expected"]) == (shown_at, planned["chance"], planned["expected"])
    assert figures(page["goals"]) == expected

    api = bench.browser().get("/api/studies/one/picture", params={} if budget is None else {"budget": budget}).json()
    assert figures(api["sizes"]["goals"]) == expected
    assert api["sizes"]["shown_at"] == shown_at
    if budget is None:
        assert figures(api["picture"]["goals"]) == expected

    other = ok("plan", *table, *goals, "--budget", 2 * shown_at, "--dry-run", "--json").json
    assert figures(other["goals"]) != expected

    grown = ok("plan", "--study", "one", "--budget", 2 * shown_at, *ledger, "--json").json
    assert {one["goal"]: one["before"] for one in grown["goals"]} == figures(status["goals"])
    assert grown["chance"][0] == status["chance"]


def test_answers_that_stay_out_are_foreseen_in_all_places(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """A third of the first 60 answers cannot be used: the command, a larger budget and the workbench foresee the same; none as before."""
    monkeypatch.chdir(bench.folder / "data")
    ledger = ("--ledger", bench.address)
    table = ("scored.parquet", "--score", "score", "--threshold", "0.5", "--slice", "country")
    ok("plan", *table, "--goal", "precision >= 0.7", "--goal", "recall +-0.08", "--budget", 150, "--study", "one", *ledger)
    before = ok("status", "one", *ledger, "--json").json["forecast"]
    study = fewlabels.Study.load("one", ledger=bench.address)
    batch = study.ask(60)
    assert batch is not None
    study.tell({unit: "cannot_tell" if i % 3 == 0 else "yes" for i, unit in enumerate(batch.units)})
    status = ok("status", "one", *ledger, "--json").json["forecast"]
    assert (status["labels"], status["usable"]) == (150, 100)
    expected = figures(status["goals"])
    assert expected != figures(before["goals"])

    sizes = bench.browser().get("/api/studies/one/picture", params={"budget": 150}).json()["sizes"]
    assert sizes["to_pay"]["unanswered"] == pytest.approx(1 / 3)
    for goal, seen in figures(sizes["goals"]).items():
        assert [seen[name] for name in SAID[:3]] == pytest.approx([expected[goal][name] for name in SAID[:3]])
    grown = ok("plan", "--study", "one", "--budget", 300, *ledger, "--json").json
    assert {one["goal"]: one["before"] for one in grown["goals"]} == expected


def test_the_page_counts_usable_answers_as_the_terminal_does(bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(bench.folder / "data")
    asked = ("plan", "scored.parquet", "--score", "score", "--threshold", "0.5", "--goal", "recall +-0.08", "--unanswered", "20%")
    planned = ok(*asked, "--html", tmp_path / "plan.html", "--json").json
    page = page_data(tmp_path / "plan.html")
    assert page["shown_at"] == planned["for_all"] < planned["shown_at"]
    assert page["to_pay"] == planned["to_pay"]["said"]
    assert figures(page["goals"]) == figures(planned["goals"])
