"""Two phases estimated as one: a pilot, then a second draw whose guide was fitted to the pilot's labels.

    T1 = the pilot's expansion over all units                      unbiased, whatever follows
    T2 = the pilot's own positives + the second phase's expansion over the units the pilot left      unbiased given the pilot
    T  = w T1 + (1 - w) T2,      V = w^2 V1 + (1 - w)^2 V2         w fixed before the first label

Cov(T1, T2) = 0, because T2 is unbiased whatever the pilot found. The labels are never pooled into one expansion: the second
draw went where the pilot saw positives, and pooling would count that luck twice. Derivation: docs/maths/phases.md.
"""

from typing import NamedTuple

import numpy as np

from fewlabels.errors import PlanError
from fewlabels.estimators.sides import Sides
from fewlabels.estimators.weighted import ORDER_Z, order_z, read_side
from fewlabels.intervals.registered import INTERVALS, interval_named
from fewlabels.nouns.arrays import BoolArray, FloatArray
from fewlabels.nouns.estimate import IntervalKind
from fewlabels.nouns.evidence import Evidence
from fewlabels.nouns.tally import PhasedTally as PhasedTally
from fewlabels.nouns.tally import Tally


class HeldBySide(NamedTuple):
    """The units, or the metric weight, of a side: in all, labeled, and positive."""

    whole: float
    labeled: FloatArray
    positive: FloatArray


def refuse_unphased(interval: IntervalKind) -> None:
    """Raise PlanError for an interval that counts or resamples the labels of one phase."""
    if not (kind := interval_named(interval)).of_side and not kind.of_error:
        known = ", ".join(one.name for one in INTERVALS if one.of_side or one.of_error)
        raise PlanError(f"two phases need one of the intervals {known}, got {interval}: choose one of those")


def read_phases(tally: PhasedTally) -> Sides:
    """The evidence about both sides, each phase estimated by itself and the two combined."""
    if not 0 <= tally.weight < 1:
        raise PlanError(f"the pilot's weight w must lie in [0, 1), got {tally.weight:g}: 3/4 of its share of the labels is usual")
    one, zero = (_read(tally.pilot.side(flagged=f), tally.rest.side(flagged=f), tally.weight) for f in (True, False))
    return Sides(one, zero)


def _read(pilot: Tally, rest: Tally, weight: float) -> Evidence:
    """The evidence about one side; raise PlanError unless the second phase covers exactly what the pilot left."""
    held, left = _held(pilot), _held(rest).whole
    if not np.allclose(held.labeled + left, held.whole, rtol=1e-6, atol=1e-3):
        raise PlanError(
            f"the second phase must cover all units without a label of the pilot: {held.whole:,.0f} less {np.max(held.labeled):,.0f}, "
            f"but its groups hold {left:,.0f}: include again the units for which the pilot got no answer"
        )
    joined = join(read_side(pilot), completed(read_side(rest), held), weight)
    return joined._replace(ordered=proven(pilot, rest))


def proven(pilot: Tally, rest: Tally) -> BoolArray:
    """Whether the labels have shown the order of the guides: each phase tests its own guide, and the two statistics are combined.

        z = (sqrt(n1) z1 + sqrt(n2) z2) / sqrt(n1 + n2)

    About N(0, 1) if the guides are uninformative: each guide was made before the labels of its phase.
    """
    n1, n2 = pilot.n.sum(-1), rest.n.sum(-1)
    z = np.sqrt(n1) * order_z(pilot) + np.sqrt(n2) * order_z(rest)
    return np.asarray(z > ORDER_Z * np.sqrt(n1 + n2))


def _held(side: Tally) -> HeldBySide:
    w = side.weights
    if w is None:
        return HeldBySide(float(side.N.sum()), side.n.sum(-1), side.k.sum(-1))
    return HeldBySide(float(w.X.sum()), w.x.sum(-1), w.xy.sum(-1))


def completed(rest: Evidence, held: HeldBySide) -> Evidence:
    """The second phase's evidence about the whole side: its share of the rest, and the pilot's units as a completely labeled group.

        p2 = (positives of the pilot + R p_rest) / W,     V2 = (R / W)^2 V_rest,     R = W - what the pilot labeled

    One factor R / W of the spread is the weight of an error in the rest, the other the chance that an error is there.
    """
    if not held.whole:
        return rest
    part = np.maximum(1 - held.labeled / held.whole, 0.0)
    p_rest = np.where(part > 0, rest.p, 0.0)
    return rest._replace(
        p=held.positive / held.whole + part * p_rest,
        raw=part**2 * rest.raw,
        v=part**2 * rest.v,
        spread=part**2 * rest.spread,
        unlabeled=part * rest.unlabeled,
        heaviest=part * rest.heaviest,
        bands=None,
    )


def join(first: Evidence, second: Evidence, weight: float) -> Evidence:
    """Combine two unbiased and uncorrelated estimates of one side; `second` is about the whole side.

    p is weighted by w and 1 - w, variances by their squares, degrees of freedom by Satterthwaite. An error has weight w / n1 if the pilot
    sees it and (1 - w) / n2 if the second phase does, in the ratio n1 : n2; so an unseen one has weight w^2 / n1 + (1 - w)^2 / n2.
    The larger of the two unlabeled shares is used, and the guides' order counts as shown if each phase has shown its own.
    """
    a, b = weight, 1 - weight
    v1, v2 = a**2 * first.v, b**2 * second.v
    noise = v1**2 / first.df + v2**2 / second.df
    return Evidence(
        N=first.N,
        n=first.n + second.n,
        p=a * first.p + b * second.p,
        raw=a**2 * first.raw + b**2 * second.raw,
        v=v1 + v2,
        df=np.divide((v1 + v2) ** 2, noise, out=np.asarray(first.df + second.df, dtype=np.float64), where=noise > 0),
        spread=a**2 * first.spread + b**2 * second.spread,
        ordered=first.ordered & second.ordered,
        unlabeled=np.maximum(first.unlabeled, second.unlabeled),
        heaviest=a**2 * first.heaviest + b**2 * second.heaviest,
    )
