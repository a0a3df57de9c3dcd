"""A report as files: report.json first, then what is shown of it."""

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
    """report.json: the same report is the same text."""
    return json.dumps(report, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def refuse_endings(paths: Sequence[Path]) -> None:
    """Nothing comes back. Refuses a file that no report is written as, before anything is read or recorded."""
    for path in paths:
        if path.suffix not in (*SHOWN, DATA):
            known = ", ".join((*SHOWN, DATA))
            raise FileError(f"a report is written as {known}, but got {str(path)!r}: name the file with one of these endings")


def write_report(report: Mapping[str, Json], paths: Sequence[Path]) -> tuple[Path, ...]:
    """Writes the report to these files, each as its ending says; the JSON first, beside the first of them if none is named for it."""
    refuse_endings(paths)
    data = [path for path in paths if path.suffix == DATA] or [path.with_suffix(DATA) for path in paths[:1]]
    texts = {path: json_text(report) for path in data}
    texts |= {path: SHOWN[path.suffix](report) for path in paths if path.suffix in SHOWN}
    for path, text in texts.items():
        write_whole(path, text)
    return tuple(texts)


def show_held(report: Mapping[str, Json], paths: Sequence[Path]) -> tuple[Path, ...]:
    """The same for a report that was read from a file. Refuses what does not have the shape of one, and writes nothing then."""
    try:
        return write_report(report, paths)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, RecursionError) as error:
        raise FileError(
            f"this report.json has not the shape of one ({type(error).__name__}: {error!s:.80}): name a file as fewlabels report wrote it"
        ) from None


def read_report(path: Path) -> dict[str, Json]:
    """A report.json that was written before. Refuses what is none, or of a later version."""
    try:
        held: Any = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise FileError(f"{path} cannot be read as report.json ({error}): name the file that fewlabels report wrote") from None
    if not isinstance(held, dict) or held.get("format") != FORMAT:
        raise FileError(f"{path} is no report of fewlabels, its format is not {FORMAT!r}: name the file that fewlabels report wrote")
    if held.get("version") != FORMAT_VERSION:
        raise FileError(
            f"this fewlabels reads reports of version {FORMAT_VERSION}, but {path} has {held.get('version')}: use the fewlabels that "
            f"wrote it"
        )
    return held
