"""Scales of pictures: round, and holding what they show."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fewlabels.reports.figures import Scale, log_scale, row_picture, row_scale, scale, tick_text
from fewlabels.reports.markup import tag, written
from fewlabels.reports.sections import Mark, target_of

FINITE = st.floats(-1e6, 1e6, allow_nan=False).map(lambda v: round(v, 4))


@given(st.lists(FINITE, min_size=1, max_size=6))
def test_a_scale_holds_its_values(values: list[float]) -> None:
    found = scale(values)
    assert found.low <= min(values) <= max(values) <= found.high
    assert 1 <= len(found.ticks) <= 8
    assert all(0 <= found.at(value) <= 1 for value in values)
    texts = [tick_text(tick, found.ticks) for tick in found.ticks]
    assert len(texts) == len(set(texts)) or found.high - found.low < 1e-3


@given(st.floats(1, 1e6), st.floats(1, 1e4))
def test_a_scale_of_factors_holds_its_ends(low: float, factor: float) -> None:
    found = log_scale(low, low * factor)
    assert found.at(found.low) == pytest.approx(0)
    assert found.at(found.high) == pytest.approx(1)
    assert len(found.ticks) <= 8


def test_what_lies_beyond_is_drawn_at_the_end() -> None:
    assert Scale(0, 1, (0.0, 1.0)).at(1.7) == 1
    assert Scale(0, 1, (0.0, 1.0)).at(-1) == 0
    assert Scale(1, 1, (1.0,)).at(1) == 0.5


def test_a_row_without_a_value_has_no_dot() -> None:
    mark = Mark(value=None, low=0.0, high=1.0, strict_low=0.0, strict_high=1.0, target=0.5)
    drawn = written([row_picture(mark, row_scale([mark]), "grid")])
    assert "dot" not in drawn
    assert 'class="target"' in drawn


def test_text_and_attributes_cannot_become_markup() -> None:
    made = written([tag("p", "<b>&", "</p>", tag("i", "x"), '"', title='"><b>')])
    assert made == '<p title="&quot;&gt;<b&gt;">&lt;b&gt;&amp;&lt;/p&gt;<i>x</i>"</p>'


@pytest.mark.parametrize(
    ("goal", "line", "wanted"),
    [
        ("recall >= 0.75 for <b>", 0.75, None),
        ("precision +-0.05", None, 0.05),
        ("prevalence <= 0.002 at 0.99", 0.002, None),
        ("prevalence +-25% of it", None, 0.04),
    ],
)
def test_a_goal_says_what_is_drawn(goal: str, line: float | None, wanted: float | None) -> None:
    found = target_of(goal)
    assert found is not None
    assert (found.line, found.wanted(0.2)) == (line, wanted)


def test_what_is_no_goal_draws_nothing() -> None:
    assert target_of("nobody knows") is None
