"""The path through Label Studio: 200 units pushed, answered as people do, pulled; and the same answers told to a twin of the study.

The study comes from a recording of its ledger, so that the same units are pushed whatever the planner does in later versions.
"""

import json
import shutil
import urllib.request
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from fewlabels.ledgers.opening import open_ledger
from fewlabels.nouns.label import Label
from fewlabels.study.study import Study
from tests.end_to_end.commands import Result, fewlabels, ok
from tests.unit.study.made import batches_of, columns, write_csv

RECORDED = Path(__file__).parents[1] / "recorded" / "label_studio"
UNITS = 200
TABLE = columns(2_000, seed=11)
TRUTH = {unit: "yes" if y else "no" for unit, y in zip(TABLE["id"], TABLE["y"].tolist(), strict=True)}
# What people do with the units, in the order they were pushed; all others are answered.
SKIPPED, TWICE, TWO_MINDS, BANANA = range(10), range(10, 15), range(15, 20), range(20, 23)
EMPTY, PREDICTED, CANNOT_TELL = (23,), (24,), range(25, 30)
REFUSED = (*TWO_MINDS, *BANANA, *EMPTY, *PREDICTED)
STRANGE = 2  # annotations about a unit that was not drawn, and about none


def make_study(folder: Path) -> None:
    """The table and the recorded study, drawn and handed out, in that folder."""
    write_csv(folder / "t.csv", TABLE)
    entries = json.loads((RECORDED / "study.json").read_text().replace("FOLDER", str(folder)))
    ledger = open_ledger(f"sqlite:///{folder}/fewlabels.db")
    with ledger.writing("mail") as act:
        for entry in entries:
            act.append(entry["kind"], key=entry["key"], body=entry["body"])


def record_study(folder: Path) -> None:
    """Writes the recording of the study, from a new one."""
    write_csv(folder / "t.csv", TABLE)
    goals = ("--goal", "precision +-0.05", "--goal", "recall >= 0.5")
    ok("plan", "t.csv", "--score", "score", "--threshold", "0.5", *goals, "--budget", UNITS, "--study", "mail")
    study = Study.load("mail", ledger="sqlite:///fewlabels.db")
    study.ask(UNITS)
    entries = open_ledger("sqlite:///fewlabels.db").entries("mail")
    rows = [{"kind": entry.kind, "key": entry.key, "body": entry.body} for entry in entries]
    text = "[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n"
    (RECORDED / "study.json").write_text(text.replace(str(folder), "FOLDER"))


def batch_units() -> tuple[str, ...]:
    """The units in the order they are pushed."""
    (batch,) = batches_of(Study.load("mail", ledger="sqlite:///fewlabels.db"))
    assert len(batch) == UNITS
    return batch


class Hands:
    """People at Label Studio: what they do goes to the server itself."""

    def __init__(self, url: str, token: str) -> None:
        self.url, self._token = url, token
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def call(self, method: str, path: str, body: object = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Token {self._token}", "Content-Type": "application/json"}
        with self._opener.open(urllib.request.Request(self.url + path, data=data, headers=headers, method=method), timeout=120) as reply:
            content = reply.read()
        return json.loads(content) if content else None

    def choose(self, task: int, *answers: str, **more: object) -> None:
        """One annotation, as submitting it makes one."""
        results = [{"from_name": "question_1", "to_name": "shown_1", "type": "choices", "value": {"choices": [one]}} for one in answers]
        self.call("POST", f"/api/tasks/{task}/annotations/", {"result": results, "lead_time": 3.5, **more})

    def answer_all(self, project: int) -> None:
        """Every task answered, skipped, or answered wrongly; and two tasks that fewlabels did not push."""
        tasks = self.call("GET", f"/api/tasks?project={project}&page=1&page_size=1000")["tasks"]
        by_unit = {task["data"]["unit"]: task["id"] for task in tasks}
        assert len(by_unit) == UNITS
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda pair: self._answer(*pair), ((i, unit, by_unit[unit]) for i, unit in enumerate(batch_units()))))
        strange = [{"data": {"unit": "nobody", "text": "x"}}, {"data": {"text": "x"}}]
        for task in self.call("POST", f"/api/projects/{project}/import?return_task_ids=true", strange)["task_ids"]:
            self.choose(task, "yes")

    def _answer(self, i: int, unit: str, task: int) -> None:
        truth = TRUTH[unit]
        if i in SKIPPED:
            self.call("POST", f"/api/tasks/{task}/annotations/", {"result": [], "was_cancelled": True})
        elif i in (*TWICE, *TWO_MINDS):
            self.choose(task, truth)
            self.choose(task, truth if i in TWICE else "no" if truth == "yes" else "yes")
        elif i in BANANA:
            self.choose(task, "banana")
        elif i in EMPTY:
            self.choose(task)
        elif i in PREDICTED:
            result = {"from_name": "question_1", "to_name": "shown_1", "type": "choices", "value": {"choices": [truth]}}
            made = self.call("POST", "/api/predictions/", {"task": task, "result": [result], "model_version": "m", "score": 0.9})
            self.choose(task, truth, parent_prediction=made["id"])
        else:
            self.choose(task, "cannot_tell" if i in CANNOT_TELL else truth)


def told_directly(labeler: str) -> list[Label]:
    """The same answers without Label Studio, worked out from what the hands did."""
    said = {i: "skipped" for i in SKIPPED} | dict.fromkeys(CANNOT_TELL, "cannot_tell")
    units = batch_units()
    return [Label(unit=u, answer=said.get(i, TRUTH[u]), labeler=labeler, row=i) for i, u in enumerate(units) if i not in REFUSED]


def check_pulled(pulled: Result, *, again: bool) -> None:
    """Every sound answer was told once, every other one is listed with its reason."""
    assert pulled.code == 5, pulled
    told = pulled.json
    good = UNITS - len(REFUSED)
    assert (told["recorded"], told["known"]) == ((0, good) if again else (good, 0))
    units = batch_units()
    why: Mapping[str | None, set[str]] = {}
    why = {unit: {one["why"] for one in told["refused"] if one["unit"] == unit} for unit in {one["unit"] for one in told["refused"]}}
    assert set(why) == {*(units[i] for i in REFUSED), "nobody", None}
    for numbers, text in ((TWO_MINDS, "gave 2 answers"), (BANANA, "'banana'"), (EMPTY, "without an answer"), (PREDICTED, "prediction")):
        assert all(len(why[units[i]]) == 1 and text in min(why[units[i]]) for i in numbers), text
    assert "not drawn" in min(why["nobody"])
    assert len(told["refused"]) == len(REFUSED) + len(TWO_MINDS) + STRANGE


def walk(url: str, token_file: Path, *, hands: Hands | None) -> None:
    """Pushes, has people answer (if they are there), pulls, and compares with the twin. In the current folder, with the study in it."""
    server = ("--url", url, "--token-file", token_file)
    push = ("label-studio", "push", "mail", *server, "--units", UNITS, "--show", "text", "--json")
    first = ok(*push).json
    assert (first["units"], first["projects"][0]["added"]) == (UNITS, UNITS)
    second = ok(*push).json
    assert (second["projects"][0]["known"], second["projects"][0]["added"]) == (UNITS, 0)
    shutil.copy("fewlabels.db", "twin.db")
    if hands is not None:
        hands.answer_all(first["projects"][0]["project"])
    pull = ("label-studio", "pull", "mail", *server, "--json")
    check_pulled(fewlabels(*pull), again=False)
    check_pulled(fewlabels(*pull), again=True)
    study, twin = (Study.load("mail", ledger=f"sqlite:///{name}.db") for name in ("fewlabels", "twin"))
    labelers = {label.labeler for seats in study.standing.answers.values() for label in seats.values()}
    assert len(labelers) == 1
    twin.tell(told_directly(labelers.pop()))
    assert {u: {label.answer for label in seats.values()} for u, seats in study.standing.answers.items()} == {
        u: {label.answer for label in seats.values()} for u, seats in twin.standing.answers.items()
    }
    for one in (study, twin):
        one.close()
    assert study.estimate().as_json() == twin.estimate().as_json()
    assert study.estimate().estimates
