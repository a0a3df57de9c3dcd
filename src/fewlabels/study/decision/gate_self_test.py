"""Self-test of the gate: how often it would ship what just misses a target, and block what is good, under this study's own plan.

Draws are simulated as counts by cell, as in `fewlabels simulate`; each is read and judged exactly as the gate does. Where numbers are about
units like these, each study draws its table first. Only the ledger is needed: the profile gives the number of units in every cell, and
truths are constructed for it (gate_truths.py). Other columns, which make estimates steadier, are left out: a gate that has them blocks
less.

    false pass    the rule ships although its metric misses the target: at most 1 - level, and at most that for the whole gate
    false block   the rule does not ship although its metric meets the target, halfway to the end of its range
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from fewlabels.deciding.gating import Rate
from fewlabels.errors import FewlabelsError, GoalError, PlanError
from fewlabels.nouns.arrays import BoolArray, IntArray
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.estimate import IntervalKind
from fewlabels.nouns.goal import Goal
from fewlabels.nouns.policy import Policy, Rule
from fewlabels.nouns.works_with import require
from fewlabels.randomness import stream
from fewlabels.study.decision.gate import checked_rules
from fewlabels.study.decision.gate_trial import TrialRule, bench_of, drawn, table_from
from fewlabels.study.decision.gate_truths import Shape, is_kept, shapes_of, truth_at, value_at
from fewlabels.study.estimate.guide_check import interval_in_force
from fewlabels.study.state.standing import Standing

SMALL_BLOCK = 0.1  # a false-block rate that is called small
HEADINGS = ("rule", "truth like", "value", "labels", "error", "rate", "limits", "beside")
LADDER = (2, 4, 8)  # multiples of the plan's labels
PASS, BLOCK, MORE, WHOLE = range(4)  # purposes of the random streams


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """The results of one rule, or of the whole gate, on one simulated truth.

    rule    the rule; None: all of them together
    shape   what the truth is shaped like: the scores, taken as calibrated, or the labels
    value   true value of the rule's metric; None for the whole gate
    keeps   whether the truth meets the target, or all targets
    labels  number of labels in each simulated study
    ships, fails   how often the verdict was ship, and how often do not ship
    allowed the largest rate at which it may ship although it should not
    """

    rule: str | None
    shape: Shape
    value: float | None
    keeps: bool
    labels: int
    ships: Rate
    fails: Rate
    allowed: float

    @property
    def blocked(self) -> Rate:
        """The rate of any verdict but ship."""
        return Rate(self.ships.reps - self.ships.seen, self.ships.reps)

    @property
    def is_broken(self) -> bool:
        """Whether the false-pass rate is too high."""
        return not self.keeps and self.ships.exceeds(self.allowed)

    def row(self) -> list[str]:
        """One table row: rule, shape, true value, labels, error, its rate with limits, and the rate allowed."""
        rate = self.blocked if self.keeps else self.ships
        low, high = rate.limits
        may = f"do not ship {self.fails.share:.1%}" if self.keeps else f"at most {self.allowed:.1%}"
        return [
            self.rule or "all rules", self.shape, "-" if self.value is None else f"{self.value:.4f}", f"{self.labels:,}",
            "false block" if self.keeps else "false pass", f"{rate.share:.1%}", f"{low:.1%} .. {high:.1%}", may,
        ]  # fmt: skip

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json."""
        return {
            "rule": self.rule, "shape": self.shape, "truth": self.value, "keeps": self.keeps, "labels": self.labels,
            "ships": self.ships.as_json(), "blocked": self.blocked.as_json(), "do_not_ship": self.fails.as_json(), "allowed": self.allowed,
        }  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfTest:
    """The results of the simulations.

    left_out   rules that are not simulated, and why
    enough     for each rule, the fewest labels tried at which its false-block rate is small; None: more than were tried
    """

    study: str
    policy: str
    reps: int
    seed: int
    tried: tuple[Tried, ...]
    left_out: tuple[tuple[str, str], ...]
    enough: tuple[tuple[str, int | None], ...]

    @property
    def passed(self) -> bool:
        """Whether something was simulated and no false-pass rate is too high."""
        return any(not one.keeps for one in self.tried) and not any(one.is_broken for one in self.tried)

    @property
    def lines(self) -> list[str]:
        """The conclusions, one per line."""
        said = []
        for rule, labels in self.enough:
            many = "more labels than were tried" if labels is None else f"about {labels:,} labels"
            said.append(f"{rule}: {many} for a false-block rate of {SMALL_BLOCK:.0%} or less")
        said += [f"not simulated: {rule}: {why}" for rule, why in self.left_out]
        broken = sum(one.is_broken for one in self.tried)
        verdict = "PASSED" if self.passed else f"FAILED, {broken:,} false-pass rates too high" if broken else "NOTHING SIMULATED"
        return [*said, f"{verdict}: {self.reps:,} simulated studies for each truth, seed {self.seed}, limits exact at 95 %"]

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json."""
        return {
            "study": self.study, "policy": self.policy, "passed": self.passed, "reps": self.reps, "seed": self.seed,
            "tried": [one.as_json() for one in self.tried],
            "left_out": [{"rule": rule, "why": why} for rule, why in self.left_out],
            "enough": [{"rule": rule, "labels": labels} for rule, labels in self.enough],
        }  # fmt: skip


def self_test(standing: Standing, policy: Policy, *, reps: int = 400, seed: int = 42) -> SelfTest:
    """Try the gate of this policy on the study's own profile and plan; no label is read before the plan's look."""
    require("self-test", standing.traits)
    rules, left_out = [], []
    for rule, problem in checked_rules(standing, policy):
        why = problem or _unsimulated(rule)
        if why is None:
            rules.append(rule)
        else:
            left_out.append((str(rule), why))
    trial = Trial(standing, rules, among=len(rules) + len(left_out), reps=reps, seed=seed)
    tried: list[Tried] = []
    enough = []
    for i, rule in enumerate(rules):
        for shape in shapes_of(standing):
            try:
                tried += trial.of_rule(i, shape)
            except FewlabelsError as error:
                left_out.append((f"{rule}, shaped as the {shape}", str(error)))
        blocks = [one for one in tried if one.rule == str(rule) and one.keeps]
        if blocks:
            enough.append((str(rule), trial.labels_for(i, blocks[-1])))
    if rules:
        tried += [trial.of_all(shape) for shape in shapes_of(standing)]
    return SelfTest(
        study=standing.name, policy=policy.hash, reps=reps, seed=seed, tried=tuple(tried), left_out=tuple(left_out), enough=tuple(enough)
    )  # fmt: skip


def _unsimulated(rule: Rule) -> str | None:
    """Why no truth can be simulated for a rule; None if one can."""
    goal = rule.goal
    if rule.rule_out_hidden:
        return "what hides where the scores see none is not simulated"
    if goal.kind == "+-":
        return "a half-width has no wrong side"
    if goal.definition.traits:
        return "truths are simulated for one classifier in units, not for several labels, by weight or between slices"
    return None


class Trial:
    """A study's rules, ready to be tried on one truth after another."""

    def __init__(self, standing: Standing, rules: Sequence[Rule], *, among: int, reps: int, seed: int) -> None:
        """Set up the trial; nothing is drawn yet."""
        self.standing, self.rules, self.among, self.reps, self.seed = standing, list(rules), among, reps, seed

    def of_rule(self, i: int, shape: Shape) -> Iterator[Tried]:
        """Try a rule just on the wrong side of its target, and halfway from it to the end of its range."""
        goal, budget = self.rules[i].goal, self.standing.plan.budget
        wrong = truth_at(self.standing, goal, shape, goal.value, wrong=True)
        yield self._try(i, shape, wrong, labels=budget, purpose=PASS)
        if not goal.is_difference:
            good = truth_at(self.standing, goal, shape, comfortable(goal), wrong=False)
            yield self._try(i, shape, good, labels=budget, purpose=BLOCK)

    def labels_for(self, i: int, block: Tried) -> int | None:
        """Labels at which a rule's false-block rate is small: the plan's, or the first of a few multiples."""
        if block.blocked.share <= SMALL_BLOCK:
            return block.labels
        goal, frame = self.rules[i].goal, self.standing.plan.design.frame
        good = truth_at(self.standing, goal, block.shape, comfortable(goal), wrong=False)
        for labels in dict.fromkeys(min(times * block.labels, frame) for times in LADDER):
            if self._try(i, block.shape, good, labels=labels, purpose=MORE).blocked.share <= SMALL_BLOCK:
                return labels
        return None

    def of_all(self, shape: Shape) -> Tried:
        """Try the whole gate on the truth given by the shape itself."""
        budget = self.standing.plan.budget
        truth = truth_at(self.standing, self.rules[0].goal, shape, None, wrong=False)
        kept = [is_kept(rule.goal, value_at(self.standing, rule.goal, truth)) for rule in self.rules]
        verdicts = self._verdicts(range(len(self.rules)), truth, labels=budget, purpose=(WHOLE, shape == "labels"))
        ships = np.all([ship for ship, _ in verdicts], axis=0)
        fails = np.any([fail for _, fail in verdicts], axis=0)
        allowed = max(1 - rule.goal.level for rule in self.rules)
        return Tried(
            rule=None, shape=shape, value=None, keeps=all(kept), labels=budget, ships=_rate(ships), fails=_rate(fails), allowed=allowed
        )  # fmt: skip

    def _try(self, i: int, shape: Shape, truth: IntArray, *, labels: int, purpose: int) -> Tried:
        rule = self.rules[i]
        ((ships, fails),) = self._verdicts([i], truth, labels=labels, purpose=(purpose, i, shape == "labels"))
        value = value_at(self.standing, rule.goal, truth)
        return Tried(
            rule=str(rule), shape=shape, value=value, keeps=is_kept(rule.goal, value), labels=labels, ships=_rate(ships),
            fails=_rate(fails), allowed=1 - rule.goal.level,
        )  # fmt: skip

    def _verdicts(
        self, which: Sequence[int], truth: IntArray, *, labels: int, purpose: tuple[int, ...]
    ) -> list[tuple[BoolArray, BoolArray]]:
        """Whether each rule ships, and whether it fails, in every simulated study."""
        rng = stream(self.seed, *map(int, purpose), labels)
        if self.standing.about == "process":
            return self._of_tables(which, truth, labels=labels, rng=rng)
        counts = drawn(self.standing.plan.design, self.standing.profile.count, truth, labels=labels, reps=self.reps, rng=rng)
        benches: list[TrialRule] = [bench_of(self.standing, self.rules[i], labels=labels) for i in which]
        return [bench.judge(counts, among=self.among) for bench in benches]

    def _of_tables(
        self, which: Sequence[int], truth: IntArray, *, labels: int, rng: np.random.Generator
    ) -> list[tuple[BoolArray, BoolArray]]:
        """The same where every simulated study has a table of its own from the process, whose shares are those of the truth."""
        interval = interval_in_force(self.standing)
        verdicts = [self._on_a_table(which, truth, labels=labels, interval=interval, rng=rng) for _ in range(self.reps)]
        each = [list(zip(*one, strict=True)) for one in zip(*verdicts, strict=True)]
        return [(np.concatenate(ships), np.concatenate(fails)) for ships, fails in each]

    def _on_a_table(
        self, which: Sequence[int], truth: IntArray, *, labels: int, interval: IntervalKind, rng: np.random.Generator
    ) -> list[tuple[BoolArray, BoolArray]]:
        """The verdicts of one study; neither on a rule whose units its table happens to lack: a study of it would refuse that rule."""
        neither, table = (np.zeros(1, dtype=np.bool_),) * 2, table_from(self.standing, truth, rng)
        if table is None:
            return [neither for _ in which]
        design, found = table.standing.plan.design, []
        labels = min(labels, design.frame)
        counts = drawn(design, table.standing.profile.count, table.positives, labels=labels, reps=1, rng=rng)
        for i in which:
            try:
                found.append(bench_of(table.standing, self.rules[i], labels=labels, interval=interval).judge(counts, among=self.among))
            except (GoalError, PlanError):
                found.append(neither)
        return found


def comfortable(goal: Goal) -> float:
    """Halfway from the target to the good end of the metric's range."""
    metric = goal.definition
    return (goal.value + (metric.high if goal.kind == ">=" else metric.low)) / 2


def _rate(came: BoolArray) -> Rate:
    return Rate(int(came.sum()), int(came.size))
