"""Write the answers of a draw with their weights to a file: CSV or Parquet."""

import csv
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from fewlabels.errors import FileError
from fewlabels.study.estimate.weighed import WeighedAnswers
from fewlabels.writing import write_whole

Ending = Literal[".csv", ".parquet"]
ENDINGS: tuple[Ending, ...] = (".csv", ".parquet")


def ending_of(path: Path) -> Ending:
    """The ending of a file of answers; raise FileError for any other, before anything is read or recorded."""
    for ending in ENDINGS:
        if path.suffix == ending:
            return ending
    raise FileError(f"answers must be written as {' or '.join(ENDINGS)}, got {str(path)!r}: name the file with one of these endings")


def write_answers(found: WeighedAnswers, path: Path) -> None:
    """Write the answers to a file, by its ending; an unknown value is empty in CSV and null in Parquet."""
    write_whole(path, bytes_of(found, ending_of(path)))


def bytes_of(found: WeighedAnswers, ending: Ending) -> bytes:
    """The file of the answers."""
    return _csv(found).encode() if ending == ".csv" else _parquet(found)


def _csv(found: WeighedAnswers) -> str:
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(found.columns)
    writer.writerows(found.rows)  # a float by repr, which reads back to the same bits
    return text.getvalue()


def _parquet(found: WeighedAnswers) -> bytes:
    from fewlabels.engines.duckdb import write_parquet

    columns = dict(zip(found.columns, map(list, zip(*found.rows, strict=True)), strict=True))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "answers.parquet"
        write_parquet(path, columns)
        return path.read_bytes()
