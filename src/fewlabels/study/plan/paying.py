"""What the labels of a draw cost, and how many labels money buys."""

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from fewlabels.errors import PlanError
from fewlabels.nouns.goal_words import in_percent
from fewlabels.study.plan.one_draw import OneDraw


class Cost(NamedTuple):
    """The cost of a label: money, and seconds of a person's time; None if unknown. Where money depends on the slice, a design has it.

    unanswered  share of the units that will stay without a usable answer: to be drawn, looked at and paid for in addition
    twice       share of the units that a second labeler looks at, too

    Examples:
        >>> from fewlabels.study.plan.paying import Cost
        >>> cost = Cost(per_label=0.5, unanswered=0.05, twice=0.1)
        >>> cost.units(477), cost.answers(503), cost.looks(503), cost.money(503)
        (503, 477, 554, 277.0)
    """

    per_label: float | None = None
    seconds_per_label: float | None = None
    unanswered: float = 0.0
    twice: float = 0.0

    def units(self, answers: int) -> int:
        """The units to draw so that so many have a usable answer."""
        return math.ceil(answers / (1 - self.unanswered) - HAIR)

    def answers(self, units: int) -> int:
        """The usable answers to expect of so many units."""
        return max(1, math.floor(units * (1 - self.unanswered) + HAIR)) if units else 0

    def looks(self, units: int) -> int:
        """How often people look at a unit: the labels to pay for."""
        return units + math.ceil(units * self.twice - HAIR)

    def said(self, units: int | None) -> str | None:
        """The units to draw and the looks to pay for, in a sentence; None where no answer stays out and none is given twice.

        Examples:
            >>> from fewlabels.study.plan.paying import Cost
            >>> print(Cost(twice=0.1).said(500))
            to pay for: 500 units; 550 looks, with 10% of the units looked at twice
        """
        if units is None or not (self.unanswered or self.twice):
            return None
        out = f", of which {self.answers(units):,} will have a usable answer if {in_percent(self.unanswered)} stay without"
        again = f"; {self.looks(units):,} looks, with {in_percent(self.twice)} of the units looked at twice"
        return f"to pay for: {units:,} units{out if self.unanswered else ''}{again if self.twice else ''}"

    def money(self, units: int | None) -> float | None:
        """What so many units cost."""
        return None if units is None or self.per_label is None else self.looks(units) * self.per_label

    def hours(self, units: int | None) -> float | None:
        """The hours that so many units take one person."""
        return None if units is None or self.seconds_per_label is None else self.looks(units) * self.seconds_per_label / 3600


FREE = Cost()
HAIR = 1e-9  # rounding of a share


def bills(draw: OneDraw, units: Mapping[str, int | None], check: int, cost: Cost = FREE) -> tuple[tuple[str, float], ...]:
    """What numbers of units cost, by name, where labels cost differently by slice; none where they do not.

    units   of this draw, but "uniform" for units drawn uniformly
    check   of the units, those that check known answers: units of any slice
    """
    mean = _mean_price(draw)
    if mean is None:
        return ()
    each = {name: n * mean if name == "uniform" else (draw.money(n - check) or 0.0) + check * mean for name, n in units.items() if n}
    return tuple((name, money * (1 + cost.twice)) for name, money in each.items())


def affordable(draw: OneDraw, spend: float, cost: Cost, check: int) -> int:
    """The most labels for this money, those that check known answers included."""
    mean = _mean_price(draw)
    if mean is not None:
        found = draw.labels_for(spend / (1 + cost.twice) - check * mean)
    elif cost.per_label:
        found = int(spend / cost.per_label / (1 + cost.twice) * (1 + 1e-12)) - check
    else:
        raise PlanError(
            "a budget in money needs the price of a label: name it (--cost-per-label 0.40), or one by slice (--price COLUMN=VALUE:MONEY)"
        )
    if found is None or found < 1:
        raise PlanError(f"{spend:g} buys no label: raise it, or check the prices")
    return found + check


def _mean_price(draw: OneDraw) -> float | None:
    """What a label of a unit of the table costs on average; None if all cost the same."""
    return None if draw.price is None else float(np.average(draw.price, weights=draw.fine.count))
