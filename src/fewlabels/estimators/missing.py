"""Missing answers: how many and where, whether chance explains where, and the worst case.

Labels are counted by group, so within a band and side the answered units stand for the missing ones. That is an assumption. Two things
are shown beside it.

    the test         missing of a part ~ Hypergeometric(all drawn, all missing, drawn of the part)    if missing has nothing to do
                     with side or guide; parts: one side, and the thirds of each side by guide
    the worst case   every missing answer of a side taken as yes, or as no: the lowest low and the highest high of the four ways

The test has a false-alarm rate of 1 % in all, half of it for the side. It detects a dependence of missing answers on what is known about
a unit, never on the answer itself: a passed test proves nothing. Derivation and figures: docs/maths/missing.md.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from fewlabels.estimators.calibration import THIRDS
from fewlabels.nouns.arrays import BoolArray, FloatArray, IntArray
from fewlabels.nouns.estimate import IntervalKind
from fewlabels.nouns.evidence import Limits
from fewlabels.nouns.metric import Metric
from fewlabels.nouns.missing import Missing, Part
from fewlabels.nouns.tally import AnyTally

FALSE_ALARM = 0.01
WORST_FROM = 0.05  # the worst case is shown above this missing share


class Fill(NamedTuple):
    """The assumed value of every missing answer of a side: positive or not."""

    flagged: bool
    other: bool


FILLS = tuple(Fill(flagged, other) for flagged in (False, True) for other in (False, True))


def fill_all(tally: Callable[[Fill], AnyTally]) -> tuple[AnyTally, ...]:
    """The tallies of the four ways to fill in missing answers, given a function that counts the labels of one."""
    return tuple(map(tally, FILLS))


def worst_limits(
    metric: Metric, plain: Limits, filled: Sequence[AnyTally], *, tail: float, interval: IntervalKind, base: AnyTally | None = None
) -> Limits:
    """The lowest low and the highest high over all fillings and the plain limits, sampling error included.

        L = min(L_plain, min over f of L_f),   U likewise

    L_f are the limits that the labels would have if the missing answers were f. If the true answers are one of the four ways, the truth
    is missed no more often than by an interval of complete labels. For mixtures the values lie between; their limits may reach a little
    further, see docs/maths/missing.md.

    base: where gold corrected the labels, the corrected counts without filling. The difference between their limits and the plain ones,
    the error of the correction, is added in full to every L_f and U_f.
    """
    from fewlabels.estimators.measuring import measure, sides_of  # and with it SciPy, which counting what is missing does not need
    from fewlabels.estimators.sides import prepare

    sides = [sides_of(tally) for tally in filled]
    prepare([one for one in sides if one is not None], (tail,), interval)
    found = [measure(metric, tally, tail=tail, interval=interval, sides=one) for tally, one in zip(filled, sides, strict=True)]
    below = above = np.zeros_like(plain.low)
    if base is not None and found:
        sure = measure(metric, base, tail=tail, interval=interval)
        below, above = np.fmax(sure.low - plain.low, 0), np.fmax(plain.high - sure.high, 0)
    low = np.minimum.reduce([plain.low, *(m.low - below for m in found)])
    high = np.maximum.reduce([plain.high, *(m.high + above for m in found)])
    return Limits(np.maximum(low, metric.low), np.minimum(high, metric.high))


def count_missing(missing: BoolArray, *, flagged: BoolArray, band: IntArray, guide: FloatArray, pilot_bands: int = 0) -> Missing:
    """Missing answers by side and band, and the parts tested. One entry per resolved unit; the first bands are those of a pilot."""
    return Missing(
        flagged=_part("flagged units", missing, flagged),
        unflagged=_part("unflagged units", missing, ~flagged),
        bands=tuple(_bands(missing, band, pilot_bands)),
        tests=check_missing(missing, flagged=flagged, guide=guide),
    )


def _bands(missing: BoolArray, band: IntArray, pilot: int) -> Iterator[Part]:
    """The missing answers of each band, by its number."""
    drawn = np.bincount(band) if band.size else band
    lacking = np.bincount(band[missing], minlength=drawn.size)
    for b in np.flatnonzero(drawn).tolist():
        name = f"band {b - pilot + 1}" if b >= pilot else f"band {b + 1} of the pilot"
        yield Part(name=name, drawn=int(drawn[b]), missing=int(lacking[b]), p_value=None, limit=None)


def check_missing(missing: BoolArray, *, flagged: BoolArray, guide: FloatArray) -> tuple[Part, ...]:
    """The parts, each with the p-value of "missing as often as elsewhere" and the limit below which it differs; empty if none is testable.

    If missingness is independent of side and guide, the probability that any part differs is at most FALSE_ALARM.
    """
    if not missing.any() or missing.all():
        return ()
    families = [family for family in (_sides(flagged), _thirds(flagged, guide)) if family]
    return tuple(
        _part(name, missing, rows, limit=FALSE_ALARM / len(families) / len(family)) for family in families for name, rows in family
    )


def _sides(flagged: BoolArray) -> list[tuple[str, BoolArray]]:
    """The flagged units, if there are others to compare them with."""
    return [("flagged units", flagged)] if flagged.any() and not flagged.all() else []


def _thirds(flagged: BoolArray, guide: FloatArray) -> list[tuple[str, BoolArray]]:
    """The thirds of each side by guide; none for a side on which the guide is constant."""
    found = []
    for is_flagged, side in ((True, "flagged"), (False, "unflagged")):
        mine = np.flatnonzero(flagged == is_flagged)
        mine = mine[np.argsort(guide[mine], kind="stable")]
        if mine.size >= 3 and guide[mine[0]] < guide[mine[-1]]:
            for third, rows in zip(THIRDS, np.array_split(mine, 3), strict=True):
                mask = np.zeros(guide.size, dtype=np.bool_)
                mask[rows] = True
                found.append((f"{side} units, {third} by score", mask))
    return found


def _part(name: str, missing: BoolArray, rows: BoolArray, *, limit: float | None = None) -> Part:
    """The part that consists of these units; tested if a limit is given."""
    drawn, lacking = int(rows.sum()), int(missing[rows].sum())
    p = None if limit is None else two_sided_p(lacking, drawn, all_missing=int(missing.sum()), all_drawn=missing.size)
    return Part(name=name, drawn=drawn, missing=lacking, p_value=p, limit=limit)


def two_sided_p(missing: int, drawn: int, *, all_missing: int, all_drawn: int) -> float:
    """Twice the smaller tail of Hypergeometric(all_drawn, all_missing, drawn) at `missing`, at most 1 (Fisher's exact test).

    If missingness is independent of the part, every way to distribute the missing answers over the drawn units is equally likely.
    """
    low, high = max(0, all_missing - (all_drawn - drawn)), min(drawn, all_missing)
    x = np.arange(low, high, dtype=np.float64)
    # pmf(x + 1) / pmf(x); SciPy has the distribution itself but takes a quarter of a second to import
    ratio = (all_missing - x) * (drawn - x) / ((x + 1) * (all_drawn - all_missing - drawn + x + 1))
    logs = np.concatenate([[0.0], np.cumsum(np.log(ratio))])
    pmf = np.exp(logs - logs.max())
    pmf /= pmf.sum()
    at = missing - low
    return float(min(1.0, 2 * min(pmf[: at + 1].sum(), pmf[at:].sum())))
