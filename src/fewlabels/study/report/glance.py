"""A study at a glance: where it stands, in one sentence, and the next thing to do. It shows a verdict only where one was already shown."""

from typing import Literal, NamedTuple, Protocol

from fewlabels.nouns.canonical import Json
from fewlabels.nouns.decision import Decision
from fewlabels.study.kinds import kind_of
from fewlabels.study.report.listing import is_shown
from fewlabels.study.report.words import after_decision
from fewlabels.study.state.progress import Progress, progress
from fewlabels.study.state.standing import Standing

Act = Literal["plan", "label", "adjudicate", "results"]


class Decides(Protocol):
    """The part of a study that a glance needs."""

    @property
    def standing(self) -> Standing:
        """The state of the study."""

    def decide(self) -> Decision | None:
        """The verdict; None before the plan's look."""


class Glance(NamedTuple):
    """Where a study stands.

    sentence   where it stands
    act        what to do next
    decision   the verdict, if numbers of the plan in force were shown before; showing it again is no new look unless they changed
    """

    sentence: str
    act: Act
    decision: Decision | None

    def as_json(self) -> dict[str, Json]:
        """Plain data."""
        return {"sentence": self.sentence, "act": self.act, "decision": None if self.decision is None else self.decision.as_json()}


def glance(study: Decides) -> Glance:
    """The study at a glance. Numbers that changed since they were shown, by a correction for example, are recorded as another look."""
    standing = study.standing
    done = progress(standing)
    decision = study.decide() if is_shown(standing, done) else None
    if decision is not None:
        return Glance(after_decision(decision), "plan" if decision.outcome == "label more" else "results", decision)
    return _before_numbers(standing, done)


def _before_numbers(standing: Standing, done: Progress) -> Glance:
    if not standing.plans:
        units = f"{standing.profile.whole:,} unit{'' if standing.profile.whole == 1 else 's'}"
        return Glance(f"{units} and no plan yet: choose how many of them to label.", "plan", None)
    if standing.plan.kind == "online":
        if kind_of(standing).state(standing, done) == "decided":
            return Glance(f"The goals are decided after {done.labels:,} labels: the numbers and the verdict can be read.", "results", None)
        return Glance(f"{done.labels:,} units are labeled. The numbers are valid at any time.", "label", None)
    if done.waits_for_gold:
        return Glance(f"Labeled. {done.gold_planned - done.gold_told:,} gold answers are missing before the numbers.", "adjudicate", None)
    if done.waits_for_second:
        left = done.second_planned - done.second_told
        return Glance(f"Every unit has an answer; {left:,} second looks are missing before the numbers.", "label", None)
    if done.complete:
        return Glance("All planned labels are in: the numbers and the verdict can be read.", "results", None)
    return Glance(f"{done.labels:,} of {done.planned:,} planned units are labeled.", "label", None)
