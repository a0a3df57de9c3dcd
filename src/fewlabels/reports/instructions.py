"""Instructions for labelers: a small part of Markdown as HTML.

Headings, lists, bold, italic, code and links to the web; everything else stays text as it was typed. The result is built as a tree, into
which text can only be added as text, so nothing typed becomes markup. Reading takes time in proportion to the length: every pattern stops
at the character that would begin its next match, and at most three marks are open at once.

Not markdown-it-py: 0.5 MB with its dependency, and a plugin would still have to take HTML, images and addresses away again.
"""

import re
from collections.abc import Iterator, Sequence

from fewlabels.reports.markup import Child, Element, add, tag, written

HEADING = re.compile(r"(#{1,3})[ \t]+(\S.*)")
ITEM = re.compile(r"[ \t]{0,8}(?:([-*])|(\d{1,9})[.)])[ \t]+(\S.*)")
FENCE = "```"
# Code; marks of bold and italic; a link, whose text and address hold no bracket.
PIECE = re.compile(r"`([^`\n]+)`|\*\*|\*|_|\[([^\[\]\n]+)\]\((https?://[^\s()\[\]<>\"]+)\)")
MARKS = {"**": "strong", "*": "em", "_": "em"}


class _Open:
    """A mark that was opened, and what followed it."""

    def __init__(self, mark: str) -> None:
        self.mark = mark
        self.held: list[Child] = []


def instructions(text: str) -> str:
    """Return instructions as HTML."""
    return written(_blocks(text.replace("\r\n", "\n").replace("\r", "\n").split("\n")))


def _blocks(lines: Sequence[str]) -> Iterator[Element]:
    """Yield paragraphs, headings, lists and blocks of code; headings follow that of the page, and leave out no level."""
    level, at = 1, 0
    while at < len(lines):
        line = lines[at]
        end = _end(lines, at)
        if line.startswith(FENCE):
            body = lines[at + 1 : end]
            yield tag("pre", tag("code", "\n".join(body)), dir="auto")
            end += 1  # the closing line
        elif found := HEADING.fullmatch(line):
            level = min(len(found[1]), level) + 1
            yield _told(f"h{level}", found[2].rstrip("# \t") or found[2])
        elif found := ITEM.fullmatch(line):
            items = (ITEM.fullmatch(one) for one in lines[at:end])
            first = found[2] if found[2] and int(found[2]) != 1 else None
            yield tag("ol" if found[2] else "ul", *(_told("li", item[3]) for item in items if item), start=first)
        elif line.strip():
            yield _told("p", "\n".join(lines[at:end]))
        at = end


def _end(lines: Sequence[str], at: int) -> int:
    """Return the line after the block that begins at a line."""
    kind = _kind(lines[at])
    end = at + 1
    if kind == FENCE:
        while end < len(lines) and not lines[end].startswith(FENCE):
            end += 1
    elif kind in ("ul", "ol", "p"):
        while end < len(lines) and _kind(lines[end]) == kind:
            end += 1
    return end


def _kind(line: str) -> str:
    """Return what kind of block a line begins or continues."""
    if line.startswith(FENCE):
        return FENCE
    if HEADING.fullmatch(line):
        return "heading"
    if found := ITEM.fullmatch(line):
        return "ol" if found[2] else "ul"
    return "p" if line.strip() else ""


def _told(kind: str, text: str) -> Element:
    """Return an element with a text whose marks are read. The direction of writing is that of the text."""
    return add(tag(kind, dir="auto"), *_joined(_read(text)))


def _read(text: str) -> list[Child]:
    """Return a text as pieces: plain text, and elements for what is marked; a mark without its pair stays text."""
    stack, at = [_Open("")], 0
    for found in PIECE.finditer(text):
        stack[-1].held.append(text[at : found.start()])
        at = found.end()
        if found[1] is not None:
            stack[-1].held.append(tag("code", found[1]))
        elif found[2] is not None:
            stack[-1].held.append(tag("a", found[2], href=found[3], rel="noreferrer noopener", target="_blank"))
        else:
            _mark(stack, found[0], text[found.start() - 1 : found.start()], text[at : at + 1])
    stack[-1].held.append(text[at:])
    while len(stack) > 1:
        _flatten(stack)
    return stack[0].held


def _mark(stack: list[_Open], mark: str, before: str, after: str) -> None:
    """Read a mark: it closes an open one that it follows without a space, opens one if no space follows, or stays text."""
    is_open = any(one.mark == mark for one in stack)
    inside_word = mark == "_" and before.isalnum() and after.isalnum()
    if is_open and before.strip() and not inside_word:
        while stack[-1].mark != mark:
            _flatten(stack)
        closed = stack.pop()
        stack[-1].held.append(add(tag(MARKS[mark]), *_joined(closed.held)) if any(closed.held) else mark + mark)
    elif not is_open and after.strip() and not (mark == "_" and before.isalnum()):
        stack.append(_Open(mark))
    else:
        stack[-1].held.append(mark)


def _flatten(stack: list[_Open]) -> None:
    """Turn the last mark that was opened back into text."""
    last = stack.pop()
    stack[-1].held += [last.mark, *last.held]


def _joined(held: Sequence[Child]) -> Iterator[Child]:
    """Yield the pieces with neighboring texts joined."""
    texts: list[str] = []
    for one in held:
        if isinstance(one, str):
            texts.append(one)
        else:
            yield "".join(texts)
            texts = []
            yield one
    yield "".join(texts)
