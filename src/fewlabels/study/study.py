"""Study: evaluate goals on one population until they are decided. Plan, ask, tell, estimate, decide, report; resume by name."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

from fewlabels.errors import DrawError, PlanError, StudyError
from fewlabels.estimators.agreement import TruthRule
from fewlabels.ledgers.base import Ledger, Writing
from fewlabels.ledgers.opening import DEFAULT_LEDGER, open_ledger
from fewlabels.nouns.canonical import Json, fingerprint
from fewlabels.nouns.classifier import Classifier
from fewlabels.nouns.display import html_of
from fewlabels.nouns.estimate import USUAL_INTERVAL
from fewlabels.nouns.goal import DEFAULT_LEVEL, Goal
from fewlabels.nouns.late import Late
from fewlabels.nouns.plan import Plan
from fewlabels.nouns.population import MEMORY, Population
from fewlabels.nouns.process import About
from fewlabels.nouns.profile import Profile
from fewlabels.nouns.stopping import ONLINE, Stopping, parse_stopping
from fewlabels.nouns.works_with import Trait, require
from fewlabels.randomness import NumberRule
from fewlabels.study.decision.results import Results
from fewlabels.study.kinds import State, kind_of
from fewlabels.study.state.followed import FollowedStudy
from fewlabels.study.state.following import carried
from fewlabels.study.state.progress import Progress, planned_labels, progress
from fewlabels.study.state.register import Register
from fewlabels.study.state.replay import extend_standing
from fewlabels.study.state.standing import Batch, Standing

# Subpackages are imported inside the methods that need them, so that a command loads only what it uses: `fewlabels status` needs no SciPy.
if TYPE_CHECKING:
    from fewlabels.deciding.thresholds import FoundThreshold
    from fewlabels.engines.base import Engine, Taken
    from fewlabels.nouns.decision import Decision
    from fewlabels.nouns.design import Design, DesignName
    from fewlabels.nouns.estimate import Estimate
    from fewlabels.nouns.gate import Gate
    from fewlabels.nouns.known import Training
    from fewlabels.nouns.policy import Policy
    from fewlabels.study.draw.offline import Texts
    from fewlabels.study.estimate.comparison import Comparison, Ranked
    from fewlabels.study.estimate.confusion import ConfusionCell
    from fewlabels.study.estimate.convergence import Convergence
    from fewlabels.study.estimate.estimates import Estimates
    from fewlabels.study.estimate.labelers import Labelers
    from fewlabels.study.estimate.online import Running
    from fewlabels.study.estimate.periods import Change, Watched
    from fewlabels.study.estimate.slices import InSlices
    from fewlabels.study.estimate.status import Status
    from fewlabels.study.estimate.thresholds import Curves
    from fewlabels.study.estimate.weighed import WeighedAnswers
    from fewlabels.study.labels.record import Told
    from fewlabels.study.plan.extension import Reuse
    from fewlabels.study.report.overview import Overview
    from fewlabels.study.verify import Verification


class Study:
    """One study in one ledger. Every method rereads the current state, so several processes may work on it at once.

    Examples:
        >>> import fewlabels
        >>> table = {"id": ["a", "b", "c", "d"], "score": [0.9, 0.8, 0.3, 0.1]}
        >>> population = fewlabels.read_population(table, score="score", threshold=0.5)
        >>> study = fewlabels.Study.create("week 1", population, goals=["accuracy >= 0.5"], ledger="sqlite:///:memory:")
        >>> plan = study.plan(4)
        >>> study.tell({unit: unit in "ab" for unit in study.ask().units}).recorded
        4
        >>> study.decide().outcome
        'ship'
    """

    def __init__(self, name: str, ledger: Ledger, table: object | None = None) -> None:
        """Use `Study.create` or `Study.load`."""
        self.name, self._ledger, self._table = name, ledger, table
        self.followed = FollowedStudy(ledger, name)
        self._results = Results(self.followed)

    def __repr__(self) -> str:
        """The name of the study."""
        return f"Study({self.name!r})"

    def _repr_html_(self) -> str | None:
        """Progress for a notebook: what `status` shows, and no number that would count as a look."""
        return html_of(self)

    @classmethod
    def create(  # noqa: PLR0913 - one keyword for each setting of a new study
        cls,
        name: str,
        population: Population,
        *,
        goals: str | Goal | Sequence[str | Goal],
        ledger: str | Ledger = DEFAULT_LEDGER,
        level: float = DEFAULT_LEVEL,
        rule: TruthRule | None = None,
        follows: str | None = None,
        number_rule: NumberRule | None = None,
        about: About | None = None,
        late: Late | None = None,
        profile: Profile | None = None,
        known: object | None = None,
        known_positive: object | None = None,
        known_check: float = 0.0,
        known_in_training: Training = "unknown",
    ) -> Study:
        """Create a study: profile and fingerprint the population, then generate the salt (the random seed of the draw).

        rule decides which answer counts when several labelers see a unit: "first", "majority" or "unanimous". If omitted, "first", or the
        rule of an existing study. Repeating the same call has no further effect.

        follows names an earlier study in the same ledger (last week's): its permanent random numbers are inherited, so units in both tables
        are drawn in both, and an answer recorded there is not asked for again.

        number_rule selects how permanent numbers are computed: "md5" (the default) for any id, or "fast" for 64-bit integer ids, several
        times cheaper on large tables. profile is the population's profile, if it has been computed already.

        about selects what numbers are about: "table", the units of the table alone, or "process", units like these: next month's, other
        patients. If omitted, the process if the population names a cluster column, else the table.

        late says until when answers that arrive by themselves, such as chargebacks, may do so, and what a missing one means then.

        known are answers that exist already, of units chosen in any way, in any form that `tell` accepts; known_positive are units known
        to be positive, while nothing is known of others. They are recorded before the salt is made, count as they are, and are never
        drawn. known_check is the share of them labeled again, blind, whose answers are then taken as the truth. known_in_training says
        whether the classifier learned from them: "yes", "no" or "unknown".

        Examples:
            >>> import fewlabels
            >>> table = {"id": list(range(100)), "score": [i / 100 for i in range(100)]}
            >>> population = fewlabels.read_population(table, score="score", threshold=0.5)
            >>> study = fewlabels.Study.create("week 1", population, goals=["f1 +-0.1", "recall >= 0.7"], ledger="sqlite:///:memory:")
            >>> [str(goal) for goal in study.standing.goals]
            ['f1 +-0.1', 'recall >= 0.7']
        """
        from fewlabels.study.create import Settings, begin
        from fewlabels.study.labels.known import KnownAnswers
        from fewlabels.study.population.profile import read_goals

        if not name:
            raise StudyError(f"a study needs a name, got {name!r}: name it, for example after the classifier and the week")
        asked = Settings(
            goals=read_goals(goals, level),
            rule=rule,
            follows=follows,
            number_rule=number_rule,
            about=about,
            late=late,
            profile=profile,
            known=KnownAnswers(known, known_positive, known_check, known_in_training),
        )
        book = open_ledger(ledger) if isinstance(ledger, str) else ledger
        begun = begin(book, name, population, asked)
        made = cls(name, book, population.table)
        begun.refuse_other(made.standing)
        return made

    @classmethod
    def load(cls, name: str, *, ledger: str | Ledger = DEFAULT_LEDGER, table: object | None = None) -> Study:
        """Load a study by name. If its population is held in memory, pass the table again as `table`.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> import fewlabels
            >>> ledger = small_study("week 1").ledger  # or its address, such as "sqlite:///fewlabels.db"
            >>> fewlabels.Study.load("week 1", ledger=ledger).status().progress.labels
            40
        """
        book = open_ledger(ledger, create=False) if isinstance(ledger, str) else ledger
        if not book.last(name):
            known = ", ".join(book.studies()) or "none"
            raise StudyError(f"no study {name!r} in this ledger (it has: {known}): check the name, or name the ledger with --ledger")
        return cls(name, book, table)

    @property
    def ledger(self) -> Ledger:
        """The ledger that holds the study.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> study = small_study()
            >>> study.ledger.studies()
            ['small']
        """
        return self._ledger

    @property
    def standing(self) -> Standing:
        """The current state of the study, folded from its ledger entries.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> study = small_study()
            >>> study.standing.classifiers, len(study.standing.answers)
            (('new', 'old'), 40)
        """
        return self.followed.standing()

    @property
    def _written(self) -> int:
        """How many entries the ledger has for the study; while it stays the same, nothing has changed."""
        return self._ledger.last(self.name)

    @property
    def inherited(self) -> int:
        """Number of units whose answers were carried over from the studies this one follows: answered, but never handed out.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> study = small_study()
            >>> study.inherited  # it follows no other study
            0
        """
        standing = self.standing
        return sum(unit not in standing.asked for unit in standing.answers) if standing.follows is not None else 0

    # ---------------- plan

    def plan(
        self,
        budget: int,
        *,
        grow_to: int | None = None,
        pilot: int | None = None,
        design: DesignName | Design | None = None,
        interval: str | None = None,
        stopping: str | Stopping | None = None,
    ) -> Plan:
        """Lock a budget of labels before the first label is paid for. A later, larger budget only adds units.

        grow_to declares a larger budget now, so that a look (an interim analysis) at `budget` spends little of the error probability.
        design (a name, or a Design for more control) and interval are locked with the first plan. Unless told, the interval is "placed",
        valid wherever errors are; "rec" trusts scores that the labels bear out.

        stopping is the rule that ends the labeling; if omitted, there is one look when all labels are in. "decision", "decision +-0.02"
        (with a tolerance) and "width" choose units adaptively, and every look is free; "5 looks" plans five. Locked with the first plan.

        pilot draws that many units of the budget first; once they are answered, a guide is fitted to them and directs the rest of the draw.

        Examples:
            >>> import fewlabels
            >>> table = {"id": list(range(100)), "score": [i / 100 for i in range(100)]}
            >>> population = fewlabels.read_population(table, score="score", threshold=0.5)
            >>> study = fewlabels.Study.create("week 1", population, goals=["f1 +-0.1"], ledger="sqlite:///:memory:")
            >>> plan = study.plan(60, grow_to=80)
            >>> plan.budget, plan.grow_to, plan.interval
            (60, 80, 'placed')
        """
        from fewlabels.study.plan.next_plan import PlanWays, check_fixed, next_plan

        for what, labels in (("budget", budget), ("grow_to", grow_to), ("pilot", pilot)):
            if labels is not None and not isinstance(labels, int):
                raise PlanError(f"{what} must be a whole number of labels, got {labels!r}: round it")
        rule = parse_stopping(stopping) if isinstance(stopping, str) else stopping

        def locked(act: Writing, register: Register) -> Plan:
            standing = self.followed.standing_of(register)
            asked = {"growth": grow_to, "pilot": pilot, "online" if rule is not None and rule.kind in ONLINE else "planned looks": rule}
            for feature in (feature for feature, value in asked.items() if value is not None and Trait.ELSEWHERE in standing.traits):
                require(feature, standing.traits)
            check_fixed(standing, design, interval, pilot, rule)
            if standing.plans and planned_labels(standing) == budget and grow_to in (None, standing.plan.grow_to):
                return standing.plan
            ways = PlanWays(design or "bands", interval or USUAL_INTERVAL, pilot, rule)
            plan = next_plan(standing, budget=budget, grow_to=grow_to, ways=ways)
            act.append("plan", key=f"plan:{plan.number}", body={"plan": plan.as_json(), "hash": plan.hash})
            return plan

        return self.followed.act(locked)

    def preview_extension(self, *, classifiers: Sequence[Classifier] = (), goals: str | Goal | Sequence[str | Goal] = ()) -> Reuse:
        """Show what the labels at hand say about new classifiers and goals, and how many more they need. Nothing is recorded.

        Examples:
            >>> import fewlabels
            >>> from fewlabels.demo.study import small_study
            >>> study = small_study()
            >>> stricter = fewlabels.Classifier("stricter", score="score", threshold=0.85)
            >>> found = study.preview_extension(classifiers=[stricter], goals=["precision >= 0.5 for stricter"])
            >>> found.held, found.added
            (40, 0)
        """
        from fewlabels.study.plan.extension import reuse

        standing, body = self._extension(classifiers, goals)
        return reuse(extend_standing(standing, body))

    def extend(
        self, *, classifiers: Sequence[Classifier] = (), goals: str | Goal | Sequence[str | Goal] = (), budget: int | None = None
    ) -> Plan:
        """Add classifiers (or a new threshold of one, under another name) and goals; every label is kept.

        budget counts the units drawn so far plus those added. If omitted, no units are added, and the new goals rest on the labels at hand.

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
        from fewlabels.study.plan.extension import extension_plan

        standing, body = self._extension(classifiers, goals)

        def extended(act: Writing, register: Register) -> Plan:
            if register.plans[-1].hash != standing.plan.hash:
                raise StudyError(f"the plan of study {self.name!r} changed meanwhile: extend it again")
            wider = extend_standing(standing, body)
            plan = extension_plan(wider, len(standing.units or ()) if budget is None else budget)
            act.append("extension", key=f"extension:{plan.number}", body=body)
            act.append("plan", key=f"plan:{plan.number}", body={"plan": plan.as_json(), "hash": plan.hash})
            return plan

        plan = self.followed.act(extended)
        self._draw()
        return plan

    # ---------------- draw

    def sql(self, *, dialect: str | None = None, table: str | None = None) -> Texts:
        """Queries to run on an engine fewlabels cannot open: the profile, and the draw of the current plan unless it has been drawn.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> study = small_study(labeled=False)
            >>> texts = study.sql(dialect="bigquery", table="risk.scored")
            >>> texts.dialect, texts.draw is None
            ('bigquery', False)
        """
        from fewlabels.study.draw.offline import place_for, study_texts

        require("queries", self.standing.traits)
        self._plan_rest()
        return study_texts(self.standing, place_for(self.standing.read_population(), dialect=dialect, table=table))

    def draw_from(self, path: str) -> None:
        """Draw the current plan from a file: the result of the draw query returned by `sql`. Do nothing if it has been drawn.

        Examples:
            >>> import fewlabels, duckdb, tempfile
            >>> table = {"id": list(range(100)), "score": [i / 100 for i in range(100)]}
            >>> population = fewlabels.read_population(table, score="score", threshold=0.5)
            >>> study = fewlabels.Study.create("far away", population, goals=["f1 +-0.2"], ledger="sqlite:///:memory:")
            >>> plan = study.plan(20)
            >>> far = duckdb.sql("select i as id, i / 100 as score from range(100) t(i)")  # where fewlabels does not connect
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     duckdb.sql(study.sql(dialect="duckdb", table="far").draw).write_csv(f"{folder}/drawn.csv")
            ...     study.draw_from(f"{folder}/drawn.csv")
            >>> study.standing.is_drawn
            True
        """
        self._draw(path)

    def ask(self, units: int = 50, *, more: bool = False, second: bool = False, labeler: str | None = None) -> Batch | None:
        """The units to label now: the open batch until all of it is answered, then up to `units` more; None when nothing is left.

        more=True hands out new units even if earlier ones are still open. second=True also hands out, at the end, units that somebody else
        has to answer because two labelers must: with `labeler`, those that this labeler has not answered.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> study = small_study(labeled=False)
            >>> batch = study.ask(10)
            >>> batch.number, len(batch.units)
            (1, 10)
            >>> study.ask(10) == batch  # until it is answered
            True
        """
        if units < 1:
            raise PlanError(f"units must be at least 1, got {units}: request 1 or more")
        self._draw()

        def asked(act: Writing, register: Register) -> tuple[Batch | Literal["dry"] | None, int]:
            standing = self.followed.standing_of(register)
            return kind_of(standing).ask(act, standing, units, more=more, second=second, labeler=labeler), standing.held

        while True:
            batch, before = self.followed.act(asked)
            if batch != "dry":
                return batch
            self._fill_reserve(units)
            if self.standing.held == before:
                raise DrawError("a reserve that ran dry has to grow, but the engine gave no more units: this is a defect, please report it")

    def fetch(self, units: Sequence[str], *, columns: Sequence[str]) -> list[dict[str, str | None]]:
        """Fetch columns of the given units for labelers. Raise StudyError for scores, predictions and the guide: labelers are blind.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> study = small_study()
            >>> study.fetch(["small-7"], columns=["text", "country"])
            [{'text': 'made-up message number 7', 'country': 'BR'}]
        """
        self.standing.read_population().refuse_hidden(columns)
        return self._engine(self.standing, self._table).fetch(units, columns=columns)

    # ---------------- labels

    def tell(
        self,
        answers: object,
        *,
        correct: bool = False,
        ignore_undrawn: bool = False,
        as_of: str | None = None,
    ) -> Told:
        """Record answers, all or none. Recording the same answers again has no effect.

        answers is one of: a dict {unit: answer}; a pandas or Polars DataFrame with the columns unit (or the population's id column) and
        answer, and optionally labeler and at; a pandas Series of answers indexed by unit; Labels; or rows as dicts with the same names.
        With several questions, an answer is {question: answer}, or a row has one column per question.

        In a DataFrame or Series, a row without an answer (None, NaN or blank) is skipped, as in a file: its unit stays open. In a dict or
        a list of rows it is refused. correct=True lets a labeler replace an answer; ignore_undrawn=True skips rows of units that were not
        drawn. as_of is for answers that arrive by themselves: with these, all that arrived until that day (2026-12-31) are recorded.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> study = small_study(labeled=False)
            >>> rows = [{"unit": unit, "answer": "cannot tell", "labeler": "ada"} for unit in study.ask(2).units]
            >>> study.tell(rows)
            Told(recorded=2, known=0, corrected=0, undrawn=0)
            >>> study.tell(rows)
            Told(recorded=0, known=2, corrected=0, undrawn=0)
        """
        return self._tell(answers, correct=correct, ignore_undrawn=ignore_undrawn, gold=False, as_of=as_of)

    def tell_gold(self, answers: object, *, correct: bool = False, ignore_undrawn: bool = False) -> Told:
        """Record adjudicated (gold) answers to the units drawn by `adjudicate`, in any form that `tell` accepts.

        ignore_undrawn=True skips rows of units that were not drawn for gold.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> study = small_study(labeled=False)
            >>> study.tell_gold({unit: "yes" for unit in study.adjudicate(0.2)}).recorded
            9
        """
        return self._tell(answers, correct=correct, ignore_undrawn=ignore_undrawn, gold=True)

    def _tell(self, answers: object, *, correct: bool, ignore_undrawn: bool, gold: bool, as_of: str | None = None) -> Told:
        from fewlabels.study.labels.record import as_labels, as_of_body, record
        from fewlabels.study.labels.rows import AskedQuestions

        asked = self.followed.read(lambda register: AskedQuestions(register.questions, register.classes, register.population["id"]))
        labels = as_labels(answers, asked, gold=gold)

        def told(act: Writing, register: Register) -> Told:
            dated = None if as_of is None else as_of_body(self.followed.standing_of(register), as_of)
            found = record(act, labels, register, correct=correct, ignore_undrawn=ignore_undrawn, told_at=time.time())
            if dated is not None:
                act.append("as of", key=f"as of:{as_of}", body=dated)
            return found

        return self.followed.act(told)

    def adjudicate(self, share: float = 0.2) -> tuple[str, ...]:
        """The units to adjudicate (gold): a random share of the drawn units on each side, chosen without looking at labels.

        Calling it again with a larger share, or after a larger plan is drawn, only adds units. The order is random and carries no
        information.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> study = small_study(labeled=False)
            >>> gold = study.adjudicate(0.2)  # units for an expert
            >>> len(gold), study.status().progress.gold_planned
            (9, 9)
        """
        from fewlabels.study.draw.fixed import gold_units, shuffled

        require("gold", self.standing.traits)
        self._draw()

        def chosen(act: Writing, register: Register) -> tuple[str, ...]:
            standing = self.followed.standing_of(register)
            more = gold_units(standing, share)
            if more:
                kept = max(share, standing.gold_share)
                act.append("gold", key=f"gold:{fingerprint(list(more))}", body={"share": kept, "units": list(more)})
            return shuffled(standing.salt, [*standing.gold_units, *more])

        return self.followed.act(chosen)

    def close(self) -> Told:
        """Stop waiting for answers: record every planned or gold unit without an answer as never answered.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> study = small_study(labeled=False)
            >>> study.close().recorded
            40
            >>> study.status().progress.never_answered
            40
        """
        from fewlabels.study.labels.record import record

        self._draw()

        def closed(act: Writing, register: Register) -> Told:
            standing = self.followed.standing_of(register)
            labels = kind_of(standing).close(standing)
            act.drop_turns([label.unit for label in labels if not label.gold])
            return record(act, labels, register, correct=False, ignore_undrawn=False)

        return self.followed.act(closed)

    def labelers(self) -> Labelers:
        """Statistics of each labeler: answers, speed, agreement with the others and with gold.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> study = small_study()
            >>> for labeler in study.labelers().labelers:
            ...     print(labeler.name, labeler.units, labeler.answers)
            anonymous 40 {'no': 29, 'yes': 11}
        """
        from fewlabels.study.estimate.labelers import read_labelers

        standing = self.standing
        return read_labelers(standing, self._ledger.seconds(self.name), shown=kind_of(standing).shows(standing))

    # ---------------- estimate

    def progress(self) -> Progress:
        """How many labels are in: the part of the status that costs the same however many there are.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> study = small_study()
            >>> study.progress().labels, study.progress().complete
            (40, True)
        """
        return progress(self.standing)

    @property
    def state(self) -> State:
        """What the study waits for: no plan, labeling, waiting for gold, ready or decided.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> small_study(labeled=False).state, small_study().state
            ('labeling', 'ready')
        """
        standing = self.standing
        return kind_of(standing).state(standing, progress(standing))

    def status(self) -> Status:
        """Progress and warnings; no interval.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> study = small_study(labeled=False)
            >>> status = study.status()
            >>> status.progress.planned, status.progress.labels, status.looks
            (40, 0, 0)
        """
        from fewlabels.study.estimate.status import read_status

        standing = self.standing
        return read_status(standing, kind_of(standing), table=self._table)

    def estimate(self, *, peek: bool = False) -> Estimates:
        """Every metric the draw can estimate, with interval and effective n, at the plan's look; before that, only progress.

        peek=True shows numbers early, marked as not valid at their level, and records that they were seen.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> study = small_study()
            >>> print(study.estimate()["precision"])
            precision of new 0.750 [0.750, 0.750] at 95.0%, 12 labels, effective n 12
        """
        return self._results.look(peek=peek).shown

    def running(self) -> Running:
        """The current confidence sequences (running bands) of an online study, its goals, and the labels still expected. Looking is free.

        Examples:
            >>> import fewlabels
            >>> table = {"id": ["a", "b", "c", "d"], "score": [0.9, 0.8, 0.3, 0.1]}
            >>> population = fewlabels.read_population(table, score="score", threshold=0.5)
            >>> study = fewlabels.Study.create("online", population, goals=["accuracy >= 0.5"], ledger="sqlite:///:memory:")
            >>> plan = study.plan(4, stopping="decision")
            >>> study.running().outcome, study.running().labels
            ('label more', 0)
        """
        from fewlabels.study.estimate.online import read_running

        standing = self.standing
        require("running", standing.traits, subject=f"{self.name!r} has")
        return read_running(standing, forecast=True)

    def confusion(self, *, peek: bool = False) -> tuple[ConfusionCell, ...]:
        """The confusion matrix: of the units predicted as each class, the share truly in each, with intervals; empty before the look.

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
        from fewlabels.study.estimate.confusion import read_confusion

        seen = self._results.look(peek=peek)
        return self._results.once("confusion", seen, lambda: read_confusion(seen.standing)) if seen.shown.estimates else ()

    def slices(
        self, metric: str, *, by: str | Sequence[str], classifier: str | None = None, simultaneous: bool = False, peek: bool = False
    ) -> InSlices:
        """A metric in every slice of one column or of crossed columns, planned or not; simultaneous=True: simultaneous intervals.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> study = small_study()
            >>> for found in study.slices("recall", by=["country"]).estimates:
            ...     print(found)
            recall of new in country=BR 0.889 [0.889, 0.889] at 95.0%, 30 labels, effective n 30
            recall of new in country=DE 0.500 [0.500, 0.500] at 95.0%, 10 labels, effective n 10
        """
        columns = [by] if isinstance(by, str) else list(by)
        asked = {"kind": "slices", "metric": metric, "by": columns, "classifier": classifier, "simultaneous": simultaneous}
        return cast("InSlices", self._results.asked(asked, peek=peek))

    def answers(self, *paths: str | Path, weights: bool = True, peek: bool = False) -> WeighedAnswers:
        """Every answer with its inclusion probability, weight, band and band size, also written to the given files (.csv, .parquet).

        With these a survey package computes value and standard error of any metric by itself. That is a look, recorded as by `estimate`:
        before the plan's look they are refused, unless peek=True. weights=False leaves the weights out.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> found = small_study().answers()
            >>> dict(zip(found.columns, found.rows[0]))["weight"]
            1.0
        """
        from fewlabels.study.report.answers import ending_of, write_answers

        wanted = [Path(path) for path in paths]
        for path in wanted:
            ending_of(path)
        found = cast("WeighedAnswers", self._results.asked({"kind": "answers", "weights": weights}, peek=peek))
        for path in wanted:
            write_answers(found, path)
        return found

    def compare(self, first: str, second: str, *, metric: str = "f1", peek: bool = False) -> Comparison:
        """The metric of the first classifier minus that of the second on the same units, and which is shown to be better.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> study = small_study()
            >>> found = study.compare("new", "old", metric="f1")
            >>> round(found.estimate.value, 3), found.better
            (0.348, 'new')
        """
        return cast(
            "Comparison", self._results.asked({"kind": "comparison", "metric": metric, "first": first, "second": second}, peek=peek)
        )

    def rank(self, metric: str = "f1", *, classifiers: Sequence[str] = (), peek: bool = False) -> Ranked:
        """Which classifiers (by default, all) are better than which; at the study's level, none of these claims is false.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> study = small_study()
            >>> found = study.rank("f1")
            >>> found.better, found.best
            ((('new', 'old'),), ('new',))
        """
        return cast("Ranked", self._results.asked({"kind": "ranking", "metric": metric, "classifiers": list(classifiers)}, peek=peek))

    def curves(self, *, classifier: str | None = None, peek: bool = False) -> Curves:
        """Precision and recall at every threshold of a classifier whose score guides the draw, with pointwise and simultaneous bands.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> study = small_study()
            >>> found = study.curves()
            >>> for units, precision in zip(found.units, found.curves["precision"]["value"]):
            ...     print(units, round(precision, 3))
            12 0.75
            23 0.478
            28 0.393
            33 0.333
            40 0.275
        """
        return cast("Curves", self._results.asked({"kind": "curves", "classifier": classifier}, peek=peek))

    def find_threshold(self, metric: str, target: float, *, classifier: str | None = None, peek: bool = False) -> FoundThreshold:
        """The lowest threshold found with precision at least the target, or the highest for recall; the guarantee allows for the search.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> study = small_study()
            >>> found = study.find_threshold("precision", 0.6)
            >>> round(found.threshold, 3), found.units, found.value
            (0.707, 12, 0.75)
        """
        from fewlabels.study.estimate.thresholds import IN_FORCE

        asked: dict[str, Json] = {"kind": "threshold", "metric": metric, "target": target, "classifier": classifier, "interval": IN_FORCE}
        return cast("FoundThreshold", self._results.asked(asked, peek=peek))

    def change(self, since: Study, metric: str, *, classifier: str | None = None) -> Change:
        """The metric here minus that in an earlier study; the interval accounts for the units that both drew.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> before, after = small_study("week 1"), small_study("week 2")
            >>> found = after.change(before, "recall")
            >>> found.value, found.labels, found.shared
            (0.0, (40, 40), 0)
        """
        from fewlabels.study.estimate.periods import asked_change

        return cast("Change", self._results.asked(asked_change(since.standing, self.standing, metric, classifier), peek=False))

    def window(self, earlier: Sequence[Study], metric: str, *, classifier: str | None = None) -> Estimate:
        """The metric over the pooled units of several studies, for events too rare to measure in one; no unit may be in two of them.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> before, after = small_study("week 1"), small_study("week 2")
            >>> print(after.window([before], "recall"))
            recall of new in studies=week 1, week 2 0.818 [0.818, 0.818] at 95.0%, 80 labels, effective n 80
        """
        from fewlabels.study.estimate.periods import asked_periods

        asked = asked_periods("window", [one.standing for one in earlier], self.standing, metric, classifier)
        return cast("Estimate", self._results.asked(asked, peek=False))

    def alarm(
        self,
        earlier: Sequence[Study],
        metric: str,
        *,
        floor: float,
        classifier: str | None = None,
        error: float = 0.05,
        run_length: float | None = None,
    ) -> Watched:
        """Watch the metric over several studies: whether the alarm has rung because it fell below the floor.

        The probability that it ever rings falsely is at most `error`; with run_length, the mean time to a false alarm is instead at least
        that many periods.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> before, after = small_study("week 1"), small_study("week 2")
            >>> found = after.alarm([before], "recall", floor=0.7)
            >>> found.says
            'as long as recall is at least 0.7 in every period, it ever rings with probability at most 0.05'
            >>> print(found.rang)
            None
        """
        from fewlabels.study.estimate.periods import asked_periods

        promise = "ever" if run_length is None else "run length"
        how: dict[str, Json] = {"floor": floor, "promise": promise, "error": error, "run_length": run_length}
        asked = asked_periods("alarm", [one.standing for one in earlier], self.standing, metric, classifier, **how)
        return cast("Watched", self._results.asked(asked, peek=False))

    def convergence(self) -> Convergence:
        """How the interval of each goal narrowed as labels came in; empty before the plan's look. Calling it counts as a look.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> study = small_study(labeled=False)
            >>> study.convergence().why
            'no interval before all 40 planned units are resolved, 0 are'
        """
        seen = self._results.look(peek=False)
        return self._results.once("convergence", seen, lambda: kind_of(seen.standing).converge(seen.standing))

    # ---------------- decision

    def decide(self, *, peek: bool = False) -> Decision | None:
        """Ship, do not ship or label more, with reasons; None before the plan's look.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> study = small_study()
            >>> decision = study.decide()
            >>> decision.outcome, [goal.status for goal in decision.goals]
            ('ship', ['met', 'met'])
        """
        seen = self._results.look(peek=peek)
        if not seen.shown.estimates:
            return None
        return self._results.once("decision", seen, lambda: kind_of(seen.standing).decide(seen.standing, seen.shown))

    def gate(self, policy: Policy | str | Path) -> Gate:
        """Check the study against a policy (or a policy file): ship, label more, do not ship, or invalid.

        Nothing is shown before the plan's look. If the ledger fails verification, the gate is invalid. Showing numbers counts as a look;
        showing the same numbers again does not add one.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> from fewlabels.nouns.policy import parse_policy
            >>> policy = parse_policy('rule = [{metric = "precision", target = ">= 0.7"}]')
            >>> found = small_study().gate(policy)
            >>> found.verdict, found.exit_code
            ('ship', 0)
        """
        from fewlabels.nouns.gate import refused
        from fewlabels.nouns.policy import Policy
        from fewlabels.study.decision.gate_record import hold, read_policy

        policy, checked = policy if isinstance(policy, Policy) else read_policy(policy), self._sound()
        return hold(self.followed, policy) if checked.passed else refused(self.name, checked.findings, policy=policy)

    # ---------------- report

    def overview(self) -> Overview:
        """Progress, estimates, verdict, confusion matrix, convergence and labelers, all read from one state of the ledger.

        What is read by several calls may be of several states while people label; this is not. Reading numbers counts as a look.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> seen = small_study().overview()
            >>> seen.decision.outcome, seen.estimates.progress.labels, seen.matrices[0].cells[0].labeled
            ('ship', 40, 9)
        """
        from fewlabels.study.report.overview import read_overview

        return read_overview(self.standing, self._results, self._ledger.seconds(self.name))

    def report(self, *paths: str | Path) -> dict[str, Json]:
        """The study as a report: plain data, also written to the given files by their suffix (.html, .md, .txt, .json; JSON first).

        Before the plan's look it contains progress and no numbers. Reading numbers counts as a look and is recorded, as by `estimate`.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> report = small_study().report()
            >>> report["version"], report["verdict"]["outcome"]
            (1, 'ship')
        """
        from fewlabels.study.report.build import build_report
        from fewlabels.study.report.write import refuse_endings, write_report

        wanted = [Path(path) for path in paths]
        refuse_endings(wanted)
        try:
            report = build_report(self, verify=self._verified())
        finally:
            self.followed.forget()
        if wanted:
            write_report(report, wanted)
        return report

    def verify(self, *, population: bool = False, table: object | None = None, report: Path | None = None) -> Verification:
        """Recompute hashes, seals, estimates and, with population=True, the fingerprint and the draw. The ledger is only read.

        report is a report.json: it must have been made from this record, not from a copy that went on by itself.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> study = small_study()
            >>> study.verify().passed
            True
        """
        from fewlabels.study.report.write import read_report
        from fewlabels.study.verify import Verifier, with_report

        held = table if table is not None else self._table
        opened = (lambda standing: self._engine(standing, held)) if population else None
        verifier = Verifier(self.name, damage=self._ledger.damage())
        with self._ledger.following(self.name) as source:
            verifier.read(source)
            found = verifier.found(opened)
            return found if report is None else with_report(found, source, read_report(report), name=report.name)

    # ---------------- shared by the methods above

    def _extension(self, classifiers: Sequence[Classifier], goals: str | Goal | Sequence[str | Goal]) -> tuple[Standing, dict[str, Json]]:
        """The current state, and the ledger entry an extension would write."""
        from fewlabels.engines.opening import open_engine
        from fewlabels.study.plan.extension import extended_population, extension_body
        from fewlabels.study.population.profile import read_goals

        require("extension", self.standing.traits)
        self._draw()
        standing = self.standing
        level = standing.goals[0].level
        wanted = read_goals(goals, level) if goals else ()
        if any(goal.level != level for goal in wanted):
            raise PlanError(f"goals of one study must share a level, {level:g}, got another: leave it out")
        population = extended_population(standing, classifiers, wanted, self._table)
        return standing, extension_body(standing, open_engine(population), population, wanted)

    def _plan_rest(self) -> None:
        """Plan what follows a pilot once all of its units are resolved."""
        from fewlabels.study.plan.pilot import plan_rest

        def planned(act: Writing, register: Register) -> None:
            standing = self.followed.standing_of(register)
            if standing.is_drawn and standing.plan.is_pilot and not standing.unresolved:
                plan = plan_rest(standing)
                act.append("plan", key=f"plan:{plan.number}", body={"plan": plan.as_json(), "hash": plan.hash})

        self.followed.act(planned)

    def _fill_reserve(self, units: int) -> None:
        """Hold more units of each band in reserve for an online plan; do nothing if another process did so meanwhile."""
        from fewlabels.study.draw.online import reserve_body

        standing = self.standing
        body = reserve_body(self._engine(standing, self._table), standing, units)

        def filled(act: Writing, register: Register) -> None:
            if body is not None and self.followed.standing_of(register).held == standing.held:
                act.append("reserve", key=f"reserve:{standing.held}", body=body)

        self.followed.act(filled)

    def _draw(self, handed: str | None = None) -> None:
        """Draw the current plan unless it has been drawn."""
        if self.standing.plan.is_pilot:
            self._plan_rest()
        standing = self.standing
        plan = standing.plan
        if handed is not None:
            require("queries", standing.traits)
        if plan.kind == "online":
            if standing.reserve is None:
                self._fill_reserve(0)
            return
        if standing.is_drawn:
            return
        from fewlabels.study.draw.fixed import aside_of, draw_plan, with_clusters
        from fewlabels.study.draw.offline import handed_draw, units_before

        engine = handed_draw(standing, handed) if handed is not None else self._engine(standing, self._table)
        taken = draw_plan(engine, standing.counted_profile, plan, units_before(standing), aside=aside_of(standing))
        self._record_draw(plan, with_clusters(engine, standing, taken))

    def _record_draw(self, plan: Plan, taken: Taken) -> None:
        """Record the units drawn, and the answers to them that earlier studies have."""
        from fewlabels.study.draw.fixed import draw_body
        from fewlabels.study.labels.record import record

        def drawn(act: Writing, register: Register) -> None:
            standing = self.followed.standing_of(register)
            if standing.plan.hash != plan.hash:
                raise StudyError(f"the plan of study {self.name!r} changed while it was drawn: ask again")
            act.append("draw", key=f"draw:{plan.number}", body=draw_body(plan, taken, standing))
            if standing.follows is not None:
                now = register.follow(act).standing()
                record(act, carried(self._ledger, now), register, correct=False, ignore_undrawn=True)

        self.followed.act(drawn)

    def _engine(self, standing: Standing, table: object | None) -> Engine:
        from fewlabels.engines.opening import open_engine

        population = standing.read_population(table)
        if population.source == MEMORY and table is None:
            raise StudyError(f"the population of {self.name!r} is held in memory: pass it again, Study.load({self.name!r}, table=...)")
        return open_engine(population)

    def _verified(self) -> Callable[[], Verification]:
        """Verify the record and go on with what was folded for that; return what verifies it to the end once numbers were shown."""
        from fewlabels.study.verify import Verifier

        verifier = Verifier(self.name, damage=self._ledger.damage())
        with self._ledger.following(self.name) as source:
            verifier.read(source)
        if not verifier.found().passed:
            return self.verify
        basis = verifier.register.basis
        self.followed.adopt(verifier.register)
        self._results.know(basis, verifier.results)

        def has_only_looks(register: Register) -> bool:
            if register.basis == basis:
                verifier.read_looks(self.followed.stored(after=verifier.count), self._results.known(basis))
            return register.basis == basis

        return lambda: verifier.found() if self.followed.read(has_only_looks) else self.verify()

    def _sound(self) -> Verification:
        """Verify everything recorded that a new number depends on."""
        from fewlabels.study.verify import Verifier

        verifier = Verifier(self.name, damage=None, looks=False)
        with self._ledger.following(self.name) as source:
            verifier.read(source)
        return verifier.found()
