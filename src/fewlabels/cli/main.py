"""`fewlabels`: its commands and their groups. Each is imported when it is called, so `fewlabels --help` is quick."""

import gc
import json
import os
import sys

import click

from fewlabels.cli.help import help_all_option
from fewlabels.cli.lazy_groups import Branch, GroupEntry, LazyGroup, Listed
from fewlabels.cli.nearest import no_such_option
from fewlabels.errors import FewlabelsError
from fewlabels.version import VERSION

REFUSED = 5  # 1 is a crash, 2 a usage error; 3 and 4 are verdicts of `gate`
SWEEP = (
    50_000  # new objects between two garbage collections: importing modules makes no garbage, and 200 collections took a tenth of `decide`
)

STUDIO = "fewlabels.cli.label_studio"
LABEL_STUDIO = Branch(
    "Label in Label Studio: push units, pull answers.",
    """Each command takes --json.

    \b
    Examples:
      fewlabels label-studio push demo --url http://127.0.0.1:8080 --token-file token.txt --units 200 --show text
      fewlabels label-studio pull demo --url http://127.0.0.1:8080 --token-file token.txt
    """,
    {
        "push": GroupEntry(STUDIO, "Send the next units to Label Studio as tasks.", "push_command"),
        "pull": GroupEntry(STUDIO, "Record the answers given there.", "pull_command"),
        "interface": GroupEntry(STUDIO, "Print the labeling interface, to paste into a project.", "interface_command"),
    },
)

# The commands most people need, in the order in which they need them; the first list of --help.
FIRST = {
    "new": GroupEntry("fewlabels.cli.new", "Start here: read your table, ask a few questions, plan the study."),
    "plan": GroupEntry("fewlabels.cli.plan", "Say how many labels your goals need; with --study, lock the plan."),
    "label": GroupEntry("fewlabels.cli.label", "Label in the terminal with the keys 1, 2, 3."),
    "status": GroupEntry("fewlabels.cli.status", "Show the progress of a study."),
    "decide": GroupEntry("fewlabels.cli.decide", "Ship, do not ship, or label more, with reasons."),
    "report": GroupEntry("fewlabels.cli.report", "Write a study as one page: HTML, Markdown or text."),
    "serve": GroupEntry("fewlabels.cli.serve", "Plan, label and decide with others in a browser."),
    "demo": GroupEntry("fewlabels.cli.demo", "Write a made-up table and its answers to try everything on."),
}

# All others that may be typed without the name of their group; every command that is here or above keeps its short name.
SHORT: Listed = {
    "doctor": GroupEntry("fewlabels.cli.doctor", "Check a table: what it holds, what it allows, what blocks a study."),
    "size": GroupEntry("fewlabels.cli.size", "Say how many labels goals need, from a few figures: no table yet."),
    "draw": GroupEntry("fewlabels.cli.draw", "Write the next units to label to a file."),
    "sql": GroupEntry("fewlabels.cli.sql", "Print the queries to run where fewlabels cannot connect."),
    "read": GroupEntry("fewlabels.cli.read", "Read a sample drawn and labeled elsewhere as a study."),
    "tell": GroupEntry("fewlabels.cli.tell", "Record the answers of a file; recording it twice changes nothing."),
    "sheet": GroupEntry("fewlabels.cli.sheet", "Set what labelers see, and how many units two of them label."),
    "label-studio": LABEL_STUDIO,
    "labelers": GroupEntry("fewlabels.cli.labelers", "Show each labeler's speed and agreement with others and with gold."),
    "estimate": GroupEntry("fewlabels.cli.estimate", "Show every metric with its interval."),
    "compare": GroupEntry("fewlabels.cli.compare", "Compare two classifiers, or rank several, on the same labels."),
    "thresholds": GroupEntry("fewlabels.cli.thresholds", "Show precision and recall at every threshold, or find one for a target."),
    "slices": GroupEntry("fewlabels.cli.slices", "Show a metric in every slice of a column."),
    "answers": GroupEntry("fewlabels.cli.answers", "Write every answer with its inclusion probability and weight."),
    "change": GroupEntry("fewlabels.cli.change", "Estimate how a metric changed between two studies."),
    "window": GroupEntry("fewlabels.cli.window", "Estimate a metric of several studies together."),
    "alarm": GroupEntry("fewlabels.cli.alarm", "Say, period by period, whether a metric has fallen below a floor."),
    "monitor": GroupEntry("fewlabels.cli.monitor", "Watch a stream of units for a metric that falls below a floor."),
    "gate": GroupEntry("fewlabels.cli.gate", "Check a study against a policy; the exit code is the verdict."),
    "mlflow": GroupEntry("fewlabels.cli.mlflow", "Log a study's numbers and report to MLflow."),
    "verify": GroupEntry("fewlabels.cli.verify", "Recompute a study from its ledger and list what does not match."),
    "simulate": GroupEntry("fewlabels.cli.simulate", "Try designs on a table whose labels are known."),
    "list": GroupEntry("fewlabels.cli.list", "List the studies of a ledger and where each stands."),
    "completion": GroupEntry("fewlabels.cli.completion", "Print the script that makes bash, zsh or fish complete commands and studies."),
}  # fmt: skip

COMMANDS: Listed = {**FIRST, **SHORT}


def _named(*names: str) -> Listed:
    """Return these commands by name."""
    return {name: COMMANDS[name] for name in names}


GROUPS = {
    "labels": Branch(
        "Hand out units and record what people answer.",
        """The name of the group may be left out: `fewlabels tell` does the same. Each command takes --json.

        \b
        Examples:
          fewlabels labels draw demo --units 50 --show text --out batch.csv
          fewlabels labels tell demo batch.csv --labeler ada
        """,
        _named("draw", "tell", "label", "sheet", "labelers", "label-studio"),
    ),
    "results": Branch(
        "Read what the labels of a study show.",
        """The name of the group may be left out: `fewlabels estimate` does the same. Each command takes --json.

        \b
        Examples:
          fewlabels results estimate demo
          fewlabels results slices demo --by country
        """,
        _named("status", "estimate", "compare", "thresholds", "slices", "answers"),
    ),
    "over-time": Branch(
        "Follow a metric from study to study, or along a stream.",
        """The name of the group may be left out: `fewlabels change` does the same. Each command takes --json.

        \b
        Examples:
          fewlabels over-time change week46 week47
          fewlabels over-time alarm week45 week46 week47 --floor 0.8
        """,
        _named("change", "window", "alarm", "monitor"),
    ),
    "release": Branch(
        "Decide on a release, and show others how it was decided.",
        """The name of the group may be left out: `fewlabels gate` does the same. Each command takes --json.

        \b
        Examples:
          fewlabels release gate demo --policy policy.toml
          fewlabels release verify demo
        """,
        _named("decide", "gate", "report", "verify", "mlflow"),
    ),
    "data": Branch(
        "Check your table, or do without one; try designs where labels are known.",
        """The name of the group may be left out: `fewlabels doctor` does the same. Each command takes --json.

        \b
        Examples:
          fewlabels data demo demo
          fewlabels data doctor demo/scored.parquet --score score --threshold 0.5
        """,
        _named("doctor", "size", "sql", "read", "simulate", "demo"),
    ),
    "ledger": Branch(
        "List the studies of a ledger; copy it, back it up, upgrade it, delete what labelers were shown.",
        """Each command takes --json.

        \b
        Examples:
          fewlabels ledger list
          fewlabels ledger copy sqlite:///fewlabels.db postgresql://team@db.example.org/fewlabels
          fewlabels ledger backup friday.db
        """,
        {
            **_named("list"),
            "copy": GroupEntry("fewlabels.cli.ledger", "Copy studies to another ledger.", "copy_ledger"),
            "backup": GroupEntry("fewlabels.cli.ledger", "Copy the whole ledger to a new SQLite file, and check it.", "backup_ledger"),
            "rebuild": GroupEntry("fewlabels.cli.ledger", "Fold a study again from its entries.", "rebuild_state"),
            "upgrade": GroupEntry("fewlabels.cli.ledger", "Bring a ledger of an earlier version to the present schema.", "upgrade_ledger"),
            "forget": GroupEntry("fewlabels.cli.ledger", "Delete what labelers were shown; the record stays.", "forget_contents"),
        },
    ),
}


@click.group(
    cls=LazyGroup, sections={"Commands": FIRST, "Groups of commands": GROUPS}, others=SHORT,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Commands of a group also work without its name: `fewlabels tell` is `fewlabels labels tell`. "
    "--help-all lists them all. To complete them with Tab: fewlabels completion bash",
)  # fmt: skip
@click.version_option(VERSION, prog_name="fewlabels")
@click.option(
    "--config", type=click.Path(dir_okay=False), envvar="FEWLABELS_CONFIG", show_envvar=True, metavar="FILE",
    show_default="fewlabels.toml in this folder", help="Read the options you omit from FILE.",
)  # fmt: skip
@help_all_option
def cli(*, config: str | None) -> None:
    """Tell how good a classifier is from the fewest human labels, and how sure you are.

    \b
    population > profile > plan > draw > labels > estimate > decision > report
    Start with:  fewlabels demo DIR,  or with your own table:  fewlabels new TABLE.csv
    """  # noqa: D301 - \b is Click's mark for "keep these lines"


def main() -> None:
    """Run a command; print an error without a traceback."""
    gc.set_threshold(SWEEP)
    try:
        sys.exit(cli(prog_name="fewlabels", standalone_mode=False))  # Click hands back the code of an Exit, None otherwise
    except click.ClickException as raised:
        error = no_such_option(raised, sys.argv[1:]) if isinstance(raised, click.NoSuchOption) else raised
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
    """Print the error on stderr, and with --json also as the one JSON object."""
    if "--json" in sys.argv:
        click.echo(json.dumps({"error": {"kind": kind, "message": message}}))
    click.echo(f"{kind}: {message}", err=True)
