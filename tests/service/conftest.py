"""The workbenches of the tests, and the server of those with a browser."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.service.browsing import Server, serving, write_table
from tests.service.workbench import Bench, make_bench


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """Two studies on SQLite, and people of each role."""
    return make_bench(tmp_path)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """The same, for tests that change nothing the others look at."""
    return make_bench(tmp_path_factory.mktemp("bench"))


@pytest.fixture(scope="session")
def desk_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with a table, for every test with a browser that makes a study of its own on it."""
    folder = tmp_path_factory.mktemp("desk")
    with serving(folder) as running:
        write_table(folder / "scored.parquet")
        yield running
