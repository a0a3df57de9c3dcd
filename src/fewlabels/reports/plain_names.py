"""Names that somebody else chose, written so that nothing in them is a mark, a command or a line of its own."""

import unicodedata

HARMLESS = frozenset(" ,;()=+%'-")
UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})  # controls, marks of direction, halves of characters, breaks of lines


def one_line(text: str) -> str:
    """The text with every character that is not seen, or ends a line, replaced by a mark."""
    return "".join("\N{REPLACEMENT CHARACTER}" if unicodedata.category(c) in UNSEEN else c for c in text)


def in_markdown(text: str) -> str:
    """The text as words of Markdown: what could be a mark, a tag, a link or a mention is written by its number."""
    plain = one_line(text)
    return "".join(_as_number(c) if _is_mark(plain, i) else c for i, c in enumerate(plain))


def _is_mark(text: str, at: int) -> bool:
    """Whether a character could mean something: a full stop or a colon only where a name follows."""
    c = text[at]
    if c in ".:":
        return at + 1 < len(text) and not (text[at + 1].isdigit() or text[at + 1] == " ")
    return not (c.isalnum() or c in HARMLESS)


def _as_number(c: str) -> str:
    """The character by its number; behind an at sign a space without width, since a mention is found in what is shown."""
    return f"&#{ord(c)};&#8203;" if c == "@" else f"&#{ord(c)};"
