"""Every interval by name: those of fewlabels below, and those of installed packages. To add one, add it to INTERVALS."""

from fewlabels.errors import PlanError
from fewlabels.intervals.anytime import ANYTIME
from fewlabels.intervals.asymptotic import WALD
from fewlabels.intervals.base import Interval, OfSide
from fewlabels.intervals.binomial import CLOPPER_PEARSON, WILSON
from fewlabels.intervals.bootstrap import BOOTSTRAP, RAO_WU
from fewlabels.intervals.moment import BETA
from fewlabels.intervals.placed import PLACED
from fewlabels.intervals.rare import MIDP, REC, STRICT
from fewlabels.registry import Registry

INTERVALS = Registry(
    "interval",
    Interval,
    (REC, STRICT, PLACED, MIDP, CLOPPER_PEARSON, WILSON, WALD, BETA, BOOTSTRAP, RAO_WU, ANYTIME),
    error=PlanError,
)


def interval_named(name: str) -> Interval:
    """The interval with that name, for recorded labels; raise PlanError for a confidence sequence, which needs an online draw."""
    found = INTERVALS.named(name)
    if found.running:
        raise PlanError(f"{name} is the confidence sequence of an online draw only: choose one of {', '.join(reading_labels())}")
    return found


def plan_interval(name: str) -> Interval:
    """The interval with that name, by which a plan is decided; raise PlanError for one that cannot decide a plan."""
    found = INTERVALS.named(name)
    if not found.may_plan:
        allowed = ", ".join(one.name for one in INTERVALS if one.may_plan)
        raise PlanError(f"a plan needs an interval that works for every draw: {allowed}, got {name}: choose one of these")
    return found


def side_limits_of(name: str, *, what: str) -> OfSide:
    """The interval's function for one side; raise PlanError, naming `what` needs it, if there is none."""
    found = interval_named(name).of_side
    if found is None:
        raise PlanError(f"{what} needs one of the intervals {', '.join(reading_sides())}, got {name}: choose one of these")
    return found


def reading_sides() -> list[str]:
    """The intervals that are made from the evidence of a side, which work for every draw."""
    return [one.name for one in INTERVALS if one.of_side is not None]


def reading_labels() -> list[str]:
    """The intervals for recorded labels, as far as loaded."""
    return [one.name for one in INTERVALS if not one.running]
