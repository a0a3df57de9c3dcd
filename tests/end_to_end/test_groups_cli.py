"""Commands in groups, by their short names too; --help and --help-all; the nearest name where one does not exist."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from fewlabels.cli.help import ManyOptions
from fewlabels.cli.lazy_groups import Branch, GroupEntry
from fewlabels.cli.main import COMMANDS, FIRST, GROUPS, cli
from tests.end_to_end.commands import fewlabels, ok, real

USAGE = 2
SOURCES = Path(__file__).parents[2] / "src" / "fewlabels"
MEMBERS = [(group, name) for group, branch in GROUPS.items() for name in branch.commands]


# ---------------------------------------------------------------- groups


def listed(text: str, heading: str) -> list[str]:
    """The names under a heading of a help."""
    section = text.partition(f"{heading}:\n")[2].partition("\n\n")[0]
    return re.findall(r"^  (\S+)", section, flags=re.MULTILINE)


def test_help_lists_eight_commands_and_the_groups() -> None:
    found = ok("--help").out
    assert listed(found, "\nCommands") == ["new", "plan", "label", "status", "decide", "report", "serve", "demo"]
    assert listed(found, "\nGroups of commands") == ["labels", "results", "over-time", "release", "data", "ledger"]
    assert "Start with:  fewlabels demo DIR" in found
    assert "fewlabels completion bash" in found


def test_help_all_lists_every_command_once_a_group() -> None:
    found = ok("--help-all").out
    for group, branch in GROUPS.items():
        assert listed(found, f"\nfewlabels {group}") == list(branch.commands)
    assert all(f"\n  {name} " in found for name in COMMANDS)


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_lists_its_commands_with_a_line_each(group: str) -> None:
    found = ok(group, "--help").out
    assert listed(found, "\nCommands") == list(GROUPS[group].commands)
    assert all(one.line in " ".join(found.split()) for one in GROUPS[group].commands.values())


@pytest.mark.parametrize(("group", "name"), MEMBERS)
def test_a_command_is_the_same_in_its_group_and_by_its_short_name(group: str, name: str) -> None:
    inside = ok(group, name, "--help").out
    assert inside.startswith(f"Usage: fewlabels {group} {name} ")
    if name in COMMANDS:
        assert inside.partition("\n")[2] == ok(name, "--help").out.partition("\n")[2]
    else:
        assert group == "ledger"  # whose commands never had a short name
        assert fewlabels(name, "--help").code == USAGE


def test_every_command_has_a_place() -> None:
    placed = {name for _, name in MEMBERS} | set(FIRST)
    assert set(COMMANDS) - placed == {"completion"}
    assert not set(COMMANDS) & set(GROUPS)


def test_a_command_works_in_its_group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made = ok("data", "demo", "d", "--json").json
    assert made["units"] == 50_000
    plan = ("--goal", "precision +-0.1", "--budget", 40, "--study", "s")
    ok("plan", made["population"], "--score", "score", "--threshold", "0.5", *plan)
    ok("labels", "draw", "s", "--units", 40, "--out", "b.csv")
    ok("labels", "tell", "s", made["answers"], "--drawn-only")
    assert ok("results", "status", "s", "--json").json == ok("status", "s", "--json").json
    assert ok("--config", _written("study = 's'\n"), "release", "decide").out == ok("decide", "s").out


def _written(text: str) -> str:
    Path("other.toml").write_text(text)
    return "other.toml"


@pytest.mark.parametrize("args", [["--help"], ["--help-all"], ["labels", "--help"], ["label-studio", "--help"], ["ledger", "--help"]])
def test_no_help_of_a_group_imports_a_command(args: list[str]) -> None:
    program = (
        "import sys\nfrom fewlabels.cli.main import main\ntry: main()\nexcept SystemExit as e: assert not e.code\n"
        "light = {'lazy_groups', 'help', 'main', 'nearest'}\n"
        "loaded = {n.removeprefix('fewlabels.cli.') for n in sys.modules if n.startswith('fewlabels.cli.')}\nassert loaded <= light, loaded"
    )
    done = real(*args, program=program)
    assert done.code == 0, done.err


def entries(commands: dict[str, GroupEntry | Branch]) -> Iterator[tuple[str, GroupEntry]]:
    """Every command with its entry."""
    for name, one in commands.items():
        if isinstance(one, Branch):
            yield from entries(dict(one.commands))
        else:
            yield name, one


@pytest.mark.parametrize(("name", "entry"), [*dict(entries({**COMMANDS, **GROUPS})).items()])
def test_what_is_written_about_a_command_is_a_sentence_about_that_command(name: str, entry: GroupEntry) -> None:
    assert entry.load().name == name
    assert entry.line.endswith(".")
    assert len(entry.line) < 80


# ---------------------------------------------------------------- options that few people need


MANY = ["plan", "new", "doctor", "sql", "simulate", "serve"]


def options_of(command: click.Command) -> set[str]:
    """Every option of a command as it is typed."""
    return {one.opts[-1] for one in command.params if isinstance(one, click.Option) and not one.hidden}


def shown(text: str) -> set[str]:
    """The options a help lists."""
    return set(re.findall(r"^  (?:-h, )?(--[a-z-]+)", text, flags=re.MULTILINE))


@pytest.mark.parametrize("name", MANY)
def test_help_shows_the_common_options_and_help_all_every_one(name: str) -> None:
    entry = COMMANDS[name]
    assert isinstance(entry, GroupEntry)
    command = entry.load()
    assert isinstance(command, ManyOptions)
    short, full = ok(name, "--help").out, ok(name, "--help-all").out
    assert shown(short) == {*command.common, "--help"}
    left = len(options_of(command)) - 1 - len(command.common)
    assert f"\n  {left} more options: --help-all\n" in short
    assert shown(full) == (options_of(command) - {"--help-all"}) | {"--help"}
    assert "more options: --help-all" not in full


def test_plan_shows_a_dozen_of_its_options() -> None:
    assert len(shown(ok("plan", "--help").out) - {"--help"}) == 12


def test_an_option_that_help_leaves_out_is_accepted() -> None:
    found = fewlabels("plan", "nowhere.csv", "--score", "s", "--threshold", "0.5", "--goal", "recall +-0.1", "--smallest-take", "0")
    assert "'--smallest-take'" in found.err


def test_a_common_option_that_does_not_exist_is_found_when_the_command_is_made() -> None:
    with pytest.raises(AssertionError, match="--nothing"):
        ManyOptions("x", params=[click.Option(["--some"])], common=("--some", "--nothing"))
    with pytest.raises(AssertionError, match="--some"):
        ManyOptions("x", params=[click.Option(["--some"])], common=("--some",), more={"Twice": ("--some",)})


def test_options_under_no_heading_follow_the_others() -> None:
    command = ManyOptions("x", params=[click.Option(["--some"]), click.Option(["--rest"])], common=("--some",))
    context = click.Context(command)
    assert shown(command.get_help(context)) == {"--some", "--help"}
    context.meta["fewlabels.help_all"] = True
    assert command.get_help(context).index("More options:") < command.get_help(context).index("--rest")


# ---------------------------------------------------------------- the nearest


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["estimat"], "No such command 'estimat'. Did you mean estimate?"),
        (["Status"], "No such command 'Status'. It is `fewlabels status` or `fewlabels results status`."),
        (["est"], "Did you mean estimate?"),
        (["over"], "Did you mean over-time?"),
        (["label_studio", "pull"], "It is `fewlabels label-studio`"),
        (["copy"], "No such command 'copy'. It is `fewlabels ledger copy`."),
        (["pull", "demo"], "It is `fewlabels label-studio pull` or `fewlabels labels label-studio pull`."),
        (["labels", "tel"], "No such command 'tel' in fewlabels labels. Did you mean tell?"),
        (["labels", "estimate"], "in fewlabels labels. It is `fewlabels estimate` or `fewlabels results estimate`."),
        (["labels", "estimat"], "in fewlabels labels. Did you mean `fewlabels estimate`?"),
        (["label-studio", "pul"], "in fewlabels label-studio. Did you mean pull?"),
        (["qqq"], "No such command 'qqq'. fewlabels --help lists the commands."),
        (["plan", "--classe", "x=a,b"], "No such option '--classe'. Did you mean --classes?"),
        (["plan", "--cost", "1"], "No such option '--cost'. Did you mean --cost-per-label?"),
        (["plan", "--grow_to=9"], "No such option '--grow_to'. Did you mean --grow-to?"),
        (["status", "-ledger", "x"], "No such option '-ledger'. Did you mean --ledger?"),
        (["results", "status", "--ban"], "No such option '--ban'. Did you mean --bands?"),
        (["--ledger", "x", "status"], "Options of a command follow its name: fewlabels COMMAND --ledger."),
        (["status", "--config", "x"], "It goes before the command: fewlabels --config ... status."),
        (["status", "--qqq"], "No such option '--qqq'.\n"),
        (["status", "-x"], "No such option '-x'.\n"),
    ],
)
def test_a_wrong_name_is_answered_with_the_nearest(typed: list[str], said: str) -> None:
    found = fewlabels(*typed)
    assert found.code == USAGE
    assert said in found.err


def test_a_wrong_name_is_answered_in_json_too() -> None:
    found = fewlabels("status", "--jsn", "--json")
    assert found.json["error"] == {"kind": "usage", "message": "No such option '--jsn'. Did you mean --json?"}
    assert fewlabels("statu", "--json").json["error"]["message"] == "No such command 'statu'. Did you mean status?"


def test_a_key_of_the_file_is_answered_with_the_nearest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("fewlabels.toml").write_text('goal = ["recall +-0.1"]\n')
    assert "did you mean 'goals'?" in fewlabels("status").err
    Path("fewlabels.toml").write_text("[grow-to]\nx = 1\n")
    assert "did you mean 'grow_to'?" in fewlabels("status").err


# ---------------------------------------------------------------- options that messages name


def every_command(path: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    """A command and those below it, by what is typed after fewlabels."""
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in getattr(command, "accepted", command.list_commands(context)):
            found = command.get_command(context, name)
            assert found is not None
            yield from every_command(f"{path} {name}".strip(), found)


TYPED = {path: {name for one in command.params for name in one.opts} | {"--help", "--help-all"} for path, command in every_command("", cli)}


def texts(source: Path) -> Iterator[str]:
    """Every text of a file, with … where a value is put in."""
    tree = ast.parse(source.read_text())
    inside = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inside:
            yield node.value


def wrong_options(text: str) -> list[str]:
    """Options a text names that no command has, or that the command named before them does not have."""
    known = set().union(*TYPED.values())
    wrong = [option for option in re.findall(r"(?<![\w-])--[a-z][a-z-]*[a-z]", text) if option not in known]
    for line in re.findall(r"fewlabels ([a-z][^\n`;:]*)", text.replace("\\\n", " ")):
        words = line.partition(", ")[0].split()
        path = max((path for path in TYPED if path and words[: len(path.split())] == path.split()), key=len, default=None)
        if path is not None:
            wrong += [f"{path} {w}" for w in words if re.fullmatch(r"--[a-z-]+", w) and w not in TYPED[path]]
    return wrong


def test_every_option_a_message_names_exists() -> None:
    named = [(source, text) for source in SOURCES.rglob("*.py") for text in texts(source) if "--" in text]
    assert len(named) > 100
    assert [(source.name, wrong) for source, text in named for wrong in wrong_options(text)] == []


def test_an_option_that_does_not_exist_is_found_in_a_message() -> None:
    assert wrong_options("leave out --classe") == ["--classe"]
    assert wrong_options("next: fewlabels draw s --budget 5") == ["draw --budget"]
    assert wrong_options("next: fewlabels labels draw s --units 5, or --budget") == []


@pytest.mark.parametrize(
    ("given", "named"),
    [
        (["--classes", "x=a,b"], "--classes"),
        (["--classifier", "a=b@0.5", "--slice", "c", "--candidate", "d"], "--classifier, --slice, --candidate"),
        (["--vote", "v=1:a,b", "--label", "l=s@0.5", "--html", "p.html"], "--html, --vote, --label"),
        (["--level", "0.9", "--number", "fast"], "--number, --level"),
    ],
)
def test_options_that_a_study_cannot_change_are_named_as_typed(given: list[str], named: str) -> None:
    found = fewlabels("plan", "--study", "s", "--budget", 10, *given)
    assert found.code == USAGE
    assert f"got {named}: leave that out." in found.err


def test_options_of_counts_are_named_as_typed() -> None:
    found = fewlabels("estimate", "s", "--metric", "f1", "--flagged-units", 5)
    assert "Only with --counts: --flagged-units, --metric." in found.err
