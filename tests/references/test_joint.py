"""Several labels or classes against scikit-learn, against one classifier alone, and against every possible draw."""

from itertools import combinations, product

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn import metrics as sk

from fewlabels.estimators.grouping import groups_of
from fewlabels.estimators.joint import correlate, measure_joint
from fewlabels.estimators.measuring import Measured, measure
from fewlabels.estimators.sides import read_sides
from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.estimate import IntervalKind
from fewlabels.nouns.metrics import METRICS, metric_named
from fewlabels.nouns.tally import JointTally
from fewlabels.planning.design_choice import choose_design
from fewlabels.randomness import stream
from tests.identities.made import EPS
from tests.identities.made_joint import Judged, classes, draw_rows, labels

SAME = 1e-12
FOUND = 1e-6  # of a limit, which is a root
TAIL = 0.025
AVERAGE = ("micro", "macro", "weighted")
REFERENCE = {"f1": sk.f1_score, "precision": sk.precision_score, "recall": sk.recall_score, "jaccard": sk.jaccard_score}


def several_labels(N: int = 3_000, J: int = 3) -> Judged:
    """Labels from a fifth down to a twentieth, whose truths lean on each other."""
    rng = stream(11)
    lean = rng.normal(0, 1, N)[:, None]
    truth = lean + rng.normal(0, 1, (N, J)) > np.array([1.2, 1.7, 2.3])[:J]
    scores = 1 / (1 + np.exp(-(1.5 * rng.normal(0, 1, (N, J)) + 3 * truth - 2)))
    return labels(scores, truth)


def several_classes(N: int = 3_000) -> Judged:
    rng = stream(12)
    true = rng.choice(["cat", "dog", "eel"], N, p=[0.6, 0.3, 0.1])
    return classes(np.where(rng.random(N) < 0.8, true, rng.choice(["cat", "dog", "eel"], N)), true)


def census(at: Judged) -> JointTally:
    return at.tally(choose_design(at.profile, [metric_named("macro[f1]")], labels=400), np.arange(at.cell.size))


def drawn(at: Judged, n: int = 400, *, classifiers: list[int] | None = None, simple: bool = False) -> JointTally:
    """One draw of the labels, the same every time."""
    design = choose_design(at.profile, [metric_named("macro[f1]")], labels=n, name="simple" if simple else "bands")
    return at.tally(design, draw_rows(at, design, labels=n, rng=stream(13)), classifiers=classifiers)


# ---------------------------------------------------------------- scikit-learn


@pytest.mark.parametrize("part", REFERENCE)
@pytest.mark.parametrize("average", AVERAGE)
@pytest.mark.parametrize("kind", ["labels", "classes"])
def test_a_census_gives_the_value_of_scikit_learn(kind: str, average: str, part: str) -> None:
    at = several_labels() if kind == "labels" else several_classes()
    wanted = float(REFERENCE[part](at.truth > 0, at.flags, average=average))
    found = measure(metric_named(f"{average}[{part}]"), census(at), tail=TAIL)
    assert float(found.value) == pytest.approx(wanted, rel=0, abs=SAME)
    assert float(found.low) - SAME <= wanted <= float(found.high) + SAME
    assert float(found.high - found.low) <= 1e-9  # a census has no error


def test_a_census_of_classes_gives_their_accuracy() -> None:
    at = several_classes()
    wanted = float(sk.accuracy_score(at.truth.argmax(1), at.flags.argmax(1)))
    assert float(measure(metric_named("class_accuracy"), census(at), tail=TAIL).value) == pytest.approx(wanted, rel=0, abs=SAME)


@pytest.mark.parametrize("average", AVERAGE)
def test_a_single_answer_changed_is_noticed(average: str) -> None:
    """The twin: one answer to one question moves every average by far more than the tolerance."""
    at = several_labels()
    changed = at.truth.copy()
    changed[0, 2] = 1 - changed[0, 2]
    wanted = float(sk.f1_score(changed > 0, at.flags, average=average))
    assert abs(float(measure(metric_named(f"{average}[f1]"), census(at), tail=TAIL).value) - wanted) > 1e6 * SAME


# ---------------------------------------------------------------- one classifier, and copies of it


def same(a: Measured, b: Measured) -> None:
    for mine, other in zip(a, b, strict=True):
        assert mine == pytest.approx(other, rel=SAME, abs=SAME)


@pytest.mark.parametrize("simple", [False, True], ids=["bands", "simple"])
@pytest.mark.parametrize("interval", ["rec", "strict", "midp"])
@pytest.mark.parametrize("average", AVERAGE)
def test_one_classifier_alone_is_what_it_is_without_others(average: str, interval: IntervalKind, simple: bool) -> None:
    at = several_labels()
    joint = drawn(at, classifiers=[1], simple=simple)
    assert np.array_equal(joint.correlation, np.eye(2))  # a unit is on one side: its label says nothing of the other
    for part in ("f1", "precision", "recall"):
        alone = measure(METRICS[part], joint.tallies[0], tail=TAIL, interval=interval)
        same(measure_joint(metric_named(f"{average}[{part}]"), joint, tail=TAIL, interval=interval), alone)


def copied(copies: int = 2) -> Judged:
    """One label asked several times over."""
    at = several_labels()
    rng = stream(14)
    scores = 1 / (1 + np.exp(-(1.5 * rng.normal(0, 1, at.cell.size) + 3 * at.truth[:, 0] - 2)))
    return labels(np.repeat(scores[:, None], copies, axis=1), np.repeat(at.truth[:, :1] > 0, copies, axis=1))


@pytest.mark.parametrize("interval", ["rec", "strict"])
def test_copies_of_one_label_move_together_and_are_as_uncertain_as_one(interval: IntervalKind) -> None:
    joint = drawn(copied())
    assert joint.correlation[0, 2] == pytest.approx(1, rel=SAME)
    assert joint.correlation[1, 3] == pytest.approx(1, rel=SAME)
    assert (joint.correlation[[0, 0, 1, 1], [1, 3, 0, 2]] == 0).all()
    alone = measure(METRICS["f1"], joint.tallies[0], tail=TAIL, interval=interval)
    same(measure_joint(metric_named("macro[f1]"), joint, tail=TAIL, interval=interval), alone)


def test_copies_taken_to_be_independent_would_look_surer_than_one() -> None:
    """The twin: without correlations two copies shrink the interval by the root of 2, though nothing more is known."""
    joint = drawn(copied())
    alone = measure(METRICS["f1"], joint.tallies[0], tail=TAIL)
    blind = measure_joint(metric_named("macro[f1]"), joint._replace(correlation=np.eye(4)), tail=TAIL)
    for end in (lambda m: m.high - m.value, lambda m: m.value - m.low):
        assert float(end(blind)) == pytest.approx(float(end(alone)) / np.sqrt(2), rel=FOUND)


@pytest.mark.parametrize("simple", [False, True], ids=["bands", "simple"])
@pytest.mark.parametrize("part", ["f1", "precision", "recall"])
def test_a_macro_reaches_no_further_than_its_labels_do_on_average(part: str, simple: bool) -> None:
    """Whatever the correlations: at 1 it reaches as far as the mean of the labels' own intervals, else less far."""
    joint = drawn(several_labels(), simple=simple)
    alone = [measure(METRICS[part], tally, tail=TAIL) for tally in joint.tallies]
    macro = measure_joint(metric_named(f"macro[{part}]"), joint, tail=TAIL)
    assert float(macro.value) == pytest.approx(np.mean([m.value for m in alone]), rel=SAME)
    assert 0 < float(macro.high - macro.value) <= np.mean([m.high - m.value for m in alone]) + SAME
    assert 0 < float(macro.value - macro.low) <= np.mean([m.value - m.low for m in alone]) + SAME
    apart = measure_joint(metric_named(f"macro[{part}]"), joint._replace(correlation=np.eye(6)), tail=TAIL)
    root_sum = np.sqrt(np.sum([(m.high - m.value) ** 2 for m in alone])) / 3
    assert float(apart.high - apart.value) == pytest.approx(root_sum, rel=FOUND)


# ---------------------------------------------------------------- every possible draw

# pattern of decisions and truths of two labels for every unit; a band is the units of one pattern
PATTERN = np.array([3, 3, 3, 3, 3, 1, 1, 1, 1, 0, 0, 0, 0])
TRUTH = np.array([[1, 1], [1, 1], [0, 0], [1, 0], [0, 0], [1, 0], [0, 1], [1, 1], [0, 0], [0, 0], [1, 1], [0, 0], [0, 1]], dtype=np.float64)
TAKE = (2, 3, 2)


def tiny() -> tuple[Judged, DrawDesign]:
    """Thirteen units, three patterns, and a design whose bands are the patterns."""
    scores = np.stack([PATTERN & 1, PATTERN >> 1], axis=1) * 0.8 + 0.1
    at = labels(scores, TRUTH > 0)
    _, band = np.unique(-at.profile.pattern, return_inverse=True)
    N = np.bincount(band, weights=at.profile.count).astype(np.int64)
    assert N.tolist() == [5, 4, 4]
    return at, DrawDesign(name="bands", band=band, N=N, mass=np.array(TAKE, dtype=np.float64))


def all_draws(at: Judged, design: DrawDesign) -> list[NDArray[np.int64]]:
    units = [np.flatnonzero(design.band[at.cell] == h) for h in range(3)]
    ways = (combinations(u, n) for u, n in zip(units, TAKE, strict=True))
    return [np.concatenate(rows) for rows in product(*ways)]


def totals_and_covariance(at: Judged, design: DrawDesign) -> tuple[FloatArray, FloatArray]:
    """The four estimated totals of every draw, and the covariance each draw estimates of them."""
    totals, covariance = [], []
    for rows in all_draws(at, design):
        joint = at.tally(design, rows)
        sides = [(side, N) for t in joint.tallies for side, N in zip(read_sides(t), (t.N1, t.N0), strict=True)]
        totals.append([float(side.p) * N for side, N in sides])
        deviation = np.array([np.sqrt(float(side.raw)) * N for side, N in sides])
        covariance.append(joint.correlation * deviation * deviation[:, None])
    return np.array(totals), np.array(covariance)


def test_the_estimated_covariance_is_unbiased() -> None:
    at, design = tiny()
    totals, covariance = totals_and_covariance(at, design)
    assert len(totals) == 10 * 4 * 6
    true = np.cov(totals.T, bias=True)
    rounding = 64 * len(totals) * EPS
    assert covariance.mean(0) == pytest.approx(true, rel=rounding, abs=rounding * true.max())
    assert abs(true[0, 2]) > 0.3 * np.sqrt(true[0, 0] * true[2, 2])  # so that leaving it out would be noticed
    flags = np.stack([PATTERN & 1, PATTERN >> 1], axis=1)
    counted = [float(TRUTH[flags[:, j] == side, j].sum()) for j in range(2) for side in (1, 0)]
    assert totals.mean(0) == pytest.approx(counted, rel=rounding)


def test_a_covariance_without_the_finite_factor_is_noticed() -> None:
    """The twin: dropping 1 - f_h gives another covariance between the labels."""
    at, design = tiny()
    totals, covariance = totals_and_covariance(at, design)
    endless = covariance.mean(0)[0, 2] / (1 - 2 / 5)
    assert abs(endless - np.cov(totals.T, bias=True)[0, 2]) > 0.1


def test_a_total_without_residuals_is_correlated_with_none() -> None:
    residuals = np.array([[0.5, 0.0], [-0.5, 0.0], [0.5, 0.0], [-0.5, 0.0]])
    assert np.array_equal(correlate(residuals, np.zeros(4, dtype=np.int64), np.array([9])), np.eye(2))


def test_answers_to_one_question_only_count_for_that_one() -> None:
    at, design = tiny()
    rows = all_draws(at, design)[0]
    groups = [groups_of(at.profile, design, classifier=j) for j in range(2)]
    lacking = at.truth.copy()
    lacking[rows[0], 1] = np.nan
    joint = at._replace(truth=lacking).tally(design, rows)
    assert [float(t.labels) for t in joint.tallies] == [7, 6]
    assert float(joint.labels) == 7
    assert sum(float(g.N.sum()) for g in groups) == 26
