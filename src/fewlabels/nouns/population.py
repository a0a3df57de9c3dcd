"""The finite population of units: where it is stored and how it is read. Frozen data; engines open it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from fewlabels.errors import PopulationError, StudyError
from fewlabels.nearest import way_out
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.classifier import Classifier
from fewlabels.nouns.metric import Metric

MEMORY = "memory"  # the source of a population held in memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Population:
    """The units, classifiers and slices of one table.

    source       a path or glob of Parquet or CSV files, or "memory" for a table held in `table`
    id           the column that identifies a unit
    classifiers  the classifiers to evaluate; the position of a classifier is its bit in the prediction pattern
    slices       columns that divide the population into slices
    cluster      the column that tells which units belong together (a patient, an account, a conversation), for questions about units like
                 these; a unit without a value belongs to no other
    weight       the column of the units' metric weights (dollars, views), for metrics such as "recall by amount"; None if there is none
    guide        the column, a probability in [0, 1], that steers the draw; by default the first classifier's score, or the risk
    candidates   columns of probabilities in [0, 1] that make estimates steadier, or from which a pilot fits a guide; read in steps of a
                 factor of two
    missing_scores   whether a score or guide may be null: such units are not flagged and form bands of their own
    risk         for several questions: the weights of each classifier's score noise s (1 - s), unflagged and flagged, in the risk that
                 steers the draw; a study sets them from its goals

    Examples:
        >>> import fewlabels
        >>> population = fewlabels.read_population("scored.parquet", score="score", threshold=0.5, slices=["country"])
        >>> population.id, population.classifiers[0].name, population.slices
        ('id', 'classifier', ('country',))
    """

    source: str
    id: str
    classifiers: tuple[Classifier, ...]
    slices: tuple[str, ...] = ()
    guide: str | None = None
    weight: str | None = None
    candidates: tuple[str, ...] = ()
    missing_scores: bool = False
    cluster: str | None = None
    risk: tuple[tuple[float, float], ...] | None = None
    table: object | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check that the columns and classifiers are consistent; raise PopulationError otherwise."""
        if not self.classifiers:
            raise PopulationError("a population needs at least one classifier, got none: name one with its score and threshold")
        names = [c.name for c in self.classifiers]
        if len(set(names)) < len(names):
            raise PopulationError(f"classifier names must differ, got {names}: rename one")
        if len(set(self.slices)) < len(self.slices):
            raise PopulationError(f"slice columns must differ, got {list(self.slices)}: name each once")
        if len(set(self.candidates)) < len(self.candidates) or set(self.candidates) & {self.guide_column}:
            raise PopulationError(f"candidates must differ from the guide and each other, got {list(self.candidates)}: leave one out")
        if self.candidates and self.is_joint:
            raise PopulationError("candidates need a single question, but the classifiers answer several: make a study for each")
        if self.missing_scores and self.is_joint:
            raise PopulationError("missing scores are allowed for a single question, but the classifiers answer several: fill them in")
        _refuse_mixed_classes(self.classifiers)
        _refuse_votes(self.classifiers)
        if self.weight is not None and self.weight in self.slices:
            raise PopulationError(f"a column must be either a weight or a slice, but {self.weight!r} is named as both: leave one out")
        self._refuse_cluster()

    def _refuse_cluster(self) -> None:
        """Raise PopulationError for a cluster column that cannot be one."""
        if self.cluster is not None and self.cluster in {self.id, self.weight, *self.hidden_columns}:
            raise PopulationError(
                f"a cluster is a column that several units share, but {self.cluster!r} is also the id, the weight, a score or a "
                "prediction: name another, or leave it out"
            )

    def refuse_unknown_weight(self, metric: Metric) -> None:
        """Raise PopulationError if the metric is weighted by a column that is not the population's weight.

        Examples:
            >>> import fewlabels
            >>> population = fewlabels.read_population("scored.parquet", score="score", threshold=0.5, weight="amount")
            >>> population.refuse_unknown_weight(fewlabels.Goal(metric="recall by amount", kind="+-", value=0.1).definition)
        """
        if metric.weight is not None and metric.weight != self.weight:
            named = f"has {self.weight!r}" if self.weight else "has none"
            raise PopulationError(
                f"{metric.name} needs the weight column {metric.weight!r}, but the population {named}: name it with weight= (--weight)"
            )

    def classifier(self, name: str | None) -> Classifier:
        """The classifier with that name; the first one for None.

        Examples:
            >>> import fewlabels
            >>> population = fewlabels.read_population("scored.parquet", score="score", threshold=0.5, slices=["country"])
            >>> population.classifier(None).threshold
            0.5
        """
        if name is None:
            return self.classifiers[0]
        for candidate in self.classifiers:
            if candidate.name == name:
                return candidate
        names = [one.name for one in self.classifiers]
        raise PopulationError(f"no classifier {name!r}: {way_out(name, names, owner='this population')}")

    @property
    def guide_column(self) -> str | None:
        """The column that steers the draw: the guide, or else the first classifier's score; None if there is neither or the risk steers.

        Examples:
            >>> import fewlabels
            >>> population = fewlabels.read_population("scored.parquet", score="score", threshold=0.5, slices=["country"])
            >>> population.guide_column
            'score'
        """
        return self.guide or (None if self.is_joint else self.classifiers[0].score)

    @property
    def questions(self) -> tuple[str, ...]:
        """The distinct questions a labeler is asked about a unit.

        Examples:
            >>> import fewlabels
            >>> population = fewlabels.read_population("scored.parquet", score="score", threshold=0.5, slices=["country"])
            >>> population.questions
            ('positive',)
        """
        return tuple(dict.fromkeys(c.question for c in self.classifiers))

    @property
    def is_joint(self) -> bool:
        """Whether the classifiers are labels or classes evaluated together: several questions, or several classes of one question.

        Examples:
            >>> import fewlabels
            >>> animals = [fewlabels.Classifier(name, predicted="label", value=name) for name in ("cat", "dog")]
            >>> fewlabels.read_population("scored.parquet", classifiers=animals).is_joint
            True
        """
        return len(self.classifiers) > 1 and (len(self.questions) > 1 or self.classifiers[0].value is not None)

    @property
    def guided(self) -> bool:
        """Whether a guide or a risk tells where errors are likely.

        Examples:
            >>> import fewlabels
            >>> fewlabels.read_population("scored.parquet", predicted="flag").guided
            False
        """
        return self.guide_column is not None or self.risk is not None

    @property
    def guide_range(self) -> tuple[float, float]:
        """The range of the guide that is mapped to [0, 1] before binning.

        Examples:
            >>> import fewlabels
            >>> old = fewlabels.Classifier("old", score="points", threshold=60, score_range=(0, 100))
            >>> fewlabels.read_population("scored.parquet", classifiers=[old]).guide_range
            (0.0, 100.0)
        """
        return (0.0, 1.0) if self.guide else self.classifiers[0].score_range

    @property
    def hidden_columns(self) -> frozenset[str]:
        """The columns that labelers must not see: scores, predictions and the guide.

        Examples:
            >>> import fewlabels
            >>> population = fewlabels.read_population("scored.parquet", score="score", threshold=0.5, slices=["country"])
            >>> population.hidden_columns
            frozenset({'score'})
        """
        named = [self.guide, *self.candidates, *(c.score for c in self.classifiers), *(c.predicted for c in self.classifiers)]
        return frozenset(column for column in named if column)

    def refuse_hidden(self, columns: Iterable[str]) -> None:
        """Raise StudyError if a column would show labelers a score, a prediction or the guide.

        Examples:
            >>> import fewlabels
            >>> population = fewlabels.read_population("scored.parquet", score="score", threshold=0.5, slices=["country"])
            >>> population.refuse_hidden(["text", "country"])  # labelers may see both
        """
        hidden = sorted(self.hidden_columns & set(columns))
        if hidden:
            were, them = ("was", "it") if len(hidden) == 1 else ("were", "them")
            raise StudyError(
                f"labelers see no score, prediction or guide, but {', '.join(hidden)} {were} requested: leave {them} out of --show"
            )

    def as_json(self) -> dict[str, Json]:
        """Plain data for the ledger; a table held in memory is not part of it.

        Examples:
            >>> import fewlabels
            >>> population = fewlabels.read_population("scored.parquet", score="score", threshold=0.5, slices=["country"])
            >>> population.as_json()["slices"]
            ['country']
        """
        fitted: dict[str, Json] = {"candidates": list(self.candidates)} if self.candidates else {}
        if self.missing_scores:
            fitted["missing_scores"] = True
        if self.cluster is not None:
            fitted["cluster"] = self.cluster
        return {
            **fitted,
            "source": self.source,
            "id": self.id,
            "classifiers": [c.as_json() for c in self.classifiers],
            "slices": list(self.slices),
            "guide": self.guide,
            "weight": self.weight,
            "risk": None if self.risk is None else [list(pair) for pair in self.risk],
        }

    @classmethod
    def of_json(cls, data: Mapping[str, Any], *, table: object | None = None) -> "Population":
        """The population that `as_json` wrote, with its table if it is held in memory.

        Examples:
            >>> import fewlabels
            >>> population = fewlabels.read_population("scored.parquet", score="score", threshold=0.5, slices=["country"])
            >>> fewlabels.Population.of_json(population.as_json()) == population
            True
        """
        return cls(
            source=data["source"],
            id=data["id"],
            classifiers=tuple(Classifier.of_json(c) for c in data["classifiers"]),
            slices=tuple(data["slices"]),
            guide=data["guide"],
            weight=data["weight"],
            candidates=tuple(data.get("candidates", ())),
            missing_scores=data.get("missing_scores", False),
            cluster=data.get("cluster"),
            risk=None if data["risk"] is None else tuple((low, high) for low, high in data["risk"]),
            table=table,
        )


def _refuse_votes(classifiers: tuple[Classifier, ...]) -> None:
    """Raise PopulationError unless every vote is over classifiers listed before it that answer the same question."""
    known: dict[str, str] = {}
    for classifier in classifiers:
        if classifier.of and {known.get(name) for name in classifier.of} != {classifier.question}:
            raise PopulationError(
                f"a vote must be over classifiers named before it that answer the same question, but {classifier.name!r} is over "
                f"{list(classifier.of)} after {list(known)}: name those first"
            )
        known[classifier.name] = classifier.question


def _refuse_mixed_classes(classifiers: tuple[Classifier, ...]) -> None:
    """Raise PopulationError unless classes are distinct values of one column, answer one question, and are not mixed with yes or no."""
    kinds = {(c.predicted, c.question) if c.value is not None else None for c in classifiers}
    values = [c.value for c in classifiers]
    if kinds != {None} and (len(kinds) > 1 or len(set(values)) < len(values)):
        shown = ", ".join(f"{c.name} ({c.predicted or c.score}, {c.value or 'yes or no'})" for c in classifiers)
        raise PopulationError(
            f"classes must be different values of one column and answer one question, got {shown}: make a study for each column"
        )
