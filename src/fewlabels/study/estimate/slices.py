"""A metric in every slice of one column or of crossed columns, with the labels behind each; also for unplanned slices."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fewlabels.errors import StudyError
from fewlabels.estimators.estimating import estimate
from fewlabels.nearest import nearest, way_out
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.display import Displayed
from fewlabels.nouns.estimate import Estimate, IntervalKind
from fewlabels.nouns.goal import Slice
from fewlabels.nouns.metrics import metric_named
from fewlabels.nouns.works_with import require
from fewlabels.planning.goal_scope import cells_of
from fewlabels.study.estimate.about import few_clusters
from fewlabels.study.estimate.atlas import caution_of
from fewlabels.study.estimate.guide_check import interval_in_force
from fewlabels.study.state.standing import Standing
from fewlabels.study.state.tallies import Answers, StudyCounts, groups_for, read_answers

MOST_SLICES = 500
CROSSED = " x "


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class InSlices(Displayed):
    """A metric in every slice.

    by            the columns; several are crossed
    simultaneous  whether the intervals are simultaneous at `level`; each is then at 1 - (1 - level) / slices (Bonferroni)
    estimates     one per slice that has a unit the metric is about
    cautions      for each, why its interval was not shown to reach its level; None if it was
    left_out      slices without an estimate: they have no unit the metric is about, or the draw left such units out
    """

    by: tuple[str, ...]
    simultaneous: bool
    level: float
    estimates: tuple[Estimate, ...]
    cautions: tuple[str | None, ...]
    left_out: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json."""
        return {
            "by": list(self.by),
            "simultaneous": self.simultaneous,
            "level": self.level,
            "left_out": list(self.left_out),
            "estimates": [{**e.as_json(), "caution": c} for e, c in zip(self.estimates, self.cautions, strict=True)],
        }


def read_slices(
    standing: Standing, metric: str, *, by: Sequence[str], classifier: str | None = None, simultaneous: bool = False
) -> InSlices:
    """The metric of a classifier (by default the first) in every slice, from the labels recorded so far.

    Parts of bands that expect few labels are pooled; the interval of a slice without a label is the whole range.
    """
    j = standing.position(classifier)
    judged = standing.classifiers[j]
    level = standing.level_of(judged)
    parts = list(_parts(standing, by))
    if len(parts) > MOST_SLICES:
        raise StudyError(f"at most {MOST_SLICES} slices can be read at once, but {', '.join(by)} make {len(parts):,}: cross fewer columns")
    tail = (1 - level) / len(parts) if simultaneous else 1 - level
    interval = interval_in_force(standing)
    require("slices", metric_named(metric).traits, subject=f"{metric} is")
    require("slices", standing.traits)
    answers = read_answers(standing)  # once for all slices
    read = [one for part in parts if (one := _read(standing, answers, metric, j, part, level=1 - tail, interval=interval)) is not None]
    if not read:
        raise StudyError(
            f"the draw cannot estimate {metric} of {judged} in slices: no slice has a unit it is about, or the draw was made for other "
            "units; plan a goal that needs them"
        )
    design, labels = standing.plan.design.name, standing.plan.budget
    found = [e for e, _ in read]
    cautions = tuple("; ".join(filter(None, (caution_of(e, design=design, labels=labels), few))) or None for e, few in read)
    shown = {e.slice[1] for e in found if e.slice is not None}
    silent = [name for part in parts if (name := CROSSED.join(value for _, value in part)) not in shown]
    return InSlices(
        by=tuple(by), simultaneous=simultaneous, level=level, estimates=tuple(found), cautions=cautions, left_out=tuple(silent)
    )  # fmt: skip


def _parts(standing: Standing, by: Sequence[str]) -> Iterator[tuple[Slice, ...]]:
    """The combinations of values of the columns that occur."""
    columns, profile = standing.population["slices"], standing.profile
    if len(set(by)) < len(by):
        raise StudyError(f"each column must be named only once, got {', '.join(by)}: leave one out")
    if not by or (unknown := [c for c in by if c not in columns]):
        if by and any(nearest(c, columns) for c in unknown):
            raise StudyError(f"no slice column {unknown[0]!r}: {way_out(unknown[0], columns, owner='the population')}")
        has = f"has {', '.join(columns)}" if columns else "has none"
        raise StudyError(
            f"estimates by slice must name a slice column of the population, which {has}, got {', '.join(unknown if by else ()) or 'none'}"
            ": name it with --slice when the study is created"
        )
    places = [columns.index(c) for c in by]
    values = {tuple(profile.slice_values[code][p] for p in places) for code in np.unique(profile.slice).tolist()}
    for value in sorted(values):
        yield tuple(zip(by, value, strict=True))


def _read(
    standing: Standing, answers: Answers, name: str, j: int, part: tuple[Slice, ...], *, level: float, interval: IntervalKind
) -> tuple[Estimate, str | None] | None:
    """The estimate in one slice, and a caution if few clusters carry it; None if the draw left out units it is about, or there are none."""
    metric = metric_named(name)
    cells = cells_of(standing.profile, part, standing.population["slices"])
    flagged = standing.profile.predicted(j)[cells]
    needed = (flagged & metric.needs_flagged) | (~flagged & metric.needs_unflagged)
    if not needed.any() or (standing.plan.design.band[cells][needed] < 0).any():
        return None
    groups = {column: groups_for(standing, column, part) for column in {None, metric.weight}}
    labels, _ = StudyCounts(standing, answers, groups, part).labels(metric, j)
    judged = standing.population["classifiers"][j]["name"]
    where = (CROSSED.join(column for column, _ in part), CROSSED.join(value for _, value in part))
    planned = any(
        goal.slice == where
        and goal.definition.name == metric.name
        and (goal.classifier or standing.population["classifiers"][0]["name"]) == judged
        for goal in standing.goals
    )
    found = estimate(metric, labels, classifier=judged, level=level, planned=planned, interval=interval)
    return replace(found, slice=where), few_clusters(metric, labels)


def of_look(standing: Standing, asked: Mapping[str, Any]) -> InSlices:
    """Recompute what a recorded look asked for."""
    return read_slices(standing, asked["metric"], by=asked["by"], classifier=asked["classifier"], simultaneous=asked["simultaneous"])
