"""What every engine must refuse, with the count and an example."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from fewlabels.errors import DrawError, FingerprintError, PopulationError
from fewlabels.nouns.classifier import Classifier
from tests.contracts.engines_under_test import GBM, UnderTest, all_in_one_band, on_engines, reference


@pytest.mark.parametrize("y", [[0.0, 2.0, 1.0, 3.0], [0, 2, 1, 3]])
def test_truth_other_than_0_and_1_is_refused(under: UnderTest, tmp_path: Path, y: list[Any]) -> None:
    table = {"id": [1, 2, 3, 4], "s": [0.1, 0.2, 0.3, 0.4], "y": y, "word": ["a", "b", "c", "d"]}
    engine = under.build(table, tmp_path, id="id", classifiers=(GBM,))
    profile = engine.profile()
    with pytest.raises(PopulationError, match=r"truth in 'y' that is 0 or 1, but 2 do not \(for example unit '2' has truth 2"):
        engine.positives(profile, truth="y")
    with pytest.raises(PopulationError, match=r"the truth column must be one of .* but 'word' is text"):
        engine.positives(profile, truth="word")
    with pytest.raises(PopulationError, match=r"no column 'yy': did you mean 'y'\?"):
        engine.positives(profile, truth="yy")


def test_truth_that_is_null_is_refused(under: UnderTest, tmp_path: Path) -> None:
    engine = under.build({"id": [1, 2, 3], "s": [0.1, 0.2, 0.3], "y": [1, None, 0]}, tmp_path, id="id", classifiers=(GBM,))
    with pytest.raises(PopulationError, match=r"need a truth in 'y', but 1 do not \(for example unit '2' has truth null"):
        engine.positives(engine.profile(), truth="y")


def test_a_changed_table_is_noticed(under: UnderTest, tmp_path: Path) -> None:
    how: dict[str, Any] = {"id": "id", "classifiers": (GBM,), "slices": ("k",)}
    old = reference({"id": [1, 2], "s": [0.1, 0.2], "k": ["a", "a"], "y": [1, 0]}, **how).profile()
    other = under.build({"id": [1, 2], "s": [0.1, 0.2], "k": ["a", "b"], "y": [1, 0]}, tmp_path, **how)
    with pytest.raises(FingerprintError, match="was not in the table when it was profiled"):
        all_in_one_band(other, old)
    more = under.build({"id": [1, 2, 3], "s": [0.1, 0.2, 0.2], "k": ["a", "a", "a"], "y": [1, 0, 0]}, tmp_path, **how)
    with pytest.raises(FingerprintError, match="other units in its cells"):
        more.positives(old, truth="y")


NAN, INF = math.nan, math.inf
BAD_TABLES: dict[str, tuple[dict[str, Any], str, str]] = {
    "null ids": ({"id": ["a", None, None], "s": [0.1, 0.2, 0.3]}, r"need an id, but 2 do not \(for example a null in column 'id'\)", ""),
    "duplicate ids": (
        {"id": ["a", "b", "a", "b", "b"], "s": [0.1] * 5},
        r"id of their own in 'id', but 3 do not \(for example 'b' appears 3 times\)",
        "",
    ),
    "duplicate numbers": ({"id": [5, 6, 5], "s": [0.1] * 3}, r"but 1 do not \(for example '5' appears 2 times\)", ""),
    "long ids": (
        {"id": ["a", "é" * 513, "x" * 1024], "s": [0.1] * 3},
        r"at most 1,024 bytes of UTF-8, but 1 do not \(for example 'é{57}\.\.\.' has 1,026 bytes",
        "",
    ),
    "NUL in ids": ({"id": ["a", "b\0c"], "s": [0.1] * 2}, r"without NUL characters, but 1 do not \(for example 'b\\x00c'\)", "nul"),
    "null scores": (
        {"id": ["b", "a", "c"], "s": [None, None, 0.5]},
        r"need a score in 's', but 2 do not \(for example unit 'a' has score null\)",
        "",
    ),
    "NaN scores": ({"id": ["b", "a", "c"], "s": [NAN, NAN, 0.5]}, r"not NaN, but 2 do not \(for example unit 'a' has score nan\)", "nan"),
    "scores above": (
        {"id": ["b", "a17", "c"], "s": [1.5, 1.2, 1.0]},
        r"in 's' within \[0, 1\], but 2 do not \(for example unit 'a17' has score 1\.2\)",
        "",
    ),
    "scores below": ({"id": ["b", "a", "c"], "s": [0.0, -0.1, 1.0]}, r"but 1 do not \(for example unit 'a' has score -0\.1\)", ""),
    "infinite scores": (
        {"id": ["b", "a", "c"], "s": [0.0, INF, 1.0]},
        r"within \[0, 1\], but 1 do not \(for example unit 'a' has score inf\)",
        "",
    ),
    "float ids": (
        {"id": [1.5, 2.5], "s": [0.1, 0.2]},
        "id column must be one of int, decimal, uuid, text, but 'id' is float64",
        "types of an id",
    ),
    "bool ids": ({"id": [True, False], "s": [0.1, 0.2]}, "but 'id' is bool", "types of an id"),
    "text scores": ({"id": [1, 2], "s": ["high", "low"]}, "the score column must be one of float32, float64, int, but 's' is text", ""),
    "no such column": ({"id": [1, 2], "S": [0.1, 0.2], "x": [1, 2]}, r"no column 's': did you mean 'S'\?", ""),
    "no rows": ({"id": pa.array([], pa.int64()), "s": pa.array([], pa.float64())}, "at least one unit, but the table is empty", ""),
}


@pytest.mark.parametrize(
    ("under", "case"), [p for case, (_, _, needs) in BAD_TABLES.items() for p in on_engines(case, without=needs or "-")]
)
def test_bad_tables_are_refused_with_count_and_example(under: UnderTest, tmp_path: Path, case: str) -> None:
    table, message, _ = BAD_TABLES[case]
    with pytest.raises(PopulationError, match=message):
        under.build(table, tmp_path, id="id", classifiers=(GBM,)).profile()


def test_nan_is_never_dropped_even_where_it_is_null(under: UnderTest, tmp_path: Path) -> None:
    table = {"id": [1, 2, 3], "s": [0.1, NAN, NAN]}
    with pytest.raises(PopulationError, match=r"'s'.*, but 2 do not"):
        under.build(table, tmp_path, id="id", classifiers=(GBM,)).profile()


BAD_FLAGS: dict[str, tuple[list[Any], str]] = {
    "null": ([1, None, 0, None], r"need a prediction in 'f', but 2 do not \(for example unit '2' has prediction null\)"),
    "other": ([1, 0, 2, 7], r"that is 0 or 1, but 2 do not \(for example unit '3' has prediction 2\)"),
    "null bool": ([True, None, False, None], r"need a prediction in 'f', but 2 do not \(for example unit '2' has prediction null\)"),
    "float": ([0.5, 0.0, 1.0, 1.0], "the prediction column must be one of bool, int, but 'f' is float64"),
}


@pytest.mark.parametrize("case", BAD_FLAGS)
def test_bad_predictions_are_refused(under: UnderTest, tmp_path: Path, case: str) -> None:
    values, message = BAD_FLAGS[case]
    with pytest.raises(PopulationError, match=message):
        under.build({"id": [1, 2, 3, 4], "f": values}, tmp_path, id="id", classifiers=(Classifier("rules", predicted="f"),)).profile()


def test_the_guide_is_checked_too(under: UnderTest, tmp_path: Path) -> None:
    table = {"id": [1, 2, 3], "s": [0.1, 0.2, 0.3], "g": [0.5, None, 7.0]}
    with pytest.raises(PopulationError, match=r"2 rules are broken:(?s:.)*'g', but 1(?s:.)*'g' within \[0, 1\], but 1") as refused:
        under.build(table, tmp_path, id="id", classifiers=(GBM,), guide="g").profile()
    assert "unit '3' has score 7.0" in str(refused.value)


def test_every_problem_is_the_reference_s(under: UnderTest, tmp_path: Path) -> None:
    table = {"id": ["a", "b", "b", None], "s": [2.0, None, -1.0, 0.5], "f": [1, 0, 5, None]}
    how: dict[str, Any] = {"id": "id", "classifiers": (GBM, Classifier("rules", predicted="f"))}
    found = under.build(table, tmp_path, **how).inspect()
    assert [str(p) for p in found.problems] == [str(p) for p in reference(table, **how).inspect().problems]
    assert len(found.problems) == 6


def test_float_slices_are_refused_and_text_where_they_were_written_as_text(under: UnderTest, tmp_path: Path) -> None:
    table = {"id": [1, 2], "s": [0.1, 0.2], "k": [1.5, 2.5]}
    if under.name == "duckdb-csv":
        assert under.build(table, tmp_path, id="id", classifiers=(GBM,), slices=("k",)).profile().slice_values == (("1.5",), ("2.5",))
        return
    with pytest.raises(PopulationError, match=r"the slice column must be one of .*, but 'k' is float64: cast it to text or integers"):
        under.build(table, tmp_path, id="id", classifiers=(GBM,), slices=("k",)).profile()


def test_too_many_cells_name_the_slice_to_drop(under: UnderTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fewlabels.nouns.profile.MOST_CELLS", 20)
    table = {"id": np.arange(30), "s": np.full(30, 0.5), "k": [str(i % 2) for i in range(30)], "zip": [str(i) for i in range(30)]}
    with pytest.raises(PopulationError, match=r"at most 20 cells, .* drop slice column 'zip', which has 30 distinct values"):
        under.build(table, tmp_path, id="id", classifiers=(GBM,), slices=("k", "zip")).profile()


def test_a_unit_that_is_there_twice_is_not_drawn(under: UnderTest, tmp_path: Path) -> None:
    how: dict[str, Any] = {"id": "id", "classifiers": (GBM,)}
    profile = reference({"id": [1, 2], "s": [0.1, 0.1]}, **how).profile()
    engine = under.build({"id": [1, 1], "s": [0.1, 0.1]}, tmp_path, **how)
    with pytest.raises(DrawError, match="'1' came twice"):
        all_in_one_band(engine, profile)
    with pytest.raises(DrawError, match="2 rows were found for 1 ids"):
        engine.fetch(["1"], columns=["s"])
