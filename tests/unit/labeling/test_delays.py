"""Delays of earlier positives, from a file."""

from pathlib import Path

import pytest

from fewlabels.errors import LabelError
from fewlabels.labeling.delays import read_delays


def test_delays_are_counted_by_side(tmp_path: Path) -> None:
    path = tmp_path / "delays.csv"
    path.write_text("days,side\n3,flagged\n3,\n0,unflagged\n3,unflagged\n")
    assert read_delays(path) == {"flagged": ((3, 1),), "unflagged": ((0, 1), (3, 2))}
    path.write_text("days\n5\n")
    assert read_delays(path) == {"flagged": (), "unflagged": ((5, 1),)}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("delay\n3\n", "a column named days is needed"),
        ("days\nthree\n", "whole number of days, 0 or more, got 'three'"),
        ("days,side\n3,left\n", "got 'left'"),
        ("days\n-3\n", "0 or more, got '-3'"),
        ("days\n", "names no earlier positive"),
    ],
)
def test_what_cannot_be_read_is_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "delays.csv"
    path.write_text(text)
    with pytest.raises(LabelError, match=said):
        read_delays(path)
