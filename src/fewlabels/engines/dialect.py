"""How one SQL engine writes what the SQL standard leaves open: a few templates, and the expressions made from them.

Literals are typed: a double is the text of its `repr` cast to double, so no engine reads 0.1 as a decimal.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fewlabels.nouns import ladder
from fewlabels.nouns.weights import LAYERS, NO_LAYER
from fewlabels.randomness import HALF, LOW_BITS, ROUND_SHIFT, ROUNDS, round_keys


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How one engine writes what the SQL standard leaves open. `{x}` stands for an expression."""

    quote: str  # around identifiers, doubled inside
    escapes: tuple[tuple[str, str], ...]  # inside text literals
    as_text: str
    as_double: str
    floor: str  # of a double, as a 64-bit integer; a plain cast rounds on some engines
    hash: str  # the md5 of a text, in lower-case hex
    byte_length: str  # of a text in UTF-8
    has_nul: str
    is_nan: str
    byte_order: str  # the text, marked to sort by its UTF-8 bytes
    hash_start: str = ""  # the first byte of the md5 as a number, if that is cheaper than the digits
    small_floor: str = ""  # the same as a 32-bit integer, if that is cheaper
    key: str = "{x}"  # a slice column as it is grouped: different values must stay distinct
    exact_sum: str = "sum({x})"  # of 64-bit integers, without overflow
    as_bigint: str = "cast({x} as bigint)"
    xor: str = "xor({a}, {b})"  # of two 64-bit integers
    bit_and: str = "({a} & {b})"
    shift_right: str = "({a} >> {n})"
    fence: str = ""  # ends a sub-select whose columns are used twice, if the engine would otherwise compute them twice
    never_null: str = "{x}"  # x, written so that an engine which null-checks join keys sees that it is never null
    infinity: str = "Infinity"  # the text that is cast to it
    rows: str = "(values {rows}) as {name}(n, unit)"  # a FROM item of rows (number, text), each written as `row`
    row: str = "({n}, {x})"
    between_rows: str = ", "

    def identifier(self, name: str) -> str:
        """Return the name, quoted: any text is a legal column name."""
        return self.quote + name.replace(self.quote, self.quote * 2) + self.quote

    def text(self, value: str) -> str:
        """Return the text literal."""
        for character, escaped in self.escapes:
            value = value.replace(character, escaped)
        return f"'{value}'"

    def double(self, value: float) -> str:
        """Return the double literal, exact to the last bit."""
        return self.as_double.format(x=self.text(self.word(value)))

    def word(self, value: float) -> str:
        """Return the shortest decimal text that reads back to the same bits, or the engine's word for infinity and NaN."""
        others = {"inf": self.infinity, "-inf": f"-{self.infinity}", "nan": "NaN"}
        return repr(float(value)) if np.isfinite(value) else others[str(float(value))]

    def listed(self, texts: Sequence[str], *, name: str) -> str:
        """Return the FROM item of a small table: n, the position of a text, and the text as `unit`."""
        rows = self.between_rows.join(self.row.format(n=n, x=self.text(text)) for n, text in enumerate(texts))
        return self.rows.format(rows=rows, name=name)

    def hash_of(self, unit: str, *, salt: str) -> str:
        """Return the md5 whose first 13 digits are a unit's permanent number; `unit` is an expression."""
        return self.hash.format(x=self._salted(unit, salt))

    def hash_start_of(self, unit: str, *, salt: str) -> str:
        """Return the first byte of the same md5, as a number from 0 to 255."""
        return self.hash_start.format(x=self._salted(unit, salt))

    def _salted(self, unit: str, salt: str) -> str:
        return f"{self.text(salt + ':')} || {unit}"

    def fast_first(self, rows: str, *, id: str, salt: str) -> str:
        """Return the rows of a sub-select with a column `high_half` added: the first 32 bits of the fast number of the 64-bit integer `id`.

        Two sub-selects per round: written as one expression, engines compute the inner rounds repeatedly.
        """
        whole = self.as_bigint.format(x=f"a.{id}")
        left, right = (self.bit_and.format(a=a, b=HALF) for a in (self.shift_right.format(a=whole, n=32), whole))
        text = f"select a.*, {left} as half0, {right} as half1 from ({rows}) a{self.fence}"
        for i, key in enumerate(round_keys(salt)[:-1], start=2):
            text = self._round(text, i, key, last="high_half" if i == ROUNDS else f"half{i}")
        return text

    def fast_number(self, rows: str, *, salt: str) -> str:
        """Return the rows of `fast_first`, or those that passed a bound, with the whole `number`: its last bits need another round."""
        text = self._round(rows, ROUNDS + 1, round_keys(salt)[-1], last="low_half", before="high_half")
        low = self.shift_right.format(a="a.low_half", n=32 - LOW_BITS)
        return f"select a.*, a.high_half * {1 << LOW_BITS} + {low} as number from ({text}) a{self.fence}"

    def _round(self, rows: str, i: int, key: int, *, last: str, before: str = "") -> str:
        """Return one round: the half it computes from the two previous halves, under the name `last`."""
        text = f"select a.*, a.{before or f'half{i - 1}'} + {key} as mix{i} from ({rows}) a{self.fence}"
        mixed = self.shift_right.format(a=f"(a.mix{i} * {self.shift_right.format(a=f'a.mix{i}', n=2)})", n=ROUND_SHIFT)
        half = self.bit_and.format(a=self.xor.format(a=f"a.half{i - 2}", b=mixed), b=HALF)
        return f"select a.*, {half} as {last} from ({text}) a{self.fence}"

    def bin_of(self, score: str) -> str:
        """Return the ladder's bin of a score in [0, 1], generated from the ladder itself; `score` is a column.

        Engines that sort NaN above all numbers and engines that compare it as unequal both end at NO_BIN.
        """
        zero, half, one = self.double(0.0), self.double(0.5), self.double(1.0)
        return (
            f"case when {score} >= {zero} and {score} < {half} then {self._half_bin(score)} "
            f"when {score} >= {half} and {score} <= {one} then {ladder.BINS - 1} - ({self._half_bin(f'({one} - {score})')}) "
            f"else {ladder.NO_BIN} end"
        )

    def layer_of(self, quanta: str) -> str:
        """Return the largest power of two within a number of quanta; `quanta` is a column."""
        steps = (f"when {quanta} >= {1 << power} then {power}" for power in reversed(range(LAYERS)))
        return f"case {' '.join(steps)} else {NO_LAYER} end"

    def _half_bin(self, t: str) -> str:
        """Return the bin of t in [0, 1/2] within its half: try the top rung first, then upward from the lowest, where rare events are."""
        top, *rest = [(rung, self._step(t, rung)) for rung in ladder.RUNGS]
        steps = [f"when {t} >= {self.double(top[0].low)} then {top[1]}", f"when {t} < {self.double(rest[-1][0].low)} then 0"]
        steps += [f"when {t} < {self.double(rung.high)} then {text}" for rung, text in reversed(rest[1:])]
        return f"case {' '.join(steps)} else {rest[0][1]} end"

    def _step(self, t: str, rung: ladder.Rung) -> str:
        """Return the bin of t on its rung."""
        floor = self.small_floor or self.floor
        return f"{floor.format(x=f'{t} * {self.double(rung.scale)}')} + {rung.offset}"
