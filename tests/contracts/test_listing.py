"""What every ledger promises of how studies are listed: who created each stays, and a study can be archived and listed again."""

from pathlib import Path

import pytest

from fewlabels.ledgers.listing import Listed, archive, listing, set_owner, unarchive
from fewlabels.ledgers.opening import open_ledger
from tests.contracts.ledgers_under_test import PARAMETERS, UnderTest

pytestmark = pytest.mark.parametrize("under", PARAMETERS)
HOSTILE = "a' or 1=1 -- \u202e"


def test_a_study_is_archived_and_listed_again_and_keeps_who_created_it(under: UnderTest, tmp_path: Path) -> None:
    ledger = open_ledger(under.address(tmp_path))
    assert listing(ledger) == {}
    unarchive(ledger, "s")
    assert listing(ledger) == {}
    set_owner(ledger, "s", "ann")
    set_owner(ledger, "s", "bob")
    set_owner(ledger, HOSTILE, HOSTILE)
    assert listing(ledger) == {"s": Listed("ann"), HOSTILE: Listed(HOSTILE)}
    archive(ledger, "s", at=10.5)
    archive(ledger, "s", at=20.0)
    archive(ledger, "t", at=30.0)
    assert listing(ledger) == {"s": Listed("ann", 10.5), "t": Listed(None, 30.0), HOSTILE: Listed(HOSTILE)}
    set_owner(ledger, "t", "bob")
    unarchive(ledger, "s")
    archive(ledger, HOSTILE, at=1.0)
    assert listing(ledger) == {"s": Listed("ann"), "t": Listed("bob", 30.0), HOSTILE: Listed(HOSTILE, 1.0)}
