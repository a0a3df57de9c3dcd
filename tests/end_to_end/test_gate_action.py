"""action.yml: its shell run as GitHub runs it, with the real command, and inputs that are data."""

import contextlib
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.end_to_end.commands import PROGRAM, environment, ok

ACTION: dict[str, Any] = yaml.safe_load((Path(__file__).parents[2] / "action.yml").read_text(encoding="utf-8"))
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}
NAME = "a b; $(touch c)"  # hostile to a shell
RULE = '[[rule]]\nmetric = "accuracy"\ntarget = "{}"\nmax_half_width = 0.5\n'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study whose units are all labeled, policies, and a `fewlabels` on a path of its own."""
    folder = tmp_path_factory.mktemp("action")
    with contextlib.chdir(folder):
        ok("demo", ".")
        plan = ("plan", "scored.parquet", "--score", "score", "--threshold", "0.5", "--goal", "accuracy >= 0.7")
        ok(*plan, "--study", NAME, "--budget", "120", "--ledger", "sqlite:///fewlabels.db")
        ok("draw", NAME, "--units", "120", "--out", "batch.csv", "--ledger", "sqlite:///fewlabels.db")
        ok("tell", NAME, "answers.csv", "--drawn-only", "--ledger", "sqlite:///fewlabels.db")
    for name, target in (("good", ">= 0.6"), ("bad", "<= 0.5")):
        (folder / f"{name}.toml").write_text(RULE.format(target), encoding="utf-8")
    (folder / "bin").mkdir()
    command = folder / "bin" / "fewlabels"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -c "{PROGRAM}" "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    return folder


def run_step(folder: Path, name: str, **inputs: str) -> tuple[int, dict[str, str], str]:
    """A step as GitHub runs it: its exit code, its outputs, and what it printed."""
    step = STEPS[name]
    given = {key: said.get("default", "") for key, said in ACTION["inputs"].items()} | inputs
    values = {f"inputs.{key}": value for key, value in given.items()} | {"github.action_path": "/the action"}
    env = {key: re.sub(r"\$\{\{ (.+?) \}\}", lambda m: values[m[1]], text) for key, text in step["env"].items()}
    files = {key: str(folder / key.lower()) for key in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    for path in files.values():
        Path(path).write_text("", encoding="utf-8")
    script = folder / "step.sh"
    script.write_text(step["run"], encoding="utf-8")
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
        cwd=folder,
        env=environment(**env, **files, GITHUB_ACTIONS="true") | {"PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    said = dict(line.split("=", 1) for line in Path(files["GITHUB_OUTPUT"]).read_text(encoding="utf-8").splitlines())
    return done.returncode, said, done.stdout + done.stderr


def test_inputs_reach_the_shell_as_data_only() -> None:
    for step in STEPS.values():
        assert "${{" not in step["run"]
        assert step["shell"] == "bash"
    assert set(ACTION["outputs"]) == {"verdict", "exit-code"}
    for name, output in ACTION["outputs"].items():
        assert output["value"] == f"${{{{ steps.gate.outputs.{name} }}}}"
    used = set(re.findall(r"inputs\.([\w-]+)", (Path(__file__).parents[2] / "action.yml").read_text(encoding="utf-8")))
    assert used == set(ACTION["inputs"])


@pytest.mark.parametrize(
    ("inputs", "code", "verdict"),
    [
        ({"policy": "good.toml"}, 0, "ship"),
        ({"policy": "bad.toml"}, 4, "do_not_ship"),
        ({"policy": "none.toml"}, 5, "invalid"),
        ({"policy": "good.toml", "junit": "none/gate.xml"}, 2, "error"),
    ],
)
def test_the_step_ends_with_the_gates_code_and_sets_the_outputs(folder: Path, inputs: dict[str, str], code: int, verdict: str) -> None:
    found = run_step(folder, "Gate", study=NAME, **inputs)
    assert found[0] == code, found[2]
    assert (found[1]["verdict"], found[1]["exit-code"]) == (verdict, str(code))
    assert not (folder / "c").exists()
    assert (verdict == "error") == (not (folder / "github_step_summary").read_text(encoding="utf-8"))


def test_a_job_may_go_on_and_read_the_verdict_but_not_past_a_wrong_call(folder: Path) -> None:
    code, said, _ = run_step(folder, "Gate", study=NAME, policy="bad.toml", junit="gate.xml", **{"exit-zero": "true"})
    assert (code, said["verdict"], said["exit-code"]) == (0, "do_not_ship", "4")
    assert (folder / "gate.xml").exists()
    wrong = {"exit-zero": "true", "junit": "none/gate.xml"}
    assert run_step(folder, "Gate", study=NAME, policy="bad.toml", **wrong)[0] == 2


def test_a_study_named_like_an_option_is_a_study(folder: Path) -> None:
    code, said, printed = run_step(folder, "Gate", study="--help", policy="good.toml")
    assert (code, said["verdict"]) == (5, "invalid")
    assert "no study '--help'" in printed


def test_fewlabels_is_installed_from_the_action_itself(folder: Path) -> None:
    stub = folder / "bin" / "python"
    stub.write_text('#!/bin/sh\nfor word in "$@"; do printf "<%s>" "$word"; done\n', encoding="utf-8")
    stub.chmod(0o755)
    try:
        code, _, printed = run_step(folder, "Install fewlabels")
    finally:
        stub.unlink()
    assert (code, printed) == (0, "<-m><pip><install><--quiet></the action[postgres]>")
