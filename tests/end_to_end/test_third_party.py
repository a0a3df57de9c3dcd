"""A package of somebody else adds an engine, an interval and a label format: installed by pip, used by commands and as a library."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from fewlabels.cli.main import REFUSED
from tests.end_to_end.commands import PROGRAM, Result, environment

PACKAGE = Path(__file__).parents[1] / "third_party" / "fewlabels_extra"
COUNTS = ("estimate", "--counts", "tp=45,fp=5,fn=8,tn=442", "--metric", "precision", "--json")
USAGE = 2  # Click's
CAUTION = "the jeffreys interval comes from fewlabels-extra 1.0 and was not tested by fewlabels' coverage atlas"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that pip installed the package into."""
    folder = tmp_path_factory.mktemp("installed")
    how = ("--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--disable-pip-version-check", "--target", str(folder))
    done = subprocess.run([sys.executable, "-m", "pip", "install", *how, str(PACKAGE)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A table with one object a line, of which every third unit above a half is a false alarm."""
    rows = [{"id": f"u{i}", "score": (i + 0.5) / 300, "text": f"message {i}", "truth": i > 200} for i in range(300)]
    (tmp_path / "table.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path / "table.jsonl"


def python(program: str, *args: object, folder: Path, installed: Path | None) -> Result:
    """A program in a process of its own, with the package on its path or without."""
    around = environment()
    path = around["PYTHONPATH"] + (f":{installed}" if installed else "")
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, args)],
        cwd=folder, env={**around, "PYTHONPATH": path}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "Traceback" not in done.stderr, done.stderr
    return Result(done.returncode, done.stdout, done.stderr)


def run(*args: object, folder: Path, installed: Path | None) -> Result:
    return python(PROGRAM, *args, folder=folder, installed=installed)


def ok(*args: object, folder: Path, installed: Path | None) -> Result:
    found = run(*args, folder=folder, installed=installed)
    assert found.code == 0, found
    return found


def test_an_interval_is_chosen_listed_and_carries_its_caution(installed: Path, tmp_path: Path) -> None:
    found = ok(*COUNTS, "--interval", "jeffreys", folder=tmp_path, installed=installed).json
    assert found["cautions"][-1] == CAUTION
    (shown,) = found["estimates"]
    assert (shown["interval"], shown["value"]) == ("jeffreys", 0.9)
    (ours,) = ok(*COUNTS, folder=tmp_path, installed=installed).json["estimates"]
    assert ours["low"] < shown["low"] < 0.9 < shown["high"] < ours["high"]  # half an error added instead of a whole one
    assert "jeffreys" in ok("plan", "--help-all", folder=tmp_path, installed=installed).out
    assert "jeffreys" not in ok("plan", "--help-all", folder=tmp_path, installed=None).out


def test_without_the_package_its_names_are_refused_and_ours_work(tmp_path: Path) -> None:
    refused = run(*COUNTS, "--interval", "jeffreys", folder=tmp_path, installed=None)
    assert refused.code == USAGE
    assert "'jeffreys' is not one of 'rec'" in refused.err
    assert ok(*COUNTS, "--interval", "midp", folder=tmp_path, installed=None).json["estimates"]


def each(*commands: tuple[object, ...], folder: Path, installed: Path | None) -> list[Result]:
    """What each of these commands left, run one after another in one process, which is quicker."""
    asked = json.dumps([[str(part) for part in command] for command in commands])
    found = python(MANY, asked, folder=folder, installed=installed)
    assert found.code == 0, found
    return [Result(*one) for one in json.loads(found.out)]


MANY = """
import json, sys
from tests.end_to_end.commands import fewlabels
print(json.dumps([fewlabels(*command) for command in json.loads(sys.argv[1])]))
"""


def test_a_study_from_the_engine_to_the_verdict(installed: Path, table: Path) -> None:
    folder, source = table.parent, f"lines:{table}"
    judged = (source, "--id", "id", "--score", "score", "--threshold", "0.5")
    looked, planned, drawn = each(
        ("doctor", *judged, "--json"),
        ("plan", *judged, "--goal", "precision +-0.1", "--budget", 60, "--interval", "jeffreys", "--study", "s"),
        ("draw", "s", "--units", 60, "--format", "ballot", "--show", "text", "--out", "batch.ballot", "--json"),
        folder=folder, installed=installed,
    )  # fmt: skip
    assert looked.json["units"] == 300
    assert any("the table is read by fewlabels-extra 1.0, which fewlabels has not tested" in line for line in looked.json["findings"])
    assert planned.code == 0, planned
    assert len(drawn.json["units"]) == 60

    answered(folder / "batch.ballot")
    told, shown, words, report, decided, verified = each(
        ("tell", "s", "batch.ballot", "--labeler", "ada", "--json"),
        ("estimate", "s", "--json"), ("estimate", "s"), ("report", "s", "--json"), ("decide", "s"), ("verify", "s"),
        folder=folder, installed=installed,
    )  # fmt: skip
    assert told.json["recorded"] == 60
    assert "batch.ballot is read as an export of ballot" in told.err
    assert "the format ballot comes from fewlabels-extra 1.0 and was not tested" in told.err
    assert {one["interval"] for one in shown.json["estimates"]} == {"jeffreys"}
    assert all(CAUTION in text for text in (shown.out, words.err, report.out))
    assert "ship" in decided.out.lower()
    assert verified.code == 0, verified
    missing(folder)


def answered(batch: Path) -> None:
    """Writes the true answer into every ballot."""
    lines = batch.read_text().splitlines()
    answers = ["yes" if int(line.split('"')[1][1:]) > 200 else "no" for line in lines]
    batch.write_text("".join(line.replace("[ ]", f"[{answer}]") + "\n" for line, answer in zip(lines, answers, strict=True)))


def missing(folder: Path) -> None:
    """The same ledger where the package is not installed: what needs it says which package, the rest works."""
    status, estimate, tell = each(
        ("status", "s", "--json"), ("estimate", "s"), ("tell", "s", "batch.ballot", "--format", "ballot"), folder=folder, installed=None
    )
    assert status.code == 0, status
    assert estimate.code == REFUSED
    assert "PlanError: no interval 'jeffreys': fewlabels knows rec, strict, placed, midp" in estimate.err
    assert "install fewlabels-extra 1.0" in estimate.err
    assert tell.code == USAGE
    assert "'ballot' is not one of 'flat'" in tell.err
    assert "no engine 'lines': fewlabels knows memory, duckdb, postgres, spark" in python(FETCH, folder=folder, installed=None).out


FETCH = """
import fewlabels
try:
    fewlabels.Study.load("s").fetch(["u1"], columns=["text"])
except fewlabels.FewlabelsError as error:
    print(error)
"""


LIBRARY = """
import sys
from pathlib import Path
import fewlabels
from fewlabels.engines.checked import check_same_units
from fewlabels.engines.opening import open_engine
from fewlabels_extra.lines import columns_of

table = Path(sys.argv[1])
population = fewlabels.read_population(f"lines:{table}", score="score", threshold=0.5)
check_same_units(open_engine(population), population, columns_of(table))
in_memory = fewlabels.read_population(columns_of(table), score="score", threshold=0.5)
asked = {"truth": "truth", "metrics": ["precision"], "labels": [40], "reps": 50, "interval": "jeffreys"}
cells = [fewlabels.simulate(p, **asked) for p in (population, in_memory)]
assert cells[0] == cells[1]
print(*fewlabels.from_counts(tp=45, fp=5, fn=8, tn=442, interval="jeffreys").cautions, sep="\\n")
"""


def test_the_library_has_all_three_and_the_engine_draws_the_same_units(installed: Path, table: Path) -> None:
    assert CAUTION in python(LIBRARY, table, folder=table.parent, installed=installed).out


# ---------------------------------------------------------------- packages that do not work


def offering(folder: Path, points: str, code: str = "") -> Path:
    """A package as an installation leaves it, with these entry points."""
    info = folder / "bad-0.1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: bad\nVersion: 0.1\n")
    (info / "entry_points.txt").write_text(points)
    (folder / "bad.py").write_text(code)
    return folder


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("1 / 0", "cannot be used (ZeroDivisionError: division by zero)"),
        ("import nowhere_to_be_found", "cannot be used (ModuleNotFoundError"),
        ("THING = 7", "cannot be used (it is a int, not a Interval)"),
        ("from fewlabels.intervals.rare import REC as THING", "cannot be used (the record calls itself 'rec')"),
    ],
)
def test_a_broken_package_is_refused_in_words(code: str, why: str, tmp_path: Path) -> None:
    bad = offering(tmp_path, "[fewlabels.intervals]\nthing = bad:THING\n", code)
    refused = run(*COUNTS, "--interval", "thing", folder=tmp_path, installed=bad)
    assert refused.code == REFUSED
    assert f"the interval 'thing' of bad 0.1 {why}" in refused.err
    assert why in run(*COUNTS, "--interval", "nosuch", folder=tmp_path, installed=bad).err


def test_a_broken_package_breaks_nothing_else(tmp_path: Path) -> None:
    groups = "".join(f"[fewlabels.{group}]\nthing = bad:THING\n" for group in ("intervals", "formats", "engines"))
    bad = offering(tmp_path, groups, "raise RuntimeError('at import')")
    assert ok(*COUNTS, "--interval", "wilson", folder=tmp_path, installed=bad).json["estimates"]
    assert "|thing" not in ok("plan", "--help-all", folder=tmp_path, installed=bad).out
    assert "|thing" not in ok("tell", "--help", folder=tmp_path, installed=bad).out


def test_a_name_that_is_taken_is_refused(tmp_path: Path) -> None:
    bad = offering(tmp_path, "[fewlabels.intervals]\nplaced = bad:PLACED\n[fewlabels.formats]\nflat = bad:FLAT\n", "raise SystemExit(9)")
    ours = ok(*COUNTS, folder=tmp_path, installed=bad).json
    assert ours == ok(*COUNTS, "--interval", "placed", folder=tmp_path, installed=bad).json
    refused = run(*COUNTS, "--interval", "nosuch", folder=tmp_path, installed=bad)
    assert "the interval 'placed' of bad 0.1 needs another name: fewlabels already has that name" in refused.err
