"""Examine a table: what it contains and what can be estimated from it (`fewlabels doctor`)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from fewlabels.engines.base import Inspection
from fewlabels.engines.opening import kind_of, open_engine
from fewlabels.errors import PlanError
from fewlabels.estimators.calibration import FALSE_ALARM, check_guide
from fewlabels.estimators.linearize import guided_totals
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.metrics import COMMON, METRICS
from fewlabels.nouns.population import Population
from fewlabels.nouns.profile import Profile
from fewlabels.study.population.calibration import read_answered


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Examination:
    """The findings. `profile` is None if a problem blocks a study; `mismatches` say where a few labels contradict the scores."""

    population: Population
    inspection: Inspection
    profile: Profile | None
    mismatches: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether no problem blocks a study."""
        return self.profile is not None

    @property
    def lines(self) -> list[str]:
        """The findings for people, one sentence per line."""
        if self.profile is None:
            return []
        profile, lines = self.profile, []
        for j, classifier in enumerate(self.population.classifiers):
            flagged = int(profile.count[profile.predicted(j)].sum())
            lines.append(f"{classifier.name} flags {flagged:,} units ({flagged / profile.N:.2%})")
            if not flagged:
                lines.append(f"precision, recall and F1 of {classifier.name} are undefined while it flags nothing: lower its threshold")
        if profile.guided:
            totals = guided_totals(profile, profile.predicted(0))
            claims = [f"{name} {float(value):.3f}" for name in COMMON if (value := METRICS[name].value(totals)) == value]
            lines.append(f"if the scores are true probabilities: {', '.join(claims)}")
            if profile.weight is not None:
                by = guided_totals(profile, profile.predicted(0), self.population.weight)
                claims = [f"{name} {float(value):.3f}" for name in COMMON if (value := METRICS[name].value(by)) == value]
                lines.append(f"by {self.population.weight} ({float(profile.mass.sum()):,.2f} in all): {', '.join(claims)}")
        else:
            lines.append(
                "there is no score and no guide: the draw cannot be targeted, only uniform on each side; name a --guide to save labels"
            )
        if (package := kind_of(self.population).package) is not None:
            lines.append(f"the table is read by {package}, which fewlabels has not tested: its draws are checked, its counts are not")
        lines += self.mismatches
        if not self.inspection.duplicates_checked:
            lines.append(
                "ids were not checked for duplicates (more than 10,000,000 units). Duplicates among the candidates of a draw are always "
                "found: a share d of duplicated ids goes unnoticed in a draw of n units with probability about (1 - d)^n; see "
                "--check-duplicates"
            )
        return lines

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json."""
        return {
            "units": self.inspection.N,
            "columns": [{"name": c.name, "type": c.type} for c in self.inspection.columns],
            "problems": [{"rule": p.rule, "count": p.count, "example": p.example, "way_out": p.way_out} for p in self.inspection.problems],
            "duplicates_checked": self.inspection.duplicates_checked,
            "findings": list(self.lines),
            "cells": None if self.profile is None else int(self.profile.count.size),
            "fingerprint": None if self.profile is None else self.profile.fingerprint,
            "passed": self.passed,
        }


def examine(population: Population, *, check_duplicates: bool | None = None, answers: Mapping[str, bool] | None = None) -> Examination:
    """Inspect a table and, if it has no problems, profile it. A few answers by unit are compared with what the scores claim."""
    engine = open_engine(population)
    inspection = engine.inspect(check_duplicates=check_duplicates)
    if inspection.problems:
        return Examination(population=population, inspection=inspection, profile=None)
    said: tuple[str, ...] = ()
    if answers is not None:
        said = tuple(_mismatches(population, answers)) if answers else ("no answer says yes or no: the scores were not checked",)
    return Examination(population=population, inspection=inspection, profile=engine.profile(), mismatches=said)


def _mismatches(population: Population, answers: Mapping[str, bool]) -> Iterator[str]:
    """Whether a few labels contradict the scores, in words, and what to do."""
    try:
        answered = read_answered(population, answers)
    except PlanError as error:
        yield str(error)
        return
    alarms = check_guide(*answered)
    if not alarms:
        yield f"{answered.positive.size:,} answers do not contradict the scores (false-alarm rate {FALSE_ALARM:.0%})"
        return
    yield f"the scores are not calibrated: {alarms[0]}"
    yield "sizes that assume calibrated scores will be wrong: plan with a pilot (--pilot 100), or name a better --guide"
