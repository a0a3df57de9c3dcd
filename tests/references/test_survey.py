"""Standard errors against svy, a survey package: stratified simple random samples with finite-population correction.

The reference of every test is the svy call written beside it. svy linearizes (Taylor), with n_h - 1 and 1 - n_h / N_h in each stratum.
fewlabels' counterpart is its usual variance, which the Wald interval shows; its own intervals use a larger, smoothed one.
"""

import numpy as np
import polars as pl
import pytest
import svy

from fewlabels.estimators.measuring import measure
from fewlabels.nouns.metrics import METRICS, metric_named
from tests.identities.made import tally_of
from tests.references.surveyed import CELLS, DESIGNS, SAME, delta_method, share_function, survey, units_of, usual_error

RATIOS = [name for name in (*METRICS, "f2", "f0.5", "cost[0,1,5,0]", "cost[1,0,0,0]") if metric_named(name).terms]
OTHERS = [name for name in METRICS if not metric_named(name).terms]
each_design = pytest.mark.parametrize("design", DESIGNS)


def test_every_metric_is_held_against_svy() -> None:
    assert {*RATIOS, *OTHERS} >= set(METRICS)
    assert set(OTHERS) == {"macro_f1", "weighted_f1", "balanced_accuracy", "informedness", "mcc", "kappa"}


@each_design
@pytest.mark.parametrize("name", RATIOS)
def test_a_ratio_of_totals_has_svys_value_and_standard_error(name: str, design: str) -> None:
    tally, metric = DESIGNS[design], metric_named(name)
    counts = [sum(pl.col(cell) * pair[side] for cell, pair in zip(CELLS, metric.terms, strict=True)) for side in (0, 1)]
    sample = survey(units_of(tally).with_columns(top=counts[0], bottom=counts[1]))
    reference = sample.estimation.ratio("top", "bottom", method="taylor").to_polars()
    assert float(measure(metric, tally, tail=0.025).value) == pytest.approx(reference["est"][0], rel=SAME)
    assert usual_error(name, tally) == pytest.approx(reference["se"][0], rel=SAME)


@each_design
def test_prevalence_and_accuracy_are_svys_means(design: str) -> None:
    tally = DESIGNS[design]
    sample = survey(units_of(tally).with_columns(positive=pl.col("tp") + pl.col("fn"), right=pl.col("tp") + pl.col("tn")))
    for name, column in (("prevalence", "positive"), ("accuracy", "right")):
        reference = sample.estimation.mean(column, method="taylor").to_polars()
        assert float(measure(METRICS[name], tally, tail=0.025).value) == pytest.approx(reference["est"][0], rel=SAME)
        assert usual_error(name, tally) == pytest.approx(reference["se"][0], rel=SAME)


@each_design
def test_precision_is_svys_mean_of_the_flagged_domain(design: str) -> None:
    tally = DESIGNS[design]
    reference = survey(units_of(tally)).estimation.mean("tp", where=svy.col("flagged") == 1, method="taylor").to_polars()
    assert float(measure(METRICS["precision"], tally, tail=0.025).value) == pytest.approx(reference["est"][0], rel=SAME)
    assert usual_error("precision", tally) == pytest.approx(reference["se"][0], rel=SAME)


@each_design
@pytest.mark.parametrize("name", OTHERS)
def test_any_other_metric_has_the_standard_error_of_svys_covariance_matrix(name: str, design: str) -> None:
    """svy estimates the shares of the four cells and their covariances; statsmodels differentiates the metric numerically."""
    tally = DESIGNS[design]
    reference = survey(units_of(tally)).estimation.prop("cell", method="taylor")
    function = share_function(name, reference.keys())
    delta = delta_method(function, reference.to_polars()["est"].to_numpy(), reference.covariance)
    assert float(measure(METRICS[name], tally, tail=0.025).value) == pytest.approx(float(delta.predicted()[0]), rel=SAME)
    assert usual_error(name, tally) == pytest.approx(float(delta.se_vectorized()[0]), rel=SAME)


def test_one_draw_across_both_sides_is_read_by_side() -> None:
    """Where it is not the same, and why.

    A simple draw crosses the sides. svy is not told how many units are flagged, and lets their number vary; fewlabels knows it, and counts
    the labels of each side as a draw from that side (post-stratification). Told the same, svy says the same.
    """
    tally = tally_of([1, 0], [200, 1800], [25, 175], [17, 6])
    units = units_of(tally).with_columns(positive=pl.col("tp") + pl.col("fn"), right=pl.col("tp") + pl.col("tn"))
    whole = units.with_columns(h=pl.lit(0), N=pl.lit(2000), w=pl.lit(10.0))
    for name, ratio in (("recall", ("tp", "positive")), ("accuracy", ("right", "one"))):
        told, untold = (
            survey(table.with_columns(one=pl.lit(1.0))).estimation.ratio(*ratio, method="taylor").to_polars()["se"][0]
            for table in (units, whole)
        )
        assert usual_error(name, tally) == pytest.approx(told, rel=SAME)
        assert abs(usual_error(name, tally) / untold - 1) > 1e-3


def test_a_share_of_a_domain_of_one_draw_differs_by_the_divisor_and_the_fraction_alone() -> None:
    """Precision of a simple draw: svy has n1^2 (n - 1) / n where fewlabels, given n1, has n1 (n1 - 1); and 1 - n/N is 1 - n1/N1."""
    tally = tally_of([1, 0], [200, 1800], [25, 175], [17, 6])
    whole = units_of(tally).with_columns(h=pl.lit(0), N=pl.lit(2000), w=pl.lit(10.0))
    reference = survey(whole).estimation.mean("tp", where=svy.col("flagged") == 1, method="taylor").to_polars()["se"][0]
    n1, n = 25, 200
    divisors = (n1**2 * (n - 1) / n) / (n1 * (n1 - 1))
    fractions = (1 - 25 / 200) / (1 - 200 / 2000)
    assert usual_error("precision", tally) == pytest.approx(reference * np.sqrt(divisors * fractions), rel=SAME)
