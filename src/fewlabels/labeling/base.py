"""The interface of a label file format: how a batch is written, how answers are read, and how a file is recognized.

The records are listed in `formats`; a package adds its own by an entry point (docs/how-to/extend.md).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from fewlabels.errors import LabelError
from fewlabels.labeling.flat import Answerable
from fewlabels.labeling.found import Found


class Batched(NamedTuple):
    """A batch to write: its units, what is shown of each, and the questions."""

    units: Sequence[str]
    shown: Sequence[Mapping[str, str | None]]
    columns: Sequence[str]
    asked: Answerable


class FileReading(NamedTuple):
    """How a file is read: its format, the allowed answers, the columns of units and answers, and who answered if the file does not say."""

    name: str
    asked: Answerable
    unit_columns: Sequence[str] = ("unit",)
    answer_column: str | None = None
    labeler: str | None = None


def never(_first: Mapping[str, Any]) -> bool:
    """Return False, for a format that no first row identifies."""
    return False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Format:
    """A format of label files.

    name             its one name, as in --format
    endings          file suffixes, each with the dot; the first is used for standard output
    write            returns the text of a batch, for a file with that suffix; raises for what the format cannot hold, even without units
    read             returns the answers of a file, and those that cannot be read
    is_marked        whether the first row of a file (keys and values; cells of a table are text) identifies this format
    has_one_answer   whether a row holds one answer, so that a study with several questions needs another format
    package          the package that adds it; None for fewlabels itself
    """

    name: str
    endings: tuple[str, ...]
    write: Callable[[Batched, str], str]
    read: Callable[[Path, FileReading], Found]
    is_marked: Callable[[Mapping[str, Any]], bool] = never
    has_one_answer: bool = False
    package: str | None = None

    def __post_init__(self) -> None:
        """Check that the format has a file suffix."""
        if not self.endings or not all(ending.startswith(".") for ending in self.endings):
            raise LabelError(
                f"a format must have file endings such as .csv, but {self.name} has {list(self.endings)}: name them with the dot"
            )
