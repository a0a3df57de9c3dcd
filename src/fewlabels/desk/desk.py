"""The labelers' side of a study: leased turns, what labelers are shown, and answers that are on disk when they are acknowledged.

Labelers are blind: a unit comes with the columns of the labeling form and nothing else. The terminal and the workbench both use this.
"""

import time
from collections.abc import Callable, Mapping, Sequence

from fewlabels.desk.messages import Acknowledged as Acknowledged
from fewlabels.desk.messages import DeskProgress as DeskProgress
from fewlabels.desk.messages import Given as Given
from fewlabels.desk.messages import Rest as Rest
from fewlabels.desk.messages import Said as Said
from fewlabels.desk.messages import refuse_name as refuse_name
from fewlabels.desk.routing import refuse_routes, values_of
from fewlabels.desk.said import is_told_again, read_said, reasons
from fewlabels.desk.turns import has_earned_check, next_turns, turns_for_adjudicators, turns_for_checks
from fewlabels.errors import FewlabelsError, LabelError, StudyError
from fewlabels.ledgers.base import ERRORS_OPENED, Writing
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.label import Label
from fewlabels.nouns.note import MOST_COMMENT, Note
from fewlabels.nouns.sheet import Sheet, sheet_at
from fewlabels.nouns.turn import Finished, Leased, Turn
from fewlabels.study.kinds import kind_of
from fewlabels.study.labels.forms import append_form, form_at
from fewlabels.study.labels.record import record
from fewlabels.study.state.register import Register
from fewlabels.study.study import Study

LEASE = 600.0  # seconds a labeler has for the units of one `take`
AHEAD = 200  # units made ready at once, if the plan determines in advance which come next
FETCHED = 20_000  # units whose content is fetched at once
SAW_ERRORS = (
    "labelers answer without knowing scores or others' answers, but {name} has opened the errors of this study, which show both: let "
    "somebody else label it"
)
NOT_YOURS = "labelers answer the units they were given, but this one was not given to you or has passed to another: go on with the next"


class Desk:
    """The place where labelers work on one study. Several threads and processes may use desks of the same study at once."""

    def __init__(self, study: Study, *, lease: float = LEASE, clock: Callable[[], float] = time.time) -> None:
        """Open the desk. `lease` is the number of seconds before a unit that a labeler holds is open to others."""
        self._study, self._ledger, self._name = study, study.ledger, study.name
        self._lease, self._clock = lease, clock
        self._state = study.followed
        self._dry: dict[bool, tuple[float, ...]] = {}  # the state when no turn was left: for adjudicators, for others

    @property
    def sheet(self) -> Sheet:
        """The labeling form: what labelers are shown, and the instructions."""
        return sheet_at(self._known().forms, "workbench") or self._ledger.sheet(self._name)

    def set_sheet(self, sheet: Sheet, *, by: str | None = None) -> None:
        """Replace the labeling form, and record it. Raise if a column is not in the table or would reveal a score or a prediction."""
        self.change_sheet(lambda _: sheet, by=by)

    def change_sheet(self, change: Callable[[Sheet], Sheet], *, by: str | None = None) -> None:
        """Change the labeling form, and record it; what somebody else changes at the same time stays. Raise as `set_sheet` does."""
        self._refuse_sheet(change(self.sheet))

        def changed(act: Writing, register: Register) -> None:
            before = form_at(act, self._ledger, self._name, place="workbench")
            after = change(before)
            if after != before:
                append_form(act, after, place="workbench", by=by)
            if after.route_by != before.route_by:  # turns that wait follow at once; who may label what is read with every lease
                act.drop_routes()
                self._route(act, register, act.turned(), after)

        self._state.act(changed)

    def _refuse_sheet(self, sheet: Sheet) -> None:
        standing = self._study.standing
        standing.read_population().refuse_hidden(sheet.columns)
        refuse_routes(standing, sheet)
        rule = standing.rule
        if sheet.check_every and rule != "first":
            raise LabelError(
                f"checks need the rule 'first', but the rule is {rule}: extra answers on gold units alone would make their labels better "
                "than the labels they represent; leave check_every at 0"
            )
        if sheet.columns:
            self._study.fetch([], columns=sheet.columns)  # refuse unknown columns now, not when a labeler waits

    @property
    def questions(self) -> tuple[str, ...]:
        """The questions asked about a unit."""
        return self._known().questions

    @property
    def answers(self) -> tuple[str, ...]:
        """The possible answers besides cannot_tell and skipped: yes and no, or the classes."""
        return self._known().classes or ("yes", "no")

    def _known(self) -> Register:
        """The register, for what it says of the study as a whole; as it was before an act that is under way, which nobody waits for."""
        return self._state.register if self._is_busy() else self._state.read(lambda register: register)

    def take(self, labeler: str, units: int = 20, *, adjudicates: bool = False) -> list[Given]:
        """Lease up to `units` units to a labeler: those they still hold, then the next ones. Fewer, or none, when there are no more."""
        refuse_name(labeler)
        if (why := self.why_barred(labeler)) is not None:
            raise LabelError(why)
        if units < 1:
            raise LabelError(f"units must be at least 1, got {units}: request 1 or more")
        sheet, before = self.sheet, None
        while sheet != before:  # the form may change while they are leased: nobody is given a unit that it has for somebody else
            if not adjudicates:
                self._mix_in(labeler, sheet)
            held = self._leased(labeler, units, sheet, adjudicates=adjudicates)
            ahead, enough = units, 1 if sheet.routes else units  # where few are theirs, do not hand out everything to fill up
            while len(held) < enough and self._fill(ahead, adjudicates=adjudicates):  # the turns made ready may all be for others
                held = self._leased(labeler, units, sheet, adjudicates=adjudicates)
                ahead = min(2 * ahead, FETCHED) if sheet.routes else units
            sheet, before = self._newest_sheet(), sheet
        given = [unit for unit, _ in held]
        shown, comments = self._contents(given, sheet.columns), self._ledger.comments(self._name, labeler, given)
        return [Given(unit, shown[unit], until, comments.get(unit, "")) for unit, until in held]

    def _newest_sheet(self) -> Sheet:
        """The labeling form as the ledger has it now, whatever act is under way."""
        with self._ledger.following(self._name) as source:
            return form_at(source, self._ledger, self._name, place="workbench")

    def _leased(self, labeler: str, units: int, sheet: Sheet, *, adjudicates: bool) -> list[Leased]:
        now = self._clock()
        until = now + self._lease
        return self._ledger.take(self._name, labeler, units=units, now=now, until=until, adjudicates=adjudicates, sheet=sheet)

    def give_back(self, labeler: str, units: Sequence[str]) -> int:
        """Release units that a labeler holds, so that others may take them at once; return how many were released."""
        return self._ledger.give_back(self._name, labeler, units)

    def later(self, labeler: str, units: Sequence[str]) -> int:
        """Release units that a labeler holds and move them behind all others that are ready; return how many were moved."""
        return self._ledger.later(self._name, labeler, units)

    def comment(self, labeler: str, unit: str, text: str) -> None:
        """Store a labeler's comment on a unit in place of an earlier one; an empty text deletes it."""
        if len(text) > MOST_COMMENT:
            raise LabelError(f"a comment must have at most {MOST_COMMENT:,} characters, got {len(text):,}: shorten it")
        with self._ledger.writing(self._name) as act:
            if not act.own(labeler, [unit]):
                raise LabelError("labelers comment on units they were given, but this one was not given to you or has passed to another")
            act.put_notes([Note(unit, labeler, "comment", text.strip(), self._clock())])

    def rest(self, labeler: str, *, adjudicates: bool = False) -> Rest:
        """What is left for a labeler, in a word; nothing about the answers."""
        register = self._known()
        if not register.plans:
            return "no plan"
        if adjudicates:
            return "waiting" if self.adjudication else "finished"
        if self.has_more or self._ledger.open_to(labeler, [self._name], now=self._clock()):
            return "open"
        if self._ledger.waiting(self._name):
            return "waiting"
        return "closed" if register.count.closed else "finished"

    def tell(self, labeler: str, said: Sequence[Said]) -> list[Acknowledged]:
        """Record a labeler's answers in one transaction. An answer that is refused does not hold up the others."""
        refuse_name(labeler)

        def told(act: Writing, register: Register) -> list[Acknowledged]:
            if labeler in register.opened:
                return [Acknowledged(one.unit, "refused", SAW_ERRORS.format(name=labeler)) for one in said]
            own = act.own(labeler, [one.unit for one in said])
            read = [read_said(register, labeler, one) if one.unit in own else NOT_YOURS for one in said]
            act.look_up([label.key for labels in read if not isinstance(labels, str) for label in labels])
            found = [self._told(act, register, labeler, one, labels) for one, labels in zip(said, read, strict=True)]
            now = self._clock()
            kept = {one.unit for one in found if one.status != "refused"}
            act.finish([Finished(one.unit, labeler, now, one.seconds) for one in said if one.unit in kept])
            act.put_notes(reasons(labeler, said, found, at=now))
            return found

        return self._state.act(told)

    def _told(self, act: Writing, register: Register, labeler: str, said: Said, labels: list[Label] | str) -> Acknowledged:
        """Record the labels of one answer, or refuse it; text says why it could not be read."""
        if isinstance(labels, str):
            return Acknowledged(said.unit, "refused", labels)
        before = act.count
        try:
            correct = said.correct or is_told_again(register, labeler, said.unit)
            told = record(act, labels, register, correct=correct, ignore_undrawn=False)
        except FewlabelsError as error:
            act.undo(before)
            return Acknowledged(said.unit, "refused", str(error))
        return Acknowledged(said.unit, "corrected" if told.corrected else "recorded" if told.recorded else "known")

    def why_barred(self, labeler: str) -> str | None:
        """Why somebody may not label this study any more; None if they may."""
        return SAW_ERRORS.format(name=labeler) if labeler in self._known().opened else None

    def open_errors(self, person: str, *, by: str | None = None) -> bool:
        """Record that a person opens the errors, which ends their labeling in this study; return whether it was the first time.

        Raise StudyError before the last declared look: whoever labels must not know what the classifier got wrong.
        """

        def opened(act: Writing, register: Register) -> bool:
            standing = self._state.standing_of(register)
            refuse_errors(kind_of(standing).before_end(standing))
            body: dict[str, Json] = {"person": person, "act": ERRORS_OPENED, "by": by or person}
            return act.append("access", key=f"{ERRORS_OPENED}:{person}", body=body)

        return self._state.act(opened)

    def progress(self, labeler: str) -> DeskProgress:
        """Progress of the labeling; nothing about the answers."""
        waiting, register = self._ledger.waiting(self._name), self._known()
        wanted = register.planned + register.count.doubled
        return DeskProgress(register.labelers.get(labeler, 0), min(sum(register.labelers.values()), wanted), wanted, waiting)

    @property
    def has_more(self) -> bool:
        """Whether planned looks were not handed out to anybody yet; of an online study, which may end before, whether none was."""
        done = self.progress("")
        out = done.resolved + done.waiting
        return not self._known().count.closed and (out == 0 < done.planned if self.is_online else out < done.planned)

    @property
    def is_online(self) -> bool:
        """Whether each step of the study waits for the answer to its unit."""
        plans = self._known().plans
        return bool(plans) and plans[-1].kind == "online"

    @property
    def double_share(self) -> float:
        """The share of the units that two labelers answer."""
        return self._known().double

    def _is_busy(self) -> bool:
        """Whether a transaction is in progress: reading progress does not wait for it to end."""
        if not self._state.register.planned:
            return False
        if self._state.guard.acquire(blocking=False):
            self._state.guard.release()
            return False
        return True

    def double(self, share: float) -> None:
        """Give a share of the units, chosen by their ids, to a second labeler, and record the share. A larger share only adds units."""
        if not 0 < share <= 1:
            raise LabelError(f"the share of units labeled twice must lie in (0, 1], got {share:g}: 0.1 is usual")
        with self._ledger.writing(self._name) as act:
            act.append("double", key=f"double:{float(share)!r}", body={"share": share})

    @property
    def adjudication(self) -> int:
        """Number of units on which labelers disagree and that wait for an adjudicator."""
        self._state.act(lambda act, register: self._add(act, register, turns_for_adjudicators(act, register, now=self._clock())))
        found = self._ledger.turn_counts(self._name, now=self._clock(), adjudicates=True)
        return found.open + found.held

    def _mix_in(self, labeler: str, sheet: Sheet) -> None:
        """Insert a unit with a known gold answer before a labeler's next ones, if a check is due."""
        every = sheet.check_every
        if not every:
            return

        def mixed(act: Writing, register: Register) -> None:
            barred = self._barred(register, labeler, sheet)
            self._add(act, register, turns_for_checks(act, register, labeler, every=every, now=self._clock(), barred=barred))

        with self._state.guard:
            if self._state.read(lambda register: has_earned_check(register, labeler, every=every)):
                self._state.act(mixed)

    def _barred(self, register: Register, labeler: str, sheet: Sheet) -> frozenset[str]:
        """The gold units that a labeler may not label."""
        values = self._ledger.barred(labeler, sheet)
        if not values:
            return frozenset()
        found = self._values(register, register.gold_units, sheet)
        return frozenset(unit for unit, value in found.items() if value in values)

    def _add(self, act: Writing, register: Register, turns: Sequence[Turn]) -> bool:
        """Make turns ready, each for whomever the form has its unit for; return whether there are any."""
        act.add_turns(turns)
        self._route(act, register, list(dict.fromkeys(turn.unit for turn in turns)), sheet_at(register.forms, "workbench") or Sheet())
        return bool(turns)

    def _route(self, act: Writing, register: Register, units: Sequence[str], sheet: Sheet) -> None:
        """Store for these units what decides who may label them."""
        if units and sheet.route_by is not None:
            act.put_routes(self._values(register, units, sheet))

    def _values(self, register: Register, units: Sequence[str], sheet: Sheet) -> dict[str, str]:
        return values_of(self._state.standing_of(register), register, units, column=sheet.route_by)

    def _fill(self, units: int, *, adjudicates: bool) -> bool:
        """Make more turns ready; return whether there are any."""
        with self._state.guard:
            stands = self._stands(adjudicates)
            if self._dry.get(adjudicates) == stands:
                return False
            if not adjudicates and (self._state.act(self._add_open) or self._ask(units)):
                return True
            if self._state.act(lambda act, register: self._add_missing(act, register, adjudicates=adjudicates)):
                return True
            self._dry[adjudicates] = stands
            return False

    def _add_open(self, act: Writing, register: Register) -> bool:
        """Make turns ready for units handed out in another way, into a file for example; return whether there are any."""
        return self._add(act, register, next_turns(act, register, list(self._state.standing_of(register).open_units()), now=self._clock()))

    def _add_missing(self, act: Writing, register: Register, *, adjudicates: bool) -> bool:
        """Make all turns ready that are missing, whatever they are about; return whether there are any. It reads every unit."""
        return self._add(act, register, (turns_for_adjudicators if adjudicates else next_turns)(act, register, now=self._clock()))

    def _stands(self, adjudicates: bool) -> tuple[float, ...]:
        """Everything that can give rise to a new turn: while it stays the same, there is none to look for."""
        register = self._known()
        if adjudicates:
            return (register.count.told,)
        seen = register.count.elsewhere if register.double else 0
        return (len(register.plans), register.batches, register.double, seen, register.count.told if register.learns else 0)

    def _ask(self, units: int) -> bool:
        """Ask the study for more units; return whether there are any."""
        batch = self._study.ask(kind_of(self._study.standing).ahead(units, max(units, AHEAD)), more=True)
        if batch is None:
            return False
        handed = batch.units
        self._state.act(lambda act, register: self._add(act, register, next_turns(act, register, handed, now=self._clock())))
        return True

    def contents_of(self, units: Sequence[str]) -> dict[str, Mapping[str, str | None]]:
        """What labelers see of these units; what is not held is read from the table and not stored, as it may have been forgotten."""
        columns = [column for column in self.sheet.columns if column not in self._known().hidden]
        if not columns or not units:
            return {}
        held = self._ledger.contents(self._name, units)
        missing = [unit for unit in dict.fromkeys(units) if not set(columns) <= held.get(unit, {}).keys()]
        if missing:
            held |= dict(zip(missing, self._study.fetch(missing, columns=columns), strict=True))
        return {unit: {column: held[unit][column] for column in columns} for unit in units}

    def _contents(self, units: Sequence[str], columns: Sequence[str]) -> dict[str, Mapping[str, str | None]]:
        """These columns of these units; if one is not there yet, fetch those of all units drawn so far."""
        if columns and units:  # a classifier added later may use a column that was shown
            columns = [column for column in columns if column not in self._known().hidden]
        if not columns or not units:
            return {unit: {} for unit in units}
        held = self._ledger.contents(self._name, units)
        if any(not set(columns) <= held.get(unit, {}).keys() for unit in units):
            self._fetch(units, columns)
            held = self._ledger.contents(self._name, units)
        return {unit: {column: held[unit][column] for column in columns} for unit in units}

    def _fetch(self, units: Sequence[str], columns: Sequence[str]) -> None:
        """Fetch the shown columns of these units and of those that come next with one request to the engine, and store them."""
        ahead = self._state.read(lambda register: list(register.units_from(units[0], FETCHED)))
        held = self._ledger.contents(self._name, [*units, *ahead])
        wanted = [unit for unit in dict.fromkeys([*units, *ahead]) if not set(columns) <= held.get(unit, {}).keys()][:FETCHED]
        found = self._study.fetch(wanted, columns=columns)
        if len(found) != len(wanted):
            raise StudyError(f"the table has {len(found):,} of {len(wanted):,} drawn units: it has changed since they were drawn")
        self._ledger.set_contents(self._name, {unit: row for unit, row in zip(wanted, found, strict=True)})


def refuse_errors(missing: str | None) -> None:
    """Raise StudyError if something is missing before the last declared look."""
    if missing is not None:
        raise StudyError(f"errors can be opened after the last declared look, but {missing}: finish the labeling first")
