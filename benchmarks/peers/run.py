"""Runs a package's methods on one table, in the package's environment: `python -m benchmarks.peers.run TASKS.json TABLE.npz`.

A task names a module of `benchmarks.peers.methods`, a method, the labels, the replicates, the seed, and the file that its result is
written to as soon as it is known. What a method raises is counted.
"""

import importlib
import json
import sys
import time
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.peers.given import METRICS, Estimate, Estimates, Method, Part, Table

NOTHING = Estimate(float("nan"))


def replicates(method: Method, table: Table, task: dict[str, Any]) -> dict[str, Any]:
    """Every replicate's value and limits, what was raised and the seconds it took, all by metric.

    The stream is that of table, labels, metric and replicate: packages that draw alike draw the same units.
    """
    found: dict[str, list[Estimate]] = {}
    raised: dict[str, Counter[str]] = {}
    seconds: dict[str, float] = {}
    for part in method.parts:
        start, words = time.perf_counter(), Counter[str]()
        rows = _rows(part, table, task, words)
        for metric in part.metrics:
            found[metric] = [row.get(metric, NOTHING) for row in rows]
            raised[metric], seconds[metric] = words, (time.perf_counter() - start) / len(part.metrics)
    return {"found": found, "raised": raised, "seconds": seconds}


def _rows(part: Part, table: Table, task: dict[str, Any], raised: Counter[str]) -> list[Estimates]:
    try:
        once = part.ready(table, task["labels"])
    except Exception as error:  # a package may raise anything, and how often it does is a result
        raised[_words(error)] += task["reps"]
        return [{}] * int(task["reps"])
    rows: list[Estimates] = []
    for rep in range(task["reps"]):
        try:
            rows.append(once(np.random.default_rng([task["seed"], *task["stream"], METRICS.index(part.metrics[0]), rep])))
        except Exception as error:
            raised[_words(error)] += 1
            rows.append({})
    return rows


def _words(error: Exception) -> str:
    said = str(error).splitlines()
    return f"{type(error).__name__}: {said[0][:100] if said else ''}"


def main() -> None:
    """Run every task."""
    tasks_path, table_path = map(Path, sys.argv[1:])
    with np.load(table_path) as columns:
        table = Table(columns["score"], columns["flagged"], columns["y"])
    warnings.simplefilter("ignore")
    for task in json.loads(tasks_path.read_text()):
        methods = importlib.import_module(f"benchmarks.peers.methods.{task['module']}").METHODS
        [method] = [one for one in methods if one.name == task["method"]]
        found = json.dumps(replicates(method, table, task))
        part = Path(task["out"]).with_suffix(".part")
        part.write_text(found)
        part.rename(task["out"])


if __name__ == "__main__":
    main()
