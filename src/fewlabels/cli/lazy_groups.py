"""Groups of commands that import a command only when it is called, and suggest the nearest name for an unknown one."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from inspect import cleandoc
from typing import Any, NamedTuple

import click
from click.shell_completion import CompletionItem

from fewlabels.cli.help import ALL
from fewlabels.nearest import nearest


class GroupEntry(NamedTuple):
    """A command as a group lists it: the module and name it is imported by, and what it does in one line."""

    module: str
    line: str
    attribute: str = "command"

    def load(self) -> click.Command:
        """Import the command."""
        found: click.Command = getattr(import_module(self.module), self.attribute)
        return found


class Branch(NamedTuple):
    """A group as the group above it lists it: one line, the rest of its help, and its commands by name."""

    line: str
    text: str
    commands: "Mapping[str, GroupEntry | Branch]"


Listed = Mapping[str, "GroupEntry | Branch"]


class LazyGroup(click.Group):
    """A group that lists its commands from their entries, and imports one only when it is called.

    sections   what its help lists, by heading
    others     commands it accepts and completes without listing them
    """

    def __init__(self, *args: Any, sections: Mapping[str, Listed], others: Listed | None = None, **settings: Any) -> None:
        """Hold these commands."""
        super().__init__(*args, **settings)
        self.sections = sections
        self.listed: Listed = {name: one for section in sections.values() for name, one in section.items()}
        self.accepted: Listed = {**self.listed, **(others or {})}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands its help lists, in that order."""
        return list(self.listed)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Return the command of that name; None if there is none."""
        found = self.accepted.get(name)
        if found is None:
            return None
        return group_of(name, found) if isinstance(found, Branch) else found.load()

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the matching commands and options; no command is imported."""
        named = [CompletionItem(name, help=one.line) for name, one in self.accepted.items() if name.startswith(incomplete)]
        return [*named, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands under their headings; with --help-all, also those of every group. No command is imported."""
        sections = dict(self.sections)
        if ctx.meta.get(ALL) and ctx.parent is None:
            below = {name: one.commands for name, one in self.listed.items() if isinstance(one, Branch)}
            sections |= {f"{ctx.command_path} {name}": commands for name, commands in below.items()}
            grouped = {name for commands in below.values() for name in commands}
            sections["Others"] = {name: one for name, one in self.accepted.items() if name not in grouped and name not in self.listed}
        widest = max(len(name) for section in sections.values() for name in section)
        for heading, section in sections.items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(widest), one.line) for name, one in section.items()])

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command of the first argument; raise UsageError with the nearest name if it is unknown."""
        name = args[0]
        if name not in self.accepted and not name.startswith("-") and not ctx.resilient_parsing:
            raise click.UsageError(no_such_command(name, ctx), ctx)
        return super().resolve_command(ctx, args)


def group_of(name: str, branch: Branch) -> LazyGroup:
    """Return the group that a branch describes."""
    return LazyGroup(name, help=f"{branch.line}\n\n{cleandoc(branch.text)}", sections={"Commands": branch.commands})


def no_such_command(name: str, context: click.Context) -> str:
    """Return the message for an unknown command: where it is if another group has it, else the nearest name."""
    group, root = context.command, context.find_root().command
    assert isinstance(group, LazyGroup)
    assert isinstance(root, LazyGroup)
    where = "" if group is root else f" in {context.command_path}"
    said = f"No such command {name!r}{where}."
    wanted = name.lower().replace("_", "-")
    elsewhere = dict(places(root))
    if wanted in elsewhere:
        return f"{said} It is {' or '.join(elsewhere[wanted])}."
    if close := nearest(wanted, list(group.accepted)):
        return f"{said} Did you mean {' or '.join(close)}?"
    if close := nearest(wanted, list(elsewhere)):
        return f"{said} Did you mean {' or '.join(elsewhere[one][0] for one in close)}?"
    return f"{said} {context.command_path} --help lists the commands."


def places(root: LazyGroup) -> Iterator[tuple[str, list[str]]]:
    """Return every command and group by name, with what to type, the shortest first."""
    found: dict[str, list[str]] = {name: [f"`fewlabels {name}`"] for name in root.accepted}
    for path, name in _below("fewlabels", root.accepted):
        found.setdefault(name, []).append(f"`{path} {name}`")
    for name, typed in found.items():
        yield name, sorted(set(typed), key=len)


def _below(path: str, commands: Listed) -> Iterator[tuple[str, str]]:
    """Yield the commands of every group, each with the path to its group."""
    for name, one in commands.items():
        if isinstance(one, Branch):
            for inner in one.commands:
                yield f"{path} {name}", inner
            yield from _below(f"{path} {name}", one.commands)
