"""A study made in the browser: problems at the field they concern, the labeling form, who made it, and another like it."""

import json
import re
from typing import Any

import httpx2 as httpx
import pytest

from fewlabels.ledgers.listing import listing
from fewlabels.nouns.sheet import FormColumn
from tests.service.test_pages import Parts
from tests.service.workbench import STUDY, Bench

POPULATION = {
    "source": "scored.parquet",
    "id": "id",
    "classifiers": [{"name": "a", "score": "score", "threshold": 0.5}, {"name": "b", "score": "score_b", "threshold": 0.5}],
    "slices": ["country"],
}
NEW = {"name": "fresh", "population": POPULATION, "goals": ["precision +-0.2 for a", "recall >= 0.3 for b in every country"]}


def create(bench: Bench, **changes: Any) -> httpx.Response:
    return bench.browser().post("/api/studies", json=NEW | changes)


def population(**changes: Any) -> dict[str, Any]:
    return {"population": POPULATION | changes}


def classifier(**changes: Any) -> dict[str, Any]:
    return population(classifiers=[POPULATION["classifiers"][0], {"name": "b", "score": "score_b", "threshold": 0.5} | changes])


@pytest.mark.parametrize(
    ("changes", "field", "words"),
    [
        ({"name": "a/b"}, "name", "pattern"),
        ({"name": ".."}, "name", "another name"),
        ({"name": STUDY}, "name", "another name"),
        (population(source="nowhere.parquet"), "population.source", "nowhere.parquet"),
        (population(id="uid"), "population.id", "did you mean"),
        (population(id="country"), "population.id", "an id of their own"),
        (population(slices=["country", "contry"]), "population.slices.1", "did you mean 'country'"),
        (population(slices=["country", "score"]), "population.slices.1", "slice column must be one of"),
        (population(weight="text"), "population.weight", "weight column must be one of"),
        (population(guide="scores"), "population.guide", "did you mean"),
        (population(cluster="id"), "population.cluster", "cluster"),
        (population(slices=["country", "country"]), "population.slices", "must differ"),
        (population(weight="country"), "population.weight", "either a weight or a slice"),
        (classifier(score="scor_b"), "population.classifiers.1.score", "did you mean"),
        (classifier(score="text"), "population.classifiers.1.score", "score column must be one of"),
        (classifier(score_range=[0, 0.5]), "population.classifiers.1.score", "within [0, 0.5]"),
        (classifier(threshold=None), "population.classifiers.1", "threshold"),
        (classifier(score=None, threshold=None, predicted="country"), "population.classifiers.1.predicted", "prediction column"),
        (classifier(name="a=b"), "population.classifiers.1", "rename it"),
        (classifier(name="a"), "population.classifiers", "must differ"),
        (classifier(threshold="high"), "population.classifiers.1.threshold", "number"),
        ({"goals": ["precision +-0.2 for a", "precison +-0.1"]}, "goals.1", "did you mean precision"),
        ({"goals": ["recall >= 0.9 for c"]}, "goals.0", "no classifier 'c'"),
        ({"goals": ["recall >= 0.9 in every contry"]}, "goals.0", "country"),
        ({"goals": ["recall by amount +-0.1"]}, "goals.0", "weight"),
        ({"goals": []}, "goals", "at least 1"),
        ({"level": 2}, "level", "less than 1"),
        ({"stopping": "never"}, "stopping", "never"),
        ({"follows": "nobody"}, "follows", "nobody"),
        ({"sheet": {"show": [{"column": "score_b"}]}}, "sheet.show", "labelers see no score"),
        ({"sheet": {"show": [{"column": "txt"}]}}, "sheet.show", "did you mean 'text'"),
    ],
)
def test_a_problem_names_its_field(shared: Bench, changes: dict[str, Any], field: str, words: str) -> None:
    answer = create(shared, **changes)
    assert answer.status_code in (400, 409, 422), answer.text
    said = answer.json()
    assert (said["field"], words in said["error"]) == (field, True), said
    assert "--" not in said["error"]
    assert not shared.app.state.bench.has("fresh"), "nothing was recorded"


def test_a_single_score_is_named_as_it_was_asked_for(shared: Bench) -> None:
    answer = create(shared, population={"source": "scored.parquet", "score": "scor", "threshold": 0.5}, goals=["precision +-0.2"])
    assert answer.json()["field"] == "population.score"


def test_an_error_about_no_field_says_none(shared: Bench) -> None:
    assert shared.browser().get("/api/files", params={"folder": ".."}).json().keys() == {"error"}


def test_a_study_comes_with_its_labeling_form_and_its_owner(bench: Bench) -> None:
    sheet = {"show": [{"column": "text"}, {"column": "photo", "kind": "image"}], "ask": "Is it spam?", "instructions": "Look."}
    answer = create(bench, sheet=sheet)
    assert answer.status_code == 201, answer.text
    set_now = bench.app.state.bench.desk("fresh").sheet
    assert (set_now.show, set_now.ask) == ((FormColumn("text"), FormColumn("photo", "image")), "Is it spam?")
    assert listing(bench.app.state.bench.ledger)["fresh"].owner == "owner"
    assert create(bench, sheet=sheet).status_code == 201, "the same again changes nothing"


def test_another_like_it_has_its_columns_goals_and_form(bench: Bench) -> None:
    assert (
        create(bench, name="spam-46", sheet={"show": [{"column": "text"}], "ask": "Is it spam?"}, level=0.9, rule="majority").status_code
        == 201
    )
    page = bench.browser().get("/studies/new", params={"like": "spam-46"})
    assert Parts(page.text).faults == []
    found = re.search(r'<script type="application/json" id="before">(.*?)</script>', page.text, re.S)
    assert found is not None
    before = json.loads(found[1])
    assert (before["name"], before["follows"], before["level"], before["rule"]) == ("spam-47", "spam-46", 0.9, "majority")
    assert before["goals"] == ["precision +-0.2 for a", "recall >= 0.3 for b by country"], "those of every country are one again"
    assert [one["name"] for one in before["classifiers"]] == ["a", "b"]
    assert (before["sheet"]["ask"], before["slices"], before["left"]) == ("Is it spam?", ["country"], [])
    again = {key: before[key] for key in ("name", "follows", "level", "rule", "about", "goals")}
    fields = {"source": "scored.parquet"} | {key: before[key] for key in ("id", "slices", "classifiers")}
    assert create(bench, population=fields, **again).status_code == 201, "what is filled in can be sent"
    assert bench.study("spam-47").standing.follows == "spam-46"
    assert bench.study("spam-47").standing.goals == bench.study("spam-46").standing.goals


def test_nobody_but_owners_sees_what_a_study_was_made_with(shared: Bench) -> None:
    assert shared.browser().get("/studies/new", params={"like": "nobody"}).status_code == 404
    assert shared.browser("ann").get("/studies/new", params={"like": STUDY}).status_code == 403
