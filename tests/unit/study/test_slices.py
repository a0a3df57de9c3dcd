"""A metric in every slice, planned or not."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fewlabels.errors import StudyError
from fewlabels.study.study import Study
from tests.unit.study.made import TRUTH, columns, label_all, ledger_in, population

PLACES = ("a", "b")


def sliced(folder: Path, *, budget: int, goals: tuple[str, ...] = ("accuracy +-0.1",)) -> tuple[Study, dict[str, Any]]:
    table = columns()
    table["place"] = np.array([PLACES[i % 3 == 0] for i in range(len(table["id"]))])
    table["kind"] = np.array(["x" if i % 2 else "y" for i in range(len(table["id"]))])
    study = Study.create("s", population(table, slices=["place", "kind"]), goals=list(goals), ledger=ledger_in(folder))
    study.plan(budget)
    label_all(study)
    return study, table


def true_precision(table: dict[str, Any], **where: str) -> float:
    rows = table["score"] >= 0.5
    for column, value in where.items():
        rows = rows & (table[column] == value)
    return float(np.mean([TRUTH[unit] == "yes" for unit, row in zip(table["id"], rows, strict=True) if row]))


def test_a_census_is_exact_in_every_slice(tmp_path: Path) -> None:
    study, table = sliced(tmp_path, budget=400)
    for found in study.slices("precision", by=["place"]).estimates:
        assert found.slice is not None
        assert found.value == pytest.approx(true_precision(table, place=found.slice[1]))
        assert found.half_width < 1e-9


def test_crossed_slices_have_their_own_labels(tmp_path: Path) -> None:
    study, table = sliced(tmp_path, budget=120)
    found = study.slices("precision", by=["place", "kind"])
    assert [e.slice for e in found.estimates] == [("place x kind", f"{p} x {k}") for p in PLACES for k in ("x", "y")]
    whole = study.estimate().of("precision")
    assert sum(e.labels for e in found.estimates) == whole.labels
    for e in found.estimates:
        assert e.slice is not None
        place, kind = e.slice[1].split(" x ")
        assert e.low <= true_precision(table, place=place, kind=kind) <= e.high
        assert not e.planned


def test_simultaneous_intervals_are_wider_and_share_the_level(tmp_path: Path) -> None:
    study, _ = sliced(tmp_path, budget=120)
    one, all_ = (study.slices("precision", by=["place"], simultaneous=s) for s in (False, True))
    assert all_.level == one.level == 0.95
    for narrow, wide in zip(one.estimates, all_.estimates, strict=True):
        assert wide.level == pytest.approx(1 - 0.05 / 2)
        assert wide.low < narrow.low
        assert wide.high >= narrow.high


def test_a_planned_slice_says_so_and_agrees_with_its_goal(tmp_path: Path) -> None:
    study, _ = sliced(tmp_path, budget=30, goals=("precision +-0.2 by place",))
    shown = study.estimate()
    for found in study.slices("precision", by=["place"]).estimates:
        assert found.planned
        assert found.value == shown.of("precision", slice=found.slice).value


def test_a_look_at_slices_is_recorded_and_verifies(tmp_path: Path) -> None:
    study, _ = sliced(tmp_path, budget=60)
    study.slices("recall", by=["kind"])
    study.slices("recall", by=["kind"])
    looks = [e for e in ledger_in(tmp_path).entries("s") if e.kind == "look"]
    assert [look.body["asked"]["kind"] for look in looks] == ["slices"]
    assert study.verify().passed


def test_slices_are_refused_where_they_cannot_be_read(tmp_path: Path) -> None:
    study, _ = sliced(tmp_path, budget=20, goals=("precision +-0.1",))
    with pytest.raises(StudyError, match="which has place, kind, got size"):
        study.slices("precision", by=["size"])
    with pytest.raises(StudyError, match="made for other units"):
        study.slices("recall", by=["place"])
    study.plan(30)
    study.ask(1)
    with pytest.raises(StudyError, match="continue labeling, or peek"):
        study.slices("precision", by=["place"])
    assert study.slices("precision", by=["place"], peek=True).estimates
