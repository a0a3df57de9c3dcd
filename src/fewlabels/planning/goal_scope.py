"""The scope of a goal on a profile: which metric of which classifier over which cells."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from fewlabels.designs.base import by_price, water_fill
from fewlabels.errors import GoalError, PlanError
from fewlabels.estimators.linearize import influence
from fewlabels.nouns import ladder
from fewlabels.nouns.arrays import BoolArray, FloatArray, IntArray
from fewlabels.nouns.design import Design, Prices
from fewlabels.nouns.goal import Goal, Slice
from fewlabels.nouns.metric import Metric, Totals
from fewlabels.nouns.profile import Profile
from fewlabels.planning.contests import Contest, difference_rates, difference_sizes
from fewlabels.planning.design_choice import own_rates, sizes_for
from fewlabels.planning.frames import frame_of

MOST_NAMED = 12  # values of a column in an error
EQUAL, TINY = 0.3, 1e-300  # the share of a gap's labels that is dealt to its slices in equal numbers


@dataclass(frozen=True, eq=False)
class Ask:
    """One goal on one profile: a metric of one classifier. The two types below are for a difference and a metric of several labels.

    classifier  the classifier, by position
    cells       the profile's cells in the goal's slice; all if it has none
    part        the profile of these cells alone
    price       what a label of a unit of each cell of the part costs, if that depends on the cell
    """

    goal: Goal
    classifier: int
    cells: BoolArray
    part: Profile
    price: FloatArray | None = field(default=None, kw_only=True)

    has_value: ClassVar[bool] = True  # whether the positive shares of the cells determine the metric
    has_worst: ClassVar[bool] = True  # whether its value under uninformative scores is known

    @property
    def metric(self) -> Metric:
        """The goal's metric."""
        return self.goal.definition

    @property
    def judged(self) -> tuple[int, ...]:
        """The classifiers whose predictions matter, by position."""
        return (self.classifier,)

    @property
    def domain(self) -> IntArray | None:
        """What no band of a draw made for the goal may mix, as a number per cell of the part; None if it may mix all."""
        return None

    @cached_property
    def alone(self) -> "Ask":
        """The same goal as if the table consisted of its slice."""
        return self if bool(self.cells.all()) else replace(self, cells=np.ones(self.part.count.shape, dtype=np.bool_))

    @cached_property
    def needed(self) -> BoolArray:
        """The cells of the part that the goal is about."""
        return frame_of(self.part, [self.metric], classifier=self.classifier)

    @property
    def is_empty(self) -> bool:
        """Whether no unit enters the metric, such as precision if nothing is flagged."""
        flagged, metric = self.part.predicted(self.classifier), self.metric
        return self.part.claims is None and not ((flagged & metric.needs_flagged) | (~flagged & metric.needs_unflagged)).any()

    @cached_property
    def frame(self) -> int:
        """The number of units the goal is about."""
        return int(self.part.count[self.needed].sum())

    @cached_property
    def size(self) -> FloatArray:
        """How much a unit of each cell of the part matters to the goal."""
        return sizes_for(self.part, [self.metric], classifier=self.classifier)

    def rates(self, labels: float) -> FloatArray:
        """The inclusion probability of the units of every cell of the whole profile in a draw of `labels` made for this goal alone."""
        pi = np.zeros(self.cells.shape)
        found = self._rates(min(labels, self.frame))
        pi[self.cells] = found if self.price is None else by_price(found, self.part.count, self.price)
        return pi

    def _rates(self, labels: float) -> FloatArray:
        return own_rates(self.part, [self.metric], labels=labels, classifier=self.classifier)

    def value(self, share: FloatArray) -> float:
        """The metric if these are the positive shares of the cells."""
        return float(self.metric.value(self.totals(share)))

    def slopes(self, share: FloatArray) -> FloatArray:
        """The sign of each cell's influence on the metric at these shares."""
        a1, a0 = influence(self.metric, self.totals(share))
        return np.where(self.part.predicted(self.classifier), np.sign(a1), np.sign(a0))

    def totals(self, share: FloatArray) -> Totals:
        """The totals if these are the positive shares of the cells."""
        flagged, amount = self.part.predicted(self.classifier), self.part.amount(self.metric.weight)
        aside = self.part.aside(self.classifier)
        A, B = (np.asarray((amount * share)[side].sum() + more) for side, more in ((flagged, aside.A), (~flagged, aside.B)))
        N1 = float(amount[flagged].sum())
        return Totals.of_sides(A, B, N1=N1 + aside.N1, N0=float(amount.sum()) - N1 + aside.N0)


@dataclass(frozen=True, eq=False)
class PairAsk(Ask):
    """A difference between two classifiers; `over` is the one whose metric is subtracted, by position."""

    over: int

    has_worst: ClassVar[bool] = False

    @property
    def judged(self) -> tuple[int, ...]:
        """Both classifiers, by position."""
        return (self.classifier, self.over)

    @property
    def contest(self) -> Contest:
        """The two classifiers and the metric they differ in."""
        return Contest(self.part, self.metric, self.classifier, self.over)

    @cached_property
    def needed(self) -> BoolArray:
        """The cells of the part in which a label moves the difference."""
        return self.contest.needed

    @property
    def is_empty(self) -> bool:
        """Always False: a difference that no label can change is refused by `needed`."""
        return False

    @cached_property
    def size(self) -> FloatArray:
        """How much a unit of each cell of the part matters to the difference."""
        return difference_sizes(self.contest)

    def _rates(self, labels: float) -> FloatArray:
        return difference_rates(self.contest, labels)

    def value(self, share: FloatArray) -> float:
        """The difference if these are the positive shares of the cells."""
        return self.contest.value(share)

    def slopes(self, share: FloatArray) -> FloatArray:
        """The sign of each cell's influence on the difference."""
        return np.sign(self.contest.slopes(share))


@dataclass(frozen=True, eq=False)
class GapAsk(Ask):
    """The gap of a metric between slices. `parts` are the asks of the metric in each slice."""

    parts: tuple[Ask, ...]

    has_worst: ClassVar[bool] = False

    @property
    def slices(self) -> tuple[str, ...]:
        """The values of the slice column."""
        return tuple(ask.goal.slice[1] for ask in self.parts if ask.goal.slice is not None)

    @property
    def domain(self) -> IntArray | None:
        """The slice of every cell of the part; -1 for cells of slices without a unit that the metric needs."""
        found = np.full(self.cells.shape, -1, dtype=np.int64)
        for at, ask in enumerate(self.parts):
            found[ask.cells] = at
        return found

    @cached_property
    def size(self) -> FloatArray:
        """How much a unit of each cell matters to the metric of its slice."""
        return self._of_parts([ask.size for ask in self.parts])

    def _rates(self, labels: float) -> FloatArray:
        """Each slice at its own rates; the labels go to slices by what their standard errors need, and partly in equal numbers."""
        frames = np.array([float(ask.frame) for ask in self.parts])
        errors = np.array([float((ask.size * ask.part.count).sum()) for ask in self.parts]) ** 2
        wanted = (1 - EQUAL) * errors / max(errors.sum(), TINY) + EQUAL / frames.size
        each = water_fill(wanted / frames, frames, min(labels, frames.sum())) * frames
        return self._of_parts([ask.rates(n)[ask.cells] for ask, n in zip(self.parts, each.tolist(), strict=True)])

    def value(self, share: FloatArray) -> float:
        """The gap if these are the positive shares of the cells."""
        each = [ask.value(share[ask.cells]) for ask in self.parts]
        return max(each) - min(each)

    def slopes(self, share: FloatArray) -> FloatArray:
        """The sign of each cell's influence on the gap: that of the highest slice, and against that of the lowest."""
        each = [ask.value(share[ask.cells]) for ask in self.parts]
        signs = [float(value == max(each)) - float(value == min(each)) for value in each]
        return self._of_parts([sign * ask.slopes(share[ask.cells]) for sign, ask in zip(signs, self.parts, strict=True)])

    def _of_parts(self, values: Sequence[FloatArray]) -> FloatArray:
        """The values of the slices' cells as those of all cells; 0 elsewhere."""
        found = np.zeros(self.cells.shape)
        for ask, mine in zip(self.parts, values, strict=True):
            found[ask.cells] = mine
        return found


@dataclass(frozen=True, eq=False)
class JointAsk(Ask):
    """A metric of several labels or classes together: the positive shares of the cells do not determine it."""

    has_value: ClassVar[bool] = False
    has_worst: ClassVar[bool] = False

    def value(self, share: FloatArray) -> float:
        """NaN: the shares of the cells do not determine it."""
        return math.nan


def contest_of(ask: Ask) -> Contest:
    """The two classifiers of a difference."""
    assert isinstance(ask, PairAsk)  # asked of differences only
    return ask.contest


class Merged(NamedTuple):
    """A profile with fewer cells, and the index of the merged cell for each original cell."""

    profile: Profile
    home: IntArray


def merge(profile: Profile, keep: Sequence[str], slices: Sequence[str], *, bins: int = 1) -> Merged:
    """The profile split only by these of its slice columns: the plan does not depend on the others.

    bins   number of ladder bins to merge into one, for sizes that need no finer guide
    """
    positions = [_position(column, slices) for column in keep]
    layered = [len(profile.slice_values[0]) - 1] if profile.weight is not None else []
    values = [tuple(v[p] for p in [*positions, *layered]) for v in profile.slice_values]
    names = sorted(set(values))
    code = np.array([names.index(v) for v in values], dtype=np.int64)[profile.slice]
    coarse = profile.guide_bin
    if bins > 1:
        coarse = np.where(profile.unscored, coarse, np.minimum(coarse // bins * bins + bins // 2, ladder.BINS - 1))
    key = (profile.pattern * (ladder.BINS + 1) + coarse) * len(names) + code
    _, first, home = np.unique(key, return_index=True, return_inverse=True)
    merged = replace(
        profile,
        guide_bin=coarse[first],
        pattern=profile.pattern[first],
        slice=code[first],
        count=np.bincount(home, weights=profile.count).astype(np.int64),
        slice_values=tuple(names),
        weight=None if profile.weight is None else np.bincount(home, weights=profile.weight).astype(np.int64),
    )
    return Merged(merged, home)


def kept_columns(goals: Sequence[Goal], choice: Design) -> list[str]:
    """The slice columns that the goals and the design use, sorted by name."""
    named = {goal.slice[0] for goal in goals if goal.slice is not None} | {goal.by for goal in goals if goal.by is not None}
    named |= {gap.column for goal in goals if (gap := goal.definition.gap) is not None}
    designed = (choice.pi, choice.cut.column if choice.cut else None, choice.prices.column if choice.prices else None)
    return sorted(named | {column for column in designed if column})


def priced(profile: Profile, prices: Prices | None, slices: Sequence[str]) -> FloatArray | None:
    """What a label of a unit of each cell costs; None if all cost the same."""
    if prices is None:
        return None
    if profile.claims is not None:
        raise PlanError("prices by slice are for one label, but this table has several labels or classes: leave the prices out")
    position = _position(prices.column, slices)
    values = {each[position] for each in profile.slice_values}
    if absent := [value for value, _ in prices.by if value not in values]:
        raise PlanError(
            f"{prices.column!r} has no value {absent[0]!r}, which has a price: it has {', '.join(sorted(values)[:MOST_NAMED])}: correct it"
        )
    found = np.array([prices.of(each[position]) for each in profile.slice_values])[profile.slice]
    return None if np.ptp(found) == 0 else found


def ask_of(profile: Profile, goal: Goal, *, names: Sequence[str] = (), slices: Sequence[str] = (), price: FloatArray | None = None) -> Ask:
    """The ask of a goal. `names` are the classifiers and `slices` the slice columns, in order; `price` is by cell."""
    classifier = names.index(goal.classifier) if goal.classifier is not None and names else 0
    cells = cells_of(profile, goal.slice, slices)
    if not cells.any():
        raise GoalError(f"{goal} is about units of a slice, but the population has no units in that slice: check the slice value")
    part = profile.part(cells)
    ask: Ask
    if goal.definition.gap is not None:
        ask = GapAsk(goal, classifier, cells, part, _in_each_slice(profile, goal, names=names, slices=slices))
    elif goal.over is not None:
        ask = PairAsk(goal, classifier, cells, part, list(names).index(goal.over))
    else:
        ask = (JointAsk if goal.definition.joint else Ask)(goal, classifier, cells, part)
    ask = ask if price is None else replace(ask, price=price[cells])
    if goal.slice is not None and ask.is_empty:
        side = "flagged" if ask.metric.needs_flagged else "unflagged"
        raise GoalError(f"{goal} is about the {side} units of a slice, but it has none: leave this goal out")
    return ask


def _in_each_slice(profile: Profile, goal: Goal, *, names: Sequence[str], slices: Sequence[str]) -> tuple[Ask, ...]:
    """What a gap's metric asks in every slice that has a unit it is about; raise GoalError for fewer than two."""
    between = goal.definition.gap
    assert between is not None  # asked of gaps only
    each = expand(profile, [replace(goal, metric=between.of.name, by=between.column, expected=None)], slices=slices, names=names)
    if len(each) < 2:
        raise GoalError(f"{goal} is between slices, but only {each[0].slice} has units that it is about: ask for {between.of.name}")
    return tuple(ask_of(profile, one, names=names, slices=slices) for one in each)


def cells_of(profile: Profile, chosen: Slice | Sequence[Slice] | None, slices: Sequence[str]) -> BoolArray:
    """The cells of a slice (column, value), or of the intersection of several; all cells for None."""
    cells = np.ones(profile.count.shape, dtype=np.bool_)
    for column, value in crossed(chosen):
        position = _position(column, slices)
        codes = [code for code, values in enumerate(profile.slice_values) if values[position] == value]
        cells &= np.isin(profile.slice, codes)
    return cells


def crossed(chosen: Slice | Sequence[Slice] | None) -> list[Slice]:
    """The slices to intersect: none, one or several."""
    if not chosen:
        return []
    if isinstance(chosen[0], str):
        return [(chosen[0], str(chosen[1]))]
    return [(str(pair[0]), str(pair[1])) for pair in chosen]


EACH = "each"  # in place of a classifier's name: the same goal for every one of them


def for_each(goals: Sequence[Goal], names: Sequence[str]) -> list[Goal]:
    """The goals, with every "for each" replaced by one goal per classifier."""
    found: list[Goal] = []
    for goal in goals:
        all_of_them = goal.classifier == EACH and EACH not in names and names
        found += [replace(goal, classifier=name) for name in names] if all_of_them else [goal]
    return found


def expand(profile: Profile, goals: Sequence[Goal], *, slices: Sequence[str] = (), names: Sequence[str] = ()) -> tuple[Goal, ...]:
    """The goals, with every "for each" replaced by one goal per classifier and every "by COLUMN" by one goal per value."""
    found: list[Goal] = []
    for goal in for_each(goals, names):
        if goal.by is None:
            found.append(goal)
            continue
        position = _position(goal.by, slices)
        values = sorted({profile.slice_values[code][position] for code in np.unique(profile.slice)})
        each = [replace(goal, by=None, slice=(goal.by, value)) for value in values]
        kept = [one for one in each if not _lacks_units(profile, one, slices, names)]
        if not kept:
            raise GoalError(f"{goal} is about units that no value of {goal.by} has: change the threshold, or ask for prevalence")
        found += kept
    return tuple(dict.fromkeys(found))


def left_out(profile: Profile, goals: Sequence[Goal], *, slices: Sequence[str] = (), names: Sequence[str] = ()) -> tuple[Goal, ...]:
    """The goals that "by COLUMN" leaves out, because their slice has no unit they are about."""
    kept = set(expand(profile, goals, slices=slices, names=names))
    found = []
    for goal in for_each(goals, names):
        if goal.by is not None:
            position = _position(goal.by, slices)
            values = sorted({profile.slice_values[code][position] for code in np.unique(profile.slice)})
            found += [one for value in values if (one := replace(goal, by=None, slice=(goal.by, value))) not in kept]
    return tuple(found)


def _lacks_units(profile: Profile, goal: Goal, slices: Sequence[str], names: Sequence[str]) -> bool:
    """Whether a slice has no unit on the side its goal is about."""
    judged = names.index(goal.classifier) if goal.classifier is not None and names else 0
    flagged, metric, cells = profile.predicted(judged), goal.definition, cells_of(profile, goal.slice, slices)
    needed = (flagged & metric.needs_flagged) | (~flagged & metric.needs_unflagged)
    return profile.claims is None and not (cells & needed).any()


def domain_of(profile: Profile, goals: Sequence[Goal], slices: Sequence[str]) -> IntArray | None:
    """A number per cell that distinguishes the slices of the goals; None if no goal is about one, or about the gap between them."""
    named = {goal.slice[0] for goal in goals if goal.slice is not None}
    named |= {gap.column for goal in goals if (gap := goal.definition.gap) is not None}
    columns = sorted(_position(column, slices) for column in named)
    if not columns:
        return None
    keys = [tuple(values[c] for c in columns) for values in profile.slice_values]
    order = {key: i for i, key in enumerate(sorted(set(keys)))}
    return np.array([order[key] for key in keys], dtype=np.int64)[profile.slice]


def _position(column: str, slices: Sequence[str]) -> int:
    if column not in slices:
        known = f"has {', '.join(slices)}" if slices else "has none"
        raise GoalError(
            f"goals, cuts and given probabilities name a slice column, but {column!r} is not one and the population {known}: "
            "name it with --slice"
        )
    return list(slices).index(column)
