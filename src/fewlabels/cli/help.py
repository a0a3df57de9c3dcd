"""A command with many options: --help shows those most people need, --help-all shows them all."""

from collections.abc import Mapping, Sequence
from typing import Any

import click

ALL = "fewlabels.help_all"  # kept with the call: whether every option is to be shown
HELP_ALL = "--help-all"


class ManyOptions(click.Command):
    """A command whose --help shows the options named in `common`, and whose --help-all shows the others too.

    common   options of --help, as they are typed; -h is always among them
    more     the others, by heading; options that neither names follow under "More options"
    """

    def __init__(self, *args: Any, common: Sequence[str], more: Mapping[str, Sequence[str]] | None = None, **settings: Any) -> None:
        """Check that every name is an option of the command and occurs once."""
        super().__init__(*args, **settings)
        self.common, self.more = tuple(common), dict(more or {})
        named = [*self.common, *(name for names in self.more.values() for name in names)]
        known = {name for parameter in self.params for name in parameter.opts}
        assert len(named) == len(set(named)), sorted(name for name in named if named.count(name) > 1)
        assert set(named) <= known, sorted(set(named) - known)
        self.params.append(_help_all())

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the common options and how to see the others; with --help-all, write those too, under their headings."""
        records = {one.opts[-1]: record for one in self.get_params(ctx) if (record := _record(one, ctx)) is not None}
        shown = {"Options": [*self.common, "--help"], **self.more}
        named = {name for names in shown.values() for name in names}
        rest = [name for name in records if name not in named and name != HELP_ALL]
        if not ctx.meta.get(ALL):
            _write(formatter, "Options", [records[name] for name in shown["Options"]])
            formatter.write(f"\n  {len(records) - len(shown['Options']) - 1} more options: {HELP_ALL}\n")
            return
        for heading, names in {**shown, "More options": rest}.items():
            _write(formatter, heading, [records[name] for name in names])


def _record(parameter: click.Parameter, context: click.Context) -> tuple[str, str] | None:
    """Return an option and what it does; None for an argument or a hidden option."""
    return None if isinstance(parameter, click.Argument) else parameter.get_help_record(context)


def _write(formatter: click.HelpFormatter, heading: str, records: Sequence[tuple[str, str]]) -> None:
    if records:
        with formatter.section(heading):
            formatter.write_dl(records)


def _show_all(context: click.Context, _parameter: click.Parameter, asked: bool) -> None:
    """Print the help with every option, and end the command."""
    if asked and not context.resilient_parsing:
        click.echo(full_help(context), color=context.color)
        context.exit()


def full_help(context: click.Context) -> str:
    """The help of a command with every option it has."""
    context.meta[ALL] = True
    return context.get_help()


def _help_all() -> click.Option:
    """The option that shows every option and ends the command."""
    return click.Option([HELP_ALL], is_flag=True, is_eager=True, expose_value=False, callback=_show_all, help="Show every option and exit.")


help_all_option = click.option(
    HELP_ALL, is_flag=True, is_eager=True, expose_value=False, callback=_show_all, help="List the commands of every group and exit."
)
