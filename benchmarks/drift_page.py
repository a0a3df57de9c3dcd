"""docs/drift.md: the rows of the drift benchmark, and the page they make."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from benchmarks.judging import verdict_of


class Held(NamedTuple):
    """Replicates whose interval holds the truth, and the mean half-width."""

    hits: int
    half_width: float


class Sliced(NamedTuple):
    """One slice in a draw of `labels`: units it is about, labels it got on average, and what they showed."""

    model: str
    goal: str
    planned: bool
    labels: int
    frame: int
    used: float
    truth: float
    rec: Held
    wald: Held
    reps: int


class Changed(NamedTuple):
    """One metric in two periods: the change, by REC and MOVER, by Wald, and as if no unit were shared; and the window of both."""

    name: str
    metric: str
    labels: int
    reps: int
    before: float
    after: float
    shared: float
    change: Held
    wald: Held
    apart: Held
    pooled: Held
    pooled_wald: Held
    single: Held


class Rung(NamedTuple):
    """One way of watching: replicates that rang with nothing to ring for, that found the drift, and labels after it until they did."""

    where: str
    way: str
    floor: float
    take: int
    reps: int
    false: int
    found: int
    median: float
    most: float


def page(slices: Sequence[Sliced], moved: Sequence[Changed], rung: Sequence[Rung], *, usual: float, reps: int, seed: int) -> str:
    """The whole page."""
    lines = [
        "# Over time",
        "",
        f"    python -m benchmarks.drift --data FOLDER --reps {reps} --seed {seed} --out docs/drift.md",
        "",
        "A made-up stream of card payments: 1,000,000 units in 90 days and eight countries, 0.2 % of them fraud. gbm stays as good as it "
        f"is; the features of lr drift on day 45, and its precision falls from {usual:.3f} to about 0.42 on average. On days 60-66 a wave "
        "of fraud in one country lifts both. Coverage is judged by the exact binomial: *caution* where a true coverage of 0.94 is rejected "
        "at 1e-3, *refuse* below 0.90. Half-width: half the length of the interval, mean over replicates.",
        "",
        *_slices(slices),
        *_changes(moved),
        *_windows(moved),
        *_alarms(rung, usual),
    ]
    return "\n".join(lines) + "\n"


def _covered(held: Held, reps: int) -> str:
    return f"{held.hits / reps:.3f}{verdict_of(held.hits, reps)}"


def _lowest(held: Iterable[Held], reps: int) -> float:
    return min(h.hits for h in held) / reps


def _shares(rows: Sequence[Sliced]) -> list[float]:
    return [r.rec.hits / r.reps for r in rows]


def _slices(rows: Sequence[Sliced]) -> list[str]:
    some = [r for r in rows if r.used < r.frame - 0.5]
    planned = [r for r in some if r.planned]
    low, low_planned, low_wald = (min(share) for share in (_shares(some), _shares(planned), [r.wald.hits / r.reps for r in some]))
    lines = [
        "## Precision by slice",
        "",
        "*draw*: labels of one draw that serves every slice as asked, bands cut inside slices; or of a draw made for the whole table and "
        "only read by slice (*not planned*), where a slice has the labels that happen to fall in it. A slice that had to be labeled whole "
        f"is exact. {rows[0].reps:,} replicates of each draw.",
        "",
        f"Of {len(some)} slices not labeled whole {sum(share >= 0.93 for share in _shares(some))} are covered in at least 0.93 of the "
        f"replicates. Lowest coverage {low:.3f}, of the planned ones {low_planned:.3f}; Wald's interval on the same labels {low_wald:.3f}.",
        "",
        "| model | goal | draw | flagged units | labels | truth | coverage | half-width | Wald covers |",
        "|---|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for r in rows:
        draw = f"{r.labels:,}" if r.planned else f"{r.labels:,}, not planned"
        lines.append(
            f"| {r.model} | {r.goal} | {draw} | {r.frame:,} | {r.used:,.1f} | {r.truth:.3f} | {_covered(r.rec, r.reps)} "
            f"| {r.rec.half_width:.3f} | {_covered(r.wald, r.reps)} |"
        )
    return [*lines, ""]


def _changes(rows: Sequence[Changed]) -> list[str]:
    reps = rows[0].reps
    narrower = [r.change.half_width / r.apart.half_width for r in rows if r.shared > 0 and r.apart.half_width > 1e-6]
    lines = [
        "## The change between two periods",
        "",
        "Both draws use one permanent number a unit; units in both periods may be drawn twice and are labeled once. *labels*: of each "
        "period's draw; *shared*: of them drawn in both, on average. *apart*: half-width if the shared units were not accounted for. "
        f"{reps:,} replicates each.",
        "",
        f"Lowest coverage {_lowest([r.change for r in rows], reps):.3f}, of Wald's interval {_lowest([r.wald for r in rows], reps):.3f}. "
        f"Accounting for shared units makes the interval {1 - max(narrower):.0%} to {1 - min(narrower):.0%} narrower.",
        "",
        "| periods | metric | labels | shared | before | after | coverage | half-width | apart | Wald covers | half-width |",
        "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for r in rows:
        lines.append(
            f"| {r.name} | {r.metric} | {r.labels:,} | {r.shared:.0f} | {r.before:.3f} | {r.after:.3f} | {_covered(r.change, reps)} "
            f"| {r.change.half_width:.3f} | {r.apart.half_width:.3f} | {_covered(r.wald, reps)} | {r.wald.half_width:.3f} |"
        )
    return [*lines, ""]


def _windows(rows: Sequence[Changed]) -> list[str]:
    reps = rows[0].reps
    lines = [
        "## A window of both periods",
        "",
        "The same draws, read as one population in which every unit counts once, in the last period that holds it. *last alone*: "
        "half-width of the last period's own estimate.",
        "",
        f"Lowest coverage {_lowest([r.pooled for r in rows], reps):.3f}, of Wald's interval "
        f"{_lowest([r.pooled_wald for r in rows], reps):.3f}.",
        "",
        "| periods | metric | labels | coverage | half-width | last alone | Wald covers |",
        "|---|---|--:|--:|--:|--:|--:|",
    ]
    for r in rows:
        lines.append(
            f"| {r.name} | {r.metric} | {r.labels:,} | {_covered(r.pooled, reps)} | {r.pooled.half_width:.3f} "
            f"| {r.single.half_width:.3f} | {_covered(r.pooled_wald, reps)} |"
        )
    return [*lines, ""]


def _headline(rows: Sequence[Rung]) -> list[str]:
    """What the alarms that promise at most 5 % do with the most labels: how soon, and how often for nothing."""
    take, lines = max(r.take for r in rows), []
    for way in ("ever, 5 %", "run length 360"):
        mine = [r for r in rows if r.way == way and r.take == take]
        soon = min((r for r in mine if not np.isnan(r.median)), key=lambda r: (r.most, r.median))
        false = max(r.false / r.reps for r in rows if r.way == way)
        lines.append(
            f"- *{way}*, floor {soon.floor:g}, {take} labels a period: the drift is found within {soon.most:,.0f} labels drawn after it in "
            f"nine of ten replicates, within {soon.median:,.0f} in half. False alarms anywhere below: at most {false:.1%}."
        )
    naive = [r for r in rows if r.way == "Wald test, 5 %"]
    shared = max((r for r in rows if r.way == "REC bound, 5 % / 18"), key=lambda r: r.false / r.reps)
    lines += [
        f"- A Wald test of every period: false alarms {min(r.false / r.reps for r in naive):.0%} at the least.",
        "- A REC bound of every period at 5 % / 18 asks another question: are the units of a period below the floor, which by chance "
        "they are now and then though nothing has changed. It finds the drift sooner, for most of a period is labeled, and rings on "
        f"streams without drift in up to {shared.false / shared.reps:.0%} of the replicates.",
    ]
    return lines


def _alarms(rows: Sequence[Rung], usual: float) -> list[str]:
    lines = [
        "## Alarms",
        "",
        "Periods of five days, about 120 flagged units of lr each; *take*: labels a period. *ever*: an e-process whose stakes begin in "
        "every period, P(it ever rings) <= 5 % while precision is at least the floor. *run length* 360 and 18: an e-detector with a false "
        "alarm after that many periods on average or later, so within these 18 periods with probability at most 5 % for the first. "
        "For comparison, tests of every period on its own, one-sided: at 5 %, and at 5 % shared among the 18 periods.",
        "",
        "*false*: share of replicates that ring before day 45, or at any time where nothing drifts. *found*: share that ring later, of "
        "those that had not. *labels*: drawn from day 45 on until it rings, in half and in nine of ten of these; a dash where fewer "
        "find it in the 45 days that the stream goes on. The stream: draws from one population. "
        f"Fresh streams: 50 populations without drift, precision {usual:.4f} by their formula; a floor of that value is where a false "
        "alarm is most likely.",
        "",
        *_headline(rows),
        "",
        "| stream | floor | take | way | replicates | false | found | labels, half | nine of ten |",
        "|---|--:|--:|---|--:|--:|--:|--:|--:|",
    ]
    return [*lines, *(_rung(r) for r in rows)]


def _rung(r: Rung) -> str:
    """One row of the last table."""
    left = r.reps - r.false
    found = f"{r.found / left:.3f}" if left and not np.isnan(r.median) else ""
    half, most = (("" if np.isnan(x) else f"{x:,.0f}" if np.isfinite(x) else "-") for x in (r.median, r.most))
    return f"| {r.where} | {r.floor:g} | {r.take} | {r.way} | {r.reps:,} | {r.false / r.reps:.3f} | {found} | {half} | {most} |"
