"""The tipping point of a target: how many positives may hide where the scores see none before it falls."""

from dataclasses import dataclass

from fewlabels.nouns.canonical import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class TippingPoint:
    """What a target stands on.

    goal        the target
    below       the region: units not flagged and scored below this
    units       units in the region
    labels      labels in it
    found       positives among them
    stands      so many positives may hide there; None if the target is not reached even if none does
    ruled_out   the labels there rule out more than so many
    to_rule_out labels spread evenly over it that rule out more than `stands` if none of them is positive; None if one is, or if
                there is nothing to rule out
    """

    goal: str
    below: float
    units: int
    labels: int
    found: int
    stands: int | None
    ruled_out: int
    to_rule_out: int | None

    @property
    def holds(self) -> bool:
        """Whether the target is reached whatever hides in the region."""
        return self.stands is not None and self.ruled_out <= self.stands

    def __str__(self) -> str:
        """For people."""
        where = f"the {self.units:,} unflagged units scored below {self.below:.4g}"
        if self.stands is None:
            return f"{self.goal}: not shown by the labels elsewhere, even if no positive is among {where}"
        if self.stands >= self.units:
            return f"{self.goal}: stands whatever hides among {where}"
        said = f"{self.goal}: stands unless more than {self.stands:,} positives hide among {where}; the labels rule out more than "
        if self.holds or self.to_rule_out is None:
            return f"{said}{self.ruled_out:,}"
        price = f"it takes {self.to_rule_out:,} labels there, none of them positive, to rule out more than {self.stands:,}"
        return f"{said}{self.ruled_out:,}, and {price}"

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json."""
        return {
            "goal": self.goal,
            "below": self.below,
            "units": self.units,
            "labels": self.labels,
            "found": self.found,
            "stands": self.stands,
            "ruled_out": self.ruled_out,
            "to_rule_out": self.to_rule_out,
            "holds": self.holds,
        }
