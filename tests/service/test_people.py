"""People and groups: a list is read before it is done, a name stands for one person, and owners alone see how labelers work."""

import time
from typing import Any

import pytest
from fastapi.testclient import TestClient

from fewlabels.desk.desk import Desk, Said
from fewlabels.nouns.label import Label
from tests.service.workbench import STUDY, Bench

BATCH = 10


def lines(client: TestClient, text: str, *, do: bool = False, returns: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    answer = client.post("/api/invitations" if do else "/api/invitations/preview", json={"text": text, "returns": list(returns)})
    assert answer.status_code == (201 if do else 200), answer.text
    found: list[dict[str, Any]] = answer.json()["lines"]
    return found


def people(bench: Bench) -> dict[str, Any]:
    return {one.name: one for one in bench.people.everyone()}


def access(bench: Bench) -> list[Any]:
    """Everybody, but for when they were seen."""
    return [one._replace(seen=None) for one in bench.people.everyone()]


def answer(bench: Bench, person: str, said: str = "yes", units: int = BATCH) -> list[str]:
    desk = Desk(bench.study())
    given = desk.take(person, units)
    desk.tell(person, [Said(one.unit, {"positive": said}) for one in given])
    return [one.unit for one in given]


def test_a_list_is_shown_before_it_is_done(bench: Bench) -> None:
    owner = bench.browser()
    before = access(bench)
    text = "dora, labels, alpha, german\nemil; settles disagreements; beta\n\nfritz\tviewer\talpha\tbolt\ngerd\n"
    text += "ann, adjudicator, alpha\nann\n"
    shown = lines(owner, text)
    assert [(one["name"], one["becomes"]) for one in shown] == [
        ("dora", "new"), ("emil", "new"), ("fritz", "new"), ("gerd", "new"), ("ann", "changes"), ("ann", "nothing")
    ]  # fmt: skip
    assert shown[0]["why"] == "is invited and labels in alpha and joins german"
    assert access(bench) == before
    done = lines(owner, text, do=True)
    assert [(one["becomes"], bool(one["link"])) for one in done] == [(one["becomes"], one["becomes"] == "new") for one in shown]
    after = people(bench)
    assert (after["dora"].studies, after["dora"].groups) == (((STUDY, "labeler"),), ("german",))
    assert (after["emil"].studies, after["fritz"].groups, after["gerd"].studies) == ((("beta", "adjudicator"),), ("bolt",), ())
    assert after["ann"].role_in(STUDY) == "adjudicator"
    for one in done:
        if one["link"]:
            key = one["link"].rpartition("=")[2]
            assert bench.anonymous().post("/enter", data={"key": key}).status_code == 303, one


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("zoe, boss, alpha", "what somebody does is one of labels"),
        ("zoe, labels", "only a role"),
        ("zoe, , alpha", "only a study"),
        ("zoe, labels, nowhere", "no study 'nowhere'"),
        ("a/b", "no slash"),
        ("z" * 65, "up to 64"),
        ("owner2\u200b", "visible"),
        ("Ann", "looks like the person 'ann'"),
        ("\uff41nn", "looks like the person 'ann'"),
        ("zo  e", "single spaces"),
        ("adi, , , ann", "looks like the person 'ann'"),
        ("owner, labels, alpha", "every study"),
        (", labels, alpha", "visible"),
    ],
)
def test_a_line_that_cannot_be_done_says_why_and_does_nothing(shared: Bench, line: str, why: str) -> None:
    owner = shared.browser()
    before = access(shared)
    (shown,) = lines(owner, line, do=True)
    assert shown["becomes"] == "refused"
    assert why in shown["why"]
    assert shown["link"] is None
    assert access(shared) == before


def test_two_lines_of_one_new_person_are_one_person(bench: Bench) -> None:
    done = lines(bench.browser(), "dora, labels, alpha\ndora, labels, beta\nDora", do=True)
    assert [one["becomes"] for one in done] == ["new", "changes", "refused"]
    assert people(bench)["dora"].studies == ((STUDY, "labeler"), ("beta", "labeler"))


def test_a_name_that_has_answers_is_not_given_to_somebody_new(bench: Bench) -> None:
    owner = bench.browser()
    told = answer(bench, "ann")
    assert owner.delete("/api/people/ann").status_code == 200
    refused = owner.post("/api/people", json={"name": "ann"})
    assert refused.status_code == 409
    assert refused.json()["error"] == (
        "a name stands for one person, but 'ann' has 10 answers in 1 study: choose another name, or bring the same person back as 'ann' "
        "(returns: true)"
    )
    (shown,) = lines(owner, "ann", do=True)
    assert (shown["becomes"], shown["answers"], shown["link"]) == ("refused", len(told), None)
    assert "ann" not in people(bench)
    (back,) = lines(owner, "ann", do=True, returns=("ann",))
    assert back["becomes"] == "returns"
    assert back["link"]
    assert people(bench)["ann"].studies == (), "who comes back gets no role by it"


@pytest.mark.parametrize("name", ["Ann", "ANN", "\uff41nn", "ann\u200b", " ann", "ann "])
@pytest.mark.parametrize("removed", [True, False])
def test_a_name_that_looks_like_one_with_answers_is_refused_too(bench: Bench, name: str, removed: bool) -> None:
    owner = bench.browser()
    answer(bench, "ann")
    if removed:
        owner.delete("/api/people/ann")
    refused = owner.post("/api/people", json={"name": name, "returns": True})
    assert refused.status_code in (400, 409), refused.text
    assert set(people(bench)) & {name} == set()


def test_the_same_person_comes_back_by_the_api(bench: Bench) -> None:
    owner = bench.browser()
    answer(bench, "ann")
    owner.delete("/api/people/ann")
    assert owner.post("/api/people", json={"name": "ann", "returns": True}).status_code == 201
    assert owner.post("/api/people", json={"name": "new one"}).status_code == 201


def test_answers_from_a_file_hold_a_name_too(bench: Bench) -> None:
    study = bench.study()
    batch = study.ask(3)
    assert batch is not None
    study.tell([Label(unit=unit, answer="yes", labeler="fay") for unit in batch.units])
    assert bench.browser().post("/api/people", json={"name": "fay"}).status_code == 409


def test_groups_are_joined_left_recorded_and_end_with_the_person(bench: Bench) -> None:
    owner = bench.browser()
    assert owner.put("/api/groups/german/people/ann").json() == {"done": True}
    owner.put("/api/groups/german/people/ann")
    owner.put("/api/groups/german/people/adi")
    assert owner.get("/api/groups").json() == {"groups": [{"name": "german", "people": ["adi", "ann"]}]}
    assert owner.put("/api/groups/German/people/vic").status_code == 409, "it looks like another group"
    assert owner.put("/api/groups/vic/people/ann").status_code == 409, "it is somebody's name"
    assert owner.post("/api/people", json={"name": "GERMAN"}).status_code == 409
    assert owner.delete("/api/groups/german/people/vic").status_code == 404
    acts = [e.body["act"] for e in bench.study().ledger.entries(STUDY) if e.kind == "access" and e.body["person"] == "ann"]
    assert acts.count("joined the group german") == 1
    owner.delete("/api/people/ann")
    owner.delete("/api/groups/german/people/adi")
    assert owner.get("/api/groups").json() == {"groups": []}


def test_somebody_is_seen_but_not_noted_with_every_request(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [time.time()]
    monkeypatch.setattr(bench.people, "_clock", lambda: now[0])
    ann, first = bench.browser("ann"), now[0]
    ann.get("/")
    now[0] += 200
    ann.get("/")
    assert people(bench)["ann"].seen == first
    now[0] += 200
    ann.get("/")
    assert people(bench)["ann"].seen == first + 400
    assert people(bench)["vic"].seen is None


def test_who_labels_what_is_set_recorded_and_kept_when_the_form_is_saved(bench: Bench) -> None:
    owner = bench.browser()
    owner.put("/api/groups/german/people/ann")
    set_to = owner.put(f"/api/studies/{STUDY}/routes", json={"route_by": "country", "routes": {"DE": ["german"], "US": ["adi"]}})
    assert set_to.status_code == 200, set_to.text
    found = {route["value"]: route for route in set_to.json()["routes"]}
    assert (found["DE"]["people"], found["US"]["people"], set_to.json()["waiting"]) == (["ann"], ["adi"], [])
    assert owner.put(f"/api/studies/{STUDY}/sheet", json={"show": [{"column": "text"}], "ask": "Is it?"}).status_code == 200
    assert owner.get(f"/api/studies/{STUDY}/routes").json()["route_by"] == "country"
    turns = bench.browser("ann").post(f"/api/studies/{STUDY}/turns", json={"units": 30}).json()["turns"]
    country = {row["id"]: row["country"] for row in rows(bench)}
    assert turns
    assert {country[turn["unit"]] for turn in turns} == {"DE"}
    assert owner.get(f"/api/studies/{STUDY}/routes").json()["routes"][0]["open"] > 0
    sheets = [entry.body for entry in bench.study().ledger.entries(STUDY) if entry.kind == "sheet"]
    assert sheets[0]["routes"] == {"DE": ["german"], "US": ["adi"]}
    assert sheets[0]["by"] == "owner"


def rows(bench: Bench) -> list[dict[str, Any]]:
    units = bench.study().standing.units
    assert units is not None
    return [{"id": unit, **row} for unit, row in zip(units.unit, bench.study().fetch(units.unit, columns=["country"]), strict=True)]


@pytest.mark.parametrize(
    "wanted", [{"route_by": "score"}, {"route_by": "country", "routes": {"DE": ["nobody"]}}, {"routes": {"DE": ["ann"]}}]
)
def test_a_route_to_nobody_is_refused_in_words(shared: Bench, wanted: dict[str, Any]) -> None:
    refused = shared.browser().put(f"/api/studies/{STUDY}/routes", json=wanted)
    assert refused.status_code == 400
    assert ":" in refused.json()["error"]


def test_units_that_nobody_may_label_are_said_so(bench: Bench) -> None:
    owner = bench.browser()
    owner.put("/api/groups/german/people/vic")  # who only reads results
    owner.put(f"/api/studies/{STUDY}/routes", json={"route_by": "country", "routes": {"DE": ["german"]}})
    assert "units of `DE` are going to wait" in owner.get(f"/api/studies/{STUDY}").json()["warnings"][-1]
    answer(bench, "adi", units=1)  # with which the units are drawn
    said = owner.get(f"/api/studies/{STUDY}").json()["warnings"][-1]
    assert "units of `DE` wait for somebody: nobody may label them (german)" in said
    assert "wait for somebody" in owner.get(f"/studies/{STUDY}/people").text
    owner.put("/api/groups/german/people/ann")
    assert not any("wait for somebody" in one for one in owner.get(f"/api/studies/{STUDY}").json()["warnings"])


def test_owners_see_how_labelers_work_and_where_others_differ(bench: Bench) -> None:
    owner, desk = bench.browser(), Desk(bench.study())
    owner.put(f"/api/studies/{STUDY}/sheet", json={"show": [{"column": "text"}]})
    desk.double(1.0)
    first = answer(bench, "ann", "yes")
    answer(bench, "adi", "no", 40)
    found = {one["name"]: one for one in owner.get(f"/api/studies/{STUDY}/people").json()["people"]}
    assert (found["ann"]["role"], found["ann"]["units"], found["ann"]["lately"]) == ("labeler", 10, 10)
    assert found["ann"]["card"]["agreement"]["units"] == 10
    assert "answers" not in found["ann"]["card"], "how often each was given all but reveals the estimate"
    told = owner.get(f"/api/studies/{STUDY}/people/ann/answers", params={"differs": True}).json()
    assert {one["unit"] for one in told["answers"]} == set(first)
    assert all(one["others"] == {"adi": "no"} and one["content"]["text"].startswith("message") for one in told["answers"])
    text = owner.get(f"/studies/{STUDY}/people/adi").text
    assert "Where others disagree" in text
    assert "score" not in text.lower()
    assert "&lt;b&gt;&amp;&lt;/b&gt;" in text


def test_who_labels_in_the_study_sees_none_of_it(bench: Bench) -> None:
    """An owner too, until the labeling is over."""
    owner = bench.browser()
    answer(bench, "ann")
    assert owner.get(f"/api/studies/{STUDY}/people").json()["hidden"] is None
    answer(bench, "owner", units=1)
    found = owner.get(f"/api/studies/{STUDY}/people").json()
    assert "You label in this study yourself" in found["hidden"]
    assert all(one["card"] is None for one in found["people"])
    assert owner.get(f"/api/studies/{STUDY}/people/ann/answers").status_code == 409
    assert owner.get(f"/studies/{STUDY}/people/ann").status_code == 409
    for person in ("ann", "adi", "vic"):
        client = bench.browser(person)
        assert client.get(f"/studies/{STUDY}/people").status_code == 403
        assert client.get(f"/api/studies/{STUDY}/people/ann/answers").status_code == 403
    answer(bench, "ann", units=40)
    assert owner.get(f"/api/studies/{STUDY}/people").json()["hidden"] is None, "the labeling is over"


def test_answers_are_shown_a_page_at_a_time() -> None:
    from fewlabels.demo.study import small_study
    from fewlabels.desk.answers_of import read_answers_of

    standing = small_study().standing
    who = next(label.labeler for seats in standing.answers.values() for label in seats.values())
    found = read_answers_of(standing, who, page=99)
    assert found.answers == sum(label.labeler == who for seats in standing.answers.values() for label in seats.values())
    assert (found.page, len(found.some)) == (found.pages, found.answers - 50 * (found.pages - 1))
    assert read_answers_of(standing, "nobody").some == []


def test_a_line_may_name_several_groups(bench: Bench) -> None:
    owner = bench.browser()
    for text in ("zoe, labels, alpha, german, english", "yan, labels, alpha, german; english"):
        done = lines(owner, text, do=True)
        assert [one["becomes"] for one in done] == ["new", "changes"]
        assert [bool(one["link"]) for one in done] == [True, False], "one link each"
        assert set(people(bench)[text.partition(",")[0]].groups) == {"german", "english"}
