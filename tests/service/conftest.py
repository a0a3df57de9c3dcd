"""The workbench of the tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.service.browsing import chromium
from tests.service.workbench import Bench, make_bench


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """Two studies on SQLite, and people of each role."""
    return make_bench(tmp_path)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """The same, for tests that change nothing the others look at."""
    return make_bench(tmp_path_factory.mktemp("bench"))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for the tests of a file."""
    with chromium() as opened:
        yield opened
