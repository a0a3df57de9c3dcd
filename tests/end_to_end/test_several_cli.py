"""Several classifiers, thresholds, slices and weeks, as typed."""

from pathlib import Path

import numpy as np
import pytest

from fewlabels.cli.main import REFUSED
from tests.end_to_end.commands import fewlabels, ok
from tests.unit.study.made import columns, write_csv

UNITS = 900
TWO = ("--classifier", "a=score@0.4", "--classifier", "b=other@0.4", "--vote", "any=1:a,b", "--slice", "place")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three weeks of different units and their answers; `both.csv` holds the first two."""
    monkeypatch.chdir(tmp_path)
    made = columns(3 * UNITS)
    rng = np.random.default_rng(2)
    made["other"] = np.clip(made["score"] + rng.normal(0, 0.2, 3 * UNITS), 0, 1)
    made["place"] = np.array(["x" if i % 2 else "y" for i in range(3 * UNITS)])
    for week in range(3):
        part = slice(week * UNITS, (week + 1) * UNITS)
        write_csv(tmp_path / f"w{week}.csv", {name: np.asarray(values)[part] for name, values in made.items()})
    write_csv(tmp_path / "both.csv", {name: np.asarray(values)[: 2 * UNITS] for name, values in made.items()})
    truth = zip(made["id"], made["y"].tolist(), strict=True)
    (tmp_path / "answers.csv").write_text("unit,answer\n" + "".join(f"{u},{'yes' if y else 'no'}\n" for u, y in truth))
    return tmp_path


def finish(study: str) -> None:
    ok("draw", study, "--units", 5_000, "--out", f"batch_{study}.csv")
    ok("tell", study, "answers.csv", "--drawn-only")


def test_one_draw_is_read_in_every_way(folder: Path) -> None:
    planned = ok(
        "plan", "w0.csv", *TWO, "--goal", "precision +-0.1 for each", "--goal", "f1 +-0.2 for a", "--budget", 300, "--study", "s", "--json"
    )
    assert [g["goal"] for g in planned.json["goals"]][:3] == [f"precision +-0.1 for {name}" for name in ("a", "b", "any")]
    finish("s")
    shown = {(e["metric"], e["classifier"]) for e in ok("estimate", "s", "--json").json["estimates"]}
    assert {("precision", "a"), ("precision", "b"), ("recall", "any")} <= shown
    assert {e["slice"][1] for e in ok("slices", "s", "--by", "place", "--classifier", "b", "--json").json["estimates"]} == {"x", "y"}
    assert "each interval by itself" in ok("slices", "s", "--by", "place").out
    assert ok("compare", "s", "a", "b", "--metric", "precision", "--json").json["better"] in ("a", "b", None)
    assert "not shown to be worse" in ok("compare", "s", "a", "b", "any", "--metric", "precision").out
    curves = ok("thresholds", "s", "--json").json
    assert len(curves["thresholds"]) == len(curves["curves"]["recall"]["ribbon_low"])
    assert "all together" in ok("thresholds", "s").out
    assert "threshold" in ok("thresholds", "s", "--precision", "0.5").out
    assert ok("verify", "s", "--population", "--json").json["passed"]


def test_a_classifier_is_taken_in_by_name(folder: Path) -> None:
    ok("plan", "w0.csv", "--classifier", "a=score@0.4", "--goal", "f1 +-0.1", "--budget", 150, "--study", "s")
    finish("s")
    late = ("plan", "--study", "s", "--add-classifier", "b=other@0.4", "--goal", "f1 +-0.15 for b")
    said = ok(*late, "--json").json
    assert said["plan"] is None
    assert said["held"] == 150
    assert "nothing is recorded yet" in ok(*late).err
    fixed = ok(*late, "--budget", 300, "--json").json
    assert fixed["plan"]["budget"] == 300
    finish("s")
    assert ok("decide", "s", "--json").json["decision"]["outcome"]
    assert ok("verify", "s", "--population", "--json").json["passed"]
    assert fewlabels(*late).code == REFUSED  # b is there already


def test_a_difference_is_a_goal(folder: Path) -> None:
    ok("plan", "w0.csv", *TWO, "--goal", "accuracy >= 0 for a over b", "--budget", 100, "--study", "s")
    finish("s")
    found = ok("estimate", "s", "--json").json["estimates"]
    assert [(e["metric"], e["classifier"], e["over"]) for e in found if e["planned"]] == [("accuracy", "a", "b")]
    assert ok("decide", "s", "--json").json["decision"]["outcome"] in ("ship", "do not ship", "label more")


def test_weeks_are_compared_pooled_and_watched(folder: Path) -> None:
    for week in range(3):
        ok("plan", f"w{week}.csv", "--score", "score", "--threshold", "0.4", "--goal", "f1 +-0.1", "--budget", 150, "--study", f"w{week}")
        finish(f"w{week}")
    assert ok("change", "w0", "w1", "--metric", "recall", "--json").json["shared"] == 0
    assert "minus w0" in ok("change", "w0", "w1").out
    assert ok("window", "w0", "w1", "w2", "--metric", "recall", "--json").json["labels"] == 450
    quiet = ok("alarm", "w0", "w1", "w2", "--metric", "accuracy", "--floor", "0.5")
    assert "quiet" in quiet.out
    rung = fewlabels("alarm", "w0", "w1", "w2", "--metric", "accuracy", "--floor", "0.995", "--run-length", "52", "--json")
    assert rung.code == 4
    assert rung.json["rang"] == "w0"


def test_a_week_that_follows_asks_only_for_what_is_new(folder: Path) -> None:
    one = ("--score", "score", "--threshold", "0.4", "--goal", "f1 +-0.1", "--budget", 200)
    ok("plan", "w0.csv", *one, "--study", "old")
    finish("old")
    ok("plan", "both.csv", *one, "--study", "new", "--follows", "old")
    ok("draw", "new", "--units", 5_000, "--out", "batch_new.csv")
    done = ok("status", "new", "--json").json["progress"]
    assert 40 < done["labels"] < 160
    finish("new")
    found = ok("change", "old", "new", "--json").json
    assert found["shared"] == done["labels"]


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (("plan", "w0.csv", *TWO, "--goal", "f1 +-0.1 for nobody"), "no classifier 'nobody'"),
        (("plan", "w0.csv", "--classifier", "a=score@0.4", "--vote", "v=2:a,b", "--goal", "f1 +-0.1"), "name those first"),
        (("plan", "w0.csv", "--classifier", "a=score@0.4", "--vote", "v=x:a", "--goal", "f1 +-0.1"), "a vote must be written"),
        (("plan", "w0.csv", *TWO, "--goal", "f1 >= 0 for a over a"), "two classifiers"),
        (("plan", "w0.csv", "--add-classifier", "b=other@0.4", "--goal", "f1 +-0.1"), "for an existing study"),
        (("plan", "--study", "nobody", "--add-classifier", "b=other@0.4"), "no ledger"),
        (("alarm", "s", "--floor", "2"), "no ledger"),
        (("thresholds", "s", "--precision", "0.5", "--recall", "0.5"), "Name one target"),
    ],
)
def test_what_cannot_be_done_is_refused_with_the_way_out(folder: Path, command: tuple[str, ...], says: str) -> None:
    found = fewlabels(*command)
    assert found.code in (2, REFUSED)
    assert says in found.err
