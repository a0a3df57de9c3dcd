"""A classifier taken in by a finished study is covered, however few labels reach what nobody had looked at; a twin must fail."""

import numpy as np
import pytest

from benchmarks.reuse import Pair
from fewlabels.designs.base import takes_of
from fewlabels.designs.extending import HeldByCell
from fewlabels.estimators import pooling
from fewlabels.estimators.measuring import measure
from fewlabels.nouns.goal import parse_goal
from fewlabels.nouns.metrics import METRICS
from fewlabels.planning.design_choice import choose_design
from fewlabels.planning.extending import Late, late, late_design
from fewlabels.planning.goal_scope import ask_of
from fewlabels.randomness import stream
from fewlabels.study.simulate import true_value
from tests.statistics.test_coverage import enough_hits
from tests.statistics.test_several import ensemble

pytestmark = pytest.mark.statistics
REPS = 200
EXTENDING = 22  # the purpose of the streams below
FIRST, ADDED = 200, 3


def hits(at: Pair, rng: np.random.Generator, *, reps: int = REPS) -> dict[str, int]:
    """How often the second classifier's intervals hold: a study of the first one's precision, extended by a few labels for the second."""
    design = choose_design(at.profile, [METRICS["precision"]], labels=FIRST)
    take = takes_of(design, FIRST)
    rate = np.where(design.band >= 0, (take / design.N)[design.band], 0.0)
    goal = ask_of(at.profile, parse_goal("f1 +-0.1 for c1"), names=("c0", "c1"))
    truth = {name: true_value(at.profile, at.positives, METRICS[name], classifier=1) for name in ("precision", "recall", "f1")}
    found = dict.fromkeys(truth, 0)
    asked: Late | None = None
    for _ in range(reps):
        before = at.drawn(design, take, rng)
        held = HeldByCell(design.band, rate, before.n)
        asked = late(at.profile, held, [goal], judged=(0, 1)) if asked is None else asked._replace(held=held)
        wider = late_design(asked, FIRST + ADDED)
        sizes = takes_of(wider, FIRST + ADDED)
        tally = at.tally(wider, sizes, at.drawn(wider, sizes, rng, before))
        for name, value in truth.items():
            shown = measure(METRICS[name], tally, tail=0.025)
            found[name] += bool(shown.low <= value <= shown.high)
    return found


def test_a_classifier_that_arrives_later_is_covered(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    made = ensemble(2, stream(seed, EXTENDING), share=0.05)
    at = Pair(made.profile, made.positives)
    assert all(n >= enough_hits(REPS) for n in hits(at, stream(seed, EXTENDING, 1)).values())
    monkeypatch.setattr(pooling, "ALIKE", 1e9)  # the twin: labels that stand for few are read with units that were hardly drawn from
    assert min(hits(at, stream(seed, EXTENDING, 1)).values()) < enough_hits(REPS)
