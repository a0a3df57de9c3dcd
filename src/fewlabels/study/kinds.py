"""Kinds of study, one class for each kind of plan, with the steps in which they differ: ask, read, decide, close.

    OneLook        numbers once all planned labels are in
    Growing        the same after a larger budget, declared or not
    PlannedLooks   numbers at looks named before the first label
    Online         a confidence sequence: numbers at any time, units chosen adaptively

A pilot, several questions and the like are not kinds but traits, which a kind may support or refuse: nouns/works_with.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from fewlabels.study.state.progress import progress

# Subpackages are imported inside the methods that need them, so that a command loads only what it uses.
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from fewlabels.deciding.error_spending import Spending
    from fewlabels.ledgers.base import Writing
    from fewlabels.nouns.decision import Decision
    from fewlabels.nouns.label import Label
    from fewlabels.nouns.missing import Missing
    from fewlabels.nouns.plan import Kind, Plan
    from fewlabels.study.estimate.convergence import Convergence
    from fewlabels.study.estimate.online import Running
    from fewlabels.study.estimate.result import Estimates
    from fewlabels.study.state.progress import Progress
    from fewlabels.study.state.standing import Batch, Standing

State = Literal["no plan", "labeling", "waiting for gold", "ready", "decided"]


class OneLook:
    """Numbers are read once, when all planned labels are in."""

    waits_for = "the last"  # label, before any number is shown

    def ask(
        self, act: Writing, standing: Standing, units: int, *, more: bool, second: bool, labeler: str | None = None
    ) -> Batch | Literal["dry"] | None:
        """The units to label now, recorded; None when nothing is left."""
        from fewlabels.study.draw.batches import next_batch

        return next_batch(act, standing, units, more=more, second=second, labeler=labeler)

    def ahead(self, units: int, most: int) -> int:
        """How many units to hand out at once if `units` are wanted now: more, because the order is fixed."""
        return max(units, most)

    def close(self, standing: Standing) -> list[Label]:
        """The labels that end the wait for units without an answer."""
        from fewlabels.study.labels.record import closing

        return closing(standing)

    def warnings(self, standing: Standing, done: Progress, missing: Missing) -> tuple[str, ...]:
        """Warnings shown beside the numbers."""
        from fewlabels.study.estimate.warnings import read_warnings

        return read_warnings(standing, done, missing)

    def state(self, standing: Standing, done: Progress) -> State:
        """The state of the study, in a word."""
        if not standing.plans:
            return "no plan"
        if done.waits_for_gold:
            return "waiting for gold"
        return "ready" if done.complete else "labeling"

    def open_look(self, standing: Standing, done: Progress) -> int | None:
        """Number of labels of the look whose numbers may be shown now; None before the first."""
        return done.labels if done.complete else None

    def shows(self, standing: Standing) -> bool:
        """Whether everything the labels say may be shown now."""
        return bool(standing.plans) and progress(standing).complete

    def before_end(self, standing: Standing) -> str | None:
        """What is missing before the last declared look; None after it."""
        if not standing.plans:
            return "there is no plan yet"
        done, declared = progress(standing), standing.plans[0].grow_to
        if not done.complete:
            waits = "gold answers" if done.waits_for_gold else "second answers" if done.waits_for_second else None
            return f"{waits} are missing" if waits else f"{done.labels:,} of {done.planned:,} planned units are resolved"
        if declared is not None and standing.plan.budget < declared:
            return f"a larger budget of {declared:,} labels was declared with the plan, and its look is still to come"
        return None

    def running(self, standing: Standing, *, forecast: bool = False) -> Running | None:
        """The confidence sequences; None if the plan has none."""
        return None

    def read(self, standing: Standing, *, peek: bool = False) -> Estimates:
        """Every metric the draw can estimate; before the look, only progress unless peek=True."""
        from fewlabels.study.estimate.estimates import read_estimates

        return read_estimates(standing, peek=peek)

    def decide(self, standing: Standing, shown: Estimates) -> Decision:
        """The verdict on the goals, given their estimates."""
        from fewlabels.study.estimate.estimates import read_decision

        return read_decision(standing, shown)

    def converge(self, standing: Standing) -> Convergence:
        """How the interval of each goal narrowed."""
        from fewlabels.study.estimate.convergence import read_convergence

        return read_convergence(standing)

    def spending(self, plan: Plan, earlier: Sequence[Plan], shown: Collection[int]) -> Spending:
        """The error the look of a plan may spend, given the plans before it and what was shown of them."""
        from fewlabels.deciding.error_spending import extended, spending

        if plan.change == "extension":
            return extended(earlier, shown=shown)
        declared = plan.grow_to if not earlier else None
        pilot = plan.pilot.labels if plan.pilot is not None and not earlier else None
        total = plan.pilot.total if plan.pilot is not None and plan.is_pilot else plan.budget
        return spending(earlier, budget=total, grow_to=declared, shown=shown, pilot=pilot)


class Growing(OneLook):
    """The budget was raised, or a larger one was declared: each plan has its own look and a share of the error."""


class PlannedLooks(OneLook):
    """Numbers are read at looks named before the first label, each with its share of the error."""

    def open_look(self, standing: Standing, done: Progress) -> int | None:
        """Number of labels of the last planned look that the answers reach."""
        from fewlabels.study.plan.looks import at_look

        then = at_look(standing)
        return len(then.units) if then is not None and then.units is not None else None

    def read(self, standing: Standing, *, peek: bool = False) -> Estimates:
        """The estimates at the last planned look; before the first, only progress unless peek=True."""
        from fewlabels.study.estimate.estimates import of_look, read_estimates
        from fewlabels.study.plan.looks import at_look

        then = at_look(standing)
        return super().read(standing, peek=peek) if then is None else of_look(read_estimates(then), progress(standing))

    def decide(self, standing: Standing, shown: Estimates) -> Decision:
        """The verdict at that look, without a forecast, since no labels can be added."""
        from fewlabels.study.estimate.estimates import read_decision
        from fewlabels.study.plan.looks import at_look

        return read_decision(at_look(standing, one_sided=True) or standing, shown, forecast=False)

    def spending(self, plan: Plan, earlier: Sequence[Plan], shown: Collection[int]) -> Spending:
        """The error the last look may spend, given all planned looks."""
        from fewlabels.study.plan.looks import spending_of

        return spending_of(plan)


class Online(OneLook):
    """A confidence sequence, valid at every look; units are chosen one after another, guided by the answers so far."""

    waits_for = "the first"

    def ask(
        self, act: Writing, standing: Standing, units: int, *, more: bool, second: bool, labeler: str | None = None
    ) -> Batch | Literal["dry"] | None:
        """The units to label now, recorded; None once the study has ended; "dry" if the reserve is too short."""
        from fewlabels.study.draw.online import next_batch

        return next_batch(act, standing, units, more=more)

    def ahead(self, units: int, most: int) -> int:
        """As many as are wanted now: units handed out early cannot benefit from later answers."""
        return units

    def close(self, standing: Standing) -> list[Label]:
        """The labels that end the wait for every unit that is not settled."""
        from fewlabels.study.draw.online import closing_online

        return closing_online(standing)

    def warnings(self, standing: Standing, done: Progress, missing: Missing) -> tuple[str, ...]:
        """Warnings shown beside the numbers; none about scores or assumptions on missing answers, since nothing depends on them."""
        from fewlabels.study.estimate.online import online_warnings

        return online_warnings(standing, done, missing)

    def state(self, standing: Standing, done: Progress) -> State:
        """The state of the study; "decided" once its stopping rule has ended it."""
        from fewlabels.study.estimate.online import read_running

        return "decided" if read_running(standing).ended else "ready" if done.complete else "labeling"

    def open_look(self, standing: Standing, done: Progress) -> int | None:
        """Return None: there is no look to wait for; see `running`."""
        return None

    def shows(self, standing: Standing) -> bool:
        """Return True: what is shown is valid at every look."""
        return True

    def before_end(self, standing: Standing) -> str | None:
        """What is missing before the stopping rule, or the budget, ends the study; None after that."""
        from fewlabels.study.estimate.online import read_running

        found = read_running(standing)
        if found.outcome != "label more":
            return None
        return f"the stopping rule has not ended the study: {found.labels:,} of at most {found.budget:,} labels are in"

    def running(self, standing: Standing, *, forecast: bool = False) -> Running | None:
        """The confidence sequences; with `forecast`, also how many more labels it should take."""
        from fewlabels.study.estimate.online import read_running

        return read_running(standing, forecast=forecast)

    def read(self, standing: Standing, *, peek: bool = False) -> Estimates:
        """The confidence sequences of the goals. Certified at every look."""
        from fewlabels.study.estimate.online import read_online

        return read_online(standing)

    def decide(self, standing: Standing, shown: Estimates) -> Decision:
        """The verdict on the goals, given what is known now."""
        from fewlabels.study.estimate.online import decide_online

        return decide_online(standing, shown)

    def converge(self, standing: Standing) -> Convergence:
        """The confidence sequence of each goal at growing numbers of labels."""
        from fewlabels.study.estimate.convergence import read_running_path

        return read_running_path(standing)

    def spending(self, plan: Plan, earlier: Sequence[Plan], shown: Collection[int]) -> Spending:
        """Spend all of the error: looking is free."""
        from fewlabels.deciding.error_spending import Spending
        from fewlabels.study.plan.online import promise

        assert plan.stopping is not None  # an online plan has a rule
        return Spending("online", 1.0, promise(plan.goals, plan.stopping))


KINDS: dict[Kind, OneLook] = {"one look": OneLook(), "growth": Growing(), "planned looks": PlannedLooks(), "online": Online()}


def kind_of(standing: Standing) -> OneLook:
    """The kind of a study, given its current plan; without a plan, it is treated as one that waits for its look."""
    return KINDS[standing.plan.kind if standing.plans else "one look"]
