"""`fewlabels report`."""

from pathlib import Path

import click

from fewlabels.cli.completion import complete_studies
from fewlabels.cli.configuration import study_or_file
from fewlabels.cli.options import json_option, ledger_option
from fewlabels.cli.output import note, print_json, working

FILE = click.Path(dir_okay=False, path_type=Path)


def _study_unless_held(context: click.Context, parameter: click.Parameter, given: str | None) -> str | None:
    """Return the study, or that of fewlabels.toml; None if an earlier report is shown."""
    return given if context.params.get("held") else study_or_file(context, parameter, given)


@click.command("report")
@click.argument("study", required=False, callback=_study_unless_held, shell_complete=complete_studies)
@click.option(
    "--out",
    "paths",
    type=FILE,
    multiple=True,
    metavar="FILE",
    help="What to write: .html (a page), .md (Markdown), .txt (text) or .json. Repeatable. Default: report.html, or nothing with --json.",
)
@click.option(
    "--from", "held", type=FILE, is_eager=True, metavar="FILE", help="Use a report.json written earlier; no study or ledger is read."
)
@ledger_option
@json_option
def command(*, study: str, paths: tuple[Path, ...], held: Path | None, ledger: str, as_json: bool) -> None:
    """Write a study as one self-contained page, as Markdown or as text, and beside it report.json, from which they are made.

    Before the planned look a report shows progress and no numbers. Afterwards writing it is a look, recorded as by `estimate`.

    \b
    Example:
      fewlabels report demo --out report.html --out summary.md
    """  # noqa: D301
    from fewlabels.reports.plain_names import one_line
    from fewlabels.study.report.write import read_report, refuse_endings, show_held, write_report
    from fewlabels.study.study import Study

    wanted = paths or (() if as_json else (Path("report.html"),))
    refuse_endings(wanted)
    with working("reading the study"):
        report = read_report(held) if held is not None else Study.load(study, ledger=ledger).report()
        written = (write_report if held is None else show_held)(report, wanted) if wanted else ()
    if as_json:
        print_json(report)
        return
    for path in written:
        click.echo(str(path))
    verdict = report["verdict"]
    assert isinstance(verdict, dict)  # every report that was shown has a verdict
    note(one_line(str(verdict["next"])))
