"""How units are drawn, as plain data: which band (stratum) each cell belongs to, and each band's share of the labels."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from fewlabels.errors import PlanError
from fewlabels.nouns.arrays import FloatArray, IntArray, own_floats, own_ints
from fewlabels.nouns.canonical import Json


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DrawDesign:
    """Bands of cells, with an independent simple random sample from each.

    name      the name of the design
    band      the band of each profile cell; -1 where the goals do not need the cell
    N         units in each band
    mass      each band's share of the labels; takes follow from it by Webster's method
    smallest  the minimum number of labels per band, if it has as many units
    poisson   whether units are drawn one by one, each at its band's rate; the takes are then expected, not exact
    held      units of each band that an earlier design drew: a study that adds a classifier or a goal keeps them; None if there are none
    judged    the classifiers (by position) whose goals it was made for
    edition   of the rule that cut the bands: those of an earlier edition are not cut anew when a study is verified
    """

    name: str
    band: IntArray
    N: IntArray
    mass: FloatArray
    smallest: int = 2
    poisson: bool = False
    held: IntArray | None = None
    judged: tuple[int, ...] = (0,)
    edition: int = 1

    def __post_init__(self) -> None:
        """Take ownership of the arrays; raise PlanError unless every band has units and mass."""
        object.__setattr__(self, "band", own_ints(self.band))
        object.__setattr__(self, "N", own_ints(self.N))
        object.__setattr__(self, "mass", own_floats(self.mass))
        if self.held is not None:
            object.__setattr__(self, "held", own_ints(self.held))
        if self.N.size == 0 or not (self.N > 0).all() or not (self.mass > 0).all():
            raise PlanError("every band needs units and mass: this is a defect of the design, please report it")

    @property
    def frame(self) -> int:
        """The number of units the design can draw: all that its goals need."""
        return int(self.N.sum())

    def as_json(self) -> dict[str, Json]:
        """Plain data for the ledger; defaults are left out."""
        data: dict[str, Json] = {"name": self.name, "band": self.band.tolist(), "N": self.N.tolist(), "mass": self.mass.tolist()}
        if self.smallest != 2:
            data["smallest"] = self.smallest
        if self.poisson:
            data["poisson"] = True
        if self.held is not None:
            data["held"] = self.held.tolist()
        if self.judged != (0,):
            data["judged"] = list(self.judged)
        if self.edition != 1:
            data["edition"] = self.edition
        return data

    @classmethod
    def of_json(cls, data: Mapping[str, Any]) -> "DrawDesign":
        """The design that `as_json` wrote."""
        return cls(
            name=data["name"],
            band=np.array(data["band"]),
            N=np.array(data["N"]),
            mass=np.array(data["mass"]),
            smallest=data.get("smallest", 2),
            poisson=data.get("poisson", False),
            held=np.array(data["held"]) if "held" in data else None,
            judged=tuple(data.get("judged", (0,))),
            edition=data.get("edition", 1),
        )
