"""Rows of a long study, kept one by one: a run that was stopped goes on where it was."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeAlias

Value: TypeAlias = str | int | float | list[float] | None
Row: TypeAlias = dict[str, Value]


class Store:
    """Rows by section and name in a file of lines; only those of the same number of paths and seed count."""

    def __init__(self, path: Path, *, paths: int, seed: int) -> None:
        """Reads what is there."""
        self.path, self.stamp = path, {"paths": paths, "seed": seed}
        lines = path.read_text().splitlines() if path.exists() else []
        kept = [line for line in map(json.loads, lines) if line["stamp"] == self.stamp]
        self.rows: dict[tuple[str, str], Row] = {(line["section"], line["name"]): line["row"] for line in kept}

    def fill(self, section: str, wanted: Iterable[tuple[str, Callable[[], Row]]]) -> None:
        """Makes the rows of a section that are not there yet."""
        for name, make in wanted:
            if (section, name) in self.rows:
                continue
            row = make()
            self.rows[section, name] = row
            with self.path.open("a") as file:
                file.write(json.dumps({"section": section, "name": name, "row": row, "stamp": self.stamp}) + "\n")
            print(section, name, row, flush=True)

    def section(self, section: str) -> dict[str, Row]:
        """The rows of a section by name, in the order they were made."""
        return {name: row for (of, name), row in self.rows.items() if of == section}
