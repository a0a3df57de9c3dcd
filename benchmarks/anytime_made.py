"""The populations of the running band's study: made up, and three real tables with the product's own bands."""

import json
from pathlib import Path

import duckdb
import numpy as np
from scipy.optimize import brentq

from benchmarks.anytime_paths import Setting
from benchmarks.made import known
from fewlabels.designs.online import online_bands
from fewlabels.estimators.linearize import doubted_guide, sizes
from fewlabels.estimators.online import difference_terms, terms_of
from fewlabels.nouns.arrays import BoolArray, FloatArray, IntArray
from fewlabels.nouns.metrics import ACCURACY, F1, PRECISION, metric_named
from fewlabels.planning.frames import frame_of

BANDS = 10
RATIO = 0.69  # of the variance of the best fixed draw from the bands to that of a simple random draw
LARGEST_ERROR = 0.9  # of a band
TABLES = (("fraud_sample", "gbm"), ("hate_tweets", "lr"), ("mnist8", "mlp"))
METRICS = ("precision", "recall", "f1")


def ratio_of(q: FloatArray) -> float:
    """Variance of the best draw from equal bands with error shares q, over that of a simple random draw."""
    mean = q.mean()
    return float(np.sqrt(q * (1 - q)).mean() ** 2 / (mean * (1 - mean)))


def error_shares(error: float, decay: float) -> FloatArray:
    """Shares that fall by `decay` from band to band, with this mean; none above LARGEST_ERROR."""
    q = decay ** np.arange(BANDS)

    def excess(scale: float) -> float:
        return float(np.minimum(scale * q, LARGEST_ERROR).mean()) - error

    return np.asarray(np.minimum(brentq(excess, 1e-9, 1e9) * q, LARGEST_ERROR))


def precision(truth: float, *, N: int = 10_000, reversed_: bool = False, even: float | None = None, batch: int = 10) -> Setting:
    """Flagged units in ten equal bands; errors fall geometrically from band to band, so that the best draw has RATIO of the variance."""
    decay = brentq(lambda d: ratio_of(error_shares(1 - truth, d)) - RATIO, 0.2, 0.999)
    errors = rounded(error_shares(1 - truth, decay) * N / BANDS, round((1 - truth) * N))
    each = np.full(BANDS, N // BANDS)
    prior = 1 - errors / each
    terms = terms_of(PRECISION, np.ones(BANDS, dtype=np.bool_))
    guide = prior[::-1] if reversed_ else prior
    return Setting(f"precision {truth:g}", each, each - errors, guide, terms, even=even, batch=batch)


def plain(truth: float, *, N: int = 10_000, prior: float = 0.9, batch: int = 10) -> Setting:
    """Flagged units without scores: one band, a simple random draw."""
    one = np.ones(1, dtype=np.bool_)
    return Setting(
        f"simple {truth:g}", np.array([N]), np.array([round(truth * N)]), np.array([prior]), terms_of(PRECISION, one), even=1.0, batch=batch
    )


def rounded(shares: FloatArray, total: int) -> IntArray:
    """Whole numbers near these that sum to `total`: largest remainders."""
    whole = np.floor(shares).astype(np.int64)
    order = np.argsort(whole - shares, kind="stable")
    whole[order[: total - int(whole.sum())]] += 1
    return whole


def tailed(metric: str, *, even: float | None = None, batch: int = 10) -> Setting:
    """100,000 units: five flagged bands, five others, and a tail of 80,000 of which one in a thousand is positive."""
    N = np.array([1_000] * 5 + [3_000] * 5 + [80_000])
    share = np.array([0.98, 0.95, 0.9, 0.8, 0.6, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001])
    terms = terms_of(metric_named(metric), np.arange(N.size) < 5)
    return Setting(f"{metric}, tail", N, np.round(N * share).astype(np.int64), share, terms, even=even, rare=True, batch=batch)


def contested(share: float, *, N: int = 3_000) -> Setting:
    """Units on which two classifiers disagree, half flagged by each; the first is right in `share` of them."""
    first = np.array([True, False])
    half = N // 2
    right = np.array([round(half * share), half - round(half * share)])
    return Setting(
        f"accuracy, first right {share:g}",
        np.array([half, half]),
        right,
        np.full(2, 0.5),
        difference_terms(ACCURACY, first, ~first),
        even=1.0,
    )


def f1_contest(first: tuple[int, int], second: tuple[int, int]) -> Setting:
    """Units that only one of two classifiers flags: (units, positives) of the first and of the second."""
    flags = np.array([True, False])
    N, positives = (np.array(pair) for pair in zip(first, second, strict=True))
    return Setting("f1", N, positives, np.full(2, 0.5), difference_terms(F1, flags, ~flags), rare=True)


def real(folder: Path, table: str, model: str, metric: str) -> Setting:
    """One table and model with the bands an online study would cut for the metric."""
    manifest = json.loads((folder / "manifest.json").read_text())[table]
    threshold = float(manifest["metrics"]["models"][model].get("threshold") or manifest["thresholds"][model])
    with duckdb.connect() as reader:
        columns = reader.execute(f"select y, score_{model} as s from '{folder / f'{table}.parquet'}'").fetchnumpy()
    s, y = np.asarray(columns["s"], dtype=np.float32), np.asarray(columns["y"]) == 1
    return banded(f"{table} {model}, {metric}", y, s.astype(np.float64), s >= np.float32(threshold), metric)


def banded(name: str, y: BoolArray, guide: FloatArray, flagged: BoolArray, metric: str) -> Setting:
    """These units in the bands of an online study."""
    judged = metric_named(metric)
    at = known(name, y, guide, flagged)
    sides = at.profile.predicted(0)
    frame, size = frame_of(at.profile, [judged]), sizes(at.profile, sides, [judged])
    design = online_bands(at.profile, frame=frame, kind=np.zeros(sides.shape, dtype=np.int64), flagged=sides, size=size)
    inside = design.band >= 0
    claimed, positives = (
        np.bincount(design.band[inside], weights=of[inside])
        for of in (at.profile.count * doubted_guide(at.profile, sides), at.positives.astype(np.float64))
    )
    above = np.bincount(design.band[inside], weights=sides[inside]) > 0
    rare = judged.terms[0][1] != judged.terms[1][1] or judged.terms[2][1] != judged.terms[3][1]
    return Setting(name, design.N, positives.astype(np.int64), claimed / design.N, terms_of(judged, above), rare=rare)
