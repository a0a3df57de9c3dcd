"""More labels because of what the first ones showed: what a plan allows keeps its level, what it refuses does not."""

from functools import cache

import pytest
from scipy.stats import binom

from benchmarks.comparing import Judged
from benchmarks.made import overconfident
from benchmarks.planned_looks import LEVEL, single
from benchmarks.resizing import RULES, SIZES, row
from fewlabels.randomness import stream

pytestmark = pytest.mark.statistics
REPS = 4_000
ALLOWED, REFUSED = ("as planned", "by counts of answers", "declared looks"), ("by the estimate", "by calibration", "until it passes")
MOST = binom.ppf(1 - 1e-6, REPS, 1 - LEVEL)


@cache
def passed(seed: int) -> dict[str, int]:
    """The paths that pass a target which is the truth, by rule, where scores are too sure."""
    at = Judged(*overconfident(stream(seed, 2, 1)).known()[1:])
    return row(single("overconfident", at, "accuracy", interval="placed")(SIZES[0]), reps=REPS, rng=stream(seed, 6, 3)).passed


@pytest.mark.parametrize("rule", ALLOWED)
def test_what_is_allowed_passes_as_rarely_as_it_says(seed: int, rule: str) -> None:
    assert passed(seed)[rule] <= MOST


@pytest.mark.parametrize("rule", REFUSED)
def test_what_is_refused_passes_more_often(seed: int, rule: str) -> None:
    """The twin: the same labels, of which as many are read as the answers make one wish."""
    assert passed(seed)[rule] > MOST


def test_every_rule_is_allowed_or_refused() -> None:
    assert {*ALLOWED, *REFUSED} == {*RULES}
