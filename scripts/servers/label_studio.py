"""Label Studio 1.23.2 on SQLite, headless, in a virtual environment of its own that pip makes at the first start and that is kept.

Nothing is sent to anybody: analytics, error reports and the version check are switched off. The data of an empty server is kept beside the
environment as well, because making its tables takes longer than all else; every start works on a copy.
"""

import os
import secrets
import shutil
import signal
import tempfile
from pathlib import Path

from servers.environments import installed, is_answering
from servers.processes import FOLDER, HOST, end, free_port, launch, save, wait_for

VERSION = "1.23.2"
PATIENCE = 400  # seconds until the first start has made its tables, on a busy machine


def home() -> Path:
    """Where the environment is, or will be."""
    return Path(os.environ.get("FEWLABELS_LABEL_STUDIO_VENV") or FOLDER / f"label-studio-{VERSION}").absolute()


def install() -> Path:
    """The program, installed if it is not there."""
    return installed(home(), "label-studio", f"label-studio=={VERSION}", size="1 GB")


def settings(data: Path, token: str, password: str) -> dict[str, str]:
    """The environment of the server."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "HOME", "TMPDIR") if name in os.environ}
    return kept | {
        "LABEL_STUDIO_BASE_DATA_DIR": str(data),
        "LABEL_STUDIO_USERNAME": "owner@example.com",
        "LABEL_STUDIO_PASSWORD": password,
        "LABEL_STUDIO_USER_TOKEN": token,
        "COLLECT_ANALYTICS": "false",
        "SENTRY_DSN": "",
        "FRONTEND_SENTRY_DSN": "",
        "LATEST_VERSION_CHECK": "false",
        "SSRF_PROTECTION_ENABLED": "false",  # else webhooks to 127.0.0.1 are refused
        "LABEL_STUDIO_DISABLE_SIGNUP_WITHOUT_LINK": "true",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def serve(state: dict, data: Path, token: str, password: str) -> tuple[str, dict]:
    """The address of a server on that data, and the server, once it answers."""
    port = free_port()
    url = f"http://{HOST}:{port}"
    command = [str(install()), "start", "--no-browser", "--internal-host", HOST, "--port", str(port), "--enable-legacy-api-token"]
    how = {"env": settings(data, token, password), "cwd": data, "family": True}
    server = launch(state, "label-studio", command, ends_by=signal.SIGTERM, **how)
    wait_for(server, lambda _: is_answering(url), PATIENCE)
    return url, server


def template(state: dict) -> Path:
    """The data of an empty server, made by one that is started and ended for it; with its token and password, for use on loopback."""
    made = home() / "template"
    if not (made / "token").exists():
        with tempfile.TemporaryDirectory(prefix="fewlabels-label-studio-", dir=home()) as folder:
            data = Path(folder) / "data"
            data.mkdir()
            token, password = secrets.token_hex(20), secrets.token_urlsafe(16)
            server = serve(state, data, token, password)[1]
            end(server)
            state["servers"].remove(server)
            save(state)
            (data / "password").write_text(password)
            (data / "token").write_text(token)
            shutil.rmtree(made, ignore_errors=True)
            data.rename(made)
    return made


def start(state: dict) -> None:
    """A server on a copy of the empty data, with the address and a legacy token for the tests."""
    install()
    empty = template(state)
    data = Path(tempfile.mkdtemp(prefix="fewlabels-label-studio-"))
    state["temporary"].append(str(data))
    save(state)
    shutil.copytree(empty, data, dirs_exist_ok=True)
    token, password = ((empty / name).read_text() for name in ("token", "password"))
    url, _ = serve(state, data, token, password)
    state["variables"] |= {"FEWLABELS_TEST_LABEL_STUDIO": url, "FEWLABELS_TEST_LABEL_STUDIO_TOKEN": token}
    save(state)
