"""Estimates steadied by other columns keep their word, whatever those say; an interval that believes them is the twin that must fail."""

import numpy as np
import pytest
from scipy.stats import binom

from fewlabels.estimators import assisting
from fewlabels.estimators.assisting import Columns
from fewlabels.estimators.grouping import groups_of
from fewlabels.estimators.measuring import measure
from fewlabels.nouns import ladder
from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.evidence import Bands, Limits
from fewlabels.nouns.metrics import METRICS
from fewlabels.nouns.profile import Profile
from fewlabels.planning.design_choice import choose_design
from fewlabels.planning.guiding import log_odds
from fewlabels.randomness import stream
from fewlabels.study.simulate import replicate_steadied, true_value

pytestmark = pytest.mark.statistics
STEADIED = 73  # the purpose of the streams below
N, LABELS, REPS, HIDDEN = 8_000, 200, 300, 16


def misses(columns: str, metric: str, seed: int) -> dict[str, int]:
    """How often the bounds at 5 % are above and below the truth, and the interval at 95 % misses it."""
    rng = stream(seed, STEADIED)
    skill = rng.normal(size=N)
    y = rng.random(N) < 1 / (1 + np.exp(4 - 2.5 * skill))
    score = 1 / (1 + np.exp(3 - 1.5 * (skill + rng.normal(size=N))))
    beside = {
        "informative": 1 / (1 + np.exp(4 - 2.5 * skill)),
        "noise": rng.random(N),
        "the answer": np.where(y, 0.99, 0.01),
    }[columns]
    hiding = np.flatnonzero(~y & (score < np.quantile(score, 0.7)))[:HIDDEN]
    y[hiding] = True  # where neither the score nor the columns see them
    bins, step = ladder.bin_of(score), np.rint(2 * log_odds(beside)).astype(np.int64)
    keys, cell = np.unique(np.stack([(score >= 0.3).astype(np.int64), bins, step]), axis=1, return_inverse=True)
    names, part = np.unique(keys[2], return_inverse=True)
    profile = Profile(
        columns=(), pattern=keys[0], guide_bin=keys[1], slice=part.ravel(), count=np.bincount(cell.ravel()),
        slice_values=tuple((str(name),) for name in names), guided=True, smallest_id="", largest_id="",
    )  # fmt: skip
    positives = np.bincount(cell.ravel(), weights=y).astype(np.int64)
    of, x = METRICS[metric], Columns(np.column_stack([log_odds(profile.guide), keys[2] / 2]), profile.count.astype(np.float64))
    design = choose_design(profile, [of], labels=LABELS)
    tally = replicate_steadied(profile, groups_of(profile, design), design, positives, x, labels=LABELS, reps=REPS, rng=rng)
    assert tally.control is not None
    truth = true_value(profile, positives, of)
    bound, both = (measure(of, tally, tail=tail) for tail in (0.05, 0.025))
    found = {"too high": bound.low > truth, "too low": bound.high < truth, "missed": (both.low > truth) | (both.high < truth)}
    return {name: int(each.sum()) for name, each in found.items()}


MOST = int(binom.ppf(1 - 1e-4, REPS, 0.05))


@pytest.mark.parametrize(
    ("columns", "metric"), [("informative", "recall"), ("noise", "f1"), ("the answer", "recall"), ("the answer", "precision")]
)
def test_columns_may_say_anything(columns: str, metric: str, seed: int) -> None:
    found = misses(columns, metric, seed)
    assert max(found.values()) <= MOST, found


def test_an_interval_that_believes_them_misses(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    def nothing_hides(bands: Bands, tails: FloatArray) -> Limits:
        return Limits(np.zeros_like(tails), np.zeros_like(tails))

    monkeypatch.setattr(assisting, "limits_of_bands", nothing_hides)
    assert max(misses("the answer", "recall", seed).values()) > MOST
