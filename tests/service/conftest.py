"""The workbench of the tests."""

from pathlib import Path

import pytest

from tests.service.workbench import Bench, make_bench


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """Two studies on SQLite, and people of each role."""
    return make_bench(tmp_path)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """The same, for tests that change nothing the others look at."""
    return make_bench(tmp_path_factory.mktemp("bench"))
