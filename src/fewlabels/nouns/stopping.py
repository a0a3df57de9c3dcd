"""When labeling stops and estimates may be shown: locked in the plan before the first label.

(none)      one look, when all planned labels are in
decision    as soon as the goals are decided; a confidence sequence, valid at every look; units are asked one after another
width       as soon as every confidence sequence is as narrow as its goal requires
5 looks     at five sample sizes named in advance (O'Brien-Fleming); the draw is fixed, the last interval hardly wider than for one look
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from fewlabels.errors import PlanError
from fewlabels.nouns.canonical import Json

StopKind = Literal["decision", "width", "looks"]
ONLINE: tuple[StopKind, ...] = ("decision", "width")  # units are asked one after another, and looking is free
MOST_LOOKS = 10
_WRITTEN = re.compile(r"(?P<kind>decision|width)(?:\s*(?:\+-|±)\s*(?P<tolerance>[0-9]*\.?[0-9]+))?|(?P<looks>[0-9]+)\s+looks")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopping:
    """The rule that ends the labeling.

    tolerance   for a decision: how far on the wrong side of its target a metric may be and still be decided either way
    looks       the number of looks, at equal steps of the budget, the last one at all of it
    """

    kind: StopKind
    tolerance: float = 0.0
    looks: int = 0

    def __post_init__(self) -> None:
        """Check that tolerance and looks fit the kind of rule; raise PlanError otherwise."""
        if not 0 <= self.tolerance < 0.5 or (self.tolerance and self.kind != "decision"):
            raise PlanError(
                f"a tolerance is only for a decision and must lie in [0, 0.5), but {self.kind} has {self.tolerance:g}: 0.02 is two points"
            )
        if (self.kind == "looks") != (2 <= self.looks <= MOST_LOOKS):
            raise PlanError(
                f"the number of planned looks must be 2 to {MOST_LOOKS}, got {self.looks}: name fewer, or stop by a decision, which "
                "may be watched"
            )

    def __str__(self) -> str:
        """The rule as it would be typed."""
        if self.kind == "looks":
            return f"{self.looks} looks"
        return self.kind + (f" +-{self.tolerance:g}" if self.tolerance else "")

    def as_json(self) -> dict[str, Json]:
        """Plain data for the ledger; defaults are left out."""
        data: dict[str, Json] = {"kind": self.kind}
        if self.tolerance:
            data["tolerance"] = self.tolerance
        if self.looks:
            data["looks"] = self.looks
        return data

    @classmethod
    def of_json(cls, data: Mapping[str, Any]) -> "Stopping":
        """The rule that `as_json` wrote."""
        return cls(kind=data["kind"], tolerance=data.get("tolerance", 0.0), looks=data.get("looks", 0))


def parse_stopping(text: str) -> Stopping:
    """Parse a stopping rule: "decision", "decision +-0.02", "width" or "5 looks"."""
    match = _WRITTEN.fullmatch(text.strip())
    if match is None:
        raise PlanError(f'a stopping rule must be "decision", "decision +-0.02", "width" or "5 looks", got {text!r}: write one of these')
    if match["looks"]:
        return Stopping(kind="looks", looks=int(match["looks"]))
    return Stopping(kind="decision" if match["kind"] == "decision" else "width", tolerance=float(match["tolerance"] or 0))
