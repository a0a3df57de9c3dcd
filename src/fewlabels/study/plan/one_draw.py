"""One draw for all goals of a plan: what each goal asks of it, and what a number of labels is expected to show."""

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from fewlabels.designs.base import takes_of
from fewlabels.errors import PlanError
from fewlabels.intervals.registered import interval_named
from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.design import Design, Prices
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.estimate import USUAL_INTERVAL, IntervalKind
from fewlabels.nouns.goal import Goal
from fewlabels.nouns.profile import Profile
from fewlabels.planning.assumptions import Believed
from fewlabels.planning.forecasting import by_mean, reps_among
from fewlabels.planning.goal_scope import Ask, Merged, ask_of, expand, kept_columns, merge, priced
from fewlabels.planning.shared_draw import design_together
from fewlabels.planning.sizing import START, Sought, labels_needed, labels_of_many, rough_labels
from fewlabels.planning.together import Outcome, forecast_together, labels_for_all, labels_settling_all, needs_together, start_for_all
from fewlabels.study.population.calibration import Recalibration


class PlanOptions(NamedTuple):
    """How labels would be drawn and read: what a plan locks besides its goals and sizes."""

    choice: Design = Design()
    interval: IntervalKind = USUAL_INTERVAL
    recalibration: Recalibration | None = None


class ColumnNames(NamedTuple):
    """The names that a profile does not store: of its classifiers and of its slice columns, in order."""

    classifiers: Sequence[str] = ()
    slices: Sequence[str] = ()


FINE_CELLS, COARSE = 1_000, 8  # profiles with more cells are sized with eight bins of the ladder merged into one
FEW = 8  # goals: of more, sizes are found at once
Assume = Callable[[Ask], Believed]
SHARED = ("bands", "poisson")  # designs that give each goal what it asks for
DEFAULT_WAYS, NO_NAMES = PlanOptions(), ColumnNames()


def asks_for(profile: Profile, goals: Sequence[Goal], names: ColumnNames, prices: Prices | None = None) -> list[Ask]:
    """What the goals ask; a goal by a slice column becomes one per value."""
    each = expand(profile, goals, slices=names.slices, names=names.classifiers)
    price = priced(profile, prices, names.slices)
    return [ask_of(profile, g, names=names.classifiers, slices=names.slices, price=price) for g in each]


class Nearby:
    """Sizes found so far: that of the same goal in another slice, scaled by what each needs roughly, is a good starting point."""

    def __init__(self) -> None:
        """Start without any size."""
        self._found: dict[tuple[str, str, float, bool, str], float] = {}

    def labels(self, ask: Ask, way: str, **how: Any) -> int | None:
        """Compute `labels_needed`, starting from the size last found for the same goal."""
        found = labels_needed(ask, start=self._start(ask, way), **how)
        self._keep(ask, way, found)
        return found

    def labels_of_each(
        self,
        asks: Sequence[Ask],
        way: str,
        *,
        choice: Design,
        interval: IntervalKind,
        slices: Sequence[str] = (),
        believed: Assume | None = None,
    ) -> list[int | None]:
        """The labels that each goal needs by itself; those of many goals of one classifier are found at once, from that of the first.

        believed   what is assumed of the answers to a goal; by default that scores are calibrated
        """
        plain = [i for i, ask in enumerate(asks) if _follows_law(ask)]
        at_once = plain[1:] if len(plain) > FEW else []
        found: dict[int, int | None] = {}
        for i, ask in enumerate(asks):
            if i not in at_once:
                how = {"name": choice, "slices": slices, "interval": interval}
                found[i] = self.labels(ask, way, believed=None if believed is None else believed(ask), **how)
        if at_once:
            sought = [Sought(asks[i], self._start(asks[i], way) or START, None if believed is None else believed(asks[i])) for i in at_once]
            each = labels_of_many(sought, choice=choice, interval=interval, slices=slices, reps=reps_among(len(asks)))
            found |= dict(zip(at_once, each, strict=True))
        return [found[i] for i in range(len(asks))]

    def _start(self, ask: Ask, way: str) -> int | None:
        start, rough = self._found.get(self._key(ask, way)), self._rough(ask)
        return None if start is None or not rough > 0 else math.ceil(start * rough)

    def _keep(self, ask: Ask, way: str, found: int | None) -> None:
        if found is not None and (rough := self._rough(ask)) > 0:
            self._found[self._key(ask, way)] = found / rough

    @staticmethod
    def _key(ask: Ask, way: str) -> tuple[str, str, float, bool, str]:
        return (ask.goal.metric, ask.goal.kind, ask.goal.value, ask.goal.relative, way)

    @staticmethod
    def _rough(ask: Ask) -> float:
        return rough_labels(ask) if ask.has_value and ask.goal.slice is not None else 1.0


def _follows_law(ask: Ask) -> bool:
    """Whether the widths of a goal fall with 1/n - 1/N: not by weight, of units like these, or of several classifiers."""
    return type(ask) is Ask and ask.metric.weight is None and ask.part.process is None


def narrowed(profile: Profile, goals: Sequence[Goal], choice: Design, names: ColumnNames) -> tuple[Profile, ColumnNames]:
    """The profile reduced to the slice columns that goals and design use: the same sizes, computed faster."""
    if profile.claims is not None:
        return profile, names
    keep = kept_columns(goals, choice)
    bins = COARSE if profile.guided and profile.count.size > FINE_CELLS else 1
    return merge(profile, keep, names.slices, bins=bins).profile, ColumnNames(names.classifiers, keep)


class OneDraw:
    """One draw for all goals: the labels that each goal asks of it, and what a number of labels is expected to show.

    Labels are searched for on a coarse profile; the draw is designed, and what it shows is simulated, on the table's own cells.

    profile   the coarse profile, with the names of its columns and what the goals ask of it
    home      the cell of the design for every cell of the table
    """

    def __init__(
        self,
        profile: Profile,
        goals: Sequence[Goal],
        ways: PlanOptions = DEFAULT_WAYS,
        names: ColumnNames = NO_NAMES,
        near: Nearby | None = None,
    ) -> None:
        """Find what each goal asks of the draw; `near` has the sizes that were found before."""
        self._near = Nearby() if near is None else near
        self.profile, self.names = narrowed(profile, goals, ways.choice, names)
        by_price = ways.choice.prices if interval_named(ways.interval).believes_guide else None  # no other is shorter for it: decision 0022
        self.asks = asks_for(self.profile, goals, self.names, by_price)
        fine = Merged(profile, np.arange(profile.count.size))
        if profile.claims is None:
            fine = merge(profile, self.names.slices, names.slices)
        self.fine, self.home = fine
        self._drawn = self.asks if self.fine.count.size == self.profile.count.size else asks_for(self.fine, goals, self.names, by_price)
        self._how: dict[str, Any] = {"choice": ways.choice, "slices": self.names.slices}
        self._ways = ways
        self._shown: dict[tuple[int, float, int | None], Outcome] = {}
        self._designs: dict[int, DrawDesign] = {}

    @cached_property
    def alone(self) -> list[int | None]:
        """The labels that each goal needs by itself."""
        return self._near.labels_of_each(
            self.asks, "chosen", choice=self._ways.choice, interval=self._ways.interval, slices=self.names.slices
        )

    @cached_property
    def needs(self) -> tuple[int | None, ...]:
        """The labels that each goal asks of the draw."""
        return needs_together(self.profile, self.asks, self.alone, **self._how, interval=self._ways.interval)

    @cached_property
    def together(self) -> int | None:
        """The labels that settle every goal, each with its own chance."""
        return labels_for_all(self.profile, self.asks, self.needs, **self._how, interval=self._ways.interval)

    @cached_property
    def for_all(self) -> int | None:
        """The labels that settle all goals together with a chance of 80 %."""
        if self.together is None:
            return None
        alone = len(self.asks) == 1 and not by_mean(self.asks[0].goal)  # sized by its chance already
        if alone and self.shows(self.together, 1.0).expected != "open":
            return self.together
        start = start_for_all(self.asks, self.together)
        return labels_settling_all(start, lambda labels: self.design(labels).frame, lambda labels: self.shows(labels, 1.0))

    def design(self, labels: int) -> DrawDesign:
        """The design of a draw of so many labels, by the cells of `home`."""
        if labels not in self._designs:
            self._designs[labels] = self._design(labels)
        return self._designs[labels]

    def _design(self, labels: int) -> DrawDesign:
        held = [i for i, ask in enumerate(self._drawn) if ask.goal.slice is not None or not ask.is_empty]
        held = held or list(range(len(self._drawn)))  # a goal that has no units does not block the others
        needs: list[int | None] = [None] * len(held)
        if len(held) > 1 and self.fine.claims is None and self._ways.choice.name in SHARED:  # or the design does not depend on them
            needs = [self.needs[i] for i in held]
        return design_together(self.fine, [self._drawn[i] for i in held], needs, labels=labels, **self._how)

    @cached_property
    def price(self) -> FloatArray | None:
        """What a label of a unit of each cell costs; None if all cost the same."""
        return priced(self.fine, self._ways.choice.prices, self.names.slices)

    def money(self, labels: int) -> float | None:
        """What so many labels cost, on average over draws; None if all cost the same."""
        if self.price is None:
            return None
        design = self.design(labels)
        inside = design.band >= 0
        mean = np.bincount(design.band[inside], weights=(self.fine.count * self.price)[inside]) / design.N
        return float((takes_of(design, labels) * mean).sum())

    def labels_for(self, money: float) -> int | None:
        """The most labels for this money; None if all cost the same."""
        if self.price is None:
            return None
        about = np.logical_or.reduce([ask.rates(ask.frame) > 0 for ask in self._drawn])
        low, high = 0, int(self.fine.count[about].sum())
        n = min(high, max(1, int(money / float(np.average(self.price[about], weights=self.fine.count[about])))))
        while low < high:
            cost = self.money(n)
            assert cost is not None
            low, high = (n, high) if cost <= money else (low, n - 1)
            n = min(max(int(n * money / cost), low + 1), high)  # what the same labels cost on average
        return low

    def check(self, labels: int, grow_to: int) -> None:
        """Raise PlanError if there are not so many units that the goals are about."""
        frame, largest = self.design(labels).frame, max(labels, grow_to)
        if largest > frame:
            raise PlanError(
                f"these goals can use at most the {frame:,} units they are about{self.profile.apart}, but {largest:,} were requested: "
                "lower it"
            )

    def shows(self, labels: int, share: float, *, usable: int | None = None) -> Outcome:
        """What a draw of so many labels is expected to show of each goal, and of all; `share` of the error may be spent.

        usable   of the labels, the answers that can be used; all if omitted
        """
        usable = None if usable == labels else usable
        key = (labels, share, usable)
        if key not in self._shown:
            how: dict[str, Any] = {"interval": self._ways.interval, "share": share}
            self._shown[key] = forecast_together(self._drawn, self.design(labels), labels if usable is None else usable, **how)
        return self._shown[key]
