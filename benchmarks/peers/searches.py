"""Thresholds with a guaranteed precision: fewlabels' search and MAPIE's, on the tables of benchmarks.thresholds."""

from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.thresholds import known_tables, search_rows
from benchmarks.thresholds_page import SearchRow


class Searches(NamedTuple):
    """What fewlabels found by the draw that a study makes, and what MAPIE found on as many simple random labels."""

    ours: list[SearchRow]
    mapie: list[dict[str, dict[str, float]]]
    version: str


def compare_searches(data: Path, mapie: Path, scratch: Path, *, reps: int, seed: int) -> Searches:
    """Run both."""
    rows, told = search_rows(known_tables(data, scratch, seed=seed), scratch, reps=reps, seed=seed, mapie=mapie, draws=("precision",))
    answer: dict[str, Any] = told or {}
    return Searches(rows, answer["results"], answer["version"])
