"""Study: goals put to one population until decided. Plan, ask, tell, estimate, decide; resumed by name.

Main path: population > profile > plan > draw > labels > estimate > decision > report
"""

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from assay.engines.opening import open_engine
from assay.errors import DrawError, PlanError, StudyError
from assay.estimators.agreement import TruthRule
from assay.ledgers.base import Ledger
from assay.ledgers.opening import DEFAULT_LEDGER, open_ledger
from assay.nouns.canonical import Json, fingerprint
from assay.nouns.choice import Choice, DesignName
from assay.nouns.classifier import Classifier
from assay.nouns.goal import DEFAULT_LEVEL, Goal
from assay.nouns.label import Label
from assay.nouns.plan import Plan
from assay.nouns.population import Population
from assay.nouns.profile import Profile
from assay.nouns.stopping import Stopping, parse_stopping
from assay.planning.asking import expand
from assay.randomness import NumberRule, new_salt
from assay.study.asking import next_batch
from assay.study.drawer import Drawer
from assay.study.drawing import gold_units, shuffled
from assay.study.following import leader_of
from assay.study.online.asking import closing_online, held
from assay.study.online.asking import next_batch as next_online
from assay.study.plans.extending import Reuse, extended_population, extension_body, extension_plan, reuse
from assay.study.plans.fixing import PlanWays, check_fixed, next_plan
from assay.study.plans.online import refuse_online
from assay.study.profiling import check_goals, number_rule_of, profile_for, read_goals
from assay.study.progress import planned_labels
from assay.study.register import Register
from assay.study.replay import extend_standing, replay
from assay.study.standing import COUNTING_RULES, Batch, Standing
from assay.study.telling import Questions, Told, as_labels, closing, ended_looks, record


class Study(Drawer):
    """One study in one ledger. Every method reads where it stands anew, so several processes may work on it."""

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
            raise StudyError(f"a study named {name!r} exists on another population: choose another name, or load it")
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
                "choose another name, or load it"
            )
        return cls(name, book, population.table)

    @classmethod
    def load(cls, name: str, *, ledger: str | Ledger = DEFAULT_LEDGER, table: object | None = None) -> "Study":
        """The study of that name. A population held in memory is passed again as `table`."""
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

    def reuse(self, *, classifiers: Sequence[Classifier] = (), goals: Sequence[str | Goal] = ()) -> Reuse:
        """What the labels already say of classifiers and goals that came later, and how many more they need. Nothing is recorded."""
        standing, body = self._extension(classifiers, goals)
        return reuse(extend_standing(standing, body))

    def extend(self, *, classifiers: Sequence[Classifier] = (), goals: Sequence[str | Goal] = (), budget: int | None = None) -> Plan:
        """Takes in classifiers (or another threshold of one: a classifier of another name) and goals; every label is kept.

        budget counts the units drawn so far and those added; not said: none is added, and the labels there are answer as well as they can.
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

    def ask(self, units: int = 50, *, next: bool = False) -> Batch | None:
        """The units to label now: the open batch until all of it is answered, then up to `units` more; None when nothing is left.

        next=True hands out new units although earlier ones are still open.
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
        """Ends the waiting: every planned unit, and every unit drawn for gold, that has no answer is recorded as never answered."""
        self._draw()
        with self._ledger.writing(self.name) as act:
            standing = replay(act.entries())
            closed = (closing_online if standing.plan.is_online else closing)(standing)
            act.drop_turns([label.unit for label in closed if not label.gold])
            return record(act, closed, correct=False, drawn_only=False)
