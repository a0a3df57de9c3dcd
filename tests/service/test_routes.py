"""Every route of the app, from its list and from the OpenAPI document: it refuses whoever it is not for, before it does anything.

A new route fails here until it says below for whom it is.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient

from fewlabels.service.app import document
from tests.service.workbench import PEOPLE, Bench, make_bench, path_of

OPEN = {("GET", "/enter"), ("POST", "/enter"), ("GET", "/static/widths.js"), ("GET", "/static/design.css")}
# the last two are files like those below /static
EVERYBODY = frozenset({"owner", "ann", "adi", "vic", "bob"})  # bob labels in another study
OWNERS = frozenset({"owner"})
READERS = frozenset({"owner", "vic"})
LABELERS = frozenset({"owner", "ann", "adi"})
STUDY = "/api/studies/{study}"
ALLOWED = {
    ("GET", "/api/me"): EVERYBODY,
    ("POST", "/api/leave"): EVERYBODY,
    ("GET", "/api/openapi.json"): EVERYBODY,
    ("GET", "/api/tokens"): EVERYBODY,
    ("POST", "/api/tokens"): EVERYBODY,
    ("DELETE", "/api/tokens/{token}"): EVERYBODY,
    ("GET", "/api/people"): OWNERS,
    ("POST", "/api/people"): OWNERS,
    ("DELETE", "/api/people/{person}"): OWNERS,
    ("POST", "/api/people/{person}/links"): OWNERS,
    ("PUT", "/api/people/{person}/studies/{study}"): OWNERS,
    ("DELETE", "/api/people/{person}/studies/{study}"): OWNERS,
    ("GET", "/api/groups"): OWNERS,
    ("PUT", "/api/groups/{group}/people/{person}"): OWNERS,
    ("DELETE", "/api/groups/{group}/people/{person}"): OWNERS,
    ("POST", "/api/invitations/preview"): OWNERS,
    ("POST", "/api/invitations"): OWNERS,
    ("GET", "/api/studies"): EVERYBODY,
    ("POST", "/api/studies"): OWNERS,
    ("GET", "/api/files"): OWNERS,
    ("GET", "/api/uploads"): OWNERS,
    ("POST", "/api/uploads"): OWNERS,
    ("DELETE", "/api/uploads/{name}"): OWNERS,
    ("POST", "/api/preview"): OWNERS,
    ("POST", "/api/goals"): OWNERS,
    ("GET", STUDY): READERS,
    ("GET", f"{STUDY}/home"): READERS,
    ("GET", f"{STUDY}/errors.csv"): READERS,
    ("PUT", f"{STUDY}/archived"): OWNERS,
    ("POST", f"{STUDY}/close"): OWNERS,
    ("GET", f"{STUDY}/picture"): OWNERS,
    ("POST", f"{STUDY}/plan"): OWNERS,
    ("GET", f"{STUDY}/columns"): OWNERS,
    ("POST", f"{STUDY}/extension/preview"): OWNERS,
    ("POST", f"{STUDY}/extension"): OWNERS,
    ("GET", f"{STUDY}/estimate"): READERS,
    ("GET", f"{STUDY}/decide"): READERS,
    ("GET", f"{STUDY}/running"): READERS,
    ("GET", f"{STUDY}/results"): READERS,
    ("GET", f"{STUDY}/thresholds"): READERS,
    ("GET", f"{STUDY}/errors"): READERS,
    ("POST", f"{STUDY}/errors/opened"): READERS,
    ("GET", f"{STUDY}/answers"): OWNERS,
    ("GET", f"{STUDY}/convergence"): READERS,
    ("GET", f"{STUDY}/labelers"): READERS,
    ("GET", f"{STUDY}/slices"): READERS,
    ("GET", f"{STUDY}/compare"): READERS,
    ("GET", f"{STUDY}/audit"): READERS,
    ("GET", f"{STUDY}/report.{{ending}}"): READERS,
    ("GET", f"{STUDY}/events"): READERS,
    ("GET", f"{STUDY}/answers.csv"): OWNERS,
    ("GET", f"{STUDY}/weighed.{{ending}}"): OWNERS,
    ("GET", f"{STUDY}/people"): OWNERS,
    ("GET", f"{STUDY}/people/{{person}}/answers"): OWNERS,
    ("GET", f"{STUDY}/routes"): OWNERS,
    ("PUT", f"{STUDY}/routes"): OWNERS,
    ("GET", f"{STUDY}/sheet"): LABELERS,
    ("PUT", f"{STUDY}/sheet"): OWNERS,
    ("POST", f"{STUDY}/turns"): LABELERS,
    ("DELETE", f"{STUDY}/turns"): LABELERS,
    ("POST", f"{STUDY}/turns/later"): LABELERS,
    ("POST", f"{STUDY}/answers"): LABELERS,
    ("PUT", f"{STUDY}/comments"): LABELERS,
    ("GET", f"{STUDY}/rest"): LABELERS,
    ("GET", f"{STUDY}/notes"): OWNERS,
    ("GET", f"{STUDY}/images/{{unit:path}}/{{column}}"): LABELERS,
    # pages
    ("GET", "/"): EVERYBODY,
    ("GET", "/tokens"): EVERYBODY,
    ("GET", "/people"): OWNERS,
    ("GET", "/studies/new"): OWNERS,
    ("GET", "/studies/{study}"): LABELERS | READERS,
    ("GET", "/studies/{study}/glance"): READERS,
    ("GET", "/studies/{study}/plan"): OWNERS,
    ("GET", "/studies/{study}/extension"): OWNERS,
    ("GET", "/studies/{study}/label"): LABELERS,
    ("GET", "/studies/{study}/notes"): OWNERS,
    ("GET", "/studies/{study}/results"): READERS,
    ("GET", "/studies/{study}/results/numbers"): READERS,
    ("GET", "/studies/{study}/results/slices"): READERS,
    ("GET", "/studies/{study}/results/thresholds"): READERS,
    ("GET", "/studies/{study}/errors"): READERS,
    ("GET", "/studies/{study}/answers"): OWNERS,
    ("GET", "/studies/{study}/results/comparison"): READERS,
    ("GET", "/studies/{study}/results/labelers"): READERS,
    ("GET", "/studies/{study}/people"): OWNERS,
    ("GET", "/studies/{study}/people/{person}"): OWNERS,
    ("GET", "/studies/{study}/audit"): READERS,
    ("GET", "/studies/{study}/audit/verified"): READERS,
}


class Found(NamedTuple):
    """A route: its method and its path."""

    method: str
    path: str


def routes_of(holder: Any) -> Iterator[Found]:
    """Every route of an app, those of included routers too."""
    for route in holder.routes:
        if isinstance(route, APIRoute):
            yield from (Found(method, route.path) for method in sorted(route.methods or ()))
        elif hasattr(route, "original_router"):
            yield from routes_of(route.original_router)
        else:
            assert route.path == "/static", route  # anything else would be a way around


def documented(app: FastAPI) -> set[Found]:
    """Every operation of the OpenAPI document."""
    return {Found(method.upper(), path) for path, methods in document(app)["paths"].items() for method in methods}


def failures(bench: Bench, clients: dict[str, TestClient]) -> list[str]:
    """What is wrong with the protection of the app's routes, one sentence each."""
    wrong = []
    for route in sorted(set(routes_of(bench.app)) - OPEN):
        path = path_of(route.path, person="somebody")
        code = bench.anonymous().request(route.method, path).status_code
        if code != 401:
            wrong.append(f"{route}: answers {code} to nobody")
        if route not in ALLOWED:
            wrong.append(f"{route}: says nowhere for whom it is")
        allowed = ALLOWED.get(route, OWNERS)
        for name in sorted(EVERYBODY - allowed):
            code = clients[name].request(route.method, path).status_code
            if code != refusal_of(route, name):
                wrong.append(f"{route}: answers {code} to {name}")
    return wrong


def refusal_of(route: Found, name: str) -> int:
    """What somebody is told whom a route is not for: whoever is no member of a study is not told that it exists."""
    in_study = PEOPLE[name][1] == "alpha"
    return 403 if in_study or "/studies/{study}" not in route.path or route.path.startswith("/api/people/") else 404


def ending_bench(folder: Path) -> Bench:
    """A workbench whose event streams end at once, so that a request for one comes back."""
    bench = make_bench(folder)
    bench.app.state.bench.ends.set()
    return bench


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Bench, dict[str, TestClient]]:
    bench = ending_bench(tmp_path_factory.mktemp("routes"))
    return bench, {name: bench.browser(name) for name in sorted(EVERYBODY)}


def test_every_route_refuses_whoever_it_is_not_for(guarded: tuple[Bench, dict[str, TestClient]]) -> None:
    assert failures(*guarded) == []
    assert set(ALLOWED) <= set(routes_of(guarded[0].app))  # no line above is of a route that is gone


def test_every_route_of_the_api_is_documented(guarded: tuple[Bench, dict[str, TestClient]]) -> None:
    app = guarded[0].app
    served = {Found(r.method, r.path.replace(":path", "")) for r in routes_of(app) if r.path.startswith("/api/")}
    assert documented(app) == served - {("GET", "/api/openapi.json")}
    for path, methods in document(app)["paths"].items():
        for method, operation in methods.items():
            assert operation["operationId"], (method, path)
            assert operation["description"], (method, path)
            assert {"401", "403", "404", "422", "429"} <= set(operation["responses"]), (method, path)
    ids = [operation["operationId"] for methods in document(app)["paths"].values() for operation in methods.values()]
    assert len(set(ids)) == len(ids)


def test_every_route_lets_in_whoever_it_is_for(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Otherwise an app that refuses everybody would pass."""
    bench = ending_bench(tmp_path_factory.mktemp("allowed"))
    for route, allowed in ALLOWED.items():
        if route[1] == "/api/leave":  # ends the session that asks
            continue
        for name in sorted(allowed):
            path = path_of(route[1], person="somebody")
            code = bench.browser(name).request(route[0], path).status_code
            absent = any(part in route[1] for part in ("{token}", "{person}", "{name}", "images"))  # nobody and nothing of that name
            expected = {404} if absent else set()
            assert code not in {401, 403, 404, 405, 500} - expected, (route, name, code)


def test_a_study_one_is_not_in_is_like_one_that_does_not_exist(guarded: tuple[Bench, dict[str, TestClient]]) -> None:
    clients = guarded[1]
    for method, path in sorted(ALLOWED):
        if "/studies/{study}" in path and not path.startswith("/api/people/"):
            foreign = clients["bob"].request(method, path_of(path))
            missing = clients["bob"].request(method, path_of(path, study="no-such-study"))
            assert (foreign.status_code, foreign.text) == (missing.status_code, missing.text), path
    mine = clients["bob"].get("/api/studies").json()
    unseen = dict.fromkeys(("state", "goals", "progress", "created", "owner"))
    assert mine == {"studies": [{"name": "beta", "role": "labeler", "archived": False, **unseen}], "not_served": []}


# Twins: each way to forget the protection is found.


def test_a_route_without_protection_is_found(tmp_path_factory: pytest.TempPathFactory) -> None:
    bench = ending_bench(tmp_path_factory.mktemp("unprotected"))
    clients = {name: bench.browser(name) for name in sorted(EVERYBODY)}

    @bench.app.get("/api/studies/{study}/secrets")
    def secrets(study: str) -> str:
        return study

    found = failures(bench, clients)
    assert any("says nowhere for whom" in one for one in found)
    assert any("answers 200 to bob" in one for one in found)
    assert any("answers 200 to ann" in one for one in found)


def test_a_gate_left_open_is_found(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = ending_bench(tmp_path_factory.mktemp("open"))
    clients = {name: bench.browser(name) for name in sorted(EVERYBODY)}

    @bench.app.get("/api/open")
    def opened() -> str:
        return "open"

    monkeypatch.setattr("fewlabels.service.guard.is_open", lambda path: path in ("/enter", "/api/open"))
    assert any("answers 200 to nobody" in one for one in failures(bench, clients))
