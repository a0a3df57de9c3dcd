"""A study that takes in classifiers and goals that came later. Labels are kept, units only added.

Main path: population > profile > [plan] > [draw] > labels > estimate > decision > report
"""

from collections.abc import Sequence

from fewlabels.engines.opening import open_engine
from fewlabels.errors import PlanError, StudyError
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.classifier import Classifier
from fewlabels.nouns.goal import Goal
from fewlabels.nouns.plan import Plan
from fewlabels.study.drawer import Drawer
from fewlabels.study.plan.extension import Reuse, extended_population, extension_body, extension_plan, reuse
from fewlabels.study.plan.online import refuse_online
from fewlabels.study.population.profile import read_goals
from fewlabels.study.state.replay import extend_standing, replay
from fewlabels.study.state.standing import Standing


class Extender(Drawer):
    """What a study does when something new is to be judged by the labels it has."""

    def reuse(self, *, classifiers: Sequence[Classifier] = (), goals: Sequence[str | Goal] = ()) -> Reuse:
        """What the labels already say of classifiers and goals that came later, and how many more they need. Nothing is recorded.

        Examples:
            >>> import fewlabels
            >>> from fewlabels.demo.study import small_study
            >>> study = small_study()
            >>> stricter = fewlabels.Classifier("stricter", score="score", threshold=0.85)
            >>> found = study.reuse(classifiers=[stricter], goals=["precision >= 0.5 for stricter"])
            >>> found.held, found.added
            (40, 0)
        """
        standing, body = self._extension(classifiers, goals)
        return reuse(extend_standing(standing, body))

    def extend(self, *, classifiers: Sequence[Classifier] = (), goals: Sequence[str | Goal] = (), budget: int | None = None) -> Plan:
        """Takes in classifiers (or another threshold of one: a classifier of another name) and goals; every label is kept.

        budget counts the units drawn so far and those added; not said: none is added, and the labels there are answer as well as they can.

        Examples:
            >>> import fewlabels
            >>> from fewlabels.demo.study import small_study
            >>> study = small_study()
            >>> stricter = fewlabels.Classifier("stricter", score="score", threshold=0.85)
            >>> study.extend(classifiers=[stricter]).change
            'extension'
            >>> study.status().progress.labels  # nobody was asked again
            40
        """
        standing, body = self._extension(classifiers, goals)
        with self._ledger.writing(self.name) as act:
            if replay(act.entries()).plan.hash != standing.plan.hash:
                raise StudyError(f"study {self.name!r} was planned anew meanwhile: extend it again")
            wider = extend_standing(standing, body)
            plan = extension_plan(wider, len(standing.units or ()) if budget is None else budget)
            act.append("extension", key=f"extension:{plan.number}", body=body)
            act.append("plan", key=f"plan:{plan.number}", body={"plan": plan.as_json(), "hash": plan.hash})
        self._draw()
        return plan

    def _extension(self, classifiers: Sequence[Classifier], goals: Sequence[str | Goal]) -> tuple[Standing, dict[str, Json]]:
        """Where the study stands, and what the ledger would keep of an extension."""
        refuse_online(self.standing.plan, "taking in a classifier or a goal")
        self._draw()
        standing = self.standing
        level = standing.goals[0].level
        wanted = read_goals(goals, level) if goals else ()
        if any(goal.level != level for goal in wanted):
            raise PlanError(f"goals of one study share a level, {level:g}, but got another: leave it out")
        population = extended_population(standing, classifiers, wanted, self._table)
        return standing, extension_body(standing, open_engine(population), population, wanted)
