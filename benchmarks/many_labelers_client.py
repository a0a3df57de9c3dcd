"""One labeler at work over HTTP, in a process of its own that may be killed at any moment. Standard library only.

    python many_labelers_client.py URL TOKEN STUDY LOG SEED

Takes units, answers them, and writes to LOG, a JSON line each, what it was given and what was acknowledged, each only once the server's
answer is read. Now and then it sleeps longer than its lease, so that its units go to others. Ends when nothing waits any more.
"""

import hashlib
import http.client
import json
import random
import sys
import time
import urllib.parse
from typing import Any

QUESTION = "positive"
AWAY, AWAY_SECONDS = 0.02, 3.0  # how often a labeler leaves the desk, and for how long: longer than the lease


def answer_of(unit: str) -> str:
    """The same answer whoever looks: what is checked is where answers go, not what they say."""
    return "yes" if hashlib.md5(unit.encode(), usedforsecurity=False).digest()[0] < 80 else "no"


class Client:
    """Posts JSON until the server answers: it may be down, busy, or ask to wait."""

    def __init__(self, url: str, token: str, rng: random.Random) -> None:
        """Connects at the first post."""
        self._address = urllib.parse.urlsplit(url).netloc
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        self._connection: http.client.HTTPConnection | None = None
        self._rng = rng

    def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """The server's answer, however long it takes."""
        while True:
            try:
                self._connection = self._connection or http.client.HTTPConnection(self._address, timeout=60)
                self._connection.request("POST", path, json.dumps(body), self._headers)
                response = self._connection.getresponse()
                text = response.read()
            except (OSError, http.client.HTTPException):
                self._connection = None
                time.sleep(self._rng.uniform(0.1, 0.5))
                continue
            if response.status == 200:
                found: dict[str, Any] = json.loads(text)
                return found
            if response.status not in (429, 500, 502, 503):
                raise SystemExit(f"{path}: {response.status} {text[:500]!r}")
            time.sleep(self._rng.uniform(0.2, 0.6))


def work(client: Client, study: str, log: Any, rng: random.Random) -> None:
    """Labels until nothing waits."""
    base = f"/api/studies/{urllib.parse.quote(study)}"
    while True:
        asked = time.time()
        taken = client.post(f"{base}/turns", {"units": rng.randint(1, 20)})
        given = [[turn["unit"], turn["until"]] for turn in taken["turns"]]
        print(json.dumps({"given": given, "from": asked, "to": time.time()}), file=log, flush=True)
        if not taken["turns"]:
            if not taken["progress"]["waiting"] and taken["progress"]["resolved"] == taken["progress"]["planned"]:
                return
            time.sleep(rng.uniform(0.3, 0.9))
            continue
        time.sleep(AWAY_SECONDS if rng.random() < AWAY else 0.0)
        answers = [{"unit": t["unit"], "answers": {QUESTION: answer_of(t["unit"])}, "seconds": 0.1} for t in taken["turns"]]
        told = client.post(f"{base}/answers", {"answers": answers})
        print(json.dumps({"told": [[a["unit"], a["status"], a["why"]] for a in told["acknowledged"]]}), file=log, flush=True)


def main(url: str, token: str, study: str, path: str, seed: str) -> None:
    """Runs one labeler."""
    rng = random.Random(int(seed))
    with open(path, "a", encoding="utf-8") as log:
        work(Client(url, token, rng), study, log, rng)


if __name__ == "__main__":
    main(*sys.argv[1:])
