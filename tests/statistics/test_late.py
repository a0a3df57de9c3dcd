"""Numbers about answers that are still arriving keep their word; the twins, all taken as arrived and slower than before, must fail."""

import pytest
from scipy.stats import binom

from benchmarks.late import AGES, LABELS, READINGS, cells_at

pytestmark = pytest.mark.statistics
REPS, FALSE_ALARM = 15, 1e-6  # of each of twenty weeks


@pytest.mark.parametrize("labels", LABELS)
def test_provisional_numbers_are_covered_and_the_twins_are_not(labels: int, seed: int) -> None:
    cells = {(cell.reading, cell.metric): cell for cell in cells_at(AGES[0], 1_000, labels, reps=REPS, seed=seed)}
    corrected, as_they_are, slower = READINGS
    for metric in ("recall", "f1", "prevalence", "precision"):
        cell = cells[corrected, metric]
        assert cell.reps - cell.missed >= binom.ppf(FALSE_ALARM, cell.reps, 0.95), cell
        assert cell.too_high <= binom.ppf(1 - FALSE_ALARM, cell.reps, 0.05), cell
    for twin in (as_they_are, slower) if labels == LABELS[-1] else (as_they_are,):
        cell = cells[twin, "recall"]
        assert cell.too_high > binom.ppf(1 - FALSE_ALARM, cell.reps, 0.05), cell
