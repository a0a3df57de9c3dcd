"""Ids of every kind keep their text, and with it their permanent number, on every engine."""

import uuid
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from fewlabels.randomness import permanent_number
from tests.contracts.engines_under_test import GBM, SALT, UnderTest, all_in_one_band, assert_same_profile, assert_same_units, both

ODD_TEXTS = (
    *(
        "é",
        "e\u0301",
        "\u202ertl",
        "zero\u200bwidth",
        "👩\u200d👩\u200d👧\u200d👦",
        "日本語",
        "it's",
        'say "x"',
        "`tick`",
        "back\\slash",
        "\\n",
        "100%",
    ),
    *("a\nb", "a\tb", "a,b", " blank ", "NULL", "∅", "x" * 1000, "-1", "0", "1.0", "True", "{x}", "$1", "--", "; drop table"),
)
INTEGERS = (0, 1, -1, 2**31, -(2**31), 2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63), 42)


def test_text_ids_keep_every_character(under: UnderTest, tmp_path: Path) -> None:
    ids = [*ODD_TEXTS, *([] if "empty text" in under.lacks else [""])]
    table = {"id": ids, "s": np.linspace(0, 1, len(ids))}
    engine, profile, memory, expected = both(under, table, tmp_path, id="id", classifiers=(GBM,))
    assert_same_profile(profile, expected)
    found = all_in_one_band(engine, profile)
    assert_same_units(found, all_in_one_band(memory, profile))
    assert set(found.unit) == set(ids)
    assert found.number.tolist() == [permanent_number(SALT, unit) for unit in found.unit]
    assert profile.smallest_id == min(ids, key=str.encode)
    assert profile.largest_id == max(ids, key=str.encode)
    rows = engine.fetch(ids, columns=["id"])
    assert [row["id"] for row in rows] == ids


@pytest.mark.parametrize(
    ("ids", "texts"),
    [
        pytest.param(np.array(INTEGERS, dtype=np.int64), [str(i) for i in INTEGERS], id="int64"),
        pytest.param(np.array([-7, 0, 11], dtype=np.int8), ["-7", "0", "11"], id="int8"),
        pytest.param(np.array([0, 9, 10, 2**64 - 1], dtype=np.uint64), ["0", "9", "10", str(2**64 - 1)], id="uint64"),
        pytest.param(
            pa.array([Decimal(5), Decimal(-(10**37)), Decimal(10**37 + 1)], pa.decimal128(38, 0)),
            ["5", f"-{10**37}", f"{10**37 + 1}"],
            id="decimal",
        ),
    ],
)
def test_numeric_ids_are_decimal_text(under: UnderTest, tmp_path: Path, ids: object, texts: list[str]) -> None:
    table = {"id": ids, "s": np.linspace(0, 1, len(texts))}
    engine, profile, memory, expected = both(under, table, tmp_path, id="id", classifiers=(GBM,))
    wide = np.asarray(ids).dtype == np.uint64
    assert_same_profile(profile, expected, types=not under.lacks & ({"types of an id", "uint64"} if wide else {"types of an id"}))
    if "types of an id" not in under.lacks:
        assert (int(profile.smallest_id), int(profile.largest_id)) == (min(map(int, texts)), max(map(int, texts)))
    found = all_in_one_band(engine, profile)
    assert set(found.unit) == set(texts)
    assert_same_units(found, all_in_one_band(memory, profile))


def test_uuids_are_lower_case_text(under: UnderTest, tmp_path: Path) -> None:
    ids = [uuid.UUID(int=i * 2**100 + 0xABCDEF) for i in range(5)]
    held = ids if under.name == "memory" else [str(i) for i in ids]
    table = {"id": held, "s": np.linspace(0, 1, 5)}
    engine, profile, memory, _ = both(under, table, tmp_path, id="id", classifiers=(GBM,))
    assert set(all_in_one_band(engine, profile).unit) == {str(i) for i in ids}
    assert_same_units(all_in_one_band(engine, profile), all_in_one_band(memory, profile))
