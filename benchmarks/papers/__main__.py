"""Every numbered table and figure of the source documents: the page docs/papers.md.

python -m benchmarks.papers --data FOLDER --reps 1000 --seed 42 --out docs/papers.md        (make papers DATA=FOLDER)
"""

import tempfile
from pathlib import Path

from benchmarks.options import parser_of
from benchmarks.papers import labels_figures, online, recycled, sampling_figures
from benchmarks.papers.page import page
from benchmarks.papers.rows import Row


def run(data: Path, *, reps: int, seed: int) -> list[Row]:
    """Every row, in the order of the documents."""
    with tempfile.TemporaryDirectory() as name:
        found = list(online.rows(data, Path(name), reps=reps, seed=seed))
        figures = list(sampling_figures.rows(data, Path(name), reps=reps, seed=seed))
    joint = list(labels_figures.rows(data, reps=reps, seed=seed))
    return [*found, *figures[:4], *joint, *figures[4:], *recycled.rows(data, reps=reps, seed=seed)]


def main() -> None:
    """Make everything, and write the page."""
    parser = parser_of(__doc__, reps=1_000)
    parser.add_argument("--again", type=int, help="another seed")
    options = parser.parse_args()
    found = run(options.data, reps=options.reps, seed=options.seed)
    again = run(options.data, reps=options.reps, seed=options.again) if options.again is not None else None
    text = page(found, again, seed=options.seed, reps=options.reps, again_seed=options.again)
    options.out.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
