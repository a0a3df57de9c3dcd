"""What people and pipelines see: results on stdout, everything meant for a person on stderr, color and progress on a terminal only."""

import json
import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from shlex import quote
from typing import TYPE_CHECKING

import click

from fewlabels.nouns.canonical import Json
from fewlabels.nouns.decision import Decision
from fewlabels.nouns.estimate import Estimate
from fewlabels.nouns.missing import Missing, Part

if TYPE_CHECKING:
    from fewlabels.study.estimate.confusion import ConfusionCell
    from fewlabels.study.estimate.status import Status
    from fewlabels.study.study import Study


def print_json(value: Json) -> None:
    """Print one object and nothing else. NaN cannot occur: unknown is null."""
    click.echo(json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2))


def note(text: str) -> None:
    """Print a line for the person at the terminal."""
    click.echo(text, err=True)


NEXT = {"ready": "estimate", "decided": "decide"}


def next_command(study: "Study") -> str:
    """Return the next command for a study whose labels are coming in."""
    state, name = study.state, quote(study.name)
    if state == "waiting for gold":
        return f"fewlabels draw {name} --gold {study.standing.gold_share:g} --out gold.csv"
    if state == "labeling" and study.progress().waits_for_second:
        return f"fewlabels draw {name} --for LABELER, who has not answered these units, or fewlabels label {name}"
    if study.standing.only_arriving and (late := study.standing.late) is not None:
        return f"once answers have arrived until {late.until}: fewlabels tell {name} FILE --as-of {late.until} --close"
    return f"fewlabels {NEXT.get(state, 'draw')} {name}"


def after_verdict(study: "Study", decision: Decision, status: "Status") -> str:
    """Return the next command for a study after this decision."""
    name = quote(study.name)
    if decision.more is not None and decision.more.enough:
        budget = status.progress.planned + decision.more.labels
        return f"fewlabels plan --study {name} --budget {budget}, then continue labeling: fewlabels label {name}, or fewlabels draw {name}"
    if decision.outcome == "label more" and status.state == "labeling":
        return f"fewlabels draw {name}"
    return f"fewlabels report {name}"


@contextmanager
def working(what: str) -> Iterator[None]:
    """Show what is being done, for how long, and the progress of a query if its engine reports it; on a terminal only."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    from fewlabels.engines import resources

    parts = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(bar_width=24), TimeElapsedColumn())
    with Progress(*parts, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task(what, total=None)

        def watch(done: float | None) -> None:
            shown.update(task, total=None if done is None else 1.0, completed=done or 0.0)

        with resources.using(replace(resources.current(), watch=watch)):
            yield


def table(headings: Sequence[str], rows: Sequence[Sequence[str]], *, left: Collection[int] = (0,)) -> None:
    """Print a table: with Rich on a terminal, as plain aligned columns elsewhere. The columns numbered in `left` are left-aligned."""
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        drawn = Table(box=None, pad_edge=False)
        for i, heading in enumerate(headings):
            drawn.add_column(heading, justify="left" if i in left else "right", overflow="fold")
        for row in rows:
            drawn.add_row(*(Text(cell) for cell in row))
        Console().print(drawn)
        return
    widths = [max(len(row[i]) for row in [headings, *rows]) for i in range(len(headings))]
    for row in [headings, *rows]:
        cells = [cell.ljust(width) if i in left else cell.rjust(width) for i, (cell, width) in enumerate(zip(row, widths, strict=True))]
        click.echo("  ".join(cells).rstrip())


def count(value: float | None, *, unknown: str = "-") -> str:
    """Format a whole number with thousands separators."""
    return unknown if value is None else f"{value:,.0f}"


def share(value: float | None) -> str:
    """Format a metric's value with three decimals, or four if it is small."""
    if value is None:
        return "unknown"
    return f"{value:.4f}" if 5e-5 <= abs(value) < 0.01 else f"{round(value, 3) + 0.0:.3f}"


def estimate_table(estimates: Sequence[Estimate], *, several: bool | None = None) -> None:
    """Print one row per estimate; with a column for the strict interval if scores are trusted, so that it is another one."""
    apart = len({e.whose for e in estimates}) > 1 if several is None else several
    columns: dict[str, list[str]] = {
        "metric": [named(e, several=apart) + ("" if e.planned else " (not a goal)") for e in estimates],
        "value": [share(e.value) for e in estimates],
        "interval": [f"{share(e.low)} .. {share(e.high)}" for e in estimates],
        "strict": [f"{share(e.strict_low)} .. {share(e.strict_high)}" for e in estimates],
        "half-width": [f"{e.half_width:.3f}" for e in estimates],
        "effective n": [count(e.n_eff) for e in estimates],
        "labels": [count(e.labels) for e in estimates],
        "design effect": ["-" if e.design_effect is None else f"{e.design_effect:.2f}" for e in estimates],
    }
    if not any(e.trusts_scores for e in estimates):
        del columns["strict"]
    table(tuple(columns), [list(row) for row in zip(*columns.values(), strict=True)])


def named(estimate: Estimate, *, several: bool) -> str:
    """Return the metric's name, with its classifier if there are several."""
    where = "" if estimate.slice is None else f" in {estimate.slice[0]}={estimate.slice[1]}"
    return (f"{estimate.metric} of {estimate.whose}" if several else estimate.metric) + where


def bounds_table(estimates: Sequence[Estimate]) -> None:
    """Print what each metric is at least and at most, each bound at the level by itself."""
    several = len({e.classifier for e in estimates}) > 1
    rows = [[named(e, several=several), share(e.at_least), share(e.at_most), count(e.n_eff)] for e in estimates]
    click.echo("\none-sided bounds, each at the level by itself")
    table(("metric", "at least", "at most", "effective n"), rows)


def worst_table(estimates: Sequence[Estimate]) -> None:
    """Print the worst case of the estimates that have one, under a line that explains it; print nothing if none has."""
    rows = [
        [e.metric, f"{share(e.low)} .. {share(e.high)}", f"{share(e.worst_low)} .. {share(e.worst_high)}"]
        for e in estimates
        if e.worst_low is not None
    ]
    if rows:
        click.echo("\nif every missing answer were what moves the interval most")
        table(("metric", "interval", "worst case"), rows)


def gold_table(estimates: Sequence[Estimate]) -> None:
    """Print the estimates before and after the correction by gold answers; print nothing if there are none."""
    several = len({e.classifier for e in estimates}) > 1
    rows = [
        [
            named(e, several=several),
            *(share(e.told_value), f"{share(e.told_low)} .. {share(e.told_high)}", share(e.value), f"{share(e.low)} .. {share(e.high)}"),
            count(e.gold),
        ]
        for e in estimates
        if e.gold
    ]
    if rows:
        click.echo("\nas the labels were recorded, and corrected by the gold answers")
        table(("metric", "told", "interval", "corrected", "interval", "gold answers"), rows)


def confusion_table(cells: "Sequence[ConfusionCell]") -> None:
    """Print the confusion matrix: a row for each pair of predicted and true class."""
    rows = [
        [c.predicted, c.true, share(c.share.value), f"{share(c.share.low)} .. {share(c.share.high)}", count(c.share.n_eff), count(c.count)]
        for c in cells
    ]
    click.echo("\nof the units predicted to be of a class, the share that truly is of each (each interval by itself)")
    table(("given", "true", "share", "interval", "effective n", "units"), rows)


def missing_lines(missing: Missing) -> str:
    """Return the share of missing answers, in all and by side, on one line."""

    def line(name: str, part: Part) -> str:
        return f"{name} {'-' if part.share is None else format(part.share, '.1%')} ({part.missing:,} of {part.drawn:,})"

    return f"missing: {line('all', missing.whole)}, {line('flagged', missing.flagged)}, {line('unflagged', missing.unflagged)}"


def missing_table(missing: Missing) -> None:
    """Print resolved units and missing answers of every band, then of every part that is tested, with its p-value and limit."""
    bands = [_missing_cells(part) for part in missing.bands]
    tests = [[*_missing_cells(p), f"{p.p_value:.2g}", f"{p.limit:.2g}", "yes" if p.differs else "no"] for p in missing.tests]
    table(("band", "resolved", "missing", "share"), bands)
    if tests:
        click.echo()
        table(("part against all others", "resolved", "missing", "share", "p-value", "limit", "differs"), tests)


def _missing_cells(part: Part) -> list[str]:
    """Return a part's name, units, missing answers and their share."""
    return [part.name, count(part.drawn), count(part.missing), "-" if part.share is None else f"{part.share:.1%}"]
