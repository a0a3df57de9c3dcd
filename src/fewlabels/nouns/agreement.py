"""Agreement between labelers, as plain data. It never corrects an estimate: two labelers who agree may both be wrong."""

from dataclasses import dataclass
from typing import NamedTuple

from fewlabels.nouns.canonical import Json


class Share(NamedTuple):
    """A value with its confidence limits; the value is None where it is unknown."""

    value: float | None
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreed:
    """Agreement on the `units` units that two or more labelers answered: observed share, Cohen's kappa and Gwet's AC1, means over pairs."""

    units: int
    observed: Share
    kappa: Share
    ac1: Share

    def __str__(self) -> str:
        """One line for people."""
        each = [f"{name} {_number(s.value)} [{s.low:.3f}, {s.high:.3f}]" for name, s in (("kappa", self.kappa), ("AC1", self.ac1))]
        return f"labelers agree on {_number(self.observed.value)} of {self.units:,} units seen by two or more; {', '.join(each)}"

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json."""
        return {"units": self.units, **{name: {**getattr(self, name)._asdict()} for name in ("observed", "kappa", "ac1")}}


def _number(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.3f}"
