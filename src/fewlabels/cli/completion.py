"""`fewlabels completion`, and what a shell completes: commands, options, studies of the ledger, metrics, files. Errors are silent."""

import os

import click
from click.shell_completion import CompletionItem, get_completion_class

from fewlabels.cli.configuration import default_ledger
from fewlabels.cli.output import print_json

SHELLS = ("bash", "zsh", "fish")
VARIABLE = "_FEWLABELS_COMPLETE"
HOW = {
    "bash": 'eval "$(fewlabels completion bash)", in ~/.bashrc to keep it',
    "zsh": 'eval "$(fewlabels completion zsh)", in ~/.zshrc after compinit to keep it',
    "fish": "fewlabels completion fish | source, or write it to ~/.config/fish/completions/fewlabels.fish to keep it",
}


@click.command("completion")
@click.argument("shell", type=click.Choice(SHELLS))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")
def command(*, shell: str, as_json: bool) -> None:
    """Print the script that makes a shell complete commands, options, metrics and the studies of the ledger.

    \b
    Examples:
      eval "$(fewlabels completion bash)"
      eval "$(fewlabels completion zsh)"
      fewlabels completion fish | source
    """  # noqa: D301
    from fewlabels.cli.main import cli

    kind = get_completion_class(shell)
    assert kind is not None
    script = kind(cli, {}, "fewlabels", VARIABLE).source()
    if as_json:
        print_json({"shell": shell, "script": script, "how": HOW[shell]})
        return
    click.echo(script)


def complete_studies(context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the matching studies of the ledger; none if it cannot be read."""
    try:
        from fewlabels.ledgers.naming import study_names

        address = context.params.get("ledger") or os.environ.get("FEWLABELS_LEDGER") or default_ledger()
        return [CompletionItem(name) for name in study_names(address) if name.startswith(incomplete) and name.isprintable()]
    except Exception:  # a user who pressed Tab wants names, not an error
        return []


def complete_metrics(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the matching metrics."""
    from fewlabels.nouns.metrics import METRICS

    return [CompletionItem(name) for name in METRICS if name.startswith(incomplete)]


def complete_files(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the marker for files and folders, which the shell lists itself."""
    return [CompletionItem(incomplete, type="file")]


def complete_studies_or_files(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return files and matching studies. Bash lists files only if no study matches; they come first because they clear its list."""
    return [*complete_files(context, parameter, incomplete), *complete_studies(context, parameter, incomplete)]
