"""`assay draw`."""

from pathlib import Path
from typing import Any

import click

from assay.cli.options import json_option, ledger_option, resource_options, study_argument
from assay.cli.output import note, print_json, working


@click.command("draw")
@study_argument
@click.option("--units", type=click.IntRange(min=1), default=50, show_default=True, help="How many units to hand out.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="A .csv, .tsv, .jsonl or .json file; else stdout as CSV.")
@click.option("--show", multiple=True, metavar="COLUMN", help="A column labelers may see; repeatable. Never a score or a prediction.")
@click.option(
    "--gold",
    type=click.FloatRange(min=0, min_open=True, max=1),
    metavar="SHARE",
    help="Hand out a random share of each side to be adjudicated.",
)
@click.option("--next", "more", is_flag=True, help="Hand out new units although earlier ones are still unanswered.")
@click.option(
    "--candidates-file", "candidates", metavar="FILE",
    help="The result of the draw query that `assay sql` prints, of a table assay does not open: Parquet or CSV, a folder or a glob.",
)  # fmt: skip
@ledger_option
@resource_options
@json_option
def command(  # noqa: PLR0913 - one keyword for each option
    *,
    study: str,
    units: int,
    out: Path | None,
    show: tuple[str, ...],
    gold: float | None,
    more: bool,
    candidates: str | None,
    ledger: str,
    as_json: bool,
) -> None:
    """Hand out the next units to label; with --gold those to adjudicate.

    The open batch is written again until it is answered. The file holds ids, the columns named with --show and an empty answer.

    \b
    Example:
      assay draw demo --units 100 --show text --out batch.csv
      assay draw demo --gold 0.2 --show text --out gold.csv
      assay draw demo --candidates-file draw.parquet --out batch.csv
    """  # noqa: D301
    from assay.labeling.flat import batch_text, write_whole
    from assay.study.study import Study

    found = Study.load(study, ledger=ledger)
    _refuse_unready(found, out, show, gold=gold is not None)
    with working("drawing units"):
        if candidates is not None:
            if found.standing.is_drawn and not found.standing.plan.is_pilot:
                raise click.UsageError(f"the plan of {study} is drawn: leave out --candidates-file.")
            found.draw_from(candidates)
        batch = _gold_batch(found, gold) if gold else found.ask(units, next=more)
        shown = found.fetch(batch.units, columns=show) if batch and show else [{} for _ in (batch.units if batch else ())]
    if batch is None:
        if as_json:
            print_json({"study": study, "batch": None, "units": [], "out": None})
        note(_nothing_left(more=more, gold=gold is not None))
        return
    questions = found.standing.questions
    columns = questions if len(questions) > 1 else ("answer",)
    text = batch_text(batch.units, shown, columns=show, suffix=out.suffix if out else ".csv", questions=columns)
    if out:
        write_whole(out, text)
    if as_json:
        print_json({"study": study, "batch": batch.number, "units": list(batch.units), "out": str(out) if out else None})
    elif not out:
        click.echo(text, nl=False)
    what = "gold: {:,} units to adjudicate" if gold else f"batch {batch.number}: {{:,}} units to label"
    note(what.format(len(batch.units)) + (f" in {out}" if out else ""))
    _note_inherited(found)
    note(f"next: fill in the answer column, then: assay tell {study} {out or 'FILE'}{' --gold' if gold else ''}")


def _refuse_unready(study: Any, out: Path | None, show: tuple[str, ...], *, gold: bool) -> None:
    """Nothing comes back. Refuses, before a batch is recorded, to write over answers and to show columns of a table that is not opened."""
    from assay.cli.options import asked_of
    from assay.engines.warehouses import is_elsewhere
    from assay.labeling.flat import refuse_untold

    standing = study.standing
    if out is not None:
        answered = {(unit, question) for unit, seats in standing.answers.items() for question, _ in seats}
        refuse_untold(out, standing.gold if gold else answered, asked_of(study))
    source = standing.population["source"]
    if show and is_elsewhere(source):
        raise click.UsageError(f"assay does not read {source}, so it can show none of its columns: join the batch to the table by its ids.")


def _note_inherited(study: Any) -> None:
    """How many answers an earlier study gave."""
    if study.standing.follows is not None:
        note(f"{study.inherited:,} answers are carried over from {study.standing.follows}; it was asked about no other unit drawn here")


def _nothing_left(*, more: bool, gold: bool) -> str:
    """Why there is no batch."""
    if gold:
        return "every unit drawn for gold is adjudicated"
    return "every planned unit is handed out" + (" and some are still open: leave out --next to see them" if more else " and answered")


def _gold_batch(study: Any, share: float) -> Any:
    """The units to adjudicate that lack a gold answer, as a batch of their own number 0."""
    from assay.study.standing import Batch

    chosen, standing = study.adjudicate(share), study.standing
    left = set(standing.gold_waiting)
    waiting = tuple(unit for unit in chosen if unit in left)
    return Batch(number=0, plan=standing.plan.number, units=waiting) if waiting else None
