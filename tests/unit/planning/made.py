"""Profiles that plans are made for: one whose scores are true probabilities, and one in slices that differ."""

import numpy as np

from fewlabels.nouns.arrays import IntArray
from fewlabels.nouns.ladder import BINS, bin_of
from fewlabels.nouns.profile import Profile
from fewlabels.randomness import stream
from tests.identities.made import profile_of

HALF = int(bin_of(np.array([0.5]))[0])
COUNTRIES = ("at", "be", "ch", "de")


def calibrated(N: int) -> Profile:
    """Scores mostly near 0, flagged from one half up."""
    bins, units = np.unique(bin_of(stream(42, 2).beta(0.4, 2.5, N)), return_counts=True)
    return profile_of({(int(b >= HALF), int(b)): int(c) for b, c in zip(bins, units, strict=True)})


def sliced(N: int = 20_000) -> Profile:
    """Four countries and two channels: 8 combinations of different sizes, scores higher in later countries."""
    rng = stream(42, 3)
    values = tuple((country, channel) for country in COUNTRIES for channel in ("app", "web"))
    home = rng.choice(len(values), size=N, p=np.array([8, 4, 4, 2, 2, 1, 1, 1]) / 23)
    score = rng.beta(0.3 + 0.15 * (home // 2), 2.5)
    return cells_of_units(home, bin_of(score), values)


def cells_of_units(home: IntArray, guide_bin: IntArray, values: tuple[tuple[str, ...], ...]) -> Profile:
    """The profile of units with these slices and guides, flagged from one half up."""
    keys, count = np.unique(np.stack([guide_bin >= HALF, guide_bin, home]), axis=1, return_counts=True)
    whole = profile_of({(0, 0): 1})
    return Profile(
        columns=whole.columns,
        pattern=keys[0],
        guide_bin=keys[1],
        slice=keys[2],
        count=count,
        slice_values=values,
        guided=True,
        smallest_id="1",
        largest_id="9",
        files=whole.files,
    )


PROFILE = calibrated(20_000)
SLICED = sliced()
assert SLICED.guide_bin.max() < BINS
