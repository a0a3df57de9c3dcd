"""One text for one value."""

import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fewlabels.nouns.canonical import Json, canonical, fingerprint
from tests.identities.made import checked

values: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner, max_size=4),
    max_leaves=12,
)


@checked
@given(values)
def test_a_value_reads_back_to_the_same_bits(value: Json) -> None:
    text = canonical(value)
    again = json.loads(text)
    assert again == value
    assert canonical(again) == text


@checked
@given(st.dictionaries(st.text(st.characters(codec="utf-8")), st.integers(), max_size=6))
def test_the_order_of_keys_does_not_matter(value: dict[str, int]) -> None:
    assert canonical(dict(reversed(value.items()))) == canonical(value)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
def test_a_number_that_is_none_is_refused(number: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical({"deep": [1, {"er": number}]})


def test_the_text_has_no_spaces_and_keeps_letters() -> None:
    assert canonical({"b": [1, 2.5, None], "a": "é x"}) == '{"a":"é x","b":[1,2.5,null]}'


def test_the_fingerprint_is_the_sha256_of_the_text() -> None:
    assert fingerprint({"a": "é"}) == hashlib.sha256('{"a":"é"}'.encode()).hexdigest()
