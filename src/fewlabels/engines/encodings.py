"""Text files in other encodings than UTF-8, written again in UTF-8: spreadsheets still save CSV in the encoding of their country."""

import codecs
from collections.abc import Callable
from pathlib import Path

CHUNK = 1 << 20
MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
WESTERN = "cp1252"  # what Excel means by CSV in western Europe and America; beside it latin-1, in which every byte is a character


def encoding_of(path: Path) -> str:
    """Return the encoding of a text file: by its mark, else UTF-8 if all of it is, else Windows-1252, else Latin-1."""
    with path.open("rb") as file:
        start = file.read(4)
    for mark, name in MARKS:
        if start.startswith(mark):
            return name
    return next((name for name in ("utf-8", WESTERN) if _decodes(path, name)), "latin-1")


def write_utf8(path: Path, target: Path, *, encoding: str) -> None:
    """Write a text file again in UTF-8, without a mark. Raise UnicodeError if it is not in that encoding."""
    with target.open("w", encoding="utf-8", newline="") as written:
        _read(path, encoding, lambda text: written.write(text))


def _decodes(path: Path, encoding: str) -> bool:
    try:
        _read(path, encoding, lambda text: None)
    except UnicodeError:
        return False
    return True


def _read(path: Path, encoding: str, take: Callable[[str], object]) -> None:
    """Decode a file part by part."""
    decoder = codecs.getincrementaldecoder(encoding)()
    with path.open("rb") as file:
        while part := file.read(CHUNK):
            take(decoder.decode(part))
    take(decoder.decode(b"", final=True))
