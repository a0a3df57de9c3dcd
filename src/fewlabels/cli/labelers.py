"""`fewlabels labelers`."""

from typing import TYPE_CHECKING

import click

from fewlabels.cli.options import json_option, ledger_option, study_argument
from fewlabels.cli.output import count, note, print_json, table

if TYPE_CHECKING:
    from fewlabels.study.estimate.labelers import Alike


@click.command("labelers")
@study_argument
@ledger_option
@json_option
def command(*, study: str, ledger: str, as_json: bool) -> None:
    """Show how each labeler works: units, speed, and agreement with the others and with gold, with 95 % limits.

    \b
    Example:
      fewlabels labelers demo
    """  # noqa: D301
    from fewlabels.study.study import Study

    found = Study.load(study, ledger=ledger).labelers()
    if as_json:
        print_json({"study": study, **found.as_json()})
        return
    rows = []
    for one in found.labelers:
        seconds = "-" if one.median_seconds is None else f"{one.median_seconds:.1f}"
        empty = count(one.cannot_tell + one.skipped)
        rows.append([one.name, count(one.units), empty, seconds, _alike(one.agreement), _alike(one.gold_accuracy)])
    table(["labeler", "units", "cannot tell, skipped", "median seconds", "agree with another", "agree with gold"], rows)
    if found.disputed:
        note(f"on {found.disputed:,} units the answers differ; an adjudicator can settle them: fewlabels serve")


def _alike(found: "Alike") -> str:
    """Format a share with its limits and the units behind it."""
    return "-" if found.value is None else f"{found.value:.3f} [{found.low:.3f}, {found.high:.3f}] of {found.units:,}"
