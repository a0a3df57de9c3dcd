"""The engine a contract is run on: every one of ENGINES in turn."""

import pytest

from tests.contracts.engines_under_test import UnderTest, on_engines


@pytest.fixture(params=on_engines())
def under(request: pytest.FixtureRequest) -> UnderTest:
    return request.param
