"""Profiles, tallies and plans made for tests, and the Hypothesis strategies that make hostile ones."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from fewlabels.nouns.canonical import Json, canonical
from fewlabels.nouns.ladder import BINS
from fewlabels.nouns.metric import Totals
from fewlabels.nouns.metrics import METRICS, metric_named
from fewlabels.nouns.profile import Column, Profile, SourceFile
from fewlabels.nouns.tally import Tally

EPS = float(np.finfo(np.float64).eps)
checked = settings(max_examples=40, deadline=None, derandomize=True, database=None)
checked_less = settings(checked, max_examples=16)  # where one example is a whole plan or a dozen intervals

Cells = Mapping[tuple[int, int], int]  # (flagged, guide bin) -> units


def profile_of(cells: Cells, *, guided: bool = True) -> Profile:
    """The profile of a population with these cells."""
    keys = sorted(cells)
    return Profile(
        columns=(Column("id", "int"), Column("s", "float64")),
        guide_bin=np.array([b for _, b in keys]),
        pattern=np.array([f for f, _ in keys]),
        slice=np.zeros(len(keys), dtype=np.int64),
        count=np.array([cells[key] for key in keys]),
        slice_values=(("all",),),
        guided=guided,
        smallest_id="1",
        largest_id="9",
        files=(SourceFile("a.parquet", 12, "00"),),
    )


def tally_of(
    flagged: Sequence[int], N: Sequence[float], n: Sequence[float], k: Sequence[float], *, logit: Sequence[float] | None = None
) -> Tally:
    """A tally whose groups are the whole population."""
    side, units = np.array(flagged, dtype=np.bool_), np.array(N, dtype=np.float64)
    x = np.zeros(units.size) if logit is None else np.array(logit, dtype=np.float64)
    return Tally(
        flagged=side,
        N=units,
        n=np.array(n, dtype=np.float64),
        k=np.array(k, dtype=np.float64),
        logit=x,
        expected=1 / (1 + np.exp(-x)),
        N1=float(units[side].sum()),
        N0=float(units[~side].sum()),
    )


def simple_tally_of(flagged: Sequence[int], N: Sequence[float], n: Sequence[float], k: Sequence[float]) -> Tally:
    """The same as one simple draw of the whole population."""
    return replace(tally_of(flagged, N, n, k), simple=True)


def terms_of_gradient(name: str, t: Totals) -> Totals:
    """For each derivative the sum of the absolute values of the terms it is made of: a few EPS of that is its rounding error.

    Ratios, and sums of ratios that do not pull against each other, are made of terms of one sign: their own size. The others subtract,
    and what is left may be far smaller than the rounding of what was subtracted.
    """
    if name == "kappa":  # (c D - d C) / D^2, where C = 2 (TP TN - FN FP) is itself a difference
        C, D = 2 * (t.TP * t.TN + t.FN * t.FP), (t.TP + t.FP) * (t.FP + t.TN) + (t.TP + t.FN) * (t.FN + t.TN)
        tops = (2 * t.TN, 2 * t.FN, 2 * t.FP, 2 * t.TP)
        bottoms = (t.FP + t.FN + 2 * t.TN, t.TP + 2 * t.FP + t.TN, t.TP + 2 * t.FN + t.TN, 2 * t.TP + t.FP + t.FN)
        return Totals(*((c * D + d * C) / D**2 for c, d in zip(tops, bottoms, strict=True)))
    if name == "mcc":  # top / root - theta / 2 (1 / margin + 1 / margin), where theta is itself a difference
        flagged, other, positive, negative = t.TP + t.FP, t.FN + t.TN, t.TP + t.FN, t.FP + t.TN
        root = np.sqrt(flagged) * np.sqrt(other) * np.sqrt(positive) * np.sqrt(negative)
        theta = (t.TP * t.TN + t.FP * t.FN) / root
        tops, firsts, seconds = (t.TN, t.FN, t.FP, t.TP), (flagged, flagged, other, other), (positive, negative, positive, negative)
        return Totals(*(top / root + theta / 2 * (1 / a + 1 / b) for top, a, b in zip(tops, firsts, seconds, strict=True)))
    if name == "weighted_f1":  # p (F - G) + share f + (1 - share) g
        share, both = METRICS["prevalence"].value(t), METRICS["f1"].value(t) + METRICS["f1_negative"].value(t)
        parts = zip(*(METRICS[part].gradient(t) for part in ("prevalence", "f1", "f1_negative")), strict=True)
        return Totals(*(abs(p) * both + share * abs(f) + (1 - share) * abs(g) for p, f, g in parts))
    return Totals(*map(np.abs, metric_named(name).gradient(t)))


def through_text(data: Json) -> Any:
    """Plain data after a trip through the ledger's text."""
    return json.loads(canonical(data))


@st.composite
def profiles(draw: st.DrawFn, *, most: int = 100_000) -> Profile:
    """Any profile of a few cells: tied, one-sided, tiny and huge cells, the ends of the ladder."""
    bins = st.one_of(st.integers(0, BINS - 1), st.sampled_from([0, 1, BINS // 2, BINS - 2, BINS - 1]))
    count = st.one_of(st.integers(1, 3), st.integers(1, 300), st.integers(1, most))
    cells = draw(st.dictionaries(st.tuples(st.integers(0, 1), bins), count, min_size=1, max_size=25))
    return profile_of(cells, guided=draw(st.booleans()))


@st.composite
def tallies(draw: st.DrawFn, *, census: bool = False, fewest: int = 1, short: bool = False) -> Tally:
    """Any tally: rare and certain answers, groups taken whole, guides right and wrong. `short`: no group is taken whole."""
    flagged = draw(st.lists(st.integers(0, 1), min_size=1, max_size=6))
    N, n, k = [], [], []
    for _ in flagged:
        least = max(1, fewest + short)
        units = draw(st.one_of(st.integers(least, 12), st.integers(least, 1_000_000)))
        labels = units if census else draw(st.integers(min(fewest, units), min(units - short, 60)))
        N.append(units)
        n.append(labels)
        k.append(draw(st.one_of(st.just(0), st.just(labels), st.integers(0, labels))))
    logit = draw(st.lists(st.floats(-13.8, 13.8), min_size=len(flagged), max_size=len(flagged)))
    return tally_of(flagged, N, n, k, logit=logit)
