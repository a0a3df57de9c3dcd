"""`fewlabels gate`."""

import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fewlabels.cli.configuration import default_policy
from fewlabels.cli.options import json_option, ledger_option, study_argument
from fewlabels.cli.output import note, print_json, share, table, working

if TYPE_CHECKING:
    from fewlabels.nouns.gate import Gate, RuleVerdict

FILE = click.Path(dir_okay=False, path_type=Path)


@click.command("gate")
@study_argument
@click.option(
    "--policy", required=True, default=default_policy, type=click.Path(dir_okay=False), metavar="FILE",
    help="The rules, a TOML file. Default: the policy of fewlabels.toml.",
)  # fmt: skip
@click.option("--junit", "junit_file", type=FILE, metavar="FILE", help="Also write a JUnit file, one case per rule.")
@click.option("--markdown", "markdown_file", type=FILE, metavar="FILE", help="Also write a Markdown summary.")
@click.option("--github", is_flag=True, help="Write annotations, summary and outputs for GitHub. Default where GITHUB_ACTIONS is set.")
@click.option("--exit-zero", is_flag=True, help="Exit with 0 whatever the verdict; a crash is still 1, a usage error 2.")
@click.option("--self-test", is_flag=True, help="Give no verdict; simulate how often this gate would pass or block wrongly.")
@click.option(
    "--reps", type=click.IntRange(min=20), default=400, show_default=True, help="With --self-test: simulated studies per true value."
)
@click.option("--seed", type=int, default=42, show_default=True, help="With --self-test: the seed.")
@ledger_option
@json_option
def command(*, study: str, policy: str, ledger: str, as_json: bool, self_test: bool, **options: Any) -> None:
    """Check a study against a policy. Exits with 0 ship, 3 label more, 4 do not ship, 5 invalid; 1 is a crash, 2 a usage error.

    The gate never peeks: it reads nothing before the planned look. What it shows is recorded as a look.

    \b
    Example:
      fewlabels gate demo --policy policy.toml --junit gate.xml
    """  # noqa: D301
    if self_test:
        _self_test(study, policy, ledger, as_json=as_json, reps=options["reps"], seed=options["seed"])
        return
    with working("checking the study against the policy"):
        found = _held(study, policy, ledger)
    if as_json:
        print_json(found.as_json())
    else:
        _show(found)
    _write(found, options["junit_file"], options["markdown_file"])
    if options["github"] or os.environ.get("GITHUB_ACTIONS") == "true":
        _tell_github(found)
    if found.exit_code and not options["exit_zero"]:
        raise click.exceptions.Exit(found.exit_code)


def _held(study: str, policy: str, ledger: str) -> "Gate":
    """Return the gate; invalid if policy or study cannot be read, so that the files of a pipeline say so too."""
    from fewlabels.errors import FewlabelsError
    from fewlabels.nouns.gate import refused
    from fewlabels.study.decision.gate_record import read_policy
    from fewlabels.study.study import Study

    rules = None
    try:
        rules = read_policy(policy)
        return Study.load(study, ledger=ledger).gate(rules)
    except FewlabelsError as error:
        return refused(study, [f"{type(error).__name__}: {error}"], policy=rules)


def _show(found: "Gate") -> None:
    """Print rule by rule, then the verdict."""
    from fewlabels.reports.plain_names import one_line

    for rule in found.rules:
        click.echo(one_line(f"{rule.verdict.replace('_', ' '):11}  {rule.rule}"))
        for line in _rule_lines(rule, found.reasons):
            click.echo(one_line(f"             {line}"))
    for reason in found.reasons:
        click.echo(one_line(f"- {reason}"))
    click.echo(one_line(found.headline))
    if found.promise:
        note(one_line(f"{found.promise}; {found.about}"))
    for warning in found.warnings:
        note(one_line(f"warning: {warning}"))


def _rule_lines(rule: "RuleVerdict", said_of_all: tuple[str, ...]) -> list[str]:
    """Return the number behind a rule, the reasons, and the notes to it."""
    said: list[str] = []
    if (e := rule.estimate) is not None:
        n_eff = "unknown" if e.n_eff is None else f"{e.n_eff:,.0f}"
        said.append(f"{share(e.value)} [{share(e.low)}, {share(e.high)}] at {e.level:.4g}, effective n {n_eff}, {e.labels:,} labels")
        if rule.nonresponse:
            said.append(f"{rule.nonresponse:.1%} of its units have no usable answer, at most {rule.rule.max_nonresponse:.1%} allowed")
    why = [reason.removeprefix(f"{rule.rule}: ") for reason in rule.reasons if reason not in said_of_all]
    return [*said, *why, *(f"note: {text}" for text in rule.notes)]


def _write(found: "Gate", junit_file: Path | None, markdown_file: Path | None) -> None:
    """Write the files a pipeline reads, each atomically."""
    from fewlabels.reports.gate_junit import junit
    from fewlabels.reports.gate_markdown import markdown

    if junit_file is not None:
        _replace_file(junit_file, junit(found))
    if markdown_file is not None:
        _replace_file(markdown_file, markdown(found))


def _replace_file(path: Path, text: str) -> None:
    """Write a temporary file and move it into place, so that nobody reads half of it."""
    try:
        handle, unfinished = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with open(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(unfinished, 0o666 & ~umask)
        os.replace(unfinished, path)
    except OSError as error:
        raise click.UsageError(f"{path} could not be written ({error.strerror}): name a file in a folder that exists.") from None


def _tell_github(found: "Gate") -> None:
    """Write annotations to stderr, which the runner also reads; append summary and outputs to the files it names."""
    from fewlabels.reports.gate_github import annotations, outputs
    from fewlabels.reports.gate_markdown import MOST_BYTES, markdown

    for line in annotations(found):
        print(line, file=sys.stderr)
    if summary := os.environ.get("GITHUB_STEP_SUMMARY"):
        held = Path(summary).stat().st_size if Path(summary).exists() else 0
        with open(summary, "a", encoding="utf-8") as file:
            file.write(markdown(found, most=MOST_BYTES - held))
    if output := os.environ.get("GITHUB_OUTPUT"):
        with open(output, "a", encoding="utf-8") as file:
            file.write(outputs(found))


def _self_test(study: str, policy: str, ledger: str, *, as_json: bool, reps: int, seed: int) -> None:
    """Show how often the gate errs, by simulation."""
    from fewlabels.reports.plain_names import one_line
    from fewlabels.study.decision.gate_record import read_policy
    from fewlabels.study.decision.gate_self_test import HEADINGS, self_test
    from fewlabels.study.study import Study

    with working("simulating the gate"):
        found = self_test(Study.load(study, ledger=ledger).standing, read_policy(policy), reps=reps, seed=seed)
    if as_json:
        print_json(found.as_json())
    else:
        table(HEADINGS, [[one_line(cell) for cell in one.row()] for one in found.tried])
        for line in found.lines:
            click.echo(one_line(line))
    if not found.passed:
        raise click.exceptions.Exit(5)
