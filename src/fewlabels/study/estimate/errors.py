"""The labeled units that a classifier got wrong, for people who may see scores, after the last declared look.

Whoever has seen them knows scores and what others answered, so they label the study no more: see `Desk.open_errors`.
"""

from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from fewlabels.nouns.canonical import Json
from fewlabels.nouns.classifier import Classifier
from fewlabels.study.state.pages import UNUSABLE
from fewlabels.study.state.standing import Standing

ErrorKind: TypeAlias = Literal["false positive", "false negative"]


class ClassifierError(NamedTuple):
    """A labeled unit that a classifier got wrong: its score, if it has one, the answer that counts, who gave it, and its slices."""

    unit: str
    classifier: str
    kind: ErrorKind
    score: float | None
    answer: str
    labeler: str
    at: str | None
    slices: Mapping[str, str]

    def as_json(self) -> dict[str, Json]:
        """Plain data for the API."""
        return {**self._asdict(), "slices": dict(self.slices)}


def read_errors(standing: Standing) -> tuple[ClassifierError, ...]:
    """Every error of every classifier among the units with a usable answer, in asking order: of one classifier after another."""
    found: list[ClassifierError] = []
    for j, classifier in enumerate(standing.read_population().classifiers):
        found += _of_classifier(standing, j, classifier)
    return tuple(found)


def _of_classifier(standing: Standing, j: int, classifier: Classifier) -> list[ClassifierError]:
    units, codes = standing.units, standing.counted(classifier.question)
    if units is None:
        return []
    flagged = (units.pattern >> j) & 1 > 0
    positive = codes == standing.code_of(classifier.value if classifier.value is not None else "yes")
    wrong, found = (codes > UNUSABLE) & (flagged != positive), []
    for row in np.flatnonzero(wrong).tolist():
        label = standing.answer_of(units.unit[row], classifier.question)
        assert label is not None  # its answer counts
        score = float(units.scores[row, j])
        kind: ErrorKind = "false positive" if flagged[row] else "false negative"
        found.append(
            ClassifierError(
                unit=label.unit, classifier=classifier.name, kind=kind, score=None if np.isnan(score) else score, answer=label.answer,
                labeler=label.labeler, at=label.at, slices=slices_of(standing, int(units.slice[row])),
            )
        )  # fmt: skip
    return found


def slices_of(standing: Standing, code: int) -> dict[str, str]:
    """The value of each slice column for units of that code."""
    return dict(zip(standing.population["slices"], standing.profile.slice_values[code], strict=True))
