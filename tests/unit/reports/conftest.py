"""Reports that all tests of pages share."""

import pytest

from tests.unit.reports.made_reports import Reports


@pytest.fixture(scope="session")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Reports:
    """The report of each kind of study."""
    return Reports(tmp_path_factory.getbasetemp())
