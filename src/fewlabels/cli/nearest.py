"""The error for an option that does not exist, with the nearest that does."""

from collections.abc import Sequence

import click

from fewlabels.nearest import nearest


def no_such_option(error: click.NoSuchOption, typed: Sequence[str]) -> click.UsageError:
    """Return the error for an unknown option, with the nearest option there is, or where it belongs."""
    context = error.ctx
    assert context is not None  # the parser knows whose options it parses
    name = _as_typed(error.option_name, typed)
    said = f"No such option {name!r}."
    known = [one for parameter in context.command.get_params(context) for one in parameter.opts if one.startswith("--")]
    root = context.find_root()
    if close := nearest(f"--{name.lstrip('-').replace('_', '-').lower()}", known):
        return click.UsageError(f"{said} Did you mean {' or '.join(close)}?", context)
    if context is root:
        return click.UsageError(f"{said} Options of a command follow its name: {root.info_name} COMMAND {name}.", context)
    if any(name in parameter.opts for parameter in root.command.params):
        return click.UsageError(f"{said} It goes before the command: {root.info_name} {name} ... {context.info_name}.", context)
    return click.UsageError(said, context)


def _as_typed(option: str, typed: Sequence[str]) -> str:
    """Return the option as it was typed: for -study the parser names only -s."""
    if option.startswith("--"):
        return option
    return next((one.partition("=")[0] for one in typed if one.startswith("-") and not one.startswith("--") and option[1] in one), option)
