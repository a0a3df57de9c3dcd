"""The intervals of all planned looks hold together, and targets at the truth are settled for nothing as rarely as said; twins fail."""

import numpy as np
import pytest
from scipy.stats import binom

from benchmarks.comparing import Judged, judged
from benchmarks.made import known, noise, precise
from benchmarks.planned_looks import Bench, Row, paired, prefixes, single, walked
from fewlabels.deciding.planned_looks import planned_looks
from fewlabels.errors import PlanError
from fewlabels.nouns.tally import Tally
from fewlabels.randomness import stream

pytestmark = pytest.mark.statistics
PATHS = 2_000
LOOKING = 62  # the purpose of the streams below
MOST_WRONG = int(binom.ppf(1 - 1e-6, PATHS, 0.05))  # 150: more come with probability below 1e-6 if 5 % do; 9.5 % are caught 99 times in 100


def half_right() -> Judged:
    """10,000 units, all flagged, half of them positive, and scores that know nothing: precision is nearest to normal."""
    y = np.arange(10_000) % 2 == 0
    return Judged(*known("", y, np.full(y.size, 0.7), np.ones(y.size, dtype=np.bool_))[1:])


def rivals(seed: int) -> Judged:
    """Two classifiers that disagree on 3,000 of 20,000 units and are right on half of those each."""
    rng = stream(seed, LOOKING, 9)
    pattern = np.repeat([0, 1, 2, 3], [15_000, 1_500, 1_500, 2_000])
    y = rng.random(pattern.size) < np.array([0.02, 0.5, 0.5, 0.9])[pattern]
    return judged(y, rng.integers(0, 4_000, pattern.size), pattern)


def benches(first: int, seed: int) -> dict[str, Bench]:
    rare, lost = precise(stream(seed, LOOKING, 1)).known(), noise(stream(seed, LOOKING, 2)).known()
    return {
        "precision of a half": single("half", half_right(), "precision", "simple")(first),
        "precision, errors rare": single("rare", Judged(*rare[1:]), "precision")(first),
        "accuracy, scores know nothing": single("lost", Judged(*lost[1:]), "accuracy")(first),
        "difference of accuracies": paired("rivals", rivals(seed), "accuracy")(first),
    }


def row_of(name: str, looks: int, seed: int) -> Row:
    bench = benches(-(-500 // looks), seed)[name]
    return walked(bench, bench.looks(500, looks), reps=PATHS, rng=stream(seed, LOOKING, looks))


@pytest.mark.parametrize("looks", [pytest.param(2, marks=pytest.mark.slow), 5, pytest.param(10, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "name", ["precision of a half", "precision, errors rare", "accuracy, scores know nothing", "difference of accuracies"]
)
def test_all_looks_hold_together(name: str, looks: int, seed: int) -> None:
    row = row_of(name, looks, seed)
    assert row.own.missed <= MOST_WRONG
    assert row.own.met <= MOST_WRONG  # a target at the truth is met, or not met, for nothing
    assert row.own.not_met <= MOST_WRONG


def test_looks_at_the_full_level_do_not(seed: int) -> None:
    """The twin: the same paths, every look at the full level."""
    row = row_of("precision of a half", 10, seed)
    assert row.full.missed > MOST_WRONG
    assert row.full.met > MOST_WRONG
    assert row.full.not_met > MOST_WRONG


def test_the_last_look_is_little_wider_and_decisions_come_sooner(seed: int) -> None:
    """Five looks: 2.040 / 1.960 by the normal law. A target far enough for a power of 0.9 needs four fifths of the labels or less."""
    row = row_of("precision of a half", 5, seed)
    assert 1.03 < row.wider < 1.05
    assert row.labels < 0.8
    assert row.decided > row.decided_once - 0.05


def test_prefixes_are_the_draws_of_their_size(seed: int) -> None:
    """The labels of look l are those of a draw of n_l: so many in every band, hypergeometric, and none is lost later."""
    bench = benches(100, seed)["precision, errors rare"]
    tallies = list(prefixes(bench, [100, 300, 500], reps=400, rng=stream(seed, LOOKING, 3)))
    before = np.zeros(1)
    for size, tally in zip([100, 300, 500], tallies, strict=True):
        assert (tally.labels == size).all()
        assert isinstance(tally, Tally)
        assert (tally.n >= before).all()
        before = tally.n


def test_bands_cut_for_the_whole_budget_cannot_serve_the_first_of_five_looks(seed: int) -> None:
    with pytest.raises(PlanError, match="every band its minimum"):
        benches(500, seed)["precision, errors rare"].looks(500, 5)
    assert len(planned_looks(500, looks=5)) == 5
