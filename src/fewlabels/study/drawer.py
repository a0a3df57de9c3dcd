"""A study that draws what its plan says: whole plans at once, the rest after a pilot, reserves of online plans.

Main path: population > profile > plan > [draw] > labels > estimate > decision > report
"""

from fewlabels.errors import StudyError
from fewlabels.study.draw.fixed import draw_body, draw_plan
from fewlabels.study.draw.offline import Texts, handed_draw, place_for, study_texts, units_before
from fewlabels.study.draw.online import held, refuse_handed, reserve_body
from fewlabels.study.labels.record import record
from fewlabels.study.plan.online import refuse_online
from fewlabels.study.plan.pilot import plan_rest
from fewlabels.study.reporter import Reporter
from fewlabels.study.state.following import carried
from fewlabels.study.state.replay import replay


class Drawer(Reporter):
    """What a study does of itself before units are asked."""

    def _plan_rest(self) -> None:
        """Plans what follows a pilot once all of its units are resolved."""
        with self._ledger.writing(self.name) as act:
            standing = replay(act.entries())
            if standing.is_drawn and standing.plan.is_pilot and not standing.unresolved:
                plan = plan_rest(standing)
                act.append("plan", key=f"plan:{plan.number}", body={"plan": plan.as_json(), "hash": plan.hash})

    def texts(self, *, dialect: str | None = None, table: str | None = None) -> Texts:
        """What an engine that fewlabels does not open is asked: the profile, and the draw of the plan in force unless it is drawn.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> study = small_study(labeled=False)
            >>> texts = study.texts(dialect="bigquery", table="risk.scored")
            >>> texts.dialect, texts.draw is None
            ('bigquery', False)
        """
        refuse_online(self.standing.plan, "a printed query")
        self._plan_rest()
        return study_texts(self.standing, place_for(self.standing.read_population(), dialect=dialect, table=table))

    def draw_from(self, path: str) -> None:
        """Draws the plan in force from a file, the result of the draw query that `texts` gives. Nothing is done if it is drawn.

        Examples:
            >>> import fewlabels, duckdb, tempfile
            >>> table = {"id": list(range(100)), "score": [i / 100 for i in range(100)]}
            >>> population = fewlabels.read_population(table, score="score", threshold=0.5)
            >>> study = fewlabels.Study.create("far away", population, goals=["f1 +-0.2"], ledger="sqlite:///:memory:")
            >>> plan = study.plan(20)
            >>> far = duckdb.sql("select i as id, i / 100 as score from range(100) t(i)")  # where fewlabels does not connect
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     duckdb.sql(study.texts(dialect="duckdb", table="far").draw).write_csv(f"{folder}/drawn.csv")
            ...     study.draw_from(f"{folder}/drawn.csv")
            >>> study.standing.is_drawn
            True
        """
        self._draw(path)

    def _fill_reserve(self, units: int) -> None:
        """Holds more units of each band in reserve, for an online plan; nothing if somebody else did so meanwhile."""
        standing = self.standing
        body = reserve_body(self._engine(standing, self._table), standing, units)
        with self._ledger.writing(self.name) as act:
            if body is not None and held(replay(act.entries())) == held(standing):
                act.append("reserve", key=f"reserve:{held(standing)}", body=body)

    def _draw(self, handed: str | None = None) -> None:
        """Draws the plan in force unless it is drawn."""
        if self.standing.plan.is_pilot:
            self._plan_rest()
        standing = self.standing
        plan = standing.plan
        if plan.is_online:
            refuse_handed(handed)
            if standing.reserve is None:
                self._fill_reserve(0)
            return
        if standing.is_drawn:
            return
        engine = handed_draw(standing, handed) if handed is not None else self._engine(standing, self._table)
        taken = draw_plan(engine, standing.profile, plan, units_before(standing))
        with self._ledger.writing(self.name) as act:
            standing = replay(act.entries())
            if standing.plan.hash != plan.hash:
                raise StudyError(f"study {self.name!r} was planned anew while it was drawn: ask again")
            act.append("draw", key=f"draw:{plan.number}", body=draw_body(plan, taken, standing))
            if standing.follows is not None:
                record(act, carried(self._ledger, replay(act.entries())), correct=False, drawn_only=True)
