"""`assay demo`."""

from pathlib import Path

import click

from assay.cli.options import json_option
from assay.cli.output import note, print_json, working


@click.command("demo")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@json_option
def command(*, folder: Path, as_json: bool) -> None:
    """Write a made-up scored table and its answers into FOLDER.

    \b
    Example:
      assay demo demo
      assay doctor demo/scored.parquet --score score --threshold 0.5
    """  # noqa: D301
    from assay.study.demo import write_demo

    with working("making 50,000 units"):
        made = write_demo(folder)
    if as_json:
        print_json({"population": str(made.population), "answers": str(made.answers), "units": made.units})
        return
    click.echo(f"{made.population}\n{made.answers}")
    note(f"{made.units:,} made-up units with scores, and the answer people would give to each")
    note(f"next: assay doctor {made.population} --score score --threshold 0.5")
