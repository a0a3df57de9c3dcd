"""Populations with known truth, made from a seed: what the simulations run on."""

import numpy as np

from benchmarks import made
from benchmarks.made import Known as Known
from benchmarks.made import known as known
from benchmarks.made import scored as _scored


def calibrated(rng: np.random.Generator) -> Known:
    """1 % positive, scores that are what they claim."""
    return made.calibrated(rng).known()


def overconfident(rng: np.random.Generator) -> Known:
    """5 % positive, log-odds 2.5 times too large."""
    return made.overconfident(rng).known()


def noise(rng: np.random.Generator) -> Known:
    """10 % positive, scores that know nothing."""
    return made.noise(rng).known()


def precise(rng: np.random.Generator) -> Known:
    """20 % positive, precision about .98: errors are rare on the flagged side."""
    y, s = _scored(rng, N=40_000, share=0.2, separation=4.2)
    return known("precise", y, s, s >= 0.5)


def reversed_guide(rng: np.random.Generator) -> Known:
    """The precise classifier, its guide turned round inside each side."""
    y, s = _scored(rng, N=40_000, share=0.2, separation=4.2)
    flagged = s >= 0.5
    return known("reversed", y, made.turned(s, flagged, "reversed", None), flagged)


def hidden(rng: np.random.Generator) -> Known:
    """A guide that is right near the threshold, and 1 in 1,000 unflagged units positive where it says none is."""
    guide = np.concatenate([rng.uniform(0.5, 1, 700), rng.uniform(0.01, 0.3, 2_000), 10 ** rng.uniform(-7, -3.5, 250_000)])
    flagged = np.arange(guide.size) < 700
    chance = np.where(flagged, guide, np.where(guide >= 0.01, guide / 2, 0.001))
    return known("hidden", rng.random(guide.size) < chance, guide, flagged)


MAKERS = (calibrated, overconfident, noise, precise, reversed_guide, hidden)
