"""Every package beside fewlabels: the page docs/peers.md.

    python -m benchmarks.peers --data FOLDER --folder FOLDER --reps 400 --seed 42 --out docs/peers.md        (make peers DATA=FOLDER)

Environments and replicates are kept in --folder; a run that was stopped goes on. With --again another seed is run too, and the page names
the conclusions that change.
"""

import argparse
import json
import math
import os
import sys
import tempfile
from collections import Counter
from pathlib import Path

import fewlabels
from benchmarks.options import parser_of
from benchmarks.peers.environments import environment, versions
from benchmarks.peers.features import missing_names
from benchmarks.peers.mechanisms import reasons
from benchmarks.peers.ours import ALONE, PACKAGE, our_cells
from benchmarks.peers.packages import MAPIE, PACKAGES
from benchmarks.peers.page import METRICS, Found, Way, page
from benchmarks.peers.runs import Runs, Ways, subject_of, ways_of
from benchmarks.peers.searches import compare_searches
from benchmarks.tables import load

TABLES = (
    ("mnist8", "mlp"),
    ("mnist8", "nb"),
    ("hate_tweets", "lr"),
    ("fraud_sample", "gbm"),
    ("news20_sci_space", "lr"),
    ("news20_talk_religion_misc", "hgb"),
)
LABELS = (200, 500, 1_000)


def refuse_missing(everyone: list[Ways], mapie: Path) -> None:
    """Raise RuntimeError if the table of features names something that is not there."""
    pythons = {PACKAGE: Path(sys.executable), MAPIE.name: mapie} | {ways.package.name: ways.python for ways in everyone}
    alone = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    missing = {name: missing_names(name, python, os.environ if name == PACKAGE else alone) for name, python in pythons.items()}
    if any(missing.values()):
        raise RuntimeError(f"names of the table of features that are not there: { ({k: v for k, v in missing.items() if v}) }")


def run(options: argparse.Namespace, everyone: list[Ways], mapie: Path, *, seed: int) -> Found:
    """Everything of one seed."""
    runs, raised = Runs(options.folder, labels=LABELS, reps=options.reps, seed=seed, jobs=options.jobs), Counter[str]()
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        benches = [load(options.data, *one, mode="real", seed=seed, scratch=scratch) for one in TABLES]
        subjects = [subject_of(bench, number, options.folder) for number, bench in enumerate(benches)]
        runs.run(everyone, subjects)
        cells = [cell for ways in everyone for subject in subjects for cell in runs.cells(ways, subject)]
        for subject in subjects:
            cells += our_cells(subject.bench, subject.truths, most=subject.most, labels=LABELS, reps=options.reps, seed=seed)
            for ways in everyone:
                for words, times in runs.raised(ways, subject):
                    raised[f"{ways.package.name}: {words}"] += times
        searches = compare_searches(options.data, mapie, scratch, reps=options.reps, seed=seed)
    installed = {one.name: versions(one, options.folder / "environments") for one in (*(w.package for w in everyone), MAPIE)}
    told = {PACKAGE: fewlabels.__version__} | {name: found[name] for name, found in installed.items()}
    each = [Way(ways.package.name, m["name"], m["draws"], m["glue"]) for ways in everyone for m in ways.methods]
    found = Found(cells, each, told, raised, searches, seed, options.reps, runs.minutes(), reasons={})
    return found._replace(reasons=reasons({subject.bench.name: subject.table() for subject in subjects}, found.against()))


def as_json(found: Found) -> str:
    """The file docs/peers.json: shares of labels by package, method and metric, which scripts/pictures draws, and every cell."""
    shares: list[dict[str, object]] = []
    for metric in METRICS:
        ways = [(PACKAGE, ALONE, 1.0), *((way.package, way.method, found.share(way, metric)) for way in found.ways)]
        for package, method, share in ways:
            mine = [cell for cell in found.cells if (cell.package, cell.method, cell.metric) == (package, method, metric)]
            covered = [cell.coverage for cell in mine if math.isfinite(cell.coverage)]
            if share is not None:
                named = {"package": package, "method": method, "metric": metric, "share": round(share, 4)}
                shares.append({**named, "coverage": min(covered, default=None), "too_low": sum(cell.is_too_low for cell in mine)})
    each, every = (",\n".join(json.dumps(one, allow_nan=False) for one in of) for of in (shares, [c.as_json() for c in found.cells]))
    return f'{{"seed": {found.seed}, "reps": {found.reps}, "shares": [\n{each}\n], "cells": [\n{every}\n]}}\n'


def main() -> None:
    """Run every package, and write the page."""
    parser = parser_of(__doc__, reps=400)
    parser.add_argument("--folder", type=Path, required=True, help="where environments and replicates are kept")
    parser.add_argument("--jobs", type=int, default=2, help="packages that run at once")
    parser.add_argument("--again", type=int, help="another seed")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    everyone = [ways_of(package, options.folder / "environments") for package in PACKAGES]
    mapie = environment(MAPIE, options.folder / "environments")
    refuse_missing(everyone, mapie)
    found = run(options, everyone, mapie, seed=options.seed)
    again = run(options, everyone, mapie, seed=options.again) if options.again is not None else None
    options.out.write_text(page(found, again), encoding="utf-8")
    options.out.with_suffix(".json").write_text(as_json(found), encoding="utf-8")


if __name__ == "__main__":
    main()
