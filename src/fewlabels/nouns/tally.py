"""Labels counted by group: all that the estimators see of the answers.

A group is the part of a band (stratum) on one side (flagged or not) of one classifier. Counts may have leading axes, one per replicate
of a simulation, so that a simulation runs the same code as a study.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

import numpy as np

from fewlabels.nouns.arrays import BoolArray, FloatArray, IntArray
from fewlabels.nouns.late import Arrivals
from fewlabels.nouns.process import Process
from fewlabels.nouns.weights import LabelSums, WeightSums


class ControlSums(NamedTuple):
    """Sums over the labels of each group of a control d whose mean over the group's units is 0: of d, of its square, and over positives.

    d is what other columns predict of a label, from the answers of other labels, less the same for the whole group; `known` sums the
    variance of d over all units of the group.
    """

    d: FloatArray
    dd: FloatArray
    dy: FloatArray
    known: FloatArray


class Sizes(NamedTuple):
    """The chance of sizes of groups that a sample estimates: of the totals by type of unit, TP, FP, FN, TN.

    spread   their covariance matrix, shape (4, 4), as far as it comes from the sizes
    squares  sums of squared expansion weights, shape (4,)
    """

    spread: FloatArray
    squares: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tally:
    """Counts of the answers by group of one classifier.

    flagged  which side each group is on, shape (G,)
    N        units, shape (G,)
    n        labels, shape (..., G)
    k        positive labels, shape (..., G)
    logit    the guide's mean log-odds, shape (G,); its order is the order the guide claims
    expected the guide's mean probability, shape (G,)
    N1, N0   units on the flagged and the other side of the whole population; their metric weight where there are weights
    simple   whether all groups were drawn from as one: their counts are then those of one simple random sample
    weights  sums of metric weights, for a metric by a column; None if units are counted
    expansions   sums of the labels' expansion weights, where a group joins parts of bands drawn at different rates; None if all rates
             within a group are equal
    chance   groups whose number of labels is random, because they are parts of bands, shape (G,); None if there are none
    stratum  which of several draws each group belongs to, shape (G,), where another classifier's goals raised the rates of some units;
             the guide's order must be shown in each; None for a single draw
    control  sums of what other columns predict, which makes estimates steadier; None if there are no such columns
    process  the process that the table came from, if the question is about units like these; None if it is about the table
    arrivals how earlier positives had arrived by the units' age, where answers arrive by themselves; None if they do not
    sizes    the chance of the groups' sizes, where a sample drawn elsewhere estimates them; None if they are known
    usual    whether the standard error shown is the usual one, as survey packages have it: for a sample drawn elsewhere
    known    groups of units whose answers were known beforehand, shape (G,): no score is read from them; None if there are none
    checked  whether a check labeled some of those again; otherwise they count as they are known, and none of them is a label
    """

    flagged: BoolArray
    N: FloatArray
    n: FloatArray
    k: FloatArray
    logit: FloatArray
    expected: FloatArray
    N1: float
    N0: float
    simple: bool = False
    weights: WeightSums | None = None
    expansions: LabelSums | None = None
    chance: BoolArray | None = None
    stratum: IntArray | None = None
    control: ControlSums | None = None
    process: Process | None = None
    arrivals: Arrivals | None = None
    sizes: Sizes | None = None
    usual: bool = False
    known: BoolArray | None = None
    checked: bool = False

    def side(self, *, flagged: bool) -> "Tally":
        """The groups of one side."""
        return self.pick(self.flagged == flagged)

    def pick(self, mine: BoolArray | IntArray) -> "Tally":
        """These groups alone."""
        return replace(
            self,
            flagged=self.flagged[mine],
            N=self.N[mine],
            n=self.n[..., mine],
            k=self.k[..., mine],
            logit=self.logit[mine],
            expected=self.expected[mine],
            weights=None if self.weights is None else self.weights.pick(mine),
            expansions=None if self.expansions is None else LabelSums(*(v[..., mine] for v in self.expansions)),
            chance=None if self.chance is None else self.chance[mine],
            stratum=None if self.stratum is None else self.stratum[mine],
            control=None if self.control is None else ControlSums(*(v[..., mine] for v in self.control)),
            known=None if self.known is None else self.known[mine],
        )

    def one(self, replicate: int) -> "Tally":
        """One replicate of a simulation alone, where units are counted."""
        sums = None if self.expansions is None else LabelSums(*(v[replicate] for v in self.expansions))
        control = None if self.control is None else ControlSums(*(v[replicate] for v in self.control))
        return replace(self, n=self.n[replicate], k=self.k[replicate], expansions=sums, control=control)

    def counted(self, n: FloatArray, k: FloatArray) -> "Tally":
        """The same groups with other counts."""
        return replace(self, n=n, k=k, control=None)

    @property
    def drawn(self) -> "Tally":
        """The groups that were drawn from, without units whose answers were known beforehand."""
        return self if self.known is None else self.pick(~self.known)

    @property
    def labels(self) -> FloatArray:
        """Labels in all groups; known answers that no check repeats are none."""
        asked = self.n if self.known is None or self.checked else np.where(self.known, 0.0, self.n)
        return np.asarray(asked.sum(axis=-1))


class JointTally(NamedTuple):
    """Answers about the same units for several classifiers.

    tallies      one per classifier
    correlation  of the estimated totals, shape (..., 2J, 2J), in the order flagged and other side of each classifier
    """

    tallies: tuple[Tally, ...]
    correlation: FloatArray

    @property
    def labels(self) -> FloatArray:
        """Labeled units: the most any classifier has."""
        return np.asarray(np.maximum.reduce([t.labels for t in self.tallies]))


class PhasedTally(NamedTuple):
    """Answers from two phases about one classifier.

    pilot    the first phase, by its own groups of all units
    rest     the second phase, by groups of the units that the pilot did not label
    weight   w, the weight of the pilot's expansion estimate; fixed before the first label
    """

    pilot: Tally
    rest: Tally
    weight: float

    @property
    def labels(self) -> FloatArray:
        """Labels of both phases."""
        return np.asarray(self.pilot.labels + self.rest.labels)


class PairTally(NamedTuple):
    """Answers about the units of two classifiers.

    tally  labels and positives by group; a group is the part of a band in one disagreement cell
    cell   the disagreement cell of each group: 2 if the first predicts positive, plus 1 if the second does
    size   the units, or the metric weight, in each of the four cells
    """

    tally: Tally
    cell: IntArray
    size: FloatArray

    def part(self, cell: int) -> Tally:
        """The groups of one disagreement cell."""
        return self.tally.pick(self.cell == cell)

    @property
    def labels(self) -> FloatArray:
        """Labels in all groups."""
        return self.tally.labels


class GapTally(NamedTuple):
    """Answers about one classifier by slice. Several tallies of one slice are ways to fill in its missing answers.

    slices   the value of the slice column of each tally
    tallies  the answers in it
    """

    slices: tuple[str, ...]
    tallies: tuple[Tally, ...]

    @property
    def labels(self) -> FloatArray:
        """Labels in all slices."""
        return np.asarray(sum(tally.labels for tally in self.tallies))


AnyTally: TypeAlias = Tally | JointTally | PhasedTally | PairTally | GapTally
