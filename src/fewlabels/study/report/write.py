"""Write a report to files: report.json first, then the formats rendered from it."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from fewlabels.errors import FileError
from fewlabels.nouns.canonical import Json
from fewlabels.reports.report_markdown import report_markdown
from fewlabels.reports.report_page import report_page
from fewlabels.reports.report_text import report_text
from fewlabels.study.report.build import FORMAT, FORMAT_VERSION
from fewlabels.writing import write_whole

DATA = ".json"
SHOWN: Mapping[str, Callable[[Mapping[str, Json]], str]] = {".html": report_page, ".md": report_markdown, ".txt": report_text}


def json_text(report: Mapping[str, Json]) -> str:
    """The text of report.json: the same report gives the same text."""
    return json.dumps(report, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def refuse_endings(paths: Sequence[Path]) -> None:
    """Raise FileError for a suffix that reports are not written as, before anything is read or recorded."""
    for path in paths:
        if path.suffix not in (*SHOWN, DATA):
            known = ", ".join((*SHOWN, DATA))
            raise FileError(f"a report must be written as {known}, got {str(path)!r}: name the file with one of these suffixes")


def write_report(report: Mapping[str, Json], paths: Sequence[Path]) -> tuple[Path, ...]:
    """Write the report to these files by their suffix; the JSON first, beside the first of them if no JSON file is named."""
    refuse_endings(paths)
    data = [path for path in paths if path.suffix == DATA] or [path.with_suffix(DATA) for path in paths[:1]]
    texts = {path: json_text(report) for path in data}
    texts |= {path: SHOWN[path.suffix](report) for path in paths if path.suffix in SHOWN}
    for path, text in texts.items():
        write_whole(path, text)
    return tuple(texts)


def show_held(report: Mapping[str, Json], paths: Sequence[Path]) -> tuple[Path, ...]:
    """Write a report that was read from a file. Raise FileError, writing nothing, if it does not have the structure of one."""
    try:
        return write_report(report, paths)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, RecursionError) as error:
        raise FileError(
            f"this report.json does not have the structure of one ({type(error).__name__}: {error!s:.80}): name a file as fewlabels "
            "report wrote it"
        ) from None


def read_report(path: Path) -> dict[str, Json]:
    """Read a report.json. Raise FileError if the file is not one, or has another version."""
    try:
        held: Any = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise FileError(f"{path} cannot be read as report.json ({error}): name the file that fewlabels report wrote") from None
    if not isinstance(held, dict) or held.get("format") != FORMAT:
        raise FileError(f"{path} is not a fewlabels report, its format is not {FORMAT!r}: name the file that fewlabels report wrote")
    if held.get("version") != FORMAT_VERSION:
        raise FileError(
            f"this fewlabels reads reports of version {FORMAT_VERSION}, but {path} has {held.get('version')}: use the fewlabels that "
            "wrote it"
        )
    return held
