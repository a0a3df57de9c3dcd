"""Tables that owners upload: files below `uploads` in the server's data folder, which stay until somebody deletes them.

A file arrives under a name that no list shows, is read as a table, and only then gets its name, which no other file has.
"""

import hashlib
import logging
import os
import re
import secrets
import unicodedata
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from starlette.concurrency import run_in_threadpool

from fewlabels.engines.encodings import encoding_of, write_utf8
from fewlabels.engines.excel import SheetOfFile, is_excel, sheets_of, write_sheet
from fewlabels.errors import FewlabelsError, PopulationError, StudyError
from fewlabels.ledgers.database import Database
from fewlabels.service.settings import Settings
from fewlabels.study.population.preview import check_table

log = logging.getLogger("fewlabels.service")
FOLDER, SHEETS = "uploads", "sheets"
ARRIVING = ".arriving-"
ENDINGS = (".csv", ".tsv", ".parquet", ".xlsx")
LONGEST_NAME = 100  # bytes, without its ending
MOST_ALIKE = 1_000  # uploads of one name
DAY = 86_400.0
FORGOTTEN = 3_600.0  # seconds after which what arrives has been given up
_ODD = re.compile(r"[^\w.() -]+")


class Upload(NamedTuple):
    """An uploaded file, and the studies that read it."""

    name: str
    bytes: int
    at: float
    studies: tuple[str, ...]


class Kept(NamedTuple):
    """An upload that was kept: its name, and how it was changed; None if it is kept as it came."""

    name: str
    changed: str | None


def cleaned(name: str) -> str:
    r"""Return the name that a file gets here; raise PopulationError for one of a kind that is not read.

    Examples:
        >>> cleaned("../../etc/My scores*.CSV"), cleaned("C:\\data\\.hidden.parquet")
        ('My scores.csv', 'hidden.parquet')
    """
    last = unicodedata.normalize("NFC", name.replace("\\", "/").rpartition("/")[2])
    ending = next((one for one in ENDINGS if last.lower().endswith(one)), None)
    if ending is None:
        raise PopulationError(f"a file to upload is a table ({', '.join(ENDINGS)}), got {last[:LONGEST_NAME]!r}: save it as one of these")
    stem = _ODD.sub("-", last[: -len(ending)]).strip(" ._-") or "table"
    return _short(stem) + ending


def folder_of(settings: Settings) -> Path:
    """Return the folder of uploads; raise PopulationError if it leads out of the data folder."""
    data = settings.data.resolve()
    found = data / FOLDER
    if found.resolve() != found:
        raise PopulationError(f"uploads are kept in the folder {FOLDER!r} below the data folder, but it is a link: make it a folder")
    return found


async def arrive(parts: AsyncIterator[bytes], settings: Settings, *, name: str) -> Path:
    """Write the parts of a file to disk as they come; return where it waits to be read."""
    with _disk():
        folder_of(settings).mkdir(exist_ok=True)
    path = _waiting(settings, name)
    try:
        with _disk(), path.open("xb") as file:
            async for part in parts:
                await run_in_threadpool(file.write, part)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return path


def keep(path: Path, settings: Settings, *, name: str) -> Kept:
    """Return the upload under its own name, once it was read as a table; raise PopulationError, and delete it, if that is not possible."""
    sheet = path.with_name(f"{path.name}.parquet")
    try:
        with _disk():
            changed = None if name.endswith((".parquet", ".xlsx")) else _in_utf8(path)
            _read_as_table(path, sheet, name=name)
            found = _named(path, settings, name)
            if sheet.exists():
                target = sheet_file(SheetOfFile(found), settings)
                target.parent.mkdir(exist_ok=True)
                sheet.replace(target)
    finally:
        for left in (path, sheet):
            left.unlink(missing_ok=True)
    return Kept(found.name, changed)


def sheet_as_table(chosen: SheetOfFile, settings: Settings) -> Path:
    """Return one sheet of an Excel file as Parquet, written the first time it is asked for."""
    target = sheet_file(chosen, settings)
    if target.exists():
        return target
    waiting = _waiting(settings, "sheet.parquet")
    with _disk():
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            write_sheet(chosen, waiting)
            waiting.replace(target)
        finally:
            waiting.unlink(missing_ok=True)
    return target


def sheet_file(chosen: SheetOfFile, settings: Settings) -> Path:
    """Return where a sheet is written as Parquet: another place for another version of its file."""
    sheet = chosen.sheet or sheets_of(chosen.path)[0]
    known = chosen.path.stat()
    version = _digest(f"{known.st_size} {known.st_mtime_ns} {sheet}")
    words = _short(_ODD.sub("-", f"{chosen.path.stem}-{sheet}").strip(" ._-"))
    return folder_of(settings) / SHEETS / f"{_digest(str(chosen.path))}-{words}-{version}.parquet"


def uploads(settings: Settings, ledger: Database) -> list[Upload]:
    """Return every upload by name, with the studies that read it."""
    folder, read = folder_of(settings), _read_by(ledger)
    files = (path for path in folder.iterdir() if _is_upload(path)) if folder.is_dir() else ()
    found = []
    for path in sorted(files, key=lambda one: one.name):
        with suppress(FileNotFoundError):  # deleted meanwhile
            known = path.stat()
            found.append(Upload(path.name, known.st_size, known.st_mtime, _readers(path, settings, read)))
    return found


def delete(settings: Settings, ledger: Database, name: str, *, although_read: bool = False) -> bool:
    """Delete an upload, with what was written from it; return whether there was one. Raise StudyError while studies read it."""
    path = folder_of(settings) / name
    if not _is_plain(name) or not _is_upload(path):
        return False
    studies = _readers(path, settings, _read_by(ledger))
    if studies and not although_read:
        raise StudyError(
            f"{name!r} is the table of {', '.join(studies)}, which cannot show texts to labelers, grow or be recomputed without it: keep "
            "it, or delete it all the same"
        )
    for one in (*_sheets_of(path, settings), path):
        one.unlink(missing_ok=True)
    return True


def sweep(settings: Settings, ledger: Database, *, now: float) -> list[str]:
    """Delete what was given up while it arrived and, if uploads are kept for a time, those past it that no study reads; return these."""
    folder = folder_of(settings)
    for left in folder.glob(f"{ARRIVING}*"):
        if now - left.stat().st_mtime > FORGOTTEN:
            left.unlink(missing_ok=True)
    if settings.upload_days is None:
        return []
    old = [one.name for one in uploads(settings, ledger) if not one.studies and now - one.at > settings.upload_days * DAY]
    for name in old:
        delete(settings, ledger, name)
        log.warning("the upload %s is older than %g days, no study reads it, and it was deleted", name, settings.upload_days)
    return old


@contextmanager
def _disk() -> Iterator[None]:
    """Turn errors of the disk into words."""
    try:
        yield
    except OSError as error:
        raise PopulationError(f"the server cannot write the file ({error.strerror}): make room, or choose a smaller one") from None


def _waiting(settings: Settings, name: str) -> Path:
    """Return a path for a file that arrives; its ending says how it is read."""
    return folder_of(settings) / f"{ARRIVING}{secrets.token_hex(8)}{PurePosixPath(name).suffix}"


def _in_utf8(path: Path) -> str | None:
    """Write a text file again in UTF-8 if it is in another encoding; return what was done."""
    encoding = encoding_of(path)
    if encoding in ("utf-8", "utf-8-sig"):
        return None
    written = path.with_name(f"{path.name}.utf8")
    try:
        write_utf8(path, written, encoding=encoding)
        written.replace(path)
    except UnicodeError:
        raise PopulationError("a text file needs one encoding, but this one begins as UTF-16 and is not: save it as UTF-8") from None
    finally:
        written.unlink(missing_ok=True)
    return f"It was in {encoding.upper().replace('CP', 'Windows-')} and is kept in UTF-8."


def _read_as_table(path: Path, sheet: Path, *, name: str) -> None:
    """Raise PopulationError, which says why, unless a file can be read as a table; the first sheet of an Excel file is written."""
    try:
        if is_excel(name):
            write_sheet(SheetOfFile(path), sheet)
        check_table(str(sheet if is_excel(name) else path))
    except FewlabelsError as error:
        why = str(error).replace(str(sheet), name).replace(str(path), name).replace(path.name, name)
        raise PopulationError(f"{name!r} cannot be read as a table and was not kept: {why}") from None


def _named(path: Path, settings: Settings, name: str) -> Path:
    """Give a file its name, or the next one that is free; another file is never overwritten."""
    stem, ending = PurePosixPath(name).stem, PurePosixPath(name).suffix
    for number in range(1, MOST_ALIKE):
        target = folder_of(settings) / (name if number == 1 else f"{stem}-{number}{ending}")
        try:
            target.open("xb").close()
        except FileExistsError:
            continue
        os.replace(path, target)
        return target
    raise PopulationError(f"at most {MOST_ALIKE:,} uploads have one name, and {name!r} has as many: delete some, or rename it")


def _is_plain(name: str) -> bool:
    return bool(name) and "/" not in name and "\x00" not in name and not name.startswith(".")


def _is_upload(path: Path) -> bool:
    try:
        return _is_plain(path.name) and path.is_file() and not path.is_symlink()
    except (OSError, ValueError):  # a name that no file can have
        return False


def _short(name: str) -> str:
    """Return a name that every file system takes."""
    return name.encode()[:LONGEST_NAME].decode(errors="ignore").rstrip(" .")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:10]


def _sheets_of(path: Path, settings: Settings) -> Sequence[Path]:
    """Return what was written from the sheets of a file."""
    return sorted((folder_of(settings) / SHEETS).glob(f"{_digest(str(path))}-*.parquet"))


def _read_by(ledger: Database) -> Mapping[str, str]:
    """Return the source of every study."""
    found = {}
    for name in ledger.studies():
        for entry in ledger.notable(name, "population")[:1]:
            found[name] = str(entry.body["population"]["source"])
    return found


def _readers(path: Path, settings: Settings, read: Mapping[str, str]) -> tuple[str, ...]:
    """Return the studies whose table is this file, a sheet of it, or a folder or pattern that holds it."""
    files = [str(one) for one in (path, *_sheets_of(path, settings))]
    return tuple(name for name, source in sorted(read.items()) if any(_holds(source, file) for file in files))


def _holds(source: str, file: str) -> bool:
    return source == file or file.startswith(f"{source.rstrip('/')}/") or fnmatch(file, source)
