"""Every result draws itself: the numbers it holds and no others, nobody's words as markup, and no look is recorded by showing it."""

import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from fewlabels.integrations.notebook import DRAWING, KINDS
from fewlabels.nouns import display
from fewlabels.nouns.estimate import Estimate
from fewlabels.nouns.policy import parse_policy
from fewlabels.reports.formatting import count, share
from fewlabels.reports.fragment import SCOPE, style
from fewlabels.study.study import Study
from tests.unit.integrations.made import HOSTILE, begun, everything, finished, label
from tests.unit.reports.parsed import Parsed

POLICY = parse_policy('rule = [{metric = "precision", target = ">= 0.2"}, {metric = "recall", target = ">= 0.9"}]')
WITHOUT_ESTIMATES = {"Plan", "Sizing", "Status", "Study", "Labelers", "Curves", "FoundThreshold", "Change"}
OWN_WORDS = {"Estimate", "Decision", "Confusion", "Study"}  # these print as before, in a sentence or as lines
ADDRESS = re.compile(r"https?:|//|url\(|@import", re.IGNORECASE)


def shown() -> dict[str, Any]:
    """A result of every kind that is drawn."""
    study = finished()
    made = {"Plan": study.standing.plan, "Status": study.status(), "Gate": study.gate(POLICY), "Study": study}
    return {**{kind: result for kind, result in everything().items() if type(result) in KINDS}, **made}


def test_every_kind_is_shown_here() -> None:
    assert {type(result) for result in shown().values()} == set(KINDS)


@pytest.mark.parametrize("kind", sorted(kind.__name__ for kind in KINDS))
class TestEach:
    """Of every kind of result."""

    def test_it_is_whole_and_needs_nothing_else(self, kind: str) -> None:
        html = shown()[kind]._repr_html_()
        found = Parsed(html)
        assert not {"script", "link", "img", "iframe", "a", "object", "form"} & set(found.tags)
        assert not [name for _, name, _ in found.attributes if name.startswith("on") or name in ("style", "src")]
        assert [value for _, name, value in found.attributes if name == "href" and not value.startswith("#")] == []
        assert not ADDRESS.search(html)

    def test_nobodys_words_are_markup(self, kind: str) -> None:
        html = shown()[kind]._repr_html_()
        assert "<b>" not in html
        assert "<i>" not in html
        assert "\u202e" not in html
        assert not re.search(
            r"[\u202a-\u202e\u2066-\u2069\x00-\x08\x1b]", str(shown()[kind]) if kind not in ("Estimate", "Decision") else ""
        )

    def test_names_on_the_page_are_its_own(self, kind: str) -> None:
        found = Parsed(shown()[kind]._repr_html_())
        ids = [value for _, name, value in found.attributes if name == "id"]
        assert len(ids) == len(set(ids))
        assert all(one.startswith("fewlabels-") for one in ids)
        assert {value[1:] for _, name, value in found.attributes if name == "href"} <= set(ids)

    def test_plain_text_says_no_address_and_fits(self, kind: str) -> None:
        result = shown()[kind]
        assert "object at 0x" not in repr(result)
        assert repr(result) == str(result)
        if kind not in OWN_WORDS:
            assert max(map(len, str(result).splitlines())) <= 100

    def test_effective_n_stands_beside_the_numbers(self, kind: str) -> None:
        html, result = shown()[kind]._repr_html_(), shown()[kind]
        found = list(estimates_in(result))
        assert bool(found) is (kind not in WITHOUT_ESTIMATES | {"Running"})
        rows = [[" ".join(cell) for cell in row] for table in Parsed(html).tables for row in table]
        for one in found:
            assert any(share(one.value) in " ".join(row) and count(one.n_eff) in " ".join(row).split() for row in rows), one


def estimates_in(result: Any) -> Iterator[Estimate]:
    """The estimates that a result holds."""
    if isinstance(result, Estimate):
        yield result
    for name in ("estimates", "pairs"):
        yield from getattr(result, name, ())
    for name in ("goals", "rules"):
        yield from (one.estimate for one in getattr(result, name, ()) if hasattr(one, "estimate"))
    if isinstance(getattr(result, "estimate", None), Estimate):
        yield result.estimate


def test_the_running_band_has_its_effective_n() -> None:
    running = shown()["Running"]
    assert running.goals
    for goal in running.goals:
        assert f">{count(goal.n_eff)}<" in running._repr_html_()


def test_hostile_names_are_seen_as_they_are() -> None:
    assert '&lt;b&gt;"x"&lt;/b&gt;' in shown()["Estimates"]._repr_html_()
    assert HOSTILE[0] in str(shown()["Estimates"])
    assert "'; drop table t--" in shown()["InSlices"]._repr_html_()


def entries(study: Study) -> list[str]:
    return [entry.hash for entry in study.ledger.entries(study.name, anew=True)]


def test_showing_records_nothing() -> None:
    study = begun("quiet")
    label(study)
    before = entries(study)
    assert study._repr_html_()
    assert study.status()._repr_html_()
    assert repr(study)
    assert entries(study) == before, "the study was looked at by showing it"
    decided = study.decide()
    assert decided is not None
    results = [study.estimate(), decided, study.slices("recall", by="place"), study.curves(), study.rank(), study.gate(POLICY)]
    looked = entries(study)
    assert len(looked) > len(before)
    for result in results:
        assert result._repr_html_()
        assert str(result)
    assert entries(study) == looked


def test_before_the_look_no_number_is_seen() -> None:
    """Two studies with opposite answers show the same before the look, so what they show says nothing of the answers.

    Six answers: from more of them `estimate` itself warns, without a number, of scores that do not predict.
    """
    seen = []
    for answer in ("yes", "no"):
        study = begun("s", budget=60)
        batch = study.ask(6)
        assert batch is not None
        study.tell(dict.fromkeys(batch.units, answer))
        results = (study, study.status(), study.estimate(), study.labelers(), study.gate(POLICY))
        texts = [(one._repr_html_() or "", str(one)) for one in results]
        assert not any("±" in text or "effective" in text for both in texts[:4] for text in both)
        assert study.decide() is None
        seen.append(texts)
    assert seen[0] == seen[1]


def test_without_a_drawing_a_notebook_shows_the_fields(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(display, "_slot", [])
    labelers = shown()["Labelers"]
    assert labelers._repr_html_() is None
    assert repr(labelers).startswith("Labelers(labelers=(Labeler(")
    assert finished()._repr_html_() is None
    assert str(shown()["Estimate"]).startswith("precision of ")


def test_what_is_no_result_is_not_drawn() -> None:
    assert DRAWING.html(object()) is None
    assert DRAWING.text(object()) is None


def test_a_drawing_may_be_set_and_taken_away(monkeypatch: pytest.MonkeyPatch) -> None:
    class Other:
        def html(self, result: object) -> str:
            return "<p>other</p>"

        def text(self, result: object) -> str:
            return "other"

    monkeypatch.setattr(display, "_slot", [])
    display.draw_with(Other)
    assert (shown()["Plan"]._repr_html_(), str(shown()["Plan"])) == ("<p>other</p>", "other")
    display.draw_with(None)
    assert shown()["Plan"]._repr_html_() is None


def test_the_style_reaches_nothing_else() -> None:
    """Every selector begins inside the piece; light and dark are said once each for the system and for notebooks."""
    rules = re.findall(r"([^{}@]+)\{[^{}]*\}", style())
    assert len(rules) > 80
    for rule in rules:
        for selector in re.split(r",\s*(?![^()]*\))", rule.strip()):
            assert re.match(rf"^(\S+ )?{re.escape(SCOPE)}( |$)", selector), selector
    assert "rem" not in style()
    assert style().count("{") == style().count("}")
    assert 'data-jp-theme-light="false"' in style()
    assert "prefers-color-scheme: dark" in style()


def test_import_stays_light() -> None:
    text = (
        "import sys, fewlabels; heavy = {'numpy', 'scipy', 'duckdb', 'sqlalchemy', 'xml.etree.ElementTree'} & set(sys.modules);"
        "pages = [m for m in sys.modules if m.startswith(('fewlabels.reports', 'fewlabels.integrations', 'fewlabels.study'))];"
        "assert not heavy and not pages, (heavy, pages)"
    )
    subprocess.run([sys.executable, "-c", text], check=True)
    study = (
        "import sys; import fewlabels.study.study;"
        "assert not {'fewlabels.reports.fragment', 'fewlabels.integrations.notebook'} & set(sys.modules), set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", study], check=True)
