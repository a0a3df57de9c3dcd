"""Several goals on one draw: each unit at the rate of the goal that needs it most, or the fewest labels that serve all goals.

Goals that share no unit with others have bands of their own, as in a draw of their own (`apart`). Where goals share units:

    largest    pi_i = max_g pi_g,i(c n_g),   c such that the rates sum to the budget     (safe: no goal has less than its own draw)
    optimum    pi_i = max(0.7 largest, sqrt(sum_g mu_g e_g,i^2)),   fewest labels with every goal's variance as in its own draw

n_g is the number of labels a goal needs alone, e_g,i = |a_g,i| sqrt(s_i (1 - s_i)). The optimum relies on the scores to tell where labels
can be saved; the floor keeps it from starving units that only one goal needs. Derivation: docs/maths/shared-draw.md.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from fewlabels.designs.bands import bands, reference_of
from fewlabels.designs.base import SMALLEST_TAKE
from fewlabels.designs.poisson import as_poisson
from fewlabels.errors import PlanError
from fewlabels.nouns.arrays import BoolArray, FloatArray, IntArray
from fewlabels.nouns.design import Design, Several
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.profile import Profile
from fewlabels.planning.apart import parts_of, shared_out, union
from fewlabels.planning.design_choice import choose_design
from fewlabels.planning.frames import sides_of
from fewlabels.planning.goal_scope import Ask, GapAsk, PairAsk, domain_of
from fewlabels.planning.mixing import Drawing, choose_mixtures

FLOOR = 0.7  # of the largest rate, kept everywhere
ROUNDS = 300
BY_SLICE = ("bands", "simple")  # designs with which a gap was tested


def design_together(
    profile: Profile, asks: Sequence[Ask], needs: Sequence[int | None], *, labels: int, choice: Design, slices: Sequence[str] = ()
) -> DrawDesign:
    """One design for all goals and a budget of `labels`. `needs` are the labels each goal needs alone, `slices` the slice columns."""
    if choice.name == "bands" and profile.claims is None and len(parts := parts_of(asks)) > 1:
        found = _design_apart(profile, asks, needs, parts, labels=labels, choice=choice, slices=slices)
        if found is not None:
            return found
    metrics, first = [ask.metric for ask in asks], asks[0].classifier
    _refuse_by_design(asks, choice)
    whole = len(asks) == 1 and asks[0].goal.slice is None and len(asks[0].judged) == 1 and asks[0].price is None
    whole = whole and asks[0].domain is None
    judged = sorted({j for ask in asks for j in ask.judged})
    if whole or choice.name not in ("bands", "poisson") or profile.claims is not None:
        if len(judged) > 1 and choice.name != "simple" and profile.claims is None:
            raise PlanError(f"goals about several classifiers need the design bands, poisson or simple, got {choice.name}: choose one")
        return choose_design(profile, metrics, labels=labels, name=choice, classifier=first, slices=slices)
    count = count_of(asks)
    frame = np.zeros(count.shape, dtype=np.bool_)
    for ask in asks:
        frame[ask.cells] |= ask.needed
    reference = reference_of(labels, int(count[frame].sum()))
    pi = rates_together(asks, needs, labels=reference, several=choice.several)
    flagged, domain = sides_of(profile, first), domain_of(profile, [ask.goal for ask in asks], slices)
    price = price_of(asks)
    domain = crossed_with(domain, price)
    pattern = pattern_of(profile, judged)
    made = bands(profile, flagged=flagged, pi=pi, labels=labels, domain=domain if choice.name == "bands" else None, pattern=pattern)
    found = made if choice.name == "bands" else as_poisson(made, name="poisson")
    return replace(found, judged=tuple(judged))


def _design_apart(
    profile: Profile,
    asks: Sequence[Ask],
    needs: Sequence[int | None],
    parts: Sequence[Sequence[int]],
    *,
    labels: int,
    choice: Design,
    slices: Sequence[str],
) -> DrawDesign | None:
    """The union of a design for each part of the goals; None if there are too few labels for that."""
    inside = {tuple(part): np.logical_or.reduce([_frame_of(asks[i]) for i in part]) for part in parts}
    held = {part: units for part, cells in inside.items() if (units := int(profile.count[cells].sum()))}
    parts, frames = list(held), np.array(list(held.values()))
    wanted = np.array([labels_together([asks[i] for i in part], [needs[i] for i in part], several=choice.several) for part in parts])
    each = shared_out(wanted.astype(np.float64), frames, labels)
    if (each < np.minimum(2 * SMALLEST_TAKE, frames)).any():
        return None
    designs, homes = [], []
    prepare_designs([(asks[part[0]].alone, n) for part, n in zip(parts, each.tolist(), strict=True) if len(part) == 1])
    for part, n in zip(parts, each.tolist(), strict=True):
        mine = [asks[i] for i in part]
        if len(part) == 1:
            designs.append(own_design(mine[0].alone, n))
            homes.append(np.flatnonzero(mine[0].cells))
        else:
            designs.append(design_together(profile, mine, [needs[i] for i in part], labels=n, choice=choice, slices=slices))
            homes.append(np.arange(profile.count.size))
    return union(designs, homes, each, profile.count.size)


def own_design(ask: Ask, labels: int) -> DrawDesign:
    """Bands for one goal alone, on its part of the profile."""
    pi = ask.rates(reference_of(labels, ask.frame))
    flagged, pattern = sides_of(ask.part, ask.classifier), pattern_of(ask.part, ask.judged)
    made = bands(ask.part, flagged=flagged, pi=pi, labels=labels, domain=crossed_with(ask.domain, ask.price), pattern=pattern)
    return replace(made, judged=ask.judged)


def prepare_designs(drawn: Sequence[tuple[Ask, int]]) -> None:
    """Choose the mixtures of many goals' own designs for so many labels at once: one after the other takes several times as long."""
    choose_mixtures(
        [
            Drawing(ask.part, (ask.metric,), reference_of(labels, ask.frame), ask.classifier)
            for ask, labels in drawn
            if not isinstance(ask, GapAsk | PairAsk)
        ]
    )


def _refuse_by_design(asks: Sequence[Ask], choice: Design) -> None:
    """Raise PlanError for a gap in a draw that was not made for slices."""
    if choice.name not in BY_SLICE and (ask := next((one for one in asks if isinstance(one, GapAsk)), None)) is not None:
        raise PlanError(f"a gap needs the design bands or simple, got {choice.name} for {ask.goal}: choose one of these")


def price_of(asks: Sequence[Ask]) -> FloatArray | None:
    """What a label of a unit of each cell of the whole profile costs; None if all cost the same. 0 in cells that no ask covers."""
    found = np.zeros(asks[0].cells.shape)
    for ask in asks:
        if ask.price is None:
            return None
        found[ask.cells] = ask.price
    return found


def crossed_with(domain: IntArray | None, price: FloatArray | None) -> IntArray | None:
    """The domains, each split by price: all units of a band cost the same."""
    if price is None:
        return domain
    code = np.unique(price, return_inverse=True)[1]
    return np.asarray(code if domain is None else code + (code.max() + 1) * domain)


def _frame_of(ask: Ask) -> BoolArray:
    """The cells of the whole profile that a goal needs."""
    frame = np.zeros(ask.cells.shape, dtype=np.bool_)
    frame[ask.cells] = ask.needed
    return frame


def pattern_of(profile: Profile, judged: Sequence[int]) -> IntArray | None:
    """The predictions of these classifiers (by position) as one number per cell; None for a single one, whose sides say the same."""
    if len(judged) < 2:
        return None
    return np.asarray(sum(profile.predicted(j).astype(np.int64) << place for place, j in enumerate(judged)))


def labels_together(asks: Sequence[Ask], needs: Sequence[int | None], *, several: Several = "largest") -> int:
    """The labels of one draw that serves every goal as its own draw would. A need of None means all units the goal is about."""
    wanted = [ask.frame if need is None else need for ask, need in zip(asks, needs, strict=True)]
    if len(asks) == 1:
        return wanted[0]
    count = count_of(asks)
    pi = np.maximum.reduce([ask.rates(n) for ask, n in zip(asks, wanted, strict=True)])
    if several == "optimum":
        pi = optimum(asks, wanted)
    return min(int(np.ceil((pi * count).sum() - 1e-6)), int(count[pi > 0].sum()))


def rates_together(asks: Sequence[Ask], needs: Sequence[int | None], *, labels: int, several: Several = "largest") -> FloatArray:
    """The inclusion probability of every cell's units in one draw of `labels` for all goals, each scaled from what it needs alone."""
    wanted = [ask.frame if need is None else need for ask, need in zip(asks, needs, strict=True)]
    count = count_of(asks)
    if several == "largest":

        def at(c: float) -> FloatArray:
            return np.asarray(np.maximum.reduce([ask.rates(c * n) for ask, n in zip(asks, wanted, strict=True)]))
    else:

        def at(c: float) -> FloatArray:
            return optimum(asks, [max(1.0, c * n) for n in wanted])

    return scaled(at, count, labels)


def scaled(at: Callable[[float], FloatArray], count: FloatArray, labels: int) -> FloatArray:
    """The rates at the scale at which they sum to `labels`, found by steps in its logarithm."""
    low, high, middle = -12.0, 12.0, 0.0
    for _ in range(40):
        held = float((at(float(np.exp(middle))) * count).sum())
        if abs(held - labels) < 1e-3 * labels:
            break
        if held < labels:
            low = middle
        else:
            high = middle
        middle += float(np.log(labels / max(held, 1e-9)))  # rates grow about as the scale; halving where that leaves the bracket
        if not low < middle < high:
            middle = (low + high) / 2
    return np.asarray(np.minimum(at(float(np.exp(middle))), 1.0))


def optimum(asks: Sequence[Ask], wanted: Sequence[float]) -> FloatArray:
    """The rates with the fewest labels such that no goal's linearized variance exceeds that of its own draw; at least 0.7 of the largest.

    min sum pi   subject to   V_g(pi) = sum_i e_g,i^2 (1 / pi_i - 1) <= V_g(own draw)

    Multipliers are raised where a goal falls short and lowered where it has more than it needs, until no goal does.
    """
    own: list[FloatArray] = [ask.rates(n) for ask, n in zip(asks, wanted, strict=True)]
    count = count_of(asks)
    largest: FloatArray = np.asarray(np.maximum.reduce(own))
    squares = [_squares(ask) for ask in asks]
    target = np.array([_variance(e, pi, count) for e, pi in zip(squares, own, strict=True)])
    floor, used = FLOOR * largest, largest > 0
    mu = np.array([_multiplier(e, pi) for e, pi in zip(squares, own, strict=True)])
    pi = largest
    for _ in range(ROUNDS):
        pi = np.where(used, np.clip(np.sqrt(sum(m * e for m, e in zip(mu, squares, strict=True))), floor, 1.0), 0.0)
        short = np.array([_variance(e, pi, count) for e in squares]) / np.maximum(target, 1e-300)
        if (short <= 1.001).all() and ((short >= 0.999) | (mu < 1e-9 * mu.max())).all():
            break
        mu = mu * np.clip(short, 0.5, 2.0)
    reached = [_variance(e, pi, count) for e in squares]
    return pi if all(v <= 1.01 * t for v, t in zip(reached, target, strict=True)) else largest


def count_of(asks: Sequence[Ask]) -> FloatArray:
    """The units in every cell of the whole profile; 0 in cells that no ask covers."""
    count = np.zeros(asks[0].cells.shape)
    for ask in asks:
        count[ask.cells] = ask.part.count
    return count


def _squares(ask: Ask) -> FloatArray:
    """e^2 of every cell's units: squared influence on the goal times s (1 - s)."""
    squares = np.zeros(ask.cells.shape)
    squares[ask.cells] = ask.size**2
    return squares


def _variance(squares: FloatArray, pi: FloatArray, count: FloatArray) -> float:
    """Sum of e^2 (1 / pi - 1) over units with an influence."""
    mine = squares > 0
    return float((count[mine] * squares[mine] * (1 / np.maximum(pi[mine], 1e-12) - 1)).sum())


def _multiplier(squares: FloatArray, pi: FloatArray) -> float:
    """The multiplier that gives a goal alone about its own rates."""
    mine = (squares > 0) & (pi < 1)
    return float(np.median(pi[mine] ** 2 / squares[mine])) if mine.any() else 0.0
