"""Tipping points: the price is exact, what is ruled out is, and a target that stands whatever hides is reached as often as promised."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom, hypergeom

from fewlabels.deciding.tipping import Hidden, evenly, labels_to_rule_out, labels_without, most_hidden, tipping_point
from fewlabels.nouns.goal import parse_goal
from fewlabels.nouns.tally import Tally
from fewlabels.nouns.tipping import TippingPoint
from fewlabels.nouns.weights import LabelSums
from fewlabels.randomness import stream

N = np.array([200.0, 300.0, 500.0, 8_000.0])  # flagged, two bands near the threshold, and the region
LABELS = np.array([60, 60, 60, 300])
POSITIVES = np.array([170, 60, 10, 60])
REGION = np.array([False, False, False, True])
GOAL = "recall >= 0.5"


def tally(k: np.ndarray, n: np.ndarray = LABELS) -> Tally:
    flagged = np.array([True, False, False, False])
    shares = np.array([0.85, 0.2, 0.01, 1e-5])
    logit = np.log(shares / (1 - shares))
    return Tally(
        flagged=flagged, N=N, n=n.astype(float), k=k.astype(float), logit=logit, expected=shares, N1=200.0, N0=8_800.0, simple=False
    )


def point(k: np.ndarray, *, goal: str = GOAL, tail: float = 0.05, n: np.ndarray = LABELS) -> TippingPoint:
    return tipping_point(parse_goal(goal), Hidden(tally(k, n), REGION, 0.05), tail=tail)


@pytest.mark.parametrize(("m", "units", "tail"), [(1, 400, 0.05), (3, 400, 0.025), (141, 46_200, 0.025), (140, 46_200, 0.05)])
def test_the_price_is_the_smallest_number_of_labels_that_rule_out(m: int, units: int, tail: float) -> None:
    n = labels_without(m, units, tail=tail)
    assert hypergeom.pmf(0, units, m, n) <= tail < hypergeom.pmf(0, units, m, n - 1)


def test_the_numbers_of_the_documentation() -> None:
    assert labels_without(141, 46_200, tail=0.025) == 1_192
    assert labels_without(140, 46_200, tail=0.05) == 977


def test_the_price_rules_out_what_it_says_and_one_label_less_does_not() -> None:
    found = point(np.array([51, 12, 1, 0]))
    assert found.to_rule_out is not None
    assert not found.holds
    enough = np.array([60, 60, 60, found.to_rule_out])
    after = point(np.array([51, 12, 1, 0]), n=enough)
    assert after.stands == found.stands
    assert after.holds
    assert not point(np.array([51, 12, 1, 0]), n=enough - np.array([0, 0, 0, 1])).holds


@pytest.mark.parametrize("most", [0, 5, 100])
def test_the_price_in_several_bands_rules_out_what_it_says(most: int) -> None:
    """Bands do not divide evenly: the number for one band of all their units would not do."""
    sizes = np.array([2_703.0, 2_711.0, 517.0, 4_001.0, 38.0])
    flat = np.zeros(sizes.size)
    region = Tally(flagged=flat > 0, N=sizes, n=sizes, k=flat, logit=flat, expected=flat, N1=0.0, N0=float(sizes.sum()))
    n = labels_to_rule_out(region, most, tail=0.025)
    left, enough = (most_hidden(region.counted(evenly(sizes, labels), flat), tail=0.025) for labels in (n - 1, n))
    assert enough <= most < left
    assert 1 <= n / labels_without(most + 1, int(sizes.sum()), tail=0.025) < 1.05


@pytest.mark.parametrize("n", [0, 1, 7, 9_970])
def test_labels_are_spread_evenly(n: int) -> None:
    sizes = np.array([2_703.0, 2_711.0, 517.0, 4_001.0, 38.0])
    take = evenly(sizes, n)
    assert take.sum() == n
    assert (np.abs(take - n * sizes / sizes.sum()) < 1).all()


def test_the_price_does_not_depend_on_how_the_labels_so_far_were_drawn() -> None:
    """In pooled bands labels stand for different numbers of units; an even draw has none of that."""
    sizes, n = np.array([5_000.0, 20_000.0]), np.array([20.0, 25.0])
    flat = np.zeros(2)
    plain = Tally(flagged=flat > 0, N=sizes, n=n, k=flat, logit=flat, expected=flat, N1=0.0, N0=25_000.0)
    pooled = replace(plain, expansions=LabelSums(1.3 * sizes, sizes**2 / n, flat, flat))
    assert most_hidden(pooled, tail=0.025) != most_hidden(plain, tail=0.025)
    assert labels_to_rule_out(pooled, 500, tail=0.025) == labels_to_rule_out(plain, 500, tail=0.025)


def test_a_target_that_nothing_hidden_can_break_says_so() -> None:
    """NPV is at least what it is with every unit of the region positive."""
    found = point(np.array([51, 12, 1, 0]), goal="negative_predictive_value >= 0.01")
    assert found.stands == found.units
    assert str(found).endswith("stands whatever hides among the 8,000 unflagged units scored below 0.05")


def test_positives_found_in_the_region_have_no_price() -> None:
    found = point(np.array([51, 12, 1, 2]))
    assert (found.found, found.to_rule_out) == (2, None)
    assert "it takes" not in str(found)


def test_what_hides_is_added_to_the_metric() -> None:
    """With m* positives in the region the bound reaches the target, with one more it does not; a lower target allows more."""
    strictly, loosely = (point(np.array([51, 12, 1, 0]), goal=f"recall >= {target}").stands for target in (0.5, 0.4))
    assert strictly is not None
    assert loosely is not None
    assert 0 < strictly < loosely
    assert point(np.array([51, 40, 20, 0])).stands is None


def drawn(rng: np.random.Generator, labels: np.ndarray) -> np.ndarray:
    return np.asarray(rng.hypergeometric(POSITIVES, (N - POSITIVES).astype(int), labels))


@pytest.mark.parametrize("inside", [100, 2_000])
def test_a_target_that_is_missed_stands_whatever_hides_at_most_as_often_as_promised(inside: int) -> None:
    """Recall is 170/300 with 60 positives hidden. The twin takes those that no label has shown for none: it holds far too often."""
    rng, reps, tail = stream(21, inside), 400, 0.1
    labels = np.array([60, 60, 60, inside])
    points = [point(drawn(rng, labels), tail=tail, goal="recall >= 0.567", n=labels) for _ in range(reps)]
    holds, exceeded = sum(one.holds for one in points), sum(one.ruled_out < POSITIVES[3] for one in points)
    assert binom.sf(holds - 1, reps, tail) > 1e-3
    assert binom.sf(exceeded - 1, reps, tail / 2) > 1e-3
    if inside == 100:
        believed = sum(one.stands is not None and one.found == 0 for one in points)
        assert binom.sf(believed - 1, reps, tail) < 1e-6
