"""Who was let in, by whom, and when it ended, is in the record of each study; an owner who enters as somebody else may only look."""

from pathlib import Path
from typing import Any

import pytest

from fewlabels.ledgers.base import broken
from fewlabels.ledgers.people import ID_LENGTH
from fewlabels.service.access import CSRF_HEADER
from tests.service.workbench import COOKIE, OTHER, STUDY, Bench, csrf_of, make_bench


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return make_bench(tmp_path)


def recorded(bench: Bench, study: str = STUDY) -> list[tuple[Any, ...]]:
    """The acts recorded in a study since it was made: who, what, by whom."""
    entries = bench.app.state.bench.ledger.entries(study, anew=True)
    assert not list(broken(entries))
    return [(e.body["person"], e.body["act"], e.body.get("by")) for e in entries if e.kind == "access"]


def test_every_act_of_access_is_an_entry_of_the_study(bench: Bench) -> None:
    owner = bench.browser()
    before, other = len(recorded(bench)), len(recorded(bench, OTHER))
    invited = owner.post("/api/people", json={"name": "eve"}).json()["link"]
    owner.put(f"/api/people/eve/studies/{STUDY}", json={"role": "labeler"})
    owner.post("/api/people/eve/links")
    link = owner.post("/api/people/eve/links").json()["link"].partition("key=")[2]
    eve = bench.anonymous()
    assert eve.post("/enter", data={"key": invited.partition("key=")[2]}).status_code == 403  # a new link ended it
    assert eve.post("/enter", data={"key": link}).status_code == 303
    eve.headers[CSRF_HEADER] = csrf_of(eve)
    token = eve.post("/api/tokens", json={"note": "n"}).json()["id"]
    assert owner.delete(f"/api/tokens/{token}").status_code == 200
    owner.delete(f"/api/people/eve/studies/{STUDY}")
    owner.put(f"/api/people/eve/studies/{STUDY}", json={"role": "viewer"})
    owner.delete("/api/people/eve")
    assert recorded(bench)[before:] == [
        ("eve", "role", "owner"),
        ("eve", "link made", "owner"),
        ("eve", "link made", "owner"),
        ("eve", "entered", "eve"),
        ("eve", "token made", "eve"),
        ("eve", "token ended", "owner"),
        ("eve", "role", "owner"),
        ("eve", "role", "owner"),
        ("eve", "removed", "owner"),
    ]
    assert len(recorded(bench, OTHER)) == other  # not theirs
    roles = [e.body for e in bench.app.state.bench.ledger.entries(STUDY) if e.kind == "access" and e.body["act"] == "role"]
    assert [role["role"] for role in roles[-3:]] == ["labeler", None, "viewer"]
    assert [held["kind"] for held in roles[-3]["held"]] == ["link"]  # the link that was made before there was a study
    assert "eve: role: labeler; by owner" in owner.get(f"/studies/{STUDY}/audit").text


def test_an_owner_is_recorded_in_every_study(bench: Bench) -> None:
    bench.browser()
    assert recorded(bench)[-1] == recorded(bench, OTHER)[-1] == ("owner", "entered", "owner")


@pytest.mark.parametrize("through", [False, True])
def test_an_owner_who_enters_as_somebody_else_is_recorded_and_cannot_answer(bench: Bench, through: bool) -> None:
    client = bench.browser()
    for person in ("vic", "ann") if through else ("ann",):  # by way of another's session, too
        link = bench.people.grant("link", person, lasts=60)
        assert link is not None
        assert client.post("/enter", data={"key": link.secret}).status_code == 303
        client.headers[CSRF_HEADER] = csrf_of(client)
    assert recorded(bench)[-1] == ("ann", "entered", "owner")
    assert client.get("/api/me").json()["name"] == "ann"
    for path, body in (
        (f"/api/studies/{STUDY}/turns", {"units": 1}),
        (f"/api/studies/{STUDY}/answers", {"answers": []}),
        ("/api/tokens", {}),
    ):
        refused = client.post(path, json=body)
        assert refused.status_code == 403
        assert "owner entered here as ann" in refused.json()["error"]
    assert client.post("/api/leave").status_code == 200
    assert bench.browser("ann").post(f"/api/studies/{STUDY}/turns", json={"units": 1}).status_code == 200  # the twin: ann herself


def test_tokens_are_listed_and_ended_by_an_owner_and_by_nobody_else(bench: Bench) -> None:
    program, owner, vic = bench.program("ann"), bench.browser(), bench.browser("vic")
    assert program.get("/api/me").status_code == 200
    [token] = owner.get("/api/tokens", params={"everybody": True}).json()["tokens"]
    assert token["person"] == "ann"
    assert owner.get("/api/tokens").json() == {"tokens": []}
    assert vic.get("/api/tokens", params={"everybody": True}).status_code == 403
    assert vic.delete(f"/api/tokens/{token['id']}").status_code == 404
    page = owner.get("/people").text
    assert 'data-name="whose"><bdi>ann</bdi>' in page
    assert owner.delete(f"/api/tokens/{token['id']}").status_code == 200
    assert program.get("/api/me").status_code == 401
    assert recorded(bench)[-1] == ("ann", "token ended", "owner")


def test_a_token_that_ends_itself_is_recorded(bench: Bench) -> None:
    program = bench.program("ann")
    assert program.post("/api/leave").status_code == 200
    assert recorded(bench)[-1] == ("ann", "token ended", "ann")


def test_a_cookie_of_one_server_is_none_of_another(bench: Bench) -> None:
    """Browsers send a cookie to every port of a host, so that a name in common would end one server's session by entering another."""
    client = bench.browser("ann")
    secret = client.cookies[COOKIE]
    here, there = ({"Host": f"127.0.0.1:{port}", "Cookie": f"{COOKIE}-8080={secret}"} for port in (8080, 9090))
    stranger = bench.anonymous()
    assert stranger.get("/api/me", headers=here).status_code == 200
    assert stranger.get("/api/me", headers=there).status_code == 401


def test_no_secret_is_in_an_entry(bench: Bench) -> None:
    link = bench.people.grant("link", "ann", lasts=60)
    assert link is not None
    [entry] = [e for e in bench.app.state.bench.ledger.entries(STUDY) if e.kind == "access" and e.body.get("id") == link.id]
    assert len(entry.body["id"]) == ID_LENGTH
    assert link.secret not in str(entry)
