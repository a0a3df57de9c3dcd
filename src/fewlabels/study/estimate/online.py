"""What an online study shows at any time: confidence sequences (running bands), the status of each goal, and the labels still expected."""

from dataclasses import dataclass
from functools import lru_cache

from fewlabels.deciding.online_status import Standpoint, standpoint
from fewlabels.deciding.remaining import Remaining, remaining
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.decision import Decision, GoalVerdict, Outcome, without_target
from fewlabels.nouns.display import Displayed
from fewlabels.nouns.estimate import Estimate
from fewlabels.nouns.missing import Missing
from fewlabels.nouns.plan import Plan
from fewlabels.nouns.stopping import Stopping
from fewlabels.randomness import stream
from fewlabels.study.estimate.about import about_words
from fewlabels.study.estimate.missing import read_missing
from fewlabels.study.estimate.result import Estimates
from fewlabels.study.estimate.warnings import label_warnings
from fewlabels.study.state.online_path import Walked, walked
from fewlabels.study.state.progress import Progress, progress
from fewlabels.study.state.standing import Standing

AHEAD, AHEAD_LEAST = 2_000, 100  # most labels to look ahead, divided among the goals, and the least per goal
EMPTY = (
    "the running band of {} is empty, which happens by chance with probability at most {:g}: answers were changed, units came twice, or "
    "labelers answered another question"
)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Running(Displayed):
    """The current state of an online study.

    labels    labels used: in asking order, up to the first that is not settled
    missing   units among these without a label: they count against either side
    beyond    units answered, but waiting for an earlier one
    outcome   ship, do not ship, label more, or undecided once the budget is used up
    """

    goals: tuple[Standpoint, ...]
    stopping: Stopping
    budget: int
    drawn: int
    labels: int
    missing: int
    beyond: int
    again: int
    outcome: Outcome
    remaining: Remaining | None

    @property
    def ended(self) -> bool:
        """Whether the stopping rule has ended the study."""
        return self.outcome in ("ship", "do not ship")

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json."""
        return {
            "outcome": self.outcome,
            "stopping": str(self.stopping),
            "budget": self.budget,
            "labels": self.labels,
            "missing": self.missing,
            "beyond": self.beyond,
            "again": self.again,
            "remaining": None if self.remaining is None else self.remaining.as_json(),
            "goals": [
                {"goal": str(g.goal), "status": g.status, "value": g.value, "low": g.low, "high": g.high, "level": g.level,
                 "n_eff": g.n_eff, "decided_at": g.decided_at if g.decided_at >= 0 else None, "for": g.yes, "against": g.no}
                for g in self.goals
            ],
        }  # fmt: skip


def read_running(standing: Standing, *, forecast: bool = False) -> Running:
    """The current state of the study; with `forecast`, also how many more labels it should take."""
    plan, found = standing.plan, walked(standing)
    assert plan.stopping is not None  # asked of online plans only
    stands = _stands(standing)
    drawn = len(standing.units) if standing.units is not None else 0
    answered = sum(one is not None for one in found.label)
    outcome = _outcome(plan, found, stands)
    ahead = None
    if forecast and outcome == "label more":
        rng = stream(plan.number, found.labels)
        within = min(plan.budget - found.labels, max(AHEAD // len(stands), AHEAD_LEAST))
        ahead = remaining(found.course, stands, found.steps, plan.stopping, within=within, rng=rng)
    return Running(
        goals=stands, stopping=plan.stopping, budget=plan.budget, drawn=drawn, labels=found.labels, missing=found.missing,
        beyond=answered - found.labels, again=len(found.again), outcome=outcome, remaining=ahead,
    )  # fmt: skip


@lru_cache(maxsize=2)
def _stands(standing: Standing) -> tuple[Standpoint, ...]:
    """Where each goal stands; a page asks it of one state several times, for its warnings, verdict, state and forecast."""
    stopping, found = standing.plan.stopping, walked(standing)
    assert stopping is not None  # asked of online plans only
    return tuple(standpoint(found.course, one, found.steps, stopping) for one in found.course.goals)


def _outcome(plan: Plan, found: Walked, stands: tuple[Standpoint, ...]) -> Outcome:
    if any(one.status == "not met" for one in stands):
        return "do not ship"
    if all(one.status == "met" for one in stands):
        return "ship"
    return "label more" if found.labels < plan.budget else "undecided"


def read_online(standing: Standing) -> Estimates:
    """The running bands of the goals as estimates. Certified at every look."""
    done, missing, plan = progress(standing), read_missing(standing), standing.plan
    running = read_running(standing)
    warnings = [EMPTY.format(one.goal.metric, 1 - one.level) for one in running.goals if one.empty]
    found = tuple(_estimate(standing, one, running.labels) for one in running.goals) if running.labels else ()
    return Estimates(
        progress=done,
        estimates=found,
        certified=bool(found),
        promise=plan.promise,
        about=about_words(standing),
        missing=missing,
        agreement=None,
        warnings=(*warnings, *online_warnings(standing, done, missing)),
        cautions=tuple(None for _ in found),
    )


def online_warnings(standing: Standing, done: Progress, missing: Missing) -> tuple[str, ...]:
    """Warnings shown beside the numbers; nothing is assumed about missing answers, and scores are not relied on."""
    return label_warnings(standing, done, assumed="they count against either side, so nothing is assumed about them")


def _estimate(standing: Standing, one: Standpoint, labels: int) -> Estimate:
    """A goal's running band as an estimate. It is valid wherever errors occur, so the strict interval is the same."""
    goal = one.goal
    why = (
        None if one.value is not None else "only which classifier is better is tested" if goal.over else "no label says anything of it yet"
    )
    return Estimate(
        metric=goal.definition.name, classifier=goal.classifier or standing.classifiers[0], value=one.value, low=one.low, high=one.high,
        at_least=one.at_least, at_most=one.at_most, strict_low=one.low, strict_high=one.high, level=one.level, standard_error=None,
        n_eff=one.n_eff, labels=labels, interval="anytime", planned=True, why=why, slice=goal.slice, over=goal.over,
    )  # fmt: skip


def decide_online(standing: Standing, shown: Estimates) -> Decision:
    """The verdict on the goals, given what is known now."""
    running = read_running(standing)
    verdicts = tuple(
        GoalVerdict(goal=stand.goal, status=stand.status, estimate=found, bound=None, reason=running_reason(stand, running))
        for stand, found in zip(running.goals, shown.estimates, strict=True)
    )
    reasons = [v.reason for v in verdicts if running.outcome != "do not ship" or v.status == "not met"]
    if running.outcome == "ship":
        reasons += without_target([v.goal for v in verdicts])
    if running.outcome == "undecided":
        reasons.append(
            f"all {running.budget:,} labels are in and the goals are not decided: raise the budget, or accept a tolerance next time"
        )
    return Decision(outcome=running.outcome, reasons=tuple(reasons), goals=verdicts, more=None, certified=True, about=shown.about)


def running_reason(stand: Standpoint, running: Running) -> str:
    """The status of a goal, in one line."""
    limits = "" if stand.value is None else f", running band {stand.low:.4f} .. {stand.high:.4f} at {stand.level:.4g}"
    if stand.goal.kind == "+-":
        half_width = stand.goal.width_said(stand.value, stand.low, stand.high)
        return f"{stand.goal}: half-width {half_width}, {'reached' if stand.status == 'met' else 'not reached yet'}{limits}"
    within = f" within {running.stopping.tolerance:g}" if running.stopping.tolerance else ""
    said = {"met": f"shown{within} by label {stand.decided_at:,}", "not met": f"shown to fail{within} by label {stand.decided_at:,}"}
    return f"{stand.goal}: {said.get(stand.status, 'not settled')}{limits}"
