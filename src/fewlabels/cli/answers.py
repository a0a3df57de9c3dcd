"""`fewlabels answers`."""

from pathlib import Path

import click

from fewlabels.cli.options import json_option, ledger_option, peek_option, study_argument
from fewlabels.cli.output import note, print_json, working


@click.command("answers")
@study_argument
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), required=True, metavar="FILE", help="The .csv or .parquet file to write."
)
@click.option(
    "--weights", is_flag=True, help="Add the probability, weight, band and band size of each unit, and its cluster if there is one."
)
@peek_option
@ledger_option
@json_option
def command(*, study: str, out: Path, weights: bool, peek: bool, ledger: str, as_json: bool) -> None:
    """Write every answer; with --weights, any survey package computes the numbers again.

    One row a unit: unit, one column for each classifier's prediction (1 or 0), and the answer (1 or 0, or the class; empty if unusable).
    Writing it is a look, recorded as by `estimate`.

    \b
    Example:
      fewlabels answers demo --weights --out demo.csv
    """  # noqa: D301
    from fewlabels.study.study import Study

    with working("reading the answers"):
        found = Study.load(study, ledger=ledger).answers(out, weights=weights, peek=peek)
    if as_json:
        print_json({"study": study, "out": str(out), **found.as_json()})
        return
    click.echo(str(out))
    note(f"{len(found.rows):,} units: {', '.join(found.columns)}")
    if peek:
        note("a peek is recorded; what these answers show before the look does not hold at its level")
    if "band" in found.columns:
        note("strata: band, of band_size units each; a survey package needs no more than these columns")
