"""`fewlabels verify`."""

from pathlib import Path

import click

from fewlabels.cli.main import REFUSED
from fewlabels.cli.options import json_option, ledger_option, resource_options, study_argument
from fewlabels.cli.output import note, print_json, working

REPORT = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command("verify")
@study_argument
@click.option("--population", is_flag=True, help="Also read the table: check its fingerprint and the draw.")
@click.option("--report", type=REPORT, metavar="FILE", help="Also check that this report.json was made from this record, not from a copy.")
@ledger_option
@resource_options
@json_option
def command(*, study: str, population: bool, report: Path | None, ledger: str, as_json: bool) -> None:
    """Recompute from the ledger alone all hashes, seals, plans and shown estimates, and name each entry that does not match.

    The ledger is only read; a SQLite file is also checked by SQLite itself. Exits with 5 if anything does not match.

    \b
    Examples:
      fewlabels verify demo --population
      fewlabels verify demo --report report.json
    """  # noqa: D301
    from fewlabels.study.study import Study

    with working("recomputing"):
        found = Study.load(study, ledger=ledger).verify(population=population, report=report)
    if as_json:
        print_json({"study": study, **found.as_json()})
    else:
        click.echo(f"recomputed: {', '.join(found.checked)}")
        for finding in found.findings:
            click.echo(f"DOES NOT MATCH: {finding}")
        for one in found.notes:
            note(f"note: {one}")
        click.echo("everything matches" if found.passed else f"{len(found.findings):,} mismatches")
    if not found.passed:
        raise click.exceptions.Exit(REFUSED)
