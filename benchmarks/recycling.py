"""Recycling one classifier's labels for others, and one draw for all of them: the paper's experiments again, and labels for k classifiers.

python -m benchmarks.recycling --data FOLDER --seed 42 --out docs/recycling.md
"""

from collections.abc import Iterator
from pathlib import Path

from benchmarks.options import read_options
from benchmarks.recycling_many import scores, setting_of
from benchmarks.recycling_page import DRAWS, OTHER_N, Study, figure_two, labels_table, table_one
from benchmarks.recycling_paper import LABELS, TRIALS, figure2, savings, totals
from benchmarks.recycling_sets import MIXED, PRECISE, TABLES, ClassifierSet, made_set, real_set
from fewlabels.randomness import stream

MADE = ((5, 0.5), (10, 0.5), (10, 0.8))
SETS, REPLICATES = 3, 4  # purposes of the streams; 1 and 2 are the paper's experiments


def sets(folder: Path, seed: int) -> Iterator[ClassifierSet]:
    """Three real tables and six made-up sets."""
    yield from (real_set(folder, table) for table in TABLES)
    for i, kind in enumerate((MIXED, PRECISE)):
        yield from (made_set(k, rho, kind=kind, rng=stream(seed, SETS, i, k, round(10 * rho))) for k, rho in MADE)


def studies(folder: Path, *, reps: int, seed: int) -> Iterator[Study]:
    """Every set, planned with the truth and with a pilot."""
    for i, given in enumerate(sets(folder, seed)):
        for pilot in (False, True):
            found = scores(setting_of(given), pilot=pilot, reps=reps, rng=stream(seed, REPLICATES, i, int(pilot)))
            print(given.name, "pilot" if pilot else "truth", [(s.way, round(s.labels)) for s in found], flush=True)
            yield Study(given.name, pilot, found)


def main() -> None:
    """Runs everything and writes the page."""
    o = read_options(__doc__, reps=1_000)
    lines = [
        "# One set of labels for many classifiers: recycling, and one draw",
        "",
        f"    python -m benchmarks.recycling --data FOLDER --reps {o.reps} --seed {o.seed} --out docs/recycling.md",
        "",
        "The procedure of the paper RecycleSamplesForPrecision, put right where it errs, and one draw for all classifiers. Why it is so: "
        "[recycling](maths/recycling.md).",
        "",
        *table_one(*(savings(n=n, trials=TRIALS, seed=o.seed) for n in (LABELS, OTHER_N))),
        *figure_two(figure2(trials=TRIALS, draws=DRAWS, seed=o.seed), totals(trials=TRIALS, seed=o.seed)),
        *labels_table(list(studies(o.data, reps=o.reps, seed=o.seed)), o.reps),
    ]
    o.out.write_text("\n".join(lines).rstrip() + "\n")


if __name__ == "__main__":
    main()
