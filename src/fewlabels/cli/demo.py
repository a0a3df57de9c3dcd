"""`fewlabels demo`."""

from pathlib import Path

import click

from fewlabels.cli.options import json_option
from fewlabels.cli.output import note, print_json, working


@click.command("demo")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--story",
    type=click.Choice(["messages", "fraud"]),
    default="messages",
    show_default=True,
    help="50,000 messages, or three weeks of 20,000 payments each.",
)
@json_option
def command(*, folder: Path, story: str, as_json: bool) -> None:
    """Write a made-up table with scores, and the answers to it, into FOLDER.

    \b
    Example:
      fewlabels demo demo
      fewlabels doctor demo/scored.parquet --score score --threshold 0.5
      fewlabels demo shop --story fraud
    """  # noqa: D301
    if story == "fraud":
        _fraud(folder, as_json=as_json)
    else:
        _messages(folder, as_json=as_json)


def _messages(folder: Path, *, as_json: bool) -> None:
    """Write one table of messages."""
    from fewlabels.demo.study import write_demo

    with working("making 50,000 units"):
        made = write_demo(folder)
    if as_json:
        print_json({"population": str(made.population), "answers": str(made.answers), "units": made.units})
        return
    click.echo(f"{made.population}\n{made.answers}")
    note(f"{made.units:,} made-up units with scores, and the answer people would give to each")
    note(f"next: fewlabels doctor {made.population} --score score --threshold 0.5")


def _fraud(folder: Path, *, as_json: bool) -> None:
    """Write a table of payments for each of three weeks."""
    from fewlabels.demo.fraud import write_fraud_demo

    with working("making 60,000 payments"):
        made = write_fraud_demo(folder)
    tables = [*made.weeks, made.rescored]
    if as_json:
        print_json({"populations": [str(path) for path in tables], "answers": [str(path) for path in made.answers], "units": made.units})
        return
    click.echo("\n".join(str(path) for path in [*tables, *made.answers]))
    note(f"three made-up weeks of {made.units:,} payments with scores, the third also scored by a retrained model, and the answers")
    note(f"next: fewlabels doctor {tables[0]} --score score --threshold 0.5")
