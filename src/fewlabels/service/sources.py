"""Which tables a study may be made from in the browser: those below one folder, and sources allowed by their prefix."""

from pathlib import Path

from fewlabels.errors import PopulationError
from fewlabels.service.settings import Settings

GLOB = frozenset("*?[")
MOST_FILES = 10_000


def allowed_source(source: str, settings: Settings) -> str:
    """Return the source as fewlabels may open it; raise PopulationError if it lies elsewhere after resolving links and dots."""
    if any(prefix and source.startswith(prefix) for prefix in settings.sources):
        return source
    folder = settings.data.resolve()
    found = _below(folder / source, folder) if not GLOB & set(source) and "://" not in source else None
    if found is None or not all(_below(file, folder) for file in _files(found)):
        raise PopulationError(
            f"a table must be a file or folder below the server's data folder, but {source!r} is not: put it there, or start the server "
            "with --data or --allow-source"
        )
    return str(found)


def _below(path: Path, folder: Path) -> Path | None:
    """Return the resolved path if it exists and lies below the folder, else None."""
    try:
        resolved = path.resolve(strict=True)
    except (OSError, RuntimeError, ValueError):  # missing, a loop of links, or not a path
        return None
    return resolved if resolved != folder and resolved.is_relative_to(folder) else None


def _files(path: Path) -> list[Path]:
    """Return the files of a folder that is a table, none for a file; raise PopulationError if there are too many."""
    found = list(path.rglob("*")) if path.is_dir() else []
    if len(found) > MOST_FILES:
        raise PopulationError(f"a folder that is a table can hold at most {MOST_FILES:,} files here, but this one has {len(found):,}")
    return found
