"""Files of other tools: drawn out, filled in as the tool exports, told; the estimate is that of the same answers told directly."""

import csv
import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fewlabels.study.study import Study
from tests.end_to_end.commands import Prepared, Result, fewlabels, ok
from tests.unit.study.made import TRUTH, batches_of, write_csv

BUDGET = 40
Answers = dict[str, str]
SAID = {"yes": "accept", "no": "reject", "skipped": "ignore"}


def table(rows: list[dict[str, Any]], delimiter: str = ",") -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, fieldnames=list(rows[0]), delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def lines(rows: list[Any]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def read_lines(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]


def read_table(text: str, delimiter: str = ",") -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text), delimiter=delimiter))


# ---------------------------------------------------------------- what each tool makes of a batch and of answers


def ground_truth(batch: str, answers: Answers, **more: Any) -> str:
    """After the sample of the AWS manual: the input's keys stay, the label attribute and its metadata join."""
    at = "2026-10-18T22:18:13.527256"
    said = {"confidence": 0.0, "type": "groundtruth/text-classification", "job-name": "labeling-job/mail", "human-annotated": "yes"}
    return lines(
        [
            {**row, "mail": 0, "mail-metadata": {**said, "class-name": answers[row["unit"]], "creation-date": at, **more}}
            for row in read_lines(batch)
        ]
    )  # fmt: skip


def label_studio(batch: str, answers: Answers, **more: Any) -> str:
    tasks = []
    for i, task in enumerate(json.loads(batch), start=1):
        answer = answers[task["data"]["unit"]]
        result = [{"from_name": "label", "to_name": "text", "type": "choices", "value": {"choices": [answer]}}]
        skipped = answer == "skipped"
        annotation = {
            "id": i, "completed_by": 3, "result": [] if skipped else result, "was_cancelled": skipped,
            "updated_at": "2026-11-15T22:24:49.459479Z", "parent_prediction": None, "prediction": {}, **more,
        }  # fmt: skip
        tasks.append({"id": i, "annotations": [annotation], "predictions": [], "data": task["data"], "meta": {}})
    return json.dumps(tasks)


def mturk(batch: str, answers: Answers, **more: Any) -> str:
    rows = read_table(batch)
    return table(
        [
            {
                "HITId": f"H{i}", "HITTypeId": "T", "AssignmentId": f"A{i}", "WorkerId": "W1", "AssignmentStatus": "Approved",
                "SubmitTime": "Sun Nov 15 10:00:00 PST 2026", **{f"Input.{k}": v for k, v in row.items()},
                "Answer.answer": answers[row["unit"].lstrip("'")], "Approve": "", "Reject": "", **more,
            }
            for i, row in enumerate(rows)
        ]
    )  # fmt: skip


def toloka(batch: str, answers: Answers, **more: Any) -> str:
    rows = read_table(batch, "\t")
    return table(
        [
            {
                **row, "OUTPUT:answer": answers[row["INPUT:unit"].lstrip("'")], "GOLDEN:answer": "", "HINT:text": "",
                "ASSIGNMENT:link": "https://example.com", "ASSIGNMENT:assignment_id": f"a{i}", "ASSIGNMENT:worker_id": "w1",
                "ASSIGNMENT:status": "APPROVED", "ASSIGNMENT:started": "2026-11-15T10:00:00.000", **more,
            }
            for i, row in enumerate(rows)
        ],
        "\t",
    )  # fmt: skip


def prodigy(batch: str, answers: Answers, **more: Any) -> str:
    made = []
    for row in read_lines(batch):
        answer = answers[row["meta"]["unit"]]
        row.pop("options")
        told = {"_input_hash": 1, "_task_hash": 2, "_view_id": "text", "_timestamp": 1707211049, "_annotator_id": "mail-ada"}
        made.append({**row, **told, "answer": SAID[answer], **more})
    return lines(made)


def doccano(batch: str, answers: Answers, **more: Any) -> str:
    rows = enumerate(read_lines(batch), start=1)
    return lines(
        [{"id": i, "text": row["text"], "unit": row["unit"], "label": [answers[row["unit"]]], "Comments": [], **more} for i, row in rows]
    )


def argilla(batch: str, answers: Answers, **more: Any) -> str:
    return lines(
        [
            {
                **row, "status": "completed", "_server_id": "e0ba74e8", "label.responses": [answers[row["id"]]],
                "label.responses.users": ["59f7bf7b"], "label.responses.status": ["submitted"], "label.suggestion": "no", **more,
            }
            for row in read_lines(batch)
        ]
    )  # fmt: skip


Fill = Callable[..., str]
TOOLS: dict[str, tuple[str, str, Fill]] = {
    "ground-truth": ("batch.manifest", "output.manifest", ground_truth),
    "label-studio": ("batch.json", "export.json", label_studio),
    "mturk": ("batch.csv", "results.csv", mturk),
    "toloka": ("batch.tsv", "results.tsv", toloka),
    "prodigy": ("batch.jsonl", "annotations.jsonl", prodigy),
    "doccano": ("batch.jsonl", "all.jsonl", doccano),
    "argilla": ("batch.jsonl", "records.jsonl", argilla),
}


@pytest.fixture
def folder(prepared: Prepared, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a planned study, to be in."""
    found = prepared("planned", plan)
    monkeypatch.chdir(found)
    return found


def plan() -> None:
    write_csv(Path("t.csv"))
    ok("plan", "t.csv", "--score", "score", "--threshold", "0.5", "--goal", "precision +-0.1", "--budget", BUDGET, "--study", "s")


def drawn(name: str) -> str:
    """A batch of everything, as that tool reads it."""
    ok("draw", "s", "--units", BUDGET, "--show", "text", "--format", name, "--out", TOOLS[name][0])
    return Path(TOOLS[name][0]).read_text()


def tell(name: str, text: str, *more: object) -> Result:
    Path(TOOLS[name][1]).write_text(text)
    return fewlabels("tell", "s", TOOLS[name][1], "--format", name, "--json", *more)


def answers_of() -> Answers:
    (batch,) = batches_of(Study.load("s"))
    return {unit: TRUTH[unit] for unit in batch} | {batch[0]: "skipped"}


@pytest.mark.parametrize("name", TOOLS)
def test_round_trip_gives_the_estimate_of_answers_told_directly(name: str, folder: Path) -> None:
    batch = drawn(name)
    answers = answers_of()
    shutil.copy("fewlabels.db", "twin.db")
    told = tell(name, TOOLS[name][2](batch, answers))
    assert told.code == 0, told
    assert (told.json["recorded"], told.json["refused"]) == (BUDGET, [])
    again = tell(name, TOOLS[name][2](batch, answers)).json
    assert (again["recorded"], again["known"]) == (0, BUDGET)
    study, twin = Study.load("s"), Study.load("s", ledger="sqlite:///twin.db")
    twin.tell(answers)
    assert study.estimate().estimates
    assert study.estimate().as_json() == twin.estimate().as_json()


@pytest.mark.parametrize("name", TOOLS)
def test_a_batch_holds_nothing_that_gives_the_answer_away(name: str, folder: Path) -> None:
    batch = drawn(name)
    for word in ("score", "pi", "band", "predicted"):
        assert f'"{word}"' not in batch
        assert word not in batch.splitlines()[0].replace("\t", ",").split(",")


@pytest.mark.parametrize("name", [name for name in TOOLS if name != "doccano"])
def test_the_format_is_seen_where_it_is_certain(name: str, folder: Path) -> None:
    batch = drawn(name)
    Path(TOOLS[name][1]).write_text(TOOLS[name][2](batch, answers_of()))
    told = ok("tell", "s", TOOLS[name][1])
    assert f"read as an export of {name}" in told.err


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "ground-truth": ({"human-annotated": "no"}, "a machine's label is not the truth"),
    "label-studio": ({"parent_prediction": 7}, "made from a machine's prediction"),
    "mturk": ({"AssignmentStatus": "Rejected"}, "the requester rejected the assignment"),
    "toloka": ({"ASSIGNMENT:status": "REJECTED"}, "the requester rejected the assignment"),
    "prodigy": ({"answer": "maybe"}, "'maybe'"),
    "doccano": ({"label": ["yes", "no"]}, "2 were chosen: yes, no"),
    "argilla": ({"label.responses.users": []}, "differ in length"),
}


@pytest.mark.parametrize("name", TOOLS)
def test_wrong_answers_are_listed_and_nothing_is_recorded_unless_they_are_left_out(name: str, folder: Path) -> None:
    batch = drawn(name)
    answers, fill = answers_of(), TOOLS[name][2]
    right, wrong = fill(batch, answers), fill(batch, answers, **WRONG[name][0])
    if name == "label-studio":
        mixed = json.dumps(json.loads(wrong)[:3] + json.loads(right)[3:])
    else:
        head = 1 if name in ("mturk", "toloka") else 0
        mixed = "\n".join(wrong.splitlines()[: 3 + head] + right.splitlines()[3 + head :]) + "\n"
    before = Study.load("s")._written
    refused = tell(name, mixed)
    assert refused.code == 5
    assert len(refused.json["refused"]) == 3
    assert all(WRONG[name][1] in one["why"] for one in refused.json["refused"])
    assert Study.load("s")._written == before
    left = tell(name, mixed, "--leave-out")
    assert left.code == 0
    assert (left.json["recorded"], len(left.json["refused"])) == (BUDGET - 3, 3)


def test_flat_files_leave_out_the_same_way(folder: Path) -> None:
    ok("draw", "s", "--units", 4, "--out", "b.csv")
    units = list(answers_of())
    Path("f.csv").write_text(f"unit,answer\n{units[0]},yes\n{units[1]},banana\nnobody,no\n{units[2]},\n")
    before = Study.load("s")._written
    assert "row 2" in fewlabels("tell", "s", "f.csv").err
    assert Study.load("s")._written == before
    found = ok("tell", "s", "f.csv", "--leave-out", "--json").json
    assert (found["recorded"], found["blank"]) == (1, 1)
    assert {one["unit"]: one["where"] for one in found["refused"]} == {units[1]: "row 2", "nobody": "row 3"}


def test_another_file_is_not_written_over(folder: Path) -> None:
    drawn("prodigy")
    ok("draw", "s", "--units", BUDGET, "--show", "text", "--format", "prodigy", "--out", "batch.jsonl")  # the same batch again
    Path("batch.jsonl").write_text("annotations")
    refused = fewlabels("draw", "s", "--show", "text", "--format", "prodigy", "--out", "batch.jsonl")
    assert refused.code == 5
    assert "exists and is not this batch" in refused.err
    assert Path("batch.jsonl").read_text() == "annotations"


def test_a_wrong_ending_is_refused_before_a_batch_is_recorded(folder: Path) -> None:
    before = Study.load("s")._written
    refused = fewlabels("draw", "s", "--format", "toloka", "--out", "batch.csv")
    assert refused.code == 5
    assert ".tsv" in refused.err
    assert Study.load("s")._written == before


def test_formulas_are_defused_on_the_way_out_and_ids_restored_on_the_way_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"=u{i},=SUM({i}),{(i % 10) / 10}\n" for i in range(40))
    Path("t.csv").write_text("id,text,score\n" + rows)
    ok("plan", "t.csv", "--score", "score", "--threshold", "0.5", "--goal", "precision +-0.2", "--budget", 20, "--study", "s")
    ok("draw", "s", "--units", 20, "--show", "text", "--format", "mturk", "--out", "batch.csv")
    batch = Path("batch.csv").read_text()
    assert all(cell.startswith("'=") for row in read_table(batch) for cell in row.values())
    Path("r.csv").write_text(mturk(batch, {f"=u{i}": "yes" for i in range(40)}))
    assert ok("tell", "s", "r.csv", "--format", "mturk", "--json").json["recorded"] == 20
