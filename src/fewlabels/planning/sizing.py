"""How many labels one goal needs: sized for the interval that will be reported, not for an approximation of it."""

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache, partial
from typing import NamedTuple

import numpy as np

from fewlabels.designs.bands import USUAL, bands, reference_of
from fewlabels.designs.simple import simple
from fewlabels.errors import PlanError
from fewlabels.estimators.weighted import PRIOR_LABELS, recalibrate
from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.design import Design
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.estimate import USUAL_INTERVAL, IntervalKind
from fewlabels.nouns.goal import Goal
from fewlabels.nouns.profile import Profile, SameCounts
from fewlabels.nouns.tally import Tally
from fewlabels.planning.assumptions import Believed
from fewlabels.planning.design_choice import DesignName, choose_design, own_rates
from fewlabels.planning.forecasting import CHANCE_REPS, GUESS, Effort, Question, forecast_each, further
from fewlabels.planning.frames import sides_of
from fewlabels.planning.goal_scope import Ask, GapAsk, PairAsk
from fewlabels.planning.shared_draw import own_design, prepare_designs

START = 200  # where the search for a number of labels begins
CLOSE = 0.98  # a half-width within two per cent of the goal is near enough
MOST_STEPS = 24
SMALLEST_REACH = 1e-3
GUESSES, ROUGHLY = 5, 1.15  # by the answers that are expected: so near is near enough for a guess
CORRECTIONS, NEARLY = 2, 1.1
FAR = 1.4  # so far from enough, a number of labels is searched for alone
NEARLY_ALL = 0.9  # of the units: beyond, the law does not hold
LONGEST_STEP, MOST_TOLD, TINY = 3.0, 0.95, 1e-9
KEPT, KEPT_MANY = 1024, 64  # sizes found, and sizes of many goals: a plan is sized, checked and locked, each by itself
PLAIN = Design()
UNSIZED = ("manual", "given")  # their labels are set by the user


def smallest(enough: Callable[[int], bool], *, low: int, high: int) -> int | None:
    """The smallest n in [low, high] that is enough, by doubling and bisection; None if even `high` is not."""
    n = low
    while not enough(n):
        if n >= high:
            return None
        low, n = n + 1, min(2 * n, high)
    high = n
    while low < high:
        middle = (low + high) // 2
        if enough(middle):
            high = middle
        else:
            low = middle + 1
    return high


def nearly_smallest(short: Callable[[int], float], *, low: int, high: int, start: int = START) -> int | None:
    """About the smallest n in [low, high] with short(n) <= 1, where short falls about as one over the root of n; None if there is none.

    Steps by that law, then between the nearest n that suffices and the nearest that does not, alternating interpolation of the logarithms
    and bisection; ends when an n suffices with less than two per cent to spare, or when the two are within one and a half per cent.
    """
    n, under, over = min(max(start, low), high), None, None  # (n, short) nearest to 1 from both sides
    for step in range(MOST_STEPS):
        found = short(n)
        if found <= 1:
            over = (n, found)
            if found >= CLOSE or n == low:
                return n
        else:
            under = (n, found)
            if n == high:
                return None
        bottom, top = under[0] if under else low - 1, over[0] if over else high + 1
        if top - bottom <= max(1, 0.015 * top):
            break
        halved = under is not None and over is not None and step % 3 == 2
        n = round(math.sqrt(bottom * top)) if halved else _step(n, found, under, over)
        n = min(max(n, bottom + 1), top - 1)
    if over is None:  # all that is left to try
        return high if short(high) <= 1 else None
    return over[0]


def _step(n: int, found: float, under: tuple[int, float] | None, over: tuple[int, float] | None) -> int:
    """The next n to try."""
    if under is None or over is None:
        return math.ceil(n * min(max(1.02 * found * found, 1 / 8), 8.0))
    (n0, f0), (n1, f1) = under, over
    if not math.isfinite(f0) or f1 <= 0:  # at the target itself, or a census
        return round(math.sqrt(n0 * n1))
    slope = math.log(f1 / f0) / math.log(n1 / n0)
    guess = math.log(n0) - math.log(f0 / 0.99) / slope
    edge = 0.1 * math.log(n1 / n0)
    return math.ceil(math.exp(min(max(guess, math.log(n0) + edge), math.log(n1) - edge)))


def labels_needed(
    ask: Ask,
    *,
    name: DesignName | Design = "bands",
    believed: Believed | None = None,
    interval: IntervalKind = USUAL_INTERVAL,
    share: float = 1.0,
    start: int | None = None,
    slices: Sequence[str] = (),
) -> int | None:
    """How many labels a draw made for one goal needs to settle it under an assumption (by default, that scores are calibrated).

    A half-width is settled when its mean is small enough, a target when it is settled with the goal's power. None if not even a census
    suffices. `start` is where to begin the search, such as the labels the same goal needs in another slice.
    """
    choice = name if isinstance(name, Design) else Design(name=name)
    if choice.name in UNSIZED:
        return None
    how = _How(choice, interval, share, start or START, tuple(slices))
    if believed is None:
        return _once(_SameAsk.of(ask.alone), how)
    return _searched(ask.alone, how, believed)


class _How(NamedTuple):
    """How a goal would be drawn for and read, and where to begin the search."""

    choice: Design
    interval: IntervalKind
    share: float
    start: int
    slices: tuple[str, ...]


@dataclass(frozen=True)
class _SameAsk:
    """An ask that is equal to any other with the same goal and counts."""

    kind: type[Ask]
    goal: Goal
    judged: tuple[int, ...]
    counts: SameCounts
    price: bytes | None
    ask: Ask = field(compare=False)

    @classmethod
    def of(cls, ask: Ask) -> "_SameAsk":
        return cls(type(ask), ask.goal, ask.judged, ask.part.counts, None if ask.price is None else ask.price.tobytes(), ask)


@lru_cache(maxsize=KEPT)
def _once(same: _SameAsk, how: _How) -> int | None:
    return _searched(same.ask, how, None)


def _searched(ask: Ask, how: _How, believed: Believed | None) -> int | None:
    """The labels found by search; `ask` is as if the table consisted of its slice."""

    @cache
    def short(n: int, *, widths: bool) -> float:
        return _short([Sought(ask, n, believed)], how, Effort(widths=widths))[0]

    low = min(10, ask.frame)
    start = min(max(how.start, low), ask.frame)
    if ask.goal.kind == "+-" or short(start, widths=True) > short(start, widths=False):  # an interval may be too wide to ship
        return nearly_smallest(partial(short, widths=True), low=low, high=ask.frame, start=start)
    found = nearly_smallest(partial(short, widths=False), low=low, high=ask.frame, start=start)
    if found is None or short(found, widths=True) <= 1:
        return found
    return nearly_smallest(partial(short, widths=True), low=found, high=ask.frame, start=found)


class Sought(NamedTuple):
    """A goal and where to begin the search for its labels; `believed` as in `labels_needed`."""

    ask: Ask
    labels: int
    believed: Believed | None = None


def labels_of_many(
    sought: Sequence[Sought],
    *,
    choice: Design,
    interval: IntervalKind = USUAL_INTERVAL,
    slices: Sequence[str] = (),
    reps: int = CHANCE_REPS,
) -> list[int | None]:
    """The labels that each of many goals needs by itself (`labels_needed`), found at once in a fraction of the time.

    The numbers are searched for with the answers that are expected. Then simulated draws say what each number is short, and it is corrected
    by the law of the root: of the widths of intervals the expected answers tell all but a factor, which hardly depends on the labels.
    """
    if choice.name in UNSIZED:
        return [None] * len(sought)
    how = _How(choice, interval, 1.0, START, tuple(slices))
    asks = tuple(one._replace(ask=one.ask.alone) for one in sought)
    if all(one.believed is None for one in asks):
        return list(_many_once(tuple(_SameAsk.of(one.ask) for one in asks), tuple(one.labels for one in asks), how, reps))
    return _many_searched(asks, how, reps)


@lru_cache(maxsize=KEPT_MANY)
def _many_once(same: tuple[_SameAsk, ...], starts: tuple[int, ...], how: _How, reps: int) -> tuple[int | None, ...]:
    return tuple(_many_searched([Sought(one.ask, n) for one, n in zip(same, starts, strict=True)], how, reps))


def _many_searched(asks: Sequence[Sought], how: _How, reps: int) -> list[int | None]:
    """The labels of each found at once; each is as if the table consisted of its slice."""
    found: list[int | None] = [min(max(one.labels, min(10, one.ask.frame)), one.ask.frame) for one in asks]
    far: dict[int, float] = {}  # the logarithm of what each was short, or too much, when it was last tried
    for effort, rounds, near in ((GUESS, GUESSES, ROUGHLY), (Effort(reps), CORRECTIONS, NEARLY)):
        left = [i for i, n in enumerate(found) if n is not None]
        for _ in range(rounds):
            for i, factor in zip(left, _short([asks[i]._replace(labels=found[i] or 0) for i in left], how, effort), strict=True):
                found[i] = _corrected(found[i] or 0, factor, asks[i].ask.frame)
                far[i] = abs(math.log(max(factor, TINY)))
            left = [i for i in left if found[i] is not None and far[i] > math.log(near)]
            if not left:
                break
    for i, n in enumerate(found):  # where labels and errors follow no law: near the value, or near a census
        if far[i] > math.log(FAR) or n is None or n > NEARLY_ALL * asks[i].ask.frame:
            found[i] = _searched(asks[i].ask, how._replace(start=n or asks[i].ask.frame), asks[i].believed)
    return found


def _corrected(labels: int, factor: float, frame: int) -> int | None:
    """The number of labels that is just enough, if this one falls short by a factor; None if all units do.

    A squared error falls with 1/n - 1/N; a census says nothing of fewer labels.
    """
    if labels >= frame and factor > 1:
        return None
    n, f = min(labels, MOST_TOLD * frame) if factor <= 1 else labels, min(max(factor, 1 / LONGEST_STEP), LONGEST_STEP)
    return min(max(math.ceil(further(n, f * f, frame)), min(10, frame)), frame)


def _short(sought: Sequence[Sought], how: _How, effort: Effort) -> list[float]:
    """How far each number of labels falls short of its goal."""
    designs = _own_designs(sought, how, effort)
    questions = {
        i: Question(one.ask, design, one.labels, one.believed, how.share, effort=effort)
        for i, (one, design) in enumerate(zip(sought, designs, strict=True))
        if design is not None
    }
    found = dict(zip(questions, forecast_each(list(questions.values()), interval=how.interval), strict=True))
    return [found[i].short if i in found else 2.0 for i in range(len(sought))]  # or too few labels for the strata


def _own_designs(sought: Sequence[Sought], how: _How, effort: Effort) -> list[DrawDesign | None]:
    """The design for each goal alone; None where there are too few labels for it."""
    bands_guessed = how.choice.name == "bands" and effort == GUESS
    if how.choice.name == "bands" and not bands_guessed:
        with suppress(PlanError):  # said of each below
            prepare_designs([(one.ask, one.labels) for one in sought])
    found: list[DrawDesign | None] = []
    for one in sought:
        try:
            made = _usual_bands(one.ask, one.labels) if bands_guessed else _own_design(one.ask, one.labels, how.choice, how.slices)
        except PlanError:
            made = None
        found.append(made)
    return found


def _usual_bands(ask: Ask, labels: int) -> DrawDesign:
    """Bands by the usual mixture, for a guess: choosing one takes as long as all guesses."""
    reference = reference_of(labels, ask.frame)
    pi = own_rates(ask.part, [ask.metric], labels=reference, classifier=ask.classifier, mixture=USUAL)
    made = bands(ask.part, flagged=sides_of(ask.part, ask.classifier), pi=pi, labels=labels)
    return replace(made, judged=ask.judged)


def rough_labels(ask: Ask) -> float:
    """What a goal needs, up to a factor that is about the same for all slices: the squared error of one label over the squared reach.

    (sum_i e_i / r)^2,   e_i = |a_i| sqrt(p_i (1 - p_i))        r: the half-width, or the distance from the value to the target
    """
    goal, value = ask.goal, ask.value(ask.part.claimed(ask.classifier))
    reach = goal.in_points(value) if goal.kind == "+-" else abs(value - goal.value)
    errors = float((ask.size * ask.part.count).sum())
    needed = (errors / max(reach, SMALLEST_REACH)) ** 2
    return needed / (1 + needed / ask.frame)


def _own_design(ask: Ask, labels: int, choice: Design, slices: Sequence[str]) -> DrawDesign:
    """The design for one goal alone; for bands, from the sizes it keeps."""
    if choice.name == "simple":
        return replace(simple(ask.part, frame=ask.needed), judged=ask.judged)
    if isinstance(ask, PairAsk | GapAsk) and choice.name != "bands":
        what = "difference" if isinstance(ask, PairAsk) else "gap"
        raise PlanError(f"a {what} needs the design bands or simple, got {choice.name}: choose one of these")
    if choice.name != "bands":
        return choose_design(ask.part, [ask.metric], labels=labels, name=choice, classifier=ask.classifier, slices=slices)
    return own_design(ask, labels)


def uniform_labels(profile: Profile, ask: Ask, simple: int | None) -> int | None:
    """How many units, drawn uniformly from the whole table, would have to be labeled to include `simple` units that the goal needs."""
    return None if simple is None else min(profile.N, -(-simple * profile.N // ask.frame))


def smoothed_shares(tally: Tally) -> FloatArray:
    """The positive share of every group, smoothed toward the recalibrated guide mu of its side: (k + 2 mu) / (n + 2)."""
    q = np.empty_like(tally.k)
    for flagged in (True, False):
        mine = tally.flagged == flagged
        side = tally.side(flagged=flagged)
        q[..., mine] = (side.k + PRIOR_LABELS * recalibrate(side)) / (side.n + PRIOR_LABELS)
    return q
