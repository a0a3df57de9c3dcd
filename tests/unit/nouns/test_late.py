"""What is said beforehand about answers that arrive by themselves."""

from typing import Any

import pytest

from fewlabels.errors import PlanError
from fewlabels.nouns.late import Arrivals, Arrived, Late

DELAYS = ((0, 5), (10, 20), (70, 5))
GOOD: dict[str, Any] = {"since": "2025-11-01", "until": "2025-12-31", "missing": "negative", "unflagged": DELAYS}


def test_how_many_had_arrived_by_the_age_of_a_day() -> None:
    late = Late(**GOOD)
    assert late.arrivals("2025-11-01") == Arrivals(None, Arrived(5, 30))
    assert late.arrivals("2025-11-10") == Arrivals(None, Arrived(5, 30))
    assert late.arrivals("2025-11-11") == Arrivals(None, Arrived(25, 30))
    assert late.arrivals("2026-02-01") == Arrivals(None, Arrived(30, 30))


def test_it_is_read_as_it_was_written() -> None:
    for late in (Late(**GOOD), Late(since="2025-11-01", until="2025-11-02")):
        assert Late.of_json(late.as_json()) == late


def test_where_a_missing_answer_means_nothing_nothing_is_corrected() -> None:
    assert Late(since="2025-11-01", until="2025-11-02").arrivals("2025-11-02") is None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"until": "2025-11-01"}, "name a later day"),
        ({"until": "31.12.2026"}, "write 2025-12-31"),
        ({"missing": "positive"}, "choose one of these"),
        ({"unflagged": ()}, "hand in the delays"),
        ({"missing": "unknown"}, "leave the delays out"),
    ],
)
def test_what_makes_no_sense_is_refused(change: dict[str, Any], said: str) -> None:
    with pytest.raises(PlanError, match=said):
        Late(**{**GOOD, **change})
