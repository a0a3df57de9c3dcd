"""Whatever a unit says, it is shown as text: nothing of it runs, loads, opens or leaves its box."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from fewlabels.desk.desk import Desk
from fewlabels.nouns.sheet import FormColumn, Sheet
from tests.service.browsing import PHONE, STUDY, Entered, Server, enter_as, make_study, serving, wait_for, write_table

HOSTILE = {
    "script": "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">",
    "closing": "</div></section></main></body></html><script>document.title='owned'</script>",
    "broken": "<b <i>a</b <!-- <table><td> &lt; &amp;amp; &#x202e; ]]> <svg/onload=document.title='owned'>",
    "template": "{{ 7*7 }} {% raw %} ${7*7} #{7*7} <%= 7*7 %> __proto__ constructor",
    "override": "\u202egnp.exe\u202d right to left \u2066\u2067 never closed",
    "arabic": "هذا نص من اليمين إلى اليسار 123 (abc)",
    "link": "javascript:document.title='owned'",
    "data": "data:text/html,<script>document.title='owned'</script>",
    "null-ish": "undefined null NaN [object Object]",
    "lines": "one\n\n\ttwo\r\nthree    spaced \x0b\x1b[31mred",
    "wide": "W" * 3_000,
    "long": "<script>alert(1)</script> lorem ipsum " * 27_600,  # more than a megabyte
}


LABELS = 150  # of 240 units, 20 of each text: that one of the texts is not drawn has a chance below 1e-7


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("hostile")
    with serving(folder) as running:
        write_table(folder / "scored.parquet", list(HOSTILE.values()), units=240)
        make_study(running, labels=LABELS, instructions=HOSTILE["script"], ask=HOSTILE["broken"])
        yield running


def each_unit(labeler: Entered, server: Server) -> Iterator[Page]:
    """The labeling page, with one unit after another on it."""
    page = labeler.page
    page.goto(f"{server.url}/studies/{STUDY}/label")
    for _ in range(LABELS):
        wait_for(lambda: page.is_visible("#work") or page.is_visible("#instead-act"), "a unit, or the end", page=page)
        if not page.is_visible("#work"):
            return
        yield page
        page.keyboard.press("1")


def plain(text: str) -> str:
    """A text as a browser's box has it: other ends of lines are line feeds."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def test_hostile_text_is_shown_as_text(browser: Browser, server: Server) -> None:
    labeler = enter_as(browser, server, "ann", "labeler", viewport=PHONE)
    texts = {text: name for name, text in HOSTILE.items()}
    shown: set[str] = set()
    for page in each_unit(labeler, server):
        if more := page.query_selector("#unit button"):
            more.click()
        said = page.eval_on_selector("#unit .box", "box => box.textContent")
        assert said in texts, f"not the text of the table: {said[:80]!r}"
        shown.add(texts[said])
        inside = page.eval_on_selector_all("#unit *", "all => all.map(one => one.tagName)")
        assert set(inside) <= {"DIV", "BUTTON"}, "nothing of it became an element"
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "it stays in its box"
        assert page.eval_on_selector("#unit .box", "box => box.getBoundingClientRect().height < innerHeight")
        assert page.eval_on_selector("#unit .box", "box => getComputedStyle(box).unicodeBidi") == "isolate"
        assert page.title() == f"{STUDY}: label"
    assert shown == set(HOSTILE), "every one of them came"
    assert labeler.page.inner_text(".instructions") == HOSTILE["script"]
    assert labeler.page.text_content("#questions legend") == HOSTILE["broken"]
    assert labeler.seen.errors == []
    assert labeler.seen.dialogs == []
    assert labeler.seen.elsewhere == []
    labeler.context.close()


def test_only_addresses_of_the_web_become_links(browser: Browser, server: Server) -> None:
    study = make_study(server, labels=48, name="links")
    Desk(study).set_sheet(Sheet(show=(FormColumn("text", "link"), FormColumn("address", "link"))))
    labeler = enter_as(browser, server, "ben", "labeler", study="links")
    page = labeler.page
    page.goto(f"{server.url}/studies/links/label")
    page.wait_for_selector("#work:not([hidden])")
    for _ in range(24):
        links = page.eval_on_selector_all(
            "#unit a", "all => all.map(a => [a.protocol, a.rel, a.textContent, a.nextElementSibling.textContent])"
        )
        assert [one[0] for one in links] == ["https:"], "only the second column holds an address of the web"
        assert set(links[0][1].split()) == {"noopener", "noreferrer"}
        assert links[0][2].startswith("https://example.org/")
        assert "example.org" in links[0][3]
        page.keyboard.press("2")
        page.wait_for_selector("#work:not([hidden])")
    assert labeler.seen.errors == []
    assert labeler.seen.elsewhere == []
    labeler.context.close()


def test_a_policy_is_on_the_page_that_would_stop_a_script_anyway(browser: Browser, server: Server) -> None:
    labeler = enter_as(browser, server, "cem", "labeler")
    page = labeler.page
    page.goto(f"{server.url}/studies/{STUDY}/label")
    page.evaluate(
        "() => { const s = document.createElement('script'); s.textContent = 'document.title = \"owned\"'; document.body.append(s); }"
    )
    assert page.title() == f"{STUDY}: label"
    assert any(re.search("Content Security Policy", said) for said in labeler.seen.errors), "the twin: here a script was stopped"
    labeler.context.close()
