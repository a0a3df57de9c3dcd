"""Small files: read up to a limit, and written so that a reader sees the old one or the complete new one, whenever the process dies."""

import os
from contextlib import suppress
from pathlib import Path

from fewlabels.errors import FileError

LONGEST = 1_000_000  # bytes of a file that people write by hand


def read_small(path: Path) -> bytes:
    """Return the bytes of a file that people write by hand; raise FileError if it is longer than that, or has no end. OSError passes."""
    with path.open("rb") as file:
        found = file.read(LONGEST + 1)
    if len(found) > LONGEST:
        raise FileError(f"a file written by hand can have at most {LONGEST:,} bytes, but {path} has more: name the right one")
    return found


def write_whole(path: Path, text: str | bytes) -> None:
    """Write a file completely or not at all; newlines are not translated."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with draft.open("wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        with suppress(OSError):
            draft.unlink()
        raise FileError(f"{path} cannot be written ({error.strerror}): check its folder, or name another file") from None
