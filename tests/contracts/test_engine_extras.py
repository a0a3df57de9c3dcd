"""What is said where an optional package is missing: its name, and the command that installs it."""

import re
import sys

import pytest

from fewlabels.engines.opening import open_engine
from fewlabels.errors import EngineError
from fewlabels.installation import install_command
from fewlabels.nouns.population import MEMORY, Population
from tests.contracts.engines_under_test import GBM


class DataFrame:
    """Looks like Spark's, without Spark."""


DataFrame.__module__ = "pyspark.sql.classic.dataframe"


@pytest.mark.parametrize(
    ("source", "table", "package", "extra"),
    [
        ("postgresql://host/db#t", None, "psycopg", "postgres"),
        ("postgres://host/db#t", None, "psycopg", "postgres"),
        ("spark:t", None, "pyspark", "spark"),
        ("spark:s3a://bucket/t", None, "pyspark", "spark"),
        (MEMORY, DataFrame(), "pyspark", "spark"),
    ],
)
def test_a_missing_package_is_named_with_its_command(
    monkeypatch: pytest.MonkeyPatch, source: str, table: object, package: str, extra: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(EngineError, match=rf"needs {package}, which is not installed: {re.escape(install_command(extra))}"):
        open_engine(Population(source=source, table=table, id="id", classifiers=(GBM,)))
