"""The pictures of each section of the report page: how intervals narrowed, budgets to drag, thresholds to drag, the confusion matrix."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from fewlabels.nouns.canonical import Json
from fewlabels.reports.figures import Chart, DrawnInterval, Scale, band_chart, log_scale, scale
from fewlabels.reports.formatting import count, interval, name, share
from fewlabels.reports.markup import Element, add, tag
from fewlabels.reports.result_sections import MOST_CLASSES, budget_sentence
from fewlabels.reports.sections import target_of

Report = Mapping[str, Any]
Found = Mapping[str, Any]
KEYS = (
    ("chosen-line", "chosen, as this study draws"),
    ("uniform-line", "uniform, drawn evenly over the whole table"),
    ("target", "half-width wanted"),
)


def _figures(*made: Element) -> Element:
    return tag("div", *made, class_="charts")


def _figure(title: str, drawn: Element, note: str | None = None) -> Element:
    return tag("figure", tag("figcaption", title, tag("span", note, class_="under") if note else None), drawn)


def convergence_pictures(report: Report) -> Iterator[Element]:
    """Return pictures of each goal's interval against labels."""
    made = []
    for goal in report["convergence"]["goals"]:
        bands = [DrawnInterval(p["labels"], p["low"], p["value"], p["high"]) for p in goal["points"]]
        if not bands:
            continue
        first, last, asked = bands[0], bands[-1], target_of(goal["goal"])
        chart = band_chart(bands, _up_to(last.x), target=asked.line if asked else None)
        sentence = (
            f"{name(goal['goal'])}: {interval(first.low, first.high)} after {count(first.x)} labels, "
            f"{interval(last.low, last.high)} after {count(last.x)}"
        )
        said = f"; dashed: the target, {share(asked.line)}" if asked and asked.line is not None else ""
        made.append(_figure(name(goal["goal"]), chart.drawn(sentence, "labels"), f"now {interval(last.low, last.high)}{said}"))
    if made:
        yield _figures(*made)


def _up_to(last: float) -> Scale:
    """Return a scale that ends at the last number of labels."""
    found = scale([0.0, last])
    return Scale(0.0, last, tuple(tick for tick in found.ticks if tick <= last))


def budget_pictures(report: Report) -> Iterator[Element]:
    """Return pictures of half-width against labels, chosen and uniform, and a slider that a script activates."""
    curves = report["budgets"]
    if not curves:
        return
    yield _slider("budget", "Drag the budget", "labels")
    shown = KEYS if any(curve["kind"] == "+-" for curve in curves) else KEYS[:2]
    yield tag("p", *(_key(kind, words) for kind, words in shown), class_="keys")
    yield _figures(*(_budget(i, curve) for i, curve in enumerate(curves)))


def _key(kind: str, words: str) -> Element:
    """Return a legend entry: a line of the picture and its name."""
    drawn = tag("line", class_=kind, x1="1", x2="35", y1="7", y2="7")
    at = tag("circle", class_="chosen-dot", cx="18", cy="7", r="5") if kind == "chosen-line" else None
    square = tag("rect", class_="uniform-dot", x="13.5", y="2.5", width="9", height="9") if kind == "uniform-line" else None
    return tag("span", tag("svg", drawn, at, square, width="36", height="14", aria_hidden="true"), f" {words}", class_="key")


def _slider(key: str, words: str, unit: str) -> Element:
    """Return a slider with the sentence it updates; hidden if no script runs."""
    slid = tag("input", type="range", id=key, min="0", max="1000", step="1", value="0")
    row = tag("div", tag("label", words, for_=key), slid, tag("output", for_=key, id=f"{key}-out", data_unit=unit), class_="slider")
    return tag("div", row, tag("p", id=f"{key}-said", aria_live="polite"), class_="card controls", id=f"{key}-card", hidden="hidden")


def _budget(i: int, curve: Found) -> Element:
    labels, asked = curve["labels"], curve["target"] if curve["kind"] == "+-" else None
    tallest = max([*curve["uniform"], *curve["chosen"], asked or 0.0])
    chart = Chart(log_scale(labels[0], labels[-1]), scale([0.0, tallest]))
    now = labels.index(curve["now"])
    for kind in ("uniform", "chosen"):
        chart.line(list(zip(labels, curve[kind], strict=True)), f"{kind}-line")
    if asked is not None:
        chart.level(asked)
    chart.post(curve["now"], f"budget {count(curve['now'])}")
    _handles(chart, curve, now)
    sentence = (
        f"{name(curve['goal'])}: expected half-width with {count(curve['now'])} labels {share(curve['chosen'][now])} chosen, "
        f"{share(curve['uniform'][now])} uniform"
    )
    drawn = chart.drawn(sentence, "labels, log scale")
    drawn.attrib |= {"data-budget": str(i), "data-high": repr(chart.y.high)}
    return _figure(name(curve["goal"]), drawn, budget_sentence(curve))


def _handles(chart: Chart, curve: Found, now: int) -> None:
    """Draw a dot on the chosen line and a square on the uniform one; a script moves them."""
    at = chart.across(curve["now"])
    chart.still.append(tag("circle", class_="chosen-dot", cx=at, cy=chart.up(curve["chosen"][now]), r="5"))
    # A nested picture can be centered on a position given in percent; a plain square cannot.
    square = tag("rect", class_="uniform-dot", x="-4.5", y="-4.5", width="9", height="9")
    chart.still.append(tag("svg", square, class_="uniform-at", x=at, y=chart.up(curve["uniform"][now]), overflow="visible"))


def threshold_pictures(report: Report) -> Iterator[Element]:
    """Return pictures of precision and recall along the thresholds, by units flagged, and a slider."""
    found = report["thresholds"]
    if not found or len(found["thresholds"]) < 2:
        return
    yield _slider("threshold", "Drag the threshold", "units flagged")
    yield ribbon_pictures(found, report["population"]["classifiers"])


def ribbon_pictures(found: Found, classifiers: Sequence[Found]) -> Element:
    """Return a picture of each metric along the thresholds, if there are at least two."""
    x = log_scale(max(1, found["units"][0]), found["units"][-1])
    judged = next((one for one in classifiers if one["name"] == found["classifier"]), None)
    return _figures(*(_ribbon(found, metric, x, judged) for metric in found["curves"]))


def _ribbon(found: Found, metric: str, x: Scale, judged: Found | None) -> Element:
    curve = found["curves"][metric]
    parts = (found["units"], curve["ribbon_low"], curve["value"], curve["ribbon_high"])
    bands = [DrawnInterval(u, low, value, high) for u, low, value, high in zip(*parts, strict=True) if low is not None and high is not None]
    chart = band_chart(bands, x)
    if judged is not None and judged["threshold"] is not None and x.low <= judged["flagged"] <= x.high:
        chart.post(judged["flagged"], f"current threshold, {judged['threshold']:.4g}")
    chart.still.append(
        tag("line", class_="moving", x1="0", x2="0", y1=chart.up(chart.y.high), y2=chart.up(chart.y.low), visibility="hidden")
    )
    ends = " to ".join(f"{share(band.value)} where {count(band.x)} units are flagged" for band in (bands[0], bands[-1]))
    drawn = chart.drawn(f"{metric}: from {ends}", "units flagged, log scale")
    drawn.set("data-ribbon", metric)
    return _figure(metric, drawn, "value, and the ribbon that is valid at all thresholds together")


def confusion_pictures(report: Report) -> Iterator[Element]:
    """Return the matrix: a row for each predicted class, a column for each true one."""
    cells = report["confusion"]
    classes = list(dict.fromkeys(cell["predicted"] for cell in cells))
    if not 0 < len(classes) <= MOST_CLASSES:
        return
    found = {(cell["predicted"], cell["true"]): cell for cell in cells}
    head = tag("tr", tag("th", "given \\ true", scope="col", class_="words"), *(tag("th", name(true, 24), scope="col") for true in classes))
    body = tag("tbody")
    for given in classes:
        row = tag("tr", tag("th", name(given, 24), scope="row"))
        for true in classes:
            cell = found.get((given, true))
            limits = "" if cell is None else interval(cell["low"], cell["high"])
            kind = "same" if given == true else None
            add(row, tag("td", share(cell and cell["value"]), tag("span", limits, class_="under"), class_=kind))
        add(body, row)
    table = tag("table", tag("thead", head), body, class_="matrix")
    yield tag("div", table, class_="wide", role="region", aria_label="Confusion matrix", tabindex="0")


PICTURES: Mapping[str, Callable[[Report], Iterator[Element]]] = {
    "convergence": convergence_pictures,
    "budgets": budget_pictures,
    "thresholds": threshold_pictures,
    "confusion": confusion_pictures,
}


def page_data(report: Report) -> dict[str, Json]:
    """Return the data that the script of the page needs for its sliders."""
    budgets: list[Json] = [
        {"goal": name(curve["goal"]), **{key: curve[key] for key in ("kind", "target", "value", "now", "labels", "chosen", "uniform")}}
        for curve in report["budgets"]
    ]
    found = report["thresholds"]
    if not found:
        return {"budgets": budgets, "thresholds": None}
    curves: dict[str, Json] = {
        metric: {part: [v if v is None else round(v, 5) for v in curve[part]] for part in ("value", "ribbon_low", "ribbon_high")}
        for metric, curve in found["curves"].items()
    }
    judged = next((one["flagged"] for one in report["population"]["classifiers"] if one["name"] == found["classifier"]), None)
    said: list[Json] = [f"{threshold:.6g}" for threshold in found["thresholds"]]
    return {"budgets": budgets, "thresholds": {"at": said, "units": found["units"], "now": judged, "curves": curves}}
