"""Other columns: a control of mean zero, left alone where it says nothing, never the whole of an interval."""

from dataclasses import replace

import numpy as np
import pytest

from fewlabels.designs.base import takes_of
from fewlabels.estimators.assisting import Columns, control
from fewlabels.estimators.grouping import Groups, groups_of
from fewlabels.estimators.measuring import measure
from fewlabels.nouns import ladder
from fewlabels.nouns.arrays import FloatArray, IntArray
from fewlabels.nouns.metrics import METRICS
from fewlabels.nouns.profile import Profile
from fewlabels.nouns.tally import Tally
from fewlabels.planning.design_choice import choose_design
from fewlabels.planning.guiding import log_odds
from fewlabels.randomness import stream

N, LABELS = 4_000, 200
ASSISTED = 71  # the purpose of the streams below


class Units:
    """Units with a score, a truth and one other column; a draw of some of them."""

    def __init__(self, kind: str, seed: int = 42) -> None:
        rng = stream(seed, ASSISTED)
        hidden = rng.normal(size=N)
        self.y = rng.random(N) < 1 / (1 + np.exp(2.5 - 2 * hidden))
        score = 1 / (1 + np.exp(2.5 - 1.5 * (hidden + rng.normal(size=N))))
        other = {
            "informative": 1 / (1 + np.exp(2.5 - 2 * (hidden + 0.5 * rng.normal(size=N)))),
            "noise": rng.random(N),
            "constant": np.full(N, 0.3),
            "leak": np.where(self.y, 0.95, 0.05),
        }[kind]
        bins, step = ladder.bin_of(score), np.rint(log_odds(other) * 2).astype(np.int64)
        keys, where = np.unique(np.stack([(score >= 0.3).astype(np.int64), bins, step]), axis=1, return_inverse=True)
        self.cell: IntArray = where.ravel()
        names, part = np.unique(keys[2], return_inverse=True)
        self.profile = Profile(
            columns=(), pattern=keys[0], guide_bin=keys[1], slice=part.ravel(), count=np.bincount(self.cell),
            slice_values=tuple((str(name),) for name in names), guided=True, smallest_id="", largest_id="",
        )  # fmt: skip
        self.columns = Columns(np.column_stack([log_odds(self.profile.guide), keys[2] / 2]), self.profile.count.astype(np.float64))
        self.design = choose_design(self.profile, [METRICS["recall"]], labels=LABELS)
        self.groups: Groups = groups_of(self.profile, self.design)

    def drawn(self, rng: np.random.Generator) -> IntArray:
        """Units of one draw, in random order."""
        band = self.design.band[self.cell]
        rows = [rng.choice(np.flatnonzero(band == h), n, replace=False) for h, n in enumerate(takes_of(self.design, LABELS).tolist())]
        return np.asarray(rng.permutation(np.concatenate(rows)))

    def tally(self, rows: IntArray, *, columns: Columns | None) -> Tally:
        """The labels of a draw, with or without the other column."""
        y: FloatArray = self.y[rows].astype(np.float64)
        home = self.groups.of_cell[self.cell[rows]]
        n, k = (np.bincount(home, weights=w, minlength=self.groups.N.size).astype(np.float64) for w in (np.ones(rows.size), y))
        told = self.groups.tally(n, k)
        return told if columns is None else replace(told, control=control(columns, self.groups, self.cell[rows], y))


def test_the_control_of_all_units_is_zero() -> None:
    """Labels of every unit sum to nothing in each fold and group: the estimate cannot be shifted by the fit."""
    units = Units("informative")
    found = control(units.columns, units.groups, units.cell, units.y.astype(np.float64))
    assert found is not None
    moved = found.d / units.groups.N  # five folds have five fits, each centered on all units and summed over a fifth of them
    assert np.abs(moved).max() < 0.05
    flagged = units.profile.pattern[units.cell] == 1
    shown = measure(METRICS["recall"], units.tally(np.arange(N), columns=units.columns), tail=0.025)
    assert shown.value == pytest.approx(float(units.y[flagged].sum() / units.y.sum()), abs=1e-9)  # a census has no error to explain


@pytest.mark.parametrize("kind", ["noise", "constant"])
def test_columns_that_say_nothing_change_little(kind: str) -> None:
    units, rng = Units(kind), stream(42, ASSISTED, 1)
    for _ in range(5):
        rows = units.drawn(rng)
        with_it, without = (measure(METRICS["recall"], units.tally(rows, columns=c), tail=0.025) for c in (units.columns, None))
        assert abs(with_it.value - without.value) < 0.2 * without.half_width
        assert with_it.half_width == pytest.approx(float(without.half_width), rel=0.1)


def test_a_column_that_leaks_the_answers_does_not_leave_an_interval_without_width() -> None:
    units = Units("leak")
    rows = units.drawn(stream(42, ASSISTED, 2))
    with_it, without = (measure(METRICS["recall"], units.tally(rows, columns=c), tail=0.025) for c in (units.columns, None))
    assert with_it.standard_error < 0.2 * without.standard_error
    assert with_it.half_width > 0.25 * without.half_width


def test_a_column_that_was_joined_from_the_labels_is_not_used() -> None:
    """It repeats the answers of the units that have one, and says nothing of the others."""
    units = Units("constant")
    rows = units.drawn(stream(42, ASSISTED, 3))
    joined = np.full(N, -4.0)
    joined[rows] = np.where(units.y[rows], 4.0, -4.0)
    keys, where = np.unique(np.stack([units.cell, joined]), axis=1, return_inverse=True)
    old = keys[0].astype(np.int64)
    cells, units.cell = units.cell, where.ravel()
    columns = Columns(np.column_stack([units.columns.x[old, 0], keys[1]]), np.bincount(units.cell).astype(np.float64))
    groups, units.groups = units.groups, units.groups._replace(of_cell=units.groups.of_cell[old])
    with_it = measure(METRICS["recall"], units.tally(rows, columns=columns), tail=0.025)
    units.cell, units.groups = cells, groups
    without = measure(METRICS["recall"], units.tally(rows, columns=None), tail=0.025)
    assert (with_it.value, with_it.low, with_it.high) == (without.value, without.low, without.high)
