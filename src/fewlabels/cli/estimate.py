"""`fewlabels estimate`."""

from shlex import quote
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from fewlabels.cli.choices import interval_choice
from fewlabels.cli.completion import complete_metrics, complete_studies
from fewlabels.cli.configuration import file_study, has_file_study
from fewlabels.cli.options import json_option, ledger_option, peek_option, spelled
from fewlabels.cli.output import (
    bounds_table,
    confusion_table,
    estimate_table,
    gold_table,
    note,
    print_json,
    working,
    worst_table,
)
from fewlabels.nouns.estimate import USUAL_INTERVAL, Estimate
from fewlabels.nouns.metrics import COMMON

if TYPE_CHECKING:
    from fewlabels.study.estimate.estimates import Estimates

COUNTS_ONLY = ("flagged_units", "unflagged_units", "metrics", "level", "interval")


class ShownParts(NamedTuple):
    """What to show of a study."""

    everything: bool
    peek: bool
    confusion: bool
    one_sided: bool


@click.command("estimate")
@click.argument("study", required=False, shell_complete=complete_studies)
@click.option("--all", "everything", is_flag=True, help="Show every metric, not only the goals and the common ones.")
@click.option("--confusion", is_flag=True, help="For several classes: also show the confusion matrix, with intervals.")
@peek_option
@click.option("--counts", metavar="tp=N,fp=N,fn=N,tn=N", help="Instead of STUDY: the confusion matrix of labeled units.")
@click.option("--flagged-units", type=int, metavar="N", help="With --counts: how many units are predicted positive, labeled or not.")
@click.option(
    "--unflagged-units", type=int, metavar="N", help="With --counts: how many are predicted negative. If both are omitted: a simple draw."
)
@click.option("--metric", "metrics", multiple=True, shell_complete=complete_metrics, help="With --counts: a metric to show. Repeatable.")
@click.option("--level", type=float, metavar="L", help="With --counts: the confidence level. Default: 0.95.")
@click.option(
    "--interval",
    type=interval_choice(lambda interval: not interval.running and not interval.is_resampled),  # counts alone have no seed
    help=f"With --counts: the interval. Default: {USUAL_INTERVAL}.",
)
@click.option("--one-sided", is_flag=True, help="Also show what each metric is at least and at most, each bound at the level.")
@ledger_option
@json_option
def command(*, study: str | None, everything: bool, peek: bool, confusion: bool, ledger: str, as_json: bool, **options: Any) -> None:
    """Show every metric with its interval, effective n and the labels behind it, once all planned units are resolved.

    With --counts: the same for a confusion matrix that you already have, without a study.

    \b
    Example:
      fewlabels estimate demo
      fewlabels estimate --counts tp=45,fp=5,fn=8,tn=442 --flagged-units 12000 --unflagged-units 988000
    """  # noqa: D301
    counts = options.pop("counts")
    if study is None and counts is None and has_file_study():
        study = file_study()
    if (study is None) == (counts is None):
        raise click.UsageError("Name a STUDY, or give the counts of a confusion matrix as --counts tp=45,fp=5,fn=8,tn=442; one of them.")
    if counts is not None:
        if peek:
            raise click.UsageError("--peek is for a study: counts are shown as they are.")
        _show_counts(counts, everything=everything, as_json=as_json, **options)
        return
    if given := [name for name in COUNTS_ONLY if options[name]]:
        raise click.UsageError(f"Only with --counts: {spelled(*given)}. The plan of a study says what is shown.")
    _show_study(str(study), ShownParts(everything, peek, confusion, options["one_sided"]), ledger=ledger, as_json=as_json)


def _show_study(name: str, asked: ShownParts, *, ledger: str, as_json: bool) -> None:
    """Print what the labels of a study show."""
    from fewlabels.study.study import Study

    study = Study.load(name, ledger=ledger)
    with working("estimating"):
        shown = study.estimate(peek=asked.peek)
        matrix = study.confusion(peek=asked.peek) if asked.confusion else ()
    if as_json:
        print_json({"study": name, **shown.as_json(), **({"confusion": [c.as_json() for c in matrix]} if asked.confusion else {})})
        return
    done = shown.progress
    if not shown.estimates:
        waiting = f", {done.gold_told:,} of {done.gold_planned:,} gold answers are recorded" if done.gold_planned else ""
        click.echo(
            f"{done.labels:,} of {done.planned:,} planned units are resolved{waiting}: "
            "no interval before the last one, as it would be invalid"
        )
    else:
        _tables(shown, asked)
        if matrix:
            confusion_table(matrix)
        click.echo(f"\nlevel {shown.estimates[0].level:.4g}; {shown.promise}" if shown.certified else "")
        note(shown.about)
        if any(e.trusts_scores for e in shown.estimates):
            note(
                "interval: trusts the scores about errors that no label has shown; strict: valid even if they are where scores predict none"
            )
    for line in (
        *(f"caution: {c}" for c in shown.cautions_of(_chosen(shown, asked.everything))),
        *(f"warning: {w}" for w in shown.warnings),
    ):
        note(line)
    note(f"next: fewlabels {'decide' if shown.estimates else 'draw'} {quote(name)}")


def _chosen(shown: "Estimates", everything: bool) -> list[Estimate]:
    """Return the estimates to show: the goals, the common metrics, and averages over several labels or classes."""
    return [e for e in shown.estimates if everything or e.planned or e.metric.split(" by ")[0] in COMMON or e.classifier == "all"]


def _tables(shown: "Estimates", asked: ShownParts) -> None:
    """Print the estimates, the uncorrected ones beside them, the worst case and how far labelers agree."""
    if not shown.certified:
        done = shown.progress
        click.echo(
            f"A PEEK at {done.labels:,} of {done.planned:,} labels: NOT a {shown.estimates[0].level:.0%} interval; recorded as a look\n"
        )
    chosen = _chosen(shown, asked.everything)
    estimate_table(chosen)
    if asked.one_sided:
        bounds_table(chosen)
    gold_table(chosen)
    worst_table(chosen)
    if shown.agreement is not None:
        click.echo(f"\n{shown.agreement}")
    for point in shown.tipping:
        click.echo(f"\n{point}")


def _show_counts(counts: str, *, everything: bool, as_json: bool, one_sided: bool, metrics: tuple[str, ...], **options: Any) -> None:
    """Print what a confusion matrix shows."""
    from fewlabels.estimators.counts import from_counts

    wanted = {name: options[name] for name in ("level", "interval") if options[name] is not None}
    sizes = {"n_predicted_positive": options["flagged_units"], "n_predicted_negative": options["unflagged_units"]}
    found = from_counts(**_read_counts(counts), **sizes, **wanted, metrics=metrics or None)
    shown = [e for e in found.estimates if metrics or everything or e.metric in COMMON]
    if as_json:
        print_json({**found.as_json(), "estimates": [e.as_json() for e in shown]})
        return
    estimate_table(shown)
    if one_sided:
        bounds_table(shown)
    click.echo(f"\nlevel {found.level:.4g}, interval {found.interval}")
    for unknown in (e for e in shown if e.why):
        note(f"{unknown.metric}: {unknown.why}")
    for caution in found.cautions:
        note(f"caution: {caution}")


def _read_counts(text: str) -> dict[str, Any]:
    """Return the four counts by name; their values are checked where they are used."""
    pairs = [part.partition("=") for part in text.split(",")]
    found: dict[str, Any] = {name.strip().lower(): number.strip() for name, _, number in pairs}
    if set(found) != {"tp", "fp", "fn", "tn"} or len(pairs) != 4:
        raise click.UsageError(f"--counts must name tp, fp, fn and tn once each, got {text!r}: write tp=45,fp=5,fn=8,tn=442.")
    for name, number in found.items():
        try:
            found[name] = int(number)
        except ValueError:
            found[name] = number  # rejected later, with the rule
    return found
