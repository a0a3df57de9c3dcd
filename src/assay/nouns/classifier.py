"""A classifier: a name, the question it answers, and how its decision is read from the table.

Main path: [population] > profile > plan > draw > labels > estimate > decision > report
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.errors import PopulationError
from assay.nouns.canonical import Json

DEFAULT_QUESTION = "positive"


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class Classifier:
    """Predicts positive iff its score is at least its threshold, or as its prediction column says.

    Classifier("gbm", score="score_gbm", threshold=0.31)      a score in [0, 1] and a threshold
    Classifier("old", score="points", threshold=60, score_range=(0, 100))   another range, mapped to [0, 1]
    Classifier("rules", predicted="flag")                     only the decision is known
    Classifier("cat", predicted="label", value="cat")         one class of several: the column holds the class that was chosen
    Classifier("joy", score="s_joy", threshold=0.2, question="joy")   one label of several: each is a question of its own

    `question` is what labelers are asked; classifiers that share one share its answers.
    """

    name: str
    score: str | None
    threshold: float | None
    predicted: str | None
    score_range: tuple[float, float]
    question: str
    value: str | None

    def __init__(
        self,
        name: str,
        *,
        score: str | None = None,
        threshold: float | None = None,
        predicted: str | None = None,
        score_range: tuple[float, float] = (0.0, 1.0),
        question: str = DEFAULT_QUESTION,
        value: str | None = None,
    ) -> None:
        """Refuses a classifier whose decision could not be read."""
        if not name or any(c in name for c in "=@,") or name != name.strip():
            raise PopulationError(f"a classifier's name is text without '=', '@', ',' or outer blanks, but got {name!r}: rename it")
        if predicted is None and (score is None or threshold is None):
            raise PopulationError(
                f"a classifier needs score and threshold, or predicted, but {name!r} has score={score!r}, threshold={threshold!r}, "
                "predicted=None: name the missing column or threshold"
            )
        if predicted is not None and threshold is not None:
            raise PopulationError(f"{name!r} has both a prediction column and a threshold: keep the one that decides")
        if value is not None and (predicted is None or value != value.strip() or not value):
            raise PopulationError(
                f"a class is text without outer blanks in a prediction column, but {name!r} has value={value!r}, predicted={predicted!r}: "
                "name the column and the class"
            )
        low, high = float(score_range[0]), float(score_range[1])
        if not (math.isfinite(high - low) and low < high):
            raise PopulationError(f"score_range needs finite low < high, but {name!r} has {score_range}: give the score's true limits")
        if threshold is not None and not math.isfinite(threshold):
            raise PopulationError(
                f"a threshold is a finite number, but {name!r} has {threshold}: give the score from which a unit is flagged"
            )
        values = (name, score, None if threshold is None else float(threshold), predicted, (low, high), question, value)
        for field, held in zip(("name", "score", "threshold", "predicted", "score_range", "question", "value"), values, strict=True):
            object.__setattr__(self, field, held)

    def as_json(self) -> dict[str, Json]:
        """Plain data for the ledger."""
        return {
            "name": self.name,
            "score": self.score,
            "threshold": self.threshold,
            "predicted": self.predicted,
            "score_range": list(self.score_range),
            "question": self.question,
            "value": self.value,
        }

    @classmethod
    def of_json(cls, data: Mapping[str, Any]) -> "Classifier":
        """The classifier that `as_json` wrote."""
        low, high = data["score_range"]
        return cls(
            data["name"],
            score=data["score"],
            threshold=data["threshold"],
            predicted=data["predicted"],
            score_range=(low, high),
            question=data["question"],
            value=data["value"],
        )
