"""Which engine opens what."""

import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from fewlabels.engines.duckdb import DuckDBEngine
from fewlabels.engines.memory import MemoryEngine
from fewlabels.engines.opening import open_engine
from fewlabels.errors import PopulationError
from fewlabels.nouns.classifier import Classifier
from fewlabels.nouns.population import MEMORY, Population

GBM = (Classifier("gbm", score="s", threshold=0.3),)
COLUMNS = {"id": [1, 2], "s": [0.5, 0.25]}


def population(table: object, source: str = MEMORY) -> Population:
    return Population(source=source, id="id", classifiers=GBM, table=table)


def test_columns_are_held_in_memory_and_frames_in_duckdb() -> None:
    special = type("Special", (pd.DataFrame,), {})
    assert isinstance(open_engine(population(COLUMNS)), MemoryEngine)
    assert isinstance(open_engine(population(pd.DataFrame(COLUMNS))), DuckDBEngine)
    assert isinstance(open_engine(population(special(COLUMNS))), DuckDBEngine)


def test_paths_are_opened_by_duckdb(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,s\n1,0.5\n")
    assert isinstance(open_engine(population(None, str(tmp_path / "a.csv"))), DuckDBEngine)


@pytest.mark.parametrize("table", [[1, 2], "text", 5, object()])
def test_an_unknown_object_is_refused_with_what_is_accepted(table: object) -> None:
    with pytest.raises(
        PopulationError, match="Parquet or CSV files, a dict of columns, a pandas or Polars DataFrame, or an Arrow table, got"
    ):
        open_engine(population(table))


def test_a_population_held_in_memory_needs_its_table() -> None:
    with pytest.raises(PopulationError, match="has to be passed again with its table"):
        open_engine(population(None))


def test_opening_a_file_imports_no_optional_package(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,s,k\n1,0.5,x\n2,0.25,\n")
    program = f"""
import sys
from fewlabels.engines.opening import open_engine
assert "duckdb" not in sys.modules
from fewlabels.nouns.classifier import Classifier
from fewlabels.nouns.population import Population
import numpy as np
judged = (Classifier("g", score="s", threshold=0.3),)
engine = open_engine(Population(source={str(tmp_path / "a.csv")!r}, id="id", classifiers=judged, slices=("k",)))
profile = engine.profile()
found = engine.below(profile, band=np.zeros(2, dtype=np.int64), bound=np.array([2**52]), salt="ab")
assert len(found) == 2 and len(engine.fetch(found.unit, columns=["k"])) == 2
assert not {{"pandas", "polars", "pyarrow"}} & set(sys.modules), set(sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], env={"PYTHONPATH": ":".join(sys.path)}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
