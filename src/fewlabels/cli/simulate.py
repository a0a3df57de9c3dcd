"""`fewlabels simulate`."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from fewlabels.cli.choices import interval_choice
from fewlabels.cli.configuration import fill
from fewlabels.cli.help import ManyOptions
from fewlabels.cli.options import (
    RESOURCES_MORE,
    TABLE_COMMON,
    TABLE_MORE,
    json_option,
    population_argument,
    population_options,
    read_options,
    resource_options,
)
from fewlabels.cli.output import note, print_json, share, table
from fewlabels.nouns.estimate import USUAL_INTERVAL


@click.command(
    "simulate",
    cls=ManyOptions,
    common=(*TABLE_COMMON, "--truth", "--metric", "--design", "--labels", "--interval", "--reps", "--json"),
    more={**TABLE_MORE, "More about the simulation": ("--level", "--joint", "--seed"), **RESOURCES_MORE},
)
@population_argument
@population_options
@click.option("--truth", required=True, metavar="COLUMN", help="The column of true labels (1/0).")
@click.option(
    "--metric", "metrics", multiple=True, default=("precision", "recall", "f1"), show_default=True, help="A metric to estimate. Repeatable."
)
@click.option(
    "--design", "designs", multiple=True, type=click.Choice(["bands", "simple"]), default=("bands", "simple"), show_default=True,
    help="How units are chosen. Repeatable.",
)  # fmt: skip
@click.option(
    "--labels", "sizes", multiple=True, type=click.IntRange(min=4), default=(500,), show_default=True, help="How many labels. Repeatable."
)
@click.option("--reps", type=click.IntRange(min=1), default=400, show_default=True, help="Replicates per cell.")
@click.option("--seed", type=int, default=42, show_default=True, help="The seed of the draws.")
@click.option("--level", type=float, default=0.95, show_default=True, help="The confidence level.")
@click.option("--joint", is_flag=True, help="Draw once for all metrics instead of once for each.")
@click.option(
    "--interval",
    type=interval_choice(lambda interval: not interval.running),
    default=USUAL_INTERVAL,
    show_default=True,
    help="The interval. clopper_pearson and wilson need --design simple; wald, beta, bootstrap and rao_wu miss rare errors.",
)
@resource_options
@json_option
def command(*, source: str, as_json: bool, **options: Any) -> None:
    """Try designs on a table whose labels are known: show the coverage, width and error of each before you spend money.

    \b
    Example:
      fewlabels simulate scored.parquet --score score --threshold 0.5 --truth y --metric f1 --labels 200 --labels 500 --reps 400
    """  # noqa: D301
    from fewlabels.intervals.registered import interval_named
    from fewlabels.study.simulate import simulate

    for caution in interval_named(options["interval"]).cautions:
        note(f"note: {caution}")
    sizes = options.pop("sizes")  # of draws; the population's --label is something else
    fill(options)
    population = read_options(source, options)
    cells = len(population.classifiers) * len(options["metrics"]) * len(options["designs"]) * len(sizes)
    with _progress(cells) as advance:
        found = simulate(population, labels=sizes, **options, on_cell=lambda _: advance())
    if as_json:
        print_json({"cells": [cell.as_json() for cell in found], "seed": options["seed"], "level": options["level"]})
        return
    table(
        ("classifier", "metric", "design", "labels", "truth", "mean", "rmse", "coverage", "half-width"),
        [
            [
                *(c.classifier, c.metric, c.design, f"{c.labels_used:,}", share(c.truth), share(c.mean)),
                *("-" if c.rmse is None else f"{c.rmse:.4f}", "-" if c.coverage is None else f"{c.coverage:.3f}", f"{c.half_width:.3f}"),
            ]
            for c in found
        ],
    )


@contextmanager
def _progress(cells: int) -> Iterator[Callable[[], None]]:
    """Show a progress bar on a terminal; nothing elsewhere."""
    if not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("simulating", total=cells)
        yield lambda: bar.advance(task)
