"""How one SQL engine writes what SQL leaves open: a handful of templates, and the expressions made from them.

Literals are typed: a double is the text of its `repr` cast to double, so no engine reads 0.1 as a decimal.

Main path: [population] > [profile] > plan > [draw] > labels > estimate > decision > report
"""

from dataclasses import dataclass

import numpy as np

from assay.nouns import ladder
from assay.nouns.weights import LAYERS, NO_LAYER


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How one engine writes what SQL leaves open. `{x}` stands for an expression."""

    quote: str  # around identifiers, doubled inside
    escapes: tuple[tuple[str, str], ...]  # inside text literals
    as_text: str
    as_double: str
    floor: str  # of a double, as a 64-bit integer; a plain cast rounds on some engines
    hash13: str  # the first 13 hex digits of the md5 of a text, lower case
    byte_length: str  # of a text in UTF-8
    has_nul: str
    is_nan: str
    byte_order: str  # the text, so marked that it sorts by its UTF-8 bytes

    def identifier(self, name: str) -> str:
        """The name, quoted: any text is a legal column name."""
        return self.quote + name.replace(self.quote, self.quote * 2) + self.quote

    def text(self, value: str) -> str:
        """The text literal."""
        for character, escaped in self.escapes:
            value = value.replace(character, escaped)
        return f"'{value}'"

    def double(self, value: float) -> str:
        """The double literal, to the last bit."""
        return self.as_double.format(x=self.text(self.word(value)))

    @staticmethod
    def word(value: float) -> str:
        """The shortest decimal text that reads back to the same bits, or the engines' word for infinity and NaN."""
        return repr(float(value)) if np.isfinite(value) else {"inf": "Infinity", "-inf": "-Infinity", "nan": "NaN"}[str(float(value))]

    def hash_of(self, unit: str, *, salt: str) -> str:
        """The hex text of a unit's permanent number; `unit` is an expression."""
        return self.hash13.format(x=f"{self.text(salt + ':')} || {unit}")

    def bin_of(self, score: str) -> str:
        """The ladder's bin of a score in [0, 1], generated from the ladder itself; `score` is a column.

        Engines that sort NaN above all numbers and engines that compare it as unequal both end at NO_BIN.
        """
        zero, half, one = self.double(0.0), self.double(0.5), self.double(1.0)
        return (
            f"case when {score} >= {zero} and {score} < {half} then {self._half_bin(score)} "
            f"when {score} >= {half} and {score} <= {one} then {ladder.BINS - 1} - ({self._half_bin(f'({one} - {score})')}) "
            f"else {ladder.NO_BIN} end"
        )

    def layer_of(self, quanta: str) -> str:
        """The power of two a number of quanta reaches, as text; `quanta` is a column."""
        steps = (f"when {quanta} >= {1 << power} then '{power}'" for power in reversed(range(LAYERS)))
        return f"case {' '.join(steps)} else '{NO_LAYER}' end"

    def _half_bin(self, t: str) -> str:
        """The bin of t in [0, 1/2] within its half."""
        steps = (
            f"when {t} >= {self.double(rung.low)} then {self.floor.format(x=f'{t} * {self.double(rung.scale)}')} + {rung.offset}"
            for rung in ladder.RUNGS
        )
        return f"case {' '.join(steps)} else 0 end"
