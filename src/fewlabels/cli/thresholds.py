"""`fewlabels thresholds`."""

from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from fewlabels.cli.options import json_option, ledger_option, peek_option, study_argument
from fewlabels.cli.output import count, note, print_json, share, table, working
from fewlabels.nouns.canonical import Json

if TYPE_CHECKING:
    from fewlabels.study.estimate.thresholds import Curves

ROWS = 20  # of a curve, on a terminal


@click.command("thresholds")
@study_argument
@click.option("--precision", type=float, metavar="TARGET", help="Find the lowest threshold with precision at least this.")
@click.option("--recall", type=float, metavar="TARGET", help="Find the highest threshold with recall at least this.")
@click.option("--classifier", metavar="NAME", help="The classifier; its score must guide the draw. Default: the first.")
@peek_option
@ledger_option
@json_option
def command(*, study: str, precision: float | None, recall: float | None, ledger: str, as_json: bool, **options: Any) -> None:
    """Show precision and recall at every threshold from the same labels, or find a threshold that meets a target, valid after the search.

    \b
    Examples:
      fewlabels thresholds demo
      fewlabels thresholds demo --precision 0.95
    """  # noqa: D301
    from fewlabels.study.study import Study

    if precision is not None and recall is not None:
        raise click.UsageError("Name one target, --precision or --recall: each is a search of its own.")
    held = Study.load(study, ledger=ledger)
    if precision is None and recall is None:
        with working("reading every threshold"):
            curves = held.curves(**options)
        _show(curves, study) if not as_json else print_json({"study": study, **curves.as_json()})
        return
    metric, target = ("precision", precision) if precision is not None else ("recall", recall)
    assert target is not None
    with working("searching"):
        found = held.find_threshold(metric, target, **options)
    if as_json:
        print_json({"study": study, **found.as_json()})
        return
    click.echo(found.reason)
    if found.threshold is not None:
        click.echo(f"{found.other} there {share(found.other_value)}, {share(found.other_low)} .. {share(found.other_high)}")
        kind = "lowest" if precision is not None else "highest"
        note(f"the {kind} found need not be the {kind} there is: thresholds beyond the first that failed were not tried")
        column = held.standing.read_population().classifier(options["classifier"]).score
        note(f"next: fewlabels plan --study {quote(study)} --add-classifier NAME={column}@{found.threshold!r}")


def _show(curves: "Curves", study: str) -> None:
    """Print the curve, thinned out for a terminal."""
    step = max(1, -(-len(curves.thresholds) // ROWS))
    names = list(curves.curves)
    rows = []
    for i in range(0, len(curves.thresholds), step):
        cells: list[str] = [f"{curves.thresholds[i]:.6g}", count(curves.units[i]), count(curves.labels[i])]
        for name in names:
            curve = curves.curves[name]
            cells += [
                share(curve["value"][i]),
                _pair(curve["low"][i], curve["high"][i]),
                _pair(curve["ribbon_low"][i], curve["ribbon_high"][i]),
            ]
        rows.append(cells)
    table(("threshold", "flagged", "labels", *(part for name in names for part in (name, "alone", "all together"))), rows)
    click.echo(f"\nlevel {curves.level:.4g}; alone: at one threshold named beforehand; all together: at every threshold at once")
    note(f"{len(rows)} of {len(curves.thresholds)} thresholds are shown; all of them with --json")
    note(f"next: fewlabels thresholds {quote(study)} --precision 0.95")


def _pair(low: Json, high: Json) -> str:
    return f"{share(low if isinstance(low, float) else None)} .. {share(high if isinstance(high, float) else None)}"
