"""From a population and its goals to a profile. Several labels or classes are profiled twice: what the goals need decides the risk."""

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
    """The population with the risk that steers its draw, where it needs one, and its profile. Refuses goals it cannot answer for."""
    check_goals(population, goals)
    profile = open_engine(population).profile()
    if not population.is_joint or population.guide is not None or population.risk is not None:
        return population, profile
    risk = risk_of(profile, goals, [c.name for c in population.classifiers])
    steered = replace(population, risk=risk)
    return steered, open_engine(steered).profile()


def number_rule_of(population: Population, profile: Profile, asked: NumberRule | None, leader: Standing | None = None) -> NumberRule:
    """How permanent numbers are made: as asked for, as in the study that is followed, or by md5. Refuses ids the fast rule cannot take."""
    if leader is not None and asked not in (None, leader.number_rule):
        raise StudyError(f"a study has the numbers of the one it follows, by {leader.number_rule}, but {asked} is asked for: leave it out")
    rule = asked or (leader.number_rule if leader else "md5")
    if rule not in NUMBER_RULES:
        raise StudyError(f"permanent numbers are made by {' or '.join(NUMBER_RULES)}, but got {rule!r}: choose one of these")
    if rule == "fast":
        _refuse_wide_ids(population.id, dict(profile.columns)[population.id], profile)
    return rule


def _refuse_wide_ids(column: str, type_: str, profile: Profile) -> None:
    """Nothing comes back. Refuses ids that are not 64-bit integers."""
    if type_ != "int":
        raise StudyError(f"the fast number is of 64-bit integer ids, but {column!r} is {type_}: use md5, or name a column of integers")
    for end in (profile.smallest_id, profile.largest_id):
        if not -(2**63) <= int(end) < 2**63:
            raise StudyError(f"the fast number is of 64-bit integer ids, but {column!r} holds {end}: use md5, or name another column")


def check_goals(population: Population, goals: Sequence[Goal]) -> None:
    """Nothing comes back. Refuses a goal of a classifier, weight or several labels the population does not have."""
    for goal in for_each(goals, [c.name for c in population.classifiers]):
        metric = goal.definition
        population.refuse_unknown_weight(metric)
        population.classifier(goal.classifier)
        population.classifier(goal.over)
        if metric.joint and not population.is_joint:
            raise PlanError(
                f"{metric.name} is of several labels or classes together, but the population has {len(population.classifiers)} classifier "
                "with one question: name several classifiers with a question or a class each"
            )
        if metric is CLASS_ACCURACY and population.classifiers[0].value is None:
            raise PlanError(
                f"{metric.name} is of classes, of which a unit has one, but the population has labels that a unit may have several of: "
                "ask for micro[f1], macro[f1] or weighted[f1]"
            )
        if population.is_joint and metric.weight is not None:
            raise PlanError(f"several labels or classes are judged in units, but {goal} is by {metric.weight}: make a study of its own")


def read_goals(goals: str | Goal | Sequence[str | Goal], level: float) -> tuple[Goal, ...]:
    """Goals as objects, of one level; one alone is a text or a Goal. Raise PlanError for anything else, and for none."""
    each = (goals,) if isinstance(goals, str | Goal) else tuple(goals) if isinstance(goals, Iterable) else (goals,)
    for goal in each:
        if not isinstance(goal, str | Goal):
            raise PlanError(f'a goal is a text such as "precision >= 0.9", or a Goal, but got {goal!r}: write it so')
    wanted = tuple(parse_goal(g, level=level) if isinstance(g, str) else g for g in each)
    if not wanted:
        raise PlanError('a study needs a goal, but got none: "precision +-0.03" or "recall >= 0.90"')
    if len({g.level for g in wanted}) > 1:
        raise PlanError(f"goals of one study share a level, but got {sorted({g.level for g in wanted})}: choose one")
    return wanted
