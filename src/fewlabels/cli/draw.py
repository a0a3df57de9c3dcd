"""`fewlabels draw`."""

from pathlib import Path
from shlex import quote
from typing import Any

import click

from fewlabels.cli.choices import format_choice
from fewlabels.cli.configuration import shown_of_file
from fewlabels.cli.options import json_option, ledger_option, resource_options, study_argument
from fewlabels.cli.output import note, print_json, working
from fewlabels.errors import LabelError
from fewlabels.labeling.formats import FLAT


@click.command("draw")
@study_argument
@click.option("--units", type=click.IntRange(min=1), default=50, show_default=True, help="How many units to hand out.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="A .csv, .tsv, .jsonl or .json file. Default: stdout, as CSV.")
@click.option("--format", "name", type=format_choice(), default=FLAT, show_default=True, help="The tool that will read the file.")
@click.option("--show", multiple=True, metavar="COLUMN", help="A column that labelers see; never a score or a prediction. Repeatable.")
@click.option(
    "--gold",
    type=click.FloatRange(min=0, min_open=True, max=1),
    metavar="SHARE",
    help="Hand out a random share of flagged and of other units for adjudication.",
)
@click.option("--next", "more", is_flag=True, help="Hand out new units even if earlier ones are unanswered.")
@click.option("--for", "labeler", metavar="NAME", help="Who will answer: no second look at a unit that NAME has answered.")
@click.option(
    "--candidates-file", "candidates", metavar="FILE",
    help="For a table that fewlabels does not open: the result of the draw query that `fewlabels sql` prints, "
    "as Parquet or CSV, a folder or a glob.",
)  # fmt: skip
@ledger_option
@resource_options
@json_option
def command(  # noqa: PLR0913 - one keyword for each option
    *,
    study: str,
    units: int,
    out: Path | None,
    name: str,
    show: tuple[str, ...],
    gold: float | None,
    more: bool,
    labeler: str | None,
    candidates: str | None,
    ledger: str,
    as_json: bool,
) -> None:
    """Write the next units to label to a file; with --gold, those to adjudicate.

    The same batch is written until it is answered. The file holds ids, the columns named with --show and an empty answer column. Where
    two labelers must answer a unit, second looks come last, in batches of their own; --for NAME leaves out what NAME has answered.

    \b
    Example:
      fewlabels draw demo --units 100 --show text --out batch.csv
      fewlabels draw demo --for bob --show text --out second.csv
      fewlabels draw demo --gold 0.2 --show text --out gold.csv
      fewlabels draw demo --format ground-truth --show text --out batch.manifest
      fewlabels draw demo --candidates-file draw.parquet --out batch.csv
    """  # noqa: D301
    from fewlabels.desk.imports import asked_of
    from fewlabels.labeling.formats import Batched, write_batch
    from fewlabels.nouns.sheet import FormColumn
    from fewlabels.study.labels.forms import record_shown
    from fewlabels.study.study import Study

    found = Study.load(study, ledger=ledger)
    show = show or shown_of_file(study)
    _refuse_unready(found, out, show, gold=gold is not None, name=name)
    with working("drawing units"):
        if candidates is not None:
            _draw_from(found, candidates)
        batch = _gold_batch(found, gold) if gold else found.ask(units, more=more, second=True, labeler=labeler)
        shown = _shown(found, batch, show)
    if batch is None:
        if as_json:
            print_json({"study": study, "batch": None, "units": [], "out": None, "second": False, **_second(found)})
        note(_nothing_left(found, more=more, gold=gold is not None, labeler=labeler))
        return
    is_second = not gold and found.standing.waits_again(batch.units[0])
    record_shown(found.ledger, study, tuple(map(FormColumn, show)), place="gold file" if gold else "file")
    text = write_batch(Batched(batch.units, shown, show, asked_of(found.standing)), name, _suffix(out, name))
    if out:
        _write(out, text, name)
    if as_json:
        written = {"batch": batch.number, "units": list(batch.units), "out": str(out) if out else None}
        print_json({"study": study, **written, "second": is_second, **_second(found)})
    elif not out:
        click.echo(text, nl=False)
    _note_drawn(found, batch, out, name=name, gold=gold is not None, labeler=labeler)


def _second(study: Any) -> dict[str, int]:
    """Return how many second looks are open, as data."""
    return {"second_open": study.progress().second_open}


def _note_drawn(study: Any, batch: Any, out: Path | None, *, name: str, gold: bool, labeler: str | None) -> None:
    """Print what was drawn, and what comes next."""
    what = "gold: {:,} units to adjudicate" if gold else f"batch {batch.number}: {{:,}} units to label"
    note(what.format(len(batch.units)) + (f" in {out}" if out else ""))
    if not gold and study.standing.waits_again(batch.units[0]):
        who = ": name who in a labeler column, or with tell --labeler NAME" if labeler is None else f"; {labeler} has answered none of them"
        note(f"these were answered before and need somebody else's answer{who}")
    _note_inherited(study)
    ending = " --gold" if gold else "" if labeler is None else f" --labeler {quote(labeler)}"
    if name == FLAT:
        note(f"next: fill in the answer column, then: fewlabels tell {quote(study.name)} {out or 'FILE'}{ending}")
    else:
        note(f"next: upload it to {name}, export the answers, then: fewlabels tell {quote(study.name)} EXPORT --format {name}{ending}")


def _suffix(out: Path | None, name: str) -> str:
    """Return the suffix of the file; for standard output, the format's first one."""
    from fewlabels.labeling.formats import FORMATS

    return out.suffix if out else FORMATS.named(name).endings[0]


def _draw_from(study: Any, candidates: str) -> None:
    """Draw the current plan from a file of candidates; raise UsageError if it is drawn already."""
    if study.standing.is_drawn and not study.standing.plan.is_pilot:
        raise click.UsageError(f"the plan of {study.name} is drawn already: leave out --candidates-file.")
    study.draw_from(candidates)


def _shown(study: Any, batch: Any, show: tuple[str, ...]) -> list[dict[str, str | None]]:
    """Return what labelers see of each unit of a batch."""
    if batch is None:
        return []
    found: list[dict[str, str | None]] = study.fetch(batch.units, columns=show) if show else [{} for _ in batch.units]
    return found


def _write(out: Path, text: str, name: str) -> None:
    """Write the batch; raise LabelError if another file is there, which may be a tool's export. Flat files were checked before."""
    from fewlabels.writing import write_whole

    if name != FLAT and out.exists() and out.read_bytes() != text.encode():
        raise LabelError(f"{out} exists and is not this batch: name another file; the batch stays open and is written again")
    write_whole(out, text)


def _refuse_unready(study: Any, out: Path | None, show: tuple[str, ...], *, gold: bool, name: str) -> None:
    """Check, before a batch is recorded, that no answers are overwritten and that the columns to show can be read."""
    from fewlabels.desk.imports import asked_of
    from fewlabels.engines.warehouses import is_elsewhere
    from fewlabels.labeling.flat import refuse_untold
    from fewlabels.labeling.formats import Batched, write_batch

    standing = study.standing
    if name != FLAT:
        write_batch(Batched((), (), show, asked_of(standing)), name, _suffix(out, name))  # raises for what that format cannot hold
    elif out is not None:
        refuse_untold(out, (lambda *asked: asked in standing.gold) if gold else standing.is_told, asked_of(standing))
    source = standing.population["source"]
    if show and is_elsewhere(source):
        raise click.UsageError(
            f"fewlabels does not read {source}, so it can show none of its columns: join the batch to the table by its ids."
        )


def _note_inherited(study: Any) -> None:
    """Print how many answers come from an earlier study."""
    if study.standing.follows is not None:
        note(f"{study.inherited:,} answers are carried over from {study.standing.follows}; no other unit drawn here was asked about there")


def _nothing_left(study: Any, *, more: bool, gold: bool, labeler: str | None) -> str:
    """Return why there is no batch."""
    if gold:
        return "every unit drawn for gold is adjudicated"
    done = study.progress()
    if done.waits_for_second and labeler is not None:
        return f"{done.second_open:,} second looks are open, but {labeler} has answered all of these units: name somebody else with --for"
    if done.waits_for_second:
        return f"{done.second_open:,} second looks are handed out and open: leave out --next to see them"
    return "every planned unit is handed out" + (" and some are still open: leave out --next to see them" if more else " and answered")


def _gold_batch(study: Any, share: float) -> Any:
    """Return the units to adjudicate that lack a gold answer, as batch number 0."""
    from fewlabels.study.state.standing import Batch

    chosen, standing = study.adjudicate(share), study.standing
    left = set(standing.gold_waiting)
    waiting = tuple(unit for unit in chosen if unit in left)
    return Batch(number=0, plan=standing.plan.number, units=waiting) if waiting else None
