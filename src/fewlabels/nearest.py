"""Suggestions for a name that does not exist: the nearest that does."""

from collections.abc import Iterable
from difflib import SequenceMatcher

CLOSE = 0.6  # difflib ratio from which a name counts as a typo
AS_CLOSE = 0.05  # names whose ratio is within this of the nearest are offered with it
SHORTEST = 2  # letters of a prefix before names that begin with it are offered
MOST = 3  # names offered
LISTED = 12  # names that are listed where none is near


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """The names that begin with this one; else those that differ by a typo, the nearest first; at most three. Case does not count.

    Examples:
        >>> nearest("est", ["status", "estimate"]), nearest("estimat", ["simulate", "estimate"]), nearest("zzz", ["estimate"])
        (['estimate'], ['estimate'], [])
    """
    known, wanted = list(known), name.casefold()
    begun = [one for one in known if len(name.strip("-")) >= SHORTEST and one.casefold().startswith(wanted)]
    if begun:
        return [one for one in begun if one.casefold() == wanted] or begun[:MOST]
    ratio = _ratios(wanted, known)
    best = max(ratio.values(), default=0.0)
    close = [one for one in known if ratio[one] >= max(CLOSE, best - AS_CLOSE)]
    return sorted(close, key=lambda one: -ratio[one])[:MOST]


def _ratios(wanted: str, known: Iterable[str]) -> dict[str, float]:
    """How alike each name is; 0 where a cheap upper bound says that it is no typo."""
    found, matcher = {}, SequenceMatcher(None, "", wanted)
    for one in known:
        matcher.set_seq1(one.casefold())
        far = matcher.real_quick_ratio() < CLOSE or matcher.quick_ratio() < CLOSE
        found[one] = 0.0 if far else matcher.ratio()
    return found


def way_out(name: str, known: Iterable[str], *, owner: str = "it") -> str:
    """The way out for an unknown name: the nearest there are; else what `owner` has, of which only the first are named.

    Examples:
        >>> way_out("contry", ["country", "channel"]), way_out("zzz", ["country", "channel"])
        ("did you mean 'country'?", "it has 'country', 'channel'")
    """
    known = list(known)
    if close := nearest(name, known):
        return f"did you mean {' or '.join(map(repr, close))}?"
    more = f" and {len(known) - LISTED:,} more" if len(known) > LISTED else ""
    return f"{owner} has {', '.join(map(repr, known[:LISTED])) or 'none'}{more}"
