"""Every answer of a draw with its inclusion probability and weight, for packages that read survey samples."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from fewlabels.nouns.arrays import IntArray
from fewlabels.nouns.canonical import Json, fingerprint
from fewlabels.nouns.display import Displayed
from fewlabels.nouns.draw import NO_BAND
from fewlabels.nouns.known import KnownLabels
from fewlabels.nouns.label import UNANSWERED
from fewlabels.study.state.pages import UNUSABLE
from fewlabels.study.state.standing import Standing
from fewlabels.study.state.tallies import prefix, read_answers

Cell: TypeAlias = str | int | float | None
WORTH = {"yes": 1, "no": 0}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class WeighedAnswers(Displayed):
    """The answers of a draw, one row a unit, in asking order: with their weights any survey package computes value and standard error.

    columns   unit; predicted_NAME of each classifier, 1 or 0; the answer, 1 or 0, or the class; gold answers if there are any; and unless
              weights were left out: probability, weight (1 / probability), band, band_size; cluster if units come in clusters
    rows      a unit without a usable answer has None as its answer

    Examples:
        >>> from fewlabels.demo.study import small_study
        >>> found = small_study().answers()
        >>> found.columns
        ('unit', 'predicted_new', 'predicted_old', 'answer', 'probability', 'weight', 'band', 'band_size')
        >>> len(found.rows)
        40
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def as_json(self) -> dict[str, Json]:
        """Plain data for the ledger: how many units, and the hash of the rows. The rows are in the ledger already, entry by entry.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> small_study().answers().as_json()["units"]
            40
        """
        return {"units": len(self.rows), "columns": list(self.columns), "hash": fingerprint([list(row) for row in self.rows])}


def of_look(standing: Standing, asked: Mapping[str, Any]) -> WeighedAnswers:
    """The answers that a request asks for."""
    return read_weighed(standing, weights=asked["weights"])


def read_weighed(standing: Standing, *, weights: bool = True) -> WeighedAnswers:
    """The answers of the part of the draw that is itself a draw, by the bands of the current plan, and the known answers.

        pi = n_h / N_h      n_h units of band h, N_h of them in the table

    Units of bands that the plan does not have, since its goals do not need them, are left out. Known answers are bands of their own, one
    for each prediction and answer: all of their units, or those that a check labeled again.
    """
    rows, units, known = prefix(standing), standing.units, standing.owned
    assert units is not None  # prefix raises
    band = _bands(standing, rows)
    rows, band = rows[band >= 0], band[band >= 0]
    pattern = units.pattern[rows]
    columns: dict[str, list[Cell]] = {"unit": [units.unit[i] for i in rows.tolist()]}
    for j, name in enumerate(standing.classifiers):
        columns[f"predicted_{name}"] = ((pattern >> j) & 1).tolist()
    columns |= _told(standing, rows)
    N = standing.plan.design.N
    if known is not None:
        N = np.concatenate([N, known.counts.N])
        if not known.counts.is_checked:
            band = np.concatenate([band, standing.plan.design.N.size + known.row])
            _add(columns, known, standing.classifiers)
    if weights:
        columns |= _weights(band, N)
    if weights and units.cluster is not None:
        columns["cluster"] = units.cluster[rows].tolist()
    return WeighedAnswers(columns=tuple(columns), rows=tuple(zip(*columns.values(), strict=True)))


def _bands(standing: Standing, rows: IntArray) -> IntArray:
    """The band of each unit; -1 for units that no band of the plan has. Those of a check come after the plan's bands."""
    units, known, design = standing.units, standing.owned, standing.plan.design
    assert units is not None  # the caller has rows of them
    drawn = np.ones(rows.size, dtype=np.bool_) if known is None else units.band[rows] != NO_BAND
    band = np.full(rows.size, -1, dtype=np.int64)
    band[drawn] = design.band[read_answers(standing).cell]
    if known is not None:
        held = [units.unit[i] for i in rows[~drawn].tolist()]
        band[~drawn] = design.N.size + known.row[np.searchsorted(np.array(known.unit), held)] if held else -1
    return band


def _add(columns: dict[str, list[Cell]], known: KnownLabels, names: Sequence[str]) -> None:
    """Add the units whose answers count as they are known."""
    columns["unit"] += known.unit
    for j, name in enumerate(names):
        columns[f"predicted_{name}"] += ((known.pattern >> j) & 1).tolist()
    columns["answer"] += known.positive.astype(np.int64).tolist()


def _weights(band: IntArray, N: IntArray) -> dict[str, list[Cell]]:
    """The probability of each unit, its weight, its band and the size of that."""
    n = np.bincount(band, minlength=N.size)
    pi, weight = (n[band] / N[band]).tolist(), (N[band] / n[band]).tolist()
    return {"probability": pi, "weight": weight, "band": band.tolist(), "band_size": N[band].tolist()}


def _told(standing: Standing, rows: IntArray) -> dict[str, list[Cell]]:
    """The answers that count to each question about these units, and the adjudicated ones."""
    assert standing.units is not None  # read_answers raises
    units, several = [standing.units.unit[i] for i in rows.tolist()], len(standing.questions) > 1
    columns: dict[str, list[Cell]] = {}
    for question in standing.questions:
        ending = f"_{question}" if several else ""
        codes = standing.counted(question)[rows].tolist()
        columns[f"answer{ending}"] = [_cell(standing, standing.words[code]) if code > UNUSABLE else None for code in codes]
        if standing.gold:
            found = [standing.gold.get((unit, question)) for unit in units]
            columns[f"gold{ending}"] = [
                None if one is None or one.answer in UNANSWERED else _cell(standing, one.answer) for one in found
            ]  # fmt: skip
    return columns


def _cell(standing: Standing, answer: str) -> Cell:
    """An answer as survey packages want it: a number for yes or no, the name of a class."""
    return answer if standing.classes else WORTH[answer]
