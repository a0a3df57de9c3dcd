"""One suite for all engines: each must agree with the reference, unit by unit, and refuse the same tables."""

import importlib
import inspect
import pkgutil
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import fewlabels.engines
from fewlabels.engines.checked import CheckedEngine
from fewlabels.engines.offline import HandedEngine
from fewlabels.errors import DrawError, PopulationError
from fewlabels.nouns import ladder
from fewlabels.nouns.classifier import Classifier
from tests.contracts.engines_under_test import (
    ENGINES,
    EVERYTHING,
    GBM,
    UnderTest,
    all_in_one_band,
    assert_same_profile,
    assert_same_units,
    base_table,
    both,
    on_engines,
)


def test_every_engine_is_under_test() -> None:
    """All but two with suites of their own: one that answers a single question from a file, and one that checks another's answers."""
    listed = {entry.engine for entry in ENGINES}
    for module in pkgutil.iter_modules(fewlabels.engines.__path__):
        contents = vars(importlib.import_module(f"fewlabels.engines.{module.name}"))
        for name, thing in contents.items():
            if (
                name.endswith("Engine")
                and inspect.isclass(thing)
                and not inspect.isabstract(thing)
                and not getattr(thing, "_is_protocol", False)
            ):
                assert thing in (*listed, HandedEngine, CheckedEngine), f"{thing} is in no list: add it to ENGINES"


def test_profile_is_that_of_the_reference(under: UnderTest, tmp_path: Path) -> None:
    table = base_table()
    _, found, _, expected = both(under, table, tmp_path, **EVERYTHING)
    assert_same_profile(found, expected, types="types of an id" not in under.lacks)
    assert found.N == 1_000
    assert found.guided
    assert ("∅", "∅") in found.slice_values
    assert ("∅∅x", "10") in found.slice_values
    assert (found.smallest_id, found.largest_id) == ("-300", "6693")


CLUSTERS: dict[str, tuple[list[Any], tuple[int, int, float]]] = {
    "text": (["a", "b", None, "a", "c c", "a", None, "B", "b", "é"], (5, 3, (9 + 4 + 1 + 1 + 1 + 2) / 10)),
    "numbers": ([7, 7, 7, None, -1, 7, 0, 0, 7, 7], (4, 6, (36 + 4 + 1 + 1) / 10)),
    "none": ([None] * 10, (10, 1, 1.0)),
}


@pytest.mark.parametrize("case", CLUSTERS)
def test_clusters_are_counted_and_a_unit_without_one_stands_for_itself(under: UnderTest, tmp_path: Path, case: str) -> None:
    column, (number, largest, alike) = CLUSTERS[case]
    number += sum(value is None for value in column) if case == "text" else 0
    types = {"text": pa.string(), "numbers": pa.int64(), "none": pa.string()}
    table = {"id": list(range(10)), "s": [i / 10 for i in range(10)], "of": pa.array(column, types[case])}
    if case == "none" and under.name == "csv":
        table["of"] = pa.array([""] * 10)
    found = under.build(table, tmp_path, id="id", classifiers=(GBM,), cluster="of").clusters("of")
    assert (found.number, found.largest) == (number, largest)
    assert found.alike == pytest.approx(alike)


def test_inspection_counts_units_and_names_columns(under: UnderTest, tmp_path: Path) -> None:
    engine = under.build(base_table(100), tmp_path, **EVERYTHING)
    found = engine.inspect()
    assert found.N == 100
    assert found.problems == ()
    assert found.duplicates_checked
    assert [c.name for c in found.columns] == list(base_table())
    assert dict(found.columns)["s"] == "float64"
    assert dict(found.columns)["id"] == "int"
    assert not engine.inspect(check_duplicates=False).duplicates_checked


THRESHOLDS = (0.1, 0.3, 0.5, 0.7, 1 / 3, 1e-30)


@pytest.mark.parametrize(("under", "dtype"), [*on_engines(np.float32, without="float32"), *on_engines(np.float64)])
def test_scores_meet_the_threshold_rounded_to_their_own_type(under: UnderTest, tmp_path: Path, dtype: type) -> None:
    at = [dtype(t) for t in THRESHOLDS]
    table: dict[str, Any] = {"id": [1, 2, 3]} | {
        f"s{i}": np.array([np.nextafter(t, dtype(0)), t, np.nextafter(t, dtype(1))], dtype) for i, t in enumerate(at)
    }
    classifiers = tuple(Classifier(f"c{i}", score=f"s{i}", threshold=t) for i, t in enumerate(THRESHOLDS))
    engine, profile, memory, expected = both(under, table, tmp_path, id="id", classifiers=classifiers)
    assert_same_profile(profile, expected)
    units = all_in_one_band(engine, profile)
    every = (1 << len(THRESHOLDS)) - 1
    assert dict(zip(units.unit, units.pattern.tolist(), strict=True)) == {"1": 0, "2": every, "3": every}
    assert_same_units(units, all_in_one_band(memory, profile))


@pytest.mark.parametrize(("low", "high"), [(0, 100), (-3.3, 1e6)])
def test_score_ranges_are_mapped_alike(under: UnderTest, tmp_path: Path, low: float, high: float) -> None:
    scores = np.array([low, high, *(low + (high - low) * np.random.default_rng(1).random(300))]).clip(low, high)
    classifier = Classifier("old", score="s", threshold=(low + high) / 3, score_range=(low, high))
    engine, profile, memory, expected = both(under, {"id": np.arange(302), "s": scores}, tmp_path, id="id", classifiers=(classifier,))
    assert_same_profile(profile, expected)
    assert profile.guide_bin.min() == 0
    assert profile.guide_bin.max() == ladder.BINS - 1
    assert_same_units(all_in_one_band(engine, profile), all_in_one_band(memory, profile))


def test_integer_scores_are_read(under: UnderTest, tmp_path: Path) -> None:
    classifier = Classifier("points", score="s", threshold=60, score_range=(0, 100))
    _, profile, _, expected = both(under, {"id": np.arange(101), "s": np.arange(101)}, tmp_path, id="id", classifiers=(classifier,))
    assert_same_profile(profile, expected)
    assert int(profile.count[profile.predicted(0)].sum()) == 41


def test_without_scores_there_is_no_guide(under: UnderTest, tmp_path: Path) -> None:
    table = {"id": np.arange(8), "flag": np.array([True, False] * 4)}
    engine, profile, memory, expected = both(under, table, tmp_path, id="id", classifiers=(Classifier("rules", predicted="flag"),))
    assert_same_profile(profile, expected)
    assert not profile.guided
    assert profile.slice_values == ((),)
    assert profile.count.tolist() == [4, 4]
    units = all_in_one_band(engine, profile)
    assert np.isnan(units.scores).all()
    assert_same_units(units, all_in_one_band(memory, profile))


@settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    scores=st.lists(
        st.one_of(
            st.floats(0, 1),
            st.floats(0, 1e-9),
            st.floats(0, 2**-32, exclude_min=True).map(lambda t: 1 - t),
            st.builds(lambda k, e: min(1.0, k * 2.0**-e), st.integers(0, 1024), st.integers(10, 50)),
        ),
        min_size=150,
        max_size=400,
    )
)
def test_bins_are_those_of_the_ladder(under: UnderTest, tmp_path: Path, scores: list[float]) -> None:
    table = {"id": np.arange(len(scores)), "s": np.array(scores)}
    engine = under.build(table, tmp_path, id="id", classifiers=(GBM,))
    units = all_in_one_band(engine, engine.profile())
    expected = ladder.bin_of(np.array(scores))
    assert units.guide_bin.tolist() == [expected[int(unit)] for unit in units.unit]


def test_positives_are_counted_by_cell(under: UnderTest, tmp_path: Path) -> None:
    table = base_table()
    engine, profile, memory, _ = both(under, table, tmp_path, **EVERYTHING)
    found = engine.positives(profile, truth="y")
    np.testing.assert_array_equal(found, memory.positives(profile, truth="y"))
    assert found.sum() == np.sum(table["y"])
    assert engine.positives(profile, truth="flag").sum() == np.sum(table["flag"])


def test_fetch_gives_text_in_the_order_asked(under: UnderTest, tmp_path: Path) -> None:
    table = {"id": [3, 1, 2], "s": [0.5, 0.25, 0.125], "title": ["it's", None, "é\n2"], "n": [7, 8, -9]}
    engine = under.build(table, tmp_path, id="id", classifiers=(GBM,))
    rows = engine.fetch(["2", "3", "2", "1"], columns=["title", "n", "s"])
    two = {"title": "é\n2", "n": "-9", "s": "0.125"}
    assert rows == [two, {"title": "it's", "n": "7", "s": "0.5"}, two, {"title": None, "n": "8", "s": "0.25"}]
    assert engine.fetch([], columns=["title"]) == []
    with pytest.raises(DrawError, match=r"2 are not in it \(for example '9'\)"):
        engine.fetch(["1", "9", "01"], columns=["n"])
    with pytest.raises(PopulationError, match=r"no column 'titel': did you mean 'title'\?"):
        engine.fetch(["1"], columns=["titel"])


def test_units_are_located_in_the_cells_of_the_reference(under: UnderTest, tmp_path: Path) -> None:
    table = base_table(300)
    engine, profile, memory, _ = both(under, table, tmp_path, **EVERYTHING)
    units = [*map(str, table["id"][::7]), "-99999", "x", "01"]
    found = engine.locate(profile, [*units, units[0]])
    np.testing.assert_array_equal(found, memory.locate(profile, [*units, units[0]]))
    assert (found[-4:-1] == -1).all()
    assert (found[:-4] >= 0).all()
    assert engine.locate(profile, []).size == 0
    everyone = engine.locate(profile, [str(unit) for unit in table["id"]])
    np.testing.assert_array_equal(np.bincount(everyone, minlength=profile.count.size), profile.count)


def test_an_id_that_is_located_twice_is_refused(under: UnderTest, tmp_path: Path) -> None:
    engine = under.build({"id": ["a", "b", "c"], "s": [0.1, 0.2, 0.3]}, tmp_path, id="id", classifiers=(GBM,))
    profile = engine.profile()
    (tmp_path / "twice").mkdir()
    twice = under.build({"id": ["a", "b", "b"], "s": [0.1, 0.2, 0.3]}, tmp_path / "twice", id="id", classifiers=(GBM,))
    assert twice.locate(profile, ["a"]).size == 1
    with pytest.raises(DrawError, match="in the table twice"):
        twice.locate(profile, ["a", "b"])


HOSTILE = (
    'a"b',
    "it's",
    "select",
    "ünï cødé 👍",
    "a{x}b",
    "%s",
    "a;--",
    "unit",
    "guide_bin",
    "fewlabels_table",
    "a\\b",
    "[0]",
    "a.b",
    "hash",
    "S0",
)


def test_hostile_column_names_are_only_names(under: UnderTest, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    table: dict[str, Any] = {'the "id"': np.arange(50)}
    table |= {name: rng.random(50) for name in HOSTILE} | {f"{name} flag": rng.random(50) < 0.5 for name in HOSTILE}
    table |= {f"{name} k": [str(i % 2) for i in range(50)] for name in HOSTILE}
    scored = tuple(Classifier(f"c{i}", score=name, threshold=0.4) for i, name in enumerate(HOSTILE))
    flagged = tuple(Classifier(f"f{i}", predicted=f"{name} flag") for i, name in enumerate(HOSTILE))
    how: dict[str, Any] = {"id": 'the "id"', "classifiers": scored + flagged, "slices": tuple(f"{name} k" for name in HOSTILE)}
    engine, profile, memory, expected = both(under, table, tmp_path, **how)
    assert_same_profile(profile, expected, types="types of an id" not in under.lacks)
    assert_same_units(all_in_one_band(engine, profile), all_in_one_band(memory, profile))
    assert engine.fetch(["4"], columns=HOSTILE[:1]) == [{HOSTILE[0]: str(np.asarray(table[HOSTILE[0]])[4])}]
    assert engine.positives(profile, truth='a"b flag').sum() == np.sum(np.asarray(table['a"b flag']))


WEIGHTED: dict[str, Any] = {**EVERYTHING, "slices": ("region",), "weight": "amount"}
LABELS: dict[str, Any] = {
    "id": "id",
    "classifiers": (
        Classifier("joy", score="s", threshold=0.3, question="joy"),
        Classifier("fear", score="t", threshold=12.5, score_range=(-50, 50), question="fear"),
        Classifier("other", predicted="flag", question="other"),
    ),
    "risk": ((0.125, 0.3), (0.7, 0.05), (0.1, 0.2)),
}
CLASSES: dict[str, Any] = {
    "id": "id",
    "classifiers": tuple(Classifier(v, predicted="kind", value=v, score=s) for v, s in (("cat", "s"), ("dog's", "g"), ("∅x", None))),
    "risk": ((0.5, 0.25), (0.25, 0.125), (0.1, 0.1)),
}


def joint_table(N: int = 1_000) -> dict[str, Any]:
    rng = np.random.default_rng(11)
    amount = np.exp(rng.normal(3, 2, N))
    amount[:5] = [0.0, 2.0**-17, 2.0**-16, 1.0, 2.0**39]
    return {**base_table(N), "amount": amount, "kind": [("cat", "dog's", "∅x", "eel")[i] for i in rng.integers(0, 4, N)]}


@pytest.mark.parametrize("how", [WEIGHTED, LABELS, CLASSES], ids=["weights", "labels", "classes"])
def test_weights_labels_and_classes_are_read_alike(under: UnderTest, how: dict[str, Any], tmp_path: Path) -> None:
    engine, profile, memory, expected = both(under, joint_table(), tmp_path, **how)
    assert_same_profile(profile, expected, types=False)
    for name in ("weight", "claims"):
        np.testing.assert_array_equal(getattr(profile, name), getattr(expected, name), err_msg=name)
    found, held = all_in_one_band(engine, profile), all_in_one_band(memory, expected)
    assert_same_units(found, held)
    np.testing.assert_array_equal(found.pick(found.in_order()).weight, held.pick(held.in_order()).weight)


def test_weights_are_summed_to_the_last_digit(under: UnderTest, tmp_path: Path) -> None:
    _, profile, _, _ = both(under, joint_table(), tmp_path, **WEIGHTED)
    amount = joint_table()["amount"]
    assert profile.weight is not None
    assert int(profile.weight.sum()) == sum(int(x * 65_536) for x in amount.tolist())
    assert set(profile.layer.tolist()) >= {-1, 0, 16, 55}


@pytest.mark.parametrize(
    ("amount", "says"),
    [([1.0, -1.0, 3.0], "within"), ([1.0, None, 3.0], "need a weight"), ([1e-9, 2e-9, 3e-9], "too small"), ([2.0**41, 1.0, 1.0], "within")],
)
def test_weights_that_cannot_be_summed_are_refused(under: UnderTest, amount: list[float | None], says: str, tmp_path: Path) -> None:
    table = {"id": np.arange(3), "s": np.array([0.1, 0.5, 0.9]), "amount": amount}
    with pytest.raises(PopulationError, match=says):
        under.build(table, tmp_path, id="id", classifiers=(GBM,), weight="amount").profile()


def test_weights_beyond_64_bits_are_refused_not_wrapped(under: UnderTest, tmp_path: Path) -> None:
    table = {"id": np.arange(257), "s": np.full(257, 0.5), "amount": np.full(257, 2.0**40)}  # 2^64 + 2^56 quanta in one cell
    with pytest.raises(PopulationError, match="the weights of a population must add up to less than"):
        under.build(table, tmp_path, id="id", classifiers=(GBM,), weight="amount").profile()
