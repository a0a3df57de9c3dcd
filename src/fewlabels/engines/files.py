"""Which files a path, glob or folder names, their kind, and the version of each."""

import glob
import hashlib
import itertools
from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from fewlabels.errors import PopulationError
from fewlabels.nouns.profile import SourceFile

FileKind: TypeAlias = Literal["parquet", "csv"]

_PARQUET = (".parquet", ".pq", ".parq")
_CSV = (".csv", ".tsv", ".csv.gz", ".tsv.gz", ".csv.zst", ".tsv.zst")
MOST_ENTRIES = 200_000
_MAGIC = (b"PAR1", b"PARE")  # PARE: the footer is encrypted


class FileSet(NamedTuple):
    """Files of one kind, sorted by path; `partitioned` if folders below the source carry values ("day=2024-01-01")."""

    paths: tuple[Path, ...]
    kind: FileKind
    partitioned: bool


def find_files(source: str) -> FileSet:
    """Return the files of a path, glob or folder; raise PopulationError if it names none, or files of two kinds."""
    path = Path(source).expanduser()
    if not source:
        raise PopulationError("a population is read from Parquet or CSV files, but the path is empty: name a file, a folder or a glob")
    if path.is_dir():
        base, named = path, [p for p in _walk(path) if not _is_hidden(p.relative_to(path)) and _kind_by_name(p) is not None]
    elif path.is_file():
        base, named = path.parent, [path]
    else:
        base, named = _fixed_part(path), [Path(p) for p in glob.glob(str(path), recursive=True)]
    paths = tuple(sorted((p for p in named if p.is_file()), key=str))
    if not paths:
        raise PopulationError(f"a population is read from Parquet or CSV files, but {source!r} names none: check the path")
    kinds = {_kind(p) for p in paths}
    if len(kinds) > 1:
        raise PopulationError(f"a population's files must be all Parquet or all CSV, but {source!r} names both: narrow it with a glob")
    return FileSet(paths, kinds.pop(), any("=" in part for p in paths for part in p.relative_to(base).parent.parts))


def _walk(folder: Path) -> Iterator[Path]:
    """Yield everything below a folder; raise PopulationError if that is more than any table has, as below the root of a disk."""
    for seen, path in enumerate(folder.rglob("*")):
        if seen >= MOST_ENTRIES:
            raise PopulationError(
                f"a folder that is a table can hold at most {MOST_ENTRIES:,} files and folders, but {str(folder)!r} holds more: name the "
                "table's own folder, or a glob"
            )
        yield path


def versions(files: FileSet) -> tuple[SourceFile, ...]:
    """Return each file's name, size and digest: of its footer for Parquet, of all its bytes for CSV."""
    return tuple(_version(path, files.kind) for path in files.paths)


def footer(path: Path) -> bytes:
    """Return a Parquet file's footer with its length and magic; raise PopulationError if the file is not Parquet or is truncated."""
    with _open(path) as file:
        start = file.read(4)
        size = file.seek(0, 2)
        file.seek(max(0, size - 8))
        tail = file.read(8)
        length = int.from_bytes(tail[:4], "little")
        if size < 12 or start not in _MAGIC or tail[4:] not in _MAGIC or length > size - 12:
            raise PopulationError(f"{str(path)!r} is not a complete Parquet file: write it again, or check what it is")
        file.seek(size - 8 - length)
        return file.read()


def _version(path: Path, kind: FileKind) -> SourceFile:
    if kind == "parquet":
        digest = hashlib.sha256(footer(path)).hexdigest()
    else:
        with _open(path) as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    return SourceFile(path.name, path.stat().st_size, digest, stamp(path))


def stamp(path: Path) -> str:
    """Return a file's path, inode and times of change, without reading it. The path counts because its folders may hold values."""
    try:
        known = path.stat()
    except OSError as error:
        raise PopulationError(f"{str(path)!r} cannot be read ({error.strerror}): check that it is there") from None
    return f"{path} {known.st_ino} {known.st_mtime_ns} {known.st_ctime_ns}"


def _open(path: Path) -> BufferedReader:
    """Open the file to read bytes."""
    try:
        return path.open("rb")
    except OSError as error:
        raise PopulationError(f"{str(path)!r} cannot be opened ({error.strerror}): check that it is there and may be read") from None


def _fixed_part(pattern: Path) -> Path:
    """Return the folder above the first wildcard."""
    parts = list(itertools.takewhile(lambda part: not glob.has_magic(part), pattern.parts))
    return Path(*parts) if len(parts) < len(pattern.parts) else pattern.parent


def _is_hidden(path: Path) -> bool:
    """Return whether any part of the path is a leftover of Spark or others: _SUCCESS, _temporary, .crc files."""
    return any(part.startswith((".", "_")) for part in path.parts)


def _kind_by_name(path: Path) -> FileKind | None:
    name = path.name.lower()
    if name.endswith(_PARQUET):
        return "parquet"
    return "csv" if name.endswith(_CSV) else None


def _kind(path: Path) -> FileKind:
    """Return the kind by name, else by the first bytes; raise PopulationError for anything else."""
    kind = _kind_by_name(path)
    if kind is not None:
        return kind
    with _open(path) as file:
        if file.read(4) in _MAGIC:
            return "parquet"
    raise PopulationError(f"a population is read from Parquet or CSV files, but {str(path)!r} is neither by its name: rename or convert it")
