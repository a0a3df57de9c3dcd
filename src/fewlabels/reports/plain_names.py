"""Escaping of untrusted names, so that nothing in them is markup, a command or a line break."""

import unicodedata

HARMLESS = frozenset(" ,;()=+%'-")
UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})  # control characters, direction marks, surrogates, line breaks


def one_line(text: str) -> str:
    """Return the text with every invisible or line-breaking character replaced."""
    return "".join("\N{REPLACEMENT CHARACTER}" if unicodedata.category(c) in UNSEEN else c for c in text)


def in_markdown(text: str) -> str:
    """Return the text escaped for Markdown: characters that could form markup, a tag, a link or a mention become numeric references."""
    plain = one_line(text)
    return "".join(_as_number(c) if _is_mark(plain, i) else c for i, c in enumerate(plain))


def _is_mark(text: str, at: int) -> bool:
    """Return whether a character could be markup: a full stop or a colon only if a name follows."""
    c = text[at]
    if c in ".:":
        return at + 1 < len(text) and not (text[at + 1].isdigit() or text[at + 1] == " ")
    return not (c.isalnum() or c in HARMLESS)


def _as_number(c: str) -> str:
    """Return the character as a numeric reference; after an at sign add a zero-width space, as mentions are found in the rendered text."""
    return f"&#{ord(c)};&#8203;" if c == "@" else f"&#{ord(c)};"
