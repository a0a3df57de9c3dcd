"""What is kept of a cell: one method's estimates of one metric on one table with one number of labels, judged by the truth."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.stats import binom

from benchmarks.peers.given import Floats

GUESS = 1 / 12  # variance of a share guessed evenly: an estimate that is not defined is scored as such a guess
SLACK = 1e-9


class Cell(NamedTuple):
    """Errors and coverage over the replicates. Coverage counts a replicate without an interval as a miss; nan if no replicate has one."""

    table: str
    package: str
    method: str
    metric: str
    labels: int
    reps: int
    truth: float
    mse: float
    log_se: float  # Monte-Carlo standard error of the logarithm of mse
    bias: float
    coverage: float
    below: float  # share in which the lower limit alone holds: 97.5 % is claimed
    above: float
    width: float
    crashed: int
    undefined: int
    outside: int
    zero_width: int
    milliseconds: float  # of one replicate

    def as_json(self) -> dict[str, str | int | float | None]:
        """As it is written to the file; None for what a package does not give."""
        return {name: None if isinstance(value, float) and math.isnan(value) else value for name, value in self._asdict().items()}

    @property
    def is_too_low(self) -> bool:
        """Whether the coverage is below 0.94, at the 0.001 level of an exact binomial test; False without an interval."""
        return math.isfinite(self.coverage) and bool(binom.cdf(round(self.coverage * self.reps), self.reps, 0.94) < 1e-3)

    @property
    def key(self) -> tuple[str, str, int]:
        """What is compared: table, metric and labels."""
        return (self.table, self.metric, self.labels)


class Place(NamedTuple):
    """Which cell: where, what and how."""

    table: str
    package: str
    method: str
    metric: str
    labels: int


def judge(at: Place, truth: float, found: Floats, *, crashed: int, seconds: float) -> Cell:
    """A cell from rows of value, low and high, one a replicate."""
    value, low, high = found.T
    defined, has = np.isfinite(value), np.isfinite(low) & np.isfinite(high)
    squares = np.where(defined, (np.where(defined, value, 0.0) - truth) ** 2, GUESS + (0.5 - truth) ** 2)
    mse, some = float(squares.mean()), bool(has.any())
    with np.errstate(invalid="ignore"):
        under, over = has & (low <= truth + SLACK), has & (high >= truth - SLACK)
        outside, zero = has & ((low < -SLACK) | (high > 1 + SLACK)), has & (high - low <= SLACK)

    def share(of: Floats) -> float:
        return float(of.mean()) if some else math.nan

    return Cell(
        *at,
        reps=value.size,
        truth=truth,
        mse=mse,
        log_se=float(squares.std(ddof=1) / math.sqrt(value.size) / mse) if mse > 0 else 0.0,
        bias=float(value[defined].mean() - truth) if defined.any() else math.nan,
        coverage=share(under & over),
        below=share(under),
        above=share(over),
        width=float((high - low)[has].mean()) if some else math.nan,
        crashed=crashed,
        undefined=int((~defined).sum()) - crashed,
        outside=int(outside.sum()),
        zero_width=int(zero.sum()),
        milliseconds=1_000 * seconds / value.size,
    )


class Against(NamedTuple):
    """Ours over a peer's mean squared error in one cell: the share of the peer's labels that fewlabels needs."""

    ours: Cell
    theirs: Cell

    @property
    def share(self) -> float:
        """Below 1 fewlabels needs fewer labels."""
        return self.ours.mse / self.theirs.mse

    @property
    def z(self) -> float:
        """Monte-Carlo standard errors by which the peer is better: above 0 if it is."""
        return math.log(self.share) / max(math.hypot(self.ours.log_se, self.theirs.log_se), 1e-12)


def geometric_mean(shares: Sequence[float]) -> float:
    """Of shares of labels."""
    return math.exp(sum(map(math.log, shares)) / len(shares))
