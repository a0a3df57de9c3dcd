"""Several goals on one draw: what each asks of it, what it is expected to show of all, and the labels that settle all of them.

    ratio    how far a simulated draw reaches of how far it may; a draw settles all goals if none of its ratios exceeds 1
    chance   prod over sets of goals that share no unit   P(largest ratio of the set <= 1)

Goals that share units are simulated by the same answers. As a reach falls about as one over the root of the labels, one simulation says
what other numbers of labels would settle.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from fewlabels.designs.base import takes_of
from fewlabels.errors import PlanError
from fewlabels.nouns.arrays import FloatArray, IntArray
from fewlabels.nouns.design import Design
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.estimate import USUAL_INTERVAL, IntervalKind
from fewlabels.nouns.goal import Goal
from fewlabels.nouns.profile import Profile, SameCounts
from fewlabels.planning.apart import parts_of
from fewlabels.planning.assumptions import at_their_word
from fewlabels.planning.forecasting import (
    Effort,
    Expected,
    Forecast,
    Question,
    Reach,
    Seen,
    Simulated,
    excesses,
    expected_of_all,
    forecast,
    forecast_each,
    further,
    read_each,
    reps_among,
    tails,
)
from fewlabels.planning.goal_scope import Ask, PairAsk
from fewlabels.planning.shared_draw import count_of, design_together, labels_together
from fewlabels.planning.simulated_draws import Draws, draw_pieces, groups_labeled, imagine
from fewlabels.planning.sizing import PLAIN, nearly_smallest

ALL_SETTLED = 0.8  # the chance at which a size for all goals together aims
NEAR = 1.03  # a half-width as near to the goal as simulated draws can tell
MOST_ROUNDS = 6
LEAST = 0.3  # of its own labels, that a goal asks for where the labels of others serve it
AIMED, ENOUGH = 0.82, (ALL_SETTLED, 0.86)  # a search aims between, and ends within
ENOUGH_OF_MANY = (0.75, 0.9)  # of many sets of goals, each with few simulated draws, the chance is not known better
MANY = 8  # sets of goals whose ratios say together how far a rare one reaches
KEPT = 32
HALVINGS = 30
MEAN_TO_ALL = 1.7  # times the labels of a mean half-width, until the widest of many is as narrow
EXTREME = 1e-3
CLOSE_ENOUGH = 0.005  # of the labels: between too few and enough there is nothing to look for


def needs_together(
    profile: Profile,
    asks: Sequence[Ask],
    alone: Sequence[int | None],
    *,
    choice: Design = PLAIN,
    slices: Sequence[str] = (),
    interval: IntervalKind = USUAL_INTERVAL,
) -> tuple[int | None, ...]:
    """The labels that each goal asks of one draw: as many as alone, more or fewer where it shares units with others.

    Rates that suffice for the variance may be cut into other bands than those of a goal's own draw, and labels drawn for one goal serve
    others: goals that fall short ask for more, goals with more than they need for fewer, until all have just enough.
    """
    if len(asks) < 2 or choice.name != "bands" or profile.claims is not None:
        return tuple(alone)
    same = _SameAsks(profile.counts, tuple(ask.goal for ask in asks), (profile, tuple(asks)))
    return _needed(same, tuple(alone), choice, tuple(slices), interval)


@dataclass(frozen=True)
class _SameAsks:
    """Goals on a profile that are equal to the same goals on the same counts."""

    counts: SameCounts
    goals: tuple[Goal, ...]
    held: tuple[Profile, tuple[Ask, ...]] = field(compare=False)


@lru_cache(maxsize=KEPT)
def _needed(
    same: _SameAsks, alone: tuple[int | None, ...], choice: Design, slices: tuple[str, ...], interval: IntervalKind
) -> tuple[int | None, ...]:
    profile, asks = same.held
    found: list[int | None] = list(alone)
    for part in parts_of(asks):
        known = [need for i in part if (need := alone[i]) is not None]
        if 1 < len(part) == len(known):
            mine = _settled_part(profile, [asks[i] for i in part], known, choice, slices, interval)
            for i, need in zip(part, mine, strict=True):
                found[i] = need
    return tuple(found)


def _settled_part(
    profile: Profile, asks: Sequence[Ask], alone: Sequence[int], choice: Design, slices: tuple[str, ...], interval: IntervalKind
) -> list[int]:
    """The labels that goals which share units ask for: the fewest together, of those tried, with which each is settled."""
    own, frames, effort = np.array(alone, dtype=np.float64), np.array([ask.frame for ask in asks]), Effort(reps_among(len(asks)))
    wanted, fewest = own.copy(), math.inf
    best: list[int] | None = None
    for _ in range(MOST_ROUNDS):
        asked: list[int] = np.minimum(np.ceil(wanted), frames).astype(np.int64).tolist()
        n = labels_together(asks, asked, several=choice.several)
        design = design_together(profile, asks, asked, labels=n, choice=choice, slices=slices)
        take = takes_of(design, n)
        questions = [Question(ask, design, n, take=take, effort=effort) for ask in asks]
        short = np.array([one.short for one in forecast_each(questions, interval=interval)])
        if short.max() <= NEAR and n < fewest:
            best, fewest = asked, n
        if n == design.frame or (short.max() <= NEAR and ((short >= 0.97) | (wanted <= LEAST * own)).all()):
            break
        wanted = np.clip(wanted * np.clip(short**2, 0.5, 1.5), LEAST * own, frames)
    return asked if best is None else best


def labels_for_all(
    profile: Profile,
    asks: Sequence[Ask],
    needs: Sequence[int | None],
    *,
    choice: Design = PLAIN,
    slices: Sequence[str] = (),
    interval: IntervalKind = USUAL_INTERVAL,
) -> int | None:
    """The labels of one draw that settles every goal, each with its own chance; None if one needs more than there are.

    `needs` are the labels that each asks of it (`needs_together`).
    """
    if any(need is None for need in needs):
        return None
    if len(asks) == 1:
        return needs[0]
    if choice.name != "bands":
        return _labels_searched(profile, asks, needs, choice, slices, interval)
    parts = parts_of(asks)
    return sum(labels_together([asks[i] for i in part], [needs[i] for i in part], several=choice.several) for part in parts)


def _labels_searched(
    profile: Profile,
    asks: Sequence[Ask],
    needs: Sequence[int | None],
    choice: Design,
    slices: Sequence[str],
    interval: IntervalKind,
) -> int | None:
    """The same, by search, for a design whose rates are not the largest of its goals' rates."""
    start = max(need or 0 for need in needs)
    frame = sum(int(ask.part.count.sum()) for ask in asks[:1])

    def short(n: int) -> float:
        try:
            design = design_together(profile, asks, needs, labels=n, choice=choice, slices=slices)
        except PlanError:
            return 2.0
        return max(forecast(ask, design, min(n, design.frame), interval=interval).short for ask in asks)

    return nearly_smallest(short, low=min(10, frame), high=max(frame, start), start=start)


class Outcome(NamedTuple):
    """What one draw is expected to show of several goals.

    goals    the forecast of each
    ratios   of every set of goals that share units, the largest ratio of each simulated draw; None where answers cannot be simulated
    targets  whether a goal of the set is a target; none is if omitted
    """

    goals: tuple[Forecast, ...]
    ratios: tuple[FloatArray, ...] | None
    targets: tuple[bool, ...] = ()

    @property
    def expected(self) -> Expected:
        """The verdict to expect on all goals."""
        return expected_of_all(self.goals)

    @property
    def chance(self) -> float | None:
        """The chance that all goals are settled, one way or the other; None if it is not known."""
        return None if self.ratios is None else _within(*self._reaches(), 1.0)

    def stretch(self, wanted: float) -> float:
        """How many times the labels would settle all goals with that chance, if a reach falls as one over the root of the labels."""
        reaches, rare = self._reaches()
        low, high = -2.0, 4.0  # in the logarithm of the limit
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            low, high = (low, middle) if _within(reaches, rare, math.exp(middle)) >= wanted else (middle, high)
        return math.exp(2 * high)

    def _reaches(self) -> tuple[list[Reach], FloatArray | None]:
        ratios = self.ratios or ()
        targets = self.targets or (False,) * len(ratios)
        reaches = [Reach(ratio, is_target=target) for ratio, target in zip(ratios, targets, strict=True)]
        return reaches, excesses(reaches) if len(reaches) >= MANY else None


def _within(reaches: Sequence[Reach], rare: FloatArray | None, limit: float) -> float:
    """The chance that no ratio exceeds a limit."""
    return math.prod(reach.within(limit, rare) for reach in reaches)


def forecast_together(
    asks: Sequence[Ask],
    design: DrawDesign,
    labels: int,
    *,
    interval: IntervalKind = USUAL_INTERVAL,
    share: float = 1.0,
    take: IntArray | None = None,
) -> Outcome:
    """What one draw of `labels` is expected to show of all goals: of those that share units by the same simulated answers."""
    take = takes_of(design, labels) if take is None else take
    parts = parts_of(asks)
    drawn: dict[int, Simulated] = {}
    for part in parts:
        mine = [asks[i] for i in part]
        each = _draws_of(mine, design, labels, take, reps_among(len(asks)))
        drawn |= {i: Simulated(ask, draws, at_their_word(ask), share) for i, ask, draws in zip(part, mine, each, strict=True)}
    seen = read_each([drawn[i] for i in range(len(asks))], interval=interval)
    ratios = [ratio for part in parts for ratio in _largest([asks[i] for i in part], [seen[i] for i in part])]
    if len(ratios) < len(parts):
        return Outcome(tuple(one.forecast() for one in seen), None)
    targets = tuple(any(asks[i].goal.kind != "+-" for i in part) for part in parts)
    return Outcome(tuple(one.forecast() for one in seen), tuple(ratios), targets)


def _largest(asks: Sequence[Ask], seen: Sequence[Seen]) -> list[FloatArray]:
    """The largest ratio of each draw; none if a goal's answers are not simulated."""
    return [np.maximum.reduce([one.ratio[0] for one in seen])] if _known(asks) else []


def _known(asks: Sequence[Ask]) -> bool:
    """Whether answers to all of these goals can be simulated."""
    return all(isinstance(ask, PairAsk) or ask.has_value for ask in asks)


def _draws_of(asks: Sequence[Ask], design: DrawDesign, labels: int, take: IntArray, reps: int) -> list[Draws]:
    """The simulated draws for goals that share units: the same labels and, where scores are taken at their word, the same answers."""
    shares = [at_their_word(ask).share for ask in asks]
    if len(asks) == 1 or design.poisson or not all(ask.has_value for ask in asks):
        return [imagine(ask, design, labels, share, reps=reps, take=take) for ask, share in zip(asks, shares, strict=True)]
    each = [groups_labeled(ask, design, take) for ask in asks]
    homes = np.full((len(asks), asks[0].cells.size), -1, dtype=np.int64)
    for home, ask, one in zip(homes, asks, each, strict=True):
        home[ask.cells] = one.groups.of_cell
    used = np.flatnonzero((homes >= 0).any(axis=0))
    keys, piece = np.unique(np.concatenate([design.band[None, used], homes[:, used]]), axis=1, return_inverse=True)
    piece = piece.reshape(-1)
    count = count_of(asks)[used]
    N: FloatArray = np.asarray(np.bincount(piece, weights=count), dtype=np.float64)
    expected = take[keys[0]] * N / design.N[keys[0]]
    assumed = [_shares_of_pieces(ask, share[0], used, piece, count) for ask, share in zip(asks, shares, strict=True)]
    found: list[Draws] = []
    answers: list[tuple[FloatArray, FloatArray, FloatArray]] = []  # assumed shares, labels, positives
    for p, home, (groups, counted) in zip(assumed, keys[1:], each, strict=True):
        mine = home >= 0
        same = next((one for one in answers if np.array_equal(one[0][mine], p[mine])), None)
        if same is None:
            whole = _joined(p, [other for other in assumed if _agree(p, other)])
            same = (whole, *draw_pieces(N, expected, whole[None], labels=labels, reps=reps, poisson=False))
            answers.append(same)
        to_group = (home[mine][:, None] == np.arange(groups.N.size)).astype(np.float64)
        found.append(Draws(same[1][..., mine] @ to_group, same[2][..., mine] @ to_group, counted))
    return found


def _shares_of_pieces(ask: Ask, share: FloatArray, used: IntArray, piece: IntArray, count: FloatArray) -> FloatArray:
    """The positive share that a goal assumes of every piece; unknown where it is not about the piece."""
    whole = np.full(ask.cells.shape, np.nan)
    whole[ask.cells] = share
    return np.bincount(piece, weights=whole[used] * count) / np.bincount(piece, weights=count)


def _agree(one: FloatArray, other: FloatArray) -> bool:
    """Whether two goals assume the same of the pieces that both are about."""
    return bool((np.isnan(one) | np.isnan(other) | (one == other)).all())


def _joined(share: FloatArray, others: Sequence[FloatArray]) -> FloatArray:
    """Shares, with those of other goals where a goal is not about a piece; 0 where none is."""
    whole = share.copy()
    for other in others:
        if _agree(whole, other):
            whole = np.where(np.isnan(whole), other, whole)
    return np.nan_to_num(whole)


def start_for_all(asks: Sequence[Ask], labels: int) -> int:
    """Where to begin the search for the labels that settle all goals, of which `labels` settle each with its own chance.

    Of few, at these. Each of many sets of goals has to be settled nearly always, which takes about so many more.
    """
    sets = len(parts_of(asks))
    if sets < MANY or not _known(asks):
        return labels
    sure = float(ndtri(ALL_SETTLED ** (1 / sets)))
    each = []
    for ask in asks:
        z = -float(ndtri(tails(ask.goal)[1]))
        each.append(MEAN_TO_ALL if ask.goal.kind == "+-" else (z + sure) / (z + float(ndtri(ask.goal.power))))
    return math.ceil(further(labels, float(np.mean(each)), max(labels, sum(ask.frame for ask in asks))))


def labels_settling_all(start: int, frame: Callable[[int], int], shows: Callable[[int], Outcome]) -> int | None:
    """The labels of one draw that settles all goals together with a chance of 80 %, from `start`; None if not even all units do.

    Each goal is settled with its own chance, too: no goal is expected to stay open.

    frame   the units that a draw of so many labels can take
    shows   what it is expected to show; where answers cannot be simulated, `start` is kept
    """
    n, enough, few = start, None, 0
    seen: list[Tried] = []
    for tried in itertools.count(1):
        try:
            most = frame(n)
            n = min(n, most)
            found = shows(n)
        except PlanError:
            if enough is None or tried >= MOST_ROUNDS:
                return enough
            few, n = n, (n + enough) // 2  # too few labels for such a design
            continue
        if found.chance is None:
            return start
        lowest, highest = enough_of(found)
        if found.chance < lowest or found.expected == "open":
            few = max(n, few)
        else:
            enough = n if enough is None else min(n, enough)
        if few == most:
            return None
        low, high = few + 1, most if enough is None else enough - 1
        late = tried >= MOST_ROUNDS
        near_by = enough is not None and low > (1 - CLOSE_ENOUGH) * high
        if low > high or near_by or (enough is not None and late) or (n == enough and found.chance <= highest):
            break
        seen.append(Tried(n, found))
        n = min(2 * n, most) if late else _next_size(_wanted(seen, most), low, high, is_open=enough is None)
    return enough


def enough_of(found: Outcome) -> tuple[float, float]:
    """Between which chances a search for all goals ends."""
    return ENOUGH if found.ratios is None or len(found.ratios) < MANY else ENOUGH_OF_MANY


class Tried(NamedTuple):
    """A number of labels, and what it should show."""

    labels: int
    found: Outcome

    @property
    def chance(self) -> float:
        """The chance that it settles all goals."""
        return self.found.chance or 0.0

    def beyond(self, other: "Tried") -> tuple[float, float]:
        """How far from the aim both chances are: by normal quantiles if neither is extreme, or else by the labels that should be needed."""
        if all(EXTREME <= one.chance <= 1 - EXTREME for one in (self, other)):
            return float(ndtri(self.chance) - ndtri(AIMED)), float(ndtri(other.chance) - ndtri(AIMED))
        return -math.log(self.found.stretch(AIMED)), -math.log(other.found.stretch(AIMED))


def _wanted(seen: Sequence[Tried], most: int) -> int:
    """The labels that should be enough: as the squared error falls, then on the line through the last two numbers tried."""
    n, found = seen[-1]
    if seen[-1].chance >= enough_of(found)[0] and found.expected == "open":
        return math.ceil(n * max(one.short for one in found.goals if one.expected == "open") ** 2 * NEAR)
    if len(seen) > 1:
        x0, x1 = (math.log(one.labels) for one in seen[-2:])
        y0, y1 = seen[-2].beyond(seen[-1])
        if (slope := (y1 - y0) / (x1 - x0)) > 0:
            return math.ceil(math.exp(min(max(x1 - y1 / slope, x1 - 1), x1 + 1)))
    return math.ceil(further(n, min(max(found.stretch(AIMED), 1 / 8), 8.0), max(most, n)))


def _next_size(wanted: int, low: int, high: int, *, is_open: bool) -> int:
    """The next number of labels to try, between these; `is_open` if more than `high` cannot be drawn."""
    if is_open:
        return min(max(wanted, low), high)
    return wanted if low <= wanted <= high else (low + high) // 2
