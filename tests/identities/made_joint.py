"""Populations of several labels or classes with known truth, profiled as a study profiles them, and draws from them."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fewlabels.designs.base import takes
from fewlabels.engines.opening import open_engine
from fewlabels.estimators.grouping import groups_of
from fewlabels.estimators.joint import joint_tally
from fewlabels.nouns.classifier import Classifier
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.goal import parse_goal
from fewlabels.nouns.metric import Metric, Totals
from fewlabels.nouns.profile import Profile
from fewlabels.nouns.tally import JointTally
from fewlabels.study.population.profile import profile_for
from fewlabels.study.population.read import read_population

Rows = NDArray[np.int64]


class Judged(NamedTuple):
    """A profile, every unit's cell in it, and what is said and true of every unit, one column a classifier."""

    profile: Profile
    cell: Rows
    flags: NDArray[np.bool_]
    truth: NDArray[np.float64]

    @property
    def J(self) -> int:
        return self.truth.shape[1]

    def tally(self, design: DrawDesign, rows: Rows, *, classifiers: Sequence[int] | None = None) -> JointTally:
        """What the labels of these units say of the classifiers."""
        chosen = list(range(self.J) if classifiers is None else classifiers)
        groups = [groups_of(self.profile, design, classifier=j) for j in chosen]
        return joint_tally(groups, design, cell=self.cell[rows], positive=self.truth[rows][:, chosen])

    def value(self, metric: Metric) -> float:
        """The metric if every unit were labeled."""
        y, p = self.truth > 0, self.flags
        sides = (y & p, ~y & p, y & ~p, ~y & ~p)
        return float(metric.value(Totals(*(np.asarray(side.sum(0), dtype=np.float64) for side in sides))))


def labels(scores: NDArray[np.float64], truth: NDArray[np.bool_], *, threshold: float = 0.5, goal: str = "macro[f1] +-0.05") -> Judged:
    """Several labels, each a question: scores and truth have one column a label."""
    columns = {f"s{j}": scores[:, j] for j in range(scores.shape[1])}
    classifiers = [Classifier(f"l{j}", score=f"s{j}", threshold=threshold, question=f"q{j}") for j in range(scores.shape[1])]
    return _judged(columns, classifiers, truth, goal=goal)


def classes(given: NDArray[np.str_], true: NDArray[np.str_], *, goal: str = "macro[f1] +-0.05") -> Judged:
    """Several classes of one question: the class given to each unit and the one it has."""
    names = sorted({*given.tolist(), *true.tolist()})
    classifiers = [Classifier(name, predicted="given", value=name) for name in names]
    return _judged({"given": given}, classifiers, np.stack([true == name for name in names], axis=1), goal=goal)


def _judged(columns: Mapping[str, NDArray[np.generic]], classifiers: list[Classifier], truth: NDArray[np.bool_], *, goal: str) -> Judged:
    table = {"id": np.arange(len(truth)), **columns, **{f"y{j}": truth[:, j].astype(np.int64) for j in range(truth.shape[1])}}
    population = read_population(table, classifiers=classifiers)
    steered, profile = profile_for(population, [parse_goal(goal)])
    known = open_engine(steered).known(profile, truths=[f"y{j}" for j in range(truth.shape[1])])
    flags = np.stack([profile.predicted(j)[known.cell] for j in range(len(classifiers))], axis=1)
    told = (np.array(known.truths) == "1").T.astype(np.float64)
    return Judged(profile, known.cell, flags, told)


def draw_rows(at: Judged, design: DrawDesign, *, labels: int, rng: np.random.Generator) -> Rows:
    """The rows of one draw, at random without replacement inside each band."""
    band, take = design.band[at.cell], takes(design.mass, design.N, labels)
    return np.concatenate([rng.choice(np.flatnonzero(band == h), n, replace=False) for h, n in enumerate(take.tolist())])
