"""What the pages are made of: escaped text, no script of their own, and only what the person who asks may see."""

import hashlib
import json
import re
from html.parser import HTMLParser
from importlib.resources import files

import pytest

from fewlabels.service import filters as showing
from tests.service.workbench import STUDY, Bench

HTMX = "d6fdc75f204e6bdefa99b69bf1e6d4ac69b8a364f77929f45c13476b4000f717"  # of htmx.org 2.0.11, dist/htmx.min.js
EVIL = "<img src=x onerror=alert(1)>\"'{{ 7*7 }}"
OF_STUDY = (
    "",
    "glance",
    "plan",
    "extension",
    "label",
    "notes",
    "people",
    "people/ann",
    "results",
    "audit",
    "errors",
    "answers",
    "results/numbers",
    "results/labelers",
    "audit/verified",
)
OWNERS = ["", "studies/new", "people", "tokens", *(f"studies/{STUDY}/{end}".rstrip("/") for end in OF_STUDY)]
HANDLER = re.compile("on[a-z]+")


class Parts(HTMLParser):
    """What a page would run, load and open."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.scripts: list[dict[str, str | None]] = []
        self.faults: list[str] = []
        self.addresses: list[str] = []
        self._code = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.faults += [f"{tag} {name}" for name in found if name == "style" or HANDLER.fullmatch(name) or name.startswith("hx-on")]
        self.addresses += [found[name] or "" for name in ("src", "href", "action", "hx-get", "data-to") if name in found]
        if tag in ("style", "iframe", "object", "embed", "base"):
            self.faults.append(tag)
        self._code = tag == "script" and found.get("type") != "application/json"

    def handle_data(self, data: str) -> None:
        if self._code and data.strip():
            self.faults.append(f"code in the page: {data[:40]}")

    def handle_endtag(self, tag: str) -> None:
        self._code = False


@pytest.mark.parametrize("path", OWNERS)
def test_a_page_runs_nothing_of_its_own_and_points_nowhere_else(shared: Bench, path: str) -> None:
    answer = shared.browser().get(f"/{path}")
    assert answer.status_code == 200, answer.text
    parts = Parts(answer.text)
    assert parts.faults == []
    assert all(re.match(r"/(?!/)|#", address) for address in parts.addresses), parts.addresses


def test_the_check_of_pages_finds_what_it_looks_for() -> None:
    bad = Parts('<p style="x" onclick="y" hx-on:click="z"><script>run()</script><base href="//evil.example"></p>')
    assert len(bad.faults) == 5
    assert not re.match(r"/(?!/)|#", bad.addresses[0])


def test_names_are_shown_as_text(bench: Bench) -> None:
    owner = bench.browser()
    bench.people.add(EVIL)
    bench.people.set_role(EVIL, STUDY, "labeler")
    text = owner.get("/people").text
    assert "<img" not in text
    assert "&lt;img src=x onerror=alert(1)&gt;" in text
    assert Parts(text).faults == []
    assert "{{ 7*7 }}" in bench.browser(EVIL).get("/").text


def test_data_for_scripts_cannot_end_its_block() -> None:
    text = str(showing.data([EVIL, "</script><!--", "\u2028"]))
    assert "<" not in text
    assert json.loads(text) == [EVIL, "</script><!--", "\u2028"]


def test_looking_at_a_link_does_not_use_it_up(bench: Bench) -> None:
    granted = bench.people.grant("link", "ann", lasts=60)
    assert granted is not None
    anonymous = bench.anonymous()
    for _ in range(3):
        page = anonymous.get("/enter", params={"key": granted.secret})
        assert page.status_code == 200
    assert f'value="{granted.secret}"' in page.text
    assert anonymous.post("/enter", data={"key": granted.secret}).status_code == 303
    assert EVIL not in anonymous.get("/enter", params={"key": EVIL}).text


def test_people_see_ways_to_the_pages_that_are_theirs(shared: Bench) -> None:
    def ways(person: str) -> set[str]:
        browser = shared.browser(person)
        found = re.findall(rf'href="(/studies/{STUDY}[a-z/]*)["?]', browser.get("/").text)
        inside = browser.get(f"/studies/{STUDY}").text
        return {
            address.removeprefix(f"/studies/{STUDY}").strip("/")
            for address in (*found, *re.findall(rf'href="(/studies/{STUDY}[a-z/]*)["?]', inside))
        }

    assert ways("owner") >= {"", "plan", "label", "notes", "people", "results", "audit"}
    assert ways("ann") == {"", "label"}
    assert ways("vic") >= {"", "results", "audit"}
    assert not ways("vic") & {"plan", "label", "notes", "people"}
    assert ways("bob") == set(), "of another study"


def test_a_page_says_where_it_is_and_leads_back(shared: Bench) -> None:
    owner = shared.browser()
    for address, last in ((f"/studies/{STUDY}", STUDY), (f"/studies/{STUDY}/results", "Results"), (f"/studies/{STUDY}/audit", "Audit")):
        trail = re.search(r'aria-label="Breadcrumb"(.*?)</nav>', owner.get(address).text, re.DOTALL)
        assert trail is not None
        assert re.search(rf'<bdi aria-current="page">{last}</bdi>', trail[1])
        assert 'href="/"' in trail[1]
    assert 'href="/"' in owner.get("/studies/nowhere").text
    assert "works once" in shared.anonymous().get("/").text


def test_an_archived_study_leaves_the_list_and_nothing_else(bench: Bench) -> None:
    owner = bench.browser()
    before = owner.get(f"/studies/{STUDY}/results").text
    assert owner.put(f"/api/studies/{STUDY}/archived", json={"archived": True}).json() == {"done": True}
    card = re.search(rf'<article[^>]*data-name="{STUDY}"[^>]*>', owner.get("/").text)
    assert card is not None
    assert card[0].endswith(" hidden>")
    assert owner.get(f"/studies/{STUDY}/results").text == before
    assert bench.browser("ann").post(f"/api/studies/{STUDY}/turns", json={"units": 1}).status_code == 200
    owner.put(f"/api/studies/{STUDY}/archived", json={"archived": False})
    assert not re.search(rf'<article[^>]*data-name="{STUDY}"[^>]* hidden>', owner.get("/").text)


@pytest.mark.parametrize("path", OWNERS)
def test_no_page_speaks_of_the_command_line(shared: Bench, path: str) -> None:
    text = re.sub(r"<script.*?</script>|<!--.*?-->", "", shared.browser().get(f"/{path}").text, flags=re.DOTALL)
    assert "--" not in text
    assert not re.search(r"fewlabels (plan|draw|tell|verify|status|decide|estimate|report|new|serve)\b", text)


def test_a_labeler_sees_no_progress_in_the_list(shared: Bench) -> None:
    assert "of 40" in shared.browser("vic").get("/").text
    assert "of 40" not in shared.browser("ann").get("/").text


def test_no_number_before_the_look(shared: Bench) -> None:
    text = shared.browser("vic").get(f"/studies/{STUDY}/results/numbers").text
    assert "NOT YET" in text
    assert "not before" in text
    assert not re.search(r"\d\.\d", text)


def test_a_part_that_is_refused_says_so_in_its_place(shared: Bench) -> None:
    viewer = shared.browser("vic")
    part = viewer.get(f"/studies/{STUDY}/results/slices", params={"metric": "precision", "by": "nowhere"}, headers={"HX-Request": "true"})
    assert part.status_code >= 400
    assert part.text.startswith('<p class="problem" role="alert">')
    whole = viewer.get(f"/studies/{STUDY}/results/slices", params={"metric": "precision", "by": "nowhere"})
    assert whole.text.startswith("<!doctype html>")


def test_who_has_not_entered_is_told_how(shared: Bench) -> None:
    answer = shared.anonymous().get(f"/studies/{STUDY}/results")
    assert answer.status_code == 401
    assert "Sign in first" in answer.text
    assert STUDY not in answer.text


def test_htmx_is_the_released_one_and_its_licence_is_beside_it() -> None:
    static = files("fewlabels.service") / "static"
    assert hashlib.sha256((static / "htmx-2.0.11.min.js").read_bytes()).hexdigest() == HTMX
    assert "Zero-Clause BSD" in (static / "htmx-LICENSE.txt").read_text(encoding="utf-8")


def test_htmx_may_evaluate_nothing_and_ask_nobody_else(shared: Bench) -> None:
    found = re.search(r"name=\"htmx-config\" content='([^']*)'", shared.browser().get("/").text)
    assert found is not None
    config = json.loads(found[1])
    assert (config["allowEval"], config["allowScriptTags"], config["includeIndicatorStyles"]) == (False, False, False)
    assert config["selfRequestsOnly"] is True


@pytest.mark.parametrize(
    ("filtered", "said"),
    [
        (showing.number(None), "–"),  # noqa: RUF001 - the dash of an unknown number
        (showing.number(1234.4), "1,234"),
        (showing.value(0.93449), "0.934"),
        (showing.seconds(2.25), "2.2"),
        (showing.sentence("one look"), "One look."),
        (showing.moment(0.0), "1970-01-01 00:00 UTC"),
        (showing.moment("2026-01-02T03:04:05+01:00"), "2026-01-02 02:04 UTC"),
        (showing.moment("no time"), "no time"),
        (showing.part("a/b ?"), "a%2Fb%20%3F"),
        (showing.share({"same": 0, "units": 0, "value": None, "low": 0.0, "high": 1.0}), "–"),  # noqa: RUF001 - as above
        (showing.share({"same": 9, "units": 10, "value": 0.9, "low": 0.555, "high": 0.997}), "0.90 (0.56 .. 1.00, n 10)"),
        (showing.remaining({"middle": None, "low": None, "high": None, "within": 100}), "No end in sight within 100 more labels."),
        (showing.about({"kind": "look", "labels": 40, "plan": 1}), "estimates at 40 labels, plan 1"),
    ],
)
def test_numbers_and_times_are_said_so(filtered: str, said: str) -> None:
    assert filtered == said
