"""What is Spark's own: sessions, DataFrames, tables and paths, settings that may be anything, and files."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame
from pyspark.sql.functions import lit

from fewlabels.engines.opening import open_engine
from fewlabels.engines.spark import SparkEngine
from fewlabels.errors import EngineError, PopulationError
from fewlabels.nouns.classifier import Classifier
from fewlabels.nouns.population import MEMORY, Population
from tests.contracts.engines_under_test import (
    GBM,
    all_in_one_band,
    assert_same_profile,
    assert_same_units,
    reference,
    spark_session,
)
from tests.contracts.servers import CONNECT, NEEDS_SPARK

pytestmark = [*NEEDS_SPARK]

COLUMNS = {"id": list(range(40)), "s": [i / 40 for i in range(40)], "k": ["a", "b", "$", "\\"] * 10}


def opened(source: str = MEMORY, table: DataFrame | None = None, **how: Any) -> SparkEngine:
    asked: dict[str, Any] = {"id": "id", "classifiers": (GBM,), **how}
    engine = open_engine(Population(source=source, table=table, **asked))
    assert isinstance(engine, SparkEngine)
    return engine


@contextlib.contextmanager
def setting(name: str, value: str) -> Iterator[None]:
    conf = spark_session().conf
    before = conf.get(name, None)
    conf.set(name, value)
    try:
        yield
    finally:
        conf.unset(name) if before is None else conf.set(name, before)


FORMULA = "select id, id / 40d as s, element_at(array('a', 'b', '\\u0024', '\\\\'), cast(id % 4 + 1 as int)) as k from range(40)"


def frame() -> DataFrame:
    return spark_session().sql(FORMULA)


def test_a_data_frame_is_read_in_its_own_session() -> None:
    other = spark_session().newSession()
    other.conf.set("spark.sql.caseSensitive", "true")
    table = other.sql("select id, id / 40d as s from range(40)").select("*", lit(1).alias("S"))  # which the active session could not read
    engine = opened(table=table)
    memory = reference({"id": COLUMNS["id"], "s": COLUMNS["s"], "S": [1] * 40}, id="id", classifiers=(GBM,))
    profile = engine.profile()
    assert_same_profile(profile, memory.profile())
    assert profile.files == ()
    assert_same_units(all_in_one_band(engine, profile), all_in_one_band(memory, profile))


def test_a_table_name_is_looked_up_in_the_active_session() -> None:
    frame().createOrReplaceTempView("made")
    try:
        assert opened("spark:made").profile().N == 40
    finally:
        spark_session().catalog.dropTempView("made")
    with pytest.raises(PopulationError, match=r"Spark cannot read 'spark:no_such': \[TABLE_OR_VIEW_NOT_FOUND\]"):
        opened("spark:no_such")
    with pytest.raises(PopulationError, match=r"Spark cannot read 'spark:/no/such': \[PATH_NOT_FOUND\]"):
        opened("spark:/no/such")


def test_nothing_of_the_session_is_changed() -> None:
    session = spark_session()
    before = session.conf.getAll, session.catalog.listTables(), session.getTags()
    engine = opened(table=frame(), slices=("k",))
    engine.fetch(all_in_one_band(engine, engine.profile()).unit, columns=["k"])
    assert (session.conf.getAll, session.catalog.listTables(), session.getTags()) == before


ODD_SETTINGS = {
    "spark.sql.ansi.enabled": "false",
    "spark.sql.session.timeZone": "Pacific/Chatham",
    "spark.sql.caseSensitive": "true",
    "spark.sql.ansi.doubleQuotedIdentifiers": "true",
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    "spark.sql.adaptive.enabled": "false",
}


def test_settings_do_not_change_the_units() -> None:
    classes = (Classifier("money", predicted="k", value="$", score="s"), Classifier("slash", predicted="k", value="\\"))
    how: dict[str, Any] = {"id": "id", "classifiers": classes, "slices": ("k",)}
    memory = reference(COLUMNS, **how)
    with contextlib.ExitStack() as stack:
        for name, value in ODD_SETTINGS.items():
            stack.enter_context(setting(name, value))
        engine = opened(table=frame(), **how)
        profile = engine.profile()
        found = all_in_one_band(engine, profile)
    assert_same_profile(profile, memory.profile())
    assert_same_units(found, all_in_one_band(memory, profile))


def test_a_setting_that_changes_numbers_is_refused() -> None:
    with setting("spark.sql.parser.escapedStringLiterals", "true"), pytest.raises((EngineError, PopulationError)):
        opened(table=frame())
    assert opened(table=frame()).profile().N == 40


def test_columns_that_spark_cannot_tell_apart_are_refused() -> None:
    both = spark_session().sql("select id, 0.5d as s from range(3)").select("*", lit(1).alias("S"))
    with pytest.raises(PopulationError, match=r"the table has 's' and 'S': rename one, or set spark.sql.caseSensitive"):
        opened(table=both)
    with setting("spark.sql.caseSensitive", "true"):
        assert opened(table=both).profile().N == 3


def test_a_column_with_a_collation_is_no_text() -> None:
    loose = spark_session().sql("select id, 0.5d as s, 'a' collate utf8_lcase as k from range(3)")
    with pytest.raises(PopulationError, match=r"the slice column must be one of .*, but 'k' is string collate UTF8_LCASE"):
        opened(table=loose, slices=("k",)).profile()


@pytest.mark.parametrize("name", ["plain.parquet", "it's [1] {a,b} 100%41 é ^x.parquet"])
def test_a_file_s_version_is_its_name_size_and_time(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    pq.write_table(pa.table({"id": [1, 2], "s": [0.5, 0.25]}), path)
    table = spark_session().read.parquet(str(tmp_path))
    (version,) = opened(table=table).files()
    assert (version.name, version.size) == (name, path.stat().st_size)
    assert opened(table=table.where("id > 0")).profile().files == (version,)
    moved = tmp_path / "moved" / "on"
    shutil.copytree(tmp_path, moved, ignore=shutil.ignore_patterns("moved"))  # with its time
    (copy,) = opened(f"spark:{moved}").files()
    assert copy[:3] == version[:3]  # the same file by its fingerprint,
    assert copy.changed != version.changed  # but counted again: its folder may hold a value
    os.utime(moved / name, (1_000_000_000, 1_000_000_000))
    assert opened(f"spark:{moved}").files() != (copy,)


def test_ctrl_c_ends_the_jobs_and_progress_is_told_meanwhile() -> None:
    engine = opened(table=frame())
    seen: list[float | None] = []

    def interrupt() -> None:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            seen.append(engine.progress())
            if seen[-1] is not None:
                break
            time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        engine.query("select sum(a.id * b.id % 7) from range(10000000) a cross join range(1000000) b")
    assert seen[-1] is not None
    assert 0 <= seen[-1] <= 1
    tracker = spark_session().sparkContext.statusTracker()
    deadline = time.monotonic() + 60
    while tracker.getActiveJobsIds() and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not tracker.getActiveJobsIds()
    assert engine.progress() is None
    assert engine.profile().N == 40


ON_CONNECT = """
import os, signal, sys, threading, time
from pathlib import Path
from pyspark.sql import SparkSession
from fewlabels.nouns.population import MEMORY
from tests.contracts.engines_under_test import GBM, all_in_one_band, assert_same_profile, assert_same_units, reference
from tests.contracts.test_engine_spark import COLUMNS, FORMULA, opened

session = SparkSession.builder.getOrCreate()
table = session.sql(FORMULA)
assert type(table).__module__ == "pyspark.sql.connect.dataframe"
table.createOrReplaceTempView("made")
folder = Path(sys.argv[1])
table.coalesce(1).write.parquet(str(folder / "it's 100%41"))
memory = reference(COLUMNS, id="id", classifiers=(GBM,), slices=("k",))
for source, held in ((MEMORY, table), ("spark:made", None), (f"spark:{folder}/it's 100%41", None)):
    engine = opened(source, held, slices=("k",))
    profile = engine.profile()
    assert_same_profile(profile, memory.profile())
    units = all_in_one_band(engine, profile)
    assert_same_units(units, all_in_one_band(memory, profile))
    assert engine.fetch(units.unit, columns=["k"]) == memory.fetch(units.unit, columns=["k"])
    assert engine.progress() is None
(version,), (path,) = profile.files, folder.rglob("part-*.parquet")
assert (version.name, version.size) == (path.name, path.stat().st_size)
assert session.getTags() == set() and [table.name for table in session.catalog.listTables()] == ["made"]
threading.Timer(2, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    engine.query("select sum(a.id * b.id % 7) from range(10000000) a cross join range(1000000) b")
    raise AssertionError("not interrupted")
except KeyboardInterrupt:
    assert engine.query("select 1") == [(1,)]  # the server has one core, so the long query is gone
"""


def test_spark_connect_is_spark_too(tmp_path: Path) -> None:
    """In a process of its own: one process has classic sessions or remote ones."""
    where = {"SPARK_REMOTE": CONNECT, "PYTHONPATH": ":".join(sys.path)}
    program = [sys.executable, "-W", "ignore", "-c", ON_CONNECT, str(tmp_path)]
    done = subprocess.run(program, env=os.environ | where, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
