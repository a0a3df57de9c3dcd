"""Made-up populations with known truth, from a seed, and what becomes of their guides: what simulations run on beside real tables."""

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fewlabels.nouns import ladder
from fewlabels.nouns.profile import Profile

GuideMode = Literal["own", "shuffled", "reversed"]
GUIDE_MODES: tuple[GuideMode, ...] = ("own", "shuffled", "reversed")


class Known(NamedTuple):
    """A profile and the positives of each of its cells."""

    name: str
    profile: Profile
    positives: NDArray[np.int64]


class Made(NamedTuple):
    """Units with their truth, their guide and the classifier's decision."""

    name: str
    y: NDArray[np.bool_]
    guide: NDArray[np.float64]
    flagged: NDArray[np.bool_]

    def known(self, mode: GuideMode = "own", rng: np.random.Generator | None = None) -> Known:
        """The profile an engine would make, the guide as it is, permuted over all units, or reversed inside each side."""
        return known(self.name, self.y, turned(self.guide, self.flagged, mode, rng), self.flagged)


def known(name: str, y: NDArray[np.bool_], guide: NDArray[np.float64], flagged: NDArray[np.bool_]) -> Known:
    """The profile an engine would make of these units, with their truth."""
    key = flagged.astype(np.int64) * ladder.BINS + ladder.bin_of(guide)
    cells, where = np.unique(key, return_inverse=True)
    profile = Profile(
        columns=(),
        guide_bin=cells % ladder.BINS,
        pattern=cells // ladder.BINS,
        slice=np.zeros(cells.size, dtype=np.int64),
        count=np.bincount(where),
        slice_values=((),),
        guided=True,
        smallest_id="",
        largest_id="",
    )
    return Known(name, profile, np.bincount(where, weights=y).astype(np.int64))


def turned(guide: NDArray[np.float64], flagged: NDArray[np.bool_], mode: GuideMode, rng: np.random.Generator | None) -> NDArray[np.float64]:
    """The guide with what it knew taken out (shuffled), or turned round inside each side (reversed)."""
    if mode == "own":
        return guide
    if mode == "shuffled":
        assert rng is not None
        return rng.permutation(guide)
    out = guide.copy()
    for side in (True, False):
        rows = np.flatnonzero(flagged == side)
        ordered = rows[np.argsort(guide[rows], kind="stable")]
        out[ordered] = guide[ordered[::-1]]
    return out


def scored(
    rng: np.random.Generator, *, N: int, share: float, separation: float, sharpness: float = 1.0
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Truth and score of units whose log-odds are right up to `sharpness` (above 1: overconfident)."""
    y = rng.random(N) < share
    signal = rng.normal(0, 1, N) + separation * y
    log_odds = separation * signal - separation**2 / 2 + np.log(share / (1 - share))
    return y, 1 / (1 + np.exp(-sharpness * log_odds))


def calibrated(rng: np.random.Generator) -> Made:
    """1 % positive, scores that are what they claim."""
    y, s = scored(rng, N=60_000, share=0.01, separation=3.5)
    return Made("calibrated", y, s, s >= 0.5)


def overconfident(rng: np.random.Generator) -> Made:
    """5 % positive, log-odds 2.5 times too large."""
    y, s = scored(rng, N=40_000, share=0.05, separation=2.2, sharpness=2.5)
    return Made("overconfident", y, s, s >= 0.5)


def noise(rng: np.random.Generator) -> Made:
    """10 % positive, scores that know nothing."""
    y, s = scored(rng, N=30_000, share=0.1, separation=2.0)
    s = rng.permutation(s)
    return Made("noise", y, s, s >= 0.5)


def precise(rng: np.random.Generator) -> Made:
    """20 % positive, precision .99: errors are rare on the flagged side."""
    y, s = scored(rng, N=40_000, share=0.2, separation=4.2)
    return Made("precise", y, s, s >= 0.85)


SYNTHETIC = (calibrated, overconfident, noise, precise)
