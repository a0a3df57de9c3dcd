"""The options of a sampling design: its name, where the strata are cut, and what has to be supplied."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, NamedTuple

from fewlabels.errors import PlanError
from fewlabels.nouns.canonical import Json

DesignName = Literal["bands", "simple", "proportional", "constant", "neyman", "two_bins", "manual", "poisson", "importance", "given"]
DESIGNS: tuple[DesignName, ...] = (
    "bands", "simple", "proportional", "constant", "neyman", "two_bins", "manual", "poisson", "importance", "given"
)  # fmt: skip
STRATIFIED: tuple[DesignName, ...] = ("proportional", "constant", "neyman", "two_bins", "manual")
Several = Literal["largest", "optimum"]
CutKind = Literal["score", "percentile", "edges", "column"]


class Cut(NamedTuple):
    """Where strata are cut: `parts` of equal score width, `parts` of equal size per side, at `edges` of the guide, or by a slice column."""

    kind: CutKind
    parts: int = 0
    edges: tuple[float, ...] = ()
    column: str = ""

    def __str__(self) -> str:
        """As it would be typed."""
        if self.kind == "column":
            return f"column:{self.column}"
        return f"edges:{','.join(map(repr, self.edges))}" if self.kind == "edges" else f"{self.kind}:{self.parts}"


TEN = Cut("percentile", parts=10)


def parse_cut(text: str) -> Cut:
    """Parse a cut: score:10, percentile:10, edges:0.1,0.5,0.9 or column:country."""
    kind, _, rest = text.partition(":")
    try:
        if kind == "column" and rest:
            return Cut("column", column=rest)
        if kind == "edges":
            edges = tuple(float(e) for e in rest.split(","))
            if list(edges) == sorted(set(edges)) and all(0 < e < 1 for e in edges):
                return Cut("edges", edges=edges)
        elif kind in ("score", "percentile") and 1 <= int(rest) <= 1_000:
            return Cut("score" if kind == "score" else "percentile", parts=int(rest))
    except ValueError:
        pass
    raise PlanError(
        f"strata must be cut by score:K, percentile:K, edges:A,B,C (rising, in (0, 1)) or column:NAME, got {text!r}: write percentile:10"
    )


class Prices(NamedTuple):
    """What a label costs in every value of a slice column; `other` is for values that are not named."""

    column: str
    by: tuple[tuple[str, float], ...]
    other: float | None = None

    def of(self, value: str) -> float:
        """The price of a label of a unit with this value."""
        found = dict(self.by).get(value, self.other)
        if found is None:
            raise PlanError(
                f"every value of {self.column!r} needs a price, but {value!r} has none: name it (--price {self.column}={value}:MONEY), "
                "or one for all others (--cost-per-label MONEY)"
            )
        return found

    def as_json(self) -> dict[str, Json]:
        """Plain data for the ledger."""
        return {"column": self.column, "by": dict(self.by), **({} if self.other is None else {"other": self.other})}

    @classmethod
    def of_json(cls, data: Mapping[str, Any]) -> "Prices":
        """The prices that `as_json` wrote."""
        return cls(data["column"], tuple(data["by"].items()), data.get("other"))


def _refuse_prices(prices: Prices | None, name: str, several: str) -> None:
    """Raise PlanError for prices that are none, and for designs that know none."""
    if prices is None:
        return
    each = [price for _, price in prices.by] + ([] if prices.other is None else [prices.other])
    if not prices.by or not all(0 < price < math.inf for price in each):
        raise PlanError(f"a label's price must be a positive number, got {', '.join(map(str, each)) or 'none'}: write 0.40")
    if name != "bands" or several != "largest":
        raise PlanError(f"prices by slice are for the design bands and several='largest', got {name}, {several!r}: leave one of them out")


def _refuse_impossible(shares: Sequence[float]) -> None:
    """Raise PlanError for expected shares that are none."""
    if not all(0 <= share <= 1 for share in shares):  # NaN is in no range
        said = " and ".join(f"{share:g}" for share in shares)
        raise PlanError(f"expected positive shares must lie between 0 and 1, got {said}: give two such numbers (--expect 0.8 0.01)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """How units are sampled.

    cut        where strata are cut; by default each side is cut into tenths
    smallest   the minimum number of labels per stratum
    takes      for "manual": the labels of each stratum, unflagged strata from low to high score, then flagged ones
    expect     for "two_bins": the expected positive shares of the flagged and the unflagged side; by default those the scores imply
    weights    for "two_bins": the weights of the standard errors of precision, recall and F1
    pi         for "given": the slice column that holds each unit's inclusion probability
    prices     what labels cost by slice: units that cost less are drawn more often, by the root of the price
    several    for several goals on one draw: the "largest" rate any of them needs, or the "optimum" that saves where they overlap

    Examples:
        >>> import fewlabels
        >>> table = {"id": list(range(100)), "score": [i / 100 for i in range(100)]}
        >>> population = fewlabels.read_population(table, score="score", threshold=0.5)
        >>> study = fewlabels.Study.create("strata", population, goals=["f1 +-0.2"], ledger="sqlite:///:memory:")
        >>> plan = study.plan(40, design=fewlabels.Design(name="constant"))
        >>> plan.take.tolist()  # as many of each tenth of either side
        [2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2]
    """

    name: DesignName = "bands"
    cut: Cut | None = None
    smallest: int = 2
    takes: tuple[int, ...] = ()
    expect: tuple[float, float] | None = None
    weights: tuple[float, float, float] = (0.0, 0.0, 1.0)
    pi: str | None = None
    several: Several = "largest"
    prices: Prices | None = None

    def __post_init__(self) -> None:
        """Check that the options fit the design; raise PlanError otherwise."""
        if self.name not in DESIGNS:
            raise PlanError(f"no design {self.name!r}: fewlabels knows {', '.join(DESIGNS)}")
        if self.cut is not None and self.name not in STRATIFIED:
            raise PlanError(f"strata can be cut only for {', '.join(STRATIFIED)}, but the design is {self.name}: leave the cut out")
        if self.smallest < 1 or (self.smallest != 2 and self.name not in STRATIFIED):
            raise PlanError(
                f"the smallest take must be at least 1 and is for strata only, but {self.name} has {self.smallest}: leave it out"
            )
        weighed = self.weights != (0.0, 0.0, 1.0)
        only = (
            ("manual", "takes", self.takes),
            ("two_bins", "expect", self.expect),
            ("two_bins", "weights", weighed),
            ("given", "pi", self.pi),
        )
        for name, what, given in only:
            if given and self.name != name:
                raise PlanError(f"{what} is only for the design {name!r}, but the design is {self.name!r}: leave it out")
        _refuse_impossible(self.expect or ())
        _refuse_prices(self.prices, self.name, self.several)
        if self.name == "manual" and not self.takes:
            raise PlanError("design 'manual' needs the labels of each stratum, got none: name them with takes= (--takes 50,50,100)")
        if self.name == "given" and not self.pi:
            raise PlanError("design 'given' needs the slice column that holds each unit's probability: name it with pi= (--pi COLUMN)")

    def as_json(self) -> dict[str, Json]:
        """Plain data for the ledger; defaults are left out.

        Examples:
            >>> import fewlabels
            >>> fewlabels.Design(name="neyman", smallest=3).as_json()
            {'name': 'neyman', 'smallest': 3}
        """
        said = {field.name: getattr(self, field.name) for field in fields(self) if getattr(self, field.name) != field.default}
        if self.cut is not None:
            said["cut"] = str(self.cut)
        if self.prices is not None:
            said["prices"] = self.prices.as_json()
        return {name: list(value) if isinstance(value, tuple) else value for name, value in said.items()}

    @classmethod
    def of_json(cls, data: Mapping[str, Any]) -> "Design":
        """The design that `as_json` or a person wrote: {"name": "neyman", "cut": "percentile:10"}.

        Examples:
            >>> import fewlabels
            >>> choice = fewlabels.Design.of_json({"name": "neyman", "cut": "percentile:5"})
            >>> str(choice.cut)
            'percentile:5'
        """
        said: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in data.items()}
        if "cut" in said:
            said["cut"] = parse_cut(said["cut"])
        if "prices" in said:
            said["prices"] = Prices.of_json(said["prices"])
        return cls(**said)
