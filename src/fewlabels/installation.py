"""How to add an extra to the running installation of fewlabels: the one place that builds an installation command."""

import json
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from urllib.parse import unquote, urlsplit

NAME = "fewlabels"


def install_command(extra: str) -> str:
    """The command that installs an extra from the origin of this fewlabels: a folder, an archive, a repository or a package index.

    pip records the origin of packages that do not come from an index (PEP 610, direct_url.json); without that record the name suffices.
    """
    return f'pip install "{_requirement(_origin(), extra)}"'


def _origin() -> dict[str, object]:
    """The origin of the package as recorded by pip; empty for one from an index."""
    try:
        text = distribution(NAME).read_text("direct_url.json")
    except PackageNotFoundError:  # run from its source, without an installation
        return {"url": Path(__file__).parents[2].as_uri(), "dir_info": {}}
    return dict(json.loads(text)) if text else {}


def _requirement(origin: dict[str, object], extra: str) -> str:
    """The origin and the extra as a pip requirement."""
    url = str(origin.get("url", ""))
    if "dir_info" in origin:
        return f"{unquote(urlsplit(url).path)}[{extra}]"
    if isinstance(vcs := origin.get("vcs_info"), dict):
        return f"{NAME}[{extra}] @ {vcs['vcs']}+{url}@{vcs['commit_id']}"
    if "archive_info" in origin:
        return f"{NAME}[{extra}] @ {url}"
    return f"{NAME}[{extra}]"
