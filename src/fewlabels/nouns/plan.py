"""A plan: everything that is locked before the first label, hashed and dated."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from fewlabels.errors import PlanError
from fewlabels.nouns.arrays import IntArray, own_ints
from fewlabels.nouns.canonical import Json, fingerprint
from fewlabels.nouns.design import Design
from fewlabels.nouns.display import Displayed
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.elsewhere import Elsewhere
from fewlabels.nouns.estimate import IntervalKind
from fewlabels.nouns.goal import Goal
from fewlabels.nouns.process import About
from fewlabels.nouns.stopping import ONLINE, Stopping
from fewlabels.randomness import NumberRule

Change = Literal[
    "first", "declared growth", "growth, nothing shown", "growth after a look", "pilot", "after the pilot", "extension", "online"
]


Kind = Literal["one look", "growth", "planned looks", "online"]


class Pilot(NamedTuple):
    """A first round that teaches the second where to look: its labels, those of both rounds, and the weight of its own expansion."""

    labels: int
    total: int
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Plan(Displayed):
    """Goals, design, sample sizes, salt (random seed) and the looks at which estimates may be shown.

    number    1 for the first plan of a study
    budget    labels in all, those of earlier plans included
    take      labels per band
    grow_to   a larger budget declared now, so that growing to it later costs little
    change    how this plan relates to the one before it
    share     the share of the error 1 - level that this plan's look may spend
    promise   in words, what the interval at this plan's look guarantees
    interval  "rec", "midp", or "strict" and "placed", valid even if errors occur where the guide predicts none; or another package's
    interval_from   the package and version that added the interval; None for fewlabels itself
    pilot     if the study began with one: how the labels are divided and read, locked before the first label
    guide     after a pilot: the intercept and the slopes, fitted to its labels, of the log-odds of the guide and of each candidate
    choice    the options of the design beyond its name; None if there are none
    number_rule   how permanent numbers are derived from the salt and an id: "md5" or "fast"
    alarm     the interval read instead of `interval` once labels show that the guide is not calibrated; None if the guide is not trusted
    region    the bin of the guide below which unflagged units are what a tipping point is about; None if there is no such region
    assist    the columns that make its estimates steadier: the population's candidates, unless a pilot learns a guide from them
    about     what its numbers are about: the units of the table, or units like these
    elsewhere how the units were drawn, if that was elsewhere: a sample that was read; None if fewlabels draws them
    check     labels of the budget that repeat known answers, beside those drawn by bands
    stopping  the rule that ends the labeling; None for one look, when all labels are in
    fresh     classifiers that are first shown at a look of this plan: their intervals spend the whole error

    Examples:
        >>> from fewlabels.demo.study import small_study
        >>> plan = small_study(labeled=False).standing.plan
        >>> plan.number, plan.budget, plan.interval
        (1, 40, 'placed')
        >>> plan.promise
        'one look, when all labels are in: the interval holds at its level'
    """

    number: int
    goals: tuple[Goal, ...]
    design: DrawDesign
    budget: int
    take: IntArray
    salt: str
    grow_to: int | None
    change: Change
    share: float
    promise: str
    interval: IntervalKind = "rec"
    interval_from: str | None = None
    pilot: Pilot | None = None
    guide: tuple[float, ...] | None = None
    choice: Design | None = None
    fresh: tuple[str, ...] = ()
    number_rule: NumberRule = "md5"
    stopping: Stopping | None = None
    alarm: IntervalKind | None = None
    region: int | None = None
    assist: tuple[str, ...] = ()
    about: About = "table"
    elsewhere: Elsewhere | None = None
    check: int = 0

    def __post_init__(self) -> None:
        """Take ownership of the arrays; raise PlanError unless the takes sum to the budget."""
        object.__setattr__(self, "take", own_ints(self.take))
        if int(self.take.sum()) != self.by_bands:
            raise PlanError(
                f"takes must sum to the budget {self.budget:,} less {self.budget - self.by_bands:,} of the pilot and the check, but sum to "
                f"{int(self.take.sum()):,}: this is a defect, please report it"
            )

    @property
    def by_bands(self) -> int:
        """The labels that its bands draw: all but those of the pilot and of the check of known answers.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> small_study(labeled=False).standing.plan.by_bands
            40
        """
        return self.budget - self.before - self.check

    @property
    def before(self) -> int:
        """The labels of the pilot, which the bands of a later plan do not draw again.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> plan = small_study(labeled=False).standing.plan
            >>> plan.before  # it began without a pilot
            0
        """
        return self.pilot.labels if self.pilot is not None and self.guide is not None else 0

    def share_of(self, *classifiers: str) -> float:
        """The share of the error that an interval about these classifiers may spend: all of it if one of them was never shown.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> plan = small_study(labeled=False).standing.plan
            >>> plan.share_of("new")
            1.0
        """
        return 1.0 if set(classifiers) & set(self.fresh) else self.share

    @property
    def kind(self) -> Kind:
        """When its estimates may be read: at one look, after growth, at looks planned in advance, or at any time ("online").

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> plan = small_study(labeled=False).standing.plan
            >>> plan.kind
            'one look'
        """
        if self.stopping is not None:
            return "online" if self.stopping.kind in ONLINE else "planned looks"
        grown = self.grow_to is not None or "growth" in self.change
        return "growth" if grown else "one look"

    @property
    def learns(self) -> bool:
        """Whether the answers decide which units are drawn next.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> small_study(labeled=False).standing.plan.learns
            False
        """
        return self.kind == "online" or self.pilot is not None

    @property
    def is_pilot(self) -> bool:
        """Whether this is the pilot itself: its labels alone are never read.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> plan = small_study(labeled=False).standing.plan
            >>> plan.is_pilot
            False
        """
        return self.pilot is not None and self.guide is None

    @property
    def hash(self) -> str:
        """The sha256 of the whole plan.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> plan = small_study(labeled=False).standing.plan
            >>> len(plan.hash)
            64
        """
        return fingerprint(self.as_json())

    def as_json(self) -> dict[str, Json]:
        """Plain data for the ledger.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> plan = small_study(labeled=False).standing.plan
            >>> plan.as_json()["budget"]
            40
        """
        some: dict[str, Json] = {  # written only where a plan has it
            "pilot": None if self.pilot is None else self.pilot._asdict(),
            "guide": None if self.guide is None else list(self.guide),
            "choice": None if self.choice is None else self.choice.as_json(),
            "fresh": list(self.fresh) or None,
            "number_rule": None if self.number_rule == "md5" else self.number_rule,
            "stopping": None if self.stopping is None else self.stopping.as_json(),
            "interval_from": self.interval_from,
            "alarm": self.alarm,
            "region": self.region,
            "assist": list(self.assist) or None,
            "about": None if self.about == "table" else self.about,
            "elsewhere": None if self.elsewhere is None else self.elsewhere.as_json(),
            "check": self.check or None,
        }
        return {
            **{name: value for name, value in some.items() if value is not None},
            "number": self.number,
            "goals": [g.as_json() for g in self.goals],
            "design": self.design.as_json(),
            "budget": self.budget,
            "take": self.take.tolist(),
            "salt": self.salt,
            "grow_to": self.grow_to,
            "change": self.change,
            "share": self.share,
            "promise": self.promise,
            "interval": self.interval,
        }

    @classmethod
    def of_json(cls, data: Mapping[str, Any]) -> "Plan":
        """The plan that `as_json` wrote.

        Examples:
            >>> from fewlabels.demo.study import small_study
            >>> plan = small_study(labeled=False).standing.plan
            >>> type(plan).of_json(plan.as_json()).hash == plan.hash
            True
        """
        return cls(
            number=data["number"],
            goals=tuple(Goal.of_json(g) for g in data["goals"]),
            design=DrawDesign.of_json(data["design"]),
            budget=data["budget"],
            take=np.array(data["take"]),
            salt=data["salt"],
            grow_to=data["grow_to"],
            change=data["change"],
            share=data["share"],
            promise=data["promise"],
            interval=data["interval"],
            interval_from=data.get("interval_from"),
            pilot=Pilot(**data["pilot"]) if "pilot" in data else None,
            guide=tuple(data["guide"]) if "guide" in data else None,
            choice=Design.of_json(data["choice"]) if "choice" in data else None,
            fresh=tuple(data.get("fresh", ())),
            number_rule=data.get("number_rule", "md5"),
            stopping=Stopping.of_json(data["stopping"]) if "stopping" in data else None,
            alarm=data.get("alarm"),
            region=data.get("region"),
            assist=tuple(data.get("assist", ())),
            about=data.get("about", "table"),
            elsewhere=Elsewhere.of_json(data["elsewhere"]) if "elsewhere" in data else None,
            check=data.get("check", 0),
        )
