"""Thresholds with a guaranteed precision: fewlabels' search and MAPIE's, on the tables of benchmarks.thresholds."""

import json
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.thresholds import MAPIE_REPS, SEARCHES, known_tables, mapie_results, search_rows
from benchmarks.thresholds_page import SearchRow
from fewlabels.nouns.arrays import FloatArray

MADE_UP = 0.5  # the threshold of the made-up table


class Searches(NamedTuple):
    """What fewlabels found by the draw that a study makes, and what MAPIE found on as many labels of flagged units."""

    ours: list[SearchRow]
    mapie: list[dict[str, dict[str, float]]]
    version: str
    reps: int


def flagged_columns(columns: dict[str, FloatArray], data: Path) -> dict[str, FloatArray]:
    """Scores and truth of the flagged units alone."""
    manifest, found = json.loads((data / "manifest.json").read_text()), {}
    for table, model in {(table, model) for table, model, *_ in SEARCHES}:
        threshold = manifest[table]["thresholds"][model] if table in manifest else MADE_UP
        scores, y = columns[f"{table}_{model}_scores"], columns[f"{table}_{model}_y"]
        found[f"{table}_{model}_scores"], found[f"{table}_{model}_y"] = scores[scores >= threshold], y[scores >= threshold]
    return found


def compare_searches(data: Path, mapie: Path, scratch: Path, *, reps: int, seed: int) -> Searches:
    """Run both."""
    known = known_tables(data, scratch, seed=seed)
    rows, _ = search_rows(known, scratch, reps=reps, seed=seed, mapie=None, draws=("precision",))
    columns, runs = flagged_columns(known.columns, data), min(MAPIE_REPS, reps)
    cases: list[dict[str, object]] = [
        {
            "table": f"{table}_{model}",
            "target": target,
            "labels": min(labels, columns[f"{table}_{model}_y"].size),
            "reps": runs,
            "seed": seed,
        }
        for table, model, target, budgets in SEARCHES
        for labels in budgets
    ]
    told: dict[str, Any] = mapie_results(mapie, columns, cases, scratch)
    return Searches(rows, told["results"], told["version"], runs)
