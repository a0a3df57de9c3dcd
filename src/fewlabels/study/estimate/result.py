"""The estimates a look at a study shows, or progress if it is too early."""

from collections.abc import Sequence
from dataclasses import dataclass

from fewlabels.errors import StudyError
from fewlabels.nouns.agreement import Agreed
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.display import Displayed
from fewlabels.nouns.estimate import Estimate
from fewlabels.nouns.metrics import metric_named
from fewlabels.nouns.missing import Missing
from fewlabels.nouns.tipping import TippingPoint
from fewlabels.study.estimate.atlas import in_words
from fewlabels.study.state.progress import Progress


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Estimates(Displayed):
    """Every metric the draw can estimate, or only progress if it is too early.

    estimates   empty before the look the plan names
    certified   False for a peek: the intervals are then not valid at their stated level
    cautions    for each estimate, why its interval was not shown to reach its level; None if it was
    agreement   agreement of labelers on units that several answered; None if there are none
    missing     missing answers: how many, where, and whether they could be missing at random
    tipping     for each target, how many positives may hide where the scores see none before it falls
    about       what every number is about: the units of the table, or units like these
    warnings    what a reader must know: scores that are not calibrated, missing answers, disagreement

    Examples:
        >>> from fewlabels.demo.study import small_study
        >>> shown = small_study().estimate()
        >>> shown.certified, shown.progress.labels
        (True, 40)
        >>> print(shown["precision"])
        precision of new 0.750 [0.750, 0.750] at 95.0%, 12 labels, effective n 12
    """

    progress: Progress
    estimates: tuple[Estimate, ...]
    certified: bool
    promise: str
    missing: Missing
    agreement: Agreed | None
    warnings: tuple[str, ...]
    about: str = ""
    cautions: tuple[str | None, ...] = ()
    tipping: tuple[TippingPoint, ...] = ()

    def __getitem__(self, metric: str) -> Estimate:
        """The estimate of a metric for the first classifier that has one."""
        return self.of(metric)

    def of(self, metric: str, classifier: str | None = None, *, slice: tuple[str, str] | None = None) -> Estimate:
        """The estimate of a metric for a classifier (by default the first that has one). slice: (column, value) of a goal's slice.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> shown = small_study().estimate()
            >>> print(shown.of("precision", "old"))
            precision of old 0.417 [0.417, 0.417] at 95.0%, 12 labels, effective n 12
        """
        name = metric_named(metric).name
        for found in self.estimates:
            if found.metric == name and classifier in (None, found.whose) and found.slice == slice:
                return found
        p = self.progress
        if p.waits_for_gold and not self.estimates:
            raise StudyError(
                f"no interval before all {p.gold_planned:,} units drawn for gold are adjudicated, {p.gold_told:,} are: record them, or peek"
            )
        if p.waits_for_second and not self.estimates:
            raise StudyError(
                f"no interval before two labelers have answered all {p.second_planned:,} units labeled twice, {p.second_told:,} are done: "
                "continue labeling, or peek"
            )
        if not self.estimates:
            raise StudyError(
                f"no interval before all {p.planned:,} planned units are resolved, {p.labels:,} are: continue labeling, or peek"
            )
        raise StudyError(f"this draw cannot estimate {metric}: it has {', '.join(e.metric for e in self.estimates)}")

    def cautions_of(self, chosen: Sequence[Estimate]) -> list[str]:
        """The cautions about these estimates as sentences, without duplicates.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> shown = small_study().estimate()
            >>> shown.cautions_of([shown["precision"]])
            ['precision: exact for these 12 units; it says nothing about others: --about process']
        """
        return in_words((e, caution) for e, caution in zip(self.estimates, self.cautions, strict=True) if e in chosen)

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> shown = small_study(labeled=False).estimate()  # too early: progress, and no interval
            >>> shown.as_json()["progress"]["planned"], shown.as_json()["estimates"]
            (40, [])
        """
        return {
            "progress": self.progress.as_json(),
            "certified": self.certified,
            "promise": self.promise,
            "about": self.about,
            "estimates": [{**e.as_json(), "caution": caution} for e, caution in zip(self.estimates, self.cautions, strict=True)],
            "tipping": [one.as_json() for one in self.tipping],
            "missing": self.missing.as_json(),
            "agreement": None if self.agreement is None else self.agreement.as_json(),
            "warnings": list(self.warnings),
        }
