"""Every interval by name: fewlabels' own below, those of other packages where they are installed. A new one is one line here."""

from fewlabels.errors import PlanError
from fewlabels.intervals.anytime import ANYTIME
from fewlabels.intervals.asymptotic import WALD
from fewlabels.intervals.base import Interval, OfSide
from fewlabels.intervals.binomial import CLOPPER_PEARSON, WILSON
from fewlabels.intervals.bootstrap import BOOTSTRAP, RAO_WU
from fewlabels.intervals.moment import BETA
from fewlabels.intervals.rare import MIDP, REC, STRICT
from fewlabels.registry import Registry

INTERVALS = Registry(
    "interval",
    Interval,
    (REC, STRICT, MIDP, CLOPPER_PEARSON, WILSON, WALD, BETA, BOOTSTRAP, RAO_WU, ANYTIME),
    error=PlanError,
)


def interval_named(name: str) -> Interval:
    """The interval of that name, for labels already told. Refuses a running band, which reads the path of an online draw."""
    found = INTERVALS.named(name)
    if found.running:
        raise PlanError(f"{name} is the band of an online draw, which no other draw has: choose one of {', '.join(reading_labels())}")
    return found


def plan_interval(name: str) -> Interval:
    """The interval of that name, for a plan to be decided by. Refuses one that may not."""
    found = INTERVALS.named(name)
    if not found.may_plan:
        allowed = ", ".join(one.name for one in INTERVALS if one.may_plan)
        raise PlanError(f"a plan is decided by an interval that reads every draw: {allowed}, but got {name}: choose one of these")
    return found


def side_limits_of(name: str, *, what: str) -> OfSide:
    """How the interval reads a side. Refuses one that does not, naming `what` it was asked for."""
    found = interval_named(name).of_side
    if found is None:
        raise PlanError(f"{what} has the intervals {', '.join(reading_sides())}, but got {name}: choose one of these")
    return found


def reading_sides() -> list[str]:
    """The intervals that read what the labels of a side say: they speak for every draw."""
    return [one.name for one in INTERVALS if one.of_side is not None]


def reading_labels() -> list[str]:
    """The intervals of labels already told, as far as they are known now."""
    return [one.name for one in INTERVALS if not one.running]
