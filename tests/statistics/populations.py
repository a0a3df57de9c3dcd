"""Populations with known truth, made from a seed: what the simulations run on."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.nouns import ladder
from assay.nouns.profile import Profile


class Known(NamedTuple):
    """A profile and the positives of each of its cells."""

    name: str
    profile: Profile
    positives: NDArray[np.int64]


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


def _scored(
    rng: np.random.Generator, *, N: int, share: float, separation: float, sharpness: float = 1.0
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Truth and score of units whose log-odds are right up to `sharpness` (above 1: overconfident)."""
    y = rng.random(N) < share
    signal = rng.normal(0, 1, N) + separation * y
    log_odds = separation * signal - separation**2 / 2 + np.log(share / (1 - share))
    return y, 1 / (1 + np.exp(-sharpness * log_odds))


def calibrated(rng: np.random.Generator) -> Known:
    """1 % positive, scores that are what they claim."""
    y, s = _scored(rng, N=60_000, share=0.01, separation=3.5)
    return known("calibrated", y, s, s >= 0.5)


def overconfident(rng: np.random.Generator) -> Known:
    """5 % positive, log-odds 2.5 times too large."""
    y, s = _scored(rng, N=40_000, share=0.05, separation=2.2, sharpness=2.5)
    return known("overconfident", y, s, s >= 0.5)


def noise(rng: np.random.Generator) -> Known:
    """10 % positive, scores that know nothing."""
    y, s = _scored(rng, N=30_000, share=0.1, separation=2.0)
    s = rng.permutation(s)
    return known("noise", y, s, s >= 0.5)


def precise(rng: np.random.Generator) -> Known:
    """20 % positive, precision about .98: errors are rare on the flagged side."""
    y, s = _scored(rng, N=40_000, share=0.2, separation=4.2)
    return known("precise", y, s, s >= 0.5)


def reversed_guide(rng: np.random.Generator) -> Known:
    """The precise classifier, its guide turned round inside each side."""
    y, s = _scored(rng, N=40_000, share=0.2, separation=4.2)
    flagged, guide = s >= 0.5, s.copy()
    for side in (True, False):
        rows = np.flatnonzero(flagged == side)
        ordered = rows[np.argsort(s[rows], kind="stable")]
        guide[ordered] = s[ordered[::-1]]
    return known("reversed", y, guide, flagged)


def hidden(rng: np.random.Generator) -> Known:
    """A guide that is right near the threshold, and 1 in 1,000 unflagged units positive where it says none is."""
    guide = np.concatenate([rng.uniform(0.5, 1, 700), rng.uniform(0.01, 0.3, 2_000), 10 ** rng.uniform(-7, -3.5, 250_000)])
    flagged = np.arange(guide.size) < 700
    chance = np.where(flagged, guide, np.where(guide >= 0.01, guide / 2, 0.001))
    return known("hidden", rng.random(guide.size) < chance, guide, flagged)


MAKERS = (calibrated, overconfident, noise, precise, reversed_guide, hidden)
