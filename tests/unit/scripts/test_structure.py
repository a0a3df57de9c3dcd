"""scripts/structure on made-up packages whose rooms, arrows and circles are known."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
CONTRACT = '[[tool.importlinter.contracts]]\ntype = "layers"\ncontainers = ["made.house"]\nlayers = ["roof", "wall | window", "ground"]\n'


def house(folder: Path, **files: str) -> Path:
    """A source folder with the package made.house; a name with __ is a module inside a room."""
    for name, text in {"__init__": "", **files}.items():
        path = folder / "src/made/house" / f"{name if name == '__init__' else name.replace('__', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        (path.parent / "__init__.py").touch()
        path.write_text(text)
    (folder / "src/made/__init__.py").touch()
    return folder / "src"


def read(source: Path, *options: str) -> dict[str, Any]:
    command = [sys.executable, "scripts/structure", "--source", str(source), "--package", "made.house", "--json", *options]
    found: dict[str, Any] = json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout)
    return found


def test_rooms_stand_one_floor_above_what_they_import(tmp_path: Path) -> None:
    source = house(
        tmp_path,
        roof="import made.house.wall.brick\nimport made.house.wall.stone\nimport made.house.ground",
        wall__brick="def lay():\n    import made.house.ground",
        wall__stone="import made.house.wall.brick",
        ground="",
    )
    found = read(source)
    assert found["floors"] == [["ground"], ["wall"], ["roof"]]
    assert found["arrows"] == [["roof", "ground", 1], ["roof", "wall", 2], ["wall", "ground", 1]]
    assert found["figures"] == {
        "rooms": 3, "modules": 5, "floors": 3, "arrows": 3, "imports between rooms": 4,
        "upward arrows": 0, "circles of rooms": 0, "circles of modules": 0,
    }  # fmt: skip


def test_a_circle_of_rooms_is_found_though_no_modules_are_in_one(tmp_path: Path) -> None:
    source = house(
        tmp_path,
        wall__brick="import made.house.ground.earth",
        wall__stone="import made.house.ground.earth",
        wall__paint="",
        ground__earth="",
        ground__cellar="import made.house.wall.paint",
    )
    found = read(source)
    assert found["room_circles"] == [["ground", "wall"]]
    assert found["module_circles"] == []
    assert found["upward"] == [["ground", "wall"]]  # one import against two
    assert found["floors"] == [["ground"], ["wall"]]


def test_a_circle_of_modules_is_found(tmp_path: Path) -> None:
    source = house(tmp_path, wall__a="import made.house.wall.b", wall__b="import made.house.wall.c", wall__c="import made.house.wall.a")
    found = read(source)
    assert found["module_circles"] == [["made.house.wall.a", "made.house.wall.b", "made.house.wall.c"]]
    assert found["room_circles"] == []


def test_an_arrow_against_the_contract_is_upward_though_it_closes_no_circle(tmp_path: Path) -> None:
    source = house(tmp_path, roof="", wall="import made.house.ground", window="import made.house.wall", ground="import made.house.roof")
    assert read(source)["upward"] == []
    (tmp_path / "pyproject.toml").write_text(CONTRACT)
    assert read(source)["upward"] == [["ground", "roof"], ["window", "wall"]]


def test_the_picture_holds_every_room_and_arrow(tmp_path: Path) -> None:
    source = house(tmp_path, wall__brick="import made.house.ground.earth", ground__earth="", ground__cellar="import made.house.wall.brick")
    read(source, "--picture", str(tmp_path / "house.svg"))
    drawn = (tmp_path / "house.svg").read_text()
    assert all(f">{room}</text>" in drawn for room in ("wall", "ground"))
    assert (drawn.count("url(#down)"), drawn.count("url(#up)")) == (1, 1)


def test_inside_study_no_arrow_goes_up_and_there_is_no_circle() -> None:
    command = [sys.executable, "scripts/structure", "--json"]
    found = json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout)
    assert (found["upward"], found["room_circles"], found["module_circles"]) == ([], [], [])
