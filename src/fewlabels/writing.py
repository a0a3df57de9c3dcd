"""Atomic file writes: a reader sees the old file or the complete new one, whenever the process dies."""

import os
from contextlib import suppress
from pathlib import Path

from fewlabels.errors import FileError


def write_whole(path: Path, text: str) -> None:
    """Write a file completely or not at all; newlines are not translated."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with draft.open("w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        with suppress(OSError):
            draft.unlink()
        raise FileError(f"{path} cannot be written ({error.strerror}): check its folder, or name another file") from None
