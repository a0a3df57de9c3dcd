"""Rows of a long benchmark in a file, each written as soon as it is made, so that a run that was stopped goes on."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar


class Named(Protocol):
    """A named tuple."""

    def _asdict(self) -> dict[str, Any]: ...


Row = TypeVar("Row", bound=Named)


class Kept(Generic[Row]):
    """Named tuples of one kind, one a line."""

    def __init__(self, path: Path, kind: Callable[..., Row]) -> None:
        """Read what is there."""
        self._path = path
        lines = path.read_text().splitlines() if path.exists() else []
        self.rows = [kind(**json.loads(line)) for line in lines]

    def add(self, rows: Sequence[Row]) -> None:
        """Write more."""
        self.rows += rows
        with self._path.open("a") as out:
            out.writelines(json.dumps(row._asdict()) + "\n" for row in rows)
