"""`fewlabels monitor`."""

import sys
from pathlib import Path
from typing import Any

import click

from fewlabels.cli.options import json_option, ledger_option
from fewlabels.cli.output import note, print_json, working

RANG = 4  # as a verdict "do not ship"


@click.command("monitor")
@click.argument("name")
@click.option("--metric", help="For a new monitor: the metric to watch. Default: precision.")
@click.option("--floor", type=float, metavar="VALUE", help="For a new monitor: the metric must not fall below this.")
@click.option("--rate", type=float, metavar="SHARE", help="For a new monitor: about what share of the units to label.")
@click.option("--error", type=float, help="For a new monitor: the probability of ever ringing falsely. Default: 0.05.")
@click.option("--run-length", type=float, metavar="UNITS", help="Instead of --error: the mean number of units until it rings falsely.")
@click.option(
    "--arrived", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE", help="Units that arrived, in order."
)
@click.option("--id", "id_", default="id", show_default=True, metavar="COLUMN", help="With --arrived: the column of ids.")
@click.option("--score", default="score", show_default=True, metavar="COLUMN", help="With --arrived: the column of scores, in [0, 1].")
@click.option("--threshold", type=float, metavar="T", help="With --arrived: units with at least this score are flagged.")
@click.option("--answers", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE", help="Answers to record.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Write the units that need an answer to a .csv file.")
@ledger_option
@json_option
def command(*, name: str, ledger: str, as_json: bool, **options: Any) -> None:
    """Watch a stream: record units as they arrive, say which to label, and ring when a metric has fallen below a floor.

    Exits with 4 once it has rung.

    \b
    Examples:
      fewlabels monitor fraud --floor 0.8 --rate 0.1 --run-length 100000
      fewlabels monitor fraud --arrived today.csv --threshold 0.5 --out ask.csv
      fewlabels monitor fraud --answers ask.csv
    """  # noqa: D301
    monitor = _opened(name, ledger, options)
    with working("reading the stream"):
        _take_in(monitor, options)
        found = monitor.state()
    if options["out"]:
        _write(options["out"], found.waiting)
    if as_json:
        print_json({"monitor": name, **found.as_json()})
    else:
        rang = f"RANG at unit {found.rang}" if found.rang else "quiet"
        click.echo(f"{rang}: {found.metric}, floor {found.floor:g}, evidence {found.evidence:.3g} (rings at {found.limit:g})")
        click.echo(
            f"{found.units:,} units arrived, {found.read:,} are read with {found.labels:,} labels, {len(found.waiting):,} await an answer"
        )
        note(found.says)
    if found.rang:
        sys.exit(RANG)


def _opened(name: str, ledger: str, options: dict[str, Any]) -> Any:
    """Return the monitor, created if a floor is named."""
    from fewlabels.study.monitor import Monitor

    if options["floor"] is None:
        if options["rate"] or options["run_length"] or options["error"] or options["metric"]:
            raise click.UsageError("--metric, --rate, --error and --run-length are for a new monitor: name its --floor too.")
        return Monitor.load(name, ledger=ledger)
    if options["rate"] is None:
        raise click.UsageError("A new monitor needs a --rate, the share of units to label: 0.1 labels one in ten.")
    if options["error"] is not None and options["run_length"] is not None:
        raise click.UsageError(
            "Name one promise: --error (the probability of ever ringing falsely) or --run-length (mean units until it does)."
        )
    error = 0.05 if options["error"] is None else options["error"]
    how = {"floor": options["floor"], "rate": options["rate"], "error": error, "run_length": options["run_length"]}
    return Monitor.create(name, metric=options["metric"] or "precision", ledger=ledger, **how)


def _take_in(monitor: Any, options: dict[str, Any]) -> None:
    """Record what arrived and what was answered."""
    from fewlabels.labeling.flat import read_answers, read_rows

    if options["arrived"]:
        if options["threshold"] is None:
            raise click.UsageError("--arrived needs a --threshold: units with at least this score are flagged.")
        rows = list(read_rows(options["arrived"]))
        lacking = [column for column in (options["id_"], options["score"]) if rows and column not in rows[0]]
        if lacking:
            raise click.UsageError(f"{options['arrived']} has no column {', '.join(lacking)}: name them with --id and --score.")
        monitor.arrive(
            {"unit": row[options["id_"]], "flagged": float(row[options["score"]]) >= options["threshold"], "guess": row[options["score"]]}
            for row in rows
        )
    if options["answers"]:
        monitor.tell(read_answers(options["answers"], unit_columns=["unit", options["id_"]]).labels)


def _write(path: Path, units: tuple[str, ...]) -> None:
    from fewlabels.labeling.flat import batch_text
    from fewlabels.writing import write_whole

    write_whole(path, batch_text(units, [{} for _ in units], columns=(), suffix=path.suffix))
    note(f"{len(units):,} units to label in {path}")
