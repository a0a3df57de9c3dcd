"""The texts themselves: quoting, typed literals, and what a draw leaves out."""

import dataclasses
import math
from typing import Any

import numpy as np
import pytest

from fewlabels.engines import selftest
from fewlabels.engines.cells import lookup_of, slice_text, threshold_of
from fewlabels.engines.duckdb import DIALECT, DuckDBEngine
from fewlabels.engines.memory import MemoryEngine
from fewlabels.engines.prefilter import Sieve
from fewlabels.engines.sql import LOOKUP, Queries
from fewlabels.errors import EngineError
from fewlabels.nouns import ladder
from fewlabels.nouns.classifier import Classifier
from fewlabels.nouns.population import MEMORY, Population
from fewlabels.nouns.profile import Profile
from fewlabels.randomness import TOP, NumberRule, hex_bound

POPULATION = Population(source=MEMORY, id="id", classifiers=(Classifier("gbm", score="s", threshold=0.1),), slices=("k",))
QUERIES = Queries(dialect=DIALECT, population=POPULATION, types={"id": "int", "s": "float64", "k": "text"}, source="somewhere")


def profile() -> Profile:
    columns: dict[str, list[Any]] = {"id": [1, 2, 3, 4], "s": [0.1, 0.1, 0.9, 0.9], "k": ["a", "b", "a", "b"]}
    return MemoryEngine(POPULATION, columns).profile()


def test_identifiers_and_literals_are_quoted() -> None:
    assert DIALECT.identifier('a"b') == '"a""b"'
    assert DIALECT.text("it's") == "'it''s'"
    spark = dataclasses.replace(DIALECT, quote="`", escapes=(("\\", "\\\\"), ("'", "\\'")))
    assert spark.identifier("a`b") == "`a``b`"
    assert spark.text("\\'") == "'\\\\\\''"


@pytest.mark.parametrize(
    ("value", "word"),
    [(0.1, "0.1"), (5e-324, "5e-324"), (-0.0, "-0.0"), (math.inf, "Infinity"), (-math.inf, "-Infinity"), (math.nan, "NaN")],
)
def test_doubles_are_typed_to_the_last_bit(value: float, word: str) -> None:
    assert DIALECT.double(value) == f"cast('{word}' as double)"


def test_bins_are_written_from_the_ladder() -> None:
    text = DIALECT.bin_of("s")
    assert text.count("floor(") == 2 * len(ladder.RUNGS)
    assert f"then {ladder.BINS - 1} - (" in text
    for rung in ladder.RUNGS:
        assert f"{DIALECT.double(rung.scale)}) as integer) + {rung.offset}" in text


def below(sieve: Sieve, *, by_slice: bool = False, rule: NumberRule = "md5") -> str:
    return QUERIES.below(sieve, salt="ab", rule=rule, by_slice=by_slice)


def test_the_sieve_comes_first_unless_all_are_taken() -> None:
    few = Sieve(bound=TOP // 8, units=0.5, ranges=((0.5, 1.0),))
    within = f"n.s0 >= {DIALECT.double(0.5)} and n.s0 <= {DIALECT.double(1.0)}"
    assert f"& 255::uhugeint) <= {256 // 8} or ({within})" in below(few)  # DuckDB: the first byte, then the digits of those that pass
    by_digits = dataclasses.replace(QUERIES, dialect=dataclasses.replace(DIALECT, hash_start="")).below(
        few, salt="s", rule="md5", by_slice=False
    )
    assert f"where n.number < '{hex_bound(TOP // 8)}' or ({within})" in by_digits
    assert f"where n.high_half <= {2**32 // 8} or ({within})" in below(few, rule="fast")
    assert "n.number" not in below(Sieve(bound=TOP, units=4))


def test_slices_are_joined_only_where_bands_depend_on_them() -> None:
    cells, bound = profile(), np.array([TOP // 2, TOP])
    alike = lookup_of(cells, band=np.array([0, 0, 1, 1]), bound=bound)
    assert not alike.by_slice
    assert alike.columns["band"].tolist() == [0, 1]
    differ = lookup_of(cells, band=np.array([0, 1, -1, -1]), bound=bound)
    assert differ.by_slice
    assert differ.columns["k0"].tolist() == ["a", "b"]
    assert differ.columns["bound"].tolist() == [hex_bound(TOP // 2), "g"]
    assert lookup_of(cells, band=np.array([0, 1, -1, -1]), bound=bound, rule="fast").columns["bound"].tolist() == [TOP // 2, TOP]
    everything = Sieve(bound=TOP, units=4)
    assert f"join {LOOKUP} l on d.pattern = l.pattern and d.guide_bin = l.guide_bin where" in below(everything)
    assert "and d.t0 = l.k0 where" in below(everything, by_slice=True)


def test_bands_nobody_asks_for_are_not_looked_up() -> None:
    nothing = lookup_of(profile(), band=np.array([0, 0, 1, 1]), bound=np.array([0, 0]))
    assert nothing.columns["band"].size == 0


def test_a_null_slice_is_not_a_text() -> None:
    values = [None, "", "∅", "∅∅", "(null)", "x∅"]
    assert [slice_text(v) for v in values] == ["∅", "", "∅∅", "∅∅∅", "(null)", "x∅"]


def test_thresholds_of_float32_columns_are_rounded() -> None:
    assert threshold_of(0.1, "float64") == 0.1
    assert threshold_of(0.1, "float32") == float(np.float32(0.1))
    assert threshold_of(1e39, "float32") == math.inf


@pytest.mark.parametrize(
    ("broken", "named"),
    [
        ({"hash": "md5(lower({x}))"}, "the permanent number"),
        ({"hash": "sha256({x})"}, "the permanent number"),
        ({"hash_start": "(md5_number({x}) >> 120)"}, "the permanent number"),
        ({"xor": "({a} | {b})"}, "the fast permanent number"),
        ({"shift_right": "(({a} >> {n}) | 1)"}, "the fast permanent number"),
        ({"byte_length": "length({x})"}, "length of id 'é'"),
        ({"small_floor": "cast({x} as integer)"}, "the bin of score"),
        ({"as_double": "cast(cast({x} as float) as double)"}, "the bin of score"),
    ],
)
def test_the_self_test_refuses_an_engine_that_differs(broken: dict[str, Any], named: str) -> None:
    engine = DuckDBEngine(Population(source=MEMORY, id="id", classifiers=POPULATION.classifiers, table=_frame()))
    selftest.check_engine(engine.query, DIALECT)
    with pytest.raises(EngineError, match=named):
        selftest.check_engine(engine.query, dataclasses.replace(DIALECT, **broken))


def test_the_self_test_asks_about_200_ids() -> None:
    assert len(selftest.UNITS) + len(selftest.INTEGERS) >= 195
    assert len(set(selftest.UNITS)) == len(selftest.UNITS)


def _frame() -> object:
    pyarrow = pytest.importorskip("pyarrow")
    return pyarrow.table({"id": [1], "s": [0.5]})
