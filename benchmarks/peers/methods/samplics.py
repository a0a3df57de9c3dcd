"""samplics: a ratio with its Taylor variance, by a simple draw and by strata of scores."""

import numpy as np
from samplics import PopParam
from samplics.estimation import TaylorEstimator

from benchmarks.peers.draws import SIMPLE, STRATA, ratio_by_simple_draws, ratio_by_strata
from benchmarks.peers.given import Estimate, Floats, Ints, Method


def _ratio(above: Floats, below: Floats, of: Ints, size: Ints) -> Estimate:
    take = np.bincount(of, minlength=size.size)
    estimator = TaylorEstimator(PopParam.ratio, alpha=0.05)
    correction = {int(h): 1 - take[h] / size[h] for h in np.unique(of)}
    estimator.estimate(y=above, x=below, samp_weight=size[of] / take[of], stratum=of, fpc=correction)
    return Estimate(float(estimator.point_est), float(estimator.lower_ci), float(estimator.upper_ci))


METHODS = (
    Method("simple", ratio_by_simple_draws(_ratio), SIMPLE, "the metrics as ratios of two totals"),
    Method("score strata", ratio_by_strata(_ratio), STRATA, "the same; the strata and takes, which are its user's to choose"),
)
