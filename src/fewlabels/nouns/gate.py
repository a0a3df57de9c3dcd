"""The result of the gate: each rule of a policy checked against a study, and overall ship, label more, do not ship or invalid."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from fewlabels.nouns.canonical import Json
from fewlabels.nouns.decision import MoreLabels
from fewlabels.nouns.display import Displayed
from fewlabels.nouns.estimate import Estimate
from fewlabels.nouns.policy import Policy, Rule

Verdict = Literal["ship", "label_more", "do_not_ship", "invalid"]
EXIT_CODES: dict[Verdict, int] = {"ship": 0, "label_more": 3, "do_not_ship": 4, "invalid": 5}  # 1 is a crash, 2 a wrong call
ORDER: tuple[Verdict, ...] = ("invalid", "do_not_ship", "label_more", "ship")  # the first that any rule has is the gate's


def worst(verdicts: Sequence[Verdict]) -> Verdict:
    """The verdict of all rules together; invalid where there is none."""
    return min(verdicts, key=ORDER.index, default="invalid")


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleVerdict:
    """The verdict on one rule.

    reasons      why, one line each
    estimate     the estimate at the rule's level; None if nothing was looked at
    bound        the one-sided limit that decided; None for a half-width and for a confidence sequence
    nonresponse  the share of the rule's units without a usable answer; None if it was not counted
    notes        remarks the reader needs beside the verdict
    """

    rule: Rule
    verdict: Verdict
    reasons: tuple[str, ...]
    estimate: Estimate | None = None
    bound: float | None = None
    nonresponse: float | None = None
    notes: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json."""
        return {
            "rule": str(self.rule),
            "verdict": self.verdict,
            "reasons": list(self.reasons),
            "level": self.rule.goal.level,
            "min_n_eff": self.rule.min_n_eff,
            "max_half_width": self.rule.max_half_width,
            "max_nonresponse": self.rule.max_nonresponse,
            "nonresponse": self.nonresponse,
            "bound": self.bound,
            "estimate": None if self.estimate is None else self.estimate.as_json(),
            "notes": list(self.notes),
        }


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Gate(Displayed):
    """A policy checked against a study.

    rules     the verdicts in the policy's order; a rule by slice or for each classifier gives one for every slice or classifier
    reasons   reasons that concern the whole study
    labels    resolved units, of `planned`
    more      the labels that would settle what is open, where they can be forecast
    promise   what the estimates guarantee; empty if none is shown
    about     what every number is about
    policy    the hash of its rules; None if it could not be read
    plan      the hash of the plan; None if there is none or it was not read
    """

    study: str
    verdict: Verdict
    rules: tuple[RuleVerdict, ...] = ()
    reasons: tuple[str, ...] = ()
    labels: int = 0
    planned: int = 0
    more: MoreLabels | None = None
    promise: str = ""
    about: str = ""
    warnings: tuple[str, ...] = ()
    policy: str | None = None
    plan: str | None = None

    @property
    def exit_code(self) -> int:
        """The exit code of the process: 0 ship, 3 label more, 4 do not ship, 5 invalid."""
        return EXIT_CODES[self.verdict]

    @property
    def has_numbers(self) -> bool:
        """Whether an estimate is shown, which makes it a look."""
        return any(rule.estimate is not None for rule in self.rules)

    @property
    def headline(self) -> str:
        """The verdict and what it rests on, in one line."""
        said = self.verdict.replace("_", " ").upper()
        if not self.rules:
            return f"{said}: {self.study}"
        held = sum(rule.verdict == "ship" for rule in self.rules)
        return f"{said}: {self.study}, {held:,} of {len(self.rules):,} rules hold, {self.labels:,} of {self.planned:,} planned labels"

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json."""
        return {
            "study": self.study,
            "verdict": self.verdict,
            "exit_code": self.exit_code,
            "headline": self.headline,
            "reasons": list(self.reasons),
            "rules": [rule.as_json() for rule in self.rules],
            "labels": self.labels,
            "planned": self.planned,
            "more": None if self.more is None else self.more.as_json(),
            "promise": self.promise,
            "about": self.about,
            "warnings": list(self.warnings),
            "policy": self.policy,
            "plan": self.plan,
        }


def refused(study: str, reasons: Sequence[str], *, policy: Policy | None = None) -> Gate:
    """The gate of a study or policy that cannot be read: invalid."""
    return Gate(study=study, verdict="invalid", reasons=tuple(reasons), policy=None if policy is None else policy.hash)
