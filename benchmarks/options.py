"""The options that the benchmarks share: --data FOLDER (of those that read tables), --reps, --seed and --out PAGE."""

import argparse
from pathlib import Path


def parser_of(description: str | None, *, reps: int | None = None, tables: bool = True) -> argparse.ArgumentParser:
    """A parser of the shared options, to which a benchmark may add its own. reps: how many unless told; None: they are fixed."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    if tables:
        parser.add_argument("--data", type=Path, required=True, help="the folder of tables whose truth is known")
    if reps is not None:
        parser.add_argument("--reps", type=int, default=reps, help="replicates of a cell")
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--out", type=Path, required=True, help="the page to write")
    return parser


def read_options(description: str | None, *, reps: int | None = None) -> argparse.Namespace:
    """The shared options as the command line gives them."""
    return parser_of(description, reps=reps).parse_args()
