"""The finite set of units being judged: where it lives and how it is read. Frozen data; engines open it.

Main path: [population] > profile > plan > draw > labels > estimate > decision > report
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from assay.errors import PopulationError
from assay.nouns.canonical import Json
from assay.nouns.classifier import Classifier

MEMORY = "memory"  # the source of a population held in memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Population:
    """Units, classifiers and slices of one table.

    source       a path or glob of Parquet or CSV files, or "memory" for a table held in `table`
    id           the column that names a unit
    classifiers  who is judged; the position of a classifier is its bit in the prediction pattern
    slices       columns that cut the population into parts
    guide        the column, a probability in [0, 1], that steers the draw; None: the first classifier's own score
    """

    source: str
    id: str
    classifiers: tuple[Classifier, ...]
    slices: tuple[str, ...] = ()
    guide: str | None = None
    table: object | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Refuses a population nobody could be judged on."""
        if not self.classifiers:
            raise PopulationError("a population needs at least one classifier, but got none: name one with its score and threshold")
        names = [c.name for c in self.classifiers]
        if len(set(names)) < len(names):
            raise PopulationError(f"classifier names must differ, but got {names}: rename one")
        if len(set(self.slices)) < len(self.slices):
            raise PopulationError(f"slice columns must differ, but got {list(self.slices)}: name each once")

    def classifier(self, name: str | None) -> Classifier:
        """The classifier of that name; the first one for None."""
        if name is None:
            return self.classifiers[0]
        for candidate in self.classifiers:
            if candidate.name == name:
                return candidate
        raise PopulationError(f"no classifier {name!r}: this population has {[c.name for c in self.classifiers]}")

    @property
    def guide_column(self) -> str | None:
        """The column that steers the draw: the guide, else the first classifier's score, else none."""
        return self.guide or self.classifiers[0].score

    @property
    def guide_range(self) -> tuple[float, float]:
        """The range mapped to [0, 1] before binning."""
        return (0.0, 1.0) if self.guide else self.classifiers[0].score_range

    @property
    def hidden_columns(self) -> frozenset[str]:
        """Columns no labeler may see: scores, predictions and the guide."""
        named = [self.guide, *(c.score for c in self.classifiers), *(c.predicted for c in self.classifiers)]
        return frozenset(column for column in named if column)

    def as_json(self) -> dict[str, Json]:
        """Plain data for the ledger; a table held in memory is not part of it."""
        return {
            "source": self.source,
            "id": self.id,
            "classifiers": [c.as_json() for c in self.classifiers],
            "slices": list(self.slices),
            "guide": self.guide,
        }

    @classmethod
    def of_json(cls, data: Mapping[str, Any], *, table: object | None = None) -> "Population":
        """The population that `as_json` wrote, with its table if it lives in memory."""
        return cls(
            source=data["source"],
            id=data["id"],
            classifiers=tuple(Classifier.of_json(c) for c in data["classifiers"]),
            slices=tuple(data["slices"]),
            guide=data["guide"],
            table=table,
        )
