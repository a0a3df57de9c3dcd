"""`fewlabels sql`."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fewlabels.cli.completion import complete_studies_or_files
from fewlabels.cli.configuration import study_or_population
from fewlabels.cli.help import ManyOptions
from fewlabels.cli.options import (
    TABLE_COMMON,
    TABLE_MORE,
    json_option,
    ledger_option,
    population_options,
    read_options,
    type_option,
    types_of,
)
from fewlabels.cli.output import note, print_json
from fewlabels.engines.warehouses import NAMES, place_of

if TYPE_CHECKING:
    from fewlabels.study.draw.offline import Texts

_JUDGED = ("score", "predicted", "named", "labels", "classes")  # options that only a population has
_MANY = 500_000  # rows of a draw that deserve a note


@click.command(
    "sql",
    cls=ManyOptions,
    common=(*TABLE_COMMON, "--dialect", "--table", "--type", "--query", "--out", "--ledger", "--json"),
    more=TABLE_MORE,
)
@click.argument("target", metavar="[POPULATION|STUDY]", required=False, shell_complete=complete_studies_or_files)
@population_options
@type_option
@click.option("--dialect", type=click.Choice(NAMES), help="The SQL dialect to write. Default: that of the population.")
@click.option("--table", metavar="NAME", help="The table's name in the engine. Default: that of the population.")
@click.option(
    "--query", type=click.Choice(["profile", "draw", "problems"]),
    help="Which query to print. Default: the one needed next. problems counts, rule by rule, what blocks a profile.",
)  # fmt: skip
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Write the query to FILE. Default: stdout.")
@ledger_option
@json_option
def command(*, target: str | None, out: Path | None, query: str | None, ledger: str, as_json: bool, **options: Any) -> None:
    """Print the queries to run where fewlabels cannot connect; their results are handed in as files.

    For a POPULATION, written DIALECT:TABLE and described by the options of `fewlabels plan`, print the profile query. For a STUDY, print
    the draw query of its plan.

    \b
    Examples:
      fewlabels sql bigquery:shop.risk.scored --score score --threshold 0.5 --out profile.sql
      fewlabels plan bigquery:shop.risk.scored --score score --threshold 0.5 --profile-file profile.parquet \\
        --goal "precision +-0.05" --budget 600 --study demo
      fewlabels sql demo --out draw.sql
      fewlabels draw demo --candidates-file draw.parquet --out batch.csv
    """  # noqa: D301
    target = target or study_or_population(options, ledger=ledger)
    is_population = any(options[name] for name in _JUDGED)
    texts = _of_population(target, options) if is_population else _of_study(target, ledger, options)
    if as_json:
        print_json({"dialect": texts.dialect, "profile": texts.profile, "draw": texts.draw, "problems": texts.problems})
        return
    chosen = query or ("profile" if is_population else "draw")
    _write(_chosen(target, texts, chosen), out)
    if chosen == "draw" and texts.units > _MANY:
        note(f"about {texts.units:,.0f} units will be returned: the plan draws a large share of some part of the table")
    note(_next(target, chosen))


def _of_population(source: str, options: dict[str, Any]) -> "Texts":
    """Return the profile query of a table."""
    from fewlabels.study.draw.offline import declared, place_for, profile_texts

    population = read_options(source, options)
    place = place_for(population, dialect=options["dialect"], table=options["table"])
    return profile_texts(population, declared(population, types_of(options["types"])), place)


def _of_study(name: str, ledger: str, options: dict[str, Any]) -> "Texts":
    """Return the profile and draw queries of a study."""
    from fewlabels.study.study import Study

    if place_of(name) is not None:
        raise click.UsageError("Say how the table is read, as for `fewlabels plan`: --id COLUMN --score COLUMN --threshold T.")
    if any(options[option] for option in ("types", "slices", "weight", "guide", "candidates", "missing_scores")):
        raise click.UsageError("How a study reads its table is in its ledger: leave out --type, --slice, --weight, --guide and the like.")
    return Study.load(name, ledger=ledger).sql(dialect=options["dialect"], table=options["table"])


def _chosen(target: str, texts: "Texts", query: str) -> str:
    """Return the text of one query; raise UsageError for a draw if there is nothing to draw."""
    if query != "draw":
        return texts.profile if query == "profile" else texts.problems
    if texts.draw is None:
        raise click.UsageError(f"{target} has no undrawn plan: plan it, or print another query with --query profile.")
    return texts.draw


def _write(text: str, out: Path | None) -> None:
    if out is None:
        click.echo(text)
        return
    try:
        out.write_text(text + "\n", encoding="utf-8", newline="")
    except OSError as error:
        raise click.UsageError(f"the query could not be written to {out}: {error.strerror}") from None


def _next(target: str, query: str) -> str:
    """Return what to do with the query."""
    if query == "problems":
        return "next: run it; each broken rule is named above its column"
    way_on = f"fewlabels draw {target} --candidates-file FILE" if query == "draw" else "fewlabels plan POPULATION ... --profile-file FILE"
    return f"next: run it, write the result to a Parquet or CSV file, then: {way_on}"
