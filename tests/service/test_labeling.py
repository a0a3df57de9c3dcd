"""Labeling by the API: labelers are blind, what they tell is recorded once, and nothing leaves that gives an answer away."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import duckdb
import pytest
from fastapi.testclient import TestClient

from fewlabels.labeling.flat import FORMULA
from fewlabels.study.study import Study
from tests.service.workbench import OTHER, STUDY, Bench, make_bench

API = f"/api/studies/{STUDY}"
SHEET = {"show": [{"column": "text"}, {"column": "photo", "kind": "image"}], "instructions": "Read *all*.", "ask": "Spam?"}
HIDDEN = ("score", "predicted", "guide", "band", "pi", "estimate", "verdict", "labels")


def shown(bench: Bench) -> None:
    assert bench.browser().put(f"{API}/sheet", json=SHEET).status_code == 200


def take(client: TestClient, units: int = 5, **more: Any) -> Any:
    answer = client.post(f"{API}/turns", json={"units": units, **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


def tell(client: TestClient, *said: tuple[str, str], **more: Any) -> Any:
    body = {"answers": [{"unit": unit, "answers": {"positive": answer}, **more} for unit, answer in said]}
    answer = client.post(f"{API}/answers", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_labeler_sees_the_columns_of_the_sheet_and_nothing_else(bench: Bench) -> None:
    shown(bench)
    client = bench.browser("ann")
    sheet = client.get(f"{API}/sheet").json()
    assert sheet["questions"] == ["positive"]
    assert sheet["answers"] == ["yes", "no"]
    assert sheet["instructions"] == "Read *all*."
    assert sheet["check_every"] is None  # a labeler who knew would know which units are checks
    taken = take(client)
    assert len(taken["turns"]) == 5
    for turn in taken["turns"]:
        assert turn.keys() == {"unit", "content", "until", "comment"}
        assert turn["content"].keys() == {"text", "photo"}
    assert taken["progress"].keys() == {"told", "resolved", "planned", "waiting"}
    everything = json.dumps([sheet, taken, client.get("/api/studies").json(), client.get("/api/me").json()]).lower()
    assert [word for word in HIDDEN if f'"{word}"' in everything] == []


@pytest.mark.parametrize("column", ["score", "no_such_column"])
def test_a_sheet_shows_no_score_and_nothing_that_is_not_there(bench: Bench, column: str) -> None:
    answer = bench.browser().put(f"{API}/sheet", json={"show": [{"column": column}]})
    assert answer.status_code in (400, 409)
    assert column in answer.json()["error"]


def test_what_is_told_is_recorded_once(bench: Bench) -> None:
    shown(bench)
    client = bench.browser("ann")
    first, second, third = (turn["unit"] for turn in take(client, 3)["turns"])
    at = "2026-01-01T00:00:00Z"
    assert [one["status"] for one in tell(client, (first, "yes"), (second, "no"), at=at)["acknowledged"]] == ["recorded"] * 2
    again = tell(client, (first, "yes"), at=at)
    assert [one["status"] for one in again["acknowledged"]] == ["known"]
    assert again["progress"]["told"] == 2
    assert tell(client, (first, "no"), at="2026-01-01T00:00:09Z", correct=True)["acknowledged"][0]["status"] == "corrected"
    standing = bench.study().standing
    assert {unit: standing.told(unit)[0].answer for unit in (first, second)} == {first: "no", second: "no"}
    assert standing.told(first)[0].labeler == "ann"
    assert not standing.told(third)


def test_a_wrong_answer_is_refused_and_holds_up_no_other(bench: Bench) -> None:
    client = bench.browser("ann")
    good, bad = (turn["unit"] for turn in take(client, 2)["turns"])
    body = {"answers": [{"unit": bad, "answers": {"positive": "banana"}}, {"unit": "not drawn", "answers": {"positive": "yes"}},
                        {"unit": good, "answers": {"other": "yes"}}, {"unit": good, "answers": {"positive": "cannot_tell"}}]}  # fmt: skip
    found = client.post(f"{API}/answers", json=body).json()["acknowledged"]
    assert [one["status"] for one in found] == ["refused", "refused", "refused", "recorded"]
    assert all(one["why"] for one in found[:3])


def test_two_labelers_get_different_units_and_one_cannot_answer_for_the_other(bench: Bench) -> None:
    bench.people.set_role("bob", STUDY, "labeler")
    ann, bob = bench.browser("ann"), bench.browser("bob")
    hers, his = ([turn["unit"] for turn in take(client, 10)["turns"]] for client in (ann, bob))
    assert not set(hers) & set(his)
    assert tell(bob, (hers[0], "yes"))["acknowledged"][0]["status"] == "refused"
    assert ann.request("DELETE", f"{API}/turns", json={"units": hers}).json() == {"given_back": 10}
    assert bob.request("DELETE", f"{API}/turns", json={"units": hers}).json() == {"given_back": 0}


def test_a_unit_put_off_comes_last_and_nothing_is_recorded(bench: Bench) -> None:
    client = bench.browser("ann")
    units = [turn["unit"] for turn in take(client, 40)["turns"]]
    assert client.post(f"{API}/turns/later", json={"units": units[:2]}).json() == {"moved": 2}
    assert tell(client, (units[0], "yes"))["acknowledged"][0]["status"] == "refused", "it is no longer hers"
    assert [turn["unit"] for turn in take(client, 40)["turns"]] == [*units[2:], *units[:2]]
    assert not any(bench.study().standing.told(unit) for unit in units)
    assert bench.browser("bob").post(f"{API}/turns/later", json={"units": units}).status_code == 404


def test_comments_and_reasons_are_for_owners_and_their_author(bench: Bench) -> None:
    ann, adi, owner = bench.browser("ann"), bench.browser("adi"), bench.browser()
    unit = take(ann, 1)["turns"][0]["unit"]
    secret = "surely spam <b>"
    assert ann.put(f"{API}/comments", json={"unit": unit, "text": secret}).json() == {"done": True}
    assert take(ann, 1)["turns"][0]["comment"] == secret
    refused = adi.put(f"{API}/comments", json={"unit": unit, "text": "mine"})
    assert (refused.status_code, "not given to you" in refused.json()["error"]) == (400, True)
    assert ann.put(f"{API}/comments", json={"unit": unit, "text": "x" * 2_001}).status_code == 422
    assert tell(ann, (unit, "skipped"), note="no text")["acknowledged"][0]["status"] == "recorded"
    found = owner.get(f"{API}/notes").json()
    assert (found["total"], found["page"], found["pages"]) == (2, 1, 1)
    assert {(one["unit"], one["labeler"], one["kind"], one["text"]) for one in found["notes"]} == {
        (unit, "ann", "comment", secret),
        (unit, "ann", "left out", "no text"),
    }
    assert "surely spam &lt;b&gt;" in owner.get(f"/studies/{STUDY}/notes").text
    for client in (ann, adi, bench.browser("vic")):
        assert client.get(f"{API}/notes").status_code == 403
        assert client.get(f"/studies/{STUDY}/notes").status_code == 403
    assert secret not in json.dumps(take(adi, 40))
    bench.app.state.bench.ledger.forget(STUDY)
    assert owner.get(f"{API}/notes").json()["total"] == 0


def test_what_is_left_says_nothing_of_the_answers(bench: Bench) -> None:
    ann, owner = bench.browser("ann"), bench.browser()
    units = [turn["unit"] for turn in take(ann, 40)["turns"]]
    assert ann.get(f"{API}/rest").json() == {"rest": "open", "told": 0, "elsewhere": [], "look": None}
    assert bench.browser("adi").get(f"{API}/rest").json()["rest"] == "waiting"
    tell(ann, *((unit, "yes") for unit in units))
    bench.people.set_role("ann", OTHER, "labeler")
    assert ann.get(f"{API}/rest").json() == {"rest": "finished", "told": 40, "elsewhere": [OTHER], "look": None}
    assert bench.browser("adi").get(f"{API}/rest?adjudicates=true").json()["rest"] == "finished"
    assert owner.get(f"{API}/rest").json()["look"] is True


def test_instructions_are_marked_up_on_the_page_and_plain_in_the_api(bench: Bench) -> None:
    owner = bench.browser()
    owner.put(f"{API}/sheet", json={"instructions": "- *all* <script>alert(1)</script> [x](javascript:y)"})
    text = bench.browser("ann").get(f"/studies/{STUDY}/label").text
    assert "<em>all</em> &lt;script&gt;alert(1)&lt;/script&gt; [x](javascript:y)</li>" in text
    assert bench.browser("ann").get(f"{API}/sheet").json()["instructions"].startswith("- *all* <script>")


def test_no_word_of_the_command_line_is_on_the_pages_of_labelers(bench: Bench) -> None:
    for path in ("label", "notes"):
        text = bench.browser().get(f"/studies/{STUDY}/{path}").text
        assert "--" not in text
        assert "fewlabels plan" not in text


def test_only_adjudicators_adjudicate(bench: Bench) -> None:
    assert bench.browser("ann").post(f"{API}/turns", json={"adjudicates": True}).status_code == 403
    assert take(bench.browser("adi"), adjudicates=True)["turns"] == []


def test_a_labeler_learns_nothing_from_refusals(tmp_path: Path) -> None:
    bench = make_bench(tmp_path, copied=False)  # whose table can be moved
    shown(bench)
    (bench.folder / "data" / "scored.parquet").rename(bench.folder / "data" / "elsewhere.parquet")
    answer = bench.browser("ann").post(f"{API}/turns", json={})
    assert answer.status_code in (400, 409)
    assert str(bench.folder) not in answer.text
    assert "parquet" not in answer.text
    assert "log says why" in answer.json()["error"]


def test_an_export_runs_no_formula(bench: Bench) -> None:
    name = "=HYPERLINK('x')"
    owner = bench.browser()
    assert owner.post("/api/people", json={"name": name.replace("/", "")}).status_code == 201
    bench.people.set_role(name, STUDY, "labeler")
    client = bench.browser(name)
    unit = take(client, 1)["turns"][0]["unit"]
    tell(client, (unit, "yes"), at="@SUM(1)")
    answer = owner.get(f"{API}/answers.csv")
    assert answer.headers["content-type"].startswith("text/csv")
    assert "attachment" in answer.headers["content-disposition"]
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert rows == [{"unit": unit, "question": "positive", "answer": "yes", "labeler": f"'{name}", "at": "'@SUM(1)", "gold": ""}]
    assert not any(FORMULA.match(cell) for row in rows for cell in row.values())


@pytest.mark.parametrize(
    ("ending", "kind"), [("html", "text/html"), ("md", "text/markdown"), ("txt", "text/plain"), ("json", "application/json")]
)
def test_a_report_is_a_file_to_hand_on_and_has_no_number_before_the_look(bench: Bench, ending: str, kind: str) -> None:
    unit = take(bench.browser("ann"), 1)["turns"][0]["unit"]
    tell(bench.browser("ann"), (unit, "yes"))
    answer = bench.browser().get(f"{API}/report.{ending}")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith(kind)
    assert answer.headers["content-disposition"] == f'attachment; filename="report.{ending}"'
    assert "39 of 40 units are still to be labeled" in answer.text
    assert bench.browser().get(f"{API}/report.exe").status_code == 422


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_answers_with_their_weights_are_withheld_before_the_look(bench: Bench, ending: str, tmp_path: Path) -> None:
    early = bench.browser().get(f"{API}/weighed.{ending}")
    assert early.status_code == 409
    assert "no interval before" in early.json()["error"]
    study = bench.study()
    study.close()
    looks = len(study.standing.looks)
    answer = bench.browser().get(f"{API}/weighed.{ending}")
    assert answer.status_code == 200
    file = tmp_path / f"weighed.{ending}"
    file.write_bytes(answer.content)
    with duckdb.connect() as connection:
        table = connection.execute(f"select * from '{file}'")
        assert [name for name, *_ in table.description][-4:] == ["probability", "weight", "band", "band_size"]
        assert len(table.fetchall()) == 40
    assert len(study.standing.looks) == looks + 1
    assert bench.browser().get(f"{API}/weighed.exe").status_code == 422


@pytest.mark.parametrize("body", [{}, {"answers": []}, {"answers": [{"unit": "u"}]}, {"answers": [{"unit": "u", "answers": {}}]},
                                  {"answers": [{"unit": "u" * 2000, "answers": {"positive": "yes"}}]}, [], None, {"answers": "x"},
                                  {"answers": [{"unit": "u", "answers": {"positive": "yes"}, "seconds": -1}]},
                                  {"answers": [{"unit": "u", "answers": {"positive": "yes"}, "labeler": "ann"}]},
                                  {"answers": [{"unit": "a\x00", "answers": {"positive": "yes"}}]}])  # fmt: skip
def test_a_body_of_another_form_is_refused(shared: Bench, body: Any) -> None:
    answer = shared.browser("ann").post(f"{API}/answers", json=body)
    assert answer.status_code == 422
    assert answer.json().keys() <= {"error", "field"}


def test_the_whole_path_from_the_browser(bench: Bench) -> None:
    owner = bench.browser()
    classifiers = [{"name": "a", "score": "score", "threshold": 0.5}, {"name": "b", "score": "score_b", "threshold": 0.5}]
    population = {"source": "scored.parquet", "slices": ["country"], "classifiers": classifiers}
    new = {"name": "week 46", "population": population, "goals": ["precision +-0.2", "precision +-0.2 for b"], "stopping": "2 looks"}
    assert owner.post("/api/studies", json=new | {"stopping": "never"}).status_code == 400
    made = owner.post("/api/studies", json=new)
    assert made.status_code == 201, made.text
    assert made.json()["units"] == 2_000
    assert owner.post("/api/studies", json=new).status_code == 201  # twice is once
    assert owner.post("/api/studies", json=new | {"level": 0.9}).status_code == 409
    api = "/api/studies/week 46"
    assert owner.get(api).json()["state"] == "no plan"
    assert owner.get(f"{api}/estimate").status_code == 409
    picture = owner.get(f"{api}/picture", params={"budget": 60, "cost_per_label": 0.5}).json()
    assert picture["picture"]["goals"]
    assert picture["sizes"]["cost"]["budget"]["money"] == 30
    plan = owner.post(f"{api}/plan", json={"budget": 60, "double": 0.2}).json()
    assert plan["budget"] == 60
    assert owner.get(api).json()["state"] == "labeling"
    assert owner.put(f"/api/people/ann/studies/{api.rpartition('/')[2]}", json={"role": "labeler"}).status_code == 200
    assert owner.put("/api/people/bob/studies/week 46", json={"role": "labeler"}).status_code == 200
    label_all(bench, api)
    found = owner.get(f"{api}/estimate").json()
    assert found["certified"]
    assert {(one["metric"], one["classifier"]) for one in found["estimates"]} >= {("precision", "a"), ("precision", "b")}
    assert owner.get(f"{api}/decide").json()["decision"]["outcome"] in ("ship", "do not ship", "label more")
    assert len(owner.get(f"{api}/slices", params={"metric": "precision", "by": "country"}).json()["estimates"]) == 2
    assert owner.get(f"{api}/compare", params={"first": "a", "second": "b", "metric": "precision"}).json()["estimate"]
    audit = owner.get(f"{api}/audit", params={"verify": True}).json()
    assert audit["verification"] == {**audit["verification"], "passed": True}
    assert {"plan", "draw", "look"} <= {one["kind"] for one in audit["recorded"]}
    assert audit["counts"]["answer"] >= 60
    assert owner.get(f"{api}/labelers").status_code == 200
    assert owner.get(f"{api}/convergence").status_code == 200
    assert owner.get(api).json()["state"] == "ready"


def label_all(bench: Bench, api: str) -> None:
    """Two people answer whatever they are given."""
    clients = [bench.browser("ann"), bench.browser("bob")]
    while taken := [(client, turn["unit"]) for client in clients for turn in client.post(f"{api}/turns", json={}).json()["turns"]]:
        for client, unit in taken:
            said = [{"unit": unit, "answers": {"positive": "yes" if int(unit[1:]) % 3 else "no"}, "seconds": 2.5}]
            assert client.post(f"{api}/answers", json={"answers": said}).json()["acknowledged"][0]["status"] == "recorded"


def test_closing_ends_the_waiting(bench: Bench) -> None:
    owner = bench.browser()
    assert owner.post(f"{API}/close").json() == {"never_answered": 40}
    assert owner.post(f"{API}/close").json() == {"never_answered": 0}


def test_a_study_whose_name_cannot_be_addressed_is_listed_as_not_served(bench: Bench) -> None:
    held = bench.app.state.bench
    Study.create("a/b", bench.study().standing.read_population(), goals=["precision +-0.2"], ledger=held.ledger)
    owner = bench.browser()
    listed = owner.get("/api/studies").json()
    assert listed["not_served"] == ["a/b"]
    assert [one["name"] for one in listed["studies"]] == [STUDY, OTHER]
    assert owner.get("/api/studies/a%2Fb").status_code == 404
    population = {"source": "scored.parquet", "score": "score", "threshold": 0.5}
    for name in ("a/b", "", "\n", "..", "x" * 200, "a\u202eb"):
        answer = owner.post("/api/studies", json={"name": name, "population": population, "goals": ["precision +-0.2"]})
        assert answer.status_code in (400, 422), name


@pytest.mark.parametrize("source", ["../ledger.db", "/etc/passwd", "postgresql://h/d#t", "no.parquet"])
def test_a_study_is_made_of_tables_below_the_folder_only(bench: Bench, source: str) -> None:
    population = {"source": source, "score": "score", "threshold": 0.5}
    answer = bench.browser().post("/api/studies", json={"name": "new", "population": population, "goals": ["precision +-0.2"]})
    assert answer.status_code == 400
    assert "data folder" in answer.json()["error"]
    assert "new" not in bench.app.state.bench.ledger.studies()
