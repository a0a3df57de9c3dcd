"""Labels that err: one random labeler a unit, the majority's answer as gold for a fifth of each side.

    python -m benchmarks.raters --data FOLDER --reps 2000 --seed 42 --out docs/raters.md

The table hate_tweets holds the votes of three or more people on every unit. A replicate draws units as a study would, gives each the
answer of one of its voters at random, and a random fifth of the labeled units of each side the majority's answer as gold. The truth
is the majority's answer to every unit. A cell passes if an exact binomial test at 1e-3 does not reject a true coverage of 0.94.
"""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import duckdb
import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from benchmarks.options import read_options
from benchmarks.tables import load
from fewlabels.designs.base import takes
from fewlabels.engines.opening import open_engine
from fewlabels.estimators.gold import GoldTally, measure_with_gold
from fewlabels.estimators.grouping import groups_of
from fewlabels.estimators.measuring import Measured, measure
from fewlabels.nouns import ladder
from fewlabels.nouns.metric import Totals
from fewlabels.nouns.metrics import metric_named
from fewlabels.nouns.profile import Profile
from fewlabels.nouns.tally import Tally
from fewlabels.planning.design_choice import choose_design
from fewlabels.randomness import stream
from fewlabels.study.simulate import replicate

TABLE, MODEL = "hate_tweets", "lr"
METRICS = ("prevalence", "f1", "precision", "recall")
LABELS = (500, 1_000, 2_000)
SHARE = 0.2
TAIL = 0.025
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


class Units(NamedTuple):
    """Every unit: its truth, the share of voters who say yes, its prediction and its cell of the profile."""

    y: Bools
    says_yes: Floats
    flagged: Bools
    cell: NDArray[np.int64]
    profile: Profile

    def truth(self, metric: str) -> float:
        """The metric if the majority's answer to every unit were known."""
        A, B = (np.asarray(float((self.y & side).sum())) for side in (self.flagged, ~self.flagged))
        N1 = float(self.flagged.sum())
        return float(metric_named(metric).value(Totals.of_sides(A, B, N1=N1, N0=self.y.size - N1)))


class Drawn(NamedTuple):
    """Replicates of one plan: the noisy answers, the same units answered without error, and the gold answers."""

    noisy: Tally
    perfect: Tally
    gold: GoldTally


class Row(NamedTuple):
    """One metric and number of labels; `alone` has as many perfect labels as there were gold answers."""

    labels: int
    metric: str
    truth: float
    noisy: Measured
    corrected: Measured
    perfect: Measured
    alone: Measured
    pooled: Floats
    difference: Floats


def read_units(folder: Path, *, seed: int) -> Units:
    """The table with its votes, and the profile an engine makes of it."""
    with tempfile.TemporaryDirectory() as scratch:
        population = load(folder, TABLE, MODEL, mode="real", seed=seed, scratch=Path(scratch)).population
    profile = open_engine(population).profile()
    source = folder / f"{TABLE}.parquet"
    columns = duckdb.execute(f"select y, score_{MODEL} as s, votes_hate / raters as share from '{source}'").fetchnumpy()
    score = np.asarray(columns["s"], dtype=np.float32)
    flagged = score >= np.float32(population.classifiers[0].threshold)
    keys = flagged.astype(np.int64) * ladder.BINS + ladder.bin_of(score.astype(np.float64))
    cell = np.searchsorted(profile.pattern * ladder.BINS + profile.guide_bin, keys)
    assert (np.bincount(cell, minlength=profile.count.size) == profile.count).all()
    return Units(np.asarray(columns["y"]).astype(np.bool_), np.asarray(columns["share"], dtype=np.float64), flagged, cell, profile)


def draw(units: Units, *, labels: int, reps: int, rng: np.random.Generator) -> Drawn:
    """Replicates of a plan for all metrics together; a fifth of the labeled units of each side has gold."""
    design = choose_design(units.profile, [metric_named(m) for m in METRICS], labels=labels)
    groups = groups_of(units.profile, design)
    band, group = design.band[units.cell], groups.of_cell[units.cell]
    first = np.concatenate([np.arange(N) < n for N, n in zip(design.N, takes(design.mass, design.N, labels), strict=True)])
    counts = np.empty((7, reps, groups.N.size))
    for r in range(reps):
        chosen = np.lexsort((rng.random(units.y.size), band))[first]
        y, z = units.y[chosen], rng.random(chosen.size) < units.says_yes[chosen]
        gold = np.zeros(chosen.size, dtype=np.bool_)
        for side in (True, False):
            mine = np.flatnonzero(units.flagged[chosen] == side)
            gold[rng.choice(mine, round(SHARE * mine.size), replace=False)] = True
        parts = (np.ones_like(y), z, y, gold & z & y, gold & z & ~y, gold & ~z & y, gold & ~z & ~y)
        counts[:, r] = [np.bincount(group[chosen], weights=part, minlength=groups.N.size) for part in parts]
    n, k, truth, yes_yes, yes_no, no_yes, no_no = counts
    gold_tally = GoldTally(yes_yes=yes_yes, yes_no=yes_no, no_yes=no_yes, no_no=no_no)
    return Drawn(groups.tally(n, k), groups.tally(n, truth), gold_tally)


def alone(units: Units, *, labels: int, reps: int, rng: np.random.Generator) -> Tally:
    """As many perfect labels as there were gold answers, drawn by a plan of their own."""
    design = choose_design(units.profile, [metric_named(m) for m in METRICS], labels=labels)
    positives = np.bincount(units.cell, weights=units.y, minlength=units.profile.count.size).astype(np.int64)
    return replicate(groups_of(units.profile, design), design, positives, labels=labels, reps=reps, rng=rng)


def pooled(metric: str, drawn: Drawn) -> Floats:
    """The twin that must be wrong: one sensitivity and one specificity for both sides, from all gold units (Rogan and Gladen)."""
    tally, gold = drawn.noisy, drawn.gold
    w = tally.N / np.maximum(tally.n, 1)
    yy, yn, ny, nn = ((w * part).sum(-1) for part in (gold.yes_yes, gold.yes_no, gold.no_yes, gold.no_no))
    with np.errstate(invalid="ignore", divide="ignore"):
        sensitivity, false_yes = yy / (yy + ny), yn / (yn + nn)
        told = [(w * tally.k)[:, side].sum(-1) / tally.N[side].sum() for side in (tally.flagged, ~tally.flagged)]
        A, B = (np.clip((p - false_yes) / (sensitivity - false_yes), 0, 1) for p in told)
    return metric_named(metric).value(Totals.of_sides(tally.N1 * A, tally.N0 * B, N1=tally.N1, N0=tally.N0))


def difference(metric: str, drawn: Drawn) -> Floats:
    """The plain difference form: the noisy share of each side plus the expanded mean of gold - noisy over its gold units."""
    tally, gold = drawn.noisy, drawn.gold
    w = tally.N / np.maximum(tally.n, 1)
    shares = []
    for side in (tally.flagged, ~tally.flagged):
        gap, all_gold = (w * (gold.no_yes - gold.yes_no))[:, side].sum(-1), (w * (gold.yes + gold.no))[:, side].sum(-1)
        shares.append(np.clip((w * tally.k)[:, side].sum(-1) / tally.N[side].sum() + gap / all_gold, 0, 1))
    return metric_named(metric).value(Totals.of_sides(tally.N1 * shares[0], tally.N0 * shares[1], N1=tally.N1, N0=tally.N0))


def study(units: Units, *, labels: int, reps: int, seed: int) -> list[Row]:
    """All metrics of one number of labels."""
    drawn = draw(units, labels=labels, reps=reps, rng=stream(seed, 0, labels))
    few = alone(units, labels=round(SHARE * labels), reps=reps, rng=stream(seed, 1, labels))
    rows = []
    for name in METRICS:
        metric = metric_named(name)
        noisy, perfect, small = (measure(metric, tally, tail=TAIL) for tally in (drawn.noisy, drawn.perfect, few))
        corrected = measure_with_gold(metric, drawn.noisy, drawn.gold, tail=TAIL)
        rows.append(Row(labels, name, units.truth(name), noisy, corrected, perfect, small, pooled(name, drawn), difference(name, drawn)))
    return rows


def covered(row: Row, measured: Measured) -> str:
    """The share of intervals that hold the truth, marked where the exact test rejects 0.94."""
    hits = (measured.low <= row.truth) & (row.truth <= measured.high)
    mark = " (short)" if binom.cdf(int(hits.sum()), hits.size, 0.94) < 1e-3 else ""
    return f"{hits.mean():.4f}{mark}"


def line(row: Row, N: int) -> str:
    """One row of the table."""
    wide = {name: float(getattr(row, name).half_width.mean()) for name in ("noisy", "corrected", "perfect", "alone")}
    bias = {name: float(np.nanmean(x) - row.truth) for name, x in (("n", row.noisy.value), ("c", row.corrected.value), ("p", row.pooled))}
    price = f"{wide['corrected'] / wide['perfect']:.2f}" if wide["perfect"] > 1e-9 else "-"
    errors = [float(np.nanmean((x - row.truth) ** 2)) for x in (row.corrected.value, row.difference)]
    labels = "every unit" if row.labels == N else f"{row.labels:,}"
    return (
        f"| {labels} | {row.metric} | {row.truth:.3f} | {covered(row, row.noisy)} | {bias['n']:+.3f} | {wide['noisy']:.3f} "
        f"| {covered(row, row.corrected)} | {bias['c']:+.3f} | {wide['corrected']:.3f} | {wide['perfect']:.3f} | {price} "
        f"| {wide['alone']:.3f} | {bias['p']:+.3f} | {errors[0] / errors[1]:.2f} |"
    )


def behind(units: Units) -> list[str]:
    """What one labeler's answer means on each side."""
    lines = [
        "| side | units | truth yes | told yes | truth behind yes | truth behind no | sensitivity | specificity |",
        "|---|" + "--:|" * 7,
    ]
    for name, side in (("flagged", units.flagged), ("unflagged", ~units.flagged)):
        y, z = units.y[side], units.says_yes[side]
        yes, no, right = z.sum(), (1 - z).sum(), (z * y).sum()
        shares = (y.mean(), z.mean(), right / yes, ((1 - z) * y).sum() / no, right / y.sum(), ((1 - z) * ~y).sum() / (~y).sum())
        lines.append(f"| {name} | {y.size:,} | " + " | ".join(f"{share:.3f}" for share in shares) + " |")
    return lines


NOTES = """\
- *uncorrected*: the noisy answers taken for the truth. *corrected*: [gold](maths/gold.md), the same draws.
- *perfect labels*: the same units answered without error. *price*: corrected over perfect half-width.
- *gold alone*: a study of its own with as many perfect labels as there were gold answers, placed by its own plan, and no others.
- *pooled*: the bias of one sensitivity and one specificity for both sides; for all but prevalence it stays however many labels there are.
- *error*: the mean squared error of the corrected value over that of the plain difference form.
- *(short)*: an exact binomial test at 1e-3 rejects a true coverage of 0.94.

| labels | metric | truth | uncorrected: coverage | bias | half-width | corrected: coverage | bias | half-width \
| perfect labels: half-width | price | gold alone: half-width | pooled: bias | error |
|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"""


def page(units: Units, rows: Sequence[Row], *, reps: int, seed: int) -> str:
    """docs/raters.md."""
    lines = [
        "# Labels that err: how far the correction was tested",
        "",
        f"Real votes on {units.y.size:,} short messages ({TABLE}, classifier {MODEL}; the table is not part of fewlabels): hate speech "
        f"or not. "
        "Each labeled unit is answered by one of its voters at random. A random fifth of the labeled units of each side also has the "
        "majority's answer as gold. The truth is the majority's answer to every unit. Nominal 95 %.",
        "",
        f"    python -m benchmarks.raters --data FOLDER --reps {reps} --seed {seed} --out docs/raters.md",
        "",
        *behind(units),
        "",
        NOTES,
        *(line(row, units.y.size) for row in rows),
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Runs the study, prints the page and writes it."""
    options = read_options(__doc__, reps=2_000)
    units = read_units(options.data, seed=options.seed)
    rows = [row for labels in (*LABELS, units.y.size) for row in study(units, labels=labels, reps=options.reps, seed=options.seed)]
    text = page(units, rows, reps=options.reps, seed=options.seed)
    options.out.write_text(text)
    print(text)


if __name__ == "__main__":
    main()
