"""From a study's answers to tallies: the cell of each labeled unit, and whether it is positive for each classifier."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from fewlabels.errors import StudyError
from fewlabels.estimators.assisting import Columns, control
from fewlabels.estimators.gold import GoldTally, corrected_tally, fill_empty_gold
from fewlabels.estimators.grouping import Groups, fill_empty, groups_of
from fewlabels.estimators.joint import joint_tally
from fewlabels.estimators.missing import Fill, fill_all
from fewlabels.estimators.process import TYPES, Labeled, pairs_of, types_of
from fewlabels.estimators.sizes import of_sample, sampled_tally
from fewlabels.nouns.arrays import BoolArray, FloatArray, IntArray
from fewlabels.nouns.classifier import Classifier
from fewlabels.nouns.draw import NO_BAND
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.goal import Slice
from fewlabels.nouns.label import UNANSWERED
from fewlabels.nouns.metric import Metric
from fewlabels.nouns.tally import AnyTally, JointTally, PhasedTally, Tally
from fewlabels.nouns.weights import QUANTA, LabelSums
from fewlabels.planning.goal_scope import cells_of
from fewlabels.study.state.fitted_guide import columns_of, guide_of
from fewlabels.study.state.pages import UNUSABLE
from fewlabels.study.state.standing import Standing


class Clustered(NamedTuple):
    """The clusters of labeled units, and how the units were drawn: bands, simple random draws each.

    number   of the cluster of each unit
    band     of each unit; -1 for a unit that no band of the current plan holds
    N        units of each band
    """

    number: IntArray
    band: IntArray
    N: IntArray

    def pairs(self, usable: BoolArray, counted: BoolArray, type_: IntArray, weight: FloatArray, *, types: int = TYPES) -> FloatArray:
        """The pairs of units in one cluster, by type: of the `counted` units, given that the `usable` ones of each band are its draw.

        A part of a band, such as a slice, has as many labels as happened to fall into it: the band's own rates expand its pairs.
        """
        n = np.bincount(self.band[usable & (self.band >= 0)], minlength=self.N.size).astype(np.float64)
        labeled = Labeled(self.number[counted], self.band[counted], type_, weight)
        return pairs_of(labeled, N=self.N.astype(np.float64), n=n, types=types)


class Answers(NamedTuple):
    """The resolved units of a draw, one row each.

    cell      its profile cell
    positive  whether it is positive for each classifier (columns): 1, 0, NaN without a usable answer
    gold      the same for the adjudicated answer; NaN if there is none
    weight    its metric weight; None if the population has none
    cluster   its cluster; None if units are not in clusters
    """

    cell: IntArray
    positive: FloatArray
    gold: FloatArray
    weight: FloatArray | None
    cluster: Clustered | None = None

    def rows(self, chosen: BoolArray) -> "Answers":
        """Only these units."""
        weight = None if self.weight is None else self.weight[chosen]
        of = self.cluster
        cluster = None if of is None else of._replace(number=of.number[chosen], band=of.band[chosen])
        return Answers(self.cell[chosen], self.positive[chosen], self.gold[chosen], weight, cluster)

    def filled(self, fill: Fill, flagged: Sequence[Groups]) -> "Answers":
        """The answers with every missing one replaced by the value that `fill` has for its side."""
        positive = self.positive.copy()
        for j, groups in enumerate(flagged):
            side = groups.flagged[groups.of_cell[self.cell]]  # any value will do for a cell outside a slice: it is not counted
            missing = ~np.isfinite(positive[:, j])
            positive[missing, j] = np.where(side, fill.flagged, fill.other)[missing]
        return self._replace(positive=positive)


def prefix(standing: Standing) -> IntArray:
    """Rows of the longest initial run of resolved units in asking order: the part of the draw that is itself a draw.

    Units whose answers are still arriving count: what has not arrived is negative so far.
    """
    resolved = standing.resolved | standing.waits
    return np.arange(resolved.size if resolved.all() else int(np.argmin(resolved)))


def read_answers(standing: Standing) -> Answers:
    """The answers of the prefix of the draw."""
    units, profile = standing.units, standing.profile
    if units is None:
        raise StudyError(f"study {standing.name!r} has no units drawn yet: draw some first")
    rows = prefix(standing)
    rows = rows[units.band[rows] != NO_BAND] if standing.owned is not None else rows
    cell = profile.cells(units.pattern[rows], units.guide_bin[rows], units.slice[rows])
    if (cell < 0).any():
        raise StudyError(
            f"a drawn unit of study {standing.name!r} is in a cell its population never had: see fewlabels verify, and restore the ledger"
        )
    classifiers, design = standing.read_population().classifiers, standing.plan.design
    positive, gold = np.empty((rows.size, len(classifiers))), np.full((rows.size, len(classifiers)), np.nan)
    row_of, waits = {units.unit[i]: i for i in rows.tolist()} if standing.gold else {}, standing.waits[rows]
    for j, classifier in enumerate(classifiers):
        codes = standing.counted(classifier.question)[rows]
        positive[:, j] = np.where(codes > UNUSABLE, codes == standing.code_of(_yes(classifier)), np.where(waits, 0.0, np.nan))
        for (unit, question), label in standing.gold.items():
            if question == classifier.question and label.answer not in UNANSWERED and unit in row_of:
                gold[row_of[unit], j] = label.answer == _yes(classifier)
    return Answers(
        cell=cell,
        positive=positive,
        gold=gold,
        weight=None if units.weight is None else units.weight[rows] / QUANTA,
        cluster=None if units.cluster is None else Clustered(units.cluster[rows], design.band[cell], design.N),
    )


def _yes(classifier: Classifier) -> str:
    """The answer that makes a unit a positive for the classifier."""
    return classifier.value if classifier.value is not None else "yes"


def groups_for(
    standing: Standing, weight: str | None = None, part: Slice | Sequence[Slice] | None = None, *, design: DrawDesign | None = None
) -> list[Groups]:
    """The groups of every classifier under the current plan; after a pilot, of the first only.

    For a slice (column, value), only the units in it: cells outside have no group.
    """
    plan, joint = standing.plan, standing.profile.claims is not None
    J = len(standing.population["classifiers"]) if joint or plan.pilot is None else 1
    take = plan.take if design is None and not joint and plan.pilot is None else None
    design = plan.design if design is None else design
    come = standing.arrivals
    if part is None:
        whole = [groups_of(standing.profile, design, classifier=j, weight=weight, take=take) for j in range(J)]
        whole = [groups._replace(arrivals=come) for groups in whole]
        if standing.owned is not None:
            return _with_check(standing, whole)
        return whole if plan.elsewhere is None else [of_sample(groups, plan.elsewhere) for groups in whole]
    cells = cells_of(standing.profile, part, standing.population["slices"])
    mine = replace(design, band=design.band[cells])
    found = [groups_of(standing.profile.part(cells), mine, classifier=j, weight=weight, take=take) for j in range(J)]
    everywhere = [np.full(cells.size, -1, dtype=np.int64) for _ in found]
    for home, groups in zip(everywhere, found, strict=True):
        home[cells] = groups.of_cell
    return [groups._replace(of_cell=home, arrivals=come) for groups, home in zip(found, everywhere, strict=True)]


def _with_check(standing: Standing, each: Sequence[Groups]) -> list[Groups]:
    """The groups with what the check says of the known answers; as they are known if nothing was checked."""
    told = read_check(standing)
    if told is None:
        return list(each)
    return [groups if groups.known is None else groups._replace(known=groups.known.answered(*told)) for groups in each]


class CheckAnswers(NamedTuple):
    """The answers of a check in each part of the known answers: usable ones, positive ones, and those without a usable answer."""

    n: FloatArray
    k: FloatArray
    missing: FloatArray


def read_check(standing: Standing) -> CheckAnswers | None:
    """What the check says so far, as far as it is answered in asking order; None if nothing is checked."""
    units, known = standing.units, standing.owned
    if units is None or known is None or not known.counts.is_checked:
        return None
    rows = prefix(standing)
    rows = rows[units.band[rows] == NO_BAND]
    codes = standing.counted()[rows]
    part = known.row[np.searchsorted(np.array(known.unit), [units.unit[i] for i in rows.tolist()])] if rows.size else rows
    usable = codes > UNUSABLE
    positive = usable & (codes == standing.code_of("yes"))
    parts = known.counts.N.size
    return CheckAnswers(*(np.bincount(part[these], minlength=parts).astype(np.float64) for these in (usable, positive, ~usable)))


def pilot_groups(standing: Standing, weight: str | None, part: Slice | Sequence[Slice] | None) -> Groups:
    """The groups of a pilot, in its own bands."""
    return groups_for(standing, weight, part, design=standing.plans[0].design)[0]


def rest_groups(standing: Standing, pilot: Answers, weight: str | None, part: Slice | Sequence[Slice] | None) -> Groups | None:
    """The groups of the round after a pilot, of the units for which the pilot has no usable answer; cells without any have no group.

    None if the pilot has a usable answer for every unit.
    """
    profile, plan = standing.profile, standing.plan
    assert plan.guide is not None  # asked only after a pilot
    told = np.isfinite(pilot.positive[:, 0])
    cells = pilot.cell[told]
    labeled = np.bincount(cells, minlength=profile.count.size)
    left = profile.count - labeled
    quanta = None
    if profile.weight is not None and pilot.weight is not None:
        held = np.bincount(cells, weights=np.rint(pilot.weight[told] * QUANTA), minlength=left.size)
        quanta = np.maximum(profile.weight - held.astype(np.int64), 0)
    guide = guide_of(standing, plan.guide)
    band = _adopted(plan.design.band, (left > 0) & (standing.plans[0].design.band >= 0), profile.predicted(0), guide)
    inside = (left > 0) & (band >= 0) & cells_of(profile, part, standing.population["slices"])
    if not inside.any():
        return None
    rest = replace(profile, count=np.maximum(left, 1), weight=quanta).part(inside)
    groups = groups_of(rest, replace(plan.design, band=band[inside]), weight=weight, guide=guide[inside])
    home = np.full(left.size, -1, dtype=np.int64)
    home[inside] = groups.of_cell
    whole = pilot_groups(standing, weight, part)
    return groups._replace(of_cell=home, N1=whole.N1, N0=whole.N0)


def _adopted(band: IntArray, left: BoolArray, flagged: BoolArray, guide: FloatArray) -> IntArray:
    """The bands after a pilot; cells it asked completely but with unusable answers join the band with the nearest guide on their side."""
    found = band.copy()
    for side in (flagged, ~flagged):
        homes, orphans = np.flatnonzero(side & (band >= 0)), np.flatnonzero(side & left & (band < 0))
        if homes.size:
            found[orphans] = [band[homes[np.argmin(np.abs(guide[homes] - guide[cell]))]] for cell in orphans.tolist()]
    return found


def phased(standing: Standing, said: Answers, weight: str | None, part: Slice | Sequence[Slice] | None) -> PhasedTally | Tally:
    """The tally of a pilot and of the round after it, each by its own groups; of the pilot alone if it labeled every unit."""
    before = np.arange(said.cell.size) < standing.plan.before
    pilot, rest = said.rows(before), said.rows(~before)
    assert standing.plan.pilot is not None
    first = fill_empty(tally(pilot, pilot_groups(standing, weight, part)))
    groups = rest_groups(standing, pilot, weight, part)
    if groups is None:
        return first
    second = fill_empty(tally(rest, groups))
    return PhasedTally(first, second, standing.plan.pilot.weight)


def tally(answers: Answers, groups: Groups, classifier: int = 0) -> Tally:
    """The usable answers for one classifier, counted by group, with the sums of their metric weights if groups are by weight."""
    told = np.isfinite(answers.positive[:, classifier])
    usable = told & (groups.of_cell[answers.cell] >= 0)
    home, y = groups.of_cell[answers.cell[usable]], answers.positive[usable, classifier]

    def total(values: FloatArray) -> FloatArray:
        return np.bincount(home, weights=values, minlength=groups.N.size).astype(np.float64)

    n, k = total(np.ones(home.size)), total(y)
    by_weight = groups.X is not None and answers.weight is not None
    x = answers.weight[usable] if by_weight and answers.weight is not None else np.ones(home.size)
    if groups.process is not None and answers.cluster is not None:
        pairs = answers.cluster.pairs(told, usable, types_of(groups.flagged[home], y > 0), x)
        groups = groups._replace(process=groups.process._replace(pairs=pairs))
    if groups.sample is not None:
        return sampled_tally(groups, groups.sample, cell=answers.cell[usable], y=y)
    if not by_weight:
        return groups.tally(n, k)
    return groups.tally(n, k, LabelSums(total(x), total(x * x), total(x * y), total(x * x * y)))


def joint(standing: Standing, answers: Answers, groups: Sequence[Groups]) -> JointTally:
    """The usable answers for all labels or classes."""
    return joint_tally(groups, standing.plan.design, cell=answers.cell, positive=answers.positive)


def gold_tally(answers: Answers, groups: Groups, classifier: int = 0) -> GoldTally | None:
    """The adjudicated units that also have a labeler's usable answer, counted by group; None if there are none."""
    told, gold = answers.positive[:, classifier], answers.gold[:, classifier]
    both = np.isfinite(told) & np.isfinite(gold)
    if not both.any():
        return None
    home = groups.of_cell[answers.cell[both]]

    def count(noisy: float, true: float) -> FloatArray:
        mine = (told[both] == noisy) & (gold[both] == true)
        return np.bincount(home[mine], minlength=groups.N.size).astype(np.float64)

    return GoldTally(yes_yes=count(1, 1), yes_no=count(1, 0), no_yes=count(0, 1), no_no=count(0, 0))


def with_gold(answers: Answers, groups: Groups, classifier: int = 0) -> tuple[Tally, GoldTally | None]:
    """The tally with empty groups joined to their neighbors, and the gold answers counted by the same groups."""
    told, gold = tally(answers, groups, classifier), gold_tally(answers, groups, classifier)
    return (fill_empty(told), None) if gold is None else fill_empty_gold(told, gold)


class StudyCounts(NamedTuple):
    """The answers of a study and the groups they are counted in, keyed by metric weight (None: units)."""

    standing: Standing
    answers: Answers
    groups: Mapping[str | None, Sequence[Groups]]
    part: Slice | Sequence[Slice] | None = None

    def labels(self, metric: Metric, classifier: int) -> tuple[AnyTally, GoldTally | None]:
        """The tally a metric is read from, and the gold answers that correct it; None for joint metrics, by weight, or of a slice."""
        if self._told_only(metric, classifier):
            return self._told(metric, classifier, self.answers), None
        if not np.isfinite(self.answers.gold[:, classifier]).any():
            return self._told(metric, classifier, self.answers), None
        return with_gold(self.answers, self.groups[None][classifier], classifier)

    def filled(self, metric: Metric, classifier: int) -> tuple[AnyTally, ...]:
        """The same with missing answers filled in each way that may be the worst case."""
        return fill_all(lambda fill: self._checked(fill)._filled(metric, classifier, self.answers.filled(fill, self.groups[None])))

    def _checked(self, fill: Fill) -> "StudyCounts":
        """The same with the check's missing answers filled in."""
        if all(groups.known is None for mine in self.groups.values() for groups in mine):
            return self
        filled = {
            column: [g if g.known is None else g._replace(known=g.known.filled(flagged=fill.flagged, other=fill.other)) for g in mine]
            for column, mine in self.groups.items()
        }
        return self._replace(groups=filled)

    def _told_only(self, metric: Metric, classifier: int) -> bool:
        """Whether gold answers do not correct a metric: joint, by weight, of a slice, of pooled parts of bands, or after a pilot."""
        apart = bool(metric.joint or metric.weight or self.part) or self.standing.plan.guide is not None
        return apart or self.groups[None][classifier].pool is not None

    def _told(self, metric: Metric, classifier: int, said: Answers) -> AnyTally:
        if self.standing.plan.guide is not None:
            return phased(self.standing, said, metric.weight, self.part)
        groups = self.groups[metric.weight]
        if metric.joint:
            return joint(self.standing, said, groups)
        told = self._steadied(metric, classifier, said, tally(said, groups[classifier], classifier))
        return fill_empty(told)

    def _steadied(self, metric: Metric, classifier: int, said: Answers, told: Tally) -> Tally:
        """The tally with what other columns predict of its labels, where the plan says so; not by weight, and not of a slice."""
        if not self.standing.plan.assist or metric.weight is not None or self.part is not None:
            return told
        groups, y = self.groups[None][classifier], said.positive[:, classifier]
        usable = np.isfinite(y) & (groups.of_cell[said.cell] >= 0)
        columns = Columns(columns_of(self.standing), self.standing.profile.count.astype(np.float64))
        return replace(told, control=control(columns, groups, said.cell[usable], y[usable]))

    def _filled(self, metric: Metric, classifier: int, said: Answers) -> AnyTally:
        """The tally with missing answers filled in. Gold corrects the labels only; filled-in values are taken as the truth."""
        groups = self.groups[None][classifier]
        gold = None if self._told_only(metric, classifier) else gold_tally(self.answers, groups, classifier)
        if gold is None:
            return self._told(metric, classifier, said)
        told, more = tally(self.answers, groups, classifier), tally(said, groups, classifier)
        return fill_empty(more.counted(more.n, corrected_tally(told, gold).k + more.k - told.k))
