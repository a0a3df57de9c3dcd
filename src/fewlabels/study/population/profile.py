"""From a population and its goals to a profile. Several labels or classes are profiled twice, since the goals determine the risk."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from fewlabels.engines.opening import open_engine
from fewlabels.errors import PlanError, StudyError
from fewlabels.nouns.goal import Goal, parse_goal
from fewlabels.nouns.joint import CLASS_ACCURACY
from fewlabels.nouns.population import Population
from fewlabels.nouns.profile import Profile
from fewlabels.planning.goal_scope import for_each
from fewlabels.planning.risk import risk_of
from fewlabels.randomness import NUMBER_RULES, NumberRule
from fewlabels.study.state.standing import Standing


def profile_for(population: Population, goals: Sequence[Goal]) -> tuple[Population, Profile]:
    """The population, with the risk that steers its draw if it needs one, and its profile. Raise for goals it does not support."""
    check_goals(population, goals)
    profile = open_engine(population).profile()
    if not population.is_joint or population.guide is not None or population.risk is not None:
        return population, profile
    risk = risk_of(profile, goals, [c.name for c in population.classifiers])
    steered = replace(population, risk=risk)
    return steered, open_engine(steered).profile()


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
    """Raise unless the population has the classifiers, weights and labels that the goals name."""
    for goal in for_each(goals, [c.name for c in population.classifiers]):
        metric = goal.definition
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
