"""What messages say in a browser: options and commands are for the shell, so a page names its own fields and pages in their place."""

import re

BARE = re.compile(r",? ?`?\bfewlabels (?:plan|draw|estimate|verify|adjudicate|simulate|thresholds|decide|report)\b[^,;:`.]*`?")
COMMAND = r"`?fewlabels [a-z][^()`;:,]*`?"
ASIDE = re.compile(rf"\s*\((?:{COMMAND}|[^()]*--[a-z][^()]*)\)")  # (--slice), (fewlabels tell --as-of)
OPTION = re.compile(r"--([a-z][a-z-]*)((?: (?!(?:when|or|and|if|to|is)\b)[A-Z0-9=:.]+)?)")
WORDS = ("--", "fewlabels ", "pip install", "score_range", "see docs/")  # a text without any of these is left alone
LATER = "choose units like these when the study is created"
KNOWN = [
    (re.compile(pattern, re.DOTALL), words)
    for pattern, words in (
        (r"see fewlabels verify", "see the page Audit"),
        (r",? see docs/[\w./-]*\w", ""),
        (r"; it says nothing about others: --about process", f"; it says nothing about others: {LATER}"),
        (r" \(--about process\)", f": {LATER}"),
        (
            r"put it there, or start the server with --data or --allow-source",
            "put it there, upload it, or ask who runs the server to allow it",
        ),
        (r"[Nn]ame it with --slice(?: too)?", "choose it as a slice when the study is created"),
        (r"Others are named with --slice", "Others are chosen as slices first"),
        (r"name it with weight= \(--weight\)", "name it as the weight"),
        (r": leave (it|them) out of --show", r": leave \1 out"),
        (r", or allow it with --missing-scores", ""),
        (r"or give score_range", "or give the limits of the score"),
        (r"name a --guide to save labels", "name a guide to save labels"),
        (r": choose another name, or load it: fewlabels status .*", ": choose another name"),
        (r"use (.*), or another that `fewlabels estimate --all` shows", r"use \1, or another of the list"),
        (r"pip install \S+( \S+)*", "ask who runs the server to install it"),
        (r"(?:, or )?(?:with|give|by|see) --[a-z][a-z-]*", ""),
    )
]


def for_browser(text: str) -> str:
    """Return a message without options and commands.

    Examples:
        >>> for_browser("name the column (--answer-column), or draw again (fewlabels draw S)")
        'name the column, or draw again'
    """
    if not any(word in text for word in WORDS):
        return text
    for pattern, words in KNOWN:
        text = pattern.sub(words, text)
    return OPTION.sub(lambda found: found[1].replace("-", " ") + found[2], BARE.sub("", ASIDE.sub("", text)))
