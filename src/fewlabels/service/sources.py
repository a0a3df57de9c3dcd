"""Which tables a study may be made from in the browser: those below one folder, and those the owner of the server has allowed.

A source is parsed and compared part by part, never as text: of an address the scheme, host, port, user, database or path and parameters; of
a file the real path behind links and dots. An address may carry no parameter that the allowed one does not carry: some of them, such as
`host` in PostgreSQL's, lead to another server.
"""

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from fewlabels.engines.opening import ADDRESS
from fewlabels.errors import PopulationError
from fewlabels.service.settings import Settings

GLOB = frozenset("*?[")
MOST_FILES = 10_000
PORTS = {"postgresql": 5432, "https": 443, "http": 80}
_UNCLEAR = re.compile(r"[\x00-\x20\x7f\\]")  # urlsplit drops some of these, and programs do not agree on the others
_NAMES = re.compile(r"[\w.=/-]*")  # of a table or a path behind NAME:, inserted into SQL as it is


class SourceAddress(NamedTuple):
    """The parts of a URL that decide what is read, and by whom."""

    scheme: str
    host: str
    port: int | None
    user: str | None
    password: str | None
    path: tuple[str, ...]
    query: str
    fragment: str


def allowed_source(source: str, settings: Settings) -> str:
    """Return the source as fewlabels may open it; raise PopulationError if it is neither below the data folder nor allowed."""
    folder = settings.data.resolve()
    found = _below(folder / source, folder) if is_plain(source) else None
    found = None if found == str(folder) else found
    for allowed in settings.sources:
        found = found or _within(source, allowed)
    if found is None:
        raise PopulationError(
            f"a table must be a file or folder below the server's data folder, or a source that is allowed, but {source!r} is neither: put "
            "it there, or start the server with --data or --allow-source"
        )
    return found


def is_plain(source: str) -> bool:
    """Return whether a source is the path of one file or folder: no address, no glob."""
    return bool(source) and not GLOB & set(source) and "://" not in source and "\x00" not in source


def _within(source: str, allowed: str) -> str | None:
    """Return the source as it may be opened if it is, or lies below, the one that is allowed; else None."""
    if "://" in allowed:
        place, limit = read_address(source), read_address(allowed)
        return source if place is not None and limit is not None and _is_below(place, limit) else None
    if ADDRESS.match(allowed) and not Path(allowed).exists():
        return source if _is_named_below(source, allowed) else None
    return _below(Path(source), Path(allowed).expanduser().resolve()) if allowed and is_plain(source) else None


def read_address(text: str) -> SourceAddress | None:
    """Return the parts of a URL; None if it is none, or programs could disagree on what it means."""
    if "://" not in text or _UNCLEAR.search(text):
        return None
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:  # a port that is no number, an unclosed bracket
        return None
    if not text.startswith(f"{parts.scheme}://"):  # libpq knows its schemes in lower case alone, and reads anything else as parameters
        return None
    scheme = "postgresql" if parts.scheme == "postgres" else parts.scheme
    written = unquote(parts.path)
    path = tuple(written.split("/")[1:])
    if "%" in written or _UNCLEAR.search(written) or {".", ".."} & set(path):
        return None
    return SourceAddress(
        scheme, parts.hostname or "", port or PORTS.get(scheme), parts.username, parts.password, path, parts.query, parts.fragment
    )


def _is_below(place: SourceAddress, limit: SourceAddress) -> bool:
    """Return whether an address reads nothing but what the allowed one names, as nobody but its user."""
    if place[:3] != limit[:3] or place.query != limit.query:
        return False
    if (place.user, place.password) not in ((None, None), (limit.user, limit.password)):
        return False
    if limit.fragment and not _is_part_of(place.fragment, limit.fragment):
        return False
    inside = limit.path[:-1] if limit.path and limit.path[-1] == "" else limit.path
    return place.path[: len(inside)] == inside


def _is_named_below(source: str, allowed: str) -> bool:
    """Return whether NAME:REST is what is allowed, or a table or path below it; REST becomes a part of SQL, so it must be names."""
    return _NAMES.fullmatch(source.partition(":")[2]) is not None and ".." not in source and _is_part_of(source, allowed)


def _is_part_of(name: str, allowed: str) -> bool:
    """Return whether a name is the allowed one, or continues it after its last separator."""
    if name == allowed:
        return True
    return allowed.endswith((".", "/", ":")) and name.startswith(allowed) and _NAMES.fullmatch(name[len(allowed) :]) is not None


def _below(path: Path, folder: Path) -> str | None:
    """Return the resolved path if it exists and it, and every file in it, lies below the folder or is the folder; else None."""
    found = _real(path)
    if found is None or not found.is_relative_to(folder):
        return None
    inside = (_real(file) for file in _files(found))
    return str(found) if all(file is not None and file.is_relative_to(folder) for file in inside) else None


def _real(path: Path) -> Path | None:
    """Return the path behind links and dots; None if there is nothing."""
    try:
        return path.resolve(strict=True)
    except (OSError, RuntimeError, ValueError):  # missing, a loop of links, or not a path
        return None


def _files(path: Path) -> Iterator[Path]:
    """Yield the files of a folder that is a table, none for a file; raise PopulationError if there are too many."""
    found = list(islice(path.rglob("*"), MOST_FILES + 1)) if path.is_dir() else []
    if len(found) > MOST_FILES:
        raise PopulationError(f"a folder that is a table can hold at most {MOST_FILES:,} files here, but {path.name!r} has more")
    yield from found
