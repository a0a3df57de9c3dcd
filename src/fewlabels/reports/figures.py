"""Pictures of a report as inline SVG without scripts: they stretch horizontally, text keeps its size, and a sentence says the same.

Horizontal positions are percentages, so one picture fits a screen of any width; lines are in a layer that is stretched, text and
dots in one that is not. Color is never the only distinction: lines differ in dash, dots in shape, and both are named.
"""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from fewlabels.reports.markup import Element, add, tag
from fewlabels.reports.sections import Mark

TALL, TOP, FOOT = 180, 14, 40  # pixels: the plot, above it, below it
EDGE = 2.0  # percent left free at each end of a row's picture


class Scale(NamedTuple):
    """From `low` to `high`, with marks at `ticks`; `log` spaces factors evenly."""

    low: float
    high: float
    ticks: tuple[float, ...]
    log: bool = False

    def at(self, value: float) -> float:
        """Return the position of a value, from 0 to 1; values beyond an end are clipped to it."""
        low, high, held = map(math.log, (self.low, self.high, max(value, self.low))) if self.log else (self.low, self.high, value)
        return min(1.0, max(0.0, (held - low) / (high - low))) if high > low else 0.5


def scale(values: Sequence[float], *, ends: tuple[float, float] | None = None) -> Scale:
    """Return a round scale that contains all values, within `ends`."""
    low, high = min(values), max(values)
    if high - low < 1e-9:
        low, high = low - 0.05, high + 0.05
    step = _step((high - low) / 4)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    ticks = [round(k * step, 12) for k in range(first, last + 1)]
    if ends is not None:
        ticks = [t for t in ticks if ends[0] - 1e-9 <= t <= ends[1] + 1e-9] or list(ends)
    return Scale(min(ticks[0], low), max(ticks[-1], high), tuple(ticks))


def log_scale(low: float, high: float) -> Scale:
    """Return a log scale with a mark at 1, 2 and 5 times each power of ten."""
    low, high = max(low, 1e-9), max(high, low * 1.01)
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = [m * 10.0**p for p in powers for m in (1, 2, 5) if low <= m * 10.0**p <= high]
    return Scale(low, high, tuple(t for t in ticks if f"{t:e}"[0] == "1") if len(ticks) > 6 else tuple(ticks), log=True)


def _step(rough: float) -> float:
    power = 10.0 ** math.floor(math.log10(rough))
    return next(m * power for m in (1, 2, 2.5, 5, 10) if m * power >= rough * 0.999)


def tick_text(value: float, ticks: Sequence[float]) -> str:
    """Format a tick with as many decimals as its neighbors need."""
    gap = min((b - a for a, b in pairwise(ticks)), default=0.1)
    return f"{value + 0.0:,.{max(0, min(4, math.ceil(-math.log10(gap) - 1e-9) + (f'{gap:e}'[:3] == '2.5')))}f}"


def row_scale(marks: Sequence[Mark]) -> Scale:
    """Return the scale that the rows of a table share."""
    held = [v for m in marks for v in (m.low, m.high, m.strict_low, m.strict_high, m.target, m.value) if v is not None]
    ends = (0.0, 1.0) if min(held) >= 0 and max(held) <= 1 else None
    wanted = [v for mark in marks for v in _wanted(mark) if ends is None or ends[0] <= v <= ends[1]]
    return scale([*held, *wanted], ends=ends)


def _wanted(mark: Mark) -> tuple[float, ...]:
    """Return the outermost ends of an interval with the wanted half-width."""
    return () if mark.wanted is None or mark.value is None else (mark.value - mark.wanted, mark.value + mark.wanted)


def _across(found: Scale, value: float) -> str:
    return f"{EDGE + (100 - 2 * EDGE) * found.at(value):.1f}%"


def _length(found: Scale, low: float, high: float) -> str:
    return f"{max(0.4, (100 - 2 * EDGE) * (found.at(high) - found.at(low))):.1f}%"


def row_axis(found: Scale, grid: str | None = None) -> Element:
    """Return the axis above the pictures of rows; with `grid`, also define under that name the lines that each row reuses."""
    made = tag("svg", class_="axis", aria_hidden="true", height="16")
    if grid is not None:
        ticks = [tag("line", x1=_across(found, tick), x2=_across(found, tick), y1="0", y2="26") for tick in found.ticks]
        add(made, tag("defs", tag("g", *ticks, class_="grid", id=grid)))
    for i, tick in enumerate(found.ticks):
        anchor = "start" if i == 0 else "end" if i == len(found.ticks) - 1 else "middle"
        add(made, tag("text", tick_text(tick, found.ticks), x=_across(found, tick), y="12", text_anchor=anchor))
    return made


def row_picture(mark: Mark, found: Scale, grid: str) -> Element:
    """Draw one row: a thin line for the strict interval, a bar for the interval, a dot for the value, a dashed line for the target."""
    made = tag("svg", tag("use", href=f"#{grid}"), class_="mark", aria_hidden="true", height="26")
    strict = {"x1": _across(found, mark.strict_low), "x2": _across(found, mark.strict_high)}
    add(made, tag("line", class_="strict", y1="13", y2="13", **strict))
    add(made, tag("rect", class_="bar", x=_across(found, mark.low), width=_length(found, mark.low, mark.high), y="8", height="10", rx="2"))
    if mark.target is not None:
        add(made, tag("line", class_="target", x1=_across(found, mark.target), x2=_across(found, mark.target), y1="0", y2="26"))
    for end in _wanted(mark):
        if found.low <= end <= found.high:
            add(made, tag("line", class_="wanted", x1=_across(found, end), x2=_across(found, end), y1="3", y2="23"))
    if mark.value is not None:
        add(made, tag("circle", class_="dot", cx=_across(found, mark.value), cy="13", r="4"))
    return made


class Chart:
    """A picture with two axes. Shapes are given in data values; those beyond an end are clipped to it."""

    def __init__(self, x: Scale, y: Scale) -> None:
        """Start an empty picture."""
        self.x, self.y = x, y
        self.stretched = tag(
            "svg", x="0", y=TOP, width="100%", height=TALL, viewBox=f"0 0 1000 {TALL}", preserveAspectRatio="none", aria_hidden="true"
        )
        self.still: list[Element] = []

    def across(self, value: float) -> str:
        """Return the horizontal position of a value."""
        return f"{100 * self.x.at(value):.2f}%"

    def up(self, value: float) -> float:
        """Return the vertical position of a value."""
        return TOP + TALL * (1 - self.y.at(value))

    def line(self, points: Sequence[tuple[float, float]], kind: str) -> None:
        """Draw a line through points."""
        add(self.stretched, tag("polyline", class_=kind, points=self._path(points), vector_effect="non-scaling-stroke"))

    def ribbon(self, lows: Sequence[tuple[float, float]], highs: Sequence[tuple[float, float]], kind: str = "ribbon") -> None:
        """Fill the area between two lines."""
        add(self.stretched, tag("polygon", class_=kind, points=self._path([*highs, *reversed(lows)])))

    def _path(self, points: Sequence[tuple[float, float]]) -> str:
        return " ".join(f"{1000 * self.x.at(x):.1f},{TALL * (1 - self.y.at(y)):.1f}" for x, y in points)

    def level(self, value: float) -> None:
        """Draw a dashed horizontal line; the text beside the picture explains it, where nothing crosses it."""
        height = self.up(value)
        self.still.append(tag("line", class_="target", x1="0", x2="100%", y1=height, y2=height))

    def post(self, value: float, words: str, kind: str = "post") -> None:
        """Draw a line from top to bottom, with its name above it."""
        at = self.across(value)
        side = "start" if self.x.at(value) < 0.15 else "end" if self.x.at(value) > 0.85 else "middle"
        self.still.append(tag("line", class_=kind, x1=at, x2=at, y1=TOP, y2=TOP + TALL))
        self.still.append(tag("text", words, class_="name", x=at, y=TOP - 3, text_anchor=side))

    def drawn(self, sentence: str, along: str) -> Element:
        """Return the picture with its axes; `sentence` says what it shows, `along` names the horizontal axis."""
        left = tag("svg", class_="left", aria_hidden="true", height=TOP + TALL + FOOT)
        plot = tag("svg", class_="plot", aria_hidden="true", height=TOP + TALL + FOOT)
        for tick in self.y.ticks:
            add(left, tag("text", tick_text(tick, self.y.ticks), x="100%", y=self.up(tick) + 4, text_anchor="end"))
            add(plot, tag("line", class_="grid", x1="0", x2="100%", y1=self.up(tick), y2=self.up(tick)))
        add(plot, self.stretched, *self.still)
        for tick in self.x.ticks:
            side = "start" if self.x.at(tick) < 0.03 else "end" if self.x.at(tick) > 0.97 else "middle"
            add(plot, tag("text", f"{tick:,.0f}", x=self.across(tick), y=TOP + TALL + 17, text_anchor=side))
        add(plot, tag("text", along, class_="name", x="50%", y=TOP + TALL + 35, text_anchor="middle"))
        return tag("div", left, plot, class_="chart", role="img", aria_label=sentence)


class DrawnInterval(NamedTuple):
    """An interval after so many labels, or at a threshold."""

    x: float
    low: float
    value: float | None
    high: float


def band_chart(bands: Sequence[DrawnInterval], x: Scale, *, target: float | None = None) -> Chart:
    """Return a chart of a value with its interval along an axis."""
    ends = [v for b in bands for v in (b.low, b.high)] + ([] if target is None else [target])
    chart = Chart(x, scale(ends, ends=(0.0, 1.0) if min(ends) >= 0 and max(ends) <= 1 else None))
    chart.ribbon([(b.x, b.low) for b in bands], [(b.x, b.high) for b in bands])
    chart.line([(b.x, b.value) for b in bands if b.value is not None], "value")
    if target is not None:
        chart.level(target)
    return chart
