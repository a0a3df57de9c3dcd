"""Figures 1 to 4 and 7 to 11 of Yilmaz, Hayes, Habib, Burgess and Barber 2021.

Theirs: 11,200 digits, a network of three layers. Ours: 11,200 units of mnist8 with as many positives (one in ten), the score of its mlp.
The text gives no figure's numbers, so what is compared is what it says about them.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from benchmarks.against import read_units
from benchmarks.baselines import Floats, Judged
from benchmarks.papers.online import NEWS
from benchmarks.papers.rows import Row
from benchmarks.papers.sampled import METRICS, deviations, draw, read, truth_of
from benchmarks.tables import load
from fewlabels.designs.base import water_fill
from fewlabels.randomness import stream

DOCUMENT = "Yilmaz et al. 2021"
UNITS, POSITIVES = 11_200, 1_120
PARTS = (0.02, 0.05, 0.1, 0.25, 0.5)
WAYS = ("uniform", "importance", "bernoulli")
OTHER = "another network on other digits; the figure itself is not in the text"


def their_size(units: Judged, rng: np.random.Generator) -> Judged:
    """As many units and positives as theirs."""
    rows = np.concatenate(
        [rng.choice(np.flatnonzero(units.y == kind), n, replace=False) for kind, n in ((True, POSITIVES), (False, UNITS - POSITIVES))]
    )
    return Judged(units.score[rows], units.flagged[rows], units.y[rows])


class Errors:
    """Mean absolute and mean log squared error and coverage, by way, part and metric; all drawn for F1."""

    def __init__(self, units: Judged, *, reps: int, seed: int) -> None:
        """Draw everything once."""
        self.absolute: dict[tuple[str, float, str], float] = {}
        self.logarithm: dict[tuple[str, float, str], float] = {}
        self.coverage: dict[tuple[str, float, str], float] = {}
        for w, way in enumerate(WAYS):
            for i, part in enumerate(PARTS):
                sums = draw(way, units, "f1", labels=round(part * units.y.size), reps=reps, rng=stream(seed, 31, w, i))
                for metric in METRICS:
                    truth, found = truth_of(units, metric), read(sums, metric)
                    gap = np.where(np.isfinite(found.value), found.value, 0.5) - truth
                    self.absolute[way, part, metric] = float(np.abs(gap).mean())
                    self.logarithm[way, part, metric] = float(np.log(np.maximum(gap**2, 1e-12)).mean())
                    self.coverage[way, part, metric] = float(found.covered(truth).mean())

    def ordered(self, found: dict[tuple[str, float, str], float]) -> str:
        """In how many cells Bernoulli is better than importance, and importance than uniform."""
        cells = [(part, metric) for part in PARTS for metric in METRICS]
        first = sum(found["bernoulli", *at] < found["importance", *at] for at in cells)
        second = sum(found["importance", *at] < found["uniform", *at] for at in cells)
        return f"Bernoulli below importance in {first} of {len(cells)} cells, importance below uniform in {second}"


def cross(units: Judged, way: str, *, reps: int, seed: int) -> Floats:
    """Mean log squared error by metric drawn for and metric estimated, one unit in twenty labeled."""
    found = np.empty((len(METRICS), len(METRICS)))
    for i, before in enumerate(METRICS):
        sums = draw(way, units, before, labels=units.y.size // 20, reps=reps, rng=stream(seed, 32, WAYS.index(way), i))
        for j, after in enumerate(METRICS):
            value = read(sums, after).value
            gap = np.where(np.isfinite(value), value, 0.5) - truth_of(units, after)
            found[i, j] = np.log(np.maximum(gap**2, 1e-12)).mean()
    return found


def _cross_row(item: str, way: str, found: Floats) -> Row:
    best = [METRICS[i] for i in found.argmin(axis=0)]
    right = sum(a == b for a, b in zip(best, METRICS, strict=True))
    lost = "; ".join(f"{metric}: {found[i, i] - found[:, i].min():.2f}" for i, metric in enumerate(METRICS))
    return Row(
        DOCUMENT, item, "in part", "the best draw for a metric is the one made for it",
        f"{way}: so for {right} of {len(METRICS)} metrics; mean log squared error lost by drawing for the metric itself: {lost}", OTHER,
        "one draw for several goals",
    )  # fmt: skip


def _single(units: Judged, metrics: Sequence[str], *, seed: int) -> str:
    told = []
    for w, way in enumerate(WAYS):
        inside, gaps = [], []
        for i, part in enumerate(PARTS):
            sums = draw(way, units, "f1", labels=round(part * units.y.size), reps=1, rng=stream(seed, 33, w, i))
            for metric in metrics:
                found, truth = read(sums, metric), truth_of(units, metric)
                inside.append(bool(found.covered(truth)[0]))
                gaps.append(abs(float(found.value[0]) - truth))
        first, last = np.mean(gaps[: len(metrics)]), np.mean(gaps[-len(metrics) :])
        told.append(f"{way} {sum(inside)} of {len(inside)} (mean error {first:.3f} at {PARTS[0]:.0%}, {last:.3f} at {PARTS[-1]:.0%})")
    return f"one run: 90 % limits hold the truth: {'; '.join(told)}"


def certain(units: Judged) -> tuple[float, float]:
    """The smallest part of the units labeled (in hundredths) at which some b is 1, and the part with b = 1 when half are labeled."""
    h = deviations(units, "f1")
    for hundredth in range(1, 100):
        if (water_fill(h, np.ones(h.size), round(hundredth / 100 * h.size)) >= 1 - 1e-9).any():
            break
    return hundredth / 100, float((water_fill(h, np.ones(h.size), h.size // 2) >= 1 - 1e-9).mean())


def rows(data: Path, scratch: Path, *, reps: int, seed: int) -> Iterator[Row]:
    """Every figure about one label a unit."""
    whole, _ = read_units(load(data, "mnist8", "mlp", mode="real", seed=seed, scratch=scratch))
    units = their_size(whole, stream(seed, 34))
    errors = Errors(units, reps=reps, seed=seed)
    close = "estimates and limits close in on the truth"
    yield Row(DOCUMENT, "Figure 1 (one run, F1)", "in part", close, _single(units, ("f1",), seed=seed), OTHER)
    ours = "; ".join(f"{part:.0%}: " + ", ".join(f"{errors.absolute[way, part, 'f1']:.4f}" for way in WAYS) for part in PARTS)
    yield Row(
        DOCUMENT, "Figure 2 (absolute error)", "in part", "Bernoulli clearly better than importance, and importance than uniform",
        f"{errors.ordered(errors.absolute)}. F1, uniform, importance, Bernoulli: {ours}", OTHER,
        "F1 by bands needs 0.58 of the labels of Bernoulli draws ([against](against.md))",
    )  # fmt: skip
    covered = "; ".join(
        f"{way}: {min(errors.coverage[way, part, m] for part in PARTS for m in METRICS):.2f} to "
        f"{max(errors.coverage[way, part, m] for part in PARTS for m in METRICS):.2f}"
        for way in WAYS
    )
    yield Row(
        DOCUMENT, "Figure 3 (calibration of 90 % limits)", "in part", "all three roughly right, but not at very few labels or nearly all",
        f"coverage over five sizes and five metrics, {covered}", OTHER,
        "intervals whose coverage is tested cell by cell ([atlas](atlas.md))",
    )  # fmt: skip
    start, half = certain(units)
    yield Row(
        DOCUMENT, "Figure 4 (units drawn with certainty)", "in part", "none until about 25 % of the units are labeled",
        f"the first at {start:.0%}; when half are labeled, {half:.1%} of all units", OTHER,
    )  # fmt: skip
    yield Row(DOCUMENT, "Figure 7 (one run, other metrics)", "in part", close, _single(units, METRICS[1:], seed=seed), OTHER)
    yield Row(
        DOCUMENT, "Figure 8 (log error)", "in part", "Bernoulli far better than importance, importance than uniform",
        errors.ordered(errors.logarithm), OTHER,
    )  # fmt: skip
    yield _news(data, scratch, reps=reps, seed=seed)
    for item, way in (("Figure 10 (drawn for another metric)", "bernoulli"), ("Figure 11 (drawn for another metric)", "importance")):
        yield _cross_row(item, way, cross(units, way, reps=reps, seed=seed))


def _news(data: Path, scratch: Path, *, reps: int, seed: int) -> Row:
    every = [read_units(load(data, f"news20_{name}", "nb", mode="real", seed=seed, scratch=scratch))[0] for name in NEWS]
    found = [Errors(units, reps=max(100, reps // len(every)), seed=seed + i) for i, units in enumerate(every)]
    mean = {key: float(np.mean([one.logarithm[key] for one in found])) for key in found[0].logarithm}
    return Row(
        DOCUMENT, "Figure 9 (newsgroups, log error)", "in part", "Bernoulli on average better than importance and uniform",
        f"means over {len(every)} groups: {found[0].ordered(mean)}", "twelve groups against the rest, another naive Bayes",
    )  # fmt: skip
