"""Which of a study's classifiers is better: the difference between two on the same units, and a ranking of all."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from fewlabels.deciding.more_labels import PairAhead
from fewlabels.deciding.ranking import rank
from fewlabels.errors import StudyError
from fewlabels.estimators.comparing import CELLS, PairGroups, fill_pair, matters, pair_groups
from fewlabels.estimators.estimating import estimate
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.display import Displayed
from fewlabels.nouns.estimate import Estimate
from fewlabels.nouns.goal import Goal
from fewlabels.nouns.metric import Metric
from fewlabels.nouns.metrics import metric_named
from fewlabels.nouns.tally import PairTally
from fewlabels.nouns.weights import LabelSums
from fewlabels.nouns.works_with import require
from fewlabels.planning.contests import Contest
from fewlabels.planning.sizing import smoothed_shares
from fewlabels.planning.thin_cells import refuse_thin
from fewlabels.study.estimate.about import few_clusters
from fewlabels.study.estimate.guide_check import interval_in_force
from fewlabels.study.state.standing import Standing
from fewlabels.study.state.tallies import Answers, read_answers


def less_is_better(metric: str) -> bool:
    """Whether lower values are better: the metric counts errors or costs."""
    return metric_named(metric).better == "lower"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Comparison(Displayed):
    """Two classifiers on the same units.

    estimate   the metric of the first minus that of the second
    better     the one shown to be better, one-sided at the level; None if neither is
    caution    why the interval may not reach its level: few clusters carry it; None if enough do, or units come in none
    """

    first: str
    second: str
    estimate: Estimate
    better: str | None
    caution: str | None = None

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json."""
        shown: dict[str, Json] = {"first": self.first, "second": self.second, "better": self.better, "estimate": self.estimate.as_json()}
        return {**shown, "caution": self.caution}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Ranked(Displayed):
    """All classifiers of a study ranked by one metric.

    better   settled orderings, the better one first; with probability `level` none of them is false
    best     those not shown to be worse than another
    pairs    the difference of every pair, each interval at its own level
    cautions for each pair, why its interval may not reach its level: few clusters carry it; None if enough do, or units come in none
    """

    metric: str
    level: float
    better: tuple[tuple[str, str], ...]
    best: tuple[str, ...]
    pairs: tuple[Estimate, ...]
    cautions: tuple[str | None, ...]

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json."""
        return {
            "metric": self.metric,
            "level": self.level,
            "better": [list(pair) for pair in self.better],
            "best": list(self.best),
            "pairs": [e.as_json() for e in self.pairs],
            "cautions": list(self.cautions),
        }


def pair_tally(standing: Standing, metric: Metric, first: int, second: int, said: Answers) -> PairTally:
    """The usable answers for two classifiers (by position), counted by the parts of bands that the two distinguish."""
    groups = pair_groups(standing.profile, standing.plan.design, first, second, weight=metric.weight)
    return fill_pair(count_pair(groups, said, first))


def count_pair(groups: PairGroups, said: Answers, column: int) -> PairTally:
    """The usable answers, counted by the parts that two classifiers distinguish; `column` is the first of the two."""
    home = groups.groups.of_cell[said.cell]
    told = np.isfinite(said.positive[:, column])
    usable = told & (home >= 0)
    y, size = said.positive[usable, column], groups.groups.N.size
    x = np.ones(y.size) if said.weight is None or groups.groups.X is None else said.weight[usable]
    n, k, *sums = (
        np.bincount(home[usable], weights=values, minlength=size).astype(np.float64)
        for values in (np.ones(y.size), y, x, x * x, x * y, x * x * y)
    )
    of = groups
    if groups.groups.process is not None and said.cluster is not None:
        pairs = said.cluster.pairs(told, usable, 2 * groups.cell[home[usable]] + (y == 0), x, types=2 * CELLS)
        of = groups._replace(groups=groups.groups._replace(process=groups.groups.process._replace(pairs=pairs)))
    return of.tally(n, k, LabelSums(*sums) if groups.groups.X is not None else None)


def read_pair(standing: Standing, metric: str, first: str, second: str) -> tuple[Estimate, str | None]:
    """The metric of the first minus that of the second, and a caution if few clusters carry it.

    Raise StudyError if the draw does not cover the parts the two distinguish.
    """
    wanted, i, j = metric_named(metric), *_positions(standing, [first, second])
    require("comparison", wanted.traits, subject=f"{metric} is")
    contest, plan = Contest(standing.profile, wanted, i, j), standing.plan
    if not matters(wanted, contest.size).any():
        raise StudyError(f"{first} and {second} have the same {metric} whatever the labels say, the difference is 0: leave one of them out")
    if (plan.design.band[contest.needed] < 0).any():
        raise StudyError(
            f'the draw leaves out units on which {metric} of {first} and {second} depends: add a goal, "{metric} >= 0 for {first} over '
            f'{second}" (fewlabels plan --study {standing.name} --goal ...)'
        )
    refuse_thin(contest, plan.design, plan.budget, names=(first, second))
    labels = pair_tally(standing, wanted, i, j, read_answers(standing))
    planned = any(g.definition.name == wanted.name and {g.classifier, g.over} == {first, second} for g in plan.goals)
    level = standing.level_of(first, second)
    found = estimate(wanted, labels, classifier=first, level=level, planned=planned, interval=interval_in_force(standing))
    return replace(found, over=second), few_clusters(wanted, labels)


def compare_classifiers(standing: Standing, metric: str, first: str, second: str) -> Comparison:
    """The difference between two classifiers and which is shown to be better."""
    found, caution = read_pair(standing, metric, first, second)
    up, down = found.at_least > 0, found.at_most < 0
    if less_is_better(metric):
        up, down = down, up
    better = first if up else second if down else None
    return Comparison(first=first, second=second, estimate=found, better=better, caution=caution)


def rank_classifiers(standing: Standing, metric: str, names: Sequence[str]) -> Ranked:
    """The settled orderings of several classifiers, simultaneously at the level."""
    chosen = list(names or standing.classifiers)
    pairs, cautions = zip(*(read_pair(standing, metric, a, b) for a, b in combinations(chosen, 2)), strict=True)
    said, wanted, places = read_answers(standing), metric_named(metric), _positions(standing, chosen)
    tallies = {
        (a, b): pair_tally(standing, wanted, places[a], places[b], said) for a, b in combinations(range(len(chosen)), 2)
    }  # fmt: skip
    level = min((p.level for p in pairs), default=standing.goals[0].level)
    found = rank(wanted, tallies, chosen, level=level, lower_is_better=less_is_better(metric), interval=interval_in_force(standing))
    return Ranked(metric=wanted.name, level=level, better=found.better, best=found.best, pairs=pairs, cautions=cautions)


def _positions(standing: Standing, names: Sequence[str]) -> list[int]:
    """The positions of the classifiers. Raise unless they are distinct and the study supports comparisons."""
    require("comparison", standing.traits)
    if len(set(names)) < len(names) or len(names) < 2:
        raise StudyError(f"a comparison needs two different classifiers, got {', '.join(names) or 'none'}: name another")
    return [standing.position(name) for name in names]


def comparison_of_look(standing: Standing, asked: Mapping[str, Any]) -> Comparison:
    """Recompute what a recorded look asked for."""
    return compare_classifiers(standing, asked["metric"], asked["first"], asked["second"])


def ranking_of_look(standing: Standing, asked: Mapping[str, Any]) -> Ranked:
    """Recompute what a recorded look asked for."""
    return rank_classifiers(standing, asked["metric"], asked["classifiers"])


def pair_ahead(standing: Standing, answers: Answers, goal: Goal) -> PairAhead:
    """The parts two classifiers distinguish, and the smoothed share of positives in each."""
    i, j = standing.position(goal.classifier), standing.position(goal.over)
    groups = pair_groups(standing.profile, standing.plan.design, i, j, weight=goal.definition.weight)
    told = count_pair(groups, answers, i)
    shares = np.empty(groups.cell.size)
    for cell in np.unique(groups.cell).tolist():
        shares[groups.cell == cell] = smoothed_shares(told.part(cell))
    return PairAhead(groups, shares)
