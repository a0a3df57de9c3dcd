"""What can be read of a study: where it stands, its numbers, its verdict. Nothing is planned, drawn or labeled here.

Main path: population > profile > plan > draw > labels > [estimate] > [decision] > report
"""

from collections.abc import Sequence
from pathlib import Path

from fewlabels.engines.base import Engine
from fewlabels.engines.opening import open_engine
from fewlabels.errors import StudyError
from fewlabels.nouns.canonical import fingerprint
from fewlabels.nouns.decision import Decision
from fewlabels.nouns.gate import Gate, refused
from fewlabels.nouns.policy import Policy
from fewlabels.nouns.population import MEMORY
from fewlabels.study.decision.gate_record import hold, read_policy
from fewlabels.study.estimate.confusion import ConfusionCell, read_confusion
from fewlabels.study.estimate.convergence import Shrinking, read_shrinking
from fewlabels.study.estimate.labelers import Labelers, read_labelers
from fewlabels.study.estimate.metrics import Estimates, look_body, read_decision, read_estimates
from fewlabels.study.estimate.online import Running, read_running
from fewlabels.study.estimate.status import Status, read_status
from fewlabels.study.explorer import Explorer
from fewlabels.study.state.replay import replay
from fewlabels.study.state.standing import Standing
from fewlabels.study.verify import Verification, verify


class Reader(Explorer):
    """A study as its ledger has it."""

    @property
    def written(self) -> int:
        """How many entries the ledger has of the study: nothing has changed while it stays the same.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> study = small_study(labeled=False)
            >>> before = study.written
            >>> batch = study.ask(5)
            >>> study.written > before
            True
        """
        return self._ledger.last(self.name)

    @property
    def inherited(self) -> int:
        """Units whose answers were carried over from the studies this one follows: answered, and never handed out.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> study = small_study()
            >>> study.inherited  # it follows no other study
            0
        """
        standing = self.standing
        return sum(unit not in standing.asked for unit in standing.answers) if standing.follows is not None else 0

    def status(self) -> Status:
        """How far the study is, and what a reader must know; no interval.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> study = small_study(labeled=False)
            >>> status = study.status()
            >>> status.progress.planned, status.progress.labels, status.looks
            (40, 0, 0)
        """
        return read_status(self.standing, table=self._table)

    def estimate(self, *, peek: bool = False) -> Estimates:
        """Every metric the draw can answer for, with interval and effective n, at the plan's look; before it only progress.

        peek=True shows numbers early, marked as not holding at their level, and records that they were seen.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> study = small_study()
            >>> print(study.estimate()["precision"])
            precision of new 0.750 [0.750, 0.750] at 95.0%, 12 labels, effective n 12
        """
        return self._look(peek=peek)[1]

    def running(self) -> Running:
        """Where an online study stands now: running bands, each goal, and how many more labels it should take. Looking costs nothing.

        Examples:
            >>> import fewlabels
            >>> table = {"id": ["a", "b", "c", "d"], "score": [0.9, 0.8, 0.3, 0.1]}
            >>> population = fewlabels.read_population(table, score="score", threshold=0.5)
            >>> study = fewlabels.Study.create("online", population, goals=["accuracy >= 0.5"], ledger="sqlite:///:memory:")
            >>> plan = study.plan(4, stopping="decision")
            >>> study.running().outcome, study.running().labels
            ('label more', 0)
        """
        standing = self.standing
        if not standing.plan.is_online:
            raise StudyError(f"study {self.name!r} has no running band, for it was not planned with one: see its status, or its estimate")
        return read_running(standing, forecast=True)

    def confusion(self, *, peek: bool = False) -> tuple[ConfusionCell, ...]:
        """Of the units given each class, the share that truly is of each, with intervals; empty before the plan's look.

        Examples:
            >>> import fewlabels
            >>> table = {"id": ["a", "b", "c", "d"], "label": ["cat", "cat", "dog", "dog"]}
            >>> animals = [fewlabels.Classifier(name, predicted="label", value=name) for name in ("cat", "dog")]
            >>> population = fewlabels.read_population(table, classifiers=animals)
            >>> study = fewlabels.Study.create("animals", population, goals=["accuracy +-0.1"], ledger="sqlite:///:memory:")
            >>> plan, told = study.plan(4), study.tell({unit: "dog" if unit > "a" else "cat" for unit in study.ask().units})
            >>> [(cell.predicted, cell.true, cell.count) for cell in study.confusion()]
            [('cat', 'cat', 1.0), ('cat', 'dog', 1.0), ('dog', 'cat', 0.0), ('dog', 'dog', 2.0)]
        """
        standing, shown = self._look(peek=peek)
        return read_confusion(standing) if shown.estimates else ()

    def decide(self, *, peek: bool = False) -> Decision | None:
        """Ship, do not ship or label more, with reasons; None before the plan's look.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> study = small_study()
            >>> decision = study.decide()
            >>> decision.outcome, [goal.status for goal in decision.goals]
            ('ship', ['met', 'met'])
        """
        standing, shown = self._look(peek=peek)
        return read_decision(standing, shown) if shown.estimates else None

    def gate(self, policy: Policy | str | Path) -> Gate:
        """The policy (or the file it is in) held against the study: ship, label more, do not ship, or invalid.

        Nothing is shown before the plan's look. A ledger that does not verify makes the gate invalid. Numbers shown are a look; the same
        shown again are one.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> from fewlabels.nouns.policy import parse_policy
            >>> policy = parse_policy('rule = [{metric = "precision", target = ">= 0.7"}]')
            >>> found = small_study().gate(policy)
            >>> found.verdict, found.exit_code
            ('ship', 0)
        """
        policy, checked = policy if isinstance(policy, Policy) else read_policy(policy), self._sound()
        return hold(self._ledger, self.name, policy) if checked.passed else refused(self.name, checked.findings, policy=policy)

    def _sound(self) -> Verification:
        """Whether all is as it was recorded that a new number rests on."""
        return verify(self._ledger.entries(self.name, anew=True), open_population=None, looks=False)

    def shrinking(self) -> Shrinking:
        """How the interval of each goal shrank as labels came in; nothing before the plan's look, which this is.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> study = small_study(labeled=False)
            >>> study.shrinking().why
            'no interval before all 40 planned units are resolved, 0 are'
        """
        standing, _ = self._look(peek=False)
        return read_shrinking(standing)

    def labelers(self) -> Labelers:
        """How each labeler works: answers, speed, agreement with the others and with gold.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> study = small_study()
            >>> for labeler in study.labelers().labelers:
            ...     print(labeler.name, labeler.units, labeler.answers)
            anonymous 40 {'no': 29, 'yes': 11}
        """
        return read_labelers(self.standing, self._ledger.seconds(self.name))

    def verify(self, *, population: bool = False, table: object | None = None) -> Verification:
        """Recomputes hashes, seals, estimates and, with population=True, the fingerprint and the draw.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> study = small_study()
            >>> study.verify().passed
            True
        """
        entries = self._ledger.entries(self.name, anew=True)
        held = table if table is not None else self._table
        return verify(entries, open_population=(lambda standing: self._engine(standing, held)) if population else None)

    def fetch(self, units: Sequence[str], *, columns: Sequence[str]) -> list[dict[str, str | None]]:
        """Columns of given units for labelers. Scores, predictions and the guide are refused: labelers are blind.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> study = small_study()
            >>> study.fetch(["small-7"], columns=["text", "country"])
            [{'text': 'made-up message number 7', 'country': 'BR'}]
        """
        self.refuse_hidden(columns)
        return self._engine(self.standing, self._table).fetch(units, columns=columns)

    def refuse_hidden(self, columns: Sequence[str]) -> None:
        """Nothing comes back. Refuses columns that would show a labeler a score, a prediction or the guide.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> study = small_study()
            >>> study.refuse_hidden(["text", "country"])  # labelers may see both
        """
        hidden = sorted(self.standing.read_population().hidden_columns & set(columns))
        if hidden:
            raise StudyError(f"labelers see no score, prediction or guide, but {', '.join(hidden)} was asked for: leave it out of --show")

    def _engine(self, standing: Standing, table: object | None) -> Engine:
        population = standing.read_population(table)
        if population.source == MEMORY and table is None:
            raise StudyError(f"the population of {self.name!r} is held in memory: pass it again, Study.load({self.name!r}, table=...)")
        return open_engine(population)

    def _look(self, *, peek: bool) -> tuple[Standing, Estimates]:
        """Where the study stands and what it shows, written as a look before it is seen; the same numbers seen again are one look.

        Numbers are computed outside the act, so that nobody waits for them, and again if an entry came in between.
        """
        while True:
            entries = self._ledger.entries(self.name)
            standing = replay(entries)
            shown = read_estimates(standing, peek=peek)
            if not shown.estimates:
                return standing, shown
            body = look_body(standing, shown)
            with self._ledger.writing(self.name) as act:
                if len(act.entries()) == len(entries):
                    act.append("look", key=f"look:{fingerprint(body)}", body=body)
                    return standing, shown
