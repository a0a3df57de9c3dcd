"""Intervals beside known answers hold, right ones or wrong ones that are checked; the twin that does not check wrong ones must fail."""

import pytest
from scipy.stats import binom

from benchmarks.known import RECALLS, WORLDS, case_of, counted, read, studies

pytestmark = pytest.mark.statistics
REPS, FALSE_ALARM = 400, 1e-6
LEAST = int(binom.ppf(FALSE_ALARM, REPS, 0.95))


@pytest.mark.parametrize(("wrong", "check"), [(0.0, 0.0), (0.0, 0.02), (0.03, 0.02)])
def test_the_interval_of_recall_holds_beside_known_answers(wrong: float, check: float, seed: int) -> None:
    case = case_of(WORLDS[0], RECALLS[0], wrong=wrong, where="missed", seed=seed)
    found = read(studies(counted(case, check=check), reps=REPS, seed=seed), RECALLS[0])
    assert found.covered >= LEAST


def test_wrong_answers_that_nobody_checks_are_not_covered(seed: int) -> None:
    """The twin: one known answer in thirty wrong, all of them relevant documents that the classifier misses first."""
    case = case_of(WORLDS[0], RECALLS[0], wrong=0.03, where="missed", seed=seed)
    found = read(studies(counted(case, check=0.0), reps=REPS, seed=seed), RECALLS[0])
    assert found.covered < LEAST
