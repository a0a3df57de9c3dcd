"""Errors as a browser shows them: what they say about options of the command line, said about the page."""

import re

SAID = (
    (r"put it there, or start the server with --data or --allow-source", "put it there, upload it, or ask who runs the server to allow it"),
    (r": leave (it|them) out of --show", r": leave \1 out"),
    (r"Others are named with --slice", "Others are named as slices first"),
    (r"name it with --slice", "name it as a slice"),
    (r"name it with weight= \(--weight\)", "name it as the weight"),
    (r", or allow it with --missing-scores", ""),
    (r"or give score_range", "or give the limits of the score"),
    (r"name a --guide to save labels", "name a guide to save labels"),
    (r": choose another name, or load it: fewlabels status .*", ": choose another name"),
    (r"use (.*), or another that `fewlabels estimate --all` shows", r"use \1, or another of the list"),
    (r"pip install \S+( \S+)*", "ask who runs the server to install it"),
    (r"\s*\(--[a-z][a-z-]*(?: [A-Za-z]+)?\)", ""),
    (r"(?:, or )?(?:with|give|by|see) --[a-z][a-z-]*", ""),
)


def plain_words(text: str) -> str:
    """Return an error without options of the command line.

    Examples:
        >>> plain_words("name it with --slice"), plain_words("leave it out (--about process)")
        ('name it as a slice', 'leave it out')
    """
    for pattern, words in SAID:
        text = re.sub(pattern, words, text, flags=re.S)
    return text
