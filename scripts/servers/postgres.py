"""PostgreSQL: Debian's package, with data in a temporary folder of its own."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

from servers.processes import HOST, Failed, free_port, launch, save, wait_for


def postgres_tool(name: str) -> str:
    """The path of one of PostgreSQL's programs, of the newest version installed."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda p: float(p.parent.name), reverse=True)
    found = shutil.which(name, path=os.pathsep.join([*map(str, folders), os.environ.get("PATH", "")]))
    if found is None:
        raise Failed(f"PostgreSQL's {name} is not installed: run scripts/install-debian")
    return found


def start(state: dict) -> None:
    """A server on data made for it. PostgreSQL refuses root, so for root it runs as the package's own user."""
    data = Path(tempfile.mkdtemp(prefix="fewlabels-postgres-"))
    state["temporary"].append(str(data))
    save(state)
    how: dict[str, object] = {"cwd": data, "env": {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C.UTF-8", "TZ": "UTC"}}
    if os.getuid() == 0:
        user = pwd.getpwnam("postgres")
        os.chown(data, user.pw_uid, user.pw_gid)
        how |= {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    made = [postgres_tool("initdb"), "-D", str(data / "data"), "-U", "fewlabels", "--auth=trust", "--encoding=UTF8", "--no-sync"]
    done = subprocess.run(made, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, **how)
    if done.returncode:
        raise Failed(f"initdb failed:\n{done.stdout}{done.stderr}")
    port = free_port()
    settings = {"listen_addresses": HOST, "port": port, "unix_socket_directories": data, "fsync": "off", "max_connections": 200}
    options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    server = launch(state, "postgres", [postgres_tool("postgres"), "-D", str(data / "data"), *options], ends_by=signal.SIGINT, **how)
    asked = [postgres_tool("pg_isready"), "-q", "-h", HOST, "-p", str(port)]
    wait_for(server, lambda _: subprocess.run(asked, check=False).returncode == 0)
    state["variables"]["FEWLABELS_TEST_POSTGRES"] = f"postgresql://fewlabels@{HOST}:{port}/postgres"
    save(state)
