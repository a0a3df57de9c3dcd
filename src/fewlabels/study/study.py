"""Study: goals put to one population until decided. Plan, ask, tell, estimate, decide; resumed by name.

Main path: population > profile > plan > draw > labels > estimate > decision > report
"""

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from fewlabels.errors import DrawError, PlanError, StudyError
from fewlabels.estimators.agreement import TruthRule
from fewlabels.ledgers.base import Ledger
from fewlabels.ledgers.opening import DEFAULT_LEDGER, open_ledger
from fewlabels.nouns.canonical import Json, fingerprint
from fewlabels.nouns.choice import Choice, DesignName
from fewlabels.nouns.goal import DEFAULT_LEVEL, Goal
from fewlabels.nouns.label import Label
from fewlabels.nouns.plan import Plan
from fewlabels.nouns.population import Population
from fewlabels.nouns.profile import Profile
from fewlabels.nouns.stopping import Stopping, parse_stopping
from fewlabels.planning.asking import expand
from fewlabels.randomness import NumberRule, new_salt
from fewlabels.study.draw.batches import next_batch
from fewlabels.study.draw.fixed import gold_units, shuffled
from fewlabels.study.draw.online import closing_online, held
from fewlabels.study.draw.online import next_batch as next_online
from fewlabels.study.extender import Extender
from fewlabels.study.labels.record import Questions, Told, as_labels, closing, ended_looks, record
from fewlabels.study.plan.next_plan import PlanWays, check_fixed, next_plan
from fewlabels.study.plan.online import refuse_online
from fewlabels.study.population.profile import check_goals, number_rule_of, profile_for, read_goals
from fewlabels.study.state.following import leader_of
from fewlabels.study.state.label_index import Register
from fewlabels.study.state.progress import planned_labels
from fewlabels.study.state.replay import replay
from fewlabels.study.state.standing import COUNTING_RULES, Batch


class Study(Extender):
    """One study in one ledger. Every method reads where it stands anew, so several processes may work on it.

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

    @classmethod
    def create(  # noqa: PLR0913 - one keyword for each thing fixed with a study
        cls,
        name: str,
        population: Population,
        *,
        goals: Sequence[str | Goal],
        ledger: str | Ledger = DEFAULT_LEDGER,
        level: float = DEFAULT_LEVEL,
        rule: TruthRule | None = None,
        follows: str | None = None,
        number_rule: NumberRule | None = None,
        profile: Profile | None = None,
    ) -> "Study":
        """A new study: the population is profiled and fingerprinted, then the salt is made.

        rule says which answer counts where several labelers see a unit: the "first", that of the "majority", or a "unanimous" one; not
        said: the first, or what an existing study has. Repeating the same call is the same as making it once.

        follows names an earlier study of the same ledger (last week's): its permanent numbers are inherited, so units in both tables are
        drawn in both, and an answer told there is not asked for again.

        number_rule says how permanent numbers are made: "md5" unless said, of any id; "fast", several times cheaper on large tables, of
        64-bit integer ids. profile is that of the population where it was counted already.

        Examples:
            >>> import fewlabels
            >>> table = {"id": list(range(100)), "score": [i / 100 for i in range(100)]}
            >>> population = fewlabels.read_population(table, score="score", threshold=0.5)
            >>> study = fewlabels.Study.create("week 1", population, goals=["f1 +-0.1", "recall >= 0.7"], ledger="sqlite:///:memory:")
            >>> [str(goal) for goal in study.standing.goals]
            ['f1 +-0.1', 'recall >= 0.7']
        """
        if not name:
            raise StudyError(f"a study needs a name, but got {name!r}: name it, for example after the classifier and the week")
        wanted = read_goals(goals, level)
        if rule is not None and rule not in COUNTING_RULES:
            raise StudyError(
                f"the answer that counts is chosen by one of {', '.join(COUNTING_RULES)}, but got {rule!r}: choose one of these"
            )
        book = open_ledger(ledger) if isinstance(ledger, str) else ledger
        leader = None if follows is None else leader_of(book, name, follows)
        if profile is None:
            population, profile = profile_for(population, wanted)
        check_goals(population, wanted)
        numbers = number_rule_of(population, profile, number_rule, leader)
        wanted = expand(profile, wanted, slices=population.slices, names=[c.name for c in population.classifiers])
        with book.writing(name) as act:
            act.append(
                "population",
                key="population",
                body={"population": population.as_json(), "profile": profile.as_json(), "fingerprint": profile.fingerprint},
            )
            kept = act.entries()[0].body
        if kept["fingerprint"] != profile.fingerprint or kept["population"] != population.as_json():
            raise StudyError(
                f"a study named {name!r} exists on another population: choose another name, or load it: fewlabels status {name}"
            )
        body: dict[str, Json] = {
            "salt": new_salt() if leader is None else leader.salt, "goals": [g.as_json() for g in wanted], "rule": rule or "first"
        }  # fmt: skip
        if follows is not None:
            body["follows"] = follows
        if numbers != "md5":
            body["number_rule"] = numbers
        with book.writing(name) as act:
            act.append("study", key="study", body=body)
            standing = replay(act.entries())
        kept_rules = rule in (None, standing.rule) and number_rule in (None, standing.number_rule)
        if (standing.goals, standing.follows) != (wanted, follows) or not kept_rules:
            raise StudyError(
                f"a study named {name!r} exists with the goals {', '.join(map(str, standing.goals))}, the rule {standing.rule} and "
                f"numbers by {standing.number_rule}: "
                f"choose another name, or load it: fewlabels status {name}"
            )
        return cls(name, book, population.table)

    @classmethod
    def load(cls, name: str, *, ledger: str | Ledger = DEFAULT_LEDGER, table: object | None = None) -> "Study":
        """The study of that name. A population held in memory is passed again as `table`.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> import fewlabels
            >>> ledger = small_study("week 1").ledger  # or its address, such as "sqlite:///fewlabels.db"
            >>> fewlabels.Study.load("week 1", ledger=ledger).status().progress.labels
            40
        """
        book = open_ledger(ledger, create=False) if isinstance(ledger, str) else ledger
        if not book.entries(name):
            known = ", ".join(book.studies()) or "none"
            raise StudyError(f"no study {name!r} in this ledger (it has: {known}): check the name, or name the ledger with --ledger")
        return cls(name, book, table)

    def plan(
        self,
        budget: int,
        *,
        grow_to: int | None = None,
        pilot: int | None = None,
        design: DesignName | Choice | None = None,
        interval: Literal["rec", "strict", "midp"] | None = None,
        stopping: str | Stopping | None = None,
    ) -> Plan:
        """Fixes a budget of labels before the first of them is paid for. A later, larger budget only adds units.

        grow_to declares a larger budget now, so that a look at `budget` costs little of the error. design (a name, or a Choice that says
        more) and interval ("rec", "midp", or "strict" to decide by the one that holds also if errors hide) are fixed with the first plan.

        stopping says what ends the labeling, if not one look when all labels are in: "decision" or "decision +-0.02" (a tolerance),
        "width", or "5 looks"; fixed with the first plan. But for the last, units are asked where answers say, and looking is free.

        pilot draws that many of the budget first; when they are answered a guide is fitted to them, and the rest is drawn where it says.

        Examples:
            >>> import fewlabels
            >>> table = {"id": list(range(100)), "score": [i / 100 for i in range(100)]}
            >>> population = fewlabels.read_population(table, score="score", threshold=0.5)
            >>> study = fewlabels.Study.create("week 1", population, goals=["f1 +-0.1"], ledger="sqlite:///:memory:")
            >>> plan = study.plan(60, grow_to=80)
            >>> plan.budget, plan.grow_to, plan.interval
            (60, 80, 'rec')
        """
        for what, labels in (("budget", budget), ("grow_to", grow_to), ("pilot", pilot)):
            if labels is not None and not isinstance(labels, int):
                raise PlanError(f"labels are whole numbers, but {what} is {labels!r}: round it")
        with self._ledger.writing(self.name) as act:
            standing = replay(act.entries())
            rule = parse_stopping(stopping) if isinstance(stopping, str) else stopping
            check_fixed(standing, design, interval, pilot, rule)
            if standing.plans and planned_labels(standing) == budget and grow_to in (None, standing.plan.grow_to):
                return standing.plan
            ways = PlanWays(design or "bands", interval or "rec", pilot, rule)
            plan = next_plan(standing, budget=budget, grow_to=grow_to, ways=ways)
            act.append("plan", key=f"plan:{plan.number}", body={"plan": plan.as_json(), "hash": plan.hash})
        return plan

    def ask(self, units: int = 50, *, next: bool = False) -> Batch | None:
        """The units to label now: the open batch until all of it is answered, then up to `units` more; None when nothing is left.

        next=True hands out new units although earlier ones are still open.

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
            raise PlanError(f"a batch holds at least one unit, but {units} were asked for: ask for 1 or more")
        self._draw()
        while True:
            with self._ledger.writing(self.name) as act:
                standing = replay(act.entries())
                ask = next_online if standing.plan.is_online else next_batch
                batch = ask(act, standing, units, more=next)
            if batch != "dry":
                return batch
            self._fill_reserve(units)
            if held(self.standing) == held(standing):
                raise DrawError("a reserve that ran dry has to grow, but the engine gave no unit more: this is a defect, please report it")

    def tell(
        self,
        answers: Mapping[str, object] | Iterable[Label | Mapping[str, object]],
        *,
        correct: bool = False,
        drawn_only: bool = False,
        gold: bool = False,
    ) -> Told:
        """Records answers, all or none: {unit: answer}, or rows with unit, answer, labeler and at. Telling twice is telling once.

        With several questions an answer is {question: answer}, or a row has a column for each. correct=True lets a labeler replace an
        answer; drawn_only=True leaves out rows of units that were not drawn (for gold); gold=True records adjudicated answers of units
        drawn for gold.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> study = small_study(labeled=False)
            >>> rows = [{"unit": unit, "answer": "cannot tell", "labeler": "ada"} for unit in study.ask(2).units]
            >>> study.tell(rows)
            Told(recorded=2, known=0, corrected=0, undrawn=0)
            >>> study.tell(rows)
            Told(recorded=0, known=2, corrected=0, undrawn=0)
        """
        standing = self.standing
        labels = as_labels(answers, Questions(standing.questions, standing.classes), gold=gold)
        with self._ledger.writing(self.name) as act:
            before, register = act.count, Register()
            told = record(act, labels, correct=correct, drawn_only=drawn_only, register=register)
            act.finish(ended_looks(act, before, register, at=time.time()))
        return told

    def adjudicate(self, share: float = 0.2) -> tuple[str, ...]:
        """The units to be adjudicated (gold): a random share of each side's drawn units, chosen without looking at labels.

        Asked again with a larger share, or after a larger plan was drawn, it only adds units. In an order that says nothing.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> study = small_study(labeled=False)
            >>> gold = study.adjudicate(0.2)  # units for an expert
            >>> len(gold), study.status().progress.gold_planned
            (9, 9)
        """
        refuse_online(self.standing.plan, "adjudication")
        self._draw()
        with self._ledger.writing(self.name) as act:
            standing = replay(act.entries())
            if standing.plan.pilot is not None:
                raise PlanError(
                    "gold answers correct a draw without a pilot, and this study began with one: make a study of its own for gold"
                )
            chosen = gold_units(standing, share)
            if chosen:
                kept = max(share, standing.gold_share)
                act.append("gold", key=f"gold:{fingerprint(list(chosen))}", body={"share": kept, "units": list(chosen)})
        return shuffled(standing.salt, [*standing.gold_units, *chosen])

    def close(self) -> Told:
        """Ends the waiting: every planned unit, and every unit drawn for gold, that has no answer is recorded as never answered.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> study = small_study(labeled=False)
            >>> study.close().recorded
            40
            >>> study.status().progress.never_answered
            40
        """
        self._draw()
        with self._ledger.writing(self.name) as act:
            standing = replay(act.entries())
            closed = (closing_online if standing.plan.is_online else closing)(standing)
            act.drop_turns([label.unit for label in closed if not label.gold])
            return record(act, closed, correct=False, drawn_only=False)
