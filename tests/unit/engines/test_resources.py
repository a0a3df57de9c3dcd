"""What an engine may use, who watches it, and how Ctrl-C ends a query."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fewlabels
from fewlabels.engines import resources
from fewlabels.engines.duckdb import DuckDBEngine
from fewlabels.engines.resources import Resources, using
from tests.contracts.engines_under_test import arrow

TABLE: dict[str, Any] = {"id": np.arange(1_000), "score": np.linspace(0, 1, 1_000)}


def engine() -> DuckDBEngine:
    return DuckDBEngine(fewlabels.read_population(arrow(TABLE), score="score", threshold=0.5))


def test_limits_reach_duckdb_and_nothing_else() -> None:
    with using(Resources(memory_limit="500MB", threads=1)):
        inside = engine()
    said = inside.query("select current_setting('threads'), current_setting('memory_limit')")
    assert said == [(1, "476.8 MiB")]
    assert resources.current() == Resources()
    assert engine().profile().fingerprint == inside.profile().fingerprint


def test_a_limit_that_is_no_size_is_refused_in_words() -> None:
    with using(Resources(memory_limit="lots")), pytest.raises(fewlabels.FewlabelsError, match="lots"):
        engine()


def test_spilled_files_go_with_the_engine() -> None:
    held = engine()
    folder = Path(held.query("select current_setting('temp_directory')")[0][0])
    assert folder.is_dir()
    del held
    assert not folder.exists()


def test_long_work_is_watched() -> None:
    seen: list[float | None] = []
    with using(Resources(watch=seen.append)):
        resources.run(lambda: time.sleep(0.7), progress=lambda: 0.5, cancel=lambda: None)
    assert seen
    assert set(seen) == {0.5}


def test_an_error_of_the_work_comes_through() -> None:
    with pytest.raises(ZeroDivisionError):
        resources.run(lambda: 1 // 0, progress=lambda: None, cancel=lambda: None)


def test_ctrl_c_cancels_the_query_at_once() -> None:
    endless = "select count(*) from range(100000000000) t(i) where md5(cast(i as varchar)) = 'x'"
    held = engine()
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        held.query(endless)
    assert time.monotonic() - start < 20
    assert held.query("select 1") == [(1,)]  # the engine still answers


def test_ctrl_c_ends_a_command_without_a_traceback(tmp_path: Path) -> None:
    """The grouped query of the plan is made endless, and interrupted."""
    script = (
        "import os, signal, sys, threading\n"
        "from fewlabels.engines.duckdb import DuckDBEngine\n"
        "held = DuckDBEngine.query\n"
        "endless = 'select count(*) from range(100000000000) t(i) where md5(cast(i as varchar)) = chr(120)'\n"
        "def query(self, text, *, lookup=None):\n"
        "    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
        "    return held(self, endless)\n"
        "def slow(self, text, *, lookup=None):\n"
        "    return query(self, text) if 'group by' in text else held(self, text, lookup=lookup)\n"
        "DuckDBEngine.query = slow\n"
        "from fewlabels.cli.main import main\n"
        "sys.argv = ['fewlabels', 'plan', 'scored.parquet', '--score', 'score', '--threshold', '0.5', '--goal', 'f1 +-0.1']\n"
        "main()\n"
    )
    import pyarrow.parquet as pq

    pq.write_table(arrow(TABLE), tmp_path / "scored.parquet")
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 130
    assert "stopped; what was recorded is kept" in done.stderr
    assert "Traceback" not in done.stderr
