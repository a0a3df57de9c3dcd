"""Thresholds, curves and searches of a study."""

from pathlib import Path

import numpy as np
import pytest

from fewlabels.errors import StudyError
from fewlabels.nouns.classifier import Classifier
from fewlabels.study.estimate.thresholds import threshold_of_look
from fewlabels.study.study import Study
from tests.unit.study.made import TABLE, TRUTH, create, finished, label_all, ledger_in, population

YES = np.array([TRUTH[unit] == "yes" for unit in TABLE["id"]])


def true_precision(threshold: float) -> float:
    return float(YES[TABLE["score"] >= threshold].mean())


def test_a_census_knows_the_curve(tmp_path: Path) -> None:
    study = finished(tmp_path, budget=400, goals=["accuracy +-0.1"])
    curves = study.curves()
    assert len(curves.thresholds) > 10
    for threshold, units, value in zip(curves.thresholds, curves.units, curves.curves["precision"]["value"], strict=True):
        assert units == (TABLE["score"] >= threshold).sum()
        assert value == pytest.approx(true_precision(threshold))


def test_a_ribbon_holds_its_pointwise_intervals(tmp_path: Path) -> None:
    study = finished(tmp_path, budget=150, goals=["f1 +-0.1"])
    curve = study.curves().curves["recall"]
    low, value, high = (np.array(curve[name], dtype=np.float64) for name in ("ribbon_low", "value", "ribbon_high"))
    assert ((low <= value) & (value <= high)).all()
    assert (np.array(curve["high"], dtype=np.float64) <= high + 1e-9).mean() > 0.5  # monotony may narrow a ribbon below its own interval


def test_a_threshold_found_keeps_its_target(tmp_path: Path) -> None:
    study = finished(tmp_path, budget=400, goals=["accuracy +-0.1"])
    found = study.find_threshold("precision", 0.6)
    assert found.threshold is not None
    assert true_precision(found.threshold) >= 0.6
    none = study.find_threshold("precision", 0.99)
    assert none.threshold is None
    assert "no threshold found" in none.reason


def test_looks_at_thresholds_are_recorded_and_verify(tmp_path: Path) -> None:
    study = finished(tmp_path, budget=150, goals=["f1 +-0.1"])
    study.curves()
    study.find_threshold("precision", 0.5)
    looks = [e.body["asked"]["kind"] for e in ledger_in(tmp_path).entries("s") if e.kind == "look"]
    assert looks == ["curves", "threshold"]
    assert study.verify().passed


@pytest.mark.parametrize("interval", ["placed", "strict", "rec"])
def test_a_search_uses_the_interval_of_the_plan_and_old_looks_the_one_they_used(tmp_path: Path, interval: str) -> None:
    study = create(tmp_path, goals=["f1 +-0.1"])
    study.plan(150, interval=interval)
    label_all(study)
    asked = {"kind": "threshold", "metric": "precision", "target": 0.5, "classifier": None}
    now, before = study.find_threshold("precision", 0.5), threshold_of_look(study.standing, asked)
    assert (now.other_low == before.other_low) == (interval == "rec"), (now.other_low, before.other_low)


def test_thresholds_that_labels_cannot_speak_of_are_refused(tmp_path: Path) -> None:
    study = create(tmp_path)
    study.plan(60)
    study.ask(1)
    with pytest.raises(StudyError, match="continue labeling, or peek"):
        study.curves()
    label_all(study)
    with pytest.raises(StudyError, match="precision or recall"):
        study.find_threshold("f1", 0.5)
    table = {**TABLE, "other": TABLE["score"][::-1].copy()}
    guided = population(table, guide="other")
    other = Study.create("o", guided, goals=["f1 +-0.1"], ledger=ledger_in(tmp_path))
    other.plan(60)
    label_all(other)
    with pytest.raises(StudyError, match="guides the draw"):
        other.curves()
    two = population(TABLE, classifiers=[Classifier("a", score="score", threshold=0.5), Classifier("b", score="score", threshold=0.3)],
                     score=None, threshold=None)  # fmt: skip
    both = Study.create("t", two, goals=["f1 +-0.1 for each"], ledger=ledger_in(tmp_path))
    both.plan(100)
    label_all(both)
    assert both.curves(classifier="b").classifier == "b"
