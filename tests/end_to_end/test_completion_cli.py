"""What a shell completes, asked of a real bash: commands, options, studies of the ledger, metrics and files; silent where it cannot."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.end_to_end.commands import PROGRAM, environment, fewlabels, ok
from tests.unit.study.made import TABLE, write_csv

COMPLETE = """
compopt() {{ IFS=" "; [ "$*" = "-o default" ] && echo "bash lists files"; }}
source "{script}"
COMP_WORDS=({words} "{last}"); COMP_CWORD={at}
COMPREPLY=(); _fewlabels_completion fewlabels "{last}" "{before}"
printf '%s\\n' "${{COMPREPLY[@]}}"
complete -p fewlabels
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two studies, and a command named fewlabels."""
    folder = tmp_path_factory.mktemp("completing")
    write_csv(folder / "t.csv", TABLE)
    before = Path.cwd()
    os.chdir(folder)
    try:
        for name in ("week46", "week47", "x y"):
            ok("plan", "t.csv", "--score", "score", "--threshold", "0.5", "--goal", "precision +-0.1", "--budget", 10, "--study", name)
    finally:
        os.chdir(before)
    (folder / "bin").mkdir()
    program = folder / "bin" / "fewlabels"
    program.write_text(f"#!/bin/sh\nexec {sys.executable} -c '{PROGRAM}' \"$@\"\n")
    program.chmod(0o755)
    (folder / "bin" / "completion").write_text(ok("completion", "bash").out)
    return folder


def completed(folder: Path, *words: str, cwd: Path | None = None, **more: str) -> list[str]:
    """What bash offers for the last word."""
    *given, last = words
    asked = {"words": " ".join(["fewlabels", *given]), "last": last, "at": len(words), "before": given[-1] if given else "fewlabels"}
    text = COMPLETE.format(script=folder / "bin" / "completion", **asked)
    env = environment(**more)
    env["PATH"] = f"{folder / 'bin'}:{env['PATH']}"
    done = subprocess.run(["bash", "-c", text], cwd=cwd or folder, env=env, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    *found, registered = done.stdout.splitlines()
    assert registered == "complete -o nosort -F _fewlabels_completion fewlabels"
    return [one for one in found if one]


def test_bash_completes_commands_without_importing_them(folder: Path) -> None:
    assert completed(folder, "de") == ["decide", "demo"]
    assert "--config" in completed(folder, "--")


def test_bash_completes_groups_their_commands_and_what_those_take(folder: Path) -> None:
    assert completed(folder, "over") == ["over-time"]
    assert completed(folder, "ledger", "") == ["list", "copy", "backup", "rebuild", "upgrade", "forget"]
    assert completed(folder, "over-time", "ch") == ["change"]
    assert completed(folder, "labels", "label-studio", "pu") == ["push", "pull"]
    assert completed(folder, "release", "decide", "we") == ["week46", "week47"]
    assert completed(folder, "results", "slices", "week46", "--sim") == ["--simultaneous"]
    assert completed(folder, "es") == ["estimate"]  # hidden from the help, and completed
    assert completed(folder, "plan", "--smallest") == ["--smallest-take"]  # likewise
    assert completed(folder, "plan", "--help-") == ["--help-all"]


def test_bash_completes_the_studies_of_the_ledger(folder: Path) -> None:
    assert completed(folder, "decide", "we") == ["week46", "week47"]
    assert completed(folder, "decide", "") == ["week46", "week47", "x y"]
    assert completed(folder, "change", "week46", "week") == ["week46", "week47"]
    assert completed(folder, "label-studio", "pull", "week46") == ["week46"]
    assert completed(folder, "plan", "--study", "week4") == ["week46", "week47"]


def test_bash_completes_metrics_options_and_files(folder: Path) -> None:
    assert "false_positive_rate" in completed(folder, "slices", "week46", "--metric", "f")
    assert "--metric" in completed(folder, "compare", "week46", "--m")
    assert completed(folder, "doctor", "t.c") == ["bash lists files"]  # which is: list files
    assert completed(folder, "tell", "we") == ["bash lists files", "week46", "week47"]


def test_the_ledger_may_be_named_before_in_the_environment_or_in_the_file(folder: Path, tmp_path: Path) -> None:
    address = f"sqlite:///{folder / 'fewlabels.db'}"
    assert completed(folder, "decide", "--ledger", address, "week47", cwd=tmp_path) == ["week47"]
    assert completed(folder, "decide", "week47", cwd=tmp_path, FEWLABELS_LEDGER=address) == ["week47"]
    (tmp_path / "fewlabels.toml").write_text(f'ledger = "{address}"\n')
    assert completed(folder, "decide", "week47", cwd=tmp_path) == ["week47"]


def test_where_there_is_no_ledger_nothing_is_made_and_nothing_is_said(folder: Path, tmp_path: Path) -> None:
    assert completed(folder, "decide", "", cwd=tmp_path) == []
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "fewlabels.db").write_bytes(b"no ledger")
    assert completed(folder, "decide", "", cwd=tmp_path) == []
    assert (tmp_path / "fewlabels.db").read_bytes() == b"no ledger"
    (tmp_path / "fewlabels.toml").write_text("broken")
    assert completed(folder, "decide", "", cwd=tmp_path) == []
    (tmp_path / "fewlabels.toml").write_text('ledger = "postgresql://127.0.0.1:1/none"')
    began = time.monotonic()
    assert completed(folder, "decide", "", cwd=tmp_path) == []
    assert time.monotonic() - began < 10


def test_completing_leaves_the_ledger_as_it_was(folder: Path) -> None:
    before = (folder / "fewlabels.db").read_bytes()
    completed(folder, "decide", "")
    assert (folder / "fewlabels.db").read_bytes() == before


@pytest.mark.parametrize(
    ("shell", "line"), [("zsh", "compdef _fewlabels_completion fewlabels"), ("fish", "complete --no-files --command fewlabels")]
)
def test_zsh_and_fish_get_their_script(shell: str, line: str) -> None:
    found = ok("completion", shell)
    assert line in found.out
    assert f"_FEWLABELS_COMPLETE={shell}_complete" in found.out
    said = ok("completion", shell, "--json").json
    assert said["script"] == found.out.rstrip("\n") or said["script"] + "\n" == found.out
    assert f"fewlabels completion {shell}" in said["how"]


def test_another_shell_is_refused() -> None:
    assert fewlabels("completion", "csh").code == 2
