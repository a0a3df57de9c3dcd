"""The smallest build backend (PEP 517): the package, its name and its entry points in a wheel."""

import tomllib
from pathlib import Path
from zipfile import ZipFile

HERE = Path(__file__).parent


def build_wheel(wheel_directory: str, config_settings: object = None, metadata_directory: object = None) -> str:
    project = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]
    package = project["name"].replace("-", "_")
    info = f"{package}-{project['version']}.dist-info"
    groups = project["entry-points"].items()
    points = "\n".join(f"[{group}]\n" + "".join(f"{name} = {place}\n" for name, place in named.items()) for group, named in groups)
    texts = {
        **{f"{package}/{path.name}": path.read_text() for path in sorted((HERE / package).glob("*.py"))},
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: by hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": points,
    }
    texts[f"{info}/RECORD"] = "".join(f"{name},,\n" for name in [*texts, f"{info}/RECORD"])
    made = f"{package}-{project['version']}-py3-none-any.whl"
    with ZipFile(Path(wheel_directory, made), "w") as wheel:
        for name, text in texts.items():
            wheel.writestr(name, text)
    return made
