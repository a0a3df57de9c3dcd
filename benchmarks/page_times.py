"""How long the pages of the workbench take at 10,000 labels, against a bare page of the same server, side by side in one run.

    python -m benchmarks.page_times --labels 10000 --runs 20        (make page-times)

Medians. A page is asked for once before it is timed; then every page in turn, so that a slow moment of the machine hits all alike. Ends
with 1 if a page takes more than 300 ms or more than ten times the bare one.
"""

import argparse
import http.client
import statistics
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import urlencode

from fewlabels.study.population.read import read_population
from fewlabels.study.study import Study
from tests.service.browsing import Server, serving
from tests.service.stories import write_messages

MOST_SECONDS, MOST_TIMES = 0.3, 10.0
BARE = "/enter"
PAGES = (
    "/", "/studies/new", "/people", "/studies/large", "/studies/large/glance", "/studies/large/plan", "/studies/large/label",
    "/studies/large/results", "/studies/large/results/numbers", "/studies/large/answers", "/studies/large/people",
    "/studies/large/notes", "/studies/large/audit",
)  # fmt: skip


def large(server: Server, labels: int) -> Study:
    """A study of so many labels, with its numbers shown once."""
    says = write_messages(server, units=3 * labels)
    population = read_population(str(server.folder / "messages.parquet"), score="score", threshold=0.5, slices=["country", "device"])
    study = Study.create("large", population, goals=["precision >= 0.6", "recall >= 0.5"], ledger=server.ledger)
    study.plan(labels)
    while batch := study.ask(2_000):
        study.tell([{"unit": unit, "answer": says[unit], "labeler": f"labeler {i % 7}"} for i, unit in enumerate(batch.units)])
    study.decide()
    return study


class Browser:
    """One connection of somebody who has signed in."""

    def __init__(self, port: int, key: str) -> None:
        """Sign in by a link's key."""
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        self._connection.request("POST", "/enter", urlencode({"key": key}), {"Content-Type": "application/x-www-form-urlencoded"})
        answer = self._connection.getresponse()
        answer.read()
        self._cookie = answer.headers["set-cookie"].partition(";")[0]

    def get(self, page: str) -> int:
        """Read a page to its end; return its status."""
        self._connection.request("GET", page, headers={"Cookie": self._cookie})
        answer = self._connection.getresponse()
        answer.read()
        return answer.status


def measured(client: Browser, runs: int) -> dict[str, float]:
    """The median seconds of each page; pages that this version does not have are left out."""
    there = [page for page in (BARE, *PAGES) if client.get(page) == 200]
    took: dict[str, list[float]] = {page: [] for page in there}
    for _ in range(runs):
        for page in there:
            start = time.perf_counter()
            client.get(page)
            took[page].append(time.perf_counter() - start)
    return {page: statistics.median(times) for page, times in took.items()}


def main() -> None:
    """Measure, and say so."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--labels", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=20)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as server:
        large(server, given.labels)
        granted = server.people.owner_link(600)
        found = measured(Browser(server.port, granted.secret), given.runs)
    bare, slow = found.pop(BARE), []
    print(f"{given.labels:,} labels, medians of {given.runs}; a bare page takes {1000 * bare:.1f} ms")
    for page, seconds in found.items():
        print(f"{page:32} {1000 * seconds:7.1f} ms {seconds / bare:6.1f} times")
        slow += [page] if seconds > MOST_SECONDS or seconds > MOST_TIMES * bare else []
    sys.exit(f"too slow: {', '.join(slow)}" if slow else 0)


if __name__ == "__main__":
    main()
