"""What all tests share: the seed of simulations, 42 unless FEWLABELS_TEST_SEED says otherwise, Ctrl-C that works, and their order.

Under pytest-xdist (`--dist loadgroup`) a file goes to one worker, so that what its tests share is made once, and the tests of a group go
to one worker whatever their files: those on the Spark cluster and those with a browser. What takes long comes first, so that the workers
end together.
"""

import os
import signal
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# Files and folders that take longest, the longest first; the rest follows in the order of the alphabet.
LONG: Sequence[str] = ()


def pytest_configure() -> None:
    """A shell that starts the tests in its background has them ignore Ctrl-C, and so would every command they start."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)


def group_of(item: pytest.Item) -> str | None:
    """The tests that have to be on one worker with this one: those on the Spark cluster, or those with a browser; None if it is free."""
    if item.get_closest_marker("spark"):
        return "spark"
    return "browser" if "browser" in getattr(item, "fixturenames", ()) else None


def rank(item: pytest.Item) -> int:
    """Where a test comes: groups, then long files, then the rest."""
    if group_of(item):
        return 0 if group_of(item) == "spark" else 1
    path = item.path.relative_to(ROOT).as_posix()
    return next((2 + at for at, long in enumerate(LONG) if path.startswith(long)), 2 + len(LONG))


@pytest.hookimpl(tryfirst=True)  # pytest-xdist reads the groups in the same hook
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if group := group_of(item):
            item.add_marker(pytest.mark.xdist_group(group))
    items.sort(key=rank)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object | None:
    """Groups, as pytest-xdist has them, and of what is in none the file, which pytest-xdist would deal out test by test."""
    if config.getoption("dist") != "loadgroup":
        return None
    from xdist.scheduler import LoadGroupScheduling

    class Files(LoadGroupScheduling):  # type: ignore[misc]  # pytest-xdist has no types
        def _split_scope(self, nodeid: str) -> str:
            group = super()._split_scope(nodeid)
            return nodeid.partition("::")[0] if group == nodeid else group

    return Files(config, log)


@pytest.fixture
def seed() -> int:
    """The seed of a simulation: recorded in CI, fresh under `make statistics`."""
    return int(os.environ.get("FEWLABELS_TEST_SEED", "42"))
