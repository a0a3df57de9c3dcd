"""What all tests share: the seed of simulations, 42 unless FEWLABELS_TEST_SEED says otherwise, Ctrl-C that works, and their order.

Under pytest-xdist (`--dist loadgroup`) a file goes to one worker, so that what its tests share is made once, and the tests of a group go
to one worker whatever their files: those on the Spark cluster and those with a browser. What takes long comes first, so that the workers
end together.
"""

import os
import shutil
import signal
import tempfile
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).parents[1]
MEMORY, ROOM = Path("/dev/shm"), 4 * 2**30
SPARK, BROWSER = "spark", "browser"
# Groups, files and folders that take longest; the rest follows as it was collected. Those with a browser, one of which measures
# milliseconds, come when types are no longer checked beside the tests.
FIRST: Sequence[str] = (SPARK, "tests/docs/test_pages", "tests/statistics", BROWSER, "tests/end_to_end", "tests/docs", "tests/identities")


def pytest_configure() -> None:
    """A shell that starts the tests in its background has them ignore Ctrl-C, and so would every command they start."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)
    write_to_memory()


def write_to_memory() -> None:
    """Has temporary files kept in memory where there is room: ledgers wait for the disk after every act, and no test needs one.

    A TMPDIR that is set already stays.
    """
    if "TMPDIR" not in os.environ and MEMORY.is_dir() and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free >= ROOM:
        os.environ["TMPDIR"] = str(MEMORY)
        tempfile.tempdir = None  # read anew


def group_of(item: pytest.Item) -> str | None:
    """The group of tests that have to be on one worker with this one; None if it goes with its file."""
    if item.get_closest_marker("spark"):
        return SPARK
    return BROWSER if item.get_closest_marker("browser") or "browser" in getattr(item, "fixturenames", ()) else None


def rank(item: pytest.Item) -> int:
    """Where a test comes: groups and files in the order of FIRST, then the rest."""
    place = group_of(item) or item.path.relative_to(ROOT).as_posix()
    return next((at for at, name in enumerate(FIRST) if place.startswith(name)), len(FIRST))


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

    class Files(LoadGroupScheduling):  # type: ignore[misc]  # a class without types: pytest-xdist ships none
        def _split_scope(self, nodeid: str) -> str:
            group = super()._split_scope(nodeid)
            return nodeid.partition("::")[0] if group == nodeid else group

    return Files(config, log)


@pytest.fixture(scope="session")
def browser() -> Iterator["Browser"]:
    """One browser for every test that asks for it: a group, so on one worker. An event loop runs in that thread from then on."""
    from tests.service.browsing import chromium  # here, so that only who has a browser needs playwright

    with chromium() as opened:
        yield opened


@pytest.fixture
def seed() -> int:
    """The seed of a simulation: recorded in CI, fresh under `make statistics`."""
    return int(os.environ.get("FEWLABELS_TEST_SEED", "42"))
