"""Several studies, one per period: the change from one to the next, a window over all of them, and an alarm that watches them.

Every look names the earlier studies and stores what it read from them, so that it can be recomputed from its own study's record alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fewlabels.deciding.alarms import Alarm, Promise, set_alarm, watch
from fewlabels.errors import StudyError
from fewlabels.estimators.estimating import estimate
from fewlabels.estimators.grouping import groups_of
from fewlabels.estimators.periods import Shared, change, shared_units, window
from fewlabels.nouns.arrays import IntArray
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.display import Displayed
from fewlabels.nouns.estimate import Estimate
from fewlabels.nouns.metrics import metric_named
from fewlabels.nouns.tally import Tally
from fewlabels.nouns.works_with import require
from fewlabels.study.estimate.guide_check import interval_in_force
from fewlabels.study.state.progress import progress
from fewlabels.study.state.standing import Standing
from fewlabels.study.state.tallies import prefix, read_answers, tally


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Change(Displayed):
    """A metric in a later study minus the same metric in an earlier one.

    shared   number of labeled units that both drew; the interval accounts for the correlation they cause
    """

    metric: str
    classifier: str
    before: str
    after: str
    value: float | None
    low: float
    high: float
    level: float
    standard_error: float | None
    labels: tuple[int, int]
    shared: int

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json."""
        found = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {**found, "labels": list(self.labels)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """The state of an alarm after the last period.

    rang      the first study in which it rang; None if it has not
    evidence  after each period; the alarm rings at `limit`
    """

    metric: str
    classifier: str
    floor: float
    promise: Promise
    limit: float
    says: str
    studies: tuple[str, ...]
    labels: tuple[int, ...]
    evidence: tuple[float, ...]
    rang: str | None

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json."""
        found = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {**found, "studies": list(self.studies), "labels": list(self.labels), "evidence": list(self.evidence)}


def period_tally(standing: Standing, metric: str, classifier: str | None) -> Tally:
    """The labels of one study, tallied separately for each part of a band. Raise StudyError unless it has reached its look."""
    done, judged = progress(standing), standing.read_population().classifier(classifier)
    if not done.complete:
        raise StudyError(
            f"periods are read when all units are resolved, but {standing.name!r} has {done.labels:,} of {done.planned:,}: "
            "continue labeling"
        )
    _refuse(standing, metric)
    j = standing.position(judged.name)
    wanted, band = metric_named(metric), standing.plan.design.band
    flagged = standing.profile.predicted(j)
    needed = (flagged & wanted.needs_flagged) | (~flagged & wanted.needs_unflagged)
    if (band[needed] < 0).any():
        raise StudyError(f"the draw of {standing.name!r} leaves out units that {metric} is about: plan a goal that needs them")
    return tally(read_answers(standing), groups_of(standing.profile, standing.plan.design, classifier=j), j)


def _refuse(standing: Standing, metric: str) -> None:
    wanted = metric_named(metric)
    require("periods", wanted.traits, subject=f"{metric} is")
    require("periods", standing.traits, subject=f"{standing.name!r} has")


def _as_json(standing: Standing, found: Tally) -> dict[str, Json]:
    """What a look stores of an earlier study."""
    arrays = {name: getattr(found, name).tolist() for name in ("flagged", "N", "n", "k", "logit", "expected")}
    return {"study": standing.name, "plan": standing.plan.hash, **arrays, "N1": found.N1, "N0": found.N0, "simple": found.simple}


def _of_json(data: Mapping[str, Any]) -> Tally:
    N, n, k, logit, expected = (np.array(data[name], dtype=np.float64) for name in ("N", "n", "k", "logit", "expected"))
    sides = {"flagged": np.array(data["flagged"], dtype=np.bool_), "N1": data["N1"], "N0": data["N0"], "simple": data["simple"]}
    return Tally(N=N, n=n, k=k, logit=logit, expected=expected, **sides)


def asked_change(before: Standing, after: Standing, metric: str, classifier: str | None) -> dict[str, Json]:
    """The request to the later study, with everything it needs from the earlier one."""
    for standing in (before, after):
        _refuse(standing, metric)
    names = [standing.read_population().classifier(classifier).name for standing in (before, after)]
    if before.name == after.name or names[0] != names[1]:
        raise StudyError(
            f"a change must be that of one classifier between two studies, got {names[0]} in {before.name!r} and {names[1]} in "
            f"{after.name!r}: name another study, or the classifier that both have"
        )
    found = period_tally(before, metric, classifier)
    both = _shared(before, after, classifier)
    return {
        "kind": "change",
        "metric": metric,
        "classifier": classifier,
        "before": _as_json(before, found),
        "shared": {name: getattr(both, name).tolist() for name in ("before", "after", "n", "k")},
    }


def _shared(before: Standing, after: Standing, classifier: str | None) -> Shared:
    """Labeled units that both studies drew, counted by the pair of groups they are in."""
    where = []
    for standing in (before, after):
        j = standing.position(classifier)
        answers, groups = read_answers(standing), groups_of(standing.profile, standing.plan.design, classifier=j)
        units = [standing.units.unit[i] for i in prefix(standing).tolist()] if standing.units is not None else []
        rows = (units, answers.cell, answers.positive[:, j], np.isfinite(answers.positive[:, j]))
        where.append({u: (int(groups.of_cell[c]), y) for u, c, y, ok in zip(*rows, strict=True) if ok})
    common = sorted(where[0].keys() & where[1].keys())
    pairs: list[IntArray] = [np.array([side[u][0] for u in common], dtype=np.int64) for side in where]
    return shared_units(pairs[0], pairs[1], np.array([where[1][u][1] > 0 for u in common], dtype=np.bool_))


def change_of_look(standing: Standing, asked: Mapping[str, Any]) -> Change:
    """The change that a look asks for, from what it stores of the earlier study."""
    metric, before, after = (
        metric_named(asked["metric"]),
        _of_json(asked["before"]),
        period_tally(standing, asked["metric"], asked["classifier"]),
    )
    pairs = {name: np.array(asked["shared"][name]) for name in ("before", "after", "n", "k")}
    shared = Shared(pairs["before"].astype(np.int64), pairs["after"].astype(np.int64), pairs["n"] * 1.0, pairs["k"] * 1.0)
    judged = standing.read_population().classifier(asked["classifier"]).name
    level = standing.level_of(judged)
    found = change(metric, before, after, shared if shared.n.size else None, tail=(1 - level) / 2, interval=interval_in_force(standing))
    known = bool(np.isfinite(found.value))
    return Change(
        metric=metric.name,
        classifier=judged,
        before=asked["before"]["study"],
        after=standing.name,
        value=float(found.value) if known else None,
        low=float(found.low),
        high=float(found.high),
        level=level,
        standard_error=float(found.standard_error) if known else None,
        labels=(round(float(before.labels)), round(float(after.labels))),
        shared=round(float(shared.n.sum())),
    )


def asked_periods(
    kind: str, earlier: Sequence[Standing], last: Standing, metric: str, classifier: str | None, **more: Json
) -> dict[str, Json]:
    """The request to the last of several studies about all of them. Raise StudyError if two drew the same unit: a unit counts once."""
    _refuse_common([*earlier, last])
    names = {standing.read_population().classifier(classifier).name for standing in (*earlier, last)}
    if len(names) > 1:
        raise StudyError(
            f"periods must share one classifier, but these studies have {', '.join(sorted(names))}: name the one that all have"
        )
    kept: list[Json] = [_as_json(standing, period_tally(standing, metric, classifier)) for standing in earlier]
    return {"kind": kind, "metric": metric, "classifier": classifier, "earlier": kept, **more}


def _refuse_common(standings: Sequence[Standing]) -> None:
    seen: dict[str, str] = {}
    for standing in standings:
        for unit in standing.units.unit if standing.units is not None else ():
            if unit in seen:
                raise StudyError(
                    f"a window and an alarm must count a unit only once, but {unit!r} was drawn in {seen[unit]!r} and in "
                    f"{standing.name!r}: name studies of different units, or ask for the change between two"
                )
            seen[unit] = standing.name


def window_of_look(standing: Standing, asked: Mapping[str, Any]) -> Estimate:
    """The metric over all periods together."""
    metric, judged = metric_named(asked["metric"]), standing.read_population().classifier(asked["classifier"]).name
    last = period_tally(standing, asked["metric"], asked["classifier"])
    pooled = window([*(_of_json(one) for one in asked["earlier"]), last])
    level = standing.level_of(judged)
    found = estimate(metric, pooled, classifier=judged, level=level, planned=False, interval=interval_in_force(standing))
    return replace(found, slice=("studies", ", ".join([*(one["study"] for one in asked["earlier"]), standing.name])))


def alarm_of_look(standing: Standing, asked: Mapping[str, Any]) -> Watched:
    """The state of the alarm after these periods."""
    metric, judged = metric_named(asked["metric"]), standing.read_population().classifier(asked["classifier"]).name
    periods = [*(_of_json(one) for one in asked["earlier"]), period_tally(standing, asked["metric"], asked["classifier"])]
    names = (*(one["study"] for one in asked["earlier"]), standing.name)
    known: Alarm = set_alarm(
        metric, floor=asked["floor"], promise=asked["promise"], error=asked["error"], run_length=asked["run_length"]
    )  # fmt: skip
    evidence = []
    for found in periods:
        known = watch(known, found)
        evidence.append(float(known.evidence))
    return Watched(
        metric=metric.name,
        classifier=judged,
        floor=asked["floor"],
        promise=asked["promise"],
        limit=known.limit,
        says=known.says,
        studies=names,
        labels=tuple(round(float(found.labels)) for found in periods),
        evidence=tuple(evidence),
        rang=names[int(known.rang) - 1] if known.rang else None,
    )
