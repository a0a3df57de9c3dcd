"""Runs one page word for word, in the current folder: `python run_page.py PAGE [FOLDER]`, with the commands of FOLDER if it is given.

Every bash, console and python block in order; the python blocks of a page share their names, as in one session. A block is left out
only if the line before it is <!-- not run: reason -->. A ```text block is what the block before it printed: its first line must come up
there, numbers aside, unless the line before it is <!-- varies -->.
"""

import contextlib
import io
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

RUN = frozenset({"bash", "console", "python"})
FENCE = re.compile(r"^```(\w*)\s*$")
MARK = re.compile(r"^<!-- (not run: \S.*|varies) -->$")


class Block(NamedTuple):
    """A fenced block: its language, its text, the line it starts on, and the mark before it ("" if there is none)."""

    language: str
    text: str
    line: int
    mark: str


def blocks(page: str) -> Iterator[Block]:
    """The fenced blocks of a page."""
    lines = page.splitlines()
    at = 0
    while at < len(lines):
        fence = FENCE.match(lines[at])
        if fence:
            end = lines.index("```", at + 1)
            mark = MARK.match(lines[at - 1]) if at else None
            yield Block(fence[1], "\n".join(lines[at + 1 : end]) + "\n", at + 1, mark[1] if mark else "")
            at = end
        at += 1


def commands(block: Block) -> str:
    """What to run: the block itself; of a console block the lines after "$ "."""
    if block.language != "console":
        return block.text
    return "".join(line[2:] + "\n" for line in block.text.splitlines() if line.startswith("$ "))


def shape(line: str) -> str:
    """A printed line without its numbers and blanks, which depend on the salt."""
    return re.sub(r"\s+", " ", re.sub(r"\d[\d.,]*", "#", line)).strip()


def run_shell(text: str, *, commands_of: str = "") -> str:
    """What the commands print, looked for first in a folder if one is named. Fails with all of it if one of them fails."""
    path = os.pathsep.join([*([commands_of] if commands_of else []), str(Path(sys.executable).parent), os.environ["PATH"]])
    env = {**{k: v for k, v in os.environ.items() if not k.startswith("FEWLABELS_")}, "PATH": path}
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", text], env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"exit code {done.returncode} of\n{text}\n{done.stdout}\n{done.stderr}"
    return done.stdout + done.stderr


def run_python(block: Block, page: str, names: dict[str, Any]) -> str:
    """What the block prints."""
    shown = io.StringIO()
    code = compile("\n" * block.line + block.text, page, "exec")  # so that a traceback names the page's line
    with contextlib.redirect_stdout(shown), contextlib.redirect_stderr(shown):
        exec(code, names)
    return shown.getvalue()


def run_page(page: Path, *, commands_of: str = "") -> int:
    """How many blocks were run. Fails with the first that does."""
    names: dict[str, Any] = {"__name__": "__main__"}
    printed, ran = "", 0
    for block in blocks(page.read_text()):
        if block.language in RUN and not block.mark:
            ran += 1
            printed = (
                run_python(block, str(page), names) if block.language == "python" else run_shell(commands(block), commands_of=commands_of)
            )
        elif block.language == "text" and not block.mark:
            first = block.text.splitlines()[0]
            assert shape(first) in {shape(line) for line in printed.splitlines()}, (
                f"line {block.line}: {first!r} was not printed:\n{printed}"
            )
    return ran


if __name__ == "__main__":
    assert run_page(Path(sys.argv[1]), commands_of="".join(sys.argv[2:])), "the page has nothing to run"
