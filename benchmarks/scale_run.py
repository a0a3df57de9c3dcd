"""One measured process: plan and draw on one table, with bare scans of the same columns in between. Prints one JSON object.

Run by benchmarks.scale, a process for each table, rule and engine, so that peak memory is that of one run.
"""

import argparse
import json
import resource
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import fewlabels
from fewlabels.engines import sql_engine
from fewlabels.engines.opening import open_engine
from fewlabels.engines.resources import Resources, using
from fewlabels.engines.sql_engine import SqlEngine
from fewlabels.nouns.goal import parse_goal
from fewlabels.nouns.population import Population
from fewlabels.randomness import NumberRule
from fewlabels.study.draw.fixed import draw_plan
from fewlabels.study.plan.next_plan import PlanWays, next_plan
from fewlabels.study.population.profile import number_rule_of
from fewlabels.study.state.standing import Standing

Result = TypeVar("Result")
BARE = 'select sum("score"), max("id"), max("region"), bool_or("flag") from {source}'
GOALS = ("precision +-0.03", "recall +-0.05")
SALT = "00ff" * 8  # any would do; one that is written down can be repeated


class Clock:
    """CPU seconds of this process and of the servers that work for it, by what they were spent on."""

    def __init__(self, servers: Callable[[], list[int]]) -> None:
        """`servers` lists the processes that work for this one."""
        self._servers = servers
        self.cpu: dict[str, list[float]] = {}
        self.wall: dict[str, list[float]] = {}

    def time(self, what: str, work: Callable[[], Result]) -> Result:
        """What the work gives; its seconds are written down."""
        before, start = self._spent(), time.monotonic()
        result = work()
        self.wall.setdefault(what, []).append(time.monotonic() - start)
        self.cpu.setdefault(what, []).append(self._spent() - before)
        return result

    def _spent(self) -> float:
        used = resource.getrusage(resource.RUSAGE_SELF)
        return used.ru_utime + used.ru_stime + sum(map(_cpu_of, self._servers()))


def _cpu_of(pid: int) -> float:
    """CPU seconds of another process; 0 where it has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / 100


def peak_memory() -> float:
    """The most memory this process has held, in MB. Not ru_maxrss, which begins with that of the process that started this one."""
    status = Path("/proc/self/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]) / 1024


def spark_processes() -> list[int]:
    """Every Java process on this machine: the driver's, the master, the workers and their executors."""
    found = []
    for path in Path("/proc").glob("[0-9]*/comm"):
        try:
            if path.read_text().strip() == "java":
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


def population_of(source: object) -> Population:
    """The table of the benchmark, however it is held."""
    judged = fewlabels.Classifier("gbm", score="score", predicted="flag")
    return fewlabels.read_population(source, classifiers=[judged], slices=["region"])


def measure(engine: SqlEngine, rule: NumberRule, *, budget: int, repeats: int, clock: Clock) -> dict[str, Any]:
    """Profile, plan, draw and fetch, each beside a bare scan."""
    sql_engine.EXACT_DUPLICATES_UP_TO = 0  # the exact check of ids up to 10^7 rows is timed apart
    bare = BARE.format(source=engine.source)
    if engine.dialect.quote == "`":
        bare = bare.replace('"', "`")
    engine.query(bare)  # warms the page cache, and Spark's compiler
    for _ in range(repeats):
        clock.time("bare", lambda: engine.query(bare))
        profile = clock.time("profile", engine.profile)
    goals = tuple(parse_goal(text, level=0.95) for text in GOALS)
    number_rule_of(engine.population, profile, rule)
    standing = Standing(
        name="scale", population=engine.population.as_json(), profile=profile, salt=SALT, goals=goals, number_rule=rule
    )  # fmt: skip
    plan = clock.time("plan", lambda: next_plan(standing, budget=budget, grow_to=None, ways=PlanWays("bands", "rec", None)))
    for _ in range(repeats):
        clock.time("bare", lambda: engine.query(bare))
        taken = clock.time("draw", lambda: draw_plan(engine, profile, plan))
    clock.time("fetch", lambda: engine.fetch(taken.units.unit, columns=["region"]))
    clock.time("check", lambda: engine.unchanged(profile))
    cpu = {what: statistics.median(spent) for what, spent in clock.cpu.items()}
    return {
        "rows": profile.N,
        "cells": int(profile.count.size),
        "drawn": len(taken.units),
        "cpu": cpu,
        "wall": {what: statistics.median(spent) for what, spent in clock.wall.items()},
        "ratio": {what: cpu[what] / cpu["bare"] for what in ("profile", "draw")},
        "first": list(taken.units.unit[:3]),
    }


def spark_engine(address: str, source: str) -> SqlEngine:
    """The table on the cluster, with a core of each of its two workers."""
    from pyspark.sql import SparkSession

    settings = {
        "spark.ui.enabled": "false", "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1", "spark.cores.max": "2",
        "spark.executor.cores": "1", "spark.executor.memory": "1500m", "spark.sql.shuffle.partitions": "4",
    }  # fmt: skip
    builder = SparkSession.builder.master(address).appName("fewlabels scale")
    for name, value in settings.items():
        builder = builder.config(name, value)
    builder.getOrCreate()
    engine = open_engine(population_of(f"spark:{source}"))
    assert isinstance(engine, SqlEngine)
    return engine


def main() -> None:
    """Measures one table, and prints what was seen."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", required=True)
    parser.add_argument("--spark", help="the address of a cluster; DuckDB without")
    parser.add_argument("--rule", choices=("md5", "fast"), default="md5")
    parser.add_argument("--budget", type=int, default=2_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--bare", action="store_true", help="only the bare scan, for its memory")
    options = parser.parse_args()
    clock = Clock(spark_processes if options.spark else list)
    with using(Resources(memory_limit=None if options.spark else "700MB", threads=2)):
        start = time.monotonic()
        found = spark_engine(options.spark, options.source) if options.spark else open_engine(population_of(options.source))
        assert isinstance(found, SqlEngine)
        opened = time.monotonic() - start
        if options.bare:
            found.query(BARE.format(source=found.source))
            said: dict[str, Any] = {}
        else:
            said = measure(found, options.rule, budget=options.budget, repeats=options.repeats, clock=clock)
    said |= {"opened": opened, "rule": options.rule, "peak": peak_memory()}
    print(json.dumps(said))


if __name__ == "__main__":
    main()
