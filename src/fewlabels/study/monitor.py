"""Monitor: units of a stream arrive one after another, some are labeled, and an alarm rings when a metric has fallen below a floor.

Whether to label a unit is decided when it arrives: if its permanent number is below a probability that depends only on units read before.
Units are read in order of arrival, up to the first that waits for an answer.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fewlabels.deciding.streams import NOT_ASKED, Arrival, StreamAlarm, asking_probability, observe, set_stream_alarm
from fewlabels.errors import GoalError, LabelError, StudyError
from fewlabels.intervals.anytime import MISSING
from fewlabels.labeling.flat import restored
from fewlabels.ledgers.base import Entry, Ledger, broken
from fewlabels.ledgers.opening import DEFAULT_LEDGER, open_ledger
from fewlabels.nouns.canonical import Json, fingerprint
from fewlabels.nouns.label import UNANSWERED
from fewlabels.nouns.metrics import metric_named
from fewlabels.randomness import TOP, new_salt, permanent_number
from fewlabels.study.labels.record import as_labels
from fewlabels.study.labels.rows import AskedQuestions

QUESTION = "positive"


@dataclass(frozen=True, slots=True, kw_only=True)
class Monitored:
    """The current state of a stream.

    units     number of units that arrived; `read` of them come before the first that waits for an answer
    labels    number of labels among those read
    waiting   units asked about and not answered, in order of arrival
    evidence  the current value of the bets; the alarm rings at `limit`
    rang      the unit at which it rang; None if it has not
    says      the guarantee in words
    """

    metric: str
    floor: float
    units: int
    read: int
    labels: int
    waiting: tuple[str, ...]
    evidence: float
    limit: float
    rang: str | None
    says: str

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json."""
        return {name: list(value) if isinstance(value := getattr(self, name), tuple) else value for name in self.__dataclass_fields__}


class Monitor:
    """One stream in one ledger. Every method rereads the current state.

    Examples:
        >>> import fewlabels
        >>> monitor = fewlabels.Monitor.create("fraud", floor=0.8, rate=1.0, ledger="sqlite:///:memory:")
        >>> monitor.arrive([{"unit": "t1", "flagged": True, "guess": 0.9}, {"unit": "t2", "flagged": False, "guess": 0.1}])
        ('t1',)
        >>> monitor.tell({"t1": "yes"})
        1
        >>> monitor.state().rang is None
        True
    """

    def __init__(self, name: str, ledger: Ledger) -> None:
        """Use `Monitor.create` or `Monitor.load`."""
        self.name, self._ledger = name, ledger

    @classmethod
    def create(
        cls, name: str, *, metric: str = "precision", floor: float, rate: float, error: float = 0.05, run_length: float | None = None,
        ledger: str | Ledger = DEFAULT_LEDGER,
    ) -> "Monitor":  # fmt: skip
        """Create a monitor. It asks for labels of about the share `rate` of the units that matter, more where the guess is uncertain.

        The probability that it ever rings falsely is at most `error`; with run_length, the mean time to a false alarm is instead at least
        that many units.

        Examples:
            >>> import fewlabels
            >>> monitor = fewlabels.Monitor.create("fraud", floor=0.8, rate=1.0, ledger="sqlite:///:memory:")
            >>> monitor.state().limit  # the alarm rings when the evidence reaches it
            20.0
        """
        how: dict[str, Json] = {"metric": metric_named(metric).name, "floor": floor, "rate": rate, "error": error, "run_length": run_length}
        _alarm(how)  # raise before anything is written
        book = open_ledger(ledger) if isinstance(ledger, str) else ledger
        with book.writing(name) as act:
            if act.entries() and act.entries()[0].kind != "stream":
                raise StudyError(f"a monitor needs a name of its own, but {name!r} is a study in this ledger: choose another")
            act.append("stream", key="stream", body={**how, "salt": new_salt()})
            held = act.entries()[0].body
        if {key: held[key] for key in how} != how:
            raise StudyError(
                f"a monitor named {name!r} already exists with different terms, {_terms(held)}: choose another name, or load it"
            )
        return cls(name, book)

    @classmethod
    def load(cls, name: str, *, ledger: str | Ledger = DEFAULT_LEDGER) -> "Monitor":
        """Load a monitor by name.

        Examples:
            >>> import fewlabels
            >>> from fewlabels.ledgers.opening import open_ledger
            >>> ledger = open_ledger("sqlite:///:memory:")
            >>> created = fewlabels.Monitor.create("fraud", floor=0.8, rate=0.1, ledger=ledger)
            >>> fewlabels.Monitor.load("fraud", ledger=ledger).state().floor
            0.8
        """
        book = open_ledger(ledger, create=False) if isinstance(ledger, str) else ledger
        entries = book.entries(name)
        if not entries or entries[0].kind != "stream":
            raise StudyError(f"no monitor {name!r} in this ledger: check the name, or create it with a floor and a rate")
        return cls(name, book)

    def arrive(self, units: Iterable[Mapping[str, object]]) -> tuple[str, ...]:
        """Record units in order of arrival, each {unit, flagged, guess}, and return those to label.

        guess is the predicted probability that the label is positive, such as the score. Repeating the same call has no further effect.

        Examples:
            >>> import fewlabels
            >>> monitor = fewlabels.Monitor.create("fraud", floor=0.8, rate=1.0, ledger="sqlite:///:memory:")
            >>> monitor.arrive([{"unit": "t1", "flagged": True, "guess": 0.9}])
            ('t1',)
        """
        rows = [_row(number, item) for number, item in enumerate(units, start=1)]
        if not rows:
            return ()
        key = f"arrival:{fingerprint([list(row) for row in rows])}"
        with self._ledger.writing(self.name) as act:
            entries = act.entries()
            if not any(entry.key == key for entry in entries):
                stream = _read(entries)
                times = Counter([*stream.unit, *(row[0] for row in rows)])
                if twice := [unit for unit, *_ in rows if times[unit] > 1]:
                    raise LabelError(f"a unit can arrive only once, but {twice[0]!r} came twice: give every event an id of its own")
                act.append("arrival", key=key, body=_chosen(stream, rows))
                entries = act.entries()
        body = next(entry.body for entry in entries if entry.key == key)
        return tuple(unit for unit, asked in zip(body["unit"], body["asked"], strict=True) if asked)

    def tell(self, answers: object) -> int:
        """Record answers to units that were asked about, all or none; return how many are new. `answers` is as in `Study.tell`.

        Examples:
            >>> import fewlabels
            >>> monitor = fewlabels.Monitor.create("fraud", floor=0.8, rate=1.0, ledger="sqlite:///:memory:")
            >>> for unit in monitor.arrive([{"unit": "t1", "flagged": True, "guess": 0.9}]):
            ...     print(unit, monitor.tell({unit: "yes"}))
            t1 1
        """
        labels = as_labels(answers, AskedQuestions((QUESTION,), ()))
        with self._ledger.writing(self.name) as act:
            stream = _read(act.entries())
            asked, new = {unit for unit, was in zip(stream.unit, stream.asked, strict=True) if was}, 0
            for told in labels:
                label = told if told.unit in asked else replace(told, unit=restored(told.unit))
                if label.unit not in asked:
                    raise LabelError(f"answers are recorded for units asked about only, but {label.unit!r} was not: check the id column")
                before = stream.answers.get(label.unit)
                if before is not None and before != label.answer and before not in UNANSWERED:
                    raise LabelError(
                        f"unit {label.unit!r} was answered {before} before and now {label.answer}: a monitor accepts no second answer"
                    )
                new += act.append("answer", key=label.key, body=label.as_json())
        return new

    def state(self) -> Monitored:
        """The current state of the stream and its alarm.

        Examples:
            >>> import fewlabels
            >>> monitor = fewlabels.Monitor.create("fraud", floor=0.8, rate=1.0, ledger="sqlite:///:memory:")
            >>> asked = monitor.arrive([{"unit": "t1", "flagged": True, "guess": 0.9}])
            >>> monitor.state().waiting
            ('t1',)
        """
        stream = _read(self._ledger.entries(self.name))
        alarm, read = _observed(stream)
        waiting = tuple(unit for unit, asked in zip(stream.unit, stream.asked, strict=True) if asked and unit not in stream.answers)
        return Monitored(
            metric=alarm.metric.name, floor=alarm.floor, units=len(stream.unit), read=read, labels=int(alarm.labels), waiting=waiting,
            evidence=float(alarm.evidence), limit=alarm.limit, rang=stream.unit[int(alarm.rang) - 1] if alarm.rang > 0 else None,
            says=alarm.says,
        )  # fmt: skip

    def verify(self) -> tuple[str, ...]:
        """Recompute hashes, seals, probabilities and which units were asked about; return what does not match.

        Examples:
            >>> import fewlabels
            >>> monitor = fewlabels.Monitor.create("fraud", floor=0.8, rate=1.0, ledger="sqlite:///:memory:")
            >>> monitor.verify()
            ()
        """
        entries = self._ledger.entries(self.name)
        found = list(broken(entries))
        for i, entry in enumerate(entries if not found else ()):
            if entry.kind == "arrival":
                rows = list(zip(entry.body["unit"], entry.body["flagged"], entry.body["guess"], strict=True))
                again = _chosen(_read(entries[:i]), rows)
                if again["asked"] != entry.body["asked"] or not np.allclose(again["pi"], entry.body["pi"], rtol=1e-9):
                    found.append(f"entry {entry.serial} (arrival): the units asked about do not follow from the record before it")
        return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamRecord:
    """The record of a stream, unit by unit; `answers` holds the first usable answer to each unit."""

    terms: Mapping[str, Any]
    salt: str
    unit: Sequence[str]
    flagged: Sequence[bool]
    guess: Sequence[float]
    pi: Sequence[float]
    asked: Sequence[bool]
    answers: Mapping[str, str]


def _read(entries: Sequence[Entry]) -> StreamRecord:
    """Fold the entries into the record of the stream."""
    answers: dict[str, str] = {}
    arrived: dict[str, list[Any]] = {name: [] for name in ("unit", "flagged", "guess", "pi", "asked")}
    for entry in entries:
        if entry.kind == "arrival":
            for name, held in arrived.items():
                held += entry.body[name]
        elif entry.kind == "answer" and answers.get(entry.body["unit"], "skipped") in UNANSWERED:
            answers[entry.body["unit"]] = entry.body["answer"]
    terms = entries[0].body
    return StreamRecord(terms=terms, salt=terms["salt"], answers=answers, **arrived)


def _alarm(terms: Mapping[str, Any]) -> StreamAlarm:
    """The alarm before its first unit."""
    floor, rate, error, length = (terms[name] for name in ("floor", "rate", "error", "run_length"))
    if not all(isinstance(x, int | float) for x in (floor, rate, error)) or not (length is None or isinstance(length, int | float)):
        raise GoalError(f"the floor, rate, error and run length of a monitor must be numbers, got {_terms(terms)}: write 0.9, 0.1, 0.05")
    return set_stream_alarm(
        metric_named(str(terms["metric"])), floor=float(floor), rate=float(rate), error=float(error),
        promise="ever" if length is None else "run length", run_length=None if length is None else float(length),
    )  # fmt: skip


def _observed(stream: StreamRecord) -> tuple[StreamAlarm, int]:
    """The alarm after all units up to the first that waits for an answer, and the number of those units."""
    alarm = _alarm(stream.terms)
    label = {"yes": 1, "no": 0}
    for i, unit in enumerate(stream.unit):
        if stream.asked[i] and unit not in stream.answers:
            return alarm, i
        said = label.get(stream.answers[unit], MISSING) if stream.asked[i] else NOT_ASKED
        came = (np.asarray(stream.flagged[i]), np.asarray(stream.guess[i]), np.asarray(stream.pi[i]), np.asarray(said))
        alarm = observe(alarm, Arrival(*came))
    return alarm, len(stream.unit)


def _chosen(stream: StreamRecord, rows: Sequence[tuple[str, bool, float]]) -> dict[str, Any]:
    """The ledger entry of an arrival: the probability of asking about each unit, and whether it is asked about."""
    alarm, _ = _observed(stream)
    flagged, guess = np.array([row[1] for row in rows], dtype=np.bool_), np.array([row[2] for row in rows])
    pi = asking_probability(alarm, flagged=flagged, guess=guess)
    asked = [permanent_number(stream.salt, name) < p * TOP for (name, *_), p in zip(rows, pi.tolist(), strict=True)]
    return {
        "unit": [row[0] for row in rows], "flagged": flagged.tolist(), "guess": guess.tolist(), "pi": pi.tolist(), "asked": [*asked]
    }  # fmt: skip


def _row(number: int, item: Mapping[str, object]) -> tuple[str, bool, float]:
    """A unit as it arrived. Raise LabelError unless it has an id, a decision and a guess."""
    try:
        unit, flagged, guess = str(item["unit"]), item["flagged"], float(str(item["guess"]))
    except (KeyError, ValueError):
        raise LabelError(
            f"an arriving unit must have unit, flagged and guess, but number {number} has {dict(item)}: name all three"
        ) from None
    if not 0 <= guess <= 1 or flagged not in (True, False):
        raise LabelError(
            f"flagged must be true or false and guess must lie in [0, 1], but unit {unit!r} has {flagged!r} and {guess:g}: map them first"
        )
    return unit, bool(flagged), guess


def _terms(held: Mapping[str, Json]) -> str:
    return ", ".join(f"{name} {value}" for name, value in held.items() if name != "salt" and value is not None)
