"""The names a shell completes are those of the ledger, on every ledger, and asking for them makes nothing."""

from pathlib import Path

import pytest

from fewlabels.ledgers.naming import study_names
from fewlabels.ledgers.opening import open_ledger
from tests.contracts.ledgers_under_test import PARAMETERS, UnderTest


@pytest.mark.parametrize("under", PARAMETERS)
def test_names_are_those_of_the_ledger(under: UnderTest, tmp_path: Path) -> None:
    address = under.address(tmp_path)
    with pytest.raises(Exception, match=r"entry|open"):  # whichever error the database has: there is no ledger yet
        study_names(address)
    assert not list(tmp_path.iterdir())
    ledger = open_ledger(address)
    assert study_names(address) == []
    for name in ("week47", "week46", "ä ö"):
        with ledger.writing(name) as act:
            act.append("study", key="study", body={})
    assert study_names(address) == ledger.studies() == ["week46", "week47", "ä ö"]
