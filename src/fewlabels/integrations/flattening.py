"""The rows and columns of each kind of result: names as in its JSON, nested parts named outer_inner, one type per column.

The types are declared here, not guessed from the values, so a column keeps its type even if every value is unknown.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple, TypeAlias, cast

from fewlabels.deciding.thresholds import FoundThreshold
from fewlabels.estimators.counts import Confusion
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.decision import Decision
from fewlabels.nouns.estimate import Estimate
from fewlabels.nouns.missing import Missing
from fewlabels.study.estimate.comparison import Comparison, Ranked
from fewlabels.study.estimate.confusion import ConfusionCell
from fewlabels.study.estimate.convergence import Convergence
from fewlabels.study.estimate.labelers import Labelers
from fewlabels.study.estimate.online import Running
from fewlabels.study.estimate.periods import Change, Watched
from fewlabels.study.estimate.result import Estimates
from fewlabels.study.estimate.slices import InSlices
from fewlabels.study.estimate.thresholds import Curves
from fewlabels.study.estimate.weighed import WeighedAnswers
from fewlabels.study.monitor import Monitored
from fewlabels.study.plan.sizes import Sizing
from fewlabels.study.simulate import SimulatedCell

Value: TypeAlias = str | int | float | bool | None
Row: TypeAlias = dict[str, Value]
Kind = Literal["text", "whole", "number", "truth"]
Columns: TypeAlias = Mapping[str, Kind]


class Shape(NamedTuple):
    """The table of a kind of result: the type of each column in order, and the rows."""

    columns: Columns
    rows: Callable[[Any], Iterable[Mapping[str, Json]]]
    more: Callable[[Any], Columns] | None = None  # columns that depend on the result


def columns_of(text: str) -> dict[str, Kind]:
    """Return the columns written as "metric:text labels:whole value"; without a type, a number."""
    named = (one.partition(":") for one in text.split())
    return {name: cast(Kind, kind or "number") for name, _, kind in named}


ESTIMATE = columns_of(
    "metric:text classifier:text over:text slice_column:text slice_value:text value low high at_least at_most strict_low strict_high "
    "half_width level standard_error n_eff labels:whole design_effect interval:text planned:truth why:text worst_low worst_high gold:whole "
    "told_value told_low told_high"
)
MORE = columns_of("more_labels:whole more_flagged:whole more_unflagged:whole more_enough:truth")
ALIKE = "same:whole units:whole value low high"


def flat(data: Mapping[str, Json]) -> Row:
    """Return plain data without nesting: a nested part is named outer_inner, a slice becomes its column and its value."""
    row: Row = {}
    for name, value in data.items():
        if name == "slice" and isinstance(value, list):
            row |= {"slice_column": str(value[0]), "slice_value": str(value[1])}
        elif isinstance(value, Mapping):
            row |= {f"{name}_{inner}": part for inner, part in flat(value).items()}
        elif value is None or isinstance(value, str | int | float):
            row[name] = value
    return row


def _of_estimates(shown: Estimates) -> Iterator[Mapping[str, Json]]:
    for found, caution in zip(shown.estimates, shown.cautions, strict=True):
        yield {**found.as_json(), "caution": caution, "certified": shown.certified}


def _of_decision(decision: Decision) -> Iterator[Mapping[str, Json]]:
    more = None if decision.more is None else decision.more.as_json()
    for verdict in decision.goals:
        held = verdict.as_json()
        held.pop("estimate")
        yield {"outcome": decision.outcome, "certified": decision.certified, **held, **verdict.estimate.as_json(), "more": more}


def _of_slices(found: InSlices) -> Iterator[Mapping[str, Json]]:
    for one, caution in zip(found.estimates, found.cautions, strict=True):
        yield {**one.as_json(), "caution": caution, "simultaneous": found.simultaneous}


def _of_counts(found: Confusion) -> Iterator[Mapping[str, Json]]:
    said = "; ".join(found.cautions)
    return ({**one.as_json(), "caution": said} for one in found.estimates)


def _of_answers(found: WeighedAnswers) -> Iterator[Mapping[str, Json]]:
    return (dict(zip(found.columns, row, strict=True)) for row in found.rows)


def _answer_columns(found: WeighedAnswers) -> Columns:
    """The columns of answers: classes and ids are text, what a weight is made of numbers, all else whole numbers."""
    texts = {name for name, *values in zip(found.columns, *found.rows, strict=True) if any(isinstance(value, str) for value in values)}
    kinds: dict[str, Kind] = {"probability": "number", "weight": "number"}
    return {name: "text" if name in texts else kinds.get(name, "whole") for name in found.columns}


def _of_curves(found: Curves) -> Iterator[Mapping[str, Json]]:
    for metric, curve in found.curves.items():
        for i, threshold in enumerate(found.thresholds):
            at: dict[str, Json] = {part: values[i] for part, values in curve.items()}
            units: dict[str, Json] = {"threshold": threshold, "units": found.units[i], "labels": found.labels[i]}
            yield {"classifier": found.classifier, "metric": metric, "level": found.level, **units, **at}


def _of_comparison(found: Comparison) -> Iterator[Mapping[str, Json]]:
    held = found.as_json()
    held.pop("estimate")
    yield {**held, **found.estimate.as_json()}


def _of_ranked(found: Ranked) -> Iterator[Mapping[str, Json]]:
    for pair, caution in zip(found.pairs, found.cautions, strict=True):
        names = {pair.classifier, pair.over}
        yield {**pair.as_json(), "better": next((a for a, b in found.better if {a, b} == names), None), "caution": caution}


def _of_labelers(found: Labelers) -> Iterator[Mapping[str, Json]]:
    said = sorted({answer for one in found.labelers for answer in one.answers})
    for one in found.labelers:
        counts: dict[str, Json] = {answer: one.answers.get(answer, 0) for answer in said}
        yield {**one.as_json(), "answers": counts}


def _of_convergence(found: Convergence) -> Iterator[Mapping[str, Json]]:
    for goal, points in found.goals:
        for point in points:
            yield {"kind": found.kind, "goal": str(goal), **point._asdict()}


def _of_running(found: Running) -> Iterator[Mapping[str, Json]]:
    read = found.as_json()
    for goal in cast(list[dict[str, Json]], read["goals"]):
        yield {"outcome": found.outcome, "labels": found.labels, "missing": found.missing, "budget": found.budget, **goal}


def _of_change(found: Change) -> Iterator[Mapping[str, Json]]:
    before, after = found.labels
    yield {**found.as_json(), "labels": {"before": before, "after": after}}


def _of_watched(found: Watched) -> Iterator[Mapping[str, Json]]:
    for study, labels, evidence in zip(found.studies, found.labels, found.evidence, strict=True):
        yield {**found.as_json(), "study": study, "labels": labels, "evidence": evidence, "rang": found.rang}


def _of_missing(found: Missing) -> Iterator[Mapping[str, Json]]:
    parts = (("side", (found.flagged, found.unflagged)), ("band", found.bands), ("test", found.tests))
    for kind, these in parts:
        for part in these:
            yield {"kind": kind, **part.as_json()}


def _itself(found: Any) -> Iterator[Mapping[str, Json]]:
    yield found.as_json()


SHAPES: dict[type, Shape] = {
    Estimate: Shape(ESTIMATE, _itself),
    Estimates: Shape({**ESTIMATE, "caution": "text", "certified": "truth"}, _of_estimates),
    Decision: Shape(
        {**columns_of("outcome:text certified:truth goal:text status:text bound reason:text"), **ESTIMATE, **MORE}, _of_decision
    ),
    WeighedAnswers: Shape({}, _of_answers, _answer_columns),
    InSlices: Shape({**ESTIMATE, "caution": "text", "simultaneous": "truth"}, _of_slices),
    Confusion: Shape({**ESTIMATE, "caution": "text"}, _of_counts),
    Curves: Shape(
        columns_of("classifier:text metric:text level threshold units:whole labels value low high ribbon_low ribbon_high"), _of_curves
    ),
    Comparison: Shape(
        {**columns_of("first:text second:text better:text"), **ESTIMATE, "caution": "text"},
        _of_comparison,
    ),
    Ranked: Shape({**ESTIMATE, "better": "text", "caution": "text"}, _of_ranked),
    Labelers: Shape(
        columns_of("labeler:text units:whole cannot_tell:whole skipped:whole median_seconds")
        | {f"{of}_{name}": kind for of in ("agreement", "gold_accuracy") for name, kind in columns_of(ALIKE).items()},
        _of_labelers,
    ),
    Convergence: Shape(columns_of("kind:text goal:text labels:whole low value high"), _of_convergence),
    ConfusionCell: Shape({**columns_of("predicted:text true:text units:whole count"), **ESTIMATE}, _itself),
    SimulatedCell: Shape(
        columns_of(
            "classifier:text metric:text design:text interval:text labels:whole reps:whole truth mean rmse coverage half_width "
            "labels_used:whole undefined:whole"
        ),
        _itself,
    ),
    Sizing: Shape(
        columns_of(
            "goal:text labels:whole recalibrated:whole worst:whole simple:whole uniform:whole forecast_value forecast_half_width "
            "forecast_chance forecast_settles:truth forecast_expected:text"
        ),
        lambda found: [goal.as_json() for goal in found.goals],
    ),
    Running: Shape(
        columns_of(
            "outcome:text labels:whole missing:whole budget:whole goal:text status:text value low high level n_eff decided_at:whole for "
            "against"
        ),
        _of_running,
    ),
    FoundThreshold: Shape(
        columns_of(
            "metric:text target level threshold units:whole value bound other:text other_value other_low other_high tried:whole "
            "needed:whole reason:text"
        ),
        _itself,
    ),
    Change: Shape(
        columns_of(
            "metric:text classifier:text before:text after:text value low high level standard_error labels_before:whole labels_after:whole "
            "shared:whole"
        ),
        _of_change,
    ),
    Watched: Shape(
        columns_of("metric:text classifier:text floor promise:text limit says:text study:text labels:whole evidence rang:text"), _of_watched
    ),
    Monitored: Shape(
        columns_of("metric:text floor units:whole read:whole labels:whole waiting:whole evidence limit rang:text says:text"),
        lambda found: [{**found.as_json(), "waiting": len(found.waiting)}],
    ),
    Missing: Shape(columns_of("kind:text name:text drawn:whole missing:whole share p_value limit differs:truth"), _of_missing),
}
