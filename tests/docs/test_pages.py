"""The documentation runs as written: README, tutorial and how-to pages, each in a fresh folder, as many at once as there are cores."""

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.docs.run_page import RUN, blocks, commands, run_shell, shape

ROOT = Path(__file__).parents[2]
RUNNER = Path(__file__).with_name("run_page.py")
# Every page but figures, decisions, mathematics and what is generated; an index has nothing to run.
PLACES = ("README.md", "docs/tutorial.md", "docs/concepts/few-labels.md", "docs/how-to/*.md")
PAGES = [page for place in PLACES for page in sorted(ROOT.glob(place)) if page != ROOT / "docs" / "how-to" / "README.md"]
Running = dict[Path, Future[subprocess.CompletedProcess[str]]]


def run(page: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(RUNNER), str(page)],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )


@pytest.fixture(scope="session")
def running(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Every page that this session tests, started."""
    tests = [
        item for item in request.session.items if isinstance(item, pytest.Function) and item.originalname == "test_page_runs_as_written"
    ]
    chosen = [Path(str(item.callspec.params["page"])) for item in tests]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        yield {page: pool.submit(run, page, tmp_path_factory.mktemp(page.stem)) for page in chosen}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page_runs_as_written(page: Path, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    if "PYTEST_XDIST_WORKER" in os.environ:  # several workers each know all tests: every one would run every page
        done = run(page, tmp_path)
    else:
        running: Running = request.getfixturevalue("running")
        done = running[page].result()
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_block_says_what_it_is(page: Path) -> None:
    for block in blocks(page.read_text()):
        # yaml: a workflow of another machine, which cannot be run here
        assert block.language in RUN | {"text", "yaml"}, f"line {block.line}: a block is bash, console, python or text"


def test_runner_notices_a_command_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(AssertionError, match="exit code"):
        run_shell("fewlabels status nobody | cat\n")


def test_runner_notices_what_was_not_printed(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```bash\necho 3 units\n```\n\n```text\n4 units\n```\n")
    assert run(page, tmp_path).returncode == 0
    page.write_text("```bash\necho 3 units\n```\n\n```text\n4 rows\n```\n")
    assert "was not printed" in run(page, tmp_path).stderr


def test_runner_keeps_marks_and_order() -> None:
    page = "<!-- not run: why -->\n```bash\nfalse\n```\n\n```python\nx = 1\n```\n```console\n$ true\nprinted\n```\n"
    first, second, third = blocks(page)
    assert (first.mark, second.mark) == ("not run: why", "")
    assert (second.text, commands(third)) == ("x = 1\n", "true\n")
    assert shape("recall   0.830  1,887") == "recall # #"
