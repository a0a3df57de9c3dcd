"""`fewlabels plan --study NAME --add-classifier ...`: what labels already say of what came later, and the plan that adds the rest."""

from shlex import quote
from typing import Any

import click

from fewlabels.cli.options import named_classifier, vote_of
from fewlabels.cli.output import count, note, print_json, table, working
from fewlabels.cli.plan_output import choice_of, plan_json
from fewlabels.cli.topping import refuse_unheard
from fewlabels.nouns.classifier import Classifier


def add(options: dict[str, Any], *, as_json: bool) -> None:
    """Says which labels serve, what they give and how many more are needed; with --budget takes it in and fixes the plan."""
    from fewlabels.study.study import Study

    if not options["study"]:
        raise click.UsageError("Name the study that takes it in: --study NAME.")
    refuse_unheard(options)
    if options["grow_to"] or options["interval"] or choice_of(options, said=True) is not None:
        raise click.UsageError("Design, interval and growth are fixed with the first plan: leave out --design, --interval, --grow-to.")
    study = Study.load(options["study"], ledger=options["ledger"])
    late: dict[str, Any] = {"classifiers": _classifiers(options), "goals": list(options["goals"])}
    with working("asking what the labels already say"):
        said = study.reuse(**late)
    plan = None
    if options["budget"]:
        with working("fixing the plan"):
            plan = study.extend(**late, budget=options["budget"])
    if as_json:
        print_json({**said.as_json(), "study": study.name, "plan": None if plan is None else plan_json(plan)})
        return
    click.echo(f"{said.held:,} units are drawn\n")
    rows = [
        [str(s.goal), f"{s.serving:,}", "-" if s.already is None else f"{s.already.half_width:.3f}", count(s.alone)] for s in said.goals
    ]
    if rows:
        table(("goal", "drawn units that serve it", "half-width they give", "labels from scratch"), rows)
        more = (
            "not even all units would do" if said.total is None else f"{said.added:,} labels more, {said.total:,} in all, settle every goal"
        )
        click.echo(f"\n{more}")
        note("forecast from the scores taken as true probabilities; '-': some units the goal is about could not be drawn yet")
    if plan is None:
        note(f"nothing is recorded yet; next: the same with --budget {said.total or said.held}")
        return
    note(f"plan {plan.number} of study {study.name} is fixed ({plan.change}), hash {plan.hash[:12]}\n{plan.promise}")
    note(f"next: fewlabels {'draw' if study.standing.unresolved else 'estimate'} {quote(study.name)}")


def _classifiers(options: dict[str, Any]) -> list[Classifier]:
    """The classifiers and votes to take in."""
    return [named_classifier(text, options["score_range"]) for text in options["added"]] + [
        vote_of(text) for text in options["added_votes"]
    ]
