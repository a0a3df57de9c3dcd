"""Names of people: those that look alike are one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fewlabels.errors import StudyError
from fewlabels.nouns.person import folded, refuse_alike

ALIKE = ["Ann", "ANN", "ann ", " ann", "\uff41nn", "a\u200bnn", "ann\u00a0", "\u24d0nn"]


@pytest.mark.parametrize("other", ALIKE, ids=ascii)
def test_names_that_look_alike_are_one(other: str) -> None:
    assert folded(other) == folded("ann")
    with pytest.raises(StudyError):
        refuse_alike(other, ["ann"], [])
    with pytest.raises(StudyError):
        refuse_alike(other, [], ["ann"])


@pytest.mark.parametrize("other", ["anna", "an n", "\u00e4nn", "ann2"])
def test_other_names_are_others(other: str) -> None:
    assert folded(other) != folded("ann")
    refuse_alike(other, ["ann"], ["german"])


@pytest.mark.parametrize("name", [" ann", "ann ", "ann  lee", "ann\tlee"])
def test_spaces_nobody_sees_are_refused(name: str) -> None:
    with pytest.raises(StudyError, match="write 'ann"):
        refuse_alike(name, [], [])


@given(st.text(max_size=30))
def test_folding_twice_is_folding_once(name: str) -> None:
    assert folded(folded(name)) == folded(name)
    assert folded(name.upper()) == folded(name.upper().casefold())
