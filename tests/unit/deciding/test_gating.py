"""Rules are judged by the tests of a decision; rates have exact limits."""

from itertools import product

import pytest
from scipy.stats import binom

from fewlabels.deciding.gating import BROKEN_TAIL, OUTCOMES, RATE_TAIL, Rate, decide_rules, rate_rule
from fewlabels.deciding.verdict import Reading
from fewlabels.estimators.estimating import estimate
from fewlabels.estimators.measuring import measure
from fewlabels.nouns.gate import worst
from fewlabels.nouns.goal import Goal
from fewlabels.nouns.metrics import METRICS
from tests.identities.made import tally_of

TALLY = tally_of([1, 0], [10_000, 90_000], [400, 600], [360, 12])
BOUNDS = {name: {tail: measure(METRICS[name], TALLY, tail=tail) for tail in (0.05, 0.025)} for name in ("precision", "recall")}


def reading(metric: str, target: float, *, fewest: float = 30, widest: float | None = None) -> Reading:
    found = estimate(METRICS[metric], TALLY, classifier="gbm", level=0.95, planned=True)
    return Reading(Goal(metric=metric, kind=">=", value=target), found, TALLY, fewest=fewest, widest=widest)


def targets(metric: str) -> list[float]:
    """Shown, open, shown to fail alone but not among two, shown to fail among two."""
    alone, shared = BOUNDS[metric][0.05], BOUNDS[metric][0.025]
    assert alone.high < shared.high
    return [float(alone.low) - 1e-6, float(alone.value), float(alone.high + shared.high) / 2, float(shared.high) + 1e-6]


def test_the_rules_together_say_what_a_decision_on_them_says() -> None:
    seen = set()
    for first, second, fewest in product(targets("precision"), targets("recall"), (30, 10_000)):
        readings = [reading("precision", first, fewest=fewest), reading("recall", second)]
        rated = [rate_rule(one, share=1.0, among=2).verdict for one in readings]
        assert worst(rated) == OUTCOMES[decide_rules(readings, share=1.0).outcome]
        seen.add(worst(rated))
    assert seen == {"ship", "label_more", "do_not_ship"}


@pytest.mark.parametrize(("place", "verdict"), [*enumerate(["ship", "label_more", "label_more", "do_not_ship"])])
def test_a_failure_is_shared_by_all_rules_and_a_pass_by_none(place: int, verdict: str) -> None:
    assert rate_rule(reading("recall", targets("recall")[place]), share=1.0, among=2).verdict == verdict


def test_a_thin_reading_does_not_ship_and_says_why() -> None:
    good = targets("precision")[0]
    for limits, why in (({"fewest": 10_000}, "at least 10000 needed"), ({"widest": 0.001}, "at most 0.001 allowed")):
        found = rate_rule(reading("precision", good, **limits), share=1.0, among=1)
        assert found.verdict == "label_more"
        assert why in found.reasons[1]
    assert rate_rule(reading("precision", good, fewest=1, widest=0.9), share=1.0, among=1).verdict == "ship"


def test_limits_of_a_rate_are_the_exact_binomials() -> None:
    low, high = Rate(20, 400).limits
    assert binom.sf(19, 400, low) == pytest.approx(RATE_TAIL, rel=1e-6)
    assert binom.cdf(20, 400, high) == pytest.approx(RATE_TAIL, rel=1e-6)
    assert Rate(0, 400).limits[0] == 0
    assert Rate(400, 400).limits[1] == 1


def test_a_rate_exceeds_what_is_allowed_only_beyond_chance() -> None:
    most = int(binom.isf(BROKEN_TAIL, 400, 0.05))  # so many or fewer are no surprise
    assert not Rate(most, 400).exceeds(0.05)
    assert Rate(most + 1, 400).exceeds(0.05)
