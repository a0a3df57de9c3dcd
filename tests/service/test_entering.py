"""Entering and leaving: links are used once, sessions end, tokens are hashed, and nobody can be talked into anything by a foreign page."""

import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from fewlabels.errors import StudyError
from fewlabels.ledgers.opening import open_ledger
from fewlabels.ledgers.people import OWNER, People, hashed
from fewlabels.service.access import CSRF_HEADER, SESSION_AT_MOST, SESSION_SECONDS
from fewlabels.service.app import create_app
from fewlabels.service.settings import Settings
from tests.contracts.ledgers_under_test import PARAMETERS, UnderTest
from tests.service.workbench import COOKIE, GENEROUS, HOST, STUDY, Bench, csrf_of, make_bench


class Clock:
    """A clock the test sets."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(params=PARAMETERS)
def people(tmp_path: Path, request: pytest.FixtureRequest) -> People:
    under: UnderTest = request.param
    return People(open_ledger(under.address(tmp_path)), clock=Clock())


def clock_of(people: People) -> Clock:
    found = people._clock
    assert isinstance(found, Clock)
    return found


def test_the_first_link_makes_an_owner_and_is_used_up(people: People) -> None:
    assert not people.has_owner()
    link = people.owner_link(3600)
    assert not people.has_owner()  # nobody has used it yet
    session = people.use_link(link.secret, lasts=60)
    assert session is not None
    assert session.person == OWNER
    holder = people.holder(session.secret, "session")
    assert holder is not None
    assert holder.is_owner
    assert people.use_link(link.secret, lasts=60) is None


def test_a_link_ends_after_its_hour_and_when_a_newer_one_is_made(people: People) -> None:
    old = people.owner_link(3600)
    new = people.owner_link(3600)
    assert people.use_link(old.secret, lasts=60) is None
    clock_of(people).now += 3600
    assert people.use_link(new.secret, lasts=60) is None


def test_a_new_link_for_a_person_ends_the_one_before(people: People) -> None:
    for name in ("ann", "bob"):
        people.add(name)
    links = [people.grant("link", name, lasts=60) for name in ("ann", "bob", "ann")]
    entered = [people.use_link(link.secret, lasts=60) is not None for link in links if link is not None]
    assert entered == [False, True, True]


def test_a_secret_is_of_one_kind(people: People) -> None:
    people.add("ann")
    link, token = people.grant("link", "ann", lasts=60), people.grant("token", "ann", lasts=60)
    assert link is not None
    assert token is not None
    assert people.holder(link.secret, "session") is None
    assert people.holder(token.secret, "session") is None
    assert people.use_link(token.secret, lasts=60) is None
    assert people.holder(hashed(token.secret), "token") is None  # what a thief of the database has


def test_who_is_taken_out_is_out_at_once(people: People) -> None:
    people.add("ann")
    people.set_role("ann", "s", "viewer")
    link, token = people.grant("link", "ann", lasts=60), people.grant("token", "ann", lasts=60)
    assert link is not None
    assert token is not None
    assert people.remove("ann")
    assert people.holder(token.secret, "token") is None
    assert people.use_link(link.secret, lasts=60) is None
    people.add("ann")  # a new person of the same name inherits nothing
    assert people.roles("ann") == {}
    assert not people.remove("nobody")


def test_the_last_owner_stays(people: People) -> None:
    people.use_link(people.owner_link(60).secret, lasts=60)
    people.add("ann")
    with pytest.raises(StudyError, match="last owner"):
        people.remove(OWNER)
    assert people.remove("ann")
    people.add("second", is_owner=True)
    assert people.remove(OWNER)


def at_once(work: Callable[[], object], times: int = 8) -> list[object]:
    """What so many threads get that begin at the same moment."""
    start, found = threading.Barrier(times), list[object]()

    def run() -> None:
        start.wait()
        found.append(work())

    threads = [threading.Thread(target=run) for _ in range(times)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def test_a_link_is_used_up_in_one_act(people: People) -> None:
    people.add("ann")
    for _ in range(5):
        link = people.grant("link", "ann", lasts=60)
        assert link is not None
        secret = link.secret
        assert sum(one is not None for one in at_once(lambda: people.use_link(secret, lasts=60))) == 1  # noqa: B023 - used at once


def test_two_owners_do_not_take_each_other_out(people: People) -> None:
    people.add("one", is_owner=True)
    people.add("two", is_owner=True)
    names = iter(("one", "two"))

    def remove() -> bool:
        try:
            return people.remove(next(names))
        except StudyError:
            return False

    assert sorted(map(bool, at_once(remove, 2))) == [False, True]
    assert people.has_owner()


def test_of_many_who_use_a_link_at_once_one_gets_in(bench: Bench) -> None:
    link = bench.people.grant("link", "ann", lasts=60)
    assert link is not None
    codes = at_once(lambda: bench.anonymous().post("/enter", data={"key": link.secret}).status_code)
    assert sorted(codes, key=str) == [303] + [403] * 7


def test_looking_at_a_link_does_not_use_it_up(bench: Bench) -> None:
    link = bench.people.grant("link", "ann", lasts=60)
    assert link is not None
    client = bench.anonymous()
    for _ in range(3):  # a preview, a scanner of mails
        assert client.get("/enter", params={"key": link.secret}).status_code == 200
        assert COOKIE not in client.cookies
    assert client.post("/enter", data={"key": link.secret}).status_code == 303


@pytest.mark.parametrize("key", ["", "x", "0" * 5_000, "\x00", "é"])
def test_what_is_no_link_lets_nobody_in(bench: Bench, key: str) -> None:
    client = bench.anonymous()
    assert client.post("/enter", data={"key": key}).status_code == 403
    assert COOKIE not in client.cookies


def test_the_cookie_is_kept_from_scripts_and_other_sites(bench: Bench, tmp_path: Path) -> None:
    link = bench.people.grant("link", "ann", lasts=60)
    assert link is not None
    sent = bench.anonymous().post("/enter", data={"key": link.secret}).headers["set-cookie"].lower()
    assert "httponly" in sent
    assert "samesite=strict" in sent
    assert "secure" not in sent  # plain HTTP on this machine
    app = create_app(bench.address, settings=Settings(secure=True, limits=GENEROUS))
    link = bench.people.grant("link", "ann", lasts=60)
    assert link is not None
    answer = Bench(app, bench.address, tmp_path).anonymous().post("/enter", data={"key": link.secret})
    assert "secure" in answer.headers["set-cookie"].lower()
    assert "max-age" in answer.headers["strict-transport-security"]


def test_a_session_cannot_be_foisted_on_anybody(bench: Bench) -> None:
    link = bench.people.grant("link", "ann", lasts=60)
    assert link is not None
    client = bench.anonymous()
    client.cookies.set(COOKIE, "chosen-by-somebody-else", domain="127.0.0.1")
    client.post("/enter", data={"key": link.secret})
    mine = [cookie.value for cookie in client.cookies.jar if cookie.name == COOKIE]
    assert "chosen-by-somebody-else" not in mine[-1:]
    stranger = bench.anonymous()
    stranger.cookies.set(COOKIE, "chosen-by-somebody-else")
    assert stranger.get("/api/me").status_code == 401


def test_entering_again_ends_the_session_before(bench: Bench) -> None:
    client = bench.browser("ann")
    before = client.cookies[COOKIE]
    link = bench.people.grant("link", "ann", lasts=60)
    assert link is not None
    client.post("/enter", data={"key": link.secret})
    assert bench.people.holder(before, "session") is None
    assert client.get("/api/me").status_code == 200


def test_leaving_ends_the_session_on_the_server(bench: Bench) -> None:
    client = bench.browser("ann")
    secret = client.cookies[COOKIE]
    assert client.get("/api/me").json()["name"] == "ann"
    assert client.post("/api/leave").status_code == 200
    client.cookies.set(COOKIE, secret)
    assert client.get("/api/me").status_code == 401


def test_a_session_ends_when_it_is_not_used_and_at_the_latest_after_a_week(bench: Bench) -> None:
    clock = Clock()
    app_bench = bench.app.state.bench
    app_bench.clock, app_bench.people._clock = clock, clock
    client = bench.browser("ann")
    for _ in range(3):
        clock.now += SESSION_SECONDS - 60
        assert client.get("/api/me").status_code == 200  # used: it lasts on
    clock.now += SESSION_SECONDS + 1
    assert client.get("/api/me").status_code == 401
    client, begun = bench.browser("ann"), clock.now
    while clock.now < begun + SESSION_AT_MOST:
        assert client.get("/api/me").status_code == 200
        clock.now += SESSION_SECONDS - 60
    assert client.get("/api/me").status_code == 401


def test_a_change_needs_the_token_of_its_page(bench: Bench) -> None:
    client = bench.browser()
    ours = csrf_of(client)
    for wrong in ("", "x", csrf_of(bench.browser("ann")), ours[:-1], ours.upper()):
        client.headers[CSRF_HEADER] = wrong
        assert client.post("/api/tokens", json={}).status_code == 403, wrong
    del client.headers[CSRF_HEADER]
    assert client.post("/api/tokens", json={}).status_code == 403
    assert client.get("/api/tokens").json() == {"tokens": []}
    client.headers[CSRF_HEADER] = ours
    assert client.post("/api/tokens", json={}).status_code == 201


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1.evil.example", "https://127.0.0.1:8080"])
def test_a_change_from_another_page_is_refused(bench: Bench, origin: str) -> None:
    client = bench.browser()
    assert client.post("/api/tokens", json={}, headers={"Origin": origin}).status_code == 403
    assert client.post("/api/tokens", json={}, headers={"Origin": HOST}).status_code == 201
    link = bench.people.grant("link", "ann", lasts=60)
    assert link is not None
    stranger = bench.anonymous()
    assert stranger.post("/enter", data={"key": link.secret}, headers={"Origin": origin}).status_code == 403
    assert stranger.post("/enter", data={"key": link.secret}, headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403
    assert stranger.post("/enter", data={"key": link.secret}).status_code == 303


def test_a_token_is_shown_once_and_can_be_ended(bench: Bench) -> None:
    client = bench.browser("ann")
    made = client.post("/api/tokens", json={"note": "script", "days": 1}).json()
    program = bench.anonymous()
    program.headers["Authorization"] = f"Bearer {made['token']}"
    assert program.get("/api/me").json()["name"] == "ann"
    [kept] = client.get("/api/tokens").json()["tokens"]
    assert made["token"] not in str(kept)
    assert kept["id"] == made["id"]
    assert bench.browser("vic").delete(f"/api/tokens/{made['id']}").status_code == 404  # not theirs
    assert client.delete(f"/api/tokens/{made['id']}").status_code == 200
    assert program.get("/api/me").status_code == 401


def test_a_token_made_with_a_token_does_not_outlive_it(bench: Bench) -> None:
    program = bench.program("ann")  # lasts ten minutes
    first = bench.people.tokens("ann")[0]
    assert program.post("/api/tokens", json={"days": 300}).json()["until"] <= first.until + 1


def test_a_token_that_is_wrong_is_not_helped_by_a_cookie(bench: Bench) -> None:
    client = bench.browser("ann")
    assert client.get("/api/me", headers={"Authorization": "Bearer wrong"}).status_code == 401


def test_no_secret_is_in_the_database(bench: Bench) -> None:
    client = bench.browser("ann")
    link = bench.people.grant("link", "ann", lasts=60)
    assert link is not None
    token = client.post("/api/tokens", json={"note": "a note in the clear"}).json()["token"]
    with sqlite3.connect(bench.folder / "ledger.db") as connection:
        connection.execute("pragma wal_checkpoint")
    held = b"".join(path.read_bytes() for path in bench.folder.glob("ledger.db*"))
    assert b"a note in the clear" in held  # the search can find something
    for secret in (client.cookies[COOKIE], link.secret, token):
        assert secret.encode() not in held
        assert hashed(secret).encode() in held


def test_a_role_that_is_taken_away_is_gone_with_the_next_request(bench: Bench) -> None:
    viewer, owner = bench.browser("vic"), bench.browser()
    assert viewer.get(f"/api/studies/{STUDY}").status_code == 200
    assert owner.delete(f"/api/people/vic/studies/{STUDY}").status_code == 200
    assert viewer.get(f"/api/studies/{STUDY}").status_code == 404
    assert owner.delete("/api/people/vic").status_code == 200
    assert viewer.get("/api/me").status_code == 401


def test_a_name_that_means_the_owner_is_the_owners(tmp_path: Path) -> None:
    bench = make_bench(tmp_path)
    owner = bench.browser()
    assert owner.post("/api/people", json={"name": OWNER}).status_code == 409
    assert owner.post("/api/people", json={"name": "ann"}).status_code == 409  # taken
    link = owner.post("/api/people", json={"name": "eve"}).json()["link"]
    assert link.startswith(f"{HOST}/enter?key=")
