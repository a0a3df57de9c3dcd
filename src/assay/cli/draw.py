"""`assay draw`."""

from pathlib import Path

import click

from assay.cli.options import json_option, ledger_option, study_argument
from assay.cli.output import note, print_json, working


@click.command("draw")
@study_argument
@click.option("--units", type=click.IntRange(min=1), default=50, show_default=True, help="How many units to hand out.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="A .csv, .tsv, .jsonl or .json file; else stdout as CSV.")
@click.option("--show", multiple=True, metavar="COLUMN", help="A column labelers may see; repeatable. Never a score or a prediction.")
@click.option("--next", "more", is_flag=True, help="Hand out new units although earlier ones are still unanswered.")
@ledger_option
@json_option
def command(*, study: str, units: int, out: Path | None, show: tuple[str, ...], more: bool, ledger: str, as_json: bool) -> None:
    """Hand out the next units to label.

    The open batch is written again until it is answered. The file holds ids, the columns named with --show and an empty answer.

    \b
    Example:
      assay draw demo --units 100 --show text --out batch.csv
    """  # noqa: D301
    from assay.labeling.flat import batch_text, refuse_untold, write_whole
    from assay.study.study import Study

    found = Study.load(study, ledger=ledger)
    if out is not None:
        refuse_untold(out, found.standing.answers)
    with working("drawing units"):
        batch = found.ask(units, next=more)
        shown = found.fetch(batch.units, columns=show) if batch and show else [{} for _ in (batch.units if batch else ())]
    if batch is None:
        if as_json:
            print_json({"study": study, "batch": None, "units": [], "out": None})
        note("every planned unit is handed out" + (" and some are still open: leave out --next to see them" if more else " and answered"))
        return
    suffix = out.suffix if out else ".csv"
    text = batch_text(batch.units, shown, columns=show, suffix=suffix)
    if out:
        write_whole(out, text)
    if as_json:
        print_json({"study": study, "batch": batch.number, "units": list(batch.units), "out": str(out) if out else None})
    elif not out:
        click.echo(text, nl=False)
    note(f"batch {batch.number}: {len(batch.units):,} units to label" + (f" in {out}" if out else ""))
    note(f"next: fill in the answer column, then: assay tell {study} {out or 'FILE'}")
