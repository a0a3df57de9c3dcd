"""The words of a goal as people type it: a metric, a comparison, a number, and the clauses that may follow. Nothing is judged here.

A comparison has several words: `>=`, `>`, "at least", "above", "no less than" are one, as are `<=`, `<`, "at most", "below", and `+-`,
"within". `>` is read as `>=` and `<` as `<=`: an estimate is continuous, and no labels tell 0.9 from just above it.
"""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Literal, NamedTuple

from fewlabels.errors import GoalError, UnclearGoal
from fewlabels.nearest import nearest
from fewlabels.nouns.metric import Better
from fewlabels.nouns.metrics import OPPOSITES, metric_named, plain, spelled

Kind = Literal["+-", ">=", "<="]
LONGEST_TEXT = 500
USUAL = 'write "precision +-0.03" or "recall >= 0.90"'
LONGEST_WORDS = 5  # of a metric or a comparison
NUMBER = r"-?[0-9]*\.?[0-9]+"
PERCENT = r"\s*(?:%|percent\b|per\s+cent\b|(?:percentage\s+)?points?\b|pp\b)"
OF_IT = r"(?:of\s+(?:it|itself|its\s+value|the\s+value)|relative)\b"

SIGNS: dict[str, Kind] = {
    "+-": "+-", "+/-": "+-", "±": "+-",
    ">=": ">=", "=>": ">=", "≥": ">=", ">": ">=",
    "<=": "<=", "=<": "<=", "≤": "<=", "<": "<=",
}  # fmt: skip
WORDS: dict[str, Kind] = {
    **dict.fromkeys(("within", "to within", "plus or minus", "give or take"), "+-"),
    **dict.fromkeys(("at least", "no less than", "not less than", "no lower than", "not lower than", "not below", "not under"), ">="),
    **dict.fromkeys(("above", "over", "more than", "greater than", "higher than", "larger than", "better than", "exceeds"), ">="),
    **dict.fromkeys(("more than or equal to", "greater than or equal to", "higher than or equal to", "above or equal to"), ">="),
    **dict.fromkeys(("at most", "no more than", "not more than", "no higher than", "not higher than", "no greater than"), "<="),
    **dict.fromkeys(("not greater than", "not above", "not over", "below", "under", "less than", "lower than", "smaller than"), "<="),
    **dict.fromkeys(("less than or equal to", "lower than or equal to", "below or equal to", "up to"), "<="),
}  # fmt: skip


def _any_of(texts: Mapping[str, Kind]) -> str:
    """A pattern for any of the texts, the longest first."""
    return "|".join(re.escape(text).replace(r"\ ", r"\s+") for text in sorted(texts, key=len, reverse=True))


_BEFORE = r"(?:shows?\s+)?(?P<metric>\S.*?)"
_NUMBER = rf"(?P<value>{NUMBER})(?P<percent>{PERCENT})?(?P<relative>\s+{OF_IT})?"
_HEAD = re.compile(
    rf"{_BEFORE}(?:\s+(?:is|be|must\s+be|should\s+be|has\s+to\s+be))?"
    rf"(?:\s*(?P<sign>{_any_of(SIGNS)})\s*|\s+(?P<words>{_any_of(WORDS)})\s+){_NUMBER}",
    re.IGNORECASE,
)
_COMPARISON = re.compile(rf"(?P<sign>{_any_of(SIGNS)})|\b(?P<words>{_any_of(WORDS)})\b", re.IGNORECASE)
_NO_COMPARISON = re.compile(rf"{_BEFORE}(?:\s*(?:=|==|:)\s*|\s+(?:is|of|equals?|be)\s+|\s+){_NUMBER}", re.IGNORECASE)
_NO_METRIC = re.compile(r"[<>=≥≤±]|\+/?-|\b(?:not?|never|cannot)\b|n't\b|\d\s+(?:and|or)\b", re.IGNORECASE)  # what none has in its name
_TAILS = {  # what may follow, read from the end
    "level": re.compile(r"(?P<rest>.*?)\s+at\s+(?P<value>[0-9]*\.?[0-9]+)"),
    "power": re.compile(r"(?P<rest>.*?)\s+with\s+(?P<value>[0-9]*\.?[0-9]+)(?P<percent>\s*%)?\s+power"),
    "expected": re.compile(rf"(?P<rest>.*?)\s+if\s+(?:it\s+is\s+|it's\s+)?(?P<value>{NUMBER})(?P<percent>\s*%)?"),
    "every": re.compile(r"(?P<rest>.*?)\s+in\s+(?:every|each)\s+(?P<value>[^\s=]+)"),
    "by": re.compile(r"(?P<rest>.*[0-9%].*?)\s+by\s+(?P<value>\S+)"),
    "slice": re.compile(r"(?P<rest>.*?)\s+in\s+(?P<column>[^\s=]+)=(?P<value>\S(?:.*?\S)??)"),
    "classifier": re.compile(r"(?P<rest>.*?)\s+for\s+(?P<value>\S(?:.*?\S)??)"),
}
_IS_GAP = re.compile(r"\sgap\Z", re.IGNORECASE)
_LOOSE_OF_IT = re.compile(rf"(?:^|.*\s){OF_IT}.*", re.IGNORECASE)  # in a clause, where it may be part of a name
Tail = re.Match[str]


class Typed(NamedTuple):
    """A goal as it was typed: the metric's own name, the comparison and its number, and the clauses that followed.

    in_percent   whether the number was written in percent
    relative     whether it is a share of the metric's value ("of it")
    """

    metric: str
    kind: Kind
    value: float
    in_percent: bool
    relative: bool
    tails: Mapping[str, Tail]


def read_words(text: str) -> Typed:
    """The parts of a goal as typed; raise UnclearGoal without a comparison, GoalError for anything else that is no goal."""
    tails, rest = _tails(text.strip()) if len(text) <= LONGEST_TEXT else ({}, "")
    match = _HEAD.fullmatch(rest)
    if match is None or not _is_name(match["metric"]):
        raise _unread(text, rest)
    name, kind = match["metric"], _kind_of(match)
    if _IS_GAP.search(name) and "by" in tails:  # "recall gap <= 0.05 by country"
        name = f"{name} by {tails.pop('by')['value']}"
    if (opposite := OPPOSITES.get(spelled(name))) is not None:
        raise _opposite(text, match, opposite)
    for tail in tails.values():
        if kind == "+-" and _LOOSE_OF_IT.fullmatch(tail["value"]):  # refused, so that a share of the value is never read as points
            raise GoalError(f'"of it" follows the number it is about, got {text!r}: write "prevalence +-10% of it in country=DE"')
    return Typed(metric_named(name).name, kind, number(match), _is_percent(match), bool(match["relative"]), tails)


def _is_name(metric: str) -> bool:
    """Whether it could be a metric: no sign, no negation and no second goal in it, and one word after `by`."""
    counted, *column = re.split(r"\s+by\s+", metric, maxsplit=1)
    return _NO_METRIC.search(counted) is None and not any(re.search(r"\s", one) for one in column)


def number(match: re.Match[str]) -> float:
    """The number of a match, divided by 100 if it is in percent or points."""
    return float(match["value"] + ("e-2" if match.groupdict().get("percent") else ""))


def in_percent(value: float) -> str:
    """A share as a percentage that reads back to the same value.

    Examples:
        >>> in_percent(0.1), in_percent(0.0725)
        ('10%', '7.25%')
    """
    return f"{plain_decimal(Decimal(plain(value)).scaleb(2))}%"


def plain_decimal(value: Decimal) -> str:
    """A decimal in positional notation without zeros at its end."""
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def comparison_in(text: str) -> Kind | None:
    """The comparison a text begins with, also after a metric; None if there is none.

    Examples:
        >>> comparison_in("at least 0.8"), comparison_in(">="), comparison_in("f1 +-0.8"), comparison_in("yes")
        ('>=', '>=', '+-', None)
    """
    match = _COMPARISON.search(text)
    return None if match is None else _kind_of(match)


def _is_percent(match: re.Match[str]) -> bool:
    """Whether the number was written in percent, not in points."""
    unit = (match["percent"] or "").strip().lower()
    return unit.startswith(("%", "per")) and "point" not in unit


def _kind_of(match: re.Match[str]) -> Kind:
    """The comparison that was typed."""
    words = " ".join((match["words"] or "").lower().split())
    return SIGNS[match["sign"]] if match["sign"] else WORDS[words]


def _tails(text: str) -> tuple[dict[str, Tail], str]:
    """The clauses that follow the goal, each at most once, the last one first; and the text that is left."""
    said: dict[str, Tail] = {}
    while found := [(name, match) for name, pattern in _TAILS.items() if name not in said and (match := pattern.fullmatch(text))]:
        name, match = max(found, key=lambda one: len(one[1]["rest"]))  # "in country=DE for gbm" ends with gbm, not with the country
        said[name], text = match, match["rest"]
    return said, text


def _unread(text: str, rest: str) -> GoalError:
    """The error for a text without a comparison, or with none that can be read."""
    match = _NO_COMPARISON.fullmatch(rest)
    if match is not None and _is_name(match["metric"]) and (_is_metric(match["metric"]) or _misspelled(rest) is None):
        metric = metric_named(match["metric"])  # a misspelled metric is the first thing to say
        share, after = match["value"] + (match["percent"] or ""), text.strip()[len(rest) :]
        if match["relative"]:
            return UnclearGoal(text, [f"{metric.name} +-{share} of it{after}"])
        signs: Mapping[Better, tuple[Kind, ...]] = {"higher": (">=", "+-"), "lower": ("<=", "+-"), "neither": (">=", "<=", "+-")}
        return UnclearGoal(text, [f"{metric.name} {sign}{'' if sign == '+-' else ' '}{share}{after}" for sign in signs[metric.better]])
    said = f"a goal must be a metric, then +- and a half-width or >= / <= and a target, got {text[:LONGEST_TEXT]!r}"
    if re.search(r"[0-9%]\s*(?:[;,]|and\b|or\b)\s", rest):
        return GoalError(f'{said}: write each goal by itself, "precision >= 0.8" and "recall >= 0.9"')
    return GoalError(f"{said}: {_misspelled(rest) or USUAL}")


def _misspelled(rest: str) -> str | None:
    """The nearest comparison to the words that follow a metric; None if none is near."""
    words = rest.split()
    for after in range(1, min(len(words), LONGEST_WORDS)):
        if not _is_metric(head := " ".join(words[:after])):
            continue
        for size in range(min(LONGEST_WORDS, len(words) - after), 0, -1):
            if close := nearest(" ".join(words[after : after + size]).lower(), WORDS):
                return f"did you mean {head} {close[0]} ...?"
    return None


def _is_metric(name: str) -> bool:
    """Whether a name is that of a metric."""
    try:
        metric_named(name)
    except GoalError:
        return False
    return True


def _opposite(text: str, match: re.Match[str], metric: str) -> GoalError:
    """The error for one minus a metric, with the goal about the metric itself."""
    kind, share = _kind_of(match), Decimal(match["value"])
    whole = 100 if match["percent"] else 1
    turned: dict[Kind, Kind] = {"+-": "+-", ">=": "<=", "<=": ">="}
    unit = match["percent"] or ""
    what = f"no metric {match['metric']!r}: it is 1 - {metric}"
    if kind == "+-" and match["relative"]:
        return GoalError(f"{what}, and a share of it is none of {metric}: ask in points, {metric} +-3%")
    said = f"{metric} +-{match['value']}{unit}" if kind == "+-" else f"{metric} {turned[kind]} {plain_decimal(whole - share)}{unit}"
    return GoalError(f'{what}, so write "{said}" for {text!r}')
