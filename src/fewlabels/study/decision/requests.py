"""Numbers beyond the estimates: slices, differences, thresholds and more. Each is a look, recorded with the request."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from fewlabels.errors import StudyError
from fewlabels.nouns.canonical import Json, fingerprint
from fewlabels.nouns.works_with import require
from fewlabels.study.decision import gate as gating
from fewlabels.study.estimate import comparison as comparing
from fewlabels.study.estimate import periods, thresholds, weighed
from fewlabels.study.estimate import slices as slicing
from fewlabels.study.estimate.warnings import closed_after_a_peek
from fewlabels.study.state.progress import progress
from fewlabels.study.state.standing import Standing


class Shown(Protocol):
    """The result a look shows."""

    def as_json(self) -> dict[str, Json]:
        """Plain data for the ledger and for --json."""


KINDS: dict[str, Callable[[Standing, Mapping[str, Any]], Shown]] = {
    "slices": slicing.of_look,
    "comparison": comparing.comparison_of_look,
    "ranking": comparing.ranking_of_look,
    "curves": thresholds.curves_of_look,
    "threshold": thresholds.threshold_of_look,
    "change": periods.change_of_look,
    "window": periods.window_of_look,
    "alarm": periods.alarm_of_look,
    "gate": gating.of_look,
    "answers": weighed.of_look,
}


GATE = "gate"
OF_PERIODS = ("change", "window", "alarm")
FEATURE = {  # names in the table of capabilities
    "slices": "slices",
    "comparison": "comparison",
    "ranking": "comparison",
    "curves": "thresholds",
    "threshold": "thresholds",
    **dict.fromkeys(OF_PERIODS, "periods"),
    "answers": "answers",
}


def answer(standing: Standing, asked: Mapping[str, Any], *, peek: bool) -> Shown:
    """Answer a request. Raise StudyError before the plan's look unless peek=True; a gate reports by itself that it is too early."""
    if asked["kind"] == GATE:
        return KINDS[GATE](standing, asked)
    require(FEATURE[asked["kind"]], standing.traits)
    done = progress(standing)
    if not done.complete and not peek:
        way_out = "continue labeling" if asked["kind"] in OF_PERIODS else "continue labeling, or peek"
        raise StudyError(f"no interval before all {done.planned:,} planned units are resolved, {done.labels:,} are: {way_out}")
    return KINDS[asked["kind"]](standing, asked)


def name_of(asked: Mapping[str, Json]) -> str:
    """The name of a request: of the result kept for it."""
    return f"asked {fingerprint(dict(asked))}"


def is_kept(asked: Mapping[str, Any]) -> bool:
    """Whether the answer depends on nothing but the state of the study, so that it may be kept; answers are kept as entries."""
    return asked["kind"] not in (*OF_PERIODS, GATE, "answers")


def asked_body(standing: Standing, asked: Mapping[str, Any], shown: Shown) -> dict[str, Json]:
    """The ledger entry of such a look."""
    done = progress(standing)
    return {
        "plan": standing.plan.number,
        "labels": done.labels,
        "certified": asked["kind"] == GATE or (done.complete and not closed_after_a_peek(standing)),  # a gate shows nothing else
        "asked": dict(asked),
        "shown": shown.as_json(),
    }
