"""Where a falling function is 0, for many rows at once: a row that is found is asked for no more.

Source: Chandrupatla 1997, Advances in Engineering Software 28:145.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from fewlabels.nouns.arrays import BoolArray, FloatArray, IntArray

Falling = Callable[[FloatArray, IntArray], FloatArray]  # of one point for each of the rows asked for

STEPS = 40
NEAR = 1e-4  # of 0: the root is found
NEAREST = 1e-6  # of two points
TINY = 1e-12
BEYOND, SHORTEST, LONGEST = 1.5, 1e-3, 2.0  # of the step from a guess to the root


class Bracket(NamedTuple):
    """The points between which each row's root lies, and the function there: above 0 at `low`, below at `high`."""

    low: FloatArray
    above: FloatArray
    high: FloatArray
    below: FloatArray


def narrowed(f: Falling, ends: Bracket, guess: FloatArray, slope: FloatArray) -> Bracket:
    """The bracket made by a guess and by a point that lies beyond the root if the function falls by `slope` there."""
    rows = np.arange(guess.size)
    at = f(guess, rows)
    step = np.clip(BEYOND * np.abs(at) / slope, SHORTEST, LONGEST)
    beyond = np.clip(guess + np.where(at > 0, step, -step), ends.low, ends.high)
    there = f(beyond, rows)
    low, above, high, below = ends
    for point, value in ((beyond, there), (guess, at)):
        up, down = (value > 0) & (point > low), (value <= 0) & (point < high)
        low, above = np.where(up, point, low), np.where(up, value, above)
        high, below = np.where(down, point, high), np.where(down, value, below)
    return Bracket(low, above, high, below)


def find_root(f: Falling, ends: Bracket) -> FloatArray:
    """The root of each row; `low` if the function is never above 0."""
    b, fb, a, fa = ends
    found, rows = b.copy(), np.arange(b.size)
    close = np.abs(a - b) < LONGEST
    x = np.where(close, fa / (fa - fb), 0.5)
    for _ in range(STEPS):
        middle = a + x * (b - a)
        value = f(middle, rows)
        same = np.sign(value) == np.sign(fa)
        c, fc = np.where(same, a, b), np.where(same, fa, fb)
        b, fb = np.where(same, b, a), np.where(same, fb, fa)
        a, fa = middle, value
        nearer: BoolArray = np.abs(fa) < np.abs(fb)
        found[rows] = np.where(nearer, a, b)
        step = NEAREST / np.maximum(np.abs(b - a), TINY)
        left = (step <= 0.5) & (np.minimum(np.abs(fa), np.abs(fb)) >= NEAR)
        if not left.any():
            break
        rows = rows[left]
        step, a, fa, b, fb, c, fc = (values[left] for values in (step, a, fa, b, fb, c, fc))
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            xi, phi = (a - b) / (c - b), (fa - fb) / (fc - fb)
            inside = (phi**2 < xi) & ((1 - phi) ** 2 < 1 - xi)
            curved = fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
        x = np.clip(np.where(inside & np.isfinite(curved), curved, 0.5), np.minimum(step, 0.5), 1 - np.minimum(step, 0.5))
    return found
