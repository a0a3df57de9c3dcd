"""`fewlabels`: the commands of the main path. Each is imported when it is called, so `fewlabels --help` is quick."""

import json
import os
import sys
from importlib import import_module

import click
from click.shell_completion import CompletionItem

from fewlabels.errors import FewlabelsError
from fewlabels.version import VERSION

REFUSED = 5  # 1 is a crash, 2 a wrong call; 3 and 4 are verdicts of `gate`

COMMANDS = {
    "demo": ("fewlabels.cli.demo", "Write a made-up scored table and its answers to walk the path with."),
    "new": ("fewlabels.cli.new", "Look at your table, ask what is needed, write fewlabels.toml and fix the plan."),
    "doctor": ("fewlabels.cli.doctor", "What is in a table, what can be asked of it, what blocks the rest."),
    "plan": ("fewlabels.cli.plan", "Labels each goal needs, what a budget buys; with --study, fix the plan."),
    "draw": ("fewlabels.cli.draw", "The next units to label, as a file for people."),
    "sql": ("fewlabels.cli.sql", "The queries, to be run where fewlabels does not connect."),
    "tell": ("fewlabels.cli.tell", "Record answers; the same file twice is the same as once."),
    "sheet": ("fewlabels.cli.sheet", "What labelers are shown and told; how many units go to two of them."),
    "label": ("fewlabels.cli.label", "Label in the terminal with the keys 1, 2, 3."),
    "label-studio": ("fewlabels.cli.label_studio", "Units out to Label Studio, answers in from it."),
    "labelers": ("fewlabels.cli.labelers", "How each labeler works: speed, agreement with the others and with gold."),
    "status": ("fewlabels.cli.status", "Where a study stands; no interval before its look."),
    "estimate": ("fewlabels.cli.estimate", "Every metric with interval, effective n and labels behind it."),
    "compare": ("fewlabels.cli.compare", "The paired difference of two classifiers; a ranking of several."),
    "thresholds": ("fewlabels.cli.thresholds", "Precision and recall at every threshold, or one that keeps a target."),
    "slices": ("fewlabels.cli.slices", "A metric in every slice of a column, or of columns crossed."),
    "change": ("fewlabels.cli.change", "The change of a metric between two studies, such as two weeks."),
    "window": ("fewlabels.cli.window", "A metric of several studies together, for rare events."),
    "alarm": ("fewlabels.cli.alarm", "Whether a metric has fallen below a floor, period after period."),
    "monitor": ("fewlabels.cli.monitor", "Watch a stream of units, some of them labeled, for a fall below a floor."),
    "decide": ("fewlabels.cli.decide", "Ship, do not ship, or label so many more."),
    "gate": ("fewlabels.cli.gate", "Hold a study against a policy: exit 0 ship, 3 label more, 4 do not ship, 5 invalid."),
    "report": ("fewlabels.cli.report", "Write a study as one self-contained page, as Markdown or as text."),
    "mlflow": ("fewlabels.cli.mlflow", "Log a study's numbers and report to an MLflow tracking server."),
    "serve": ("fewlabels.cli.serve", "The workbench: plan, label, watch and decide in a browser."),
    "simulate": ("fewlabels.cli.simulate", "Replay designs against known labels before money is spent."),
    "ledger": ("fewlabels.cli.ledger", "Copy a ledger to another database, back it up, delete what labelers were shown."),
    "verify": ("fewlabels.cli.verify", "Recompute a study from its ledger and say what does not match."),
    "completion": ("fewlabels.cli.completion", "What makes bash, zsh or fish complete commands, studies and metrics."),
}


class LazyGroup(click.Group):
    """A group that imports a command when it is called and lists it without."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order of the main path."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """The command of that name."""
        if name not in COMMANDS:
            return None
        command: click.Command = import_module(COMMANDS[name][0]).command
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The commands that begin so, from COMMANDS alone, and options."""
        named = [CompletionItem(name, help=line) for name, (_, line) in COMMANDS.items() if name.startswith(incomplete)]
        return [*named, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, from COMMANDS alone."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="fewlabels")
@click.option(
    "--config", type=click.Path(dir_okay=False), envvar="FEWLABELS_CONFIG", show_envvar=True, metavar="FILE",
    help="What stands in for arguments and options that are not given; fewlabels.toml of this folder unless said.",
)  # fmt: skip
def cli(*, config: str | None) -> None:
    """Tell how good a classifier is from the fewest human labels, and how sure you are.

    \b
    population > profile > plan > draw > labels > estimate > decision
    Start with:  fewlabels demo DIR,  or with your own table:  fewlabels new TABLE.csv
    """  # noqa: D301 - \b is Click's mark for "keep these lines"


def main() -> None:
    """Runs a command; prints a refusal without a traceback."""
    try:
        sys.exit(cli(prog_name="fewlabels", standalone_mode=False))  # Click hands back the code of an Exit, None otherwise
    except click.ClickException as error:
        if "--json" in sys.argv:
            click.echo(json.dumps({"error": {"kind": "usage", "message": error.format_message()}}))
        error.show()
        sys.exit(error.exit_code)
    except click.Abort:
        click.echo("stopped; what was recorded is kept", err=True)
        sys.exit(130)
    except FewlabelsError as error:
        _complain(type(error).__name__, str(error))
        sys.exit(REFUSED)
    except Exception as error:
        if os.environ.get("FEWLABELS_DEBUG"):
            raise
        _complain(
            "crash", f"{type(error).__name__}: {error} - a defect of fewlabels; run again with FEWLABELS_DEBUG=1 and report what it prints"
        )
        sys.exit(1)


def _complain(kind: str, message: str) -> None:
    """The refusal on stderr, and as the one JSON object where --json was asked for."""
    if "--json" in sys.argv:
        click.echo(json.dumps({"error": {"kind": kind, "message": message}}))
    click.echo(f"{kind}: {message}", err=True)
