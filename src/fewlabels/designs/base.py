"""Common parts of the designs: exact water-filling, and takes by Webster's method."""

import heapq

import numpy as np

from fewlabels.errors import PlanError
from fewlabels.nouns.arrays import FloatArray, IntArray
from fewlabels.nouns.draw_design import DrawDesign

SMALLEST_TAKE = 2  # one label has no variance


def water_fill(size: FloatArray, count: FloatArray, total: float) -> FloatArray:
    """Probabilities proportional to size, clipped at 1, whose sum over all units is `total`.

        pi_i = min(1, size_i * lam),   sum_i count_i pi_i = total

    `size` and `count` are per cell. Cells of size 0 get 0; if total reaches the units of positive size, each of those gets 1.
    Exact and stable: sums only, no subtraction of nearly equal numbers. Source: Yilmaz et al. 2021, algorithm 3, whose line 13 is
    off by one and loses up to one label; derivation in docs/maths/bands.md.
    """
    order = np.argsort(-size, kind="stable")
    h, c = size[order], count[order]
    if total >= c[h > 0].sum():
        return (size > 0).astype(np.float64)
    rest = np.cumsum((h * c)[::-1])[::-1]  # sum of sizes from each cell on, including it
    certain = np.concatenate([[0.0], np.cumsum(c)[:-1]])  # units before it
    first = int(np.argmax((h * (total - certain) <= rest) & (certain <= total)))
    pi = np.empty_like(h)
    pi[:first] = 1.0
    pi[first:] = h[first:] * (total - certain[first]) / rest[first]
    filled = np.empty_like(pi)
    filled[order] = np.minimum(pi, 1.0)
    return filled


def by_price(pi: FloatArray, count: IntArray, price: FloatArray) -> FloatArray:
    """The same number of labels, more of them where they cost less: rates over the root of the price. Certain units stay certain.

    Minimizes sum_i v_i / pi_i for the same money, if the rates given do for the same labels (Neyman with costs; Cochran 1977, 5.5).
    """
    certain = pi > 1 - 1e-9
    rest = np.where(certain, 0.0, pi / np.sqrt(price))
    return np.where(certain, 1.0, water_fill(rest, count.astype(np.float64), float((pi * count)[~certain].sum())))


def seats(mass: FloatArray, N: IntArray, total: int, *, smallest: int = SMALLEST_TAKE, held: IntArray | None = None) -> IntArray:
    """The bands in the order in which they receive the labels 1 .. total; every prefix is the allocation of that many labels.

    Each band first gets `smallest` seats (or as many as it has units, if fewer), heaviest band first; then Webster's method gives the next
    seat to the largest mass / (2 seats + 1), skipping full bands. House-monotone, so a larger budget only adds. Ties go to the lower band.
    A band keeps the seats it already holds: they come before all others.
    """
    if total > N.sum():
        raise PlanError(
            f"a draw can hold at most the {int(N.sum()):,} units its goals need, but {total:,} were requested: lower the budget"
        )
    heavy = np.argsort(-mass, kind="stable")
    kept = np.zeros_like(N) if held is None else held
    order: list[int] = np.repeat(np.arange(N.size), kept).tolist()
    order += [h for seat in range(smallest) for h in heavy.tolist() if N[h] > seat >= kept[h]]
    taken = np.maximum(np.minimum(N, smallest), kept).tolist()
    weights, room = mass.tolist(), N.tolist()
    heap = [(-weights[h] / (2 * taken[h] + 1), h) for h in range(len(taken)) if taken[h] < room[h]]
    heapq.heapify(heap)
    while len(order) < total:
        _, h = heapq.heappop(heap)
        order.append(h)
        taken[h] += 1
        if taken[h] < room[h]:
            heapq.heappush(heap, (-weights[h] / (2 * taken[h] + 1), h))
    return np.array(order[:total], dtype=np.int64)


def takes(mass: FloatArray, N: IntArray, total: int, *, smallest: int = SMALLEST_TAKE, held: IntArray | None = None) -> IntArray:
    """How many of `total` labels each band receives: the counts of the first `total` seats, without enumerating them.

    Webster's method gives a band every seat whose mass / (2 seats + 1) is above some price; the price is bisected to just above that of
    the last seat, and the remaining seats are assigned one by one.
    """
    first = np.minimum(N, smallest) if held is None else np.maximum(np.minimum(N, smallest), held)
    if total < first.sum() + N.size or total > N.sum():
        return np.bincount(seats(mass, N, total, smallest=smallest, held=held), minlength=N.size).astype(np.int64)
    low, high = 0.0, float(mass.max())
    taken = first
    for _ in range(200):  # ends far sooner unless masses differ by a factor of a billion
        price = (low + high) / 2
        bought = np.clip(np.ceil((mass / max(price, 1e-300) * (1 - 1e-12) - 1) / 2), first, N)
        if bought.sum() <= total:
            high, taken = price, bought.astype(np.int64)
        else:
            low = price
        if 0 <= total - taken.sum() < N.size:
            break
    return _seat_rest(mass, N, taken, total)


def _seat_rest(mass: FloatArray, N: IntArray, held: IntArray, total: int) -> IntArray:
    """The takes after assigning the remaining seats one by one."""
    taken, weights, room = held.tolist(), mass.tolist(), N.tolist()
    heap = [(-weights[h] / (2 * taken[h] + 1), h) for h in range(len(taken)) if taken[h] < room[h]]
    heapq.heapify(heap)
    for _ in range(total - int(held.sum())):
        _, h = heapq.heappop(heap)
        taken[h] += 1
        if taken[h] < room[h]:
            heapq.heappush(heap, (-weights[h] / (2 * taken[h] + 1), h))
    return np.array(taken, dtype=np.int64)


def takes_of(design: DrawDesign, total: int) -> IntArray:
    """How many of `total` labels each band of a design receives; for a Poisson draw, about the expected number."""
    return takes(design.mass, design.N, total, smallest=design.smallest, held=design.held)


def seats_of(design: DrawDesign, total: int) -> IntArray:
    """The bands of a design in the order in which they receive the labels 1 .. total."""
    return seats(design.mass, design.N, total, smallest=design.smallest, held=design.held)


def pi_of(design: DrawDesign, total: int) -> FloatArray:
    """The inclusion probability of each band's units in a draw of `total`."""
    if design.poisson:
        return water_fill(design.mass / design.N, design.N.astype(np.float64), float(total))
    return np.asarray(takes_of(design, total) / design.N)
