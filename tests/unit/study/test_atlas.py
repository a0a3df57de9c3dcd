"""Cautions: what was tested and held has none; everything else says why."""

import json
from collections import Counter
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import pytest

from fewlabels.estimators.estimating import estimate
from fewlabels.nouns.estimate import Estimate
from fewlabels.nouns.metrics import metric_named
from fewlabels.study.estimate.atlas import Seen, Way, caution_of, caution_of_goal, in_words, read_atlas, read_one_sided
from tests.identities.made import tally_of
from tests.unit.study.made import create, label_all


def found(metric: str = "precision", *, level: float = 0.95) -> Estimate:
    tally = tally_of([1, 0], [500, 5_000], [100, 100], [90, 5])
    return estimate(metric_named(metric), tally, classifier="gbm", level=level, planned=True)


@pytest.mark.parametrize("metric", ["precision", "recall", "f1", "accuracy", "prevalence", "mcc", "kappa", "balanced_accuracy", "jaccard"])
@pytest.mark.parametrize("design", ["bands", "simple"])
def test_what_was_tested_and_held_has_no_caution(metric: str, design: str) -> None:
    assert caution_of(found(metric), design=design, labels=500) is None


@pytest.mark.parametrize("labels", [50, 75, 1_999, 2_000, 50_000])
def test_between_and_beyond_the_sizes_tested_there_is_none(labels: int) -> None:
    assert caution_of(found(), design="bands", labels=labels) is None


@pytest.mark.parametrize(
    ("estimate", "design", "labels", "says"),
    [
        (found(), "bands", 20, "not tested"),
        (found("f3"), "bands", 500, "not tested"),
        (found("recall", level=0.999), "bands", 500, "not tested at level"),
        (found(), "given", 500, "not tested"),
        (replace(found(), interval="wald"), "bands", 500, "baseline"),
        (replace(found(), metric="recall by amount"), "bands", 500, "by weight"),
        (replace(found(), metric="macro[f1]"), "bands", 500, "several labels"),
        (replace(found(), gold=40), "bands", 500, "gold"),
    ],
)
def test_what_was_not_tested_says_so(estimate: Estimate, design: str, labels: int, says: str) -> None:
    caution = caution_of(estimate, design=design, labels=labels)
    assert caution is not None
    assert says in caution


def test_what_fell_short_says_by_how_much(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = {("placed", "bands", "precision", 0.95): (Seen(200, 0.951, "passes"), Seen(500, 0.912, "caution"))}
    monkeypatch.setattr("fewlabels.study.estimate.atlas.read_atlas", lambda: seen)
    assert "0.912" in str(caution_of(found(), design="bands", labels=300))
    assert caution_of(found(), design="bands", labels=200) is None


def test_cautions_are_said_once_with_their_metrics() -> None:
    said = in_words([(found("recall"), "careful"), (found("f1"), "careful"), (found("mcc"), None)])
    assert said == ["recall, f1: careful"]


def test_the_table_is_there() -> None:
    assert ("placed", "bands", "f1", 0.95) in read_atlas()


@pytest.mark.parametrize(
    ("way", "verdict", "says"),
    [
        ("grown", "passes", None),
        ("grown", "caution", "one-sided bounds of a plan that grew were wrong 9.1% of the time"),
        ("grown", "refuse", "of a plan that grew were wrong 9.1% of the time"),
        ("planned looks", "passes", "one-sided bounds at planned looks were not tested for precision with placed"),
        (None, "refuse", None),
    ],
)
def test_a_verdict_on_a_target_reads_the_one_sided_cells(monkeypatch: pytest.MonkeyPatch, way: Way, verdict: str, says: str | None) -> None:
    monkeypatch.setattr("fewlabels.study.estimate.atlas.read_one_sided", lambda: {("grown", "placed", "precision"): (0.091, verdict)})
    caution = caution_of_goal(found(), way, design="bands", labels=500)
    assert (says is None and caution is None) or str(says) in str(caution)


def test_one_look_reads_the_one_sided_wing_of_the_atlas(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = {
        ("placed", "bands", "precision", 0.95): (Seen(200, 0.951, "passes", 0.048, "passes"), Seen(500, 0.95, "passes", 0.071, "refuse"))
    }
    monkeypatch.setattr("fewlabels.study.estimate.atlas.read_atlas", lambda: seen)
    assert caution_of_goal(found(), None, design="bands", labels=200) is None
    assert "wrong 7.1% of the time" in str(caution_of_goal(found(), None, design="bands", labels=500))


def test_the_one_sided_table_is_there() -> None:
    found = read_one_sided()
    assert found["grown", "strict", "recall"][1] == found["planned looks", "strict", "negative_predictive_value"][1] == "passes"
    assert found["planned looks", "rec", "negative_predictive_value"][1] == "refuse"
    assert sum(key[:2] == ("grown", "placed") for key in found) == 5
    assert {found["planned looks", "placed", metric][1] for metric in ("precision", "accuracy")} == {"passes"}


def test_only_the_targets_of_a_plan_that_grew_are_cautioned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fewlabels.study.estimate.atlas.read_one_sided", lambda: {})
    study = create(tmp_path, goals=["precision +-0.1", "recall >= 0.5"])
    said = []
    for budget in (100, 200):
        study.plan(budget)
        label_all(study)
        shown = study.estimate()
        said.append({e.metric for e, caution in zip(shown.estimates, shown.cautions, strict=True) if "one-sided" in str(caution)})
    assert said == [set(), {"recall"}]


def test_an_interval_tested_twice_is_as_good_as_its_worse_result() -> None:
    folder = files("fewlabels.study.estimate")
    rows = [row for name in ("atlas.json", "atlas_rec.json") for row in json.loads(folder.joinpath(name).read_text())["tested"]]
    twice = [key for key, n in Counter((row["interval"], row["design"], row["metric"], row["level"]) for row in rows).items() if n > 1]
    assert twice
    for key in twice:
        both = [row for row in rows if (row["interval"], row["design"], row["metric"], row["level"]) == key]
        for seen in read_atlas()[key]:
            assert seen.lowest == min(size["lowest"] for row in both for size in row["sizes"] if size["labels"] == seen.labels)
