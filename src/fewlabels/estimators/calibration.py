"""Is the guide calibrated? An exact test on the labels, with a stated false-alarm rate.

The labeled units of each side are divided into thirds by guide. In each part the number of positives is compared with the exact
distribution of a sum of independent yes/no answers with the predicted probabilities. A warning is given if any part's two-sided p-value
is below FALSE_ALARM / parts, so a calibrated guide causes one in at most one of a hundred studies.

It corrects nothing: a wrong guide costs labels, and the interval that then decides (the default, or strict in place of one that trusts the
scores) is valid whatever the guide is.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fewlabels.nouns.arrays import BoolArray, FloatArray, IntArray

FALSE_ALARM = 0.01
MANY = 1_000  # units of a part from which the distribution is computed only where it has mass
WIDE, SMALLEST, NOTHING = 12, 1e-12, 40.0
THIRDS = ("lower third", "middle third", "upper third")


class Mismatch(NamedTuple):
    """A part of the labels where the guide and the labelers disagree."""

    side: str
    part: str
    labels: int
    positive: int
    claimed: float
    p_value: float

    def __str__(self) -> str:
        """One sentence for people."""
        return (
            f"{self.side} units, {self.part} by score: {self.positive} of {self.labels} labels are positive where the scores claim "
            f"{self.claimed:.1f} (p = {self.p_value:.1g})"
        )


def check_guide(guide: FloatArray, flagged: BoolArray, positive: BoolArray, *, rank: IntArray | None = None) -> list[Mismatch]:
    """The parts in which the guide is not calibrated, worst first; empty if there is no evidence against it.

    One entry per labeled unit. The false-alarm rate over all parts together is at most FALSE_ALARM.
    rank   whole numbers in the order of the guide, if there are few; they are sorted faster
    """
    parts = list(_parts(guide, flagged, positive, guide if rank is None else rank.astype(np.int16)))
    limit = FALSE_ALARM / max(len(parts), 1)
    found = [
        Mismatch(side, part, claims.size, k, float(claims.sum()), two_sided_p(k, claims))
        for side, part, k, claims in parts
        if not _is_near(k, claims)
    ]
    return sorted((m for m in found if m.p_value < limit), key=lambda m: m.p_value)


def _parts(guide: FloatArray, flagged: BoolArray, positive: BoolArray, rank: NDArray[Any]) -> Iterator[tuple[str, str, int, FloatArray]]:
    """Side, part, positives and claims of each part that has a label."""
    for is_flagged, side in ((True, "flagged"), (False, "unflagged")):
        mine = np.flatnonzero(flagged == is_flagged)
        mine = mine[np.argsort(rank[mine], kind="stable")]
        for part, rows in zip(THIRDS, np.array_split(mine, 3), strict=True):
            if rows.size:
                yield side, part, int(positive[rows].sum()), guide[rows]


def _is_near(k: int, claims: FloatArray) -> bool:
    """Whether the p-value is known to be above FALSE_ALARM without computing it: within one standard deviation of the mean.

    The distribution differs from the normal one by at most 0.56 / standard deviation (Berry and Esseen; Shevtsova 2010), which leaves
    each tail at least 0.158 - 0.056.
    """
    spread = float(np.sqrt((claims * (1 - claims)).sum()))
    return spread >= 10 and abs(k - float(claims.sum())) <= spread


def two_sided_p(k: int, claims: FloatArray) -> float:
    """Twice the smaller tail of the exact distribution of a sum of independent Bernoulli(claims) at k, at most 1."""
    if claims.size > MANY:
        return _by_characteristic_function(k, *_counted(np.sort(claims)))
    pmf = np.ones(1)
    for s in claims.tolist():
        pmf = np.convolve(pmf, (1 - s, s))
    return _twice_the_tail(pmf, k)


def _counted(ordered: FloatArray) -> tuple[FloatArray, IntArray]:
    """The distinct values and how often each occurs."""
    ends = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True))
    return ordered[ends], np.diff(ends, prepend=-1)


def _by_characteristic_function(k: int, values: FloatArray, counts: IntArray) -> float:
    """The same for many units: the distribution within WIDE standard deviations of its mean, from its characteristic function.

        P(X = x) = 1/L sum over t < L of exp(-2 pi i t x / L) prod over s of (1 - s + s exp(2 pi i t / L))^n(s)

    Beyond the window lies less than 2 exp(-WIDE^2 / 3) (Bernstein), and that much is folded back into it. The absolute value of the
    product is at most exp(-variance (1 - cos(2 pi t / L))), so most t add nothing. Rounding adds about 1e-12; a p-value below SMALLEST is
    given as that.
    """
    mean, spread = float(counts @ values), float(np.sqrt(counts @ (values * (1 - values))))
    half = int(np.ceil(WIDE * spread + WIDE * WIDE))
    low, length = max(0, round(mean) - half), 2 * half + 1
    if not low <= k <= low + length - 1:
        return SMALLEST
    turn = 2 * np.pi * np.arange(length // 2 + 1) / length
    some = turn[spread**2 * (1 - np.cos(turn)) < NOTHING]
    cosine, sine = np.cos(some)[:, None], np.sin(some)[:, None]
    size = np.log1p(-2 * values * (1 - values) * (1 - cosine)) @ counts / 2
    angle = np.arctan2(values * sine, 1 - values + values * cosine) @ counts
    product = np.zeros(turn.size, dtype=np.complex128)
    product[: some.size] = np.exp(size - 1j * (angle - low * some))
    pmf = np.fft.irfft(product, length)
    return max(SMALLEST, _twice_the_tail(np.maximum(pmf, 0), k - low))


def _twice_the_tail(pmf: FloatArray, k: int) -> float:
    """Twice the smaller tail at k, at most 1."""
    return float(min(1.0, 2 * min(pmf[: k + 1].sum(), pmf[k:].sum())))
