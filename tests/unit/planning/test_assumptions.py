"""What is believed before labels are asked, and the values it makes of the metrics."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fewlabels.errors import PlanError
from fewlabels.nouns.goal import parse_goal
from fewlabels.planning.assumptions import OFF, at_their_word, at_their_worst, moved, recalibrated
from fewlabels.planning.goal_scope import Ask, ask_of
from fewlabels.planning.sizing import labels_needed
from tests.identities.made import checked, profile_of
from tests.unit.planning.made import PROFILE


def asked(text: str) -> Ask:
    return ask_of(PROFILE, parse_goal(text))


@checked
@given(st.sampled_from(["precision", "recall", "f1", "prevalence", "accuracy", "specificity"]), st.floats(0.05, 0.95))
def test_moved_shares_make_the_value(metric: str, value: float) -> None:
    ask = asked(f"{metric} +-0.1")
    shares = moved(ask, PROFILE.guide, value)
    assert ask.value(shares) == pytest.approx(value, abs=1e-6)
    assert ((shares > 0) & (shares < 1)).all()
    for side in (PROFILE.predicted(0), ~PROFILE.predicted(0)):
        assert (np.diff(shares[side][np.argsort(PROFILE.guide[side])]) >= -1e-12).all()  # the order of the scores stays


def test_a_value_no_shares_make_is_refused() -> None:
    ask = ask_of(profile_of({(1, 2000): 10, (1, 3000): 90}), parse_goal("recall >= 0.5 if 0.6"))
    with pytest.raises(PlanError, match=r"expects 0\.6, but no share of positives gives recall that value: name another"):
        at_their_word(ask)


def test_scores_at_their_word_are_the_scores() -> None:
    ask = asked("recall >= 0.3")
    found = at_their_word(ask)
    assert (found.share == PROFILE.guide).all()
    flagged = PROFILE.predicted(0)
    positives = PROFILE.guide * PROFILE.count
    assert found.value[0] == pytest.approx(positives[flagged].sum() / positives.sum())


@pytest.mark.parametrize("believe", [at_their_word, at_their_worst])
def test_every_possibility_has_the_value_expected(believe) -> None:
    found = believe(asked("recall >= 0.5 if 0.62"))
    assert found.value == pytest.approx(0.62, abs=1e-3)


def test_at_worst_half_of_the_flagged_are_positive_and_scores_say_nothing_inside_a_side() -> None:
    ask = asked("f1 +-0.05")
    flagged = PROFILE.predicted(0)
    found = at_their_worst(ask)
    assert found.share.shape[0] > 2
    for side in (flagged, ~flagged):
        assert (np.ptp(found.share[:, side], axis=1) == 0).all()
    assert 0.5 in found.share[:, flagged][:, 0]
    missed = (PROFILE.guide * PROFILE.count)[~flagged].sum() / PROFILE.count[~flagged].sum()
    others = found.share[:, ~flagged][:, 0]
    assert {round(float(x / missed), 6) for x in others} >= {1.0, OFF, 1 / OFF}
    assert np.stack([ask.value(share) for share in found.share]) == pytest.approx(found.value)


def test_at_worst_more_labels_are_needed_than_at_their_word() -> None:
    for text in ("precision +-0.05", "recall +-0.05"):
        ask = asked(text)
        usual, worst = labels_needed(ask), labels_needed(ask, believed=at_their_worst(ask))
        assert usual is not None
        assert worst is not None
        assert worst > usual


def test_a_recalibration_by_nothing_changes_nothing() -> None:
    ask = asked("f1 +-0.05")
    found = recalibrated(ask, (0.0, 1.0), (0.0, 1.0))
    assert found.share[0] == pytest.approx(PROFILE.guide, abs=1e-6)
    more = recalibrated(ask, (1.0, 1.0), (0.0, 1.0))
    flagged = PROFILE.predicted(0)
    assert (more.share[0][flagged] > PROFILE.guide[flagged]).all()
    assert more.share[0][~flagged] == pytest.approx(PROFILE.guide[~flagged], abs=1e-6)
