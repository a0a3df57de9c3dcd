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

from benchmarks.peers.given import Estimate, Method, Table


def replicates(method: Method, table: Table, task: dict[str, Any]) -> dict[str, Any]:
    """Every replicate's value and limits by metric, what was raised, and the seconds all of them took."""
    raised: Counter[str] = Counter()
    found: dict[str, list[Estimate]] = {metric: [] for metric in method.metrics}
    start = time.perf_counter()
    once = method.ready(table, task["labels"])
    for rep in range(task["reps"]):
        try:
            estimates = once(np.random.default_rng([task["seed"], *task["stream"], rep]))
        except Exception as error:  # a package may raise anything, and how often it does is a result
            raised[f"{type(error).__name__}: {str(error).splitlines()[0][:100] if str(error) else ''}"] += 1
            estimates = {}
        for metric in method.metrics:
            found[metric].append(estimates.get(metric, Estimate(float("nan"))))
    return {"found": found, "raised": dict(raised), "seconds": time.perf_counter() - start}


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
