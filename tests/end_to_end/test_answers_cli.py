"""Taking the answers of a study out, as a user does."""

import csv
from pathlib import Path

import pytest

from fewlabels.cli.main import REFUSED
from tests.end_to_end.commands import fewlabels, ok


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    ok("demo", ".")
    ok("plan", "scored.parquet", "--score", "score", "--threshold", "0.5", "--goal", "f1 +-0.05", "--budget", 200, "--study", "s")
    ok("draw", "s", "--units", 200, "--out", "batch.csv")
    return tmp_path


def test_answers_come_with_their_weights(folder: Path) -> None:
    ok("tell", "s", "answers.csv", "--drawn-only")
    found = ok("answers", "s", "--weights", "--out", "out.csv", "--json").json
    assert (found["units"], found["out"]) == (200, "out.csv")
    with open("out.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == found["columns"]
    assert sum(float(row["weight"]) for row in rows) == pytest.approx(50_000)
    assert "200 units" in ok("results", "answers", "s", "--out", "out.parquet").err
    assert "weight" not in ok("answers", "s", "--out", "out.csv", "--json").json["columns"]
    assert ok("verify", "s", "--json").json["passed"]


def test_before_the_look_they_are_a_peek_and_recorded_as_one(folder: Path) -> None:
    told = (folder / "answers.csv").read_text().splitlines()
    with open("batch.csv", newline="") as file:
        drawn = {row["unit"] for row in csv.DictReader(file)}
    some = [line for line in told[1:] if line.split(",")[0] in drawn][:150]
    (folder / "some.csv").write_text("\n".join([told[0], *some]) + "\n")
    ok("tell", "s", "some.csv")
    refused = fewlabels("answers", "s", "--out", "out.csv")
    assert refused.code == REFUSED
    assert "no interval before all 200 planned units are resolved, 150 are: continue labeling, or peek" in refused.err
    assert not (folder / "out.csv").exists()
    assert "a peek is recorded" in ok("answers", "s", "--peek", "--out", "out.csv").err
    assert ok("status", "s", "--json").json["peeks"] == 1
    assert ok("verify", "s", "--json").json["passed"]


def test_another_ending_is_refused_and_nothing_recorded(folder: Path) -> None:
    ok("tell", "s", "answers.csv", "--drawn-only")
    looks = ok("status", "s", "--json").json["looks"]
    refused = fewlabels("answers", "s", "--out", "out.xlsx")
    assert refused.code == REFUSED
    assert "must be written as .csv or .parquet, got 'out.xlsx'" in refused.err
    assert ok("status", "s", "--json").json["looks"] == looks


READ = ("--id", "unit", "--predicted", "predicted_classifier", "--stratum", "band", "--stratum-size", "band_size", "--goal", "f1 +-0.1")


def test_what_was_taken_out_is_read_in(folder: Path) -> None:
    ok("tell", "s", "answers.csv", "--drawn-only")
    ok("answers", "s", "--weights", "--out", "out.csv")
    found = ok("read", "out.csv", *READ, "--study", "again", "--json").json
    assert (found["units"], found["answered"], found["about"]) == (200, 200, "about the 50,000 units that the sample was drawn from")
    assert "next: fewlabels estimate again" in ok("data", "read", "out.csv", *READ, "--study", "again").err
    before, after = ({e["metric"]: e for e in ok("estimate", name, "--json").json["estimates"]} for name in ("s", "again"))
    for metric in ("precision", "recall", "f1"):
        assert after[metric]["value"] == pytest.approx(before[metric]["value"], rel=1e-9)
        assert after[metric]["low"] == pytest.approx(before[metric]["low"], abs=1e-6)
    assert ok("decide", "again", "--json").json["decision"]["outcome"]
    assert ok("verify", "again", "--population", "--json").json["passed"]
    ok("report", "again", "--out", "again.html")
    refused = fewlabels("plan", "--study", "again", "--budget", 300)
    assert refused.code == REFUSED
    assert "this study has a sample drawn elsewhere (whoever drew it did so once): start a new study for more labels" in refused.err


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ((*READ[:-2], "--study", "x"), "Name at least one goal"),
        ((*READ, "--study", "x", "--probability", "weight"), "name the column of probabilities, not of weights"),
        ((*READ, "--study", "x", "--probability", "nothing"), "nothing"),
        ((*READ, "--study", "x", "--stratum-size", "band"), "must have one size"),
        ((*READ, "--study", "s"), "exists on another table or sample"),
    ],
)
def test_what_cannot_be_read_is_refused_without_a_trace(folder: Path, options: tuple[str, ...], says: str) -> None:
    ok("tell", "s", "answers.csv", "--drawn-only")
    ok("answers", "s", "--weights", "--out", "out.csv")
    refused = fewlabels("read", "out.csv", *options)
    assert refused.code in (2, REFUSED)
    assert says in refused.err
    assert len(ok("list", "--json").json["studies"]) == 1
