"""The limits of a gap between slices hold, one-sided too; believing the largest of many differences does not."""

import pytest
from scipy.stats import binom

from benchmarks import many_goals
from benchmarks.many_goals import between_of

pytestmark = pytest.mark.statistics
REPS, SLICES, EACH = 500, 12, 60


@pytest.fixture(autouse=True)
def fewer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many_goals, "REPS", REPS)


def most(share: float) -> int:
    """The most misses that a true share gives with probability 1 - 1e-6."""
    return int(binom.ppf(1 - 1e-6, REPS, share))


@pytest.mark.parametrize("shape", ["alike", "one apart"])
def test_a_gap_is_covered_and_seldom_passes_what_is_too_large(shape: str, seed: int) -> None:
    found, _ = between_of(("precision", SLICES, shape, EACH), seed=seed)
    assert found.reps - found.covered <= most(0.06)
    assert found.too_low <= most(0.05)
    assert found.too_high <= most(0.05)
    if shape == "alike":  # the twin: one pair of 132 at the full tail
        assert found.twin > most(0.05)


def test_a_target_in_every_slice_is_seldom_passed_where_one_misses_it(seed: int) -> None:
    _, every = between_of(("precision", SLICES, "one apart", EACH), seed=seed)
    assert every.passed <= most(0.05)
    assert every.twin > most(0.05)  # the same asked of the whole table
