"""What people and pipelines see: results on stdout, everything meant for a person on stderr, color and progress on a terminal only."""

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import click

from assay.nouns.canonical import Json
from assay.nouns.estimate import Estimate


def print_json(value: Json) -> None:
    """One object, nothing else. NaN cannot happen: unknown is null."""
    click.echo(json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2))


def note(text: str) -> None:
    """A line for the person at the terminal."""
    click.echo(text, err=True)


@contextmanager
def working(what: str) -> Iterator[None]:
    """A spinner with what is being done, on a terminal only."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(what):
        yield


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table: drawn by Rich on a terminal, plain aligned columns elsewhere. The first column is left-aligned, the others right."""
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        drawn = Table(box=None, pad_edge=False)
        for i, heading in enumerate(headings):
            drawn.add_column(heading, justify="left" if i == 0 else "right", overflow="fold")
        for row in rows:
            drawn.add_row(*(Text(cell) for cell in row))
        Console().print(drawn)
        return
    widths = [max(len(row[i]) for row in [headings, *rows]) for i in range(len(headings))]
    for row in [headings, *rows]:
        cells = [cell.ljust(width) if i == 0 else cell.rjust(width) for i, (cell, width) in enumerate(zip(row, widths, strict=True))]
        click.echo("  ".join(cells).rstrip())


def count(value: float | None, *, unknown: str = "-") -> str:
    """A whole number with thousands marks."""
    return unknown if value is None else f"{value:,.0f}"


def share(value: float | None) -> str:
    """A metric's value with three decimals, four where it is small."""
    if value is None:
        return "unknown"
    return f"{value:.4f}" if 0 < abs(value) < 0.01 else f"{value:.3f}"


def estimate_rows(estimates: Sequence[Estimate]) -> list[list[str]]:
    """One row an estimate: value, interval, strict interval, half-width, effective n, labels, design effect."""
    return [
        [
            e.metric if e.planned else f"{e.metric} (not a goal)",
            share(e.value),
            f"{share(e.low)} .. {share(e.high)}",
            f"{share(e.strict_low)} .. {share(e.strict_high)}",
            f"{e.half_width:.3f}",
            count(e.n_eff),
            count(e.labels),
            "-" if e.design_effect is None else f"{e.design_effect:.2f}",
        ]
        for e in estimates
    ]


ESTIMATE_HEADINGS = ("metric", "value", "interval", "strict", "half-width", "effective n", "labels", "design effect")
