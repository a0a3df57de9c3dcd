"""Cautions from the coverage atlas about intervals that were not tested or whose coverage fell short.

`atlas.json` beside this file is written by the atlas run and holds, for each interval, design, metric and level, the lowest coverage
seen at each number of labels. Cautions are for readers and no part of the ledger, because a later atlas may know more.
"""

import json
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Literal, NamedTuple

from fewlabels.intervals.registered import INTERVALS
from fewlabels.nouns.estimate import USUAL_INTERVAL, Estimate
from fewlabels.nouns.metrics import metric_named
from fewlabels.nouns.plan import Plan

ELSEWHERE = "elsewhere"  # the design of a sample that was read
Way = Literal["grown", "planned looks"]


class Seen(NamedTuple):
    """The result at one number of labels: the lowest coverage over all populations and guides, and the verdict on it.

    one_sided   the largest share of wrong one-sided bounds at 5 %, and the verdict on them; None if they were not tested
    """

    labels: int
    lowest: float
    verdict: str
    one_sided: float | None = None
    one_sided_verdict: str | None = None


@cache
def read_atlas() -> Mapping[tuple[str, str, str, float], tuple[Seen, ...]]:
    """The atlas: (interval, design, metric, level) -> results, fewest labels first.

    `rec` was tested in full while it was the usual interval (atlas_rec.json), with the draw of then. Where it was tested again, the lower
    coverage counts.
    """
    folder = files("fewlabels.study.estimate")
    found: dict[tuple[str, str, str, float], dict[int, Seen]] = {}
    for name in ("atlas.json", "atlas_rec.json"):
        for row in json.loads(folder.joinpath(name).read_text(encoding="utf-8"))["tested"]:
            seen = found.setdefault((row["interval"], row["design"], row["metric"], row["level"]), {})
            for size in row["sizes"]:
                one = Seen(size["labels"], size["lowest"], size["verdict"], size.get("one_sided"), size.get("one_sided_verdict"))
                seen[one.labels] = min(seen.get(one.labels, one), one, key=lambda seen: seen.lowest)
    return {key: tuple(seen[labels] for labels in sorted(seen)) for key, seen in found.items()}


@cache
def read_one_sided() -> Mapping[tuple[Way, str, str], tuple[float, str]]:
    """How one-sided bounds did in plans that grew and at planned looks: (way, interval, metric) -> how often too high at worst, verdict."""
    held: dict[str, Any] = json.loads(files("fewlabels.study.estimate").joinpath("one_sided.json").read_text(encoding="utf-8"))
    return {(row["way"], row["interval"], row["metric"]): (row["highest"], row["verdict"]) for row in held["tested"]}


def way_of(plan: Plan) -> Way | None:
    """How the labels of a plan came in, where it matters to a one-sided bound; None for one look at all of them."""
    if plan.kind == "planned looks":
        return "planned looks"
    return "grown" if "growth" in plan.change else None


def caution_of_goal(found: Estimate, way: Way | None, *, design: str, labels: int) -> str | None:
    """Why a reader should be careful with a verdict on a target; None if one-sided bounds were tested this way and passed."""
    if found.exactness:
        return None
    if way is None:
        seen = [row for level in _near(found, design) for row in _at(found, design, level, labels) if row.one_sided_verdict is not None]
        failed = [row.one_sided or 0.0 for row in seen if row.one_sided_verdict != "passes"]
        return None if not failed else _wrong("", max(failed), "docs/atlas.md")
    named = " of a plan that grew" if way == "grown" else " at planned looks"
    highest, verdict = read_one_sided().get((way, found.interval, found.metric), (None, ""))
    page = "docs/belief-free.md" if found.interval == USUAL_INTERVAL else "docs/one-sided.md"
    if highest is None:
        return f"one-sided bounds{named} were not tested for {found.metric} with {found.interval}, see {page}"
    out = "" if found.interval == USUAL_INTERVAL else f"; plan with {USUAL_INTERVAL}"
    return None if verdict == "passes" else f"{_wrong(named, highest, page)}{out}"


def _wrong(named: str, share: float, where: str) -> str:
    return f"one-sided bounds{named} were wrong {share:.1%} of the time on a table of the tests, see {where}"


def caution_of(found: Estimate, *, design: str, labels: int) -> str | None:
    """Why a reader should be careful with an interval from a draw of `labels` labels; None if it was tested and passed."""
    if found.exactness:
        return found.exactness
    metric, kind = metric_named(found.metric), INTERVALS.named(found.interval)
    said = kind.cautions if not _is_tested(found) else (kind.caution,) if kind.caution else ()
    if said:
        return "; ".join(said)
    hardly = (
        (design == ELSEWHERE, "samples drawn elsewhere were tested on made-up populations only, see docs/maths/samples.md"),
        (metric.weight is not None, "metrics by weight were tested on one table only, see docs/coverage-dollars.md"),
        (metric.joint, "metrics of several labels or classes were tested on one table only, see docs/coverage-joint.md"),
        (metric.gap is not None, "gaps between slices were tested on made-up populations only, see docs/maths/gaps.md"),
        (found.slice is not None, "estimates in a slice were tested on made-up populations only, see docs/maths/shared-draw.md"),
        (bool(found.gold), "estimates corrected by gold answers were tested on one table only, see docs/raters.md"),
    )
    if where := next((caution for applies, caution in hardly if applies), None):
        return where
    return _of_levels(found, [row for level in _near(found, design) for row in _at(found, design, level, labels)], labels)


def _near(found: Estimate, design: str) -> list[float]:
    """The tested levels nearest to that of the estimate, below and above."""
    levels = sorted(key[3] for key in read_atlas() if key[:3] == (found.interval, design, found.metric))
    below, above = [x for x in levels if x <= found.level + 1e-9], [x for x in levels if x >= found.level - 1e-9]
    return [below[-1], above[0]] if below and above else []


def _at(found: Estimate, design: str, level: float, labels: int) -> list[Seen]:
    """The results at the tested numbers of labels nearest to this one; the largest stands for all beyond it."""
    sizes = read_atlas()[found.interval, design, found.metric, level]
    below, above = [s for s in sizes if s.labels <= labels], [s for s in sizes if s.labels >= labels]
    return [*below[-1:], *above[:1]] if below or len(sizes) == 1 else []


def _of_levels(found: Estimate, seen: list[Seen], labels: int) -> str | None:
    if not _is_tested(found):
        return f"the {found.interval} interval of {found.metric} was not tested, see docs/atlas.md"
    if not seen:
        return f"this interval was not tested at level {found.level:.4g} with {labels:,} labels, see docs/atlas.md"
    worst = min(seen, key=lambda s: s.lowest)
    if all(s.verdict == "passes" for s in seen):
        return None
    return f"this interval covered only {worst.lowest:.3f} on a population it was tested on at {worst.labels:,} labels, see docs/atlas.md"


def _is_tested(found: Estimate) -> bool:
    return any(key[0] == found.interval and key[2] == found.metric for key in read_atlas())


def in_words(cautions: Iterable[tuple[Estimate, str | None]]) -> list[str]:
    """Each caution once, with the metrics it applies to."""
    about: dict[str, list[str]] = {}
    for found, caution in cautions:
        if caution is not None:
            where = "" if found.slice is None else f" in {found.slice[0]}={found.slice[1]}"
            about.setdefault(caution, []).append(f"{found.metric}{where}")
    return [f"{', '.join(dict.fromkeys(metrics))}: {caution}" for caution, metrics in about.items()]
