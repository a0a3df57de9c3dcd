"""The command that adds an extra installs from where the package came from; what it names can be installed by pip."""

import json
import subprocess
import sys
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from fewlabels import installation
from fewlabels.installation import install_command

ROOT = Path(__file__).parents[2]


class Distribution:
    def __init__(self, origin: dict[str, object] | None) -> None:
        self.origin = origin

    def read_text(self, name: str) -> str | None:
        assert name == "direct_url.json"
        return None if self.origin is None else json.dumps(self.origin)


@pytest.mark.parametrize(
    ("origin", "command"),
    [
        (None, 'pip install "fewlabels[spark]"'),
        (
            {"url": "file:///home/ada/my%20code/fewlabels", "dir_info": {"editable": True}},
            'pip install "/home/ada/my code/fewlabels[spark]"',
        ),
        ({"url": "file:///tmp/f.whl", "archive_info": {}}, 'pip install "fewlabels[spark] @ file:///tmp/f.whl"'),
        (
            {"url": "https://example.org/f.git", "vcs_info": {"vcs": "git", "commit_id": "abc"}},
            'pip install "fewlabels[spark] @ git+https://example.org/f.git@abc"',
        ),
    ],
)
def test_an_extra_comes_from_where_the_package_came_from(
    monkeypatch: pytest.MonkeyPatch, origin: dict[str, object] | None, command: str
) -> None:
    monkeypatch.setattr(installation, "distribution", lambda _: Distribution(origin))
    assert install_command("spark") == command


def test_run_from_its_source_it_names_the_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Distribution:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(installation, "distribution", missing)
    assert install_command("spark") == f'pip install "{ROOT}[spark]"'


def test_pip_takes_the_command_of_this_installation() -> None:
    asked = install_command("postgres").split('"')[1]
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", "--dry-run", "--quiet", "--no-deps", asked],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
