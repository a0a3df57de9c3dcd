"""What else the labels of a study say, beyond its goals: in slices, between classifiers, at other thresholds, over several periods.

Main path: population > profile > plan > draw > labels > [estimate] > [decision] > report
"""

from collections.abc import Mapping, Sequence
from typing import cast

from fewlabels.deciding.thresholds import FoundThreshold
from fewlabels.ledgers.base import Ledger
from fewlabels.nouns.canonical import Json, fingerprint
from fewlabels.nouns.estimate import Estimate
from fewlabels.study.decision.looks import Shown, answer, asked_body
from fewlabels.study.estimate.comparison import Comparison, Ranked
from fewlabels.study.estimate.periods import Change, Watched, asked_change, asked_periods
from fewlabels.study.estimate.slices import InSlices
from fewlabels.study.estimate.thresholds import Curves
from fewlabels.study.state.replay import replay
from fewlabels.study.state.standing import Standing


class Explorer:
    """A study as its ledger has it, and what may be asked of it at its look."""

    def __init__(self, name: str, ledger: Ledger, table: object | None = None) -> None:
        """Use `Study.create` or `Study.load`."""
        self.name, self._ledger, self._table = name, ledger, table

    @property
    def ledger(self) -> Ledger:
        """The record the study is in.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> study = small_study()
            >>> study.ledger.studies()
            ['small']
        """
        return self._ledger

    @property
    def standing(self) -> Standing:
        """Where the study stands: the fold of its entries.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> study = small_study()
            >>> study.standing.classifiers, len(study.standing.answers)
            (('new', 'old'), 40)
        """
        return replay(self._ledger.entries(self.name))

    def slices(
        self, metric: str, *, by: Sequence[str], classifier: str | None = None, simultaneous: bool = False, peek: bool = False
    ) -> InSlices:
        """A metric in every slice of a column, or of columns crossed, planned or not; simultaneous=True: all intervals hold together.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> study = small_study()
            >>> for found in study.slices("recall", by=["country"]).estimates:
            ...     print(found)
            recall of new in country=BR 0.889 [0.889, 0.889] at 95.0%, 30 labels, effective n 30
            recall of new in country=DE 0.500 [0.500, 0.500] at 95.0%, 10 labels, effective n 10
        """
        asked = {"kind": "slices", "metric": metric, "by": list(by), "classifier": classifier, "simultaneous": simultaneous}
        return cast(InSlices, self._asked(asked, peek=peek))

    def compare(self, first: str, second: str, *, metric: str = "f1", peek: bool = False) -> Comparison:
        """The metric of the first classifier less that of the second, on the same units, and which is shown to be better.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> study = small_study()
            >>> found = study.compare("new", "old", metric="f1")
            >>> round(found.estimate.value, 3), found.better
            (0.348, 'new')
        """
        return cast(Comparison, self._asked({"kind": "comparison", "metric": metric, "first": first, "second": second}, peek=peek))

    def rank(self, metric: str = "f1", *, classifiers: Sequence[str] = (), peek: bool = False) -> Ranked:
        """Which of several classifiers (all, if none is named) are better than which; none of the claims is false at the level.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> study = small_study()
            >>> found = study.rank("f1")
            >>> found.better, found.best
            ((('new', 'old'),), ('new',))
        """
        return cast(Ranked, self._asked({"kind": "ranking", "metric": metric, "classifiers": list(classifiers)}, peek=peek))

    def curves(self, *, classifier: str | None = None, peek: bool = False) -> Curves:
        """Precision and recall at every threshold of a classifier whose score guides the draw, pointwise and as ribbons.

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
        return cast(Curves, self._asked({"kind": "curves", "classifier": classifier}, peek=peek))

    def find_threshold(self, metric: str, target: float, *, classifier: str | None = None, peek: bool = False) -> FoundThreshold:
        """The lowest threshold found with precision at least the target (the highest, for recall); the guarantee holds after the search.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> study = small_study()
            >>> found = study.find_threshold("precision", 0.6)
            >>> round(found.threshold, 3), found.units, found.value
            (0.707, 12, 0.75)
        """
        asked: dict[str, Json] = {"kind": "threshold", "metric": metric, "target": target, "classifier": classifier}
        return cast(FoundThreshold, self._asked(asked, peek=peek))

    def change(self, since: "Explorer", metric: str, *, classifier: str | None = None) -> Change:
        """The metric here less that in an earlier study; units that both drew move both, and the interval knows it.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> before, after = small_study("week 1"), small_study("week 2")
            >>> found = after.change(before, "recall")
            >>> found.value, found.labels, found.shared
            (0.0, (40, 40), 0)
        """
        return cast(Change, self._asked(asked_change(since.standing, self.standing, metric, classifier), peek=False))

    def window(self, earlier: Sequence["Explorer"], metric: str, *, classifier: str | None = None) -> Estimate:
        """The metric of the units of several studies together, for events too rare to be read in one; no unit is in two of them.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> before, after = small_study("week 1"), small_study("week 2")
            >>> print(after.window([before], "recall"))
            recall of new in studies=week 1, week 2 0.818 [0.818, 0.818] at 95.0%, 80 labels, effective n 80
        """
        asked = asked_periods("window", [one.standing for one in earlier], self.standing, metric, classifier)
        return cast(Estimate, self._asked(asked, peek=False))

    def alarm(
        self,
        earlier: Sequence["Explorer"],
        metric: str,
        *,
        floor: float,
        classifier: str | None = None,
        error: float = 0.05,
        run_length: float | None = None,
    ) -> Watched:
        """Whether an alarm has rung that watches the metric over several studies and rings when it has fallen below the floor.

        By name: P(it ever rings falsely) is at most `error`; or, with a run length in periods, it rings falsely after so many on average.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> before, after = small_study("week 1"), small_study("week 2")
            >>> found = after.alarm([before], "recall", floor=0.7)
            >>> found.says
            'as long as recall is at least 0.7 in every period, it ever rings with probability at most 0.05'
            >>> print(found.rang)
            None
        """
        promise = "ever" if run_length is None else "run length"
        how: dict[str, Json] = {"floor": floor, "promise": promise, "error": error, "run_length": run_length}
        asked = asked_periods("alarm", [one.standing for one in earlier], self.standing, metric, classifier, **how)
        return cast(Watched, self._asked(asked, peek=False))

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
