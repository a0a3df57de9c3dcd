"""What all tests share: the seed of simulations, 42 unless FEWLABELS_TEST_SEED says otherwise, and Ctrl-C that works."""

import os
import signal
import threading

import pytest


def pytest_configure() -> None:
    """A shell that starts the tests in its background has them ignore Ctrl-C, and so would every command they start."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def seed() -> int:
    """The seed of a simulation: recorded in CI, fresh under `make statistics`."""
    return int(os.environ.get("FEWLABELS_TEST_SEED", "42"))
