"""The command line: every command, its help, its JSON, its refusals, and the whole path on the demo."""

import csv
import json
import os
import pty
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from fewlabels.cli.main import COMMANDS, GROUPS, REFUSED
from fewlabels.nouns.metrics import METRICS
from tests.end_to_end.commands import PROGRAM, Prepared, environment, fewlabels, ok, real
from tests.unit.study.made import TRUTH, columns, write_csv

BUDGET = 40
SMALL = ("--score", "score", "--threshold", "0.5")
GOALS = ("--goal", "precision +-0.1", "--goal", "recall >= 0.5")
HIDDEN = ("score", "prediction", "predicted", "pi", "band", "round", "guide", "number", "pattern", "y")


def write_tables() -> None:
    write_csv(Path("t.csv"))
    Path("answers.csv").write_text("unit,answer\n" + "".join(f"{u},{a}\n" for u, a in TRUTH.items()))


def plan() -> None:
    write_tables()
    ok("plan", "t.csv", *SMALL, *GOALS, "--budget", BUDGET, "--study", "s")


def plan_and_tell() -> None:
    plan()
    ok("draw", "s", "--units", BUDGET, "--out", "batch.csv")
    ok("tell", "s", "answers.csv", "--drawn-only")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a small table, to be in."""
    monkeypatch.chdir(tmp_path)
    write_tables()
    return tmp_path


@pytest.fixture
def planned(prepared: Prepared, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same with a study s."""
    folder = prepared("planned", plan)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def told(prepared: Prepared, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same with every answer."""
    folder = prepared("told", plan_and_tell)
    monkeypatch.chdir(folder)
    return folder


def entries(folder: Path) -> list[tuple[object, ...]]:
    with sqlite3.connect(folder / "fewlabels.db") as connection:
        found = connection.execute("select * from entry order by study, serial").fetchall()
    connection.close()
    return found


# ---------------------------------------------------------------- help


@pytest.mark.parametrize("command", [*COMMANDS, *GROUPS])
@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_every_command_has_help_with_an_example(command: str, flag: str) -> None:
    found = ok(command, flag)
    _, *examples = re.split(r"Examples?:", found.out)
    assert len(examples) == 1
    assert f"fewlabels {command}" in examples[0]
    assert "--json" in found.out
    assert found.err == ""


def test_help_is_quick_because_it_imports_nothing_heavy() -> None:
    program = (
        "import sys\nfrom fewlabels.cli.main import main\ntry: main()\nexcept SystemExit as e: assert not e.code\n"
        "heavy = {'numpy', 'scipy', 'duckdb', 'sqlalchemy', 'alembic', 'pandas'} & set(sys.modules); assert not heavy, heavy"
    )
    assert real("--help", program=program).code == 0


def test_version() -> None:
    assert re.fullmatch(r"fewlabels, version \d+\.\d+\.\d+\n", ok("--version").out)


def test_without_a_command_help_is_shown_and_the_call_is_wrong() -> None:
    found = fewlabels()
    assert found.code == 2
    assert "Usage: fewlabels" in found.err + found.out


# ---------------------------------------------------------------- the whole path


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("demo")
    ok("demo", made / "d")
    return made


def test_the_whole_path_on_the_demo(demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    table = demo / "d" / "scored.parquet"
    doctor = ok("doctor", table, *SMALL)
    assert "50,000 units" in doctor.out
    assert "nothing blocks" in doctor.err
    plan = ok("plan", table, *SMALL, "--goal", "precision +-0.05", "--goal", "recall >= 0.6", "--budget", 120, "--study", "demo")
    assert "what a budget of 120 should show" in plan.out
    assert "plan 1 of study demo is locked: 120 labels" in plan.err
    assert "0 of 120 planned units resolved" in ok("status", "demo").out
    seen: set[str] = set()
    for number in (1, 2, 3):
        draw = ok("draw", "demo", "--units", 40, "--show", "text", "--out", "batch.csv")
        assert draw.out == ""
        assert f"batch {number}: 40 units to label in batch.csv" in draw.err
        with (tmp_path / "batch.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        assert list(rows[0]) == ["unit", "text", "answer"]
        assert all(row["text"].startswith("made-up message") and row["answer"] == "" for row in rows)
        assert not seen & {row["unit"] for row in rows}
        seen |= {row["unit"] for row in rows}
        assert "no interval before the last one" in ok("estimate", "demo").out
        assert "no decision before the last one" in ok("decide", "demo").out
        if number < 3:
            fill_in_and_tell(demo, rows)
    assert ok("tell", "demo", demo / "d" / "answers.csv", "--drawn-only", "--labeler", "ada").out.startswith("40 recorded, 80 known")
    assert "120 of 120 planned units resolved" in ok("status", "demo").out
    estimate = ok("estimate", "demo")
    assert "precision " in estimate.out
    assert "level 0.95; one look, when all labels are in" in estimate.out
    decide = ok("decide", "demo")
    assert decide.out.startswith(("SHIP", "DO NOT SHIP", "LABEL MORE"))
    verify = ok("verify", "demo", "--population")
    assert "everything matches" in verify.out
    nothing = ok("draw", "demo")
    assert nothing.out == ""
    assert "every planned unit is handed out and answered" in nothing.err


def fill_in_and_tell(demo: Path, rows: list[dict[str, str]]) -> None:
    """The batch as a person would fill it in."""
    with (demo / "d" / "answers.csv").open(newline="") as file:
        truth = {row["unit"]: row["answer"] for row in csv.DictReader(file)}
    with Path("filled.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, ["unit", "text", "answer"])
        writer.writeheader()
        writer.writerows({**row, "answer": truth[row["unit"]]} for row in rows)
    assert ok("tell", "demo", "filled.csv", "--labeler", "ada").out == "40 recorded\n"
    assert ok("tell", "demo", "filled.csv", "--labeler", "ada").out == "40 known\n"


def test_the_demo_is_the_same_every_time(demo: Path, tmp_path: Path) -> None:
    ok("demo", tmp_path)
    assert (tmp_path / "answers.csv").read_bytes() == (demo / "d" / "answers.csv").read_bytes()


# ---------------------------------------------------------------- JSON


def test_json_is_one_object_and_nothing_else(folder: Path) -> None:
    """Every command of the path, in its order; `Result.json` fails on anything beside the object."""
    assert set(ok("demo", "d", "--json").json) == {"population", "answers", "units"}
    assert ok("doctor", "t.csv", *SMALL, "--json").json["passed"] is True
    plan = ok("plan", "t.csv", *SMALL, *GOALS, "--budget", BUDGET, "--study", "s", "--json").json
    assert plan["plan"]["budget"] == BUDGET
    assert [goal["goal"] for goal in plan["goals"]] == ["precision +-0.1", "recall >= 0.5"]
    assert ok("plan", "t.csv", *SMALL, *GOALS, "--json").json["plan"] is None
    draw = ok("draw", "s", "--units", 30, "--out", "b.csv", "--json").json
    assert set(draw) == {"study", "batch", "units", "out", "second", "second_open"}
    assert len(draw["units"]) == 30
    assert ok("status", "s", "--json").json["progress"]["asked"] == 30
    assert ok("estimate", "s", "--json").json["estimates"] == []
    assert ok("decide", "s", "--json").json["decision"] is None
    peek = ok("estimate", "s", "--json")
    assert peek.json["certified"] is False
    tell = ok("tell", "s", "answers.csv", "--drawn-only", "--json").json
    assert (tell["recorded"], tell["undrawn"], tell["blank"], tell["progress"]["complete"]) == (BUDGET, 400 - BUDGET, 0, True)
    estimate = ok("estimate", "s", "--json").json
    assert estimate["certified"] is True
    assert {e["metric"] for e in estimate["estimates"]} == set(METRICS)
    for e in estimate["estimates"]:
        assert {"value", "low", "high", "half_width", "level", "n_eff", "labels", "design_effect", "planned", "why"} <= set(e)
        assert e["value"] is not None or e["why"]
    assert ok("decide", "s", "--json").json["decision"]["outcome"] in ("ship", "do not ship", "label more")
    assert ok("verify", "s", "--population", "--json").json["passed"] is True
    dry = ok("draw", "s", "--json").json
    assert {name: dry[name] for name in ("study", "batch", "units", "out", "second_open")} == {
        "study": "s", "batch": None, "units": [], "out": None, "second_open": 0,
    }  # fmt: skip


SIMULATED = {
    "classifier": str,
    "metric": str,
    "design": str,
    "interval": str,
    "labels": int,
    "reps": int,
    "truth": float,
    "mean": float,
    "rmse": float,
    "coverage": float,
    "half_width": float,
    "labels_used": int,
}


def test_simulate_has_the_promised_fields(folder: Path) -> None:
    options = ("--truth", "y", "--metric", "recall", "--metric", "f1", "--labels", 40, "--labels", 500, "--reps", 25, "--json")
    found = ok("simulate", "t.csv", "--classifier", "gbm=score@0.5", "--classifier", "low=score@0.2", *options).json
    assert len(found["cells"]) == 2 * 2 * 2 * 2
    for cell in found["cells"]:
        for name, kind in SIMULATED.items():
            assert type(cell[name]) is kind, name
        assert cell["reps"] == 25
        assert cell["labels_used"] == min(cell["labels"], 400)
        assert 0 <= cell["coverage"] <= 1
        if cell["labels_used"] == 400:  # a census
            assert cell["rmse"] < 1e-9
            assert cell["coverage"] == 1
    assert found == ok("simulate", "t.csv", "--classifier", "gbm=score@0.5", "--classifier", "low=score@0.2", *options).json
    other = ok("simulate", "t.csv", *SMALL, "--truth", "y", "--reps", 25, "--labels", 40, "--seed", 43, "--json").json
    assert [c["mean"] for c in other["cells"]] != [c["mean"] for c in found["cells"]][: len(other["cells"])]


def test_simulate_for_people(folder: Path) -> None:
    found = ok("simulate", "t.csv", *SMALL, "--truth", "y", "--reps", 5, "--labels", 40, "--interval", "wald")
    assert found.out.split()[:4] == ["classifier", "metric", "design", "labels"]
    assert len(found.out.splitlines()) == 7
    assert found.err.startswith("note: wald is a baseline")


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    "args",
    [
        ("nonsense",),
        ("draw",),
        ("draw", "s", "--units", "0"),
        ("draw", "s", "--units", "many"),
        ("draw", "s", "--nonsense"),
        ("plan", "t.csv", *SMALL),
        ("plan", "t.csv", "--goal", "recall >= 0.5"),
        ("plan", "t.csv", *SMALL, *GOALS, "--budget", "0"),
        ("plan", "t.csv", *SMALL, *GOALS, "--design", "clever"),
        ("simulate", "t.csv", *SMALL),
        ("simulate", "t.csv", *SMALL, "--truth", "y", "--reps", "0"),
        ("tell", "s"),
        ("demo", "t.csv"),
    ],
    ids=" ".join,
)
def test_a_wrong_call_ends_with_2(planned: Path, args: tuple[str, ...]) -> None:
    found = fewlabels(*args)
    assert found.code == 2, found
    assert found.out == ""
    assert "Error: " in found.err


REFUSALS = [
    ("doctor", "none.csv", *SMALL),
    ("doctor", "t.csv", "--score", "scores", "--threshold", "0.5"),
    ("doctor", "t.csv", "--classifier", "gbm"),
    ("doctor", "t.csv", "--score", "text", "--threshold", "0.5"),
    ("plan", "t.csv", *SMALL, "--goal", "goodness >= 0.9"),
    ("plan", "t.csv", *SMALL, "--goal", "recall >= 0.9", "--level", "2"),
    ("plan", "t.csv", *SMALL, *GOALS, "--budget", "401", "--study", "big"),
    ("plan", "t.csv", *SMALL, *GOALS, "--budget", "20", "--study", "s"),
    ("plan", "t.csv", *SMALL, "--goal", "f1 +-0.1", "--budget", "50", "--study", "s"),
    ("plan", "t.csv", *SMALL, *GOALS, "--budget", "50", "--study", "s", "--ledger", "sqlite:///no/such/folder.db"),
    ("draw", "nobody"),
    ("draw", "s", "--ledger", "sqlite:///none.db"),
    ("draw", "s", "--ledger", "mysql://x"),
    ("draw", "s", "--ledger", "sqlite:///t.csv"),
    ("draw", "s", "--out", "b.xlsx"),
    ("draw", "s", "--out", "no/such/folder.csv"),
    ("draw", "s", "--show", "nothing"),
    ("draw", "s", "--show", "score"),
    ("draw", "s", "--show", "Score"),
    ("draw", "s", "--show", "text", "--show", "score"),
    ("tell", "s", "none.csv"),
    ("tell", "s", "answers.csv"),
    ("tell", "s", "t.csv"),
    ("status", "nobody"),
    ("estimate", "nobody"),
    ("estimate", "s", "--peek"),
    ("decide", "nobody"),
    ("verify", "nobody"),
    ("simulate", "t.csv", *SMALL, "--truth", "nothing"),
    ("simulate", "t.csv", *SMALL, "--truth", "text"),
    ("simulate", "t.csv", *SMALL, "--truth", "y", "--metric", "goodness"),
    ("simulate", "t.csv", *SMALL, "--truth", "y", "--level", "2"),
]


@pytest.mark.parametrize("args", REFUSALS, ids=" ".join)
def test_a_refusal_ends_with_5_and_says_why(planned: Path, args: tuple[str, ...]) -> None:
    found = fewlabels(*args)
    assert found.code == REFUSED == 5, found
    assert found.out == ""
    assert re.match(r"[A-Z][A-Za-z]+Error: ", found.err)
    with_json = fewlabels(*args, "--json")
    assert with_json.code == 5
    error = with_json.json["error"]
    assert error["kind"].endswith("Error")
    assert error["message"] in found.err


def test_what_blocks_a_table_ends_with_5(folder: Path) -> None:
    Path("bad.csv").write_text("id,score\n1,0.5\n1,2.5\n")
    found = fewlabels("doctor", "bad.csv", *SMALL)
    assert found.code == 5
    assert found.out.count("blocks: ") == 2
    shown = fewlabels("doctor", "bad.csv", *SMALL, "--json")
    assert shown.code == 5
    assert shown.json["passed"] is False
    assert len(shown.json["problems"]) == 2


def test_a_changed_ledger_ends_with_5_and_names_the_entry(told: Path) -> None:
    with sqlite3.connect("fewlabels.db") as connection:
        connection.execute("update entry set body = replace(body, '\"yes\"', '\"no\"') where kind = 'answer'")
    connection.close()
    found = fewlabels("verify", "s")
    assert found.code == 5
    assert "DOES NOT MATCH: entry" in found.out
    shown = fewlabels("verify", "s", "--json")
    assert shown.code == 5
    assert shown.json["passed"] is False


def test_a_changed_table_is_refused(planned: Path) -> None:
    write_csv(planned / "t.csv", columns(399))
    found = fewlabels("draw", "s")
    assert found.code == 5
    assert found.err.startswith("FingerprintError: ")


def test_a_crash_is_told_in_one_line_and_ends_with_1(planned: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fewlabels.study.study.Study.status", lambda self: 1 / 0)
    found = fewlabels("status", "s", "--json")
    assert found.code == 1
    assert found.json["error"]["kind"] == "crash"
    assert "FEWLABELS_DEBUG=1" in found.err


def test_a_refused_file_records_nothing(planned: Path) -> None:
    ok("draw", "s", "--units", 10, "--out", "batch.csv")
    before = entries(planned)
    unit = Path("batch.csv").read_text().splitlines()[1].split(",")[0]
    for content in (f"unit,answer\n{unit},yes\nnobody,yes\n", f"unit,answer\n{unit},yes\n{unit},no\n", f"unit,answer\n{unit},maybe\n"):
        Path("bad.csv").write_text(content)
        assert fewlabels("tell", "s", "bad.csv").code == 5
    Path("bad.csv").write_bytes(b"unit,answer\n\xff,yes\n")
    assert fewlabels("tell", "s", "bad.csv").code == 5
    assert entries(planned) == before


# ---------------------------------------------------------------- what labelers see


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".json"])
def test_a_batch_never_tells_what_the_classifier_thinks(planned: Path, suffix: str) -> None:
    ok("draw", "s", "--units", 20, "--show", "text", "--out", f"b{suffix}")
    text = Path(f"b{suffix}").read_text()
    if suffix in (".csv", ".tsv"):
        heading = re.split(r"[,\t]", text.splitlines()[0])
        assert heading == ["unit", "text", "answer"]
    else:
        rows = json.loads(text) if suffix == ".json" else [json.loads(line) for line in text.splitlines()]
        assert all(list(row) == ["unit", "text", "answer"] for row in rows)
        assert not set(HIDDEN) & set(rows[0])


def test_a_batch_on_stdout_is_csv_and_nothing_else(planned: Path) -> None:
    found = ok("draw", "s", "--units", 5)
    lines = found.out.splitlines()
    assert lines[0] == "unit,answer"
    assert all(re.fullmatch(r"u\d{4},", line) for line in lines[1:])
    assert len(lines) == 6
    assert "batch 1: 5 units" in found.err


def test_drawing_again_writes_the_open_batch_again(planned: Path) -> None:
    ok("draw", "s", "--units", 5, "--out", "a.csv")
    before = entries(planned)
    ok("draw", "s", "--units", 9, "--out", "b.csv")
    assert Path("a.csv").read_bytes() == Path("b.csv").read_bytes()
    assert entries(planned) == before
    ok("draw", "s", "--units", 5, "--out", "c.csv", "--next")
    assert not set(Path("a.csv").read_text().splitlines()[1:]) & set(Path("c.csv").read_text().splitlines()[1:])


# ---------------------------------------------------------------- telling, peeking, closing, growing


def test_corrections(planned: Path) -> None:
    ok("draw", "s", "--units", 1, "--out", "b.csv")
    unit = Path("b.csv").read_text().splitlines()[1].strip(",")
    for i, answer in enumerate(["yes", "no", "yes", "no"]):
        Path("b.csv").write_text(f"unit,answer\n{unit},{answer}\n")
        if i:
            assert fewlabels("tell", "s", "b.csv").code == 5
            assert ok("tell", "s", "b.csv", "--correct").out == "1 corrected\n"
        else:
            assert ok("tell", "s", "b.csv").out == "1 recorded\n"
        assert ok("tell", "s", "b.csv").out == "1 known\n"
    assert [row[2] for row in entries(planned)].count("correction") == 3


def test_other_column_names(planned: Path) -> None:
    ok("draw", "s", "--units", 1, "--out", "b.csv")
    unit = Path("b.csv").read_text().splitlines()[1].strip(",")
    Path("other.csv").write_text(f"id,label,verdict\n{unit},,yes\n")
    assert ok("tell", "s", "other.csv").out == "1 blank\n"
    assert ok("tell", "s", "other.csv", "--unit-column", "id", "--answer-column", "verdict").out == "1 recorded\n"


def test_a_peek_is_shouted_and_counted(planned: Path) -> None:
    ok("draw", "s", "--units", 20, "--out", "b.csv")
    text = Path("b.csv").read_text().splitlines()
    Path("b.csv").write_text("\n".join([text[0], *(f"{line}{TRUTH[line.strip(',')]}" for line in text[1:])]) + "\n")
    ok("tell", "s", "b.csv")
    found = ok("estimate", "s", "--peek")
    assert found.out.startswith("A PEEK at 20 of 40 labels: NOT a 95% interval; recorded as a look")
    assert ok("status", "s", "--json").json["looks"] == 1
    assert ok("decide", "s", "--peek").out.splitlines()[0].endswith("(a peek, not certified)")


def test_closing_ends_the_waiting(planned: Path) -> None:
    assert ok("tell", "s", "--close").out == "40 never answered\n"
    found = ok("estimate", "s")
    assert "unknown" in found.out
    assert "40 of 40 resolved units have no usable answer" in found.err


def test_growth_says_what_it_costs(told: Path) -> None:
    ok("estimate", "s")
    plan = ok("plan", "t.csv", *SMALL, *GOALS, "--budget", 60, "--study", "s")
    assert "numbers were shown before this growth was decided" in plan.err
    ok("draw", "s", "--units", 60, "--out", "b.csv")
    ok("tell", "s", "answers.csv", "--drawn-only")
    assert "level 0.975; numbers were shown" in ok("estimate", "s").out


def test_two_ledgers_are_two_worlds(planned: Path) -> None:
    ok("plan", "t.csv", *SMALL, *GOALS, "--budget", 20, "--study", "s", "--ledger", "sqlite:///other.db")
    assert ok("status", "s", "--ledger", "sqlite:///other.db", "--json").json["plan"]["budget"] == 20
    assert ok("status", "s", "--json").json["plan"]["budget"] == 40


# ---------------------------------------------------------------- real processes


def test_results_and_notes_go_separate_ways(planned: Path) -> None:
    found = real("draw", "s", "--units", 3, cwd=planned)
    assert found.code == 0
    assert found.out.startswith("unit,answer\n")
    assert "batch 1" not in found.out
    assert "batch 1: 3 units to label" in found.err


def test_a_refusal_of_a_real_process(planned: Path) -> None:
    found = real("draw", "s", "--show", "score", cwd=planned)
    assert (found.code, found.out) == (5, "")
    assert found.err == "StudyError: labelers see no score, prediction or guide, but score was requested: leave it out of --show\n"
    usage = real("draw", cwd=planned)
    assert usage.code == 2
    assert "Missing argument 'STUDY'" in usage.err


def test_an_argument_that_is_not_utf8_is_refused(planned: Path) -> None:
    done = subprocess.run(
        [sys.executable.encode(), b"-c", PROGRAM.encode(), b"status", b"\xff"],
        env=environment(),
        cwd=planned,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 5
    assert b"LedgerError" in done.stderr


@pytest.mark.parametrize("args", [("draw", "s", "--units", "40"), ("--help",), ("plan", "--help"), ("status", "s", "--json")], ids=" ".join)
def test_a_reader_that_goes_away_is_no_error(planned: Path, args: tuple[str, ...]) -> None:
    read, write = os.pipe()
    os.close(read)  # nobody will ever read
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *args], cwd=planned, env=environment(), stdout=write, stderr=subprocess.PIPE, check=False
    )
    os.close(write)
    assert b"Traceback" not in done.stderr
    assert b"Exception ignored" not in done.stderr
    assert b"crash" not in done.stderr


def test_head_takes_one_line(planned: Path) -> None:
    command = f"{sys.executable} -c '{PROGRAM}' draw s --units 40 | head -1"
    done = subprocess.run(command, shell=True, cwd=planned, env=environment(), capture_output=True, text=True, check=False)
    assert done.stdout == "unit,answer\n"
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr


@pytest.mark.parametrize("target", ["fewlabels.study.study.Study.tell", "fewlabels.ledgers.database.Act.append"])
def test_ctrl_c_stops_in_words_and_keeps_the_ledger_whole(planned: Path, target: str) -> None:
    ok("draw", "s", "--units", BUDGET, "--out", "b.csv")
    before = entries(planned)
    module, holder, method = target.rsplit(".", 2)
    program = f"""
import os, signal
import {module} as module
def stop(*args, **named):
    os.kill(os.getpid(), signal.SIGINT)
    raise AssertionError("the signal comes first")
module.{holder}.{method} = stop
{PROGRAM}
"""
    found = real("tell", "s", "answers.csv", "--drawn-only", cwd=planned, program=program)
    assert found.code == 130
    assert found.err.strip() == "stopped; what was recorded is kept"
    assert found.out == ""
    assert entries(planned) == before


def in_terminal(folder: Path, *args: str, **more: str) -> str:
    """What a command writes to a terminal."""
    leader, follower = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *args], cwd=folder, env=environment(TERM="xterm-256color", **more), stdout=follower, stderr=follower
    )
    os.close(follower)
    seen = b""
    while True:
        try:
            part = os.read(leader, 65_536)
        except OSError:  # Linux: the last writer closed it
            break
        if not part:
            break
        seen += part
    os.close(leader)
    assert child.wait() == 0, seen
    return seen.decode()


COLOR = re.compile(r"\x1b\[(?:\d+;)*(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])(?:;\d+)*m")


def test_no_color_is_obeyed_on_a_terminal(planned: Path) -> None:
    plain = in_terminal(planned, "doctor", "t.csv", *SMALL, NO_COLOR="1")
    assert "float64" in plain
    assert not COLOR.search(plain)


def test_a_terminal_gets_the_same_words(planned: Path) -> None:
    seen = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", in_terminal(planned, "doctor", "t.csv", *SMALL))
    for line in ok("doctor", "t.csv", *SMALL).out.splitlines():
        assert all(word in seen for word in line.split())


def test_no_terminal_no_color(planned: Path) -> None:
    found = real("doctor", "t.csv", *SMALL, cwd=planned)
    assert "\x1b" not in found.out + found.err
