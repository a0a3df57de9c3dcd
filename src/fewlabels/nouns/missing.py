"""Missing answers: drawn units without a usable answer, where they lie, and whether chance explains where they lie."""

from dataclasses import dataclass

from fewlabels.nouns.canonical import Json
from fewlabels.nouns.metric import Metric


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A subset of the drawn units, and how many of them lack an answer.

    p_value   p-value of the test that answers are missing as often here as among all other units; None if it is not tested
    limit     the p-value below which the difference is beyond chance
    """

    name: str
    drawn: int
    missing: int
    p_value: float | None = None
    limit: float | None = None

    @property
    def share(self) -> float | None:
        """The share of drawn units that lack an answer; None if none was drawn."""
        return self.missing / self.drawn if self.drawn else None

    @property
    def differs(self) -> bool:
        """Whether the difference is beyond chance."""
        return self.p_value is not None and self.limit is not None and self.p_value < self.limit

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json."""
        found: dict[str, Json] = {"name": self.name, "drawn": self.drawn, "missing": self.missing, "share": self.share}
        if self.p_value is not None:
            found |= {"p_value": self.p_value, "limit": self.limit, "differs": self.differs}
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """The missing answers among the units resolved so far.

    flagged, unflagged   counts by side
    bands    counts by band, in the plan's order; bands without a resolved unit are left out
    tests    the parts tested against all other units: one side, and the thirds of each side by guide
    """

    flagged: Part
    unflagged: Part
    bands: tuple[Part, ...]
    tests: tuple[Part, ...]

    @property
    def whole(self) -> Part:
        """Both sides together."""
        drawn, missing = self.flagged.drawn + self.unflagged.drawn, self.flagged.missing + self.unflagged.missing
        return Part(name="all", drawn=drawn, missing=missing)

    @property
    def differs(self) -> bool:
        """Whether answers are missing in some part more or less often than chance explains, so that they are not missing at random."""
        return any(part.differs for part in self.tests)

    def share_for(self, metric: Metric) -> float:
        """The missing share of the side(s) the metric needs."""
        sides = [side for side, needed in ((self.flagged, metric.needs_flagged), (self.unflagged, metric.needs_unflagged)) if needed]
        return sum(side.missing for side in sides) / max(1, sum(side.drawn for side in sides))

    def __str__(self) -> str:
        """The part that differs most, for people."""
        if not self.tests:
            return "too few to compare parts"
        part, whole = min(self.tests, key=lambda p: (p.p_value or 0.0) / (p.limit or 1.0)), self.whole
        return (
            f"{part.name}: {part.missing:,} of {part.drawn:,} missing, of all others {whole.missing - part.missing:,} of "
            f"{whole.drawn - part.drawn:,}, p = {part.p_value:.2g}"
        )

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json."""
        whole = self.whole
        return {
            "drawn": whole.drawn,
            "missing": whole.missing,
            "share": whole.share,
            "flagged": self.flagged.as_json(),
            "unflagged": self.unflagged.as_json(),
            "bands": [part.as_json() for part in self.bands],
            "tests": [part.as_json() for part in self.tests],
            "differs": self.differs,
        }
