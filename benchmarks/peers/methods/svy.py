"""svy: a ratio with its Taylor variance, by a simple draw and by strata of scores."""

import numpy as np
import polars
import svy

from benchmarks.peers.draws import SIMPLE, STRATA, ratio_by_simple_draws, ratio_by_strata
from benchmarks.peers.given import Estimate, Floats, Ints, Method


def _ratio(above: Floats, below: Floats, of: Ints, size: Ints) -> Estimate:
    take = np.bincount(of, minlength=size.size)
    frame = polars.DataFrame(
        {"above": above, "below": below, "stratum": of.astype(str), "size": size[of].astype(float), "weight": size[of] / take[of]}
    )
    found = svy.Sample(frame, svy.Design(stratum="stratum", wgt="weight", pop_size="size")).estimation.ratio(y="above", x="below")
    assert isinstance(found, svy.Estimate)  # a list only if it is asked for several
    one = found.estimates[0]
    return Estimate(one.est, one.lci, one.uci)


METHODS = (
    Method("simple", ratio_by_simple_draws(_ratio), SIMPLE, "the metrics as ratios of two totals"),
    Method("score strata", ratio_by_strata(_ratio), STRATA, "the same; the strata and takes, which are its user's to choose"),
)
