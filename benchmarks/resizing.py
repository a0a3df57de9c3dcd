"""More labels because of what the first ones showed: how often is a target that is just not met passed, by the rule that adds them?

python -m benchmarks.resizing --data FOLDER --reps 10000 --seed 42 --out docs/resizing.md        (make resizing)
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri
from scipy.stats import binom

from benchmarks.comparing import Judged, load
from benchmarks.made import calibrated, known, overconfident
from benchmarks.options import read_options
from benchmarks.planned_looks import EXACT, LEVEL, Bench, prefixes, single
from fewlabels.deciding.planned_looks import planned_looks
from fewlabels.estimators.measuring import Measured, measure
from fewlabels.nouns.arrays import BoolArray, FloatArray, IntArray
from fewlabels.nouns.metric import Totals
from fewlabels.nouns.tally import Tally
from fewlabels.planning.sizing import smoothed_shares
from fewlabels.randomness import stream

SIZES = (200, 300, 400, 600, 800)  # of a plan for 400 labels, of which somebody looks at the first 200
PLANNED = SIZES.index(400)
POWER = 0.8
TEST = 0.001
TABLES = (("hate_tweets", "lr", "f1"), ("mnist8", "mlp", "recall"), ("mnist8", "nb", "recall"))

Rule = Callable[["Paths", np.random.Generator], BoolArray]  # the paths that pass


class Paths(NamedTuple):
    """The labels of each size on many paths, and their bounds at the full level; the target is the truth."""

    bench: Bench
    tallies: Sequence[Tally]
    shown: Sequence[Measured]

    @property
    def passing(self) -> BoolArray:
        """Whether each size passes the target, for each path."""
        return np.stack([one.low > self.bench.truth + EXACT for one in self.shown])

    def at(self, size: IntArray) -> BoolArray:
        """Whether each path passes at its size, by position."""
        return np.asarray(np.take_along_axis(self.passing, size[None], axis=0)[0])

    def needed(self, value: FloatArray) -> IntArray:
        """The first size at which a value would pass with a power of 80 %; the largest if none does: somebody hopes."""
        error = self.shown[0].standard_error
        reach = [(ndtri(LEVEL) + ndtri(POWER)) * error * np.sqrt(SIZES[0] / size) for size in SIZES]
        enough = np.stack([value - one >= self.bench.truth for one in reach])
        return np.where(enough.any(axis=0), enough.argmax(axis=0), len(SIZES) - 1)


def as_planned(paths: Paths, rng: np.random.Generator) -> BoolArray:
    """400 labels, whatever the first 200 show."""
    return paths.passing[PLANNED]


def by_counts(paths: Paths, rng: np.random.Generator) -> BoolArray:
    """As many more as answers stay out, which has nothing to do with what the answers say."""
    return paths.at(np.asarray(rng.integers(0, len(SIZES), size=paths.passing.shape[1])))


def by_estimate(paths: Paths, rng: np.random.Generator) -> BoolArray:
    """As many as the value of the first 200 would need."""
    return paths.at(paths.needed(np.nan_to_num(paths.shown[0].value)))


def by_calibration(paths: Paths, rng: np.random.Generator) -> BoolArray:
    """As many as the value needs that the scores give once the first 200 have recalibrated them: the forecast of a plan, made again."""
    tally, metric = paths.tallies[0], paths.bench.metric
    positives = smoothed_shares(tally) * tally.N
    A, B = (positives[..., tally.flagged == side].sum(axis=-1) for side in (True, False))
    return paths.at(paths.needed(np.asarray(metric.value(Totals.of_sides(A, B, N1=tally.N1, N0=tally.N0)))))


def until_it_passes(paths: Paths, rng: np.random.Generator) -> BoolArray:
    """The next size as long as the last one did not pass."""
    return np.asarray(paths.passing.any(axis=0))


def declared(paths: Paths, rng: np.random.Generator) -> BoolArray:
    """The same looks, declared in the plan: each has its own tail."""
    bench = paths.bench
    fewest = int(np.minimum(bench.design.N, bench.design.smallest).sum())
    looks = planned_looks(SIZES[-1], looks=[size / SIZES[-1] for size in SIZES], level=LEVEL, frame=bench.design.frame, fewest=fewest)
    assert tuple(look.labels for look in looks) == SIZES
    each = [
        measure(bench.metric, tally, tail=look.tails(LEVEL)[1], interval=bench.interval)
        for tally, look in zip(paths.tallies, looks, strict=True)
    ]
    return np.any([one.low > bench.truth + EXACT for one in each], axis=0)


RULES: dict[str, Rule] = {
    "as planned": as_planned,
    "by counts of answers": by_counts,
    "by the estimate": by_estimate,
    "by calibration": by_calibration,
    "until it passes": until_it_passes,
    "declared looks": declared,
}


class Row(NamedTuple):
    """The paths that pass a target which is the truth, by rule."""

    name: str
    metric: str
    reps: int
    passed: dict[str, int]


def benches(folder: Path, seed: int) -> Iterator[Bench]:
    """Made-up tables, and tables of real predictions."""
    y = stream(seed, 1).permutation(np.arange(10_000) < 9_000)
    even = Judged(*known("", y, np.full(y.size, 0.7), np.ones(y.size, dtype=np.bool_))[1:])
    yield single("even, 0.9 positive", even, "precision", "simple", "placed")(SIZES[0])
    for i, make in enumerate((calibrated, overconfident)):
        made = make(stream(seed, 2, i)).known()
        for metric in ("accuracy", "recall"):
            yield single(made.name, Judged(*made[1:]), metric, interval="placed")(SIZES[0])
    for table, model, metric in TABLES:
        yield single(f"{table} {model}", load(folder, table, [model]), metric, interval="placed")(SIZES[0])


def row(bench: Bench, *, reps: int, rng: np.random.Generator) -> Row:
    """All rules on the same paths."""
    passed = dict.fromkeys(RULES, 0)
    tallies = [tally for tally in prefixes(bench, SIZES, reps=reps, rng=rng) if isinstance(tally, Tally)]
    paths = Paths(bench, tallies, [measure(bench.metric, tally, tail=1 - LEVEL, interval=bench.interval) for tally in tallies])
    for name, rule in RULES.items():
        passed[name] = int(rule(paths, rng).sum())
    return Row(bench.name, bench.metric.name, reps, passed)


def page(rows: Sequence[Row]) -> str:
    """The page."""
    head = [
        "# More labels because of what was seen",
        "",
        "    python -m benchmarks.resizing --data FOLDER --reps 10000 --seed 42 --out docs/resizing.md",
        "",
        "A plan of 400 labels, of which somebody looks at the first 200 and decides how many to label in all: 200, 300, 400, 600 or 800. "
        "The target is the truth, so it should be passed in at most 5 % of the paths. All sizes are read at the full level, as if they had "
        "been planned, but for the last column: there they are [planned looks](maths/planned-looks.md). *By counts*: more labels because "
        "answers stay out, which says nothing of the answers given. *By the estimate*: as many as the value so far needs, 800 if it lies "
        "below the target. *By calibration*: the same with the value that the scores give once the first 200 labels have recalibrated "
        "them, which is what renewing the forecast of a plan would be. `*`: an exact test at 0.001 rejects 5 %.",
        "",
        "| table | metric | " + " | ".join(RULES) + " |",
        "|---|---|" + "--:|" * len(RULES),
    ]
    lines = [f"| {r.name} | {r.metric} | " + " | ".join(_said(r.passed[name], r.reps) for name in RULES) + " |" for r in rows]
    worst = {name: max(r.passed[name] / r.reps for r in rows) for name in RULES}
    tail = [
        "",
        "Most often: " + ", ".join(f"{name} {100 * share:.1f} %" for name, share in worst.items()) + ".",
        "",
        "So `fewlabels status` renews its forecast from how many answers came, never from what they say. Whoever may want",
        'more labels declares them, `--grow-to` or `--stopping "5 looks"`, or watches a study planned for it, `--stopping decision`.',
    ]
    return "\n".join([*head, *lines, *tail]) + "\n"


def _said(passed: int, reps: int) -> str:
    return f"{100 * passed / reps:.1f}{' *' if binom.sf(passed - 1, reps, 1 - LEVEL) < TEST else ''}"


def main() -> None:
    """Make the page."""
    given = read_options(__doc__, reps=10_000)
    rows = []
    for i, bench in enumerate(benches(given.data, given.seed)):
        rows.append(row(bench, reps=given.reps, rng=stream(given.seed, 6, i)))
        print(rows[-1], flush=True)
        given.out.write_text(page(rows))


if __name__ == "__main__":
    main()
