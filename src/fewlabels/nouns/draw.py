"""The units that a plan drew, with what was known of each at the time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fewlabels.errors import DrawError
from fewlabels.nouns.arrays import FloatArray, IntArray, own_floats, own_ints
from fewlabels.nouns.canonical import Json

NO_BAND = -1  # of a unit that was chosen to check a known answer


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Units:
    """Units as an engine returns them: id, permanent number, cell and the values at the time. Row i is one unit.

    unit     ids as text
    number   permanent numbers (permanent random numbers)
    band     the band each unit was found in; NO_BAND for one whose known answer is checked
    guide_bin, pattern, slice   the cell of each unit
    weight   metric weights in quanta; None if the population has none
    cluster  a number of 52 bits for the name of each unit's cluster; None if the population has no clusters
    scores   the scores, one row per unit, one column per classifier; NaN where a classifier has no score
    """

    unit: tuple[str, ...]
    number: IntArray
    band: IntArray
    guide_bin: IntArray
    pattern: IntArray
    slice: IntArray
    scores: FloatArray
    weight: IntArray | None = None
    cluster: IntArray | None = None

    def __post_init__(self) -> None:
        """Take ownership of the arrays; raise DrawError unless all have one length and no unit appears twice."""
        for name in ("number", "band", "guide_bin", "pattern", "slice"):
            object.__setattr__(self, name, own_ints(getattr(self, name)))
        object.__setattr__(self, "scores", own_floats(self.scores))
        for name in ("weight", "cluster"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, own_ints(getattr(self, name)))
        lengths = {
            len(self.unit),
            len(self.number),
            len(self.band),
            len(self.guide_bin),
            len(self.pattern),
            len(self.slice),
            len(self.scores),
            len(self.unit if self.weight is None else self.weight),
            len(self.unit if self.cluster is None else self.cluster),
        }
        if len(lengths) != 1:
            raise DrawError(
                f"all columns of a draw must have one length, got {sorted(lengths)}: this is a defect of the engine, please report it"
            )
        if len(set(self.unit)) < len(self.unit):
            twice = next(u for i, u in enumerate(self.unit) if u in self.unit[:i])
            raise DrawError(f"a unit must be drawn only once, but {twice!r} came twice: the id column is not unique, name one that is")

    def __len__(self) -> int:
        """The number of units."""
        return len(self.unit)

    def pick(self, rows: IntArray) -> "Units":
        """The given rows, in that order."""
        return Units(
            unit=tuple(self.unit[i] for i in rows.tolist()),
            number=self.number[rows],
            band=self.band[rows],
            guide_bin=self.guide_bin[rows],
            pattern=self.pattern[rows],
            slice=self.slice[rows],
            scores=self.scores[rows],
            weight=None if self.weight is None else self.weight[rows],
            cluster=None if self.cluster is None else self.cluster[rows],
        )

    def in_order(self) -> IntArray:
        """Row numbers sorted by (permanent number, UTF-8 bytes of the id): the one order every engine must agree on."""
        keys = [u.encode() for u in self.unit]
        return np.array(sorted(range(len(keys)), key=lambda i: (int(self.number[i]), keys[i])), dtype=np.int64)

    def as_json(self) -> dict[str, Json]:
        """Plain data for the ledger; a missing score is null."""
        clusters: dict[str, Json] = {} if self.cluster is None else {"cluster": self.cluster.tolist()}
        return {
            **clusters,
            "unit": list(self.unit),
            "number": self.number.tolist(),
            "band": self.band.tolist(),
            "guide_bin": self.guide_bin.tolist(),
            "pattern": self.pattern.tolist(),
            "slice": self.slice.tolist(),
            "scores": [[None if np.isnan(s) else s for s in row] for row in self.scores.tolist()],
            "weight": None if self.weight is None else self.weight.tolist(),
        }

    @classmethod
    def of_json(cls, data: Mapping[str, Any]) -> "Units":
        """The units that `as_json` wrote."""
        rows = [[np.nan if s is None else s for s in row] for row in data["scores"]]
        return cls(
            unit=tuple(data["unit"]),
            number=own_ints(data["number"]),
            band=own_ints(data["band"]),
            guide_bin=own_ints(data["guide_bin"]),
            pattern=own_ints(data["pattern"]),
            slice=own_ints(data["slice"]),
            scores=own_floats(rows) if rows else np.empty((0, 0)),
            weight=None if data["weight"] is None else own_ints(data["weight"]),
            cluster=own_ints(data["cluster"]) if "cluster" in data else None,
        )


def join_units(draws: Sequence[Units]) -> Units:
    """The units of all draws, in asking order: later plans only add."""
    if len(draws) == 1:
        return draws[0]
    return Units(
        unit=tuple(unit for draw in draws for unit in draw.unit),
        number=np.concatenate([d.number for d in draws]),
        band=np.concatenate([d.band for d in draws]),
        guide_bin=np.concatenate([d.guide_bin for d in draws]),
        pattern=np.concatenate([d.pattern for d in draws]),
        slice=np.concatenate([d.slice for d in draws]),
        scores=np.concatenate([d.scores for d in draws]),
        weight=np.concatenate([d.weight for d in draws if d.weight is not None]) if draws[0].weight is not None else None,
        cluster=np.concatenate([d.cluster for d in draws if d.cluster is not None]) if draws[0].cluster is not None else None,
    )
