"""How a sample was drawn elsewhere: the probability of its units, by profile cell, and whether its strata have known sizes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from fewlabels.errors import PlanError
from fewlabels.nouns.arrays import FloatArray, IntArray, own_floats, own_ints
from fewlabels.nouns.canonical import Json

WHOLE = 1e-9  # relative: a size this near to a whole number is one


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Elsewhere:
    """The units of a sample that was read, by profile cell; a cell is a prediction in a stratum, or at one probability.

    n       units of the sample
    pi      their inclusion probability
    strata  whether each band is a stratum of known size, of which a simple random sample was drawn; else units came in one by one
    columns the columns that were read, by what they hold
    hash    of the rows that were read
    """

    n: IntArray
    pi: FloatArray
    strata: bool
    columns: Mapping[str, str]
    hash: str

    def __post_init__(self) -> None:
        """Take ownership of the arrays; raise PlanError unless every cell has units and a probability."""
        object.__setattr__(self, "n", own_ints(self.n))
        object.__setattr__(self, "pi", own_floats(self.pi))
        if not (self.n > 0).all() or not ((self.pi > 0) & (self.pi <= 1)).all():
            raise PlanError("every cell of a sample needs units and a probability: this is a defect, please report it")

    @property
    def N(self) -> FloatArray:
        """The units that each cell's stand for, n / pi: known if a stratum has one prediction, estimated otherwise."""
        found = self.n / self.pi
        whole = np.rint(found)
        return np.where(np.abs(found - whole) <= WHOLE * whole, whole, found)

    def as_json(self) -> dict[str, Json]:
        """Plain data for the ledger."""
        return {
            "n": self.n.tolist(),
            "pi": self.pi.tolist(),
            "strata": self.strata,
            "columns": dict(self.columns),
            "hash": self.hash,
        }

    @classmethod
    def of_json(cls, data: Mapping[str, Any]) -> "Elsewhere":
        """The sample that `as_json` wrote."""
        return cls(n=own_ints(data["n"]), pi=own_floats(data["pi"]), strata=data["strata"], columns=data["columns"], hash=data["hash"])
