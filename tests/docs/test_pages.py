"""The documentation runs as written: README, tutorial and how-to pages, each in a fresh folder, as many at once as there are cores.

Every command of the README is a process that starts anew, as on a desk. Those of the other pages are forked from one that has imported all.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.docs.forked_commands import forked_commands
from tests.docs.run_page import RUN, blocks, commands, run_shell, shape

ROOT = Path(__file__).parents[2]
RUNNER = Path(__file__).with_name("run_page.py")
# Every page but figures, decisions, mathematics and what is generated; an index has nothing to run.
PLACES = ("README.md", "docs/tutorial.md", "docs/concepts/few-labels.md", "docs/how-to/*.md")
PAGES = [page for place in PLACES for page in sorted(ROOT.glob(place)) if page != ROOT / "docs" / "how-to" / "README.md"]
Running = dict[Path, Future[subprocess.CompletedProcess[str]]]


def run(page: Path, folder: Path, commands_of: Path | None = None) -> subprocess.CompletedProcess[str]:
    forked = [] if commands_of is None or page == ROOT / "README.md" else [str(commands_of)]
    return subprocess.run(
        [sys.executable, str(RUNNER), str(page), *forked],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )


@pytest.fixture(scope="session")
def forked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of a `fewlabels` that is forked."""
    with forked_commands(tmp_path_factory.mktemp("forked")) as folder:
        yield folder


@pytest.fixture(scope="session")
def running(request: pytest.FixtureRequest, forked: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Every page that this session tests, started."""
    tests = [
        item for item in request.session.items if isinstance(item, pytest.Function) and item.originalname == "test_page_runs_as_written"
    ]
    chosen = [Path(str(item.callspec.params["page"])) for item in tests]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        yield {page: pool.submit(run, page, tmp_path_factory.mktemp(page.stem), forked) for page in chosen}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page_runs_as_written(page: Path, forked: Path, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    if "PYTEST_XDIST_WORKER" in os.environ:  # several workers each know all tests: every one would run every page
        done = run(page, tmp_path, forked)
    else:
        running: Running = request.getfixturevalue("running")
        done = running[page].result()
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_block_says_what_it_is(page: Path) -> None:
    for block in blocks(page.read_text()):
        # yaml: a workflow of another machine; toml: a package of its own, which test_third_party.py installs
        assert block.language in RUN | {"text", "yaml", "toml"}, f"line {block.line}: a block is bash, console, python or text"


def test_runner_notices_a_command_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(AssertionError, match="exit code"):
        run_shell("fewlabels status nobody | cat\n")


def test_a_forked_command_answers_and_fails_as_one_that_is_started(forked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = """
        set +e +o pipefail
        fewlabels status nobody 2>&1 | cat
        fewlabels estimate --counts tp=45,fp=5,fn=8,tn=442 --json
        fewlabels nothing
        echo "exit code $?"
    """
    answers = [run_shell(text, commands_of=folder) for folder in (str(forked), "")]
    assert answers[0] == answers[1]
    assert "no ledger at" in answers[0]
    assert "exit code 2" in answers[0]
    with pytest.raises(AssertionError, match="exit code"):
        run_shell("fewlabels status nobody | cat\n", commands_of=str(forked))


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
