"""From a population and its goals to a profile. Several labels or classes are profiled twice, since the goals determine the risk."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from fewlabels.engines.opening import open_engine
from fewlabels.errors import GoalError, PlanError, PopulationError, StudyError
from fewlabels.nearest import nearest
from fewlabels.nouns.goal import Goal, parse_goal
from fewlabels.nouns.joint import CLASS_ACCURACY
from fewlabels.nouns.late import Late
from fewlabels.nouns.population import Population
from fewlabels.nouns.process import ABOUT, About, Process
from fewlabels.nouns.profile import Profile
from fewlabels.nouns.works_with import Trait, require
from fewlabels.planning.goal_scope import for_each
from fewlabels.planning.risk import risk_of
from fewlabels.randomness import NUMBER_RULES, NumberRule
from fewlabels.study.state.standing import Standing


def profile_for(population: Population, goals: Sequence[Goal], about: About | None = None) -> tuple[Population, Profile]:
    """The population, with the risk that steers its draw if it needs one, and its profile. Raise for goals it does not support.

    about   what numbers are about; if omitted, the process if the population names a cluster column, else the table
    """
    check_goals(population, goals)
    profile = about_which(population, open_engine(population).profile(), about_of(population, goals, about))
    if not population.is_joint or population.guide is not None or population.risk is not None:
        return population, profile
    risk = risk_of(profile, goals, [c.name for c in population.classifiers])
    steered = replace(population, risk=risk)
    return steered, open_engine(steered).profile()


def about_which(population: Population, profile: Profile, about: About) -> Profile:
    """The profile with the process that the table came from, its clusters counted, if numbers are about that."""
    if about == "table":
        return profile
    clusters = None if population.cluster is None else open_engine(population).clusters(population.cluster)
    if clusters is not None and clusters.alone == clusters.number:
        raise PopulationError(
            f"a cluster is a column that several units share, but {population.cluster!r} is empty for all {clusters.number:,}: name "
            "another, or leave it out (--about process)"
        )
    return replace(profile, process=Process(clusters))


def about_of(population: Population, goals: Sequence[Goal], about: str | None) -> About:
    """What numbers are about: as asked for, or the process if the population has clusters. Raise PlanError where it is not possible."""
    found = about or ("table" if population.cluster is None else "process")
    if found not in ABOUT:
        raise PlanError(f"numbers are about {' or '.join(ABOUT)}, got {about!r}: choose one of these")
    if found == "table":
        if population.cluster is not None:
            raise PlanError(
                f"clusters matter to numbers about units like these, but {population.cluster!r} is named and numbers are about the table: "
                "ask about the process, or leave the cluster out"
            )
        return "table"
    asked = [trait for goal in goals for trait in goal.traits]
    require("units like these", [*asked, *([Trait.QUESTIONS] if population.is_joint else [])], subject="this one has")
    return "process"


def check_late(population: Population, goals: Sequence[Goal], late: Late | None, *, has: Mapping[Trait, bool]) -> None:
    """Raise PlanError unless answers that arrive by themselves can be read for these goals."""
    if late is None:
        return
    asked = [trait for goal in goals for trait in goal.traits]
    require("late answers", [*asked, *(trait for trait, present in has.items() if present)], subject="this one has")
    if len(population.classifiers) > 1:
        raise PlanError(
            f"answers that arrive by themselves do so by what the classifier in force decided, but {len(population.classifiers)} are "
            "named: name that one alone"
        )


def number_rule_of(population: Population, profile: Profile, asked: NumberRule | None, leader: Standing | None = None) -> NumberRule:
    """The rule for permanent numbers: as asked for, as in the study followed, or md5. Raise StudyError for ids the fast rule cannot use."""
    if leader is not None and asked not in (None, leader.number_rule):
        raise StudyError(f"a study must keep the numbers of the one it follows, by {leader.number_rule}, got {asked}: leave it out")
    rule = asked or (leader.number_rule if leader else "md5")
    if rule not in NUMBER_RULES:
        raise StudyError(f"permanent numbers must be made by {' or '.join(NUMBER_RULES)}, got {rule!r}: choose one of these")
    if rule == "fast":
        _refuse_wide_ids(population.id, dict(profile.columns)[population.id], profile)
    return rule


def _refuse_wide_ids(column: str, type_: str, profile: Profile) -> None:
    """Raise StudyError unless the ids are 64-bit integers."""
    if type_ != "int":
        raise StudyError(f"the fast rule needs 64-bit integer ids, but {column!r} is {type_}: use md5, or name a column of integers")
    for end in (profile.smallest_id, profile.largest_id):
        if not -(2**63) <= int(end) < 2**63:
            raise StudyError(f"the fast rule needs 64-bit integer ids, but {column!r} holds {end}: use md5, or name another column")


def check_goals(population: Population, goals: Sequence[Goal]) -> None:
    """Raise unless the population has the classifiers, slices, weights and labels that the goals name, and they can be sized."""
    for goal in for_each(goals, [c.name for c in population.classifiers]):
        metric = goal.definition
        _refuse_unknown_slice(population, goal)
        population.refuse_unknown_weight(metric)
        population.classifier(goal.classifier)
        population.classifier(goal.over)
        if metric.joint and not population.is_joint:
            raise PlanError(
                f"{metric.name} needs several labels or classes, but the population has {len(population.classifiers)} classifier "
                "with one question: name several classifiers with a question or a class each"
            )
        if metric is CLASS_ACCURACY and population.classifiers[0].value is None:
            raise PlanError(
                f"{metric.name} needs classes, of which a unit has one, but the population has labels, of which a unit may have "
                "several: ask for micro[f1], macro[f1] or weighted[f1]"
            )
        if population.is_joint and metric.weight is not None:
            raise PlanError(f"several labels or classes must be judged in units, but {goal} is by {metric.weight}: make a study for it")


def _refuse_unknown_slice(population: Population, goal: Goal) -> None:
    """Raise GoalError for a slice column that the population does not have, with the nearest it has."""
    between = goal.definition.gap
    column = between.column if between else goal.by if goal.slice is None else goal.slice[0]
    if column is None or column in population.slices:
        return
    if close := nearest(column, population.slices):
        raise GoalError(f"no slice column {column!r}: did you mean {' or '.join(map(repr, close))}? Others are named with --slice")
    known = f"has {', '.join(population.slices)}" if population.slices else "has none"
    raise GoalError(f"goals name a slice column, but {column!r} is not one and the population {known}: name it with --slice")


def read_goals(goals: str | Goal | Sequence[str | Goal], level: float) -> tuple[Goal, ...]:
    """Goals as objects with one level; a single one may be a string or a Goal. Raise PlanError for anything else, and for none."""
    each = (goals,) if isinstance(goals, str | Goal) else tuple(goals) if isinstance(goals, Iterable) else (goals,)
    for goal in each:
        if not isinstance(goal, str | Goal):
            raise PlanError(f'a goal must be a string such as "precision >= 0.9", or a Goal, got {goal!r}: pass one of these')
    wanted = tuple(parse_goal(g, level=level) if isinstance(g, str) else g for g in each)
    if not wanted:
        raise PlanError('a study needs a goal, got none: "precision +-0.03" or "recall >= 0.90"')
    if len({g.level for g in wanted}) > 1:
        raise PlanError(f"goals of one study must share a level, got {sorted({g.level for g in wanted})}: choose one")
    return wanted
