"""`fewlabels plan --study NAME` of a study that has a plan: a larger budget, or classifiers and goals that came later."""

from shlex import quote
from typing import Any

import click

from fewlabels.cli.goal_texts import can_ask, clear_goals
from fewlabels.cli.options import named_classifier, spelled, vote_of
from fewlabels.cli.output import count, note, print_json, share, table, working
from fewlabels.cli.plan_output import chance, choice_of, plan_json
from fewlabels.nouns.classifier import Classifier
from fewlabels.nouns.goal import DEFAULT_LEVEL


def top_up(options: dict[str, Any], *, as_json: bool) -> None:
    """Show what a larger budget buys and lock the plan; every label already paid for is kept."""
    from fewlabels.study.plan.growth import growth
    from fewlabels.study.study import Study

    if not options["study"] or not options["budget"]:
        raise click.UsageError("Name a POPULATION to plan for, or an existing study to raise: --study NAME --budget N.")
    refuse_unheard(options)
    study = Study.load(options["study"], ledger=options["ledger"])
    if study.standing.plan.kind == "online":
        _raise_online(study, options, as_json=as_json)
        return
    with working("sizing the growth"):
        grown = growth(study.standing, options["budget"])
        plan = study.plan(options["budget"], grow_to=options["grow_to"], design=choice_of(options, said=True), interval=options["interval"])
    if as_json:
        print_json({**grown.as_json(), "study": options["study"], "plan": plan_json(study)})
        return
    apart = study.standing.profile.apart
    click.echo(f"{grown.added:,} more labels, {grown.budget:,} in all, of {grown.frame:,} units the goals are about{apart}\n")
    rows = [
        [str(goal), f"{old.half_width:.3f}", f"{new.half_width:.3f}", chance(new.chance), new.expected] for goal, old, new in grown.goals
    ]
    rows += [["all together", "", "", chance(grown.chance[1]), grown.expected or ""]] if len(rows) > 1 else []
    if rows:
        table(("goal", f"half-width at {grown.held:,}", f"at {grown.budget:,}", "chance", "expected"), rows)
    values = ", ".join(f"{g.goal} {share(g.after.value)}" for g in grown.goals)
    note(f"\nforecast from {grown.assumes}{': ' if values else ''}{values}")
    note(f"plan {plan.number} of study {options['study']} is locked ({plan.change}), hash {plan.hash[:12]}")
    note(f"{plan.promise}\nnext: fewlabels draw {quote(options['study'])} --units 50 --out batch.csv")


def _raise_online(study: Any, options: dict[str, Any], *, as_json: bool) -> None:
    """Raise the budget of an online study; it costs nothing, and nothing is forecast from the scores."""
    plan = study.plan(options["budget"], grow_to=options["grow_to"], design=choice_of(options, said=True), interval=options["interval"])
    if as_json:
        print_json({"study": options["study"], "plan": plan_json(study)})
        return
    note(f"plan {plan.number} of study {options['study']} is locked: at most {plan.budget:,} labels, hash {plan.hash[:12]}")
    note(f"{plan.promise}\nnext: fewlabels draw {quote(options['study'])} --units 50 --out batch.csv")


def add(options: dict[str, Any], *, as_json: bool) -> None:
    """Show which labels can be used, what they give and how many more are needed; with --budget, add it and lock the plan."""
    from fewlabels.study.study import Study

    if not options["study"]:
        raise click.UsageError("Name the study to add it to: --study NAME.")
    refuse_unheard(options)
    if options["grow_to"] or options["interval"] or choice_of(options, said=True) is not None:
        raise click.UsageError(
            "Design, interval and growth are locked with the first plan: leave out --design, --interval, --trust-scores, --grow-to."
        )
    study = Study.load(options["study"], ledger=options["ledger"])
    late: dict[str, Any] = {"classifiers": _classifiers(options), "goals": list(clear_goals(options["goals"], ask=can_ask()))}
    with working("checking what the labels already show"):
        said = study.preview_extension(**late)
    plan = None
    if options["budget"]:
        with working("locking the plan"):
            plan = study.extend(**late, budget=options["budget"])
    if as_json:
        print_json({**said.as_json(), "study": study.name, "plan": None if plan is None else plan_json(study)})
        return
    click.echo(f"{said.held:,} units are drawn\n")
    rows = [
        [str(s.goal), f"{s.serving:,}", "-" if s.already is None else f"{s.already.half_width:.3f}", count(s.alone)] for s in said.goals
    ]
    if rows:
        table(("goal", "drawn units that serve it", "half-width they give", "labels from scratch"), rows)
        more = (
            "not even all units would do" if said.total is None else f"{said.added:,} more labels, {said.total:,} in all, settle every goal"
        )
        click.echo(f"\n{more}")
        note("forecast if scores are calibrated; '-': some units the goal is about could not be drawn yet")
    if plan is None:
        note(f"nothing is recorded yet; next: the same with --budget {said.total or said.held}")
        return
    note(f"plan {plan.number} of study {study.name} is locked ({plan.change}), hash {plan.hash[:12]}\n{plan.promise}")
    note(f"next: fewlabels {'draw' if study.standing.unresolved else 'estimate'} {quote(study.name)}")


def _classifiers(options: dict[str, Any]) -> list[Classifier]:
    """Return the classifiers and votes to add."""
    return [named_classifier(text, options["score_range"]) for text in options["added"]] + [
        vote_of(text) for text in options["added_votes"]
    ]


UNHEARD = (
    "pilot", "page", "prices", "spend", "cost_per_label", "seconds_per_label", "unanswered", "twice", "rule", "score", "threshold",
    "predicted", "named",
    "votes", "labels", "classes", "slices", "weight", "cluster", "about", "guide", "candidates", "missing_scores", "follows",
    "number_rule", "answers", "stopping",
)  # fmt: skip


def refuse_unheard(options: dict[str, Any]) -> None:
    """Raise UsageError for options that were set when the study was created, or that a top-up does not take."""
    said = [name for name in UNHEARD if options.get(name)] + (["level"] if options["level"] != DEFAULT_LEVEL else [])
    if said:
        raise click.UsageError(
            "planning an existing study again accepts only --budget and --grow-to, or --add-classifier, --add-vote and --goal, got "
            f"{spelled(*said)}: leave that out."
        )
