"""What all tests share: the seed of simulations, 42 unless ASSAY_TEST_SEED says otherwise."""

import os

import pytest


@pytest.fixture
def seed() -> int:
    """The seed of a simulation: recorded in CI, fresh under `make statistics`."""
    return int(os.environ.get("ASSAY_TEST_SEED", "42"))
