"""The main path and the workbench's outer gate with the lowest versions that are allowed; run by `scripts/lowest`, with no test package.

python tests/lowest_versions.py COMMAND        COMMAND is the fewlabels of that environment
"""

import json
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

GOALS = ("--goal", "precision >= 0.7", "--goal", "recall >= 0.6")
PATH = (
    ("demo", "."),
    ("plan", "scored.parquet", "--score", "score", "--threshold", "0.5", *GOALS, "--study", "mail", "--budget", "200"),
    ("sheet", "mail", "--show", "text", "--ask", "Is it spam?"),
    ("draw", "mail", "--units", "200", "--show", "text", "--out", "batch.csv"),
    ("tell", "mail", "answers.csv", "--drawn-only"),
    ("estimate", "mail"),
    ("decide", "mail"),
    ("report", "mail", "--out", "report.html"),
    ("verify", "mail", "--population"),
)
HOSTS = ("{}", "{}/enter?", "{}/static/", "{}/enter#", "{}@{}/enter?", "{}\\enter?")  # all but the first pretend another path


def answered(host: str, port: int, path: str, *, header: str) -> tuple[int, bytes]:
    """The code and the whole of what a server answers to a request with that Host header."""
    with socket.create_connection((host, port), timeout=30) as one:
        one.sendall(f"GET {path} HTTP/1.1\r\nHost: {header}\r\nConnection: close\r\n\r\n".encode())
        said = b"".join(iter(lambda: one.recv(65_536), b""))
    return int(said.split(b" ", 2)[1]), said


def main() -> None:
    """Run the path, then knock at the gate."""
    command = str(Path(sys.argv[1]).absolute())
    with tempfile.TemporaryDirectory() as folder:
        for step in PATH:
            subprocess.run([command, *step], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        with subprocess.Popen([command, "serve", "--port", "0", "--json"], cwd=folder, stdout=subprocess.PIPE, text=True) as server:
            try:
                assert server.stdout is not None
                told = json.loads(server.stdout.readline())
                place = urlsplit(told["url"])
                host, port = str(place.hostname), int(place.port or 0)
                assert answered(host, port, told["link"].partition(place.netloc)[2], header=place.netloc)[0] == 200
                for path in ("/api/studies", "/api/studies/mail/audit", "/studies/mail/audit", "/people", "/api/people", "/no-such-page"):
                    for pretended in HOSTS:
                        code, said = answered(host, port, path, header=pretended.format(place.netloc, place.netloc))
                        assert code in (303, 400, 401, 421), (path, pretended, code)
                        assert b"mail" not in said.partition(b"\r\n\r\n")[2], (path, pretended, said)
            finally:
                server.terminate()
        assert server.returncode == 0
    print("the main path, and the gate of the workbench, hold with the lowest versions")


if __name__ == "__main__":
    main()
