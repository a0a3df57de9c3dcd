"""scripts/counts on made-up files whose questions are known."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]


def count(folder: Path, **files: str) -> dict[str, Any]:
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    command = [sys.executable, "scripts/counts", "--source", str(folder), "--json"]
    found: dict[str, Any] = json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout)
    return found


def places(found: dict[str, Any]) -> dict[str, int]:
    return {mode: row["places"] for mode, row in found["table"].items()}


def test_each_way_to_ask_is_counted_and_what_only_looks_alike_is_not(tmp_path: Path) -> None:
    found = count(
        tmp_path,
        asks=(
            "if plan.is_online: pass\n"  # is_online
            "x = metric.joint and population.is_joint\n"  # joint, twice
            "y = goal.over is None or over is not None\n"  # over, twice
            "z = 1 if goal.over else 2\n"  # over
            "w = [g for g in goals if not g.over]\n"  # over
            "v = isinstance(a, JointTally | Tally), isinstance(a, nouns.Tally)\n"  # tally, twice
        ),
        alike=(
            "from a.joint import measure_joint\n"
            "'is_online joint over is None'\n"
            "plan.is_online = True\n"
            "name = goal.over\n"
            "x = goal.other is None\n"
            "over == 3\n"
            "isinstance(a, int)\n"
        ),
    )
    assert places(found) == {"is_online": 1, "joint": 2, "over": 4, "tally": 2}
    assert {place["file"] for place in found["places"]} == {"asks.py"}


def test_a_function_that_hides_a_question_is_counted_where_it_is_called(tmp_path: Path) -> None:
    found = count(
        tmp_path,
        hides=(
            "def is_pair(goal):\n    '''Says.'''\n    return goal.over is not None\n"
            "def is_single(goal):\n    return not is_pair(goal)\n"
            "class A:\n    @property\n    def sort(self):\n        return 'online' if self.plan.is_online else 'fixed'\n"
            "def measures(goal):\n    return one(goal) if goal.over is None else two(goal)\n"  # acts on the question, does not pass it on
        ),
        calls="if is_pair(goal) or is_single(goal) or a.sort == 'online': measures(goal)\n",
    )
    assert found["hiding"] == {"is_pair": ["over"], "is_single": ["over"], "sort": ["is_online"]}
    assert found["table"]["over"] == {"asked": 2, "hidden": 3, "places": 5, "files": 2}  # is_single reads is_pair, calls.py both
    assert found["table"]["is_online"] == {"asked": 1, "hidden": 1, "places": 2, "files": 2}
    assert found["shared"] == []


def test_comparing_the_kind_of_a_plan_asks(tmp_path: Path) -> None:
    found = count(tmp_path, a="if plan.kind == 'online' or plan.kind in ('growth', 'planned looks') or entry.kind == 'look': pass\n")
    assert found["table"]["is_online"]["asked"] == 2


def test_a_name_that_hides_in_one_place_only_is_marked(tmp_path: Path) -> None:
    found = count(tmp_path, a="def is_pair(goal):\n    return goal.over is None\n", b="def is_pair(shoes):\n    return shoes == 2\n")
    assert found["shared"] == ["is_pair"]


def test_refuse_functions_and_class_names_used_twice(tmp_path: Path) -> None:
    found = count(
        tmp_path,
        a="class Bench: pass\nclass Look:\n    def _refuse_late(self): pass\n",
        b="def refuse(): pass\ndef refused(): pass\ndef why_refuse(): pass\nclass Bench: pass\n",
    )
    assert found["refuse"] == ["a.py:3 _refuse_late", "b.py:1 refuse", "b.py:2 refused"]
    assert found["classes"] == {"Bench": ["a.py", "b.py"]}
