"""Gives the atlas the hash of the present code, if the present code still makes its numbers.

    python -m benchmarks.restamp --data FOLDER               (make restamp DATA=FOLDER)
    python -m benchmarks.restamp --data FOLDER --coverage    compares docs/coverage.json too, every cell at its own seed
    python -m benchmarks.restamp --data FOLDER --compare     compares and writes nothing

Code that is moved or renamed has another hash, and its numbers must not change. Fifty cells of docs/atlas.json, drawn at random from all
of them, are made again. If every number of every cell is the same to 1e-12, the new hash is written to docs/atlas.json, docs/atlas.md and
the product's table; the list `restamped` of docs/atlas.json keeps both hashes, the seed of the draw, the tolerance and the cells. Otherwise
nothing is written and the first cell that differs is named. --tolerance 1e-5 is for code that finds the same roots in other steps: mean
widths may differ by that, counts of hits may not.

A run that is stopped goes on where it was: .restamp.json keeps the seed and what was the same so far, for this code only.
"""

import argparse
import hashlib
import json
import math
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import atlas, coverage
from benchmarks.made import Known
from benchmarks.tables import MODES, Bench, all_benches
from fewlabels.randomness import stream

TOLERANCE = 1e-12
CELLS = 50
HASH = "from pathlib import Path; from benchmarks.atlas import code_hash; print(code_hash(Path.cwd()))"


class DifferenceError(Exception):
    """A number is no longer what the file says."""


def is_same(stored: float, now: float, tolerance: float) -> bool:
    """Whether two numbers are the same to the tolerance, of one for numbers above one and of the number itself below."""
    return stored == now or (math.isnan(stored) and math.isnan(now)) or abs(stored - now) <= tolerance * min(1.0, abs(stored))


def difference(stored: object, now: object, where: str = "", *, tolerance: float = TOLERANCE) -> str | None:
    """Where two cells first differ, with both values; None if all numbers are the same to the tolerance and everything else is equal."""
    if isinstance(stored, dict) and isinstance(now, dict) and stored.keys() == now.keys():
        return _first(difference(stored[name], now[name], f"{where} {name}", tolerance=tolerance) for name in stored)
    if isinstance(stored, list) and isinstance(now, list) and len(stored) == len(now):
        return _first(difference(a, b, f"{where} [{i}]", tolerance=tolerance) for i, (a, b) in enumerate(zip(stored, now, strict=True)))
    numbers = [value for value in (stored, now) if isinstance(value, int | float) and not isinstance(value, bool)]
    same = is_same(numbers[0], numbers[1], tolerance) if len(numbers) == 2 else type(stored) is type(now) and stored == now
    return None if same else f"{where}: stored {stored!r}, now {now!r}"


def _first(found: Iterable[str | None]) -> str | None:
    return next((text for text in found if text is not None), None)


def as_stored(cell: dict[str, Any]) -> dict[str, Any]:
    """A cell as it would be read back from the file."""
    read: dict[str, Any] = json.loads(json.dumps(cell))
    return read


def chosen(keys: Iterable[str], count: int, seed: int) -> list[str]:
    """So many of the keys, drawn at random: the same for the same keys and seed."""
    ordered = sorted(keys)
    return sorted(ordered[i] for i in stream(seed).permutation(len(ordered))[:count])


class Progress:
    """What was found the same so far, by this code; written after each step."""

    def __init__(self, path: Path, code: str, seed: int | None, *, tolerance: float = TOLERANCE) -> None:
        """Goes on from the file if the same code wrote it, at the same seed and tolerance; begins anew otherwise."""
        held = json.loads(path.read_text()) if path.exists() else {}
        goes_on = held.get("code") == code and seed in (None, held.get("seed")) and held.get("tolerance") == tolerance
        self.path, self.code, self.tolerance = path, code, tolerance
        self.seed: int = held["seed"] if goes_on else secrets.randbelow(2**31) if seed is None else seed
        self.same: set[str] = set(held["same"]) if goes_on else set()

    def add(self, name: str) -> None:
        """Keeps that this one is the same."""
        self.same.add(name)
        held = {"code": self.code, "seed": self.seed, "tolerance": self.tolerance, "same": sorted(self.same)}
        self.path.write_text(json.dumps(held, indent=1) + "\n")


def compare_atlas(stored: dict[str, dict[str, Any]], keys: Iterable[str], *, folder: Path | None, progress: Progress) -> None:
    """Makes the cells again, except those known to be the same. Raises DifferenceError at the first that differs."""
    waiting = set(keys) - progress.same
    with tempfile.TemporaryDirectory() as scratch:
        for at, guide in atlas.populations(folder, Path(scratch)):
            if not waiting:
                return
            for task in atlas.tasks(at.name, guide):
                if task.key in waiting:
                    _compare(task.key, [stored[task.key]], partial(atlas_cell, at, task), progress=progress)
                    waiting.remove(task.key)
    if waiting:
        raise DifferenceError(f"{min(waiting)}: the present code does not make this cell")


def atlas_cell(at: Known, task: atlas.Task) -> list[dict[str, Any]]:
    """The one cell of a task."""
    return [atlas.run(at, task)]


def compare_coverage(stored: dict[str, Any], *, folder: Path, progress: Progress) -> None:
    """Makes every cell of docs/coverage.json again at its own seed, table by table. Raises DifferenceError at the first that differs."""
    known: dict[str, list[dict[str, Any]]] = {}
    for cell in stored["cells"]:
        known.setdefault(f"coverage {cell['mode']} {cell['table']} {cell['classifier']}", []).append(cell)
    with tempfile.TemporaryDirectory() as scratch:
        for bench in all_benches(folder, MODES, seed=stored["seed"], scratch=Path(scratch)):
            name = f"coverage {bench.mode} {bench.name}"
            cells = known.pop(name, [])
            if name not in progress.same:
                _compare(name, cells, partial(covered, bench, cells, seed=stored["seed"]), progress=progress)
    if known:
        raise DifferenceError(f"{min(known)}: the present code does not make these cells")


def covered(bench: Bench, stored: list[dict[str, Any]], *, seed: int) -> list[dict[str, Any]]:
    """The cells of one table as the coverage study makes them."""
    rows = coverage.run(bench, reps=stored[0]["reps"], seed=seed) if stored else []
    return coverage.as_cells(rows)


def _compare(name: str, stored: list[dict[str, Any]], make: Callable[[], list[dict[str, Any]]], *, progress: Progress) -> None:
    start = time.monotonic()
    now = [as_stored(cell) for cell in make()]
    told = difference(stored, now, tolerance=progress.tolerance)
    if told is not None or not stored:
        raise DifferenceError(f"{name}{told or ': not in the file'}")
    progress.add(name)
    print(f"same: {name} ({time.monotonic() - start:.1f} s)", flush=True)


def stamp(path: Path, table_path: Path, *, code: str, seed: int, tolerance: float, keys: list[str]) -> None:
    """Writes the new hash to the atlas, its page and the product's table, and to the atlas how it was earned."""
    kept = atlas.Atlas(path, json.loads(path.read_text())["code"])
    kept.restamped.append({"from": kept.code, "to": code, "seed": seed, "tolerance": tolerance, "cells": keys})
    kept.code = code
    kept.save()
    kept.publish(page_path=path.with_suffix(".md"), table_path=table_path)


def present_hash() -> str:
    """The atlas's hash of the present code, from a process of its own: it depends on what was imported."""
    return subprocess.run([sys.executable, "-c", HASH], capture_output=True, text=True, check=True).stdout.strip()


def whole_hash(root: Path) -> str:
    """The sha256 of all code, for what may be gone on with: engines are no part of the atlas's hash, but numbers pass through them."""
    digest = hashlib.sha256()
    for path in sorted([*(root / "src").rglob("*.py"), *(root / "benchmarks").glob("*.py")]):
        digest.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def read_options() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the folder of tables whose truth is known")
    parser.add_argument("--atlas", type=Path, default=Path("docs/atlas.json"))
    parser.add_argument("--table", type=Path, default=atlas.TABLE, help="the product's table")
    parser.add_argument("--cells", type=int, default=CELLS, help="how many cells are made again")
    parser.add_argument("--tolerance", type=float, default=TOLERANCE, help="how much a number may differ")
    parser.add_argument("--seed", type=int, help="of the draw of cells; if omitted, that of the run that was stopped, or a fresh one")
    parser.add_argument("--coverage", action="store_true", help="compare docs/coverage.json too")
    parser.add_argument("--compare", action="store_true", help="write no hash")
    parser.add_argument("--progress", type=Path, default=Path(".restamp.json"))
    return parser.parse_args()


def main() -> None:
    """Compares, then stamps."""
    options = read_options()
    stored, code = json.loads(options.atlas.read_text()), present_hash()
    progress = Progress(options.progress, whole_hash(Path.cwd()), options.seed, tolerance=options.tolerance)
    keys = chosen(stored["cells"], options.cells, progress.seed)
    print(f"atlas of code {stored['code']}, present code {code}, {len(keys)} of {len(stored['cells']):,} cells at seed {progress.seed}")
    try:
        compare_atlas(stored["cells"], keys, folder=options.data, progress=progress)
        if options.coverage:
            known = json.loads(options.atlas.with_name("coverage.json").read_text())
            compare_coverage(known, folder=options.data, progress=progress)
    except DifferenceError as told:
        raise SystemExit(f"not stamped, numbers must be the same to {options.tolerance:g}: {told}") from None
    if options.compare or code == stored["code"]:
        print("all the same; the atlas stays as it is")
        return
    stamp(options.atlas, options.table, code=code, seed=progress.seed, tolerance=options.tolerance, keys=keys)
    options.progress.unlink()
    print(f"all the same; {options.atlas} now carries {code}")


if __name__ == "__main__":
    main()
