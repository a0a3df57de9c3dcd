"""Tables with one JSON object a line: lines:PATH."""

import json
from pathlib import Path

from fewlabels.engines.memory import MemoryEngine
from fewlabels.engines.opening import EngineKind
from fewlabels.errors import PopulationError
from fewlabels.nouns.population import Population


def columns_of(path: Path) -> dict[str, list[object]]:
    """The columns of a file of objects."""
    try:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, ValueError) as error:
        raise PopulationError(f"{path} is not a file with one JSON object a line ({error}): check the path") from None
    return {name: [row.get(name) for row in rows] for name in dict.fromkeys(name for row in rows for name in row)}


def open_lines(population: Population) -> MemoryEngine:
    """The file, read into memory and judged by the reference engine."""
    return MemoryEngine(population, columns_of(Path(population.source.removeprefix("lines:"))))


LINES = EngineKind(name="lines", open=open_lines)
