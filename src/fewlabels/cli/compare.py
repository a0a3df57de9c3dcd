"""`fewlabels compare`."""

from typing import TYPE_CHECKING

import click

from fewlabels.cli.configuration import study_and_classifiers
from fewlabels.cli.options import json_option, ledger_option, metric_option, peek_option, study_argument
from fewlabels.cli.output import estimate_table, note, print_json, working

if TYPE_CHECKING:
    from fewlabels.study.estimate.comparison import Ranked


@click.command("compare")
@study_argument
@click.argument("classifiers", nargs=-1, metavar="[A B]...")
@metric_option(default="f1", help="The metric to compare.")
@peek_option
@ledger_option
@json_option
def command(*, study: str, classifiers: tuple[str, ...], metric: str, peek: bool, ledger: str, as_json: bool) -> None:
    """Show the paired difference of two classifiers on the same units, or a ranking of three or more. If none is named, rank all.

    \b
    Examples:
      fewlabels compare demo gbm lr --metric recall
      fewlabels compare demo --metric f1
      fewlabels compare gbm lr        (in the study of fewlabels.toml)
    """  # noqa: D301
    from fewlabels.study.study import Study

    study, classifiers = study_and_classifiers(study, classifiers, ledger=ledger)
    held = Study.load(study, ledger=ledger)
    if len(classifiers) != 2:
        with working("comparing every pair"):
            ranked = held.rank(metric, classifiers=classifiers, peek=peek)
        if as_json:
            print_json({"study": study, **ranked.as_json()})
        else:
            _show(ranked)
        return
    with working("comparing"):
        found = held.compare(*classifiers, metric=metric, peek=peek)
    if as_json:
        print_json({"study": study, **found.as_json()})
        return
    estimate_table([found.estimate], several=True)
    if found.caution is not None:
        note(f"caution: {found.caution}")
    click.echo(f"\nlevel {found.estimate.level:.4g}; {metric} of {found.first} minus that of {found.second}, on the same units")
    click.echo(f"{found.better} is better" if found.better else "the labels do not show which is better")


def _show(ranked: "Ranked") -> None:
    """Print every pair, what is settled, and the best."""
    estimate_table(ranked.pairs, several=True)
    for pair, caution in zip(ranked.pairs, ranked.cautions, strict=True):
        if caution is not None:
            note(f"caution: {pair.classifier} - {pair.over}: {caution}")
    for better, worse in ranked.better:
        click.echo(f"{better} is better than {worse}")
    click.echo(f"\nnot shown to be worse than another: {', '.join(ranked.best)}")
    note(f"with probability {ranked.level:.4g} no ordering is wrong; each interval is valid by itself")
