"""Two bins: errors, splits and sizes from guesses of the two positive shares."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fewlabels.designs.two_bins import F1_ALONE, Errors, MaxErrors, Split, TwoBins, Weights, flagged_share_of
from fewlabels.errors import PlanError
from fewlabels.estimators.measuring import measure
from fewlabels.nouns.metrics import METRICS
from tests.identities.made import checked, tally_of

BINS = TwoBins(pi1=0.4, pi0=0.02, flagged_share=0.1)
inner = st.floats(0.001, 0.999)
guesses = st.builds(TwoBins, pi1=inner, pi0=inner, flagged_share=inner)
NAMES = ("precision", "recall", "f1")


@checked
@given(guesses, st.integers(1, 5000), st.integers(1, 5000))
def test_more_labels_of_either_bin_never_widen_an_error(bins: TwoBins, n1: int, n0: int) -> None:
    errors = np.array(bins.errors(n1, n0))
    for more in (bins.errors(n1 + 1, n0), bins.errors(n1, n0 + 1)):
        assert (np.array(more) <= errors * (1 + 1e-12)).all()
    assert np.array(bins.simple_errors(4 * n1)) * 2 == pytest.approx(np.array(bins.simple_errors(n1)))


@checked
@given(guesses, st.integers(2, 3000))
def test_a_split_in_proportion_is_never_worse_than_a_simple_draw(bins: TwoBins, n: int) -> None:
    """Known sizes of the sides take away what varies between them: c1 / s + c0 / (1 - s) is at most the simple draw's."""
    _, c1, c0 = bins.parts
    assert (c1 / bins.flagged_share + c0 / (1 - bins.flagged_share) <= bins.parts.whole * (1 + 1e-9)).all()


@checked
@given(guesses, st.sampled_from(NAMES[1:]), st.integers(2, 3000))
def test_the_best_split_for_one_metric_is_neymans_rounded(bins: TwoBins, name: str, n: int) -> None:
    """c1 / n1 + c0 / n0 is least at n1 = n sqrt(c1) / (sqrt(c1) + sqrt(c0)), and convex, so a neighbor of that is the best whole one."""
    i = NAMES.index(name)
    root1, root0 = math.sqrt(bins.parts.c1[i]), math.sqrt(bins.parts.c0[i])
    best = bins.best_flagged(n, Weights(**{name: 1.0}))
    assert abs(best - np.clip(n * root1 / (root1 + root0), 1, n - 1)) < 1 + 1e-6


def test_precision_alone_leaves_one_label_for_the_other_bin() -> None:
    assert BINS.best_flagged(500, Weights(precision=1)) == 499
    assert BINS.errors(10, 0) == pytest.approx(Errors(math.sqrt(0.024), math.nan, math.nan), nan_ok=True)


@pytest.mark.parametrize("name", NAMES)
def test_errors_are_those_a_study_estimates(name: str) -> None:
    """From labels the variance of a share has n - 1 where the known share has n."""
    tally = tally_of([1, 0], [1e17, 9e17], [101, 401], [40.4, 8.02])
    found = measure(METRICS[name], tally, tail=0.025, interval="wald")
    error = float(found.high - found.low) / 2 / 1.959963984540054
    assert getattr(BINS.errors(100, 400), name) == pytest.approx(error, rel=1e-9)


@checked
@given(inner, inner, inner)
def test_recall_and_back(pi1: float, pi0: float, s: float) -> None:
    recall = s * pi1 / (s * pi1 + (1 - s) * pi0)
    assert TwoBins.from_recall(pi1=pi1, recall=recall, flagged_share=s).pi0 == pytest.approx(pi0, rel=1e-6)
    elsewhere = TwoBins.from_recall(pi1=pi1, recall=recall, flagged_share=0.5, measured_share=s)
    assert elsewhere.pi0 == pytest.approx(pi0, rel=1e-6)
    assert elsewhere.flagged_share == 0.5


@checked
@given(guesses, st.floats(0.03, 0.2), st.floats(0.03, 0.2))
def test_the_sizes_are_enough_and_one_label_less_is_not(bins: TwoBins, f1: float, recall: float) -> None:
    largest = MaxErrors(f1=f1, recall=recall)
    simple, split = bins.labels_for(largest, max_labels=2000)
    assume(simple is not None and split is not None and simple > 1)
    assert simple is not None
    assert split is not None
    assert split.labels <= simple + 1  # a split in proportion, both parts rounded up, is no worse than the simple draw
    slack = 1 + 1e-9

    def kept(errors: Errors) -> bool:
        return errors.f1 <= f1 * slack and errors.recall <= recall * slack

    assert kept(bins.simple_errors(simple))
    assert kept(bins.errors(*split))
    assert not kept(bins.simple_errors(simple - 1))
    assert not any(kept(bins.errors(n1, split.labels - 1 - n1)) for n1 in range(1, split.labels - 1))


def test_none_where_the_most_allowed_is_too_few() -> None:
    assert BINS.labels_for(MaxErrors(f1=0.03), max_labels=2626).simple == 2626
    assert BINS.labels_for(MaxErrors(f1=0.03), max_labels=2625) == (None, Split(447, 389))
    assert BINS.labels_for(MaxErrors(f1=0.03), max_labels=835) == (None, None)
    assert BINS.labels_for(MaxErrors(f1=0.001)) == (None, None)


def test_without_weights_the_limited_metrics_count_alike() -> None:
    largest = MaxErrors(f1=0.03, recall=0.05)
    assert BINS.labels_for(largest) == BINS.labels_for(largest, Weights(f1=1, recall=1))


def test_without_pi0_only_precision_is_answered() -> None:
    bins = TwoBins(pi1=0.4, flagged_share=0.1)
    assert np.isfinite(bins.simple_errors(100)).tolist() == [True, False, False]
    assert bins.labels_for(MaxErrors(precision=0.03)) == (2667, Split(267, 1))
    with pytest.raises(PlanError, match=r"recall and f1 need .*pi0 is not given"):
        bins.labels_for(MaxErrors(f1=0.03))
    with pytest.raises(PlanError, match="guess pi0"):
        bins.best_flagged(100, F1_ALONE)
    with pytest.raises(PlanError, match="guess pi0"):
        bins.labels_for(MaxErrors(precision=0.03), Weights(recall=1))


def test_a_recall_that_no_share_gives_is_refused() -> None:
    with pytest.raises(PlanError, match=r"recall 0\.1 with precision 0\.9 and a share of 0\.6 flagged needs one of 12\.15 .*above 0\.5745"):
        TwoBins.from_recall(pi1=0.9, recall=0.1, flagged_share=0.6)
    assert TwoBins.from_recall(pi1=0.9, recall=0.58, flagged_share=0.6).pi0 == pytest.approx(0.9776, abs=1e-4)
    assert TwoBins.from_recall(pi1=0.9, recall=0.1, flagged_share=0.6, measured_share=0.05).pi0 == pytest.approx(0.4263, abs=1e-4)


@pytest.mark.parametrize("share", [0.0, 1.0, -0.1, 1.5, math.nan])
@pytest.mark.parametrize("name", ["pi1", "pi0", "flagged_share", "recall", "measured_share"])
def test_shares_at_which_nothing_is_uncertain_are_refused(name: str, share: float) -> None:
    make = TwoBins.from_recall if name in ("recall", "measured_share") else TwoBins
    fine = {"pi1": 0.5, "flagged_share": 0.5} | ({"recall": 0.5} if name in ("recall", "measured_share") else {})
    with pytest.raises(PlanError, match=rf"^{name} must be above 0 and below 1, got {share}.*such as"):
        make(**{**fine, name: share})


@pytest.mark.parametrize("ratio", [0.0, -1.0, math.inf, math.nan])
def test_an_impossible_ratio_is_refused(ratio: float) -> None:
    assert flagged_share_of(0.25) == 0.2
    with pytest.raises(PlanError, match="give flagged / unflagged"):
        flagged_share_of(ratio)


@pytest.mark.parametrize("largest", [MaxErrors(), MaxErrors(f1=0.0), MaxErrors(f1=0.03, recall=-1), MaxErrors(f1=math.nan)])
def test_impossible_largest_errors_are_refused(largest: MaxErrors) -> None:
    with pytest.raises(PlanError, match="such as f1="):
        BINS.labels_for(largest)


@pytest.mark.parametrize("weights", [Weights(), Weights(f1=-1), Weights(f1=math.inf), Weights(f1=math.nan)])
def test_weights_that_choose_nothing_are_refused(weights: Weights) -> None:
    with pytest.raises(PlanError, match="such as f1="):
        BINS.best_flagged(100, weights)


def test_too_few_labels_are_refused() -> None:
    for ask in (lambda: BINS.best_flagged(1), lambda: BINS.simple_errors(0), lambda: BINS.errors(0, 5), lambda: BINS.errors(5, -1)):
        with pytest.raises(PlanError, match=r"must be at least \d, got"):
            ask()
