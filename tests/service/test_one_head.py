"""While people label, no two numbers of one page are of different states, and none goes back."""

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from fewlabels.service import api_overview
from fewlabels.service.api_studies import population_of
from fewlabels.service.requests import PopulationBody
from fewlabels.study.study import Study
from tests.service.workbench import Bench, make_bench

LABELERS, READS, FEW, BUDGET = 10, 200, 40, 120
NAMES = tuple(f"labeler {i}" for i in range(LABELERS))
KINDS = {"fixed": None, "online": "width"}
OF = re.compile(r"([\d,]+) of ([\d,]+)")


class Words(HTMLParser):
    """The text of a page, and what its elements carry: the words of each id, the cells of each row, and data."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text, self.rows, self.head = "", list[list[str]](), set[int]()
        self.inside = False  # a cell
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if "data-head" in found:
            self.head.add(int(found["data-head"] or 0))
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th") and self.rows:
            self.rows[-1].append("")
            self.inside = True

    def handle_data(self, data: str) -> None:
        self.text += data
        if self.inside:
            self.rows[-1][-1] += data

    def handle_endtag(self, tag: str) -> None:
        self.inside = self.inside and tag not in ("td", "th")


def number(text: str) -> int:
    return int(text.replace(",", ""))


def pairs(text: str) -> set[tuple[int, int]]:
    """Every "so many of so many" that a text says of planned units."""
    return {(number(a), number(b)) for a, b in re.findall(r"([\d,]+) of ([\d,]+) planned", text)}


def faults_of(page: str) -> list[str]:
    """What disagrees on a page of results."""
    words, found = Words(page), []
    progress = pairs(words.text)
    meter = re.search(r'<progress id="progress" value="(\d+)" max="(\d+)"', page)
    assert meter is not None
    progress.add((int(meter[1]), int(meter[2])))
    if len(progress) != 1:
        found.append(f"progress is said to be {sorted(progress)}")
    if len(words.head) != 1:
        found.append(f"parts of states {sorted(words.head)}")
    labels = next(iter(progress))[0]
    by_labeler = sum(number(row[1]) for row in words.rows if row and row[0] in NAMES)
    if by_labeler != labels:
        found.append(f"labelers have answered {by_labeler}, but {labels} units are resolved")
    return found + faults_of_numbers(words, labels)


def faults_of_numbers(words: Words, labels: int) -> list[str]:
    """What disagrees among the estimates: goals, metrics, matrix and the last point of the convergence."""
    rows = {row[0].strip(): [" ".join(cell.split()) for cell in row] for row in words.rows if row}
    goal = rows.get("accuracy +-0.02")
    if goal is None:
        return []
    found, metric = [], rows["accuracy"]
    if goal[2:4] != metric[1:3]:
        found.append(f"the goal says {goal[2:4]}, the metric {metric[1:3]}")
    used = number(goal[-1])
    if used > labels:
        found.append(f"{used} labels used, {labels} resolved")
    labeled = sum(number(n) for n in re.findall(r"([\d,]+) labeled", words.text))
    if labeled != used:
        found.append(f"the matrix has {labeled} labels, the goal {used}")
    points = re.search(r'"points": (\[.*?\])', words.text)
    if points is None or f'"labels": {used}' not in points[1].rpartition("{")[2]:
        found.append("the last point of the convergence has other labels")
    return found


@pytest.fixture(params=sorted(KINDS))
def working(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Bench, str]:
    """A workbench with one planned study and ten labelers."""
    bench, kind = make_bench(tmp_path), str(request.param)
    held = bench.app.state.bench
    body = PopulationBody(source="scored.parquet", score="score", threshold=0.5, slices=["country"])
    study = Study.create(kind, population_of(body, held.settings), goals=["accuracy +-0.02"], ledger=held.ledger)
    study.plan(BUDGET, stopping=KINDS[kind])
    for name in NAMES:
        bench.people.add(name)
        bench.people.set_role(name, kind, "labeler")
    return bench, kind


@contextmanager
def labeling(clients: list[TestClient], study: str) -> Iterator[Callable[[int], None]]:
    """Ten people who answer through the API: a function that lets so many more answers come while the page is read."""
    over, wrong, may = threading.Event(), list[str](), threading.Semaphore(0)

    def label(client: TestClient) -> None:
        while may.acquire() and not over.is_set():
            turns = client.post(f"/api/studies/{study}/turns", json={"units": 1})
            if turns.status_code != 200 or not turns.json()["turns"]:
                wrong.extend([turns.text] if turns.status_code != 200 else [])
                return
            unit = turns.json()["turns"][0]["unit"]
            told = {"unit": unit, "answers": {"positive": "yes" if int(unit[1:]) % 3 else "no"}}
            answer = client.post(f"/api/studies/{study}/answers", json={"answers": [told]})
            if answer.status_code != 200 or answer.json()["acknowledged"][0]["status"] != "recorded":
                wrong.append(answer.text)

    threads = [threading.Thread(target=label, args=(client,)) for client in clients]
    for one in threads:
        one.start()

    try:
        yield lambda answers: may.release(answers) if answers else None
    finally:
        over.set()
        may.release(len(threads))
        for one in threads:
            one.join()
    assert wrong == []


def listed(page: str, study: str) -> int:
    """What the list of studies says of a study; fails if its words and its meter disagree."""
    card = re.search(rf'<article[^>]*data-name="{study}".*?</article>', page, re.DOTALL)
    assert card is not None
    said = {(number(a), number(b)) for a, b in OF.findall(card[0])}
    assert len(said) == 1, said
    return said.pop()[0]


def overview(page: str) -> int:
    """What the overview of a study says; fails if two of its numbers disagree."""
    said = {pair[0] for pair in pairs(Words(page).text.replace("\n", " "))}
    said |= {number(n) for n in re.findall(r"<div><b>([\d,]+)</b><span>(?:of [\d,]+ planned|answers in the last hour)", page)}
    by_labeler = [number(n) for n in re.findall(r'</bdi><span class="number">([\d,]+)</span>', page)]
    said |= {sum(by_labeler)} if len(by_labeler) == LABELERS else set()  # the page lists the first eight
    assert len(said) == 1, said
    return said.pop()


def check_pages(bench: Bench, study: str, *, reads: int) -> None:
    """Fail if two numbers of a page disagree, or one goes back, while ten people label and pages are read so often."""
    owner, clients = bench.browser(), [bench.program(name) for name in NAMES]
    seen, heads = [0], [0]
    with labeling(clients, study) as more:
        for i in range(reads):
            more(i % 2)
            if i % 4 == 1:
                done = listed(owner.get("/").text, study)
            elif i % 4 == 3:
                done = overview(owner.get(f"/studies/{study}").text)
            else:
                page = owner.get(f"/studies/{study}/results" if i % 4 else f"/studies/{study}/results/numbers")
                assert page.status_code == 200, page.text
                assert faults_of(page.text) == []
                done = next(iter(pairs(Words(page.text).text)))[0]
                heads.append(next(iter(Words(page.text).head)))
            seen.append(done)
    assert seen == sorted(seen), "what was resolved stays resolved"
    assert heads == sorted(heads)
    assert seen[-1] >= min(BUDGET / 2, reads / 4)
    assert len(set(heads)) > reads / 10, "nobody labeled meanwhile: the test says nothing"


def test_no_two_numbers_of_a_page_disagree_and_none_goes_back(working: tuple[Bench, str]) -> None:
    bench, study = working
    check_pages(bench, study, reads=READS if study == "fixed" else FEW)


@pytest.mark.slow
def test_none_goes_back_on_200_pages(working: tuple[Bench, str]) -> None:
    check_pages(*working, reads=READS)


def test_the_api_gives_one_state(working: tuple[Bench, str]) -> None:
    bench, study = working
    viewer, clients = bench.program(), [bench.program(name) for name in NAMES[:3]]
    with labeling(clients, study) as more:
        for _ in range(10):
            more(5)
            found = viewer.get(f"/api/studies/{study}/results").json()
            assert found["status"]["progress"] == found["estimate"]["progress"]
            assert sum(one["units"] for one in found["labelers"]["labelers"]) == found["status"]["progress"]["labels"]
            if found["decision"] is not None and found["running"] is not None:
                assert found["decision"]["outcome"] == found["running"]["outcome"]
                assert found["decision"]["goals"][0]["estimate"]["value"] == found["estimate"]["estimates"][0]["value"]


def test_the_check_of_pages_finds_numbers_of_two_states(working: tuple[Bench, str]) -> None:
    """The twin: a page put together from two states is found."""
    bench, study = working
    owner, one = bench.browser(), bench.program(NAMES[0])
    before = owner.get(f"/studies/{study}/results/numbers").text
    [given] = one.post(f"/api/studies/{study}/turns", json={"units": 1}).json()["turns"]
    one.post(f"/api/studies/{study}/answers", json={"answers": [{"unit": given["unit"], "answers": {"positive": "yes"}}]})
    after = owner.get(f"/studies/{study}/results/numbers").text
    assert faults_of(before) == faults_of(after) == []
    mixed = before.partition('<section aria-labelledby="labelers-heading"')[0] + "".join(
        after.partition('<section aria-labelledby="labelers-heading"')[1:]
    )
    assert len(faults_of(mixed)) == 2


def finish(bench: Bench, name: str) -> None:
    study = bench.study(name)
    while batch := study.ask(1_000):
        study.tell({unit: "yes" if int(unit[1:]) % 3 else "no" for unit in batch.units})


@pytest.mark.parametrize("part", ["slices?metric=precision&by=country&", "thresholds?"])
def test_a_part_of_another_state_is_not_given(bench: Bench, part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    finish(bench, "alpha")
    viewer = bench.browser("vic")
    head = viewer.get("/api/studies/alpha/results").json()["head"]
    assert viewer.get(f"/studies/alpha/results/{part}head={head}").status_code == 200
    assert viewer.get("/api/studies/alpha/results").json()["head"] == head, "a look does not move it"
    refused = viewer.get(f"/api/studies/alpha/{part}head={head - 1}")
    assert refused.status_code == 412
    assert "read the page again" in refused.json()["error"]
    assert viewer.get(f"/studies/alpha/results/{part}head={head - 1}").status_code == 412
    grown: Any = api_overview._require

    def grows(study: Study, wanted: int | None) -> None:
        grown(study, wanted)
        unit = next(iter(study.standing.answers))
        study.tell({unit: "cannot_tell"}, correct=True)

    monkeypatch.setattr(api_overview, "_require", grows)
    assert viewer.get(f"/api/studies/alpha/{part}head={head}").status_code == 412, "it went on while the part was computed"
