"""A classifier: a name, the question it answers, and how its prediction is read from the table."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fewlabels.errors import PopulationError
from fewlabels.nouns.canonical import Json

DEFAULT_QUESTION = "positive"
RESERVED = ("over", "by", "in", "at", "with", "if", "for")  # words of a goal that may follow a name


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class Classifier:
    """A classifier that predicts positive if its score is at least its threshold, or as its prediction column says.

    Classifier("gbm", score="score_gbm", threshold=0.31)      a score in [0, 1] and a threshold
    Classifier("old", score="points", threshold=60, score_range=(0, 100))   another range, mapped to [0, 1]
    Classifier("rules", predicted="flag")                     only the prediction is known
    Classifier("cat", predicted="label", value="cat")         one class of several: the column holds the predicted class
    Classifier("joy", score="s_joy", threshold=0.2, question="joy")   one label of several: each is a question of its own
    Classifier("vote", of=("gbm", "lr", "rules"), at_least=2)         positive if at least two of three are; 1 for any, 3 for all

    `question` is what labelers are asked; classifiers with the same question share its answers.

    Examples:
        >>> import fewlabels
        >>> gbm = fewlabels.Classifier("gbm", score="score_gbm", threshold=0.31)
        >>> gbm.question, gbm.score_range
        ('positive', (0.0, 1.0))
    """

    name: str
    score: str | None
    threshold: float | None
    predicted: str | None
    score_range: tuple[float, float]
    question: str
    value: str | None
    of: tuple[str, ...]
    at_least: int

    def __init__(  # noqa: PLR0913 - one keyword for each way a decision may be read
        self,
        name: str,
        *,
        score: str | None = None,
        threshold: float | None = None,
        predicted: str | None = None,
        score_range: tuple[float, float] = (0.0, 1.0),
        question: str = DEFAULT_QUESTION,
        value: str | None = None,
        of: Sequence[str] = (),
        at_least: int = 1,
    ) -> None:
        """Check that its predictions can be read; raise PopulationError otherwise."""
        _refuse_unreadable(name, score=score, threshold=threshold, predicted=predicted, value=value, of=of, at_least=at_least)
        low, high = float(score_range[0]), float(score_range[1])
        if not (math.isfinite(high - low) and low < high):
            raise PopulationError(f"score_range needs finite low < high, but {name!r} has {score_range}: give the score's true limits")
        number = None if threshold is None else float(threshold)
        values = (name, score, number, predicted, (low, high), question, value, tuple(of), at_least)
        for field, held in zip(self.__slots__, values, strict=True):
            object.__setattr__(self, field, held)

    def as_json(self) -> dict[str, Json]:
        """Plain data for the ledger; `of` and `at_least` only for a vote.

        Examples:
            >>> import fewlabels
            >>> fewlabels.Classifier("rules", predicted="flag").as_json()["predicted"]
            'flag'
        """
        vote: dict[str, Json] = {"of": list(self.of), "at_least": self.at_least} if self.of else {}
        return {
            **vote,
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
        """The classifier that `as_json` wrote.

        Examples:
            >>> import fewlabels
            >>> rules = fewlabels.Classifier("rules", predicted="flag")
            >>> fewlabels.Classifier.of_json(rules.as_json()) == rules
            True
        """
        low, high = data["score_range"]
        return cls(
            data["name"],
            score=data["score"],
            threshold=data["threshold"],
            predicted=data["predicted"],
            score_range=(low, high),
            question=data["question"],
            value=data["value"],
            of=data.get("of", ()),
            at_least=data.get("at_least", 1),
        )


def _refuse_unreadable(
    name: str,
    *,
    score: str | None,
    threshold: float | None,
    predicted: str | None,
    value: str | None,
    of: Sequence[str],
    at_least: int,
) -> None:
    """Raise PopulationError unless the classifier's predictions can be read."""
    if not name or any(c in name for c in "=@,") or name != name.strip():
        raise PopulationError(f"a classifier's name must be text without '=', '@', ',' or outer blanks, got {name!r}: rename it")
    if name == "each" or any(f" {word} " in name for word in RESERVED):
        raise PopulationError(
            f"a goal says 'for NAME', so a name must not be 'each' or contain {' or '.join(RESERVED)} between blanks, got {name!r}: "
            "rename it"
        )
    _refuse_vote(name, of=of, at_least=at_least, columns=(score, threshold, predicted, value))
    if not of and predicted is None and (score is None or threshold is None):
        raise PopulationError(
            f"a classifier needs score and threshold, or predicted, but {name!r} has score={score!r}, threshold={threshold!r}, "
            "predicted=None: name the missing column or threshold"
        )
    if predicted is not None and threshold is not None:
        raise PopulationError(f"{name!r} has both a prediction column and a threshold: keep the one that decides")
    if value is not None and (predicted is None or value != value.strip() or not value):
        raise PopulationError(
            f"a class must be text without outer blanks in a prediction column, but {name!r} has value={value!r}, predicted={predicted!r}: "
            "name the column and the class"
        )
    if threshold is not None and not math.isfinite(threshold):
        raise PopulationError(
            f"a threshold must be a finite number, but {name!r} has {threshold}: give the score from which a unit is flagged"
        )


def _refuse_vote(name: str, *, of: Sequence[str], at_least: int, columns: Sequence[object]) -> None:
    """Raise PopulationError unless a vote is over distinct classifiers, without a column of its own, and can be reached."""
    if of and any(column is not None for column in columns):
        raise PopulationError(f"{name!r} is a vote of other classifiers and has a column of its own: keep the one that decides")
    if not 1 <= at_least <= max(len(of), 1) or len(set(of)) < len(of):
        raise PopulationError(
            f"a vote needs different classifiers and at_least from 1 to all of them, but {name!r} is {at_least} of {list(of)}: "
            "name each once, and how many must agree"
        )
