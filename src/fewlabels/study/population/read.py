"""Read a population: a table of predictions and how to read it."""

from collections.abc import Sequence
from pathlib import Path

from fewlabels.engines.opening import is_address
from fewlabels.nouns.classifier import Classifier
from fewlabels.nouns.population import MEMORY, Population


def read_population(  # noqa: PLR0913 - one keyword for each thing a table may hold
    source: object,
    *,
    id: str = "id",
    classifiers: Sequence[Classifier] | None = None,
    score: str | None = None,
    threshold: float | None = None,
    predicted: str | None = None,
    slices: Sequence[str] = (),
    guide: str | None = None,
    weight: str | None = None,
    candidates: Sequence[str] = (),
    missing_scores: bool = False,
    cluster: str | None = None,
) -> Population:
    """Describe a population in a path, a glob, a table of an engine, or a table in memory (pandas, Polars, Arrow, or a dict of columns).

    An engine's table is written spark:TABLE, postgresql://...#TABLE, or, if fewlabels cannot connect, bigquery:project.dataset.table. An
    engine added by another package opens NAME:REST.

    Pass `classifiers`, or for a single one `score` and `threshold`, or `predicted`. Nothing is read yet.

    `weight` is the column of metric weights, for goals such as "recall by amount". `candidates` are columns of probabilities that make
    estimates steadier, or from which a pilot fits a guide. missing_scores=True allows null scores: such units are not flagged and form
    their own bands. `cluster` is the column of what units belong to (a patient, an account), for studies about units like these.

    Examples:
        >>> import fewlabels
        >>> table = {"id": ["a", "b", "c"], "score": [0.9, 0.6, 0.1]}
        >>> fewlabels.read_population(table, score="score", threshold=0.5).source
        'memory'
        >>> fewlabels.read_population("spark:risk.scored", predicted="flag").source
        'spark:risk.scored'
    """
    named = (
        tuple(classifiers)
        if classifiers is not None
        else (Classifier("classifier", score=score, threshold=threshold, predicted=predicted),)
    )
    if isinstance(source, str | Path):
        path = str(source)
        address = path if is_address(path) else str(Path(path).absolute())
        table = None
    else:
        address, table = MEMORY, source
    return Population(
        source=address,
        id=id,
        classifiers=named,
        slices=tuple(slices),
        guide=guide,
        weight=weight,
        candidates=tuple(candidates),
        missing_scores=missing_scores,
        cluster=cluster,
        table=table,
    )
