"""Plain columns: what a Python value is, and what is refused."""

import datetime
import uuid
from decimal import Decimal

import numpy as np
import pytest

from fewlabels.engines.memory import MemoryEngine
from fewlabels.engines.plain_columns import read_columns
from fewlabels.errors import PopulationError
from fewlabels.nouns.classifier import Classifier
from fewlabels.nouns.population import MEMORY, Population

GBM = (Classifier("gbm", score="s", threshold=0.3),)


@pytest.mark.parametrize(
    ("values", "type_", "texts"),
    [
        ([1, None, -3], "int", ["1", None, "-3"]),
        (np.array([1, 2], dtype=np.uint8), "int", ["1", "2"]),
        ([np.int64(5)], "int", ["5"]),
        ([1, 0.5], "float64", ["1", "0.5"]),
        (np.array([0.1], dtype=np.float32), "float32", ["0.1"]),
        ([np.float32(0.1)], "float32", ["0.1"]),
        (np.array([0.1], dtype=np.float16), "float16", None),
        ([True, None], "bool", ["true", None]),
        (np.array([False]), "bool", ["false"]),
        (["a", None], "text", ["a", None]),
        (np.array(["a", "é"]), "text", ["a", "é"]),
        ([uuid.UUID(int=10)], "uuid", ["00000000-0000-0000-0000-00000000000a"]),
        ([Decimal("1E+2"), 7], "decimal", ["100", "7"]),
        ([Decimal("1.5")], "decimal with a fraction", None),
        ([datetime.date(2024, 2, 1)], "date", ["2024-02-01"]),
        ([datetime.datetime(2024, 2, 1, tzinfo=datetime.UTC)], "timestamp", None),
        (np.array(["2024-02-01"], dtype="datetime64[s]"), "datetime64[s]", None),
        ([b"x"], "bytes", None),
        ([None, None], "null", [None, None]),
        (["a", 1], "a mix of int and text", None),
    ],
)
def test_values_have_types_and_texts(values: list[object], type_: str, texts: list[str | None] | None) -> None:
    column = read_columns({"x": values})["x"]
    assert column.type == type_
    if texts is not None:
        assert column.texts() == texts


def test_columns_of_different_length_are_refused() -> None:
    with pytest.raises(PopulationError, match=r"have one length, got \{'id': 2, 's': 1\}"):
        MemoryEngine(Population(source=MEMORY, id="id", classifiers=GBM), {"id": [1, 2], "s": [0.5]})


def test_text_that_utf8_cannot_write_is_refused() -> None:
    population = Population(source=MEMORY, id="id", classifiers=GBM, slices=("k",))
    with pytest.raises(PopulationError, match=r"text that UTF-8 can write, but 1 do not \(for example 'a\\ud800'\)"):
        MemoryEngine(population, {"id": ["a\ud800", "b"], "s": [0.5, 0.5], "k": ["x", "y"]}).profile()
    with pytest.raises(PopulationError, match="slice values must be text that UTF-8 can write, but 'k' holds"):
        MemoryEngine(population, {"id": ["a", "b"], "s": [0.5, 0.5], "k": ["x", "\ud800"]}).profile()


def test_integer_scores_must_be_exact_doubles() -> None:
    classifier = Classifier("big", score="s", threshold=1, score_range=(0, 2**53))
    with pytest.raises(PopulationError, match=r"integer scores need a range below 2\^53"):
        MemoryEngine(Population(source=MEMORY, id="id", classifiers=(classifier,)), {"id": [1], "s": [1]}).profile()


def test_more_classifiers_than_bits_are_refused() -> None:
    many = tuple(Classifier(f"c{i}", score="s", threshold=0.5) for i in range(63))
    with pytest.raises(PopulationError, match="at most 62 classifiers, got 63"):
        MemoryEngine(Population(source=MEMORY, id="id", classifiers=many), {"id": [1], "s": [0.5]}).profile()
