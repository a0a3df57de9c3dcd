"""Tables of records: ours without asking anybody, those of other packages when they are named, refusals in words."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from fewlabels import plugins, registry
from fewlabels.engines.opening import ENGINES, EngineKind
from fewlabels.errors import EngineError, LabelError, PlanError
from fewlabels.intervals.base import Interval
from fewlabels.intervals.rare import rec
from fewlabels.intervals.registered import INTERVALS, interval_named, plan_interval
from fewlabels.labeling.base import Format
from fewlabels.labeling.formats import FORMATS
from fewlabels.registry import Outside, Registry


@dataclass(frozen=True)
class Thing:
    name: str
    package: str | None = None


def table(monkeypatch: pytest.MonkeyPatch, *offers: Outside) -> tuple[Registry[Thing], list[str]]:
    """A table of one thing of ours, what others offer, and how often they were asked."""
    asked: list[str] = []

    def found(group: str) -> Sequence[Outside]:
        asked.append(group)
        return offers

    monkeypatch.setattr(registry, "found_outside", found)
    return Registry("thing", Thing, [Thing("ours")], error=PlanError), asked


def offer(name: str, package: str = "extra 1.0", says: object = None) -> Outside:
    return Outside(name, package, lambda: Thing(name) if says is None else says)


def test_ours_are_found_without_asking_anybody(monkeypatch: pytest.MonkeyPatch) -> None:
    things, asked = table(monkeypatch, offer("theirs"))
    assert things.named("ours").package is None
    assert [one.name for one in things] == ["ours"]
    assert asked == []


def test_theirs_are_loaded_once_and_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    things, asked = table(monkeypatch, offer("theirs"))
    assert things.named("theirs") is things.named("theirs")
    assert things.named("theirs").package == "extra 1.0"
    assert asked == ["fewlabels.things"]
    assert things.own == ("ours",)


def test_a_listing_leaves_out_what_is_refused_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    offers = (offer("theirs"), offer("odd", says=7), offer("ours"), offer("twice", "a 1"), offer("twice", "b 1"))
    things, _ = table(monkeypatch, *offers)
    assert [one.name for one in things.every()] == ["ours", "theirs"]
    odd, ours, twice = things.refused()
    assert "the thing 'odd' of extra 1.0 cannot be used (it is a int, not a Thing)" in odd
    assert "the thing 'ours' of extra 1.0 needs another name: fewlabels already has that name" in ours
    assert "'twice' is added by a 1 and by b 1: remove one" in twice


def test_a_missing_package_is_named_where_its_name_was_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    things, _ = table(monkeypatch)
    monkeypatch.setattr(registry, "_came_from", {})
    with pytest.raises(PlanError, match=r"no thing 'theirs': fewlabels knows ours, .* install the package that adds it"):
        things.named("theirs")
    registry.note_origin("thing", "theirs", "extra 1.0")
    with pytest.raises(PlanError, match=r"or install extra 1\.0"):
        things.named("theirs")


def test_a_name_is_added_once(monkeypatch: pytest.MonkeyPatch) -> None:
    things, _ = table(monkeypatch)
    with pytest.raises(PlanError, match="the thing 'ours' of mine 2 needs another name"):
        things.add(Thing("ours", "mine 2"))


def test_the_package_asks_the_installed_ones() -> None:
    assert registry.found_outside is plugins.installed
    assert list(plugins.installed("fewlabels.nothing_is_called_so")) == []


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"name": "x y", "of_side": rec}, "lowercase letters"),
        ({"name": "x"}, "must have exactly one of of_side"),
        ({"name": "x", "of_side": rec, "running": True}, "must have exactly one of of_side"),
        ({"name": "x", "of_side": rec, "may_plan": True}, "must have of_side and a statement"),
        ({"name": "x", "of_error": rec, "may_plan": True, "statement": "It holds."}, "must have of_side and a statement"),
        ({"name": "x", "of_side": rec, "is_baseline": True}, "has no caution"),
    ],
)
def test_an_interval_that_contradicts_itself_is_refused(said: dict[str, Any], why: str) -> None:
    with pytest.raises(PlanError, match=why):
        Interval(**said)


def test_each_name_is_used_for_what_it_is() -> None:
    with pytest.raises(PlanError, match="anytime is the confidence sequence of an online draw"):
        interval_named("anytime")
    with pytest.raises(PlanError, match="a plan needs an interval that works for every draw: rec, strict, placed, midp, got wald"):
        plan_interval("wald")
    assert [one.name for one in INTERVALS if one.may_plan] == ["rec", "strict", "placed", "midp"]
    assert all(one.package is None and one.untested is None for one in INTERVALS)
    assert FORMATS.own == ("flat", "label-studio", "ground-truth", "mturk", "toloka", "prodigy", "doccano", "argilla")
    assert ENGINES.own == ("memory", "duckdb", "postgres", "spark")


def test_formats_and_engines_that_nothing_could_name_are_refused() -> None:
    with pytest.raises(LabelError, match="a format must have file endings"):
        Format(name="x", endings=("csv",), write=FORMATS.named("flat").write, read=FORMATS.named("flat").read)
    with pytest.raises(EngineError, match="an engine's name must be two or more lowercase letters"):
        EngineKind(name="c", open=ENGINES.named("duckdb").open)
