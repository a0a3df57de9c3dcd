"""Ballots: a line a unit, `[ ] "id" | what is shown`, and the answer is written between the brackets."""

import json
import re
from pathlib import Path

from fewlabels.labeling.base import Batched, FileReading, Format
from fewlabels.labeling.flat import add_answer, read_text
from fewlabels.labeling.found import Found, Refused
from fewlabels.nouns.label import Label

LINE = re.compile(r'\[(?P<answer>[^\]]*)\] (?P<unit>"(?:[^"\\]|\\.)*")')


def write(batch: Batched, suffix: str) -> str:
    """The batch, nothing answered yet."""
    shown = (" ".join(f"{row.get(column) or ''}".replace("\n", " ") for column in batch.columns) for row in batch.shown)
    return "".join(f"[ ] {json.dumps(unit)} | {text}\n" for unit, text in zip(batch.units, shown, strict=True))


def read(path: Path, how: FileReading) -> Found:
    """The answers of the lines that have one."""
    found, blank = Found([], [], place="line"), 0
    for row, line in enumerate(read_text(path).splitlines(), start=1):
        told = LINE.match(line)
        if told is None:
            found.refused.append(Refused(None, "the line is no ballot", f"line {row}"))
        elif not told["answer"].strip():
            blank += 1
        else:
            unit, question = json.loads(told["unit"]), next(iter(how.asked.columns))
            base = Label(unit=unit, answer="skipped", labeler=how.labeler or "anonymous", question=question, row=row)
            add_answer(found, base, told["answer"].strip(), how.asked.classes)
    return found._replace(blank=blank)


BALLOT = Format(name="ballot", endings=(".ballot",), write=write, read=read, has_one_answer=True)
