"""What a study's labels say about other thresholds of a classifier: the search for one, and the curve over all of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from fewlabels.deciding.thresholds import FoundThreshold, choose_threshold
from fewlabels.errors import StudyError
from fewlabels.estimators.ribbons import Curve, measure_thresholds
from fewlabels.estimators.thresholds import pieces_of, thresholds_of
from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.display import Displayed
from fewlabels.nouns.estimate import TRUSTING_INTERVAL
from fewlabels.nouns.metrics import METRICS, PRECISION, RECALL
from fewlabels.nouns.works_with import require
from fewlabels.planning.threshold_search import search_of
from fewlabels.study.estimate.guide_check import interval_in_force
from fewlabels.study.state.standing import Standing
from fewlabels.study.state.tallies import read_answers

CURVES = (PRECISION, RECALL)
IN_FORCE = "in force"


class ByCell(NamedTuple):
    """Labels and positive labels by profile cell."""

    n: FloatArray
    k: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Curves(Displayed):
    """Precision and recall at every threshold that the labels cover, from the highest down.

    thresholds, units, labels   the score at or above which units are flagged, how many units that is, and the labels planned among them
    curves    for each metric: value, pointwise interval (low, high), and the ribbon (simultaneous band) valid at all thresholds at once
    """

    classifier: str
    level: float
    thresholds: tuple[float, ...]
    units: tuple[int, ...]
    labels: tuple[float, ...]
    curves: Mapping[str, Mapping[str, tuple[float | None, ...]]]

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json."""
        return {
            "classifier": self.classifier,
            "level": self.level,
            "thresholds": list(self.thresholds),
            "units": list(self.units),
            "labels": list(self.labels),
            "curves": {name: {part: list(values) for part, values in curve.items()} for name, curve in self.curves.items()},
        }


def read_curves(standing: Standing, classifier: str | None = None) -> Curves:
    """Precision and recall at every threshold of a classifier whose score guides the draw."""
    j = _judged(standing, classifier)
    name, plan, profile = standing.classifiers[j], standing.plan, standing.profile
    level = standing.level_of(name)
    pieces = pieces_of(profile, plan.design, thresholds_of(profile, plan.design, plan.take), plan.take, classifier=j)
    counts = count_cells(standing)
    found = measure_thresholds(pieces, counts.n, counts.k, metrics=CURVES, level=level, interval=interval_in_force(standing))
    at = pieces.thresholds
    return Curves(
        classifier=name,
        level=level,
        thresholds=tuple(at.score.tolist()),
        units=tuple(np.rint(at.units).astype(int).tolist()),
        labels=tuple(at.planned.tolist()),
        curves={curve.metric: _plain(curve) for curve in found},
    )


def _plain(curve: Curve) -> dict[str, tuple[float | None, ...]]:
    """A curve's values and limits; None for an unknown value."""
    parts = {name: getattr(curve, name) for name in ("value", "low", "high", "ribbon_low", "ribbon_high")}
    return {name: tuple(float(x) if np.isfinite(x) else None for x in values) for name, values in parts.items()}


def threshold_of_look(standing: Standing, asked: Mapping[str, Any]) -> FoundThreshold:
    """The lowest threshold found with precision at least the target, or the highest for recall; the guarantee allows for the search.

    The interval is the one in force. Looks that do not ask for it were recorded when every search trusted the scores.
    """
    j, metric = _judged(standing, asked["classifier"]), asked["metric"]
    if metric not in (PRECISION.name, RECALL.name):
        raise StudyError(f"a threshold must be chosen by precision or recall, got {metric}: name one of the two")
    plan, counts, level = standing.plan, count_cells(standing), standing.level_of(standing.classifiers[j])
    interval = interval_in_force(standing) if asked.get("interval") == IN_FORCE else TRUSTING_INTERVAL
    search = search_of(METRICS[metric], asked["target"], level, interval=interval)
    return choose_threshold(standing.profile, plan.design, counts.n, counts.k, search=search, labels=plan.budget, classifier=j)


def count_cells(standing: Standing) -> ByCell:
    """The usable answers to the first question, counted by profile cell."""
    answers, size = read_answers(standing), standing.profile.count.size
    usable = np.isfinite(answers.positive[:, 0])
    cell = answers.cell[usable]
    n = np.bincount(cell, minlength=size).astype(np.float64)
    return ByCell(n, np.bincount(cell, weights=answers.positive[usable, 0], minlength=size).astype(np.float64))


def _judged(standing: Standing, classifier: str | None) -> int:
    """The classifier's position. Raise unless its score guides the draw and the study supports thresholds."""
    population = standing.read_population()
    judged = population.classifier(classifier)
    if judged.score is None or judged.score != population.guide_column or judged.score_range != (0.0, 1.0):
        raise StudyError(
            f"thresholds need a score in [0, 1] that guides the draw, but {judged.name} has {judged.score or 'none'} and the guide is "
            f"{population.guide_column or 'none'}: add the threshold you want as a classifier of its own (fewlabels plan --study "
            f"{standing.name} --add-classifier)"
        )
    require("thresholds", standing.traits)
    return standing.position(judged.name)


def curves_of_look(standing: Standing, asked: Mapping[str, Any]) -> Curves:
    """Recompute what a recorded look asked for."""
    return read_curves(standing, asked["classifier"])
