"""An environment of its own for every package, made once and kept."""

import json
import subprocess
import sys
from pathlib import Path

from benchmarks.peers.packages import Package


def environment(package: Package, folder: Path) -> Path:
    """The Python of a package's environment, made if it is missing; pip's own words are raised if it cannot be."""
    home = folder / package.name
    made = home / "versions.json"
    if not made.exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(home)], check=True)
        _pip(home, "install", "--quiet", *package.requirements)
        if package.alone:
            _pip(home, "install", "--quiet", "--no-deps", package.alone)
        listed = json.loads(_pip(home, "list", "--format=json"))
        made.write_text(json.dumps({one["name"]: one["version"] for one in listed}, indent=1))
    return home / "bin/python"


def _pip(home: Path, *argv: str) -> str:
    told = subprocess.run([str(home / "bin/python"), "-m", "pip", *argv], capture_output=True, text=True, check=False)
    if told.returncode:
        raise RuntimeError(f"pip {' '.join(argv)} failed in {home}: {told.stderr[-500:]}")
    return told.stdout


def versions(package: Package, folder: Path) -> dict[str, str]:
    """What is installed beside a package, by name."""
    found: dict[str, str] = json.loads((folder / package.name / "versions.json").read_text())
    return {name.lower().replace("_", "-"): version for name, version in found.items()}
