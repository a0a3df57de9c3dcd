"""What messages say in a browser: options and commands are for the shell, so a page names its own fields and pages in their place."""

import re

COMMAND = r"`?fewlabels [a-z][^()`;:,]*`?"
ASIDE = re.compile(rf"\s*\((?:{COMMAND}|[^()]*--[a-z][^()]*)\)")  # (--slice), (fewlabels tell --as-of)
OPTION = re.compile(r"--([a-z][a-z-]*)((?: (?!(?:when|or|and|if|to|is)\b)[A-Z0-9=:.]+)?)")
KNOWN = {
    "; it says nothing about others: --about process": "; it says nothing about others: choose units like these when the study is created",
    " (--about process)": ": choose units like these when the study is created",
    "name it with --slice too": "choose it as a slice when the study is created",
    "name it with --slice": "choose it as a slice when the study is created",
    "leave them out of --show": "do not show them",
    "leave --html out": "add another goal",
}
FIELDS = {
    "about": "what the numbers are about",
    "cost-per-label": "the cost of a label",
    "data": "another data folder",
    "allow-source": "that source allowed",
    "guide": "a guide",
    "host-name": "another host name",
    "ledger": "another ledger",
    "pilot": "a pilot",
    "slice": "the slices",
    "weight": "the weight",
}


def for_browser(text: str) -> str:
    """Return a message without options and commands.

    Examples:
        >>> for_browser("name the column (--answer-column), or draw again (fewlabels draw S)")
        'name the column, or draw again'
    """
    if "--" not in text and "fewlabels " not in text:
        return text
    for said, instead in KNOWN.items():
        text = text.replace(said, instead)
    text = ASIDE.sub("", text)
    return OPTION.sub(lambda found: FIELDS.get(found[1], found[1].replace("-", " ")) + found[2], text)
