"""Do plans come true? The half-width that was planned for against the one that came, on tables whose truth is known.

    python -m benchmarks.plans --data FOLDER --folder FOLDER --seed 42 --out docs/plans.md        (make plans)

Every goal is kept in --folder, so a run that was stopped goes on. For each goal: the labels a plan names with the scores at their word, and
recalibrated by a pilot of 100 labels (drawn by the default design for the same metric, 50 pilots, ten draws of the planned size for each:
500 replicates); and the mean half-width of the reported interval of those draws over the goal's.
"""

import json
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.kept import Kept
from benchmarks.options import parser_of
from benchmarks.tables import SEVEN, load
from fewlabels.engines.opening import open_engine
from fewlabels.estimators.grouping import groups_of
from fewlabels.estimators.measuring import measure
from fewlabels.estimators.weighted import calibration
from fewlabels.nouns.arrays import FloatArray, IntArray
from fewlabels.nouns.goal import parse_goal
from fewlabels.nouns.profile import Profile
from fewlabels.planning.assumptions import at_their_worst, recalibrated
from fewlabels.planning.design_choice import choose_design
from fewlabels.planning.goal_scope import Ask, ask_of
from fewlabels.planning.sizing import labels_needed
from fewlabels.randomness import stream
from fewlabels.study.simulate import replicate

TABLES = (*SEVEN, ("news20_rec_autos", "nb"), ("news20_sci_electronics", "lr"))
METRICS, HALF_WIDTHS = ("precision", "recall", "f1"), (0.03, 0.05, 0.10)
PILOT, PILOTS, DRAWS = 100, 50, 10
LOWEST, HIGHEST = 0.8, 1.15


class Row(NamedTuple):
    """One goal on one table. Ratios: mean half-width that came over the goal's. labels: of the median pilot, and the range of all."""

    table: str
    model: str
    metric: str
    half_width: float
    frame: int
    word: int | None
    word_ratio: float
    worst: int | None
    labels: int
    fewest: int
    most: int
    ratio: float

    @property
    def holds(self) -> bool:
        """Whether the plan came true."""
        return LOWEST <= self.ratio <= HIGHEST


class Table(NamedTuple):
    """A table with its truth."""

    name: str
    model: str
    profile: Profile
    positives: IntArray

    def half_widths(self, ask: Ask, labels: int, reps: int, rng: np.random.Generator) -> FloatArray:
        """Half-widths of draws of so many labels made for the goal."""
        design = choose_design(self.profile, [ask.metric], labels=labels)
        tally = replicate(groups_of(self.profile, design), design, self.positives, labels=labels, reps=reps, rng=rng)
        return measure(ask.metric, tally, tail=0.025).half_width


def planned(at: Table, ask: Ask, rng: np.random.Generator) -> Iterator[int]:
    """The labels that plans name after independent pilots."""
    size = min(PILOT, ask.frame)
    design = choose_design(at.profile, [ask.metric], labels=size)
    tally = replicate(groups_of(at.profile, design), design, at.positives, labels=size, reps=PILOTS, rng=rng)
    one, zero = (calibration(tally.side(flagged=side)) for side in (True, False))
    for i in range(PILOTS):
        belief = recalibrated(ask, (float(one.a[i]), float(one.b[i])), (float(zero.a[i]), float(zero.b[i])))
        yield labels_needed(ask, believed=belief) or ask.frame


class Planned(NamedTuple):
    """What was planned for one goal; no row for what a pilot plans as a census, which is exact whatever was planned for."""

    table: str
    model: str
    metric: str
    half_width: float
    row: list[Any] | None


def plan_of(goal: tuple[int, int, int], data: Path, *, seed: int) -> Planned:
    """One goal on one table, by their numbers."""
    number, m, h = goal
    (table, model), metric, half_width = TABLES[number], METRICS[m], HALF_WIDTHS[h]
    with tempfile.TemporaryDirectory() as scratch:
        engine = open_engine(load(data, table, model, mode="real", seed=seed, scratch=Path(scratch)).population)
        profile = engine.profile()
        at = Table(table, model, profile, engine.positives(profile, truth="y"))
    ask, rng = ask_of(at.profile, parse_goal(f"{metric} +-{half_width}")), stream(seed, *goal)
    word = labels_needed(ask)
    came = at.half_widths(ask, word or ask.frame, 100, rng).mean() / half_width
    labels = list(planned(at, ask, rng))
    if np.median(labels) >= ask.frame:
        return Planned(table, model, metric, half_width, None)
    ratio = np.mean([at.half_widths(ask, n, DRAWS, rng).mean() for n in labels]) / half_width
    worst = labels_needed(ask, believed=at_their_worst(ask))
    row = Row(
        table,
        model,
        metric,
        half_width,
        ask.frame,
        word,
        float(came),
        worst,
        int(np.median(labels)),
        min(labels),
        max(labels),
        float(ratio),
    )
    return Planned(table, model, metric, half_width, list(row))


def page(found: Sequence[Row]) -> str:
    """docs/plans.md."""
    held = sum(r.holds for r in found)
    words = [r.word_ratio for r in found]
    lines = [
        "# Do plans come true?",
        "",
        "    make plans DATA=FOLDER FOLDER=FOLDER",
        "",
        "A plan names the labels with which a half-width is reached on average. Here it is held against tables of real predictions whose "
        "truth is known (the tables are not part of fewlabels). *came* is the mean half-width of the reported interval (95 %) over "
        f"the goal's. *pilot*: the scores recalibrated on each side by {PILOT} labels of the same design, {PILOTS} pilots, {DRAWS} draws "
        "of the planned size for each; the labels are those of the median pilot, with the range of all. *word*: the scores as they are, "
        "100 draws. *worst*: what the plan names if the scores say nothing inside a side and are off between them.",
        "",
        f"After a pilot {held} of {len(found)} plans came out between {LOWEST} and {HIGHEST} of the goal; the lowest is "
        f"{min(r.ratio for r in found):.2f}, the highest {max(r.ratio for r in found):.2f}. With the scores at their word they came out "
        f"between {min(words):.2f} and {max(words):.2f}: a plan is as good as what it believes.",
        "",
        "Several goals and slices on one draw, and whether the size for all of them comes true, are in [many goals](many-goals.md).",
        "",
        "| table, model | goal | units | word: labels | came | pilot: labels | range | came | worst: labels |",
        "|---|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for r in found:
        mark = "" if r.holds else " (no)"
        lines.append(
            f"| {r.table} {r.model} | {r.metric} +-{r.half_width:g} | {r.frame:,} | {count(r.word)} | {r.word_ratio:.2f} | {r.labels:,} "
            f"| {r.fewest:,} to {r.most:,} | {r.ratio:.2f}{mark} | {count(r.worst)} |"
        )
    return "\n".join([*lines, "", *reasons(found)]) + "\n"


def count(labels: int | None) -> str:
    """A number of labels; all units where none is enough."""
    return "all" if labels is None else f"{labels:,}"


def reasons(found: Sequence[Row]) -> list[str]:
    """Why the plans that did not come true did not, as far as the rows say."""
    missed = [r for r in found if not r.holds]
    if not missed:
        return []
    said = ["## Where not", ""]
    for r in missed:
        spread = "pilots disagree about the labels by more than three times: few positives were among their 100 labels"
        why = spread if r.most > 3 * r.fewest else "the recalibration by two parameters a side does not have the shape of the truth"
        said.append(f"- {r.table} {r.model}, {r.metric} +-{r.half_width:g}: {r.ratio:.2f}; {why}.")
    return [*said, ""]


def main() -> None:
    """Runs all goals and writes the page and, beside it, the rows as JSON."""
    parser = parser_of(__doc__)
    parser.add_argument("--folder", type=Path, required=True, help="where goals are kept")
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    kept = Kept(given.folder / f"plans-{given.seed}.jsonl", Planned)
    known = {tuple(one[:4]) for one in kept.rows}
    goals = [
        (number, m, h)
        for number, table in enumerate(TABLES)
        for m, metric in enumerate(METRICS)
        for h, half_width in enumerate(HALF_WIDTHS)
        if (*table, metric, half_width) not in known
    ]
    with ProcessPoolExecutor(given.jobs) as pool:
        for one in pool.map(partial(plan_of, data=given.data, seed=given.seed), goals):
            kept.add([one])
            print(one, flush=True)
    places = [(*table, metric, half_width) for table in TABLES for metric in METRICS for half_width in HALF_WIDTHS]
    by_place = {tuple(one[:4]): one.row for one in kept.rows}
    found = [Row(*row) for place in places if (row := by_place[place]) is not None]
    given.out.write_text(page(found))
    given.out.with_suffix(".json").write_text(json.dumps({"seed": given.seed, "rows": [r._asdict() for r in found]}, indent=1) + "\n")


if __name__ == "__main__":
    main()
