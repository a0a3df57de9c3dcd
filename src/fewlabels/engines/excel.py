"""Excel files (.xlsx): the names of their sheets, and one sheet written as Parquet, since no engine reads Excel.

An .xlsx is a zip archive of XML, so what it unpacks to is bounded before anything is read; docs/decisions/0023-uploads.md has the reasons.
"""

import importlib.util
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import date, datetime, time
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

from fewlabels.engines.duckdb import parquet_of_texts
from fewlabels.engines.opening import missing_extra
from fewlabels.errors import PopulationError

MOST_UNPACKED = 2_000_000_000  # bytes of all parts; sheets are streamed
MOST_HELD = 250_000_000  # bytes of the parts that are held in memory, such as shared texts
MOST_MANIFEST = 5_000_000
MOST_PARTS = 5_000
MOST_COLUMNS = 1_000
MOST_ROWS = 1_048_576  # what Excel itself can hold
MANIFEST = "[Content_Types].xml"
WORKSHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"
EXACT = 2**53  # whole numbers beyond it were rounded by Excel


class SheetOfFile(NamedTuple):
    """A sheet to read: its file and its name; None for the first."""

    path: Path
    sheet: str | None = None


def is_excel(name: str) -> bool:
    """Return whether a file is an Excel file by its name."""
    return name.lower().endswith(".xlsx")


def sheets_of(path: Path) -> tuple[str, ...]:
    """Return the names of the sheets that hold cells, in order; raise PopulationError for a file that cannot be read."""
    with _opened(path) as book:
        return tuple(sheet.title for sheet in book.worksheets)


def write_sheet(chosen: SheetOfFile, target: Path) -> None:
    """Write one sheet as Parquet: its first row has the names of the columns. Raise PopulationError if that cannot be done."""
    texts = target.with_name(f"{target.name}.csv")
    try:
        with _opened(chosen.path) as book:
            sheet = _sheet_named(book, chosen)
            sheet.reset_dimensions()  # what the file says of its size is not to be trusted
            rows = _bounded(sheet.iter_rows(values_only=True), chosen.path.name)
            types = _write_texts(rows, texts, chosen)
        parquet_of_texts(texts, target, types)
    finally:
        with suppress(FileNotFoundError):
            texts.unlink()


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """Open an Excel file to read its values, once it is known what it unpacks to."""
    if importlib.util.find_spec("openpyxl") is None:
        missing_extra("reading Excel files", package="openpyxl", extra="excel")
    from openpyxl import load_workbook

    _refuse_large(path)
    book = None
    try:
        book = load_workbook(path, read_only=True, data_only=True, keep_links=False)
        yield book
    except PopulationError:
        raise
    except Exception as error:  # openpyxl raises whatever its reading of the XML runs into
        raise PopulationError(
            f"{path.name!r} cannot be read as an Excel file ({type(error).__name__}): save it again, or save it as CSV"
        ) from None
    finally:
        if book is not None:
            book.close()


def _refuse_large(path: Path) -> None:
    """Raise PopulationError for a file that is no archive, or unpacks to more than is read. No more is unpacked than the archive says."""
    try:
        with zipfile.ZipFile(path) as archive:
            parts = archive.infolist()
            streamed = _streamed(archive) if len(parts) <= MOST_PARTS else frozenset[str]()
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, KeyError, ValueError, ElementTree.ParseError, NotImplementedError):
        raise PopulationError(f"{path.name!r} is not an Excel file, although it is named so: save it again, or save it as CSV") from None
    held = sum(part.file_size for part in parts if part.filename not in streamed)
    if len(parts) > MOST_PARTS or held > MOST_HELD or sum(part.file_size for part in parts) > MOST_UNPACKED:
        raise PopulationError(
            f"an Excel file may unpack to {MOST_UNPACKED:,} bytes in {MOST_PARTS:,} parts, {MOST_HELD:,} of them beside the cells, but "
            f"{path.name!r} holds more: save the sheet as CSV"
        )


def _streamed(archive: zipfile.ZipFile) -> frozenset[str]:
    """Return the parts that are read cell by cell: those that the archive declares to be sheets, and nothing else."""
    if archive.getinfo(MANIFEST).file_size > MOST_MANIFEST:
        raise ValueError(MANIFEST)
    kinds: dict[str, set[str]] = {}
    for one in ElementTree.fromstring(archive.read(MANIFEST)):
        if (name := one.get("PartName")) is not None:
            kinds.setdefault(name.lstrip("/"), set()).add(one.get("ContentType", ""))
    return frozenset(name for name, kind in kinds.items() if kind == {WORKSHEET})


def _sheet_named(book: Any, chosen: SheetOfFile) -> Any:
    for sheet in book.worksheets:
        if chosen.sheet in (None, sheet.title):
            return sheet
    names = ", ".join(repr(sheet.title) for sheet in book.worksheets) or "none"
    raise PopulationError(f"{chosen.path.name!r} has no sheet {chosen.sheet!r}: it has {names}")


def _bounded(rows: Iterable[Sequence[object]], name: str) -> Iterator[Sequence[object]]:
    """Yield the rows that hold anything; raise PopulationError beyond what a sheet can hold."""
    for i, row in enumerate(rows):
        if len(row) > MOST_COLUMNS or i >= MOST_ROWS:
            raise PopulationError(
                f"a sheet is read up to {MOST_ROWS:,} rows and {MOST_COLUMNS:,} columns, but {name!r} has more: save it as CSV, or remove "
                "what is not part of the table"
            )
        if any(cell is not None for cell in row):
            yield row


def _write_texts(rows: Iterator[Sequence[object]], target: Path, chosen: SheetOfFile) -> dict[str, str]:
    """Write a sheet as CSV, with every value in quotation marks and nulls without; return the type of each column."""
    names = _names(next(rows, ()))
    if not names:
        raise PopulationError(f"a sheet needs the names of its columns in its first row, but {chosen.path.name!r} has none: add them")
    kinds: list[set[str]] = [set() for _ in names]
    with target.open("w", encoding="utf-8", newline="") as file:
        file.write(_line(names))
        for row in rows:
            if any(cell is not None for cell in row[len(names) :]):
                raise PopulationError(
                    f"every column needs a name in the first row, but {chosen.path.name!r} has a value beyond them: add one"
                )
            cells = [*row[: len(names)], *[None] * (len(names) - len(row))]
            for kind, cell in zip(kinds, cells, strict=True):
                if cell is not None:
                    kind.add(_kind(cell))
            file.write(_line([None if cell is None else _text(cell) for cell in cells]))
    return {name: _type(kind) for name, kind in zip(names, kinds, strict=True)}


def _names(row: Sequence[object]) -> list[str]:
    """Return the names of the columns: those without one are numbered, and so are those of the same name."""
    last = max((i for i, cell in enumerate(row) if cell is not None), default=-1)
    found: list[str] = []
    for i, cell in enumerate(row[: last + 1], start=1):
        name = "" if cell is None else _text(cell).strip()
        name = name or f"column {i}"
        taken = {one.casefold() for one in found}
        free = (name, *(f"{name} {n}" for n in range(2, len(row) + 2)))
        found.append(next(one for one in free if one.casefold() not in taken))
    return found


def _line(cells: Sequence[str | None]) -> str:
    return ",".join("" if cell is None else '"' + cell.replace('"', '""') + '"' for cell in cells) + "\n"


def _text(cell: object) -> str:
    """Return a cell as text: whole numbers without a point, times as ISO writes them."""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < EXACT:
        return str(int(cell))
    if isinstance(cell, datetime) and cell.time() == time():
        return cell.date().isoformat()
    if isinstance(cell, date | time):
        return cell.isoformat()
    return str(cell).replace("\x00", "")


def _kind(cell: object) -> str:
    """Return what kind of value a cell holds."""
    if isinstance(cell, bool):
        return "BOOLEAN"
    if isinstance(cell, int) or (isinstance(cell, float) and cell.is_integer() and abs(cell) < EXACT):
        return "BIGINT" if abs(cell) < EXACT else "DOUBLE"
    return "DOUBLE" if isinstance(cell, float) else "VARCHAR"  # dates, too: as text they are the same on every engine


def _type(kinds: set[str]) -> str:
    """Return the type of a column of such values: text wherever they differ in more than being whole."""
    if len(kinds) == 1:
        return next(iter(kinds))
    return "DOUBLE" if kinds == {"BIGINT", "DOUBLE"} else "VARCHAR"
