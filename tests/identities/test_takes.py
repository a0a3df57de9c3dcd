"""Takes without walking, chances of a Poisson draw, and what importance asks: each against another route."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from fewlabels.designs.base import pi_of, seats, takes
from fewlabels.estimators.linearize import doubted_guide, guided_totals, outcome_sizes
from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.metric import Totals
from fewlabels.nouns.metrics import metric_named
from fewlabels.nouns.profile import Profile
from fewlabels.randomness import stream
from fewlabels.study.simulate import sequential
from tests.identities.made import EPS, checked, profile_of, profiles

CHANCE = 14  # the purpose of the streams below
masses = st.one_of(st.integers(1, 5).map(float), st.floats(1e-9, 1e3), st.floats(0.5, 2.0))
units = st.one_of(st.integers(1, 4), st.integers(1, 400))
bands = st.lists(st.tuples(masses, units), min_size=1, max_size=12)


@checked
@given(bands, st.integers(0, 5), st.floats(0, 1))
def test_takes_are_the_seats_counted(pairs: list[tuple[float, int]], smallest: int, share: float) -> None:
    mass, N = np.array([m for m, _ in pairs]), np.array([n for _, n in pairs])
    total = round(share * int(N.sum()))
    counted = np.bincount(seats(mass, N, total, smallest=smallest), minlength=N.size)
    assert takes(mass, N, total, smallest=smallest).tolist() == counted.tolist()


@checked
@given(bands, st.floats(0, 1))
def test_pi_of_a_poisson_draw_sum_to_the_budget_and_follow_the_rates(pairs: list[tuple[float, int]], share: float) -> None:
    mass, N = np.array([m for m, _ in pairs]), np.array([n for _, n in pairs])
    design = DrawDesign(name="poisson", band=np.arange(N.size), N=N, mass=mass, smallest=0, poisson=True)
    total = max(1, round(share * design.frame))
    pi = pi_of(design, total)
    rounding = 16 * (N.size + 1) * EPS
    assert abs((pi * N).sum() - total) <= rounding * total
    open_bands = pi < 1 - rounding
    scale = (pi / (mass / N))[open_bands]
    assert np.allclose(scale, scale[:1], rtol=1e-9)  # one price for all that are not certain
    if open_bands.any() and not open_bands.all():
        assert ((mass / N)[~open_bands] * scale[0] >= 1 - 1e-6).all()


@pytest.mark.parametrize("labels", [1, 7, 25, 59])
def test_sequential_draws_are_those_of_every_unit_by_itself(labels: int, seed: int) -> None:
    """Mean counts of 20,000 draws of the short way against as many with a number for every unit, to 5 standard errors."""
    design = DrawDesign(
        name="poisson", band=np.arange(4), N=np.array([3, 20, 30, 7]), mass=np.array([2.9, 8.0, 3.0, 0.5]), smallest=0, poisson=True
    )
    reps = 20_000
    found = sequential(design, labels=labels, reps=reps, rng=stream(seed, CHANCE, labels))
    rate, home = design.mass / design.N, np.repeat(np.arange(4), design.N)
    place = stream(seed, CHANCE, labels, 1).random((reps, home.size)) / rate[home]
    first = home[np.argsort(place, axis=1)[:, :labels]]
    brute = np.stack([(first == h).sum(axis=1) for h in range(4)], axis=1)
    assert (found.sum(axis=1) == labels).all()
    assert (found <= design.N).all()
    for one, other in ((found, brute), (found**2, brute**2)):  # how many come, and how much that varies
        error = np.sqrt((one.var(axis=0) + other.var(axis=0)) / reps)
        assert (np.abs(one.mean(axis=0) - other.mean(axis=0)) <= norm.isf(1e-7) * error + 1e-12).all()


def test_a_draw_that_forgets_the_rates_is_seen(seed: int) -> None:
    """The twin: as many labels dealt evenly over the units are told apart from a Poisson draw."""
    design = DrawDesign(name="poisson", band=np.arange(2), N=np.array([20, 40]), mass=np.array([8.0, 4.0]), smallest=0, poisson=True)
    found = sequential(design, labels=15, reps=2_000, rng=stream(seed, CHANCE, 99))
    even = np.array([5.0, 10.0])
    assert abs(found.mean(axis=0)[0] - even[0]) > norm.isf(1e-7) * found.std(axis=0)[0] / math.sqrt(2_000)


def moved(metric: str, totals: Totals, part: str, by: float) -> float:
    """The metric with one of its four totals moved by a little."""
    return float(metric_named(metric).value(totals._replace(**{part: getattr(totals, part) + by})))


def slopes(metric: str, totals: Totals) -> dict[str, float]:
    """Central differences of the metric in its four totals."""
    found = {}
    for part in ("TP", "FP", "FN", "TN"):
        step = 1e-5 * max(float(getattr(totals, part)), 1e-3 * float(sum(totals)))
        found[part] = (moved(metric, totals, part, step) - moved(metric, totals, part, -step)) / (2 * step)
    return found


def second_moment(profile: Profile, metric: str) -> FloatArray:
    """sqrt(E z^2) of a unit of each cell: its outcome is TP or FP if flagged, FN or TN if not, positive with the doubted guide."""
    flagged = profile.predicted(0)
    slope = slopes(metric, guided_totals(profile, flagged, None))
    found = []
    for s, side in zip(doubted_guide(profile, flagged), flagged, strict=True):
        outcomes = (("TP", s), ("FP", 1 - s)) if side else (("FN", s), ("TN", 1 - s))
        found.append(math.sqrt(sum(chance * slope[part] ** 2 for part, chance in outcomes)))
    return np.array(found)


@pytest.mark.parametrize("metric", ["precision", "recall", "f1", "accuracy", "mcc"])
def test_outcome_sizes_are_the_second_moments_of_numeric_derivatives(metric: str) -> None:
    profile = profile_of({(0, 5): 900, (0, 1500): 300, (0, 2200): 80, (1, 2500): 150, (1, 3500): 90, (1, 4000): 30})
    size = outcome_sizes(profile, profile.predicted(0), [metric_named(metric)])
    by_hand = second_moment(profile, metric)
    assert size == pytest.approx(by_hand / (by_hand * profile.count).sum(), rel=1e-5)


@checked
@given(profiles(), st.lists(st.sampled_from(["precision", "recall", "f1", "prevalence", "mcc"]), min_size=2, max_size=3, unique=True))
def test_sizes_of_several_metrics_are_the_root_of_the_sum_of_squares(profile: Profile, names: list[str]) -> None:
    flagged = profile.predicted(0)
    each = np.stack([outcome_sizes(profile, flagged, [metric_named(name)]) for name in names])
    together = outcome_sizes(profile, flagged, [metric_named(name) for name in names])
    assert np.allclose(together, np.sqrt((each**2).sum(axis=0)), rtol=1e-9)
    assert np.isfinite(together).all()
