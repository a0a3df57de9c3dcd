"""The self-test of every new connection: an engine must compute fewlabels' permanent numbers of unusual ids and bins of edge scores.

"The same on every engine" is checked here, not assumed: on any mismatch the engine is rejected.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np

from fewlabels.engines.dialect import Dialect
from fewlabels.engines.sql import HEX_DIGITS
from fewlabels.engines.sql_engine import Row
from fewlabels.errors import EngineError
from fewlabels.nouns import ladder
from fewlabels.randomness import fast_numbers, permanent_number

SALT = "5a17"

_ODD_TEXTS = (
    *("", " ", "  two blanks", "trailing ", "\t", "\n", "\r\n", "a\tb", "a\nb", "'", "''", '"', '""', "it's", 'say "x"', "`", "``"),
    *("\\", "\\\\", "\\n", "\\'", "%", "%s", "_", "{}", "{x}", "$1", ":p", "?", ";--", "/* */", "NULL", "null", "nan", "true", "0", "-0"),
    *(
        "00",
        "1.0",
        "1e5",
        "18446744073709551615",
        "é",
        "e\u0301",
        "\ufeffbom",
        "\u202ertl",
        "zero\u200bwidth",
        "\u00a0",
        "ß",
        "İ",
        "\u0131",
    ),
    *(
        "日本語",
        "한글",
        "हिन्दी",
        "עברית",
        "العربية",
        "😀",
        "👩\u200d👩\u200d👧\u200d👦",
        "🇺🇳",
        "\U0010ffff",
        "\uffff",
        "\x01",
        "\x7f",
        "∅",
        "x" * 1024,
    ),
)
INTEGERS = (0, 1, -1, *(s * (2**e + d) for e in (31, 32, 53, 62) for s in (1, -1) for d in (-1, 0, 1)), 2**63 - 1, -(2**63), 2**64 - 1)
FAST = (*INTEGERS[:-1], *range(2, 200, 7), *(3**e for e in range(1, 40, 3)), *(-(5**e) for e in range(1, 27, 3)))  # those of 64 bits
UNITS = (*_ODD_TEXTS, *(f"unit-{i}" for i in range(75)), *(f"é{i}'" for i in range(30)))


def _edge_scores() -> tuple[float, ...]:
    """Return scores at, just below and just above every edge of the ladder, in both halves, and invalid scores."""
    edges = [0.0, 0.5, 1.0, *(e for rung in ladder.RUNGS for e in (rung.low, 1.0 - rung.low))]
    near = [float(np.nextafter(e, toward)) for e in edges for toward in (-1.0, 2.0)]
    tiny = [-0.0, 5e-324, -5e-324, 2.2250738585072014e-308, 1e-300, 0.1, 0.3, 1 / 3, 0.7, 0.9999999999]
    return (*edges, *near, *tiny, 1e308, -1e308, math.inf, -math.inf, math.nan)


SCORES = _edge_scores()


def check_engine(query: Callable[[str], Sequence[Row]], dialect: Dialect) -> None:
    """Raise EngineError if an engine gives any other permanent number or bin than the reference."""
    _check_units(query, dialect)
    _check_integers(query, dialect)
    _check_fast(query, dialect)
    _check_bins(query, dialect)


def _check_units(query: Callable[[str], Sequence[Row]], dialect: Dialect) -> None:
    values = ", ".join(f"({i}, {dialect.text(unit)})" for i, unit in enumerate(UNITS))
    number = f"substr({dialect.hash_of('unit', salt=SALT)}, 1, {HEX_DIGITS})"
    start = dialect.hash_start_of("unit", salt=SALT) if dialect.hash_start else "null"
    rows = query(f"select n, {number}, {dialect.byte_length.format(x='unit')}, {start} from (values {values}) as t(n, unit)")
    found = {n: tuple(told) for n, *told in rows}
    for i, unit in enumerate(UNITS):
        first = int(_hex(unit)[:2], 16) if dialect.hash_start else None
        _compare(f"the permanent number and length of id {unit!r}", found.get(i), (_hex(unit), len(unit.encode()), first))


def _check_integers(query: Callable[[str], Sequence[Row]], dialect: Dialect) -> None:
    hashes = (dialect.hash_of(dialect.as_text.format(x=str(value)), salt=SALT) for value in INTEGERS)
    for_each = ", ".join(f"substr({hash_}, 1, {HEX_DIGITS})" for hash_ in hashes)
    for value, number in zip(INTEGERS, query(f"select {for_each}")[0], strict=True):
        _compare(f"the permanent number of id {value}", number, _hex(str(value)))


def _check_fast(query: Callable[[str], Sequence[Row]], dialect: Dialect) -> None:
    values = ", ".join(f"({i}, {dialect.as_bigint.format(x=dialect.text(str(value)))})" for i, value in enumerate(FAST))
    begun = dialect.fast_first(f"select n, unit from (values {values}) as v(n, unit)", id="unit", salt=SALT)
    numbered = dialect.fast_number(begun, salt=SALT)
    found = {n: number for n, number in query(f"select n, number from ({numbered}) t")}
    for i, expected in enumerate(fast_numbers(SALT, np.array(FAST, dtype=np.int64)).tolist()):
        _compare(f"the fast permanent number of id {FAST[i]}", found.get(i), expected)


def _check_bins(query: Callable[[str], Sequence[Row]], dialect: Dialect) -> None:
    values = ", ".join(f"({i}, {dialect.text(dialect.word(score))})" for i, score in enumerate(SCORES))
    scores = f"select n, {dialect.as_double.format(x='word')} as s from (values {values}) as t(n, word)"
    rows = query(f"select n, {dialect.bin_of('s')} from ({scores}) t")
    found = {n: bin_ for n, bin_ in rows}
    for i, expected in enumerate(ladder.bin_of(np.array(SCORES)).tolist()):
        _compare(f"the bin of score {SCORES[i]!r}", found.get(i), expected)


def _hex(unit: str) -> str:
    return f"{permanent_number(SALT, unit):013x}"


def _compare(what: str, found: object, expected: object) -> None:
    if found != expected:
        raise EngineError(
            f"an engine must agree with fewlabels' reference, but {what} is {found!r} there and {expected!r} here: use another engine"
        )
