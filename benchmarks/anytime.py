"""The running band: how often it misses, how wide it is, what a decision costs, and rules that peek.

python -m benchmarks.anytime --data FOLDER --reps 10000 --seed 42 --out docs/anytime.md

--reps are the paths on which misses and errors at the target are counted; other figures have a fifth of them, those on a grid of 999
values 200. Every row is kept beside the page (anytime.jsonl) as soon as it is there: a run that was stopped goes on, and the page is
written after every section. Delete that file after a change of the code.
"""

from collections.abc import Iterator
from pathlib import Path

from benchmarks.anytime_bands import Wanted, exhausted, grids, half_widths, misses, speeds, tail_widths, wald_misses, width_stops
from benchmarks.anytime_decisions import contests, decisions, rules, signs, thresholds, tolerant
from benchmarks.anytime_labelers import labelers, twins
from benchmarks.anytime_page import page
from benchmarks.anytime_store import Store
from benchmarks.options import parser_of

GRID_PATHS = 200


def sections(folder: Path, *, reps: int, seed: int) -> Iterator[tuple[str, Wanted]]:
    """Every section by name, those that are soon done first."""
    few = max(reps // 5, 20)
    yield "speed", speeds(seed=seed)
    yield "decisions", decisions(paths=few, seed=seed)
    yield "tolerant", tolerant(paths=few, seed=seed)
    yield "contests", contests(paths=few, seed=seed)
    yield "wald", wald_misses(paths=few, seed=seed)
    yield "misses", misses(folder, paths=reps, seed=seed)
    yield "stops", width_stops(paths=few, seed=seed)
    yield "widths", half_widths(paths=few, seed=seed)
    yield "tails", tail_widths(paths=few, seed=seed)
    yield "thresholds", thresholds(paths=reps, seed=seed)
    yield "labelers", labelers(paths=few, seed=seed)
    yield "twins", twins(paths=few, seed=seed)
    yield "rules", rules(paths=few, seed=seed)
    yield "signs", signs(paths=few, seed=seed)
    yield "exhausted", exhausted(paths=GRID_PATHS, seed=seed)
    yield "grids", grids(paths=GRID_PATHS, seed=seed)


def main() -> None:
    """Runs what is not there yet and writes the page."""
    parser = parser_of(__doc__, reps=10_000)
    parser.add_argument("--only", nargs="*", help="sections to run; the page then holds what is there")
    o = parser.parse_args()
    store = Store(o.out.with_suffix(".jsonl"), paths=o.reps, seed=o.seed)
    for name, wanted in sections(o.data, reps=o.reps, seed=o.seed):
        if o.only is None or name in o.only:
            store.fill(name, wanted)
        o.out.write_text(page(store, reps=o.reps, seed=o.seed))


if __name__ == "__main__":
    main()
