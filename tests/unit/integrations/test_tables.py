"""Every result as a table: the numbers of its JSON, null where unknown, and a type a column that does not depend on the values."""

import ast
import inspect
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, get_args, get_origin, get_type_hints

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import fewlabels
from fewlabels.errors import FewlabelsError
from fewlabels.integrations.flattening import SHAPES
from fewlabels.integrations.tables import flatten
from fewlabels.nouns.estimate import Estimate
from fewlabels.study.estimate.comparison import Ranked
from fewlabels.study.estimate.labelers import Labelers
from fewlabels.study.estimate.online import Running
from fewlabels.study.estimate.result import Estimates
from fewlabels.study.estimate.slices import InSlices
from fewlabels.study.estimate.status import Status
from fewlabels.study.study import Study
from fewlabels.study.verify import Verification
from tests.unit.integrations.made import HOSTILE, everything, result_of

KINDS = ("pandas", "polars", "arrow", "rows")
NAMES = sorted(shape.__name__ for shape in SHAPES)
NO_NUMBERS = (Status, Verification)  # what a study gives that is no table of numbers


def rows_of(result: object, kind: Any) -> list[dict[str, Any]]:
    """The rows of a table of that kind as plain values, null as None."""
    made = fewlabels.to_table(result, kind)
    if kind == "pandas":
        assert isinstance(made, pd.DataFrame)
        return [{name: None if value is pd.NA else value for name, value in row.items()} for row in made.to_dict("records")]
    if isinstance(made, pl.DataFrame):
        return made.to_dicts()
    return made.to_pylist() if isinstance(made, pa.Table) else made


def leaves(data: Any) -> Iterator[Any]:
    """Every number and text of plain data."""
    for part in data.values() if isinstance(data, dict) else data if isinstance(data, list) else ():
        yield from leaves(part)
    if not isinstance(data, dict | list):
        yield data


def as_json(result: Any) -> list[dict[str, Any]]:
    return [one.as_json() for one in (result if isinstance(result, list | tuple) else [result])]


@pytest.mark.parametrize("name", NAMES)
def test_every_kind_of_table_holds_the_same_rows(name: str) -> None:
    plain = rows_of(everything()[name], "rows")
    assert plain
    for kind in KINDS:
        assert rows_of(everything()[name], kind) == plain
        assert [list(row) for row in rows_of(everything()[name], kind)] == [list(row) for row in plain]


@pytest.mark.parametrize("name", [name for name in NAMES if name != "WeighedAnswers"])  # of these, the JSON holds the hash
def test_values_are_those_of_the_json(name: str) -> None:
    result = everything()[name]
    told = set(map(repr, leaves(as_json(result))))
    numbers = {repr(value) for row in rows_of(result, "rows") for value in row.values() if isinstance(value, float)}
    assert numbers <= told
    assert json.dumps(rows_of(result, "rows"), allow_nan=False)


@pytest.mark.parametrize("name", NAMES)
def test_columns_are_named_as_in_the_json_and_none_is_forgotten(name: str) -> None:
    """Every name of the result's JSON that stands beside a number or text is a column, or part of one's name."""
    result = everything()[name]
    columns = " ".join(flatten(result).columns)
    left_out = {
        "Estimates": {"progress", "promise", "about", "missing", "agreement", "warnings", "tipping"},
        "Decision": {"reasons", "about"},
        "InSlices": {"by", "left_out"},
        "Ranked": {"best"},
        "Confusion": {"counts", "n_predicted_positive", "n_predicted_negative"},
        "Sizing": {
            "units",
            "flagged",
            "together",
            "for_all",
            "separately",
            "optimum",
            "budget",
            "shown_at",
            "chance",
            "recycled",
            "left_out",
            "cost",
            "to_pay",
            "assumes",
        },
        "Convergence": {"why"},
        "Running": {"stopping", "beyond", "again", "remaining"},
        "Missing": {"flagged", "unflagged"},
        "Labelers": {"disputed"},
        "WeighedAnswers": {"units", "columns", "hash"},
    }
    many = {"thresholds": "threshold", "studies": "study", "cautions": "caution", "estimates": "metric", "goals": "goal", "pairs": "over"}
    many |= {"curves": "ribbon_low", "bands": "kind", "tests": "kind", "labelers": "labeler", "estimate": "metric"}
    for one in as_json(result):
        for key in set(one) - left_out.get(name, set()):
            assert many.get(key, key) in columns, f"{key} of {name} is in no column"


@pytest.mark.parametrize("name", NAMES)
def test_types_do_not_depend_on_the_values(name: str) -> None:
    columns = flatten(everything()[name]).columns
    arrow = fewlabels.to_table(everything()[name], "arrow").schema
    wanted = {"text": pa.string(), "whole": pa.int64(), "number": pa.float64(), "truth": pa.bool_()}
    assert {field.name: field.type for field in arrow} == {column: wanted[kind] for column, kind in columns.items()}
    frame = fewlabels.to_table(everything()[name], "pandas")
    assert {str(kind) for kind in frame.dtypes} <= {"string", "Int64", "Float64", "boolean"}


def test_a_column_of_nulls_keeps_its_type_and_has_no_nan() -> None:
    one = result_of(Estimate)
    unknown = replace(one, value=None, standard_error=None, n_eff=None, why="nothing was labeled")
    for kind in KINDS:
        row = rows_of(unknown, kind)[0]
        assert (row["value"], row["n_eff"], row["design_effect"], row["slice_value"]) == (None, None, None, None)
    assert fewlabels.to_table(unknown, "arrow").schema == fewlabels.to_table(one, "arrow").schema
    assert fewlabels.to_table(unknown, "polars").schema == fewlabels.to_table(one, "polars").schema
    assert (fewlabels.to_table(unknown, "pandas").dtypes == fewlabels.to_table(one, "pandas").dtypes).all()


def test_no_rows_are_a_table_with_all_columns() -> None:
    shown = result_of(Estimates)
    early = fewlabels.to_table(replace(shown, estimates=(), cautions=()), "arrow")
    assert early.num_rows == 0
    assert early.schema == fewlabels.to_table(shown, "arrow").schema


def test_hostile_names_arrive_as_they_are() -> None:
    slices = result_of(InSlices)
    for kind in KINDS:
        assert {row["slice_value"] for row in rows_of(slices, kind)} == set(HOSTILE)
        assert {row["classifier"] for row in rows_of(slices, kind)} == {HOSTILE[0]}
    labelers = result_of(Labelers)
    assert {row["labeler"] for row in rows_of(labelers, "polars")} == {"ann,\n<i>", "bob"}
    odd = replace(labelers, labelers=tuple(replace(one, answers={"": 2, "x_units": 1}) for one in labelers.labelers))
    assert rows_of(odd, "pandas")[0]["answers_"] == 2
    assert rows_of(odd, "pandas")[0]["answers_x_units"] == 1


def test_a_ranking_says_which_of_each_pair_is_better() -> None:
    rows = rows_of(replace(result_of(Ranked), better=((HOSTILE[2], HOSTILE[0]),)), "rows")
    assert [(row["classifier"], row["over"], row["better"]) for row in rows] == [(HOSTILE[0], HOSTILE[2], HOSTILE[2])]


def for_type_checkers(cls: type) -> dict[str, Any]:
    """What the module of a class imports for type checkers only."""
    found: dict[str, Any] = {}
    for line in ast.parse(inspect.getsource(sys.modules[cls.__module__])).body:
        if isinstance(line, ast.If) and ast.unparse(line.test) == "TYPE_CHECKING":
            exec(compile(ast.Module(line.body, []), cls.__module__, "exec"), found)
    return found


def test_whatever_a_study_gives_has_a_table() -> None:
    """A new method of a study whose result has no shape fails here."""
    given: set[type] = set()
    for name, method in inspect.getmembers(Study, inspect.isfunction):
        if not name.startswith("_"):
            said = get_type_hints(method, localns=for_type_checkers(Study)).get("return")
            parts = get_args(said) if get_origin(said) is not None else (said,)
            given |= {part for part in parts if inspect.isclass(part) and part.__module__.startswith("fewlabels.study.estimate")}
    assert {Estimates, InSlices, Labelers} <= given
    assert given - set(SHAPES) - set(NO_NUMBERS) == set()
    assert Running in SHAPES
    assert {shape.__name__ for shape in SHAPES} == set(everything())


@pytest.mark.parametrize("wrong", [3, "text", None, [], (), {"a": 1}], ids=repr)
def test_what_is_no_result_is_refused(wrong: object) -> None:
    with pytest.raises(FewlabelsError, match="table"):
        fewlabels.to_table(wrong, "rows")


def test_results_of_two_kinds_are_refused() -> None:
    with pytest.raises(FewlabelsError, match="one kind"):
        fewlabels.to_table([everything()["Estimate"], everything()["Decision"]], "rows")


def test_an_unknown_kind_of_table_is_refused() -> None:
    typed: Any = "excel"  # which no type checker would let pass
    with pytest.raises(FewlabelsError, match="pandas, polars, arrow, rows"):
        fewlabels.to_table(everything()["Estimate"], typed)


@pytest.mark.parametrize(("kind", "package"), [("pandas", "pandas"), ("polars", "polars"), ("arrow", "pyarrow")])
def test_a_missing_package_is_named(kind: Any, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(FewlabelsError, match=f"pip install {package}"):
        fewlabels.to_table(everything()["Estimate"], kind)
