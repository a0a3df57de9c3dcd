"""The folders and tables below the server's data folder, as they are chosen for a new study."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit, urlunsplit

from fewlabels.errors import PopulationError
from fewlabels.service.settings import Settings
from fewlabels.service.sources import is_plain
from fewlabels.service.uploads import FOLDER

MOST_SHOWN = 1_000
KINDS = {
    "Parquet": (".parquet", ".pq", ".parq"),
    "CSV": (".csv", ".tsv", ".csv.gz", ".tsv.gz", ".csv.zst", ".tsv.zst"),
    "Excel": (".xlsx",),
}


class FileFound(NamedTuple):
    """A table in a folder: its path below the data folder, its kind, its size, and when it was changed."""

    name: str
    source: str
    kind: str
    bytes: int
    at: float


class FolderFound(NamedTuple):
    """A folder: its folders by name, and its tables; `more` if there are more than are listed."""

    folder: str
    folders: tuple[str, ...]
    files: tuple[FileFound, ...]
    more: bool


def list_folder(folder: str, settings: Settings) -> FolderFound:
    """Return what is in a folder below the data folder; raise PopulationError for any other. Nothing hidden is shown."""
    data = settings.data.resolve()
    path = _inside(data / folder, data) if not folder or is_plain(folder) else None
    if path is None or not path.is_dir():
        raise PopulationError(f"a folder must lie below the server's data folder, but {folder!r} does not: choose one that is listed")
    found = sorted(_entries(path, data), key=lambda one: one.name.casefold())
    tables = tuple(file for one in found[:MOST_SHOWN] if (file := _table(one, data)) is not None)
    folders = tuple(one.name for one in found[:MOST_SHOWN] if one.is_dir() and one != data / FOLDER)
    return FolderFound("" if path == data else path.relative_to(data).as_posix(), folders, tables, len(found) > MOST_SHOWN)


def kind_of(name: str) -> str | None:
    """Return the kind of a table by its file's name; None for any other file."""
    return next((kind for kind, endings in KINDS.items() if name.lower().endswith(endings)), None)


def allowed_prefixes(settings: Settings) -> list[str]:
    """Return the other sources that are allowed, without names of users and passwords, which the server knows."""
    return [_without_user(source) for source in settings.sources]


def _without_user(source: str) -> str:
    try:
        parts = urlsplit(source)
    except ValueError:
        return ""
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2])) if "://" in source else source


def _entries(path: Path, data: Path) -> Iterator[Path]:
    """Yield what a folder holds that may be shown."""
    try:
        for one in path.iterdir():
            if not one.name.startswith((".", "_")) and is_plain(one.name) and _inside(one, data) is not None:
                yield one
    except OSError as error:
        raise PopulationError(f"the folder {path.name!r} cannot be read ({error.strerror}): ask who runs the server") from None


def _inside(path: Path, data: Path) -> Path | None:
    """Return the path behind links if it lies below the data folder, or is it; else None."""
    try:
        found = path.resolve(strict=True)
    except (OSError, RuntimeError, ValueError):
        return None
    return found if found.is_relative_to(data) else None


def _table(path: Path, data: Path) -> FileFound | None:
    kind = kind_of(path.name)
    try:
        if kind is None or not path.is_file():
            return None
        known = path.stat()
    except OSError:
        return None
    return FileFound(path.name, path.relative_to(data).as_posix(), kind, known.st_size, known.st_mtime)
