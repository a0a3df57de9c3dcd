"""An executor of the cluster that dies in the middle of a draw: Spark does its part again, and the units are the same."""

import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from fewlabels.engines.base import Taken, take_smallest
from fewlabels.engines.opening import open_engine
from fewlabels.nouns.population import MEMORY, Population
from tests.contracts.engines_under_test import GBM, SALT, reference, spark_session
from tests.contracts.servers import NEEDS_SPARK

pytestmark = [*NEEDS_SPARK]

N, PARTS = 2_000, 16
# Every row sleeps 15 ms, so that the draw takes long enough for both executors to be at work, however busy the machine is.
SLEEP = "case when reflect('java.lang.Thread', 'sleep', 15L) = 'never' then 1 else 0 end"
SLOW = f"select id, id / {N}d + {SLEEP} as s from range(0, {N}, 1, {PARTS})"


def executors() -> list[int]:
    """The processes of this application's executors."""
    mine = spark_session().sparkContext.applicationId.encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if mine in words and b"org.apache.spark.executor.CoarseGrainedExecutorBackend" in words:
            found.append(int(folder.name))
    return found


def registered() -> int:
    """How many executors have told the driver that they are there; a process that has just begun has not."""
    return len(spark_session().sparkContext._jsc.sc().statusTracker().getExecutorInfos()) - 1  # the driver counts itself


def wait_until(holds: Callable[[], bool], *, awaited: str) -> None:
    deadline = time.monotonic() + 180
    while not holds():
        assert time.monotonic() < deadline, f"took too long: {awaited}"
        time.sleep(0.02)


def test_the_units_are_the_same() -> None:
    memory = reference({"id": np.arange(N), "s": np.arange(N) / N}, id="id", classifiers=(GBM,))
    profile = memory.profile()
    band, take = (profile.pattern % 2).astype(np.int64), np.array([40, 60])
    expected = take_smallest(memory, profile, band=band, take=take, salt=SALT)

    tracker = spark_session().sparkContext.statusTracker()
    table = spark_session().sql(SLOW)
    engine = open_engine(Population(source=MEMORY, table=table, id="id", classifiers=(GBM,)))
    wait_until(lambda: len(executors()) == registered() == 2, awaited="two executors")
    drawn: list[Taken] = []
    drawing = threading.Thread(target=lambda: drawn.append(take_smallest(engine, profile, band=band, take=take, salt=SALT)))
    drawing.start()

    def stage_at_work() -> int | None:
        assert drawing.is_alive(), "the draw ended before an executor could be killed"
        for stage in tracker.getActiveStageIds():
            info = tracker.getStageInfo(stage)
            if info is not None and info.numTasks == PARTS and info.numActiveTasks == 2 and info.numCompletedTasks >= 2:
                return int(stage)
        return None

    wait_until(lambda: stage_at_work() is not None, awaited="both executors at work")
    stage, victim = stage_at_work(), executors()[0]
    os.kill(victim, signal.SIGKILL)
    drawing.join(timeout=120)
    assert stage is not None
    info = tracker.getStageInfo(stage)
    assert info is not None
    assert info.numFailedTasks > 0  # it died with a task in hand
    assert drawn, "the draw did not end"
    assert drawn[0].units.unit == expected.units.unit
    np.testing.assert_array_equal(drawn[0].cut, expected.cut)
    wait_until(lambda: victim not in executors() and len(executors()) == 2, awaited="another executor")  # the worker has started another
