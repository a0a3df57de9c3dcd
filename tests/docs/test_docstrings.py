"""Every public name has a docstring with an example, which pytest runs, and every command one in its help."""

import inspect
from collections.abc import Iterator

import click

import fewlabels
from fewlabels.cli.main import COMMANDS as SHORT
from fewlabels.cli.main import GROUPS, cli
from fewlabels.estimators.counts import Confusion
from fewlabels.study.estimate.result import Estimates

PUBLIC = {**{name: getattr(fewlabels, name) for name in fewlabels.__all__}, "Estimates": Estimates, "Confusion": Confusion}
CALLED = (classmethod, staticmethod, property)


def documented(name: str, thing: object) -> Iterator[tuple[str, object]]:
    """A public name, and of a class every public method and property that fewlabels wrote, inherited ones too."""
    yield name, thing
    for attribute in dir(thing) if inspect.isclass(thing) else ():
        held = inspect.getattr_static(thing, attribute)
        function = (held.fget if isinstance(held, property) else held.__func__) if isinstance(held, CALLED) else held
        if not attribute.startswith("_") and inspect.isfunction(function) and function.__module__.startswith(("fewlabels", __name__)):
            yield f"{name}.{attribute}", function


def has_example(thing: object) -> bool:
    """Whether the docstring has an example, and all of it is run."""
    shown = getattr(thing, "__doc__", None) or ""
    return ">>> " in shown and "+SKIP" not in shown


def commands(name: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    """A command and all below it."""
    yield name, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for below in command.list_commands(context):
            found = command.get_command(context, below)
            assert found is not None
            yield from commands(f"{name} {below}", found)


EVERY = {name: thing for public, held in PUBLIC.items() for name, thing in documented(public, held)}
COMMANDS = dict(commands("fewlabels", cli))


class Bare:
    """A class without an example."""

    @property
    def half(self) -> int:
        """Half of it, without an example."""
        return 1

    @classmethod
    def make(cls) -> "Bare":
        """One of these.

        Examples:
            >>> Bare.make().half
            1
        """
        return cls()

    def _hidden(self) -> None: ...


def test_every_public_name_has_an_example() -> None:
    bare = [name for name, thing in EVERY.items() if not has_example(thing)]
    assert not bare, f"{bare} have no example: add one to each docstring, three to eight lines"


def test_a_name_without_an_example_is_found() -> None:
    found = dict(documented("Bare", Bare))
    assert [name for name, thing in found.items() if not has_example(thing)] == ["Bare", "Bare.half"]
    assert "Bare.make" in found
    assert not has_example(type("Skipped", (), {"__doc__": ">>> never_run()  # doctest: +SKIP"}))


def test_inherited_methods_and_properties_are_looked_at() -> None:
    assert {"Study.create", "Study.ask", "Study.extend", "Study.estimate", "Study.compare", "Study.standing", "Plan.hash"} <= set(EVERY)


def example_of(command: click.Command, name: str) -> str:
    """What follows "Example:" in the help of a command; empty where nothing does."""
    shown = command.get_help(click.Context(command, info_name=name, **cli.context_settings))  # a command keeps its first help option
    return shown.replace("Examples:", "Example:").partition("Example:")[2].partition("Options:")[0]


def test_every_command_and_those_below_it_have_an_example_in_their_help() -> None:
    bare = [name for name in COMMANDS if name != "fewlabels" and not is_shown(name)]
    assert not bare, f"the help of {bare} shows no example"


def is_shown(name: str) -> bool:
    """Whether the help of a command shows how it is typed; some may also be typed without their group."""
    program, _, rest = name.partition(" ")
    group, _, below = rest.partition(" ")
    typed = [name, *([f"{program} {below}"] if group in GROUPS and below.split(" ")[0] in SHORT else [])]
    return any(f"{one} " in f"{line} " for one in typed for line in example_of(COMMANDS[name], name).split("\n"))


def test_a_command_without_an_example_is_found() -> None:
    bare = click.Command("bare", help="Do it.\n\n\b\nSee also: fewlabels bare x")
    assert "fewlabels bare " not in example_of(bare, "fewlabels bare")
    assert "fewlabels ledger copy" in COMMANDS
