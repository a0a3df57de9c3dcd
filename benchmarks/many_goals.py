"""Many goals on one draw: what they cost, whether plans for all of them come true, prices by slice, gaps between slices, and time.

    python -m benchmarks.many_goals --data FOLDER --folder FOLDER --seed 42 --out docs/many-goals.md        (make many-goals)

Every cell is kept in --folder, so a run that was stopped goes on; docs/many-goals.json has them too, so that another machine can go on
(--known docs/many-goals.json: cells made by code whose numbers are the same).
"""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import fewlabels
from benchmarks.kept import Kept
from benchmarks.made import scored
from benchmarks.many_goals_page import page
from benchmarks.options import parser_of
from fewlabels.designs.base import takes_of
from fewlabels.engines.opening import open_engine
from fewlabels.estimators.gaps import gap_between
from fewlabels.estimators.measuring import measure
from fewlabels.nouns.arrays import BoolArray, FloatArray, IntArray
from fewlabels.nouns.decision import widest
from fewlabels.nouns.design import Design, Prices
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.goal import parse_goal
from fewlabels.nouns.profile import Profile
from fewlabels.nouns.tally import AnyTally, GapTally
from fewlabels.planning.apart import shared_out, union
from fewlabels.planning.forecasting import settles, tails
from fewlabels.planning.goal_scope import Ask
from fewlabels.planning.shared_draw import own_design
from fewlabels.planning.simulated_draws import groups_labeled
from fewlabels.randomness import stream
from fewlabels.study.plan.one_draw import ColumnNames, OneDraw, PlanOptions, asks_for
from fewlabels.study.plan.sizes import size_goals
from fewlabels.study.simulate import replicate_cells

REPS, STUDIES = 2_000, 500
COLUMNS = ("country", "device")
COUNTRIES = (8, 24, 40)
DEVICES = ("app", "web", "shop")


class Bench(NamedTuple):
    """A profile and the positives of its cells."""

    profile: Profile
    positives: IntArray
    names: ColumnNames

    def asks(self, *texts: str) -> list[Ask]:
        """What the goals ask."""
        return asks_for(self.profile, [parse_goal(text) for text in texts], self.names)


def made_up(seed: int, slices: int, *, units: int = 120_000, alike: bool = False, weight: bool = False, calibrated: bool = True) -> Bench:
    """A table in slices of very different sizes, a few per cent of it positive; three devices, and views that most units have few of.

    alike        whether all slices have the same share of positives and the same scores
    calibrated   whether the truth is drawn again from the scores, so that they are what they claim
    """
    rng = stream(seed, slices, units, int(alike), int(weight), int(calibrated))
    share = 1 / np.arange(1, slices + 1) ** 0.7
    home = np.sort(rng.choice(slices, units, p=share / share.sum()))
    prevalence = np.full(slices, 0.06) if alike else 0.06 * 2 ** np.clip(rng.normal(0, 0.4, slices), -1, 1)
    y, score = np.zeros(units, dtype=np.bool_), np.zeros(units)
    for j in range(slices):
        mine = home == j
        y[mine], score[mine] = scored(rng, N=int(mine.sum()), share=float(prevalence[j]), separation=3.0)
    if calibrated:
        y = rng.random(units) < score
    table: dict[str, Any] = {
        "id": np.arange(units),
        "score": score,
        "country": np.array([f"c{j:02d}" for j in range(slices)])[home],
        "device": np.array(DEVICES)[rng.choice(3, units, p=(0.5, 0.35, 0.15))],
        "y": y.astype(np.int8),
    }
    if weight:
        table["views"] = np.ceil(rng.pareto(2.0, units) + 0.01)
    judged = fewlabels.Classifier("m", score="score", threshold=0.5)
    return read(table, [judged], weight="views" if weight else None)


def read(table: Any, judged: Sequence[fewlabels.Classifier], *, weight: str | None = None, slices: Sequence[str] = COLUMNS) -> Bench:
    """A table as a study reads it."""
    engine = open_engine(fewlabels.read_population(table, id="id", classifiers=list(judged), slices=list(slices), weight=weight))
    profile = engine.profile()
    return Bench(profile, engine.positives(profile, truth="y"), ColumnNames(tuple(c.name for c in judged), tuple(slices)))


class Drawn(NamedTuple):
    """What draws of one design show about some goals: one reading for each."""

    asks: Sequence[Ask]
    tallies: Sequence[AnyTally]

    def settled(self) -> BoolArray:
        """The draws that settle every goal."""
        found: BoolArray | bool = True
        for ask, tally in zip(self.asks, self.tallies, strict=True):
            wide, bound = (measure(ask.metric, tally, tail=tail) for tail in tails(ask.goal))
            found = found & settles(ask.goal, wide, bound) & (wide.half_width <= widest(ask.metric, unlimited=ask.goal.may_be_wide))
        return np.asarray(found)


def drawn(at: Bench, design: DrawDesign, asks: Sequence[Ask], *, labels: int, reps: int, rng: np.random.Generator) -> Drawn:
    """What each goal counts in the same draws."""
    n, k = replicate_cells(design, at.profile.count, at.positives, labels=labels, reps=reps, rng=rng)
    each = [groups_labeled(ask, design, takes_of(design, labels)) for ask in asks]
    counted = [of.counted(of.groups.summed(n[:, ask.cells]), of.groups.summed(k[:, ask.cells])) for ask, of in zip(asks, each, strict=True)]
    return Drawn(asks, counted)


def truth_of(at: Bench, ask: Ask) -> float:
    """The metric as it is."""
    return ask.value((at.positives / at.profile.count)[ask.cells])


# ---------------------------------------------------------------- what one draw costs


class Cost(NamedTuple):
    """Goals on one draw against a draw for each; the worst coverage of them on the one draw, None by weight."""

    slices: int
    goals: str
    weight: bool
    overlapping: bool
    number: int
    apart: int
    together: int
    lowest_chance: float
    covered: int | None
    reps: int

    @property
    def key(self) -> tuple[Any, ...]:
        """What is measured."""
        return (self.slices, self.goals, self.weight)


OVERLAPPING = "recall +-0.08; recall +-0.1 by device; recall +-0.1 by country"
GOALS = ("recall +-0.1 by country", "precision +-0.08 by country", OVERLAPPING)


def cost_of(case: tuple[int, str, bool], *, seed: int) -> Cost:
    """One case of the table of costs."""
    slices, goals, weight = case
    at = made_up(seed, slices, weight=weight, units=240_000)
    texts = [text.replace(" +-", " by views +-") if weight else text for text in goals.split("; ")]
    one = OneDraw(at.profile, [parse_goal(text) for text in texts], PlanOptions(), at.names)
    alone = [need for need in one.alone if need is not None]
    assert len(alone) == len(one.alone)
    together = one.together
    assert together is not None
    lowest, covered = min(f.chance for f in one.shows(together, 1.0).goals), None
    if not weight:
        fine = Bench(one.fine, np.bincount(one.home, weights=at.positives).astype(np.int64), one.names)
        asks = fine.asks(*texts)
        design = one.design(together)
        covered, rng = REPS, stream(seed, slices, len(goals), 1)
        for ask, tally in zip(asks, drawn(fine, design, asks, labels=together, reps=REPS, rng=rng).tallies, strict=True):
            found, truth = measure(ask.metric, tally, tail=0.025), truth_of(fine, ask)
            covered = min(covered, int(((found.low <= truth) & (truth <= found.high)).sum()))
    return Cost(slices, goals, weight, goals == OVERLAPPING, len(alone), sum(alone), together, lowest, covered, REPS)


# ---------------------------------------------------------------- plans for several goals


class Together(NamedTuple):
    """A plan for all goals together: the chance it promised, and how often studies settled all; half-widths that came over the goals'."""

    table: str
    goals: str
    number: int
    labels: int | None
    promised: float
    settled: int
    studies: int
    ratio: float | None

    @property
    def key(self) -> tuple[Any, ...]:
        """What is measured."""
        return (self.table, self.goals)


SETS = (
    "recall +-0.1; precision +-0.06",
    "f1 +-0.06; recall +-0.1 by device",
    "recall +-0.15 by country",
    "recall gap by device <= 0.25; precision +-0.06",
    "prevalence +-15% of it; accuracy +-0.02; recall +-0.12 by device",
)
TABLES: dict[str, Callable[[int], Bench]] = {
    "4 countries": lambda seed: made_up(seed, 4, units=60_000),
    "4 countries, alike": lambda seed: made_up(seed, 4, units=60_000, alike=True),
    "8 countries": lambda seed: made_up(seed, 8, units=100_000),
    "8 countries, alike": lambda seed: made_up(seed, 8, units=100_000, alike=True),
    "12 countries": lambda seed: made_up(seed, 12),
    "12 countries, alike": lambda seed: made_up(seed, 12, alike=True),
    "20 countries": lambda seed: made_up(seed, 20, units=160_000),
    "20 countries, alike": lambda seed: made_up(seed, 20, units=160_000, alike=True),
}


TARGETS = (
    ("12 countries", "recall >= 0.5 by country"),
    ("8 countries, alike", "recall >= 0.5 by country"),
    ("20 countries, alike", "recall >= 0.45 by country"),
)


def together_of(case: tuple[str, str], *, seed: int) -> Together:
    """One plan for all goals together, and studies of that size."""
    table, goals = case
    at = TABLES[table](seed)
    texts = goals.split("; ")
    one = OneDraw(at.profile, [parse_goal(text) for text in texts], PlanOptions(), at.names)
    labels = one.for_all
    if labels is None:
        return Together(table, goals, len(one.alone), None, 0.0, 0, 0, None)
    fine = Bench(one.fine, np.bincount(one.home, weights=at.positives).astype(np.int64), one.names)
    asks, rng = fine.asks(*texts), stream(seed, len(table), len(goals), 2)
    found = drawn(fine, one.design(labels), asks, labels=labels, reps=STUDIES, rng=rng)
    ratios = []
    for ask, tally, told in zip(asks, found.tallies, one.shows(labels, 1.0).goals, strict=True):
        came = measure(ask.metric, tally, tail=tails(ask.goal)[0]).half_width.mean()
        ratios.append(float(came) / told.half_width)
    worst = max(ratios, key=lambda ratio: abs(np.log(ratio)))
    return Together(table, goals, len(asks), labels, one.shows(labels, 1.0).chance or 0.0, int(found.settled().sum()), STUDIES, worst)


# ---------------------------------------------------------------- prices


class Priced(NamedTuple):
    """Root mean squared error for equal money: labels drawn by price, at one price, and in equal numbers from every slice."""

    table: str
    prices: str
    goal: str
    money: float
    by_price: float
    one_price: float
    equal: float
    reps: int

    @property
    def key(self) -> tuple[Any, ...]:
        """What is measured."""
        return (self.table, self.prices, self.goal)


PRICES = {
    "8 countries": Prices("country", (("c00", 4.0), ("c03", 8.0)), 1.0),
    "12 countries, alike": Prices("country", (("c01", 6.0), ("c02", 0.5), ("c07", 10.0)), 1.0),
    "fraud_sample gbm": Prices("country", (("BR", 10.0), ("DE", 4.0)), 1.0),
}
PRICED_GOALS = ("recall +-0.1", "f1 +-0.06", "precision +-0.05")
TRUSTING = "rec"  # rates follow prices where the scores are trusted: decision 0022


def fraud(data: Path) -> Bench:
    """The table of card payments, by country."""
    threshold = json.loads((data / "manifest.json").read_text())["fraud_sample"]["thresholds"]["gbm"]
    judged = fewlabels.Classifier("gbm", score="score_gbm", threshold=float(threshold))
    return read(data / "fraud_sample.parquet", [judged], slices=["country"])


def priced_of(case: tuple[str, str], *, data: Path, seed: int) -> Priced:
    """One table and goal: the money that a draw at one price costs, spent in three ways."""
    table, text = case
    at, prices, goal = fraud(data) if table.startswith("fraud") else TABLES[table](seed), PRICES[table], parse_goal(text)
    price = np.array([prices.of(values[at.names.slices.index("country")]) for values in at.profile.slice_values])[at.profile.slice]
    ways = [OneDraw(at.profile, [goal], PlanOptions(choice=Design(prices=p), interval=TRUSTING), at.names) for p in (prices, None)]
    shapes: list[Callable[[int], DrawDesign]] = [partial(_whole, one) for one in ways]
    shapes.append(partial(_equal, at, text))
    labels = ways[1].together
    assert labels is not None
    money = bill(shapes[1](labels), at, price, labels)
    (ask,) = at.asks(text)
    errors = []
    for number, shape in enumerate(shapes):
        n = affordable(partial(_bill_of, shape, at, price), money, labels)
        (tally,) = drawn(at, shape(n), [ask], labels=n, reps=REPS, rng=stream(seed, len(table), len(text), 3, number)).tallies
        value = measure(ask.metric, tally, tail=0.025, interval=TRUSTING).value
        errors.append(float(np.sqrt(np.mean((np.nan_to_num(value, nan=0.5) - truth_of(at, ask)) ** 2))))
    said = ", ".join(f"{value} {price:g}" for value, price in prices.by) + f", others {prices.other:g}"
    by_price, one_price, equal = errors
    return Priced(table, said, text, money, by_price, one_price, equal, REPS)


def _whole(one: OneDraw, labels: int) -> DrawDesign:
    """The design by the cells of the whole table."""
    design = one.design(labels)
    return replace(design, band=design.band[one.home])


def _equal(at: Bench, text: str, labels: int) -> DrawDesign:
    """As many labels from every slice, in each as if it were the table."""
    asks = at.asks(f"{text} by country")
    each = shared_out(np.ones(len(asks)), np.array([ask.frame for ask in asks]), labels)
    designs = [own_design(ask.alone, n) for ask, n in zip(asks, each.tolist(), strict=True)]
    return union(designs, [np.flatnonzero(ask.cells) for ask in asks], each, at.profile.count.size)


def bill(design: DrawDesign, at: Bench, price: FloatArray, labels: int) -> float:
    """What so many labels cost on average."""
    inside = design.band >= 0
    mean = np.bincount(design.band[inside], weights=(at.profile.count * price)[inside]) / design.N
    return float((takes_of(design, labels) * mean).sum())


def _bill_of(shape: Callable[[int], DrawDesign], at: Bench, price: FloatArray, labels: int) -> float:
    return bill(shape(labels), at, price, labels)


def affordable(cost: Callable[[int], float], money: float, start: int) -> int:
    """About the most labels for this money."""
    n = start
    for _ in range(12):
        n = max(20, round(n * money / cost(n)))
    while cost(n) > money:
        n -= max(1, n // 500)
    return n


# ---------------------------------------------------------------- gaps, and every slice


class Between(NamedTuple):
    """A gap: how often its interval held the truth, and how often either one-sided bound at 5 % was wrong; the twin reads one pair."""

    metric: str
    slices: int
    shape: str
    labels: int
    truth: float
    covered: int
    too_low: int
    too_high: int
    twin: int
    half_width: float
    reps: int

    @property
    def key(self) -> tuple[Any, ...]:
        """What is measured."""
        return (self.metric, self.slices, self.shape, self.labels)


class Every(NamedTuple):
    """A target in every slice: how often all bounds lay above it though one slice is just below; the twin asks it of the whole table."""

    metric: str
    slices: int
    shape: str
    labels: int
    target: float
    passed: int
    twin: int
    reps: int

    @property
    def key(self) -> tuple[Any, ...]:
        """What is measured."""
        return (self.metric, self.slices, self.shape, self.labels)


SHAPES = ("alike", "one apart", "spread")
GAP_METRICS = ("recall", "precision", "f1")
GAP_SLICES, PER_SLICE = (2, 4, 8, 20), (100, 250)


def apart(seed: int, slices: int, shape: str) -> Bench:
    """A table in equal slices, with the same scores in each; the truth follows them in all, in all but the first, or ever less."""
    rng, units = stream(seed, slices, SHAPES.index(shape), 4), 6_000
    lost = {"alike": np.zeros(slices), "one apart": np.r_[0.4, np.zeros(slices - 1)], "spread": np.linspace(0, 0.4, slices)}[shape]
    home = np.repeat(np.arange(slices), units)
    y, score = scored(rng, N=home.size, share=0.08, separation=2.6)
    hidden = y & (rng.random(home.size) < lost[home])
    score[hidden] = rng.choice(
        score[~y & (score < 0.5)], int(hidden.sum())
    )  # a slice on which the model fails: positives scored like others
    false = ~y & (score >= 0.3) & (rng.random(home.size) < lost[home])
    score[false] = np.maximum(score[false], 0.6)
    table = {
        "id": np.arange(home.size),
        "score": score,
        "y": y.astype(np.int8),
        "country": np.array([f"c{j:02d}" for j in range(slices)])[home],
    }
    return read(table, [fewlabels.Classifier("m", score="score", threshold=0.5)], slices=["country"])


def between_of(case: tuple[str, int, str, int], *, seed: int) -> tuple[Between, Every]:
    """One gap, and the same metric asked of every slice."""
    metric, slices, shape, each = case
    at, labels = apart(seed, slices, shape), slices * each
    (gap,) = at.asks(f"{metric} gap by country <= 0.1")
    found = drawn(at, own_design(gap, labels), [gap], labels=labels, reps=REPS, rng=stream(seed, slices, each, 5))
    (tally,) = found.tallies
    assert isinstance(tally, GapTally)
    truth, near = truth_of(at, gap), 1e-9
    wide, bound = (measure(gap.metric, tally, tail=tail) for tail in (0.025, 0.05))
    covered = int(((wide.low <= truth + near) & (truth - near <= wide.high)).sum())
    parts = at.asks(f"{metric} >= 0.5 by country")
    read_each = [measure(ask.metric, one, tail=0.05) for ask, one in zip(parts, tally.tallies, strict=True)]
    pair = gap_between(gap.metric, tally.slices, read_each, read_each)  # the lower limit of each pair at the full tail
    row = Between(
        metric, slices, shape, labels, truth, covered, int((bound.high < truth - near).sum()), int((bound.low > truth + near).sum()),
        int((pair.low > truth + near).sum()), float(wide.half_width.mean()), REPS,
    )  # fmt: skip
    target = min(truth_of(at, ask) for ask in parts) + near
    passed = np.all([one.low >= target for one in read_each], axis=0)
    (whole,) = at.asks(f"{metric} >= 0.5")
    (of_all,) = drawn(at, own_design(gap, labels), [whole], labels=labels, reps=REPS, rng=stream(seed, slices, each, 5)).tallies
    twin = measure(whole.metric, of_all, tail=0.05).low >= target
    return row, Every(metric, slices, shape, labels, target, int(passed.sum()), int(twin.sum()), REPS)


# ---------------------------------------------------------------- time


class Timed(NamedTuple):
    """Processor seconds that sizing takes: each goal, and all together."""

    slices: int
    goal: str
    seconds: float
    labels: int | None
    for_all: int | None

    @property
    def key(self) -> tuple[Any, ...]:
        """What is measured."""
        return (self.slices, self.goal)


def timed_of(case: tuple[int, str], *, seed: int) -> Timed:
    """One goal in every slice."""
    slices, goal = case
    at = made_up(seed, slices, units=1_000 * slices)
    start = time.process_time()
    sizing = size_goals(at.profile, [parse_goal(goal)], names=at.names)
    return Timed(slices, goal, time.process_time() - start, sizing.together, sizing.for_all)


# ---------------------------------------------------------------- all of it

PARTS: dict[str, tuple[Callable[..., Any], Callable[..., Any], Sequence[Any]]] = {
    "cost": (Cost, cost_of, [(slices, goals, weight) for slices in COUNTRIES for goals in GOALS for weight in (False, True)]),
    "together": (Together, together_of, [*((table, goals) for table in TABLES for goals in SETS), *TARGETS]),
    "priced": (Priced, priced_of, [(table, goal) for table in PRICES for goal in PRICED_GOALS]),
    "between": (
        Between,
        between_of,
        [(metric, slices, shape, each) for metric in GAP_METRICS for slices in GAP_SLICES for shape in SHAPES for each in PER_SLICE],
    ),
    "timed": (
        Timed,
        timed_of,
        [(slices, goal) for slices in (40, 500) for goal in ("recall +-0.15 by country", "recall >= 0.5 by country")],
    ),
}


def main() -> None:
    """Make all cells and the page."""
    parser = parser_of(__doc__)
    parser.add_argument("--folder", type=Path, required=True, help="where cells are kept")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--part", choices=PARTS, action="append", help="make this part only; may be repeated")
    parser.add_argument("--known", type=Path, help="cells made before, by code whose numbers are the same")
    parser.add_argument("--page", action="store_true", help="write the page of what is made, and make no more")
    given = parser.parse_args()
    kept = {name: Kept(given.folder / f"many-goals-{name}-{given.seed}.jsonl", kind) for name, kind in KINDS.items()}
    done = {name: Kept(given.folder / f"many-goals-{name}-{given.seed}.done.jsonl", Done) for name in PARTS}
    if given.known is not None:
        take_up(given.known, given.seed, kept, done)
    with ProcessPoolExecutor(given.jobs) as pool:
        for name in [] if given.page else given.part or PARTS:
            _, make, cases = PARTS[name]
            left = [case for case in cases if list(case) not in [one.case for one in done[name].rows]]
            how = {"data": given.data} if name == "priced" else {}
            for case, found in zip(left, pool.map(partial(make, seed=given.seed, **how), left), strict=True):
                rows = found if name == "between" else (found,)
                kept[name].add(rows[:1])
                kept["every"].add(rows[1:])
                done[name].add([Done(list(case))])
                print(name, *rows, flush=True)
    wanted = {name: len(cases) for name, (_, _, cases) in PARTS.items()}
    given.out.write_text(page({name: one.rows for name, one in kept.items()}, {**wanted, "every": wanted["between"]}))
    made = {name: [row._asdict() for row in one.rows] for name, one in kept.items()}
    cases_done = {name: [one.case for one in each.rows] for name, each in done.items()}
    given.out.with_suffix(".json").write_text(json.dumps({"seed": given.seed, "made": made, "done": cases_done}, indent=1) + "\n")


def take_up(path: Path, seed: int, kept: Mapping[str, Kept[Any]], done: Mapping[str, "Kept[Done]"]) -> None:
    """Keep the cells of a file where the folder has none of their part."""
    known = json.loads(path.read_text())
    if known["seed"] != seed:
        raise SystemExit(f"{path} was made with the seed {known['seed']}, but --seed is {seed}: name that seed, or leave --known out")
    for name, each in done.items():
        if each.rows:
            continue
        each.add([Done(case) for case in known["done"][name]])
        for of in (name, "every") if name == "between" else (name,):
            kept[of].add([KINDS[of](**row) for row in known["made"][of]])


KINDS: dict[str, Callable[..., Any]] = {**{name: kind for name, (kind, _, _) in PARTS.items()}, "every": Every}


class Done(NamedTuple):
    """A case that was made."""

    case: list[Any]


if __name__ == "__main__":
    main()
