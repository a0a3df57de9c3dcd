"""Matplotlib pictures of results: intervals against labels, precision-recall curves, slices, metrics, and the calibration of the draw.

Each function takes a result (or the study it is read from) and an optional Axes, draws on it and returns it. Every interval is shown with
the labels behind it. No picture shows a number before the planned look. Names are drawn literally: a dollar sign starts no formula.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fewlabels.errors import EngineError, StudyError
from fewlabels.installation import install_command
from fewlabels.integrations.calibration import read_calibration
from fewlabels.nouns.estimate import Estimate
from fewlabels.study.estimate.convergence import Convergence, ConvergencePoint
from fewlabels.study.estimate.result import Estimates
from fewlabels.study.estimate.slices import InSlices
from fewlabels.study.estimate.thresholds import Curves
from fewlabels.study.study import Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLORS = ("#1f5fa8", "#b4540a", "#2f7d4f", "#7a3e9d", "#8c6d1f", "#a32a4b")
QUIET, LINE = "#5f6670", "#c9ced6"
LONGEST = 34  # characters of a name beside a picture
NEAR = 0.03  # predictions so close that their texts would overlap
STEPS_NAMED = 5  # thresholds that are named along a curve


def plain(text: str) -> str:
    """Return a name that can be drawn: without control characters, and not too long."""
    shown = "".join(letter if letter.isprintable() else " " for letter in text)
    return shown if len(shown) <= LONGEST else shown[: LONGEST - 1] + "…"


def axes_for(ax: "Axes | None", *, rows: int = 0) -> "Axes":
    """Return the Axes to draw on, with a plain frame; without any, those of a new figure, tall enough for so many rows."""
    if ax is None:
        try:
            from matplotlib import pyplot
        except ImportError:
            raise EngineError(f"a picture needs the extra pictures, which is not installed: {install_command('pictures')}") from None
        ax = pyplot.subplots(figsize=(7.5, max(3.6, 1.4 + 0.34 * rows)), layout="constrained")[1]
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(LINE)
    ax.tick_params(colors=QUIET, labelsize=9)
    ax.grid(color=LINE, linewidth=0.6, alpha=0.6)
    ax.set_axisbelow(True)
    return ax


def _title(ax: "Axes", text: str) -> None:
    ax.set_title(text, loc="left", fontsize=11, parse_math=False)


def estimates(result: Study | Estimates | Sequence[Estimate], ax: "Axes | None" = None) -> "Axes":
    """Draw every metric with its interval; labels and effective n beside each.

    Examples:
        >>> from fewlabels.integrations import pictures
        >>> from fewlabels.demo.study import small_study
        >>> pictures.estimates(small_study()).get_xlabel()
        'value and interval'
    """
    shown = result.estimate() if isinstance(result, Study) else result
    found = list(shown.estimates if isinstance(shown, Estimates) else shown)
    if not found:
        raise StudyError("a picture shows numbers, but there are none before the planned look: continue labeling")
    several = len({one.whose for one in found}) > 1
    peek = isinstance(shown, Estimates) and not shown.certified
    names = [f"{one.metric} of {plain(one.whose)}" if several else one.metric for one in found]
    names = [name if one.slice is None else f"{name}, {plain('='.join(one.slice))}" for name, one in zip(names, found, strict=True)]
    ax = _forest(found, names, axes_for(ax, rows=len(found)))
    _title(ax, f"Estimates at {found[0].level:.4g}{', a peek: not certified' if peek else ''}")
    return ax


def slices(result: InSlices, ax: "Axes | None" = None) -> "Axes":
    """Draw a metric in every slice with its interval; labels and effective n beside each.

    Examples:
        >>> from fewlabels.integrations import pictures
        >>> from fewlabels.demo.study import small_study
        >>> ax = pictures.slices(small_study().slices("precision", by=["country"]))
        >>> [label.get_text() for label in ax.get_yticklabels()]
        ['BR', 'DE']
    """
    found = list(result.estimates)
    names = [plain(one.slice[1] if one.slice else "") for one in found]
    ax = _forest(found, names, axes_for(ax, rows=len(found)))
    together = "all intervals together" if result.simultaneous else "each interval by itself"
    _title(ax, f"{found[0].metric} of {plain(found[0].whose)} by {plain(' x '.join(result.by))}, {together} at {result.level:.4g}")
    return ax


def _forest(found: Sequence[Estimate], names: Sequence[str], ax: "Axes") -> "Axes":
    """Draw one row per estimate: the interval, the value if there is one, its labels and effective n."""
    for row, one in enumerate(found):
        ax.plot([one.low, one.high], [row, row], color=COLORS[0], linewidth=5, alpha=0.35, solid_capstyle="butt")
        if one.value is not None:
            ax.plot([one.value], [row], "o", color=COLORS[0], markersize=5)
        n_eff = "" if one.n_eff is None else f", effective n {one.n_eff:,.0f}"
        value = "unknown" if one.value is None else f"{one.value:.3f}"
        said = f"{value}   {one.labels:,} labels{n_eff}"
        ax.annotate(said, (1.01, row), xycoords=ax.get_yaxis_transform(), va="center", fontsize=8, color=QUIET)
    ax.set_yticks(range(len(found)), labels=list(names), parse_math=False)
    ax.set_ylim(len(found) - 0.5, -0.5)
    ax.set_xlabel("value and interval", color=QUIET)
    return ax


def convergence(result: Study | Convergence, ax: "Axes | None" = None) -> "Axes":
    """Draw the interval of each goal against the number of labels; the target as a dotted line.

    Examples:
        >>> from fewlabels.integrations import pictures
        >>> from fewlabels.demo.study import small_study
        >>> pictures.convergence(small_study()).get_xlabel()
        'labels'
    """
    found = result.convergence() if isinstance(result, Study) else result
    if not found.goals:
        raise StudyError(f"there is no interval to draw: {found.why or 'no goal has an interval'}")
    ax = axes_for(ax)
    for j, (goal, points) in enumerate(found.goals):
        color = COLORS[j % len(COLORS)]
        _band(ax, points, color)
        if goal.kind != "+-":
            ax.axhline(goal.value, color=color, linewidth=1, linestyle=":")
        ax.plot([], [], color=color, linewidth=5, alpha=0.5, label=f"{plain(str(goal))}: {_said(points)}")
    ax.set_xscale("log")
    marks = sorted({points[at].labels for _, points in found.goals if points for at in (0, len(points) // 2, -1)})
    ax.set_xticks(marks, labels=[f"{labels:,}" for labels in marks])
    ax.minorticks_off()
    ax.set_xlabel("labels", color=QUIET)
    for text in ax.legend(frameon=False, fontsize=9, loc="best").get_texts():
        text.set_parse_math(False)
    _title(ax, "The running band as labels came in" if found.kind == "running" else "How the interval narrowed, computed afterwards")
    return ax


def _band(ax: "Axes", points: Sequence[ConvergencePoint], color: str) -> None:
    """Draw a band with its edges, and the line of the values."""
    labels = [point.labels for point in points]
    ends = [point.low for point in points], [point.high for point in points]
    ax.fill_between(labels, *ends, color=color, alpha=0.15, linewidth=0)
    for end in ends:
        ax.plot(labels, end, color=color, linewidth=0.8, alpha=0.7)
    known = [(point.labels, point.value) for point in points if point.value is not None]
    ax.plot([at for at, _ in known], [value for _, value in known], color=color, linewidth=1.8)


def _said(points: Sequence[ConvergencePoint]) -> str:
    """Return the last point of a band in words."""
    if not points or points[-1].value is None:
        return "no value yet"
    last = points[-1]
    return f"{last.value:.3f}, {last.low:.3f} .. {last.high:.3f}, {last.labels:,} labels"


def precision_recall(result: Study | Curves, ax: "Axes | None" = None) -> "Axes":
    """Draw precision against recall at every threshold; the box around each point is from the ribbons, which are valid at all thresholds.

    Examples:
        >>> import fewlabels
        >>> from fewlabels.integrations import pictures
        >>> table = {"id": list("abcdefgh"), "score": [0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1]}
        >>> population = fewlabels.read_population(table, score="score", threshold=0.5)
        >>> study = fewlabels.Study.create("curve", population, goals=["f1 +-0.2"], ledger="sqlite:///:memory:")
        >>> plan, told = study.plan(8), study.tell({unit: unit < "d" for unit in study.ask(8).units})
        >>> pictures.precision_recall(study).get_ylabel()
        'precision'
    """
    found = result.curves() if isinstance(result, Study) else result
    precision, recall = (found.curves[name] for name in ("precision", "recall"))
    ax = axes_for(ax)
    points = []
    for i, threshold in enumerate(found.thresholds):
        x, y = recall["value"][i], precision["value"][i]
        if x is None or y is None:
            continue
        (left, right), (bottom, top) = (_ribbon(curve, i) for curve in (recall, precision))
        ax.fill_between([left, right], bottom, top, color=COLORS[0], alpha=0.07, linewidth=0)
        points.append((x, y, threshold, found.labels[i]))
    ax.plot([x for x, *_ in points], [y for _, y, *_ in points], "o-", color=COLORS[0], markersize=3, linewidth=1.4)
    for x, y, threshold, labels in points[:: max(1, len(points) // STEPS_NAMED)]:
        said = f"from {threshold:.3g}: {labels:,.0f} labels"
        ax.annotate(said, (x, y), xytext=(5, 5), textcoords="offset points", fontsize=8, color=QUIET)
    ax.set(xlim=(0, 1.02), ylim=(0, 1.05))
    ax.set_xlabel("recall", color=QUIET)
    ax.set_ylabel("precision", color=QUIET)
    _title(ax, f"Precision and recall of {plain(found.classifier)}, ribbons at {found.level:.4g} over all thresholds")
    return ax


def _ribbon(curve: Any, i: int) -> tuple[float, float]:
    """Return the ribbon of a metric at one threshold; the whole range if it is unknown."""
    low, high = curve["ribbon_low"][i], curve["ribbon_high"][i]
    return (0.0 if low is None else low), (1.0 if high is None else high)


def _heights(places: Sequence[float]) -> list[float]:
    """Return how far up each text is placed, in points, so that those of neighbors are stacked."""
    found: list[float] = []
    for i, place in enumerate(places):
        found.append(found[-1] + 9 if i and place - places[i - 1] < NEAR else 0.0)
    return found


def calibration(study: Study, ax: "Axes | None" = None) -> "Axes":
    """Draw what the guide predicted against the share that people found positive, in parts of each side, with intervals and labels.

    Examples:
        >>> from fewlabels.integrations import pictures
        >>> from fewlabels.demo.study import small_study
        >>> pictures.calibration(small_study()).get_ylabel()
        'found by people'
    """
    parts = read_calibration(study)
    ax = axes_for(ax)
    ax.plot([0, 1], [0, 1], color=LINE, linewidth=1)
    for flagged, name, color in ((True, "flagged", COLORS[0]), (False, "not flagged", COLORS[1])):
        mine = [part for part in parts if part.flagged == flagged]
        for part in mine:
            ax.plot([part.claimed, part.claimed], [part.low, part.high], color=color, linewidth=4, alpha=0.3, solid_capstyle="butt")
        labels = sum(part.labels for part in mine)
        ax.plot([p.claimed for p in mine], [p.share for p in mine], "o", color=color, markersize=5, label=f"{name}, {labels:,} labels")
    for height, part in zip(_heights([part.claimed for part in parts]), parts, strict=True):
        ax.annotate(f"{part.labels}", (part.claimed, part.high), xytext=(0, 2 + height), textcoords="offset points", ha="center",
                    fontsize=8, color=QUIET, annotation_clip=False)  # fmt: skip
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.3))
    ax.set_yticks([0, 0.2, 0.4, 0.6, 0.8, 1])
    ax.set_xlabel("predicted by the guide (mean of a part)", color=QUIET)
    ax.set_ylabel("found by people", color=QUIET)
    ax.legend(frameon=False, fontsize=9, loc="lower right")
    _title(ax, f"Calibration of the draw, each part at {study.standing.goals[0].level:.4g}; above each its labels")
    return ax
