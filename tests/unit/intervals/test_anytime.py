"""The running band: exact on every order in which a tiny population can be drawn, and what must not change it."""

from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from fewlabels.designs.online import asking_rates, predicted
from fewlabels.estimators.online import difference_terms, path, terms_of
from fewlabels.intervals import anytime
from fewlabels.intervals.anytime import (
    ABOVE,
    BELOW,
    EFFECTS,
    MISSING,
    Steps,
    Terms,
    Wealth,
    after,
    band_of,
    bet,
    growth,
    impossible,
    no_evidence,
    payoffs,
    walk,
    width_effects,
)
from fewlabels.nouns.arrays import FloatArray, IntArray
from fewlabels.nouns.metrics import ACCURACY, F1, PRECISION, RECALL
from fewlabels.randomness import stream

FLAGGED = np.array([True, False])
TINY = {  # labels of the units of two bands
    "precision": (terms_of(PRECISION, np.array([True, True])), ([1, 1, 0], [1, 0])),
    "recall": (terms_of(RECALL, FLAGGED), ([1, 0, 1], [1, 0])),
    "f1": (terms_of(F1, FLAGGED), ([1, 0, 1], [1, 0])),
    "sign of an accuracy difference": (difference_terms(ACCURACY, FLAGGED, ~FLAGGED), ([1, 0], [1, 0])),
}


def truth_of(terms: Terms, units: tuple[list[int], list[int]]) -> float:
    k = np.array([sum(band) for band in units])
    n = np.array([len(band) for band in units])
    f, g = (float((one * k + none * (n - k)).sum()) for none, one in ((terms.f0, terms.f1), (terms.g0, terms.g1)))
    return f / g if g else 0.0


def step_of(N: IntArray, counts: FloatArray, prior: FloatArray, band: int, label: int) -> Steps:
    """One step after these counts (positives, negatives, missing by band), with rates that learn from them."""
    positives, negatives, missing = counts
    left = N - counts.sum(axis=0)
    share = predicted(positives, positives + negatives, prior)
    rate = asking_rates(np.sqrt(share * (1 - share)), left, even=0.3)
    return Steps(left, rate, share, positives, negatives, missing, np.array(band), np.array(label))


def every_path(
    terms: Terms, units: tuple[list[int], list[int]], lost: tuple[int, int] | None, m: float
) -> Iterator[tuple[int, float, Wealth, Steps]]:
    """Every order of drawing, with its probability: (draws, probability, evidence, last step). `lost` is (band, position) of one unit."""
    N, prior, at = np.array([len(band) for band in units]), np.array([0.6, 0.3]), np.array([m])

    def go(drawn: frozenset[tuple[int, int]], counts: FloatArray, p: float, evidence: Wealth) -> Iterator[tuple[int, float, Wealth, Steps]]:
        for band, labels in enumerate(units):
            left = [i for i in range(len(labels)) if (band, i) not in drawn]
            for i in left:
                label = MISSING if lost == (band, i) else labels[i]
                step = step_of(N, counts, prior, band, label)
                chance = p * float(step.rate[band]) / len(left)
                now = bet(evidence, terms, step, at, N=float(N.sum()))
                yield len(drawn) + 1, chance, now, step
                more = counts.copy()
                more[[1, 0, 2][label], band] += 1  # MISSING is -1, the last
                yield from go(drawn | {(band, i)}, more, chance, now)

    yield from go(frozenset(), np.zeros((3, 2)), 1.0, no_evidence((), at))


@pytest.mark.parametrize("name", TINY)
def test_at_the_truth_every_bettor_owns_one_on_average_after_every_draw(name: str) -> None:
    terms, units = TINY[name]
    total: dict[int, FloatArray] = {}
    chance: dict[int, float] = {}
    for t, p, evidence, _ in every_path(terms, units, None, truth_of(terms, units)):
        total[t] = total.get(t, 0.0) + p * np.exp(evidence.wealth)
        chance[t] = chance.get(t, 0.0) + p
    assert set(total) == set(range(1, len(units[0]) + len(units[1]) + 1))
    for t, owned in total.items():
        assert chance[t] == pytest.approx(1, abs=1e-12)
        np.testing.assert_allclose(owned, 1, atol=1e-11)  # (1, two bets, twelve bettors)


@pytest.mark.parametrize("name", TINY)
def test_with_a_missing_answer_no_bettor_owns_more_than_one_on_average(name: str) -> None:
    terms, units = TINY[name]
    for lost in ((0, 0), (0, 1), (1, 0), (1, 1)):
        total: dict[int, FloatArray] = {}
        for t, p, evidence, _ in every_path(terms, units, lost, truth_of(terms, units)):
            total[t] = total.get(t, 0.0) + p * np.exp(evidence.wealth)
        assert all((owned <= 1 + 1e-11).all() for owned in total.values())


def test_rates_that_know_the_answer_are_not_fair() -> None:
    """The twin: the same enumeration notices rates that look ahead."""
    terms, units = TINY["precision"]
    m, N = np.array([truth_of(terms, units)]), np.array([3, 2])
    owned = np.zeros((1, 2, EFFECTS.size))
    for band, labels in enumerate(units):
        for label in labels:
            step = step_of(N, np.zeros((3, 2)), np.array([0.6, 0.3]), band, label)
            told = asking_rates(np.where(np.arange(2) == band, 1.0 + label, 1.0), step.left, even=0.3)
            owned += float(step.rate[band]) / len(labels) * np.exp(growth(terms, step._replace(rate=told), m, N=5.0))
    assert (np.abs(owned - 1) > 1e-4).any()


@pytest.mark.parametrize("name", TINY)
def test_a_bet_pays_on_average_what_the_metric_is_away(name: str) -> None:
    """The mean of Z given the past is sum h(m) / N, at any m."""
    terms, units = TINY[name]
    N, m = np.array([len(band) for band in units]), np.linspace(-0.2, 1.2, 8)
    h0, h1 = terms.at(m)
    positives = np.array([sum(band) for band in units])
    whole = (h0 @ (N - positives) + h1 @ positives) / N.sum()
    found = np.zeros((8, 2))
    for band, labels in enumerate(units):
        for label in labels:
            step = step_of(N, np.zeros((3, 2)), np.array([0.6, 0.3]), band, label)
            found += float(step.rate[band]) / len(labels) * payoffs(terms, step, m, N=float(N.sum())).Z
    np.testing.assert_allclose(found, np.stack([whole, whole], axis=-1), atol=1e-12)


@pytest.mark.parametrize("name", [name for name in TINY if "sign" not in name])
def test_when_all_units_are_labeled_the_truth_alone_is_left(name: str) -> None:
    terms, units = TINY[name]
    truth = truth_of(terms, units)
    m = np.unique(np.append(np.linspace(0, 1, 101), truth))
    for seed in range(5):
        steps = a_path(terms, units, stream(7, seed))
        *_, best = walk(terms, steps, m, N=5.0)
        alive = (best[-1] < -np.log(1e-9)).all(axis=-1)  # no finite evidence is this strong after five labels
        assert m[alive].tolist() == [truth]
        band = band_of(best[-1], m, tail=1e-9)
        assert band.low <= truth <= band.high
        assert band.high - band.low < 0.021


def a_path(terms: Terms, units: tuple[list[int], list[int]], rng: np.random.Generator) -> Steps:
    """All units in some order."""
    band = np.repeat(np.arange(2), [len(band) for band in units])
    label, order = np.concatenate([np.array(band) for band in units]), rng.permutation(5)
    return steps_of(np.array([len(b) for b in units]), np.array([0.6, 0.3]), band[order], label[order])


def steps_of(N: IntArray, prior: FloatArray, band: IntArray, label: IntArray) -> Steps:
    """A path with the rates it would have had, one unit at a time."""
    steps = path(N.astype(float), prior, band=band, label=label, rate=np.ones((band.size, N.size)))
    return steps._replace(rate=asking_rates(np.sqrt(steps.share * (1 - steps.share)), steps.left, even=0.3))


def long_path(rng: np.random.Generator, terms: Terms, *, T: int = 200, missing: float = 0.05) -> Steps:
    """200 units of four bands, one in twenty unanswered."""
    N = np.full(terms.f0.size, 400)
    band = rng.integers(0, N.size, T)
    label = np.where(rng.random(T) < missing, MISSING, (rng.random(T) < 0.8).astype(np.int64))
    return steps_of(N, np.linspace(0.9, 0.3, N.size), band, label)


@pytest.mark.parametrize("metric", [PRECISION, F1])
def test_a_path_read_at_once_is_the_path_read_label_by_label(metric, monkeypatch: pytest.MonkeyPatch) -> None:
    terms = terms_of(metric, np.array([True, True, True, False]))
    steps, m = long_path(stream(3, 1), terms), np.linspace(0, 1, 41)
    evidence, found = no_evidence((), m), []
    for t in range(steps.band.size):
        evidence = bet(evidence, terms, Steps(*(part[t] for part in steps)), m, N=1600.0)
        found.append(evidence.best)
    for chunk in (1, 7 * 41 * 24, 1 << 20):
        monkeypatch.setattr(anytime, "CHUNK", chunk)
        walked = np.concatenate(list(walk(terms, steps, m, N=1600.0)))
        np.testing.assert_allclose(walked, np.stack(found), rtol=1e-12, atol=1e-12)


def test_a_path_cut_short_is_the_beginning_of_the_whole() -> None:
    terms = terms_of(RECALL, np.array([True, True, False, False]))
    steps, m = long_path(stream(3, 2), terms), np.linspace(0, 1, 41)
    whole = np.concatenate(list(walk(terms, steps, m, N=1600.0)))
    part = np.concatenate(list(walk(terms, steps.part(0, 77), m, N=1600.0)))
    np.testing.assert_allclose(part, whole[:77], rtol=1e-12, atol=1e-12)


def test_paths_side_by_side_are_the_paths_one_by_one() -> None:
    terms, m = terms_of(F1, np.array([True, True, False])), np.array([0.3, 0.7])
    both = [long_path(stream(4, i), terms, T=30) for i in range(2)]
    evidence = no_evidence((2,), m)
    for t in range(30):
        evidence = bet(evidence, terms, Steps(*(np.stack([one[i][t] for one in both]) for i in range(8))), m, N=1200.0)
    for i, one in enumerate(both):
        *_, best = walk(terms, one, m, N=1200.0)
        np.testing.assert_allclose(evidence.best[i], best[-1], rtol=1e-12, atol=1e-12)


def made(known: Sequence[FloatArray], band: IntArray, label: IntArray) -> Steps:
    """Steps from what was known before them, in the order of the fields."""
    left, rate, share, positives, negatives, missing = known
    return Steps(left, rate, share, positives, negatives, missing, band, label)


def test_the_order_of_bands_does_not_matter() -> None:
    terms, m = terms_of(F1, np.array([True, True, False, False])), np.linspace(0.1, 0.9, 9)
    steps, order = long_path(stream(5, 1), terms), np.array([2, 0, 3, 1])
    turned = made([part[:, order] for part in steps[:6]], np.argsort(order)[steps.band], steps.label)
    moved = Terms(f0=terms.f0[order], f1=terms.f1[order], g0=terms.g0[order], g1=terms.g1[order])
    (one,), (other,) = (list(walk(t, s, m, N=1600.0)) for t, s in ((terms, steps), (moved, turned)))
    np.testing.assert_allclose(other, one, rtol=1e-11, atol=1e-11)


def test_a_band_cut_in_two_that_are_drawn_and_predicted_alike_changes_nothing() -> None:
    whole = Terms(f0=np.zeros(1), f1=np.ones(1), g0=np.ones(1), g1=np.ones(1))
    halves = terms_of(PRECISION, np.array([True, True]))
    one = made([np.array([x]) for x in (100.0, 1.0, 0.8, 3.0, 1.0, 0.0)], np.array(0), np.array(0))
    known = ([60.0, 40.0], [0.6, 0.4], [0.8, 0.8], [2.0, 1.0], [0.0, 1.0], [0.0, 0.0])
    two = made([np.array(x) for x in known], np.array(1), np.array(0))
    m = np.linspace(0, 1, 11)
    np.testing.assert_allclose(growth(whole, one, m, N=104.0), growth(halves, two, m, N=104.0), rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("metric", [PRECISION, RECALL, F1])
def test_a_missing_answer_helps_neither_bet(metric) -> None:
    terms, m = terms_of(metric, np.array([True, True, True, False])), np.linspace(0, 1, 21)
    steps = long_path(stream(6, 1), terms, missing=0.0)
    last = steps.part(199, 200)
    grown = {label: growth(terms, last._replace(label=np.array([label])), m, N=1600.0) for label in (0, 1, MISSING)}
    assert (grown[MISSING] <= np.minimum(grown[0], grown[1]) + 1e-12).all()


def test_nothing_known_rules_out_nothing() -> None:
    """The bound is strict: at the truth the sum of h is 0 once all is known, and 0 refutes nothing."""
    terms, units = TINY["precision"]
    m = np.array([truth_of(terms, units)])
    for seed in range(10):
        steps = a_path(terms, units, stream(8, seed))
        assert not impossible(terms, after(steps), m, N=5.0).any()
        left = after(steps)
        h0, h1 = terms.at(m)
        open_ = left.left + left.missing
        seen = left.negatives @ h0.T + left.positives @ h1.T
        loose = (seen + open_ @ h0.T >= -1e-12) | (seen + open_ @ h1.T <= 1e-12)  # the twin: not strict
        assert loose[-1].all()


def test_what_is_ruled_out_after_a_draw_is_what_the_counts_after_it_rule_out() -> None:
    terms, m = terms_of(F1, np.array([True, True, False, False])), np.linspace(0, 1, 201)
    steps = steps_of(np.full(4, 30), np.full(4, 0.5), np.repeat(np.arange(4), 30), np.tile([1, 0, MISSING, 1, 0], 24))
    found = anytime._then_impossible(terms, steps, m, N=120.0)
    np.testing.assert_array_equal(found, impossible(terms, after(steps), m, N=120.0))
    assert found.any()


def test_a_loser_loses_at_most_the_cap() -> None:
    terms, m = terms_of(RECALL, np.array([True, False, False, False])), np.linspace(0, 1, 101)
    steps = long_path(stream(9, 1), terms)
    assert growth(terms, steps, m, N=1600.0).min() >= np.log(1 - anytime.CAP) - 1e-12


def test_evidence_beyond_every_number_is_still_a_number() -> None:
    wealth = np.array([[[900.0, 0.0], [-900.0, -900.0]]])
    found = anytime._mean(wealth)
    assert np.isfinite(found).all()
    assert found[0, ABOVE] > 500 > found[0, BELOW]


def test_a_difference_is_bet_on_although_nothing_is_divided_by() -> None:
    terms = difference_terms(ACCURACY, FLAGGED, ~FLAGGED)
    band, label = np.tile([0, 1], 50), np.tile([1, 0], 50)  # the first is right every time
    steps = steps_of(np.array([500, 500]), np.array([0.5, 0.5]), band, label)
    *_, best = walk(terms, steps, np.array([0.0]), N=1000.0)
    assert best[-1][0, ABOVE] > 20 > 1 > best[-1][0, BELOW]


def test_the_band_is_reported_one_step_outside() -> None:
    m = np.linspace(0, 1, 11)
    best = np.full((11, 2), 10.0)
    best[4:7] = 0.0
    band = band_of(best, m, tail=0.025)
    assert [float(x) for x in band] == [m[3], m[7]]
    everything = band_of(np.zeros((11, 2)), m, tail=0.025)
    assert [float(x) for x in everything] == [0, 1]


def test_a_band_without_values_is_unknown() -> None:
    band = band_of(np.full((2, 5, 2), 10.0), np.linspace(0, 1, 5), tail=0.025)
    assert np.isnan(band.low).all()
    assert np.isnan(band.high).all()


def test_a_declared_half_width_is_among_what_bettors_believe() -> None:
    assert 0.03 in width_effects(0.03)
