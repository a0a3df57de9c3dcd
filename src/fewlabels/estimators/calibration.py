"""Is the guide calibrated? An exact test on the labels, with a stated false-alarm rate.

The labeled units of each side are divided into thirds by guide. In each part the number of positives is compared with the exact
distribution of a sum of independent yes/no answers with the predicted probabilities. A warning is given if any part's two-sided p-value
is below FALSE_ALARM / parts, so a calibrated guide causes one in at most one of a hundred studies.

It corrects nothing: a wrong guide costs labels, and the strict interval, which then decides, is valid whatever the guide is.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from fewlabels.nouns.arrays import BoolArray, FloatArray

FALSE_ALARM = 0.01
FEW = 1_000  # units of a part up to which a guide that is right is known as such without SciPy, a quarter of a second to import
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


def check_guide(guide: FloatArray, flagged: BoolArray, positive: BoolArray) -> list[Mismatch]:
    """The parts in which the guide is not calibrated, worst first; empty if there is no evidence against it.

    One entry per labeled unit. The false-alarm rate over all parts together is at most FALSE_ALARM.
    """
    parts = list(_parts(guide, flagged, positive))
    limit = FALSE_ALARM / max(len(parts), 1)
    found = [
        Mismatch(side, part, claims.size, k, float(claims.sum()), two_sided_p(k, claims))
        for side, part, k, claims in parts
        if not _is_clear(k, claims, limit)
    ]
    return sorted((m for m in found if m.p_value < limit), key=lambda m: m.p_value)


def _parts(guide: FloatArray, flagged: BoolArray, positive: BoolArray) -> Iterator[tuple[str, str, int, FloatArray]]:
    """Side, part, positives and claims of each part that has a label."""
    for is_flagged, side in ((True, "flagged"), (False, "unflagged")):
        mine = np.flatnonzero(flagged == is_flagged)
        mine = mine[np.argsort(guide[mine], kind="stable")]
        for part, rows in zip(THIRDS, np.array_split(mine, 3), strict=True):
            if rows.size:
                yield side, part, int(positive[rows].sum()), guide[rows]


def _is_clear(k: int, claims: FloatArray, limit: float) -> bool:
    """Whether the p-value is at least twice the limit, so that rounding cannot bring it below; False also for many units."""
    if claims.size > FEW:
        return False
    pmf = np.ones(1)
    for s in claims.tolist():
        pmf = np.convolve(pmf, (1 - s, s))
    return _twice_the_tail(pmf, k) >= 2 * limit


def two_sided_p(k: int, claims: FloatArray) -> float:
    """Twice the smaller tail of the exact distribution of a sum of independent Bernoulli(claims) at k, at most 1."""
    values, counts = np.unique(claims, return_counts=True)
    pmf = np.ones(1)
    for s, n in zip(values, counts, strict=True):
        pmf = _convolve(pmf, _binomial(int(n), float(s)))
    return _twice_the_tail(np.maximum(pmf, 0), k)


def _twice_the_tail(pmf: FloatArray, k: int) -> float:
    """Twice the smaller tail at k, at most 1."""
    return float(min(1.0, 2 * min(pmf[: k + 1].sum(), pmf[k:].sum())))


def _binomial(n: int, s: float) -> FloatArray:
    """The probabilities of 0 .. n positives among n units of probability s. scipy.stats has it but takes half a second to import."""
    from scipy.special import gammaln, xlog1py, xlogy

    x = np.arange(n + 1)
    return np.asarray(np.exp(gammaln(n + 1) - gammaln(x + 1) - gammaln(n - x + 1) + xlogy(x, s) + xlog1py(n - x, -s)))


def _convolve(a: FloatArray, b: FloatArray) -> FloatArray:
    """The distribution of the sum; by Fourier transform if it is long."""
    if a.size * b.size <= 1e6:
        return np.asarray(np.convolve(a, b))
    length = a.size + b.size - 1
    return np.asarray(np.fft.irfft(np.fft.rfft(a, length) * np.fft.rfft(b, length), length))
