"""A policy: what must be shown about a classifier before it ships, and how strong the evidence must be. Read from policy.toml."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fewlabels.errors import GoalError, PolicyError
from fewlabels.nearest import nearest
from fewlabels.nouns.canonical import Json, fingerprint
from fewlabels.nouns.decision import THIN_N_EFF
from fewlabels.nouns.goal import DEFAULT_LEVEL, Goal
from fewlabels.nouns.goal_words import NUMBER, Kind
from fewlabels.nouns.metric import Metric
from fewlabels.nouns.metrics import metric_named

MOST_NONRESPONSE = 0.2
LIMITS = ("level", "min_n_eff", "max_half_width", "max_nonresponse")  # at the top: for every rule that says nothing else
SWITCHES = ("rule_out_hidden",)  # the same, true or false
KEYS = ("metric", "classifier", "over", "slice", "by", "target", *LIMITS, *SWITCHES)
MOST_RULES = 500
LARGEST = 1e15  # of any number a rule may hold
LONGEST = 1_000_000  # characters of a file
_TARGET = re.compile(rf"(?P<kind>>=|≥|<=|≤)\s*(?P<value>{NUMBER})(?P<percent>\s*%)?")
_KINDS: dict[str, Kind] = {">=": ">=", "≥": ">=", "<=": "<=", "≤": "<="}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One requirement for a release.

    goal             a target, or a half-width if the rule names no target; its level is the rule's
    min_n_eff        the minimum effective n
    max_half_width   the maximum half-width of the two-sided interval at the level; None for the widest that any decision allows
    max_nonresponse  the maximum share of the rule's units without a usable answer
    rule_out_hidden  whether the labels must rule out the positives that would make the target fall, if they hid where the scores see none
    """

    goal: Goal
    min_n_eff: float = THIN_N_EFF
    max_half_width: float | None = None
    max_nonresponse: float = MOST_NONRESPONSE
    rule_out_hidden: bool = False

    def __post_init__(self) -> None:
        """Raise PolicyError for a limit that every study, or none, would meet."""
        metric = self.goal.definition
        if not self.min_n_eff >= 1:
            raise PolicyError(
                f"min_n_eff must be at least 1, but {self} has {self.min_n_eff:g}: {THIN_N_EFF} is the least a decision needs"
            )
        if self.max_half_width is not None and not 0 < self.max_half_width < metric.high - metric.low:
            raise PolicyError(
                f"max_half_width must lie between 0 and {metric.high - metric.low:g}, but {self} has {self.max_half_width:g}: 0.05 is usual"
            )
        if not 0 <= self.max_nonresponse < 1:
            raise PolicyError(
                f"max_nonresponse must be a share in [0, 1), but {self} has {self.max_nonresponse:g}: 0.1 allows a tenth of the answers to "
                "be missing"
            )
        if self.rule_out_hidden and not self.goal.may_tip:
            raise PolicyError(
                f"rule_out_hidden is for a target of the whole table that positives among unflagged units can make fall, but {self} is "
                "none: leave it out of this rule"
            )

    def __str__(self) -> str:
        """The rule's goal as it would be typed."""
        return str(self.goal)

    def as_json(self) -> dict[str, Json]:
        """Plain data for the ledger."""
        hidden: dict[str, Json] = {"rule_out_hidden": True} if self.rule_out_hidden else {}
        return {
            "goal": self.goal.as_json(),
            "min_n_eff": self.min_n_eff,
            "max_half_width": self.max_half_width,
            "max_nonresponse": self.max_nonresponse,
            **hidden,
        }

    @classmethod
    def of_json(cls, data: Mapping[str, Any]) -> "Rule":
        """The rule that `as_json` wrote."""
        return cls(**{**data, "goal": Goal.of_json(data["goal"])})


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Rules that must all hold; usually read from a file by `Study.gate`.

    Examples:
        >>> from fewlabels.nouns.policy import parse_policy
        >>> policy = parse_policy('rule = [{metric = "precision", target = ">= 0.9"}]')
        >>> [str(rule.goal) for rule in policy.rules]
        ['precision >= 0.9']
    """

    rules: tuple[Rule, ...]

    def __post_init__(self) -> None:
        """Raise PolicyError for a policy without rules, with a repeated rule, or with rules that no value meets."""
        if not 0 < len(self.rules) <= MOST_RULES:
            raise PolicyError(f"a policy must have 1 to {MOST_RULES} rules, got {len(self.rules)}: write each under [[rule]]")
        for i, rule in enumerate(self.rules):
            for other in self.rules[:i]:
                _refuse_contradiction(other.goal, rule.goal)

    @property
    def hash(self) -> str:
        """The sha256 of all rules: policies that require the same have the same hash, however they are written.

        Examples:
            >>> from fewlabels.nouns.policy import parse_policy
            >>> policy = parse_policy('rule = [{metric = "precision", target = ">= 0.9"}]')
            >>> len(policy.hash)
            64
        """
        return fingerprint(self.as_json())

    def as_json(self) -> list[Mapping[str, Json]]:
        """Plain data for the ledger.

        Examples:
            >>> from fewlabels.nouns.policy import parse_policy
            >>> policy = parse_policy('rule = [{metric = "precision", target = ">= 0.9"}]')
            >>> len(policy.as_json())
            1
        """
        return [rule.as_json() for rule in self.rules]

    @classmethod
    def of_json(cls, data: Sequence[Mapping[str, Any]]) -> "Policy":
        """The policy that `as_json` wrote.

        Examples:
            >>> from fewlabels.nouns.policy import parse_policy
            >>> policy = parse_policy('rule = [{metric = "precision", target = ">= 0.9"}]')
            >>> type(policy).of_json(policy.as_json()) == policy
            True
        """
        return cls(rules=tuple(Rule.of_json(rule) for rule in data))


def _refuse_contradiction(first: Goal, second: Goal) -> None:
    """Raise PolicyError if the second rule repeats the first, or no value meets both."""
    about = [(g.definition.name, g.classifier, g.over, g.slice, g.by) for g in (first, second)]
    if about[0] != about[1]:
        return
    if first.kind == second.kind:
        raise PolicyError(f"a policy can have only one rule of a kind, but this one has {first} and {second}: keep the stricter one")
    ends = {goal.kind: goal.value for goal in (first, second)}
    if ">=" in ends and "<=" in ends and ends[">="] > ends["<="]:
        raise PolicyError(f"no value meets both {first} and {second}: change one of them")


def parse_policy(text: str) -> Policy:
    """Parse the text of a policy file."""
    if len(text) > LONGEST:
        raise PolicyError(f"a policy can have at most {LONGEST:,} characters, but this file has {len(text):,}: name the policy's own file")
    try:
        said = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # not TOML, or a number or nesting that Python does not accept
        raise PolicyError(f"a policy must be TOML, but this file is not ({error}): write [[rule]] and under it metric and target") from None
    rules = said.pop("rule", [])
    _refuse_unknown(said, (*LIMITS, *SWITCHES), "at the top of a policy", also="rules stand under [[rule]]")
    if not isinstance(rules, list) or not all(isinstance(rule, dict) for rule in rules):
        raise PolicyError(f"rules must be an array of tables, got {rules!r:.80}: write [[rule]] with two brackets on each side")
    return Policy(rules=tuple(_rule(rule, said, number) for number, rule in enumerate(rules, start=1)))


def _rule(own: Mapping[str, Any], top: Mapping[str, Any], number: int) -> Rule:
    """One rule of the file, completed by the limits at the top, and by the switches that its goal allows."""
    said, where = {**top, **own}, f"rule {number}"
    _refuse_unknown(said, KEYS, f"in {where}")
    if not isinstance(said.get("metric"), str):
        raise PolicyError(f'a rule must name a metric, but {where} has {said.get("metric", "none")!r}: write metric = "recall"')
    given: dict[str, Any] = {key: _number(said[key], key, where) for key in LIMITS if key in said}
    level = given.pop("level", DEFAULT_LEVEL)
    try:
        goal = _goal(said, where, level)
        given |= {key: _switch(said[key], key, where) for key in SWITCHES if key in own or (key in top and goal.may_tip)}
        return Rule(goal=goal, **given)
    except GoalError as error:
        raise PolicyError(f"{where}: {error}") from None


def _goal(said: Mapping[str, Any], where: str, level: float) -> Goal:
    """The goal that a rule requires."""
    metric = metric_named(said["metric"])
    names = {key: _text(said[key], key, where) if key in said else None for key in ("classifier", "over", "by")}
    kind, value = _target(said, metric, where)
    return Goal(
        metric=metric.name, kind=kind, value=value, level=level, classifier=names["classifier"], over=names["over"], by=names["by"],
        slice=_slice(said["slice"], where) if "slice" in said else None,
    )  # fmt: skip


def _target(said: Mapping[str, Any], metric: Metric, where: str) -> tuple[Kind, float]:
    """The target of a rule: text with >= or <=, or a number where the direction is clear; otherwise its half-width."""
    target = said.get("target")
    if target is None:
        if "max_half_width" not in said:
            raise PolicyError(f'a rule must have a target or a max_half_width, but {where} has neither: write target = ">= 0.9"')
        return "+-", _number(said["max_half_width"], "max_half_width", where)
    if isinstance(target, str):
        match = _TARGET.fullmatch(target.strip())
        if match is None:
            raise PolicyError(
                f'a target must be written ">= 0.9" or "<= 0.01", but {where} has {target!r:.80}: the rest has keys of its own'
            )
        return _KINDS[match["kind"]], float(match["value"] + ("e-2" if match["percent"] else ""))
    if metric.better != "higher":
        raise PolicyError(
            f"a target without >= or <= means at least, but {where} is about {metric.name}, for which the direction is unclear: write "
            f'target = "<= {target}" or ">= {target}"'
        )
    return ">=", _number(target, "target", where)


def _number(value: object, key: str, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < LARGEST:
        raise PolicyError(f"{key} must be a number, but {where} has {value!r:.80}: write {key} = 0.9 without quotes")
    return float(value)


def _switch(value: object, key: str, where: str) -> bool:
    if not isinstance(value, bool):
        raise PolicyError(f"{key} must be true or false, but {where} has {value!r:.80}: write {key} = true without quotes")
    return value


def _text(value: object, key: str, where: str) -> str:
    if not isinstance(value, str) or not value:
        raise PolicyError(f'{key} must be a name, but {where} has {value!r:.80}: write {key} = "..."')
    return value


def _slice(value: object, where: str) -> tuple[str, str]:
    column, equals, name = value.partition("=") if isinstance(value, str) else ("", "", "")
    if not equals or not column.strip() or not name.strip():
        raise PolicyError(f'a slice must be written "COLUMN=VALUE", but {where} has {value!r:.80}: write "country=DE"')
    return column.strip(), name.strip()


def _refuse_unknown(said: Mapping[str, object], known: Sequence[str], where: str, *, also: str = "") -> None:
    """Raise PolicyError for an unknown key: a misspelled limit would limit nothing."""
    for key in said:
        if key not in known:
            near = nearest(key, known)
            way_out = f"did you mean {' or '.join(near)}?" if near else f"use one of {', '.join(known)}" + (f"; {also}" if also else "")
            raise PolicyError(f"{key!r} {where} is unknown: {way_out}")
