"""What can be read of a study: where it stands, its numbers, its verdict. Nothing is planned, drawn or labeled here.

Main path: population > profile > plan > draw > labels > [estimate] > [decision] > report
"""

from collections.abc import Mapping, Sequence
from typing import cast

from assay.deciding.thresholds import FoundThreshold
from assay.engines.base import Engine
from assay.engines.opening import open_engine
from assay.errors import StudyError
from assay.ledgers.base import Ledger
from assay.nouns.canonical import Json, fingerprint
from assay.nouns.decision import Decision
from assay.nouns.estimate import Estimate
from assay.nouns.population import MEMORY
from assay.study.online.reading import Running, read_running
from assay.study.readings.comparing import Comparison, Ranked
from assay.study.readings.confusion import ConfusionCell, read_confusion
from assay.study.readings.labelers import Labelers, read_labelers
from assay.study.readings.looking import Shown, answer, asked_body
from assay.study.readings.periods import Change, Watched, asked_change, asked_periods
from assay.study.readings.reading import Estimates, look_body, read_decision, read_estimates
from assay.study.readings.shrinking import Shrinking, read_shrinking
from assay.study.readings.slicing import InSlices
from assay.study.readings.thresholds import Curves
from assay.study.replay import replay
from assay.study.standing import Standing
from assay.study.status import Status, read_status
from assay.study.verifying import Verification, verify


class Reader:
    """A study as its ledger has it."""

    def __init__(self, name: str, ledger: Ledger, table: object | None = None) -> None:
        """Use `Study.create` or `Study.load`."""
        self.name, self._ledger, self._table = name, ledger, table

    @property
    def ledger(self) -> Ledger:
        """The record the study is in."""
        return self._ledger

    @property
    def standing(self) -> Standing:
        """Where the study stands: the fold of its entries."""
        return replay(self._ledger.entries(self.name))

    @property
    def written(self) -> int:
        """How many entries the ledger has of the study: nothing has changed while it stays the same."""
        return self._ledger.last(self.name)

    @property
    def inherited(self) -> int:
        """Units whose answers were carried over from the studies this one follows: answered, and never handed out."""
        standing = self.standing
        return sum(unit not in standing.asked for unit in standing.answers) if standing.follows is not None else 0

    def status(self) -> Status:
        """How far the study is, and what a reader must know; no interval."""
        return read_status(self.standing, table=self._table)

    def estimate(self, *, peek: bool = False) -> Estimates:
        """Every metric the draw can answer for, with interval and effective n, at the plan's look; before it only progress.

        peek=True shows numbers early, marked as not holding at their level, and records that they were seen.
        """
        return self._look(peek=peek)[1]

    def running(self) -> Running:
        """Where an online study stands now: running bands, each goal, and how many more labels it should take. Looking costs nothing."""
        standing = self.standing
        if not standing.plan.is_online:
            raise StudyError(f"study {self.name!r} has no running band, for it was not planned with one: see its status, or its estimate")
        return read_running(standing, forecast=True)

    def confusion(self, *, peek: bool = False) -> tuple[ConfusionCell, ...]:
        """Of the units given each class, the share that truly is of each, with intervals; empty before the plan's look."""
        standing, shown = self._look(peek=peek)
        return read_confusion(standing) if shown.estimates else ()

    def decide(self, *, peek: bool = False) -> Decision | None:
        """Ship, do not ship or label more, with reasons; None before the plan's look."""
        standing, shown = self._look(peek=peek)
        return read_decision(standing, shown) if shown.estimates else None

    def slices(
        self, metric: str, *, by: Sequence[str], classifier: str | None = None, simultaneous: bool = False, peek: bool = False
    ) -> InSlices:
        """A metric in every slice of a column, or of columns crossed, planned or not; simultaneous=True: all intervals hold together."""
        asked = {"kind": "slices", "metric": metric, "by": list(by), "classifier": classifier, "simultaneous": simultaneous}
        return cast(InSlices, self._asked(asked, peek=peek))

    def compare(self, first: str, second: str, *, metric: str = "f1", peek: bool = False) -> Comparison:
        """The metric of the first classifier less that of the second, on the same units, and which is shown to be better."""
        return cast(Comparison, self._asked({"kind": "comparison", "metric": metric, "first": first, "second": second}, peek=peek))

    def rank(self, metric: str = "f1", *, classifiers: Sequence[str] = (), peek: bool = False) -> Ranked:
        """Which of several classifiers (all, if none is named) are better than which; none of the claims is false at the level."""
        return cast(Ranked, self._asked({"kind": "ranking", "metric": metric, "classifiers": list(classifiers)}, peek=peek))

    def curves(self, *, classifier: str | None = None, peek: bool = False) -> Curves:
        """Precision and recall at every threshold of a classifier whose score guides the draw, pointwise and as ribbons."""
        return cast(Curves, self._asked({"kind": "curves", "classifier": classifier}, peek=peek))

    def find_threshold(self, metric: str, target: float, *, classifier: str | None = None, peek: bool = False) -> FoundThreshold:
        """The lowest threshold found with precision at least the target (the highest, for recall); the guarantee holds after the search."""
        asked: dict[str, Json] = {"kind": "threshold", "metric": metric, "target": target, "classifier": classifier}
        return cast(FoundThreshold, self._asked(asked, peek=peek))

    def change(self, since: "Reader", metric: str, *, classifier: str | None = None) -> Change:
        """The metric here less that in an earlier study; units that both drew move both, and the interval knows it."""
        return cast(Change, self._asked(asked_change(since.standing, self.standing, metric, classifier), peek=False))

    def window(self, earlier: Sequence["Reader"], metric: str, *, classifier: str | None = None) -> Estimate:
        """The metric of the units of several studies together, for events too rare to be read in one; no unit is in two of them."""
        asked = asked_periods("window", [one.standing for one in earlier], self.standing, metric, classifier)
        return cast(Estimate, self._asked(asked, peek=False))

    def alarm(
        self,
        earlier: Sequence["Reader"],
        metric: str,
        *,
        floor: float,
        classifier: str | None = None,
        error: float = 0.05,
        run_length: float | None = None,
    ) -> Watched:
        """Whether an alarm has rung that watches the metric over several studies and rings when it has fallen below the floor.

        By name: P(it ever rings falsely) is at most `error`; or, with a run length in periods, it rings falsely after so many on average.
        """
        promise = "ever" if run_length is None else "run length"
        how: dict[str, Json] = {"floor": floor, "promise": promise, "error": error, "run_length": run_length}
        asked = asked_periods("alarm", [one.standing for one in earlier], self.standing, metric, classifier, **how)
        return cast(Watched, self._asked(asked, peek=False))

    def shrinking(self) -> Shrinking:
        """How the interval of each goal shrank as labels came in; nothing before the plan's look, which this is."""
        standing, _ = self._look(peek=False)
        return read_shrinking(standing)

    def labelers(self) -> Labelers:
        """How each labeler works: answers, speed, agreement with the others and with gold."""
        return read_labelers(self.standing, self._ledger.seconds(self.name))

    def verify(self, *, population: bool = False, table: object | None = None) -> Verification:
        """Recomputes hashes, seals, estimates and, with population=True, the fingerprint and the draw."""
        entries = self._ledger.entries(self.name, anew=True)
        held = table if table is not None else self._table
        return verify(entries, open_population=(lambda standing: self._engine(standing, held)) if population else None)

    def fetch(self, units: Sequence[str], *, columns: Sequence[str]) -> list[dict[str, str | None]]:
        """Columns of given units for labelers. Scores, predictions and the guide are refused: labelers are blind."""
        self.refuse_hidden(columns)
        return self._engine(self.standing, self._table).fetch(units, columns=columns)

    def refuse_hidden(self, columns: Sequence[str]) -> None:
        """Nothing comes back. Refuses columns that would show a labeler a score, a prediction or the guide."""
        hidden = sorted(self.standing.read_population().hidden_columns & set(columns))
        if hidden:
            raise StudyError(f"labelers see no score, prediction or guide, but {', '.join(hidden)} was asked for: leave it out of --show")

    def _engine(self, standing: Standing, table: object | None) -> Engine:
        population = standing.read_population(table)
        if population.source == MEMORY and table is None:
            raise StudyError(f"the population of {self.name!r} is held in memory: pass it again, Study.load({self.name!r}, table=...)")
        return open_engine(population)

    def _asked(self, asked: Mapping[str, Json], *, peek: bool) -> Shown:
        """What was asked, written as a look before it is seen."""
        while True:
            entries = self._ledger.entries(self.name)
            standing = replay(entries)
            shown = answer(standing, asked, peek=peek)
            body = asked_body(standing, asked, shown)
            with self._ledger.writing(self.name) as act:
                if len(act.entries()) == len(entries):
                    act.append("look", key=f"look:{fingerprint(body)}", body=body)
                    return shown

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
