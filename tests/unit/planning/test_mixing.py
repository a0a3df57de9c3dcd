"""The draw made for the default interval is not longer than a simple draw's: where the scores see next to no error, it is spread evenly."""

import numpy as np
import pytest

from fewlabels.designs.bands import EVEN, MIXTURES
from fewlabels.estimators.grouping import groups_of
from fewlabels.estimators.measuring import measure
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.ladder import bin_of
from fewlabels.nouns.metrics import metric_named
from fewlabels.nouns.profile import Profile
from fewlabels.planning import mixing
from fewlabels.planning.design_choice import choose_design
from fewlabels.planning.mixing import mixture_for
from fewlabels.randomness import stream
from fewlabels.study.simulate import replicate
from tests.identities.made import profile_of

LABELS = 100


def rare() -> Profile:
    """Two in a thousand are positive, and calibrated scores see nearly all of them."""
    rng = stream(42, 7)
    score = np.concatenate([rng.beta(0.5, 4_000, 100_000), rng.beta(4, 2, 300)])
    bins, units = np.unique(bin_of(score), return_counts=True)
    half = bin_of(np.array([0.5]))[0]
    return profile_of({(int(b >= half), int(b)): int(c) for b, c in zip(bins, units, strict=True)})


RARE = rare()


def over_simple(name: str, design: DrawDesign) -> float:
    """The mean half-width of the default interval over that of a simple draw with as many labels, where scores are calibrated."""
    metric, positives = metric_named(name), stream(42, 8).binomial(RARE.count, RARE.guide)
    simple = choose_design(RARE, [metric], labels=LABELS, name="simple")
    widths = []
    for one in (design, simple):
        tally = replicate(groups_of(RARE, one), one, positives, labels=LABELS, reps=200, rng=stream(42, 9))
        found = measure(metric, tally, tail=0.025)
        widths.append(float((found.high - found.low).mean()))
    return widths[0] / widths[1]


@pytest.mark.parametrize("name", ["accuracy", "prevalence"])
def test_an_interval_is_no_longer_than_that_of_a_simple_draw(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """But for what a forecast may be off. The twin: with a limit on the variance that nothing lifts it is."""
    metric = metric_named(name)
    assert mixture_for(RARE, [metric], labels=LABELS, classifier=0) == EVEN
    assert over_simple(name, choose_design(RARE, [metric], labels=LABELS)) <= np.exp(mixing.HAIR)
    monkeypatch.setattr(mixing, "HAIR", np.inf)
    mixing._made.clear()
    assert mixture_for(RARE, [metric], labels=LABELS, classifier=0) in MIXTURES
    assert over_simple(name, choose_design(RARE, [metric], labels=LABELS)) > 1.1
    mixing._made.clear()


@pytest.mark.parametrize("name", ["recall", "f1", "precision"])
def test_a_draw_that_is_shorter_anyway_follows_the_scores(name: str) -> None:
    assert mixture_for(RARE, [metric_named(name)], labels=LABELS, classifier=0) in MIXTURES
