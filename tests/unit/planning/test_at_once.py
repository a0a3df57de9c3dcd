"""Many goals at once: the same limits, mixtures and forecasts as one after the other, and sizes that settle each goal."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from fewlabels.estimators.measuring import bound_of, ends_needed, measure, read_sides
from fewlabels.estimators.sides import Wanted, prepare_each
from fewlabels.intervals.base import End
from fewlabels.nouns.design import Design
from fewlabels.nouns.goal import parse_goal
from fewlabels.nouns.ladder import bin_of
from fewlabels.nouns.process import Process
from fewlabels.nouns.tally import Tally
from fewlabels.planning import mixing
from fewlabels.planning.assumptions import at_their_word, at_their_worst
from fewlabels.planning.forecasting import Effort, Forecast, Question, forecast, forecast_each, further
from fewlabels.planning.goal_scope import Ask, ask_of, expand
from fewlabels.planning.mixing import Drawing, choose_mixtures, mixture_for
from fewlabels.planning.shared_draw import own_design
from fewlabels.planning.simulated_draws import imagine
from fewlabels.planning.sizing import Sought, labels_needed, labels_of_many, nearly_smallest
from fewlabels.planning.together import Outcome, labels_settling_all, start_for_all
from fewlabels.randomness import stream
from fewlabels.study.plan import one_draw
from tests.unit.planning.made import SLICED, cells_of_units

SLICES = ("country", "channel")
NEAR = 1e-6  # of a limit: bands that are filled up with empty ones end a search for a root in another place
LABELS = 150
TEXTS = ("recall +-0.1 by country", "precision >= 0.5 by channel", "f1 +-20% of it by country", "accuracy +-0.03")


def asked(*texts: str) -> list[Ask]:
    """What goals ask, each slice as if it were the table."""
    goals = expand(SLICED, [parse_goal(text) for text in texts], slices=SLICES)
    return [ask_of(SLICED, goal, slices=SLICES).alone for goal in goals]


def test_limits_prepared_at_once_are_those_of_each() -> None:
    tallies = []
    for ask in asked(*TEXTS):
        drawn = imagine(ask, own_design(ask, LABELS), LABELS, at_their_word(ask).share, reps=8).tally()
        assert isinstance(drawn, Tally)
        tallies.append((ask, drawn))
    sides = [read_sides(tally) for _, tally in tallies]
    prepare_each([Wanted(one, flagged, 0.025) for one in sides for flagged in (True, False)], "placed")
    assert all(one.known for one in sides)
    for (ask, tally), one in zip(tallies, sides, strict=True):
        at_once, alone = (measure(ask.metric, tally, tail=0.025, sides=s) for s in (one, read_sides(tally)))
        assert at_once.low == pytest.approx(alone.low, abs=NEAR)
        assert at_once.high == pytest.approx(alone.high, abs=NEAR)


@pytest.mark.parametrize("end", ["low", "high"])
def test_one_end_prepared_at_once_is_that_of_each(end: End) -> None:
    (ask, *_) = asked("recall >= 0.5 by country")
    tally = imagine(ask, own_design(ask, LABELS), LABELS, at_their_word(ask).share, reps=8).tally()
    assert isinstance(tally, Tally)
    sides = read_sides(tally)
    needed = ends_needed(ask.metric, sides, tally, end)
    assert needed == ({True: "low", False: "high"} if end == "low" else {True: "high", False: "low"})
    prepare_each([Wanted(sides, flagged, 0.05, one) for flagged, one in needed.items()], "placed")
    assert {key[0]: key[3] for key in sides.ends} == needed
    both = read_sides(tally)
    for (flagged, tail, interval, one), limits in sides.ends.items():
        each = both.limits(tail, interval, flagged=flagged, needed=True, joined=False)
        assert getattr(limits, one) == pytest.approx(getattr(each, one), abs=NEAR)
    prepared, alone = (bound_of(ask.metric, s, tally=tally, tail=0.05, interval="placed", end=end) for s in (sides, read_sides(tally)))
    assert prepared == pytest.approx(alone, abs=NEAR)


def test_mixtures_chosen_at_once_are_those_of_each() -> None:
    drawings = [Drawing(ask.part, (ask.metric,), labels, ask.classifier) for ask in asked(*TEXTS) for labels in (60.0, 400.0)]
    mixing._made.clear()
    at_once = choose_mixtures(drawings)
    mixing._made.clear()
    assert at_once == [mixture_for(one.profile, one.metrics, labels=one.labels, classifier=one.classifier) for one in drawings]
    assert len(set(at_once)) > 1


def test_choices_that_were_made_long_ago_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mixing, "KEPT", 3)
    drawings = [Drawing(ask.part, (ask.metric,), 60.0, ask.classifier) for ask in asked(*TEXTS)]
    assert len(choose_mixtures(drawings)) == len(drawings) > 3
    assert len(mixing._made) <= 3
    assert choose_mixtures(drawings[:1]) == choose_mixtures(drawings)[:1]


def test_forecasts_at_once_are_those_of_each() -> None:
    asks = asked(*TEXTS)
    designs = [own_design(ask, LABELS) for ask in asks]
    for seen, ask, design in zip(
        forecast_each([Question(*each, LABELS) for each in zip(asks, designs, strict=True)]), asks, designs, strict=True
    ):
        alone = forecast(ask, design, LABELS)
        assert seen.half_width == pytest.approx(alone.half_width, abs=NEAR)
        assert seen.chance == pytest.approx(alone.chance, abs=0.01)
        assert seen.expected == alone.expected


@pytest.mark.parametrize("worst", [False, True])
def test_sizes_found_at_once_are_near_those_of_each_and_settle_it(worst: bool) -> None:
    """Within 15 % of each, in all within 5 %. The twin: with half of them no goal is settled."""
    asks = asked("recall +-0.1 by country", "recall +-0.1 by channel", "f1 +-0.08 by country", "precision +-0.1 by channel")
    belief = at_their_worst if worst else at_their_word
    found = labels_of_many([Sought(ask, 200, belief(ask)) for ask in asks], choice=Design())
    each = [labels_needed(ask, believed=belief(ask)) for ask in asks]
    assert [n is None for n in found] == [n is None for n in each]
    pairs = np.array([(n, m) for n, m in zip(found, each, strict=True) if n is not None and m is not None])
    assert np.abs(np.log(pairs[:, 0] / pairs[:, 1])).max() < np.log(1.15)
    assert pairs[:, 0].sum() == pytest.approx(pairs[:, 1].sum(), rel=0.05)
    halves = [
        forecast(ask, own_design(ask, n // 2), n // 2, believed=belief(ask)).settles
        for ask, n in zip(asks, found, strict=True)
        if n is not None
    ]
    assert not any(halves)


def test_what_not_even_all_units_settle_has_no_size() -> None:
    (ask, *_) = asked("recall >= 0.5 by country")
    value = ask.value(at_their_word(ask).share[0])
    (exact, *_) = asked(f"recall >= {value:.12f} by country")
    assert labels_of_many([Sought(exact, 200)], choice=Design()) == [None]


@pytest.mark.parametrize("width", [0.004, 0.008, 0.02])
def test_near_a_census_no_size_is_too_small(width: float) -> None:
    """A goal that needs nearly all units of some slices: each number settles it, or there is none, as when each is sought alone."""
    asks = asked(f"precision +-{width} by country")
    found = labels_of_many([Sought(ask, round(0.97 * ask.frame)) for ask in asks], choice=Design())
    for ask, n in zip(asks, found, strict=True):
        assert (n is None) == (labels_needed(ask) is None)
        if n is not None:
            assert n == ask.frame or forecast(ask, own_design(ask, n), n).short <= 1.03


def test_goals_that_follow_no_law_are_sized_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of more than eight goals by slice all but the first are sized at once; of those about units like these, each by itself."""
    at_once: list[int] = []
    honest = labels_of_many

    def counting(sought: Sequence[Sought], **how: Any) -> list[int | None]:
        at_once.append(len(sought))
        return honest(sought, **how)

    monkeypatch.setattr(one_draw, "labels_of_many", counting)
    goals = expand(
        SLICED,
        [parse_goal("recall +-0.2 by country"), parse_goal("accuracy +-0.1 by country"), parse_goal("f1 +-0.2 by channel")],
        slices=SLICES,
    )
    asks = [ask_of(SLICED, goal, slices=SLICES) for goal in goals]
    assert len(asks) == 10
    few = one_draw.Nearby().labels_of_each(asks[:8], "chosen", choice=Design(), interval="placed")
    assert at_once == []
    many = one_draw.Nearby().labels_of_each(asks, "chosen", choice=Design(), interval="placed")
    assert at_once == [9]
    assert many[0] == few[0]
    like_these = replace(SLICED, process=Process())
    one_draw.Nearby().labels_of_each(
        [ask_of(like_these, goal, slices=SLICES) for goal in goals], "chosen", choice=Design(), interval="placed"
    )
    assert at_once == [9]


def test_a_size_for_all_may_be_all_units() -> None:
    """A search that begins just below the end tries the end."""

    def shows(labels: int) -> Outcome:
        seen = Forecast(value=0.5, half_width=0.1, chance=1.0, settles=True, short=1.0, expected="pass")
        return Outcome((seen,), (np.full(50, 0.5 if labels == 1_000 else 1.5),))

    assert labels_settling_all(996, lambda labels: 1_000, shows) == 1_000
    assert nearly_smallest(lambda n: 0.5 if n == 438 else 1.01, low=10, high=438, start=436) == 438


def test_many_sets_of_goals_begin_with_more_labels() -> None:
    """Eight slices each have to be settled nearly always; four are searched for from where each has its own chance."""
    home, score = stream(42, 5).choice(8, 20_000), stream(42, 6).beta(0.4, 2.5, 20_000)
    profile = cells_of_units(home, bin_of(score), tuple((f"c{j}",) for j in range(8)))
    many = [ask_of(profile, goal, slices=["c"]) for goal in expand(profile, [parse_goal("recall +-0.2 by c")], slices=["c"])]
    few = many[:4]
    assert start_for_all(few, 300) == 300
    assert 300 < start_for_all(many, 300) < 600


def test_a_squared_error_falls_with_the_labels_and_the_units_left() -> None:
    assert further(100, 4.0, 10**9) == pytest.approx(400, rel=1e-4)
    assert further(100, 4.0, 200) == pytest.approx(160)
    assert further(100, 1.0, 200) == pytest.approx(100)


def test_without_a_draw_a_goal_is_guessed_from_the_answers_that_are_expected() -> None:
    (ask, *_) = asked("recall +-0.1 by country")
    design = own_design(ask, LABELS)
    guess, simulated = (forecast(ask, design, LABELS, effort=Effort(reps)).half_width for reps in (0, 200))
    assert guess == pytest.approx(simulated, rel=0.2)
