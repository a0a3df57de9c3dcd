"""Counts alone: the two readings, their standard errors, one-sided bounds, and what is refused."""

import dataclasses
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta
from sklearn import metrics as sk
from statsmodels.stats.proportion import proportion_confint

import fewlabels
from fewlabels.errors import FewlabelsError, GoalError, PlanError, PopulationError
from fewlabels.estimators.counts import Confusion, from_counts
from fewlabels.estimators.measuring import measure
from fewlabels.intervals.registered import INTERVALS
from fewlabels.nouns.estimate import IntervalKind
from fewlabels.nouns.metric import Totals
from fewlabels.nouns.metrics import METRICS, metric_named
from tests.identities.made import checked, checked_less, simple_tally_of, tally_of

COUNTS: dict[str, Any] = {"tp": 45, "fp": 5, "fn": 8, "tn": 442}
SIZES: dict[str, Any] = {"n_predicted_positive": 12_000, "n_predicted_negative": 988_000}
KINDS: tuple[IntervalKind, ...] = tuple(one.name for one in INTERVALS if not one.running and not one.is_resampled)
any_count = st.one_of(st.integers(0, 3), st.integers(0, 10_000))


def test_it_is_public() -> None:
    assert fewlabels.from_counts is from_counts


def test_values_of_a_simple_draw_are_those_of_the_counts() -> None:
    found = from_counts(**COUNTS)
    y, flagged = np.repeat([1, 0, 1, 0], [45, 5, 8, 442]), np.repeat([1, 1, 0, 0], [45, 5, 8, 442])
    for name, value in (
        ("precision", sk.precision_score(y, flagged)),
        ("recall", sk.recall_score(y, flagged)),
        ("f1", sk.f1_score(y, flagged)),
        ("mcc", sk.matthews_corrcoef(y, flagged)),
        ("kappa", sk.cohen_kappa_score(y, flagged)),
    ):
        assert found[name].value == pytest.approx(value), name
    assert {e.metric for e in found.estimates} == set(METRICS)
    assert all(e.classifier == "counts" and e.n_eff == e.labels for e in found.estimates)
    assert (found["precision"].labels, found["recall"].labels, found["negative_predictive_value"].labels) == (50, 500, 450)


def test_with_sizes_it_is_what_a_study_measures_on_the_same_labels() -> None:
    found = from_counts(**COUNTS, **SIZES)
    tally = tally_of([1, 0], [12_000, 988_000], [50, 450], [45, 8])
    for name, metric in METRICS.items():
        measured = measure(metric, tally, tail=0.025)
        e = found[name]
        assert (e.value, e.low, e.high, e.standard_error) == pytest.approx(tuple(map(float, measured)), rel=1e-12), name
    recall = found["recall"]
    assert recall.value == pytest.approx(12_000 * 0.9 / (12_000 * 0.9 + 988_000 * 8 / 450))
    assert recall.n_eff is not None
    assert recall.n_eff > 500  # two draws of known sides say more than one over everything


def test_the_standard_error_of_precision_is_the_closed_form() -> None:
    """p (1 - p) / (n - 1), with the finite-population factor where the size is known."""
    usual = np.sqrt(0.9 * 0.1 / 49)
    assert from_counts(**COUNTS)["precision"].standard_error == pytest.approx(usual)
    small = from_counts(**COUNTS, n_predicted_positive=100, n_predicted_negative=988_000)["precision"]
    assert small.standard_error == pytest.approx(usual * np.sqrt(1 - 50 / 100))
    wald = from_counts(**COUNTS, interval="wald")["precision"]
    assert (wald.high - 0.9) / usual == pytest.approx(1.959964, rel=1e-6)
    assert wald.low == pytest.approx(proportion_confint(45, 50)[0], abs=0.09 * (np.sqrt(50 / 49) - 1))  # statsmodels has n for n - 1


@pytest.mark.parametrize("name", [*METRICS, "f2", "cost[0,1,5,0]"])
def test_the_standard_error_of_a_simple_draw_is_the_multinomial_one(name: str) -> None:
    """sum g^2 pi - (sum g pi)^2 over n, up to n / (n - 1) of the smallest part."""
    counts = np.array([450, 50, 80, 4420], dtype=np.float64)
    found = from_counts(tp=450, fp=50, fn=80, tn=4420, metrics=[name])[name].standard_error
    pi, n = counts / counts.sum(), counts.sum()
    g = np.array(metric_named(name).gradient(Totals(*map(np.asarray, pi))))
    closed = np.sqrt(((g**2 * pi).sum() - (g * pi).sum() ** 2) / n)
    assert found is not None
    assert 1 <= found / closed <= np.sqrt(500 / 499) + 1e-9  # 500 flagged: the smallest domain


@pytest.mark.parametrize(("x", "n"), [(0, 60), (3, 60), (30, 60), (59, 60)])
def test_a_share_is_as_wide_as_clopper_pearson_or_a_little_wider(x: int, n: int) -> None:
    rec, exact = (from_counts(tp=x, fp=0, fn=n - x, tn=500, interval=kind)["recall"] for kind in ("rec", "clopper_pearson"))
    assert rec.low <= exact.low + 1e-12
    assert exact.high <= rec.high + 1e-12
    assert rec.high - rec.low <= 1.15 * (exact.high - exact.low)
    assert exact.high == pytest.approx(beta.ppf(0.975, x + 1, n - x) if x < n else 1)


def test_a_one_sided_bound_says_at_most_and_at_least() -> None:
    found = from_counts(tp=0, fp=0, fn=0, tn=2_000)
    assert found["prevalence"].value == 0
    assert 1 - 0.05 ** (1 / 2_000) <= found.bound("prevalence", side="upper") < 0.002  # the rule of three, a little above
    assert found.bound("prevalence", "upper", level=0.99) > found.bound("prevalence", "upper", level=0.95)
    both = from_counts(**COUNTS, **SIZES, level=0.9)
    e = both["recall"]
    assert both.bound("recall", "lower", level=0.95) == pytest.approx(e.low, rel=1e-12)  # each end of a two-sided 0.9 is a one-sided 0.95
    assert both.bound("recall", "upper", level=0.95) == pytest.approx(e.high, rel=1e-12)
    assert both.bound("f2", "lower") < both["f1"].high  # any metric, asked for or not
    refused: list[tuple[Any, float, str]] = [("above", 0.95, "upper"), ("upper", 0.5, "between"), ("upper", float("nan"), "between")]
    for side, level, match in refused:
        with pytest.raises(PlanError, match=match):
            both.bound("recall", side, level=level)


@pytest.mark.lengthy
@pytest.mark.parametrize("sizes", [{}, {"n_predicted_positive": 20_000, "n_predicted_negative": 20_000}], ids=["simple", "two sides"])
@pytest.mark.parametrize("kind", KINDS)
@checked_less
@given(tp=any_count, fp=any_count, fn=any_count, tn=any_count)
def test_any_counts_give_an_interval_in_the_range(kind: IntervalKind, sizes: dict[str, Any], tp: int, fp: int, fn: int, tn: int) -> None:
    if not tp + fp + fn + tn:
        return
    some = None if not sizes or kind in ("clopper_pearson", "wilson") else ["precision", "recall", "mcc", "weighted_f1"]
    found = from_counts(tp=tp, fp=fp, fn=fn, tn=tn, interval=kind, metrics=some, **sizes)
    for e in found.estimates:
        metric = METRICS[e.metric]
        assert metric.low <= e.low <= e.high <= metric.high
        assert (e.value is None) == (e.why is not None) == (e.n_eff is None)
        assert e.value is None or e.low <= e.value <= e.high
        assert e.low < e.high or kind in ("wald", "beta")
    json.dumps(found.as_json(), allow_nan=False)


@pytest.mark.lengthy
@checked
@given(tp=any_count, fp=any_count, fn=any_count, tn=any_count)
def test_turning_flags_and_answers_round_turns_the_metrics_round(tp: int, fp: int, fn: int, tn: int) -> None:
    if not tp + fp + fn + tn:
        return
    one, other = from_counts(tp=tp, fp=fp, fn=fn, tn=tn), from_counts(tp=tn, fp=fn, fn=fp, tn=tp)
    for mine, theirs in (("precision", "negative_predictive_value"), ("recall", "specificity"), ("f1", "f1_negative"), ("mcc", "mcc")):
        assert (one[mine].low, one[mine].high) == pytest.approx((other[theirs].low, other[theirs].high), abs=1e-9)


def test_what_cannot_be_said_says_why() -> None:
    simple = from_counts(tp=0, fp=0, fn=3, tn=40)
    assert simple["precision"].value is None
    assert simple["precision"].why is not None
    assert "0/0" in simple["precision"].why
    assert (simple["recall"].value, simple["precision"].low, simple["precision"].high) == (0.0, 0.0, 1.0)
    sided = from_counts(tp=0, fp=0, fn=3, tn=40, n_predicted_positive=9, n_predicted_negative=900)
    assert sided["recall"].value is None
    assert "no flagged unit is labeled" in str(sided["recall"].why)
    other = from_counts(tp=4, fp=1, fn=0, tn=0, n_predicted_positive=9, n_predicted_negative=900)
    assert "no unflagged unit is labeled" in str(other["recall"].why)
    nobody = from_counts(tp=0, fp=0, fn=3, tn=40, n_predicted_positive=0, n_predicted_negative=900)
    assert nobody["recall"].value == 0
    assert nobody["prevalence"].value == pytest.approx(3 / 43)


def test_a_census_is_exact() -> None:
    found = from_counts(**COUNTS, n_predicted_positive=50, n_predicted_negative=450)
    assert found["recall"].high - found["recall"].low < 2e-12 * np.hypot(50 * 8, 450 * 45) / 53**2 * 1.01  # the guard of each side


def test_clopper_pearson_speaks_for_shares_of_a_simple_draw() -> None:
    simple = from_counts(**COUNTS, interval="clopper_pearson")
    assert {"mcc", "macro_f1"}.isdisjoint(e.metric for e in simple.estimates)
    expected = measure(METRICS["recall"], simple_tally_of([1, 0], [1e18, 1e18], [50, 450], [45, 8]), tail=0.025, interval="clopper_pearson")
    assert (simple["recall"].low, simple["recall"].high) == (float(expected.low), float(expected.high))
    sided = from_counts(**COUNTS, **SIZES, interval="clopper_pearson")
    assert {e.metric for e in sided.estimates} == {"precision", "negative_predictive_value", "false_omission_rate"}
    with pytest.raises(PlanError, match="simple draw"):
        from_counts(**COUNTS, **SIZES, interval="clopper_pearson", metrics=["recall"])


@pytest.mark.parametrize("kind", ["placed", "strict", "clopper_pearson", "wilson", "wald", "beta"])
def test_counts_have_no_scores_to_trust(kind: IntervalKind) -> None:
    found = from_counts(tp=45, fp=5, fn=8, tn=442, interval=kind)["precision"]
    assert not found.trusts_scores


def test_cautions_say_how_the_counts_were_read_and_what_is_a_baseline() -> None:
    assert "one simple random draw" in from_counts(**COUNTS).cautions[0]
    sided = from_counts(**COUNTS, **SIZES, interval="wald")
    assert "drawn from it at random" in sided.cautions[0]
    assert sided.cautions[1].startswith("wald is a baseline")


def test_it_reads_as_one_line_a_metric_with_effective_n() -> None:
    lines = str(from_counts(**COUNTS, metrics=["precision", "recall", "precision"])).splitlines()
    assert lines[0] == "precision of counts 0.900 [0.782, 0.967] at 95.0%, 50 labels, effective n 50"
    assert lines[1].startswith("recall of counts 0.849")
    assert lines[2].startswith("caution: ")
    assert len(lines) == 3


def test_it_is_frozen_plain_data() -> None:
    found = from_counts(**COUNTS)
    assert isinstance(found, Confusion)
    untyped: Any = found
    with pytest.raises(dataclasses.FrozenInstanceError):
        untyped.level = 0.5
    data = found.as_json()
    assert data["counts"] == COUNTS
    assert data["n_predicted_positive"] is None
    assert found == from_counts(**COUNTS)


def test_whole_numbers_of_any_kind_are_counts() -> None:
    as_numpy: dict[str, Any] = {name: np.int32(count) for name, count in COUNTS.items()}
    as_floats: dict[str, Any] = {name: float(count) for name, count in COUNTS.items()}
    assert from_counts(**as_numpy) == from_counts(**as_floats) == from_counts(**COUNTS)


@pytest.mark.parametrize("bad", [-1, 1.5, float("nan"), float("inf"), "45", None, True, 10**400, np.array([3]), 10**16], ids=repr)
@pytest.mark.parametrize("name", [*COUNTS, "n_predicted_positive"])
def test_what_is_no_count_is_refused(name: str, bad: Any) -> None:
    with pytest.raises(PopulationError, match=rf"{name} (must be|is)"):
        from_counts(**{**COUNTS, **SIZES, name: bad})


def test_refusals_name_the_rule_and_the_way_out() -> None:
    cases: list[tuple[dict[str, Any], type[FewlabelsError], str]] = [
        ({"tp": 0, "fp": 0, "fn": 0, "tn": 0}, PopulationError, "all 0"),
        ({**COUNTS, "n_predicted_positive": 100}, PopulationError, "give both"),
        ({**COUNTS, "n_predicted_positive": 49, "n_predicted_negative": 900}, PopulationError, r"tp \+ fp .* 50 labels .* 49 units"),
        ({**COUNTS, "n_predicted_positive": 50, "n_predicted_negative": 449}, PopulationError, r"fn \+ tn .* 450 labels .* 449 units"),
        ({**COUNTS, "level": 1.0}, PlanError, "level"),
        ({**COUNTS, "level": float("nan")}, PlanError, "level"),
        ({**COUNTS, "interval": "walds"}, PlanError, "no interval 'walds'"),
        ({**COUNTS, "interval": "bootstrap"}, PlanError, "no seed"),
        ({**COUNTS, "metrics": ["precisoin"]}, GoalError, "no metric"),
        ({**COUNTS, "metrics": ["recall by amount"]}, GoalError, "no weights"),
    ]
    for arguments, kind, match in cases:
        with pytest.raises(kind, match=match):
            from_counts(**arguments)
    with pytest.raises(GoalError, match="metrics="):
        from_counts(**COUNTS, metrics=["f1"])["recall"]
