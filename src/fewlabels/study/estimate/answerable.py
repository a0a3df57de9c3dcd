"""What a study's draw can estimate: whether an unplanned goal may be judged on it, and which labels the goal depends on."""

import numpy as np

from fewlabels.errors import StudyError
from fewlabels.nouns.arrays import BoolArray
from fewlabels.nouns.goal import Goal
from fewlabels.nouns.stopping import Stopping
from fewlabels.nouns.works_with import Trait, require
from fewlabels.planning.contests import Contest
from fewlabels.planning.goal_scope import ask_of
from fewlabels.planning.online import refuse_goals
from fewlabels.planning.thin_cells import refuse_thin
from fewlabels.study.plan.looks import holds_at_looks
from fewlabels.study.population.profile import check_goals
from fewlabels.study.population.sample import refuse_one_sided
from fewlabels.study.state.standing import Standing
from fewlabels.study.state.tallies import Answers


def refuse_unanswerable(standing: Standing, goal: Goal) -> None:
    """Raise unless the population has what the goal names and the draw covers the units it is about."""
    check_goals(standing.read_population(), [goal])
    ask_of(standing.profile, goal, names=standing.classifiers, slices=standing.population["slices"])
    plan = standing.plan
    if plan.kind == "online":
        _refuse_online(standing, goal)
        return
    if plan.kind == "planned looks" and not holds_at_looks(goal.metric):
        raise StudyError(f"planned looks were not shown to hold for {goal.metric}: gate on precision or accuracy, or plan one look")
    if plan.elsewhere is not None:
        refuse_one_sided(standing.profile, [goal])
    if plan.pilot is not None and standing.position(goal.classifier):  # with a pilot, no metric is of several classifiers
        raise StudyError(f"after a pilot only the first classifier is judged, but the rule is about {goal.classifier}: make a study for it")
    if goal.is_difference:
        _refuse_pair(standing, goal)
    design = standing.plans[0].design if plan.guide is not None else plan.design
    if (design.band[cells_about(standing, goal)] < 0).any():
        raise StudyError(
            f"the draw leaves out units that {goal} is about: add it as a goal (fewlabels plan --study {standing.name} --goal ...), or "
            "leave the rule out"
        )


def _refuse_pair(standing: Standing, goal: Goal) -> None:
    """Raise if the draw guarantees too few labels for a difference."""
    require("comparison", standing.traits)
    names = (str(goal.classifier), str(goal.over))
    contest = Contest(standing.profile, goal.definition, *(standing.position(name) for name in names))
    if not (standing.plan.design.band[contest.needed] < 0).any():
        refuse_thin(contest, standing.plan.design, standing.plan.budget, names=names)


def _refuse_online(standing: Standing, goal: Goal) -> None:
    """Raise unless an online study has a confidence sequence (running band) for the goal."""
    if _about(standing, goal) not in [_about(standing, planned) for planned in standing.plan.goals]:
        said = ", ".join(map(str, standing.plan.goals))
        raise StudyError(f"an online study has running bands for its goals only ({said}), but the rule is {goal}: make a study for it")
    refuse_goals([goal], Stopping(kind="width" if goal.kind == "+-" else "decision"))


def _about(standing: Standing, goal: Goal) -> tuple[object, ...]:
    """What a goal is about, without its target."""
    return goal.definition.name, standing.position(goal.classifier), goal.slice, goal.over


def cells_about(standing: Standing, goal: Goal) -> BoolArray:
    """The profile cells whose units must be labeled for a goal."""
    ask = ask_of(standing.profile, goal, names=standing.classifiers, slices=standing.population["slices"])
    found = ask.cells.copy()
    if ask.has_value:  # otherwise every cell counts
        found[ask.cells] = ask.needed
    return found


def rows_about(standing: Standing, answers: Answers, goal: Goal) -> tuple[BoolArray, list[int]]:
    """The answers a goal is about, and the classifiers (columns) whose answers it reads."""
    rows = np.asarray(cells_about(standing, goal)[answers.cell])
    if Trait.JOINT in goal.traits:
        return rows, list(range(len(standing.classifiers)))
    return rows, [standing.position(name) for name in goal.judged]
