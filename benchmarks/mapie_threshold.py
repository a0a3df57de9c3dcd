"""MAPIE's search for a threshold of a given precision on simple random labels, for benchmarks.thresholds: runs where MAPIE is installed.

MAPIE (scikit-learn-contrib) controls precision by Learn Then Test (Angelopoulos et al. 2021). Two ways to use it: as it comes (100 even
thresholds, Bonferroni-Holm), and by fixed sequence over those of the same thresholds that flag labels enough to show the target, from the
highest down. It is no dependency of fewlabels.

    PYTHON -I benchmarks/mapie_threshold.py TABLES.npz CASES.json OUT.json
"""

import importlib
import json
import math
import sys
import warnings
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

LEVEL = 0.95
EVEN = np.linspace(0, 0.99, 100)  # MAPIE's default
WAYS = {"holm": "bonferroni_holm", "sequence": "fixed_sequence"}
FloatArray = NDArray[np.float64]


def two_columns(scores: FloatArray) -> FloatArray:
    """Scores as predict_proba gives them."""
    return np.stack([1 - scores, scores], axis=1)


def thresholds_to_try(scores: FloatArray, case: dict[str, float], way: str) -> FloatArray:
    """The thresholds MAPIE is given, by the scores of all units alone."""
    if way == "holm":
        return EVEN
    fewest = math.log(1 - LEVEL) / math.log(case["target"])
    enough = np.array([case["labels"] * np.mean(scores >= t) >= fewest for t in EVEN])
    return EVEN[enough][::-1]


def chosen(scores: FloatArray, y: FloatArray, target: float, thresholds: FloatArray, way: str) -> float | None:
    """The threshold MAPIE chooses on these labels; None where it finds none."""
    controller = importlib.import_module("mapie.risk_control").BinaryClassificationController(
        predict_function=two_columns,
        risk="precision",
        target_level=target,
        confidence_level=LEVEL,
        list_predict_params=thresholds,
        fwer_method=WAYS[way],
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns where it finds none
        controller.calibrate(scores, y)
    best = controller.best_predict_param
    return None if best is None else float(best)


def run(scores: FloatArray, y: FloatArray, case: dict[str, float], rng: np.random.Generator) -> dict[str, dict[str, float]]:
    """Share of runs with a threshold, share whose true precision is below the target, and mean units flagged (0 where none is found)."""
    target, reps = float(case["target"]), int(case["reps"])
    ends: dict[str, list[float]] = {way: [] for way in WAYS}
    below: dict[str, int] = dict.fromkeys(WAYS, 0)
    given = {way: thresholds_to_try(scores, case, way) for way in WAYS}
    for _ in range(reps):
        drawn = rng.choice(y.size, size=int(case["labels"]), replace=False)
        for way in WAYS:
            at = chosen(scores[drawn], y[drawn], target, given[way], way) if given[way].size else None
            flagged = scores >= at if at is not None else np.zeros(y.size, dtype=np.bool_)
            ends[way].append(float(flagged.sum()))
            below[way] += bool(flagged.any() and y[flagged].mean() < target)
    return {
        way: {"found": float(np.mean(np.array(e) > 0)), "below": below[way] / reps, "units": float(np.mean(e))} for way, e in ends.items()
    }


def main() -> None:
    """Reads tables and cases, writes one result a case."""
    tables, cases, out = (Path(a) for a in sys.argv[1:4])
    columns = np.load(tables)
    results = []
    for i, case in enumerate(json.loads(cases.read_text())):
        scores, y = columns[f"{case['table']}_scores"].astype(np.float64), columns[f"{case['table']}_y"].astype(np.int64)
        results.append(run(scores, y, case, np.random.default_rng([case["seed"], i])))
    out.write_text(json.dumps({"version": importlib.import_module("mapie").__version__, "results": results}))


if __name__ == "__main__":
    main()
