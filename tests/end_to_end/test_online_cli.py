"""A study that may be looked at at any time, as typed."""

from pathlib import Path

import pytest

from fewlabels.cli.main import REFUSED
from tests.end_to_end.commands import fewlabels, ok
from tests.unit.study.made import TABLE, TRUTH, write_csv

PLAN = ("plan", "scored.csv", "--score", "score", "--threshold", "0.5", "--study", "s", "--budget", "200")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_csv(tmp_path / "scored.csv", {name: TABLE[name] for name in ("id", "score")})
    (tmp_path / "truth.csv").write_text("unit,answer\n" + "".join(f"{u},{y}\n" for u, y in TRUTH.items()))
    return tmp_path


def test_a_study_is_watched_to_its_end(folder: Path) -> None:
    planned = ok(*PLAN, "--goal", "accuracy >= 0.6", "--stopping", "decision +-0.05")
    assert "200 labels at most; it stops by decision +-0.05, after about" in planned.err
    assert "look as often as you like" in planned.err
    assert "no decision before the first one" in ok("decide", "s").out
    for _ in range(20):
        if ok("draw", "s", "--units", 15, "--out", "batch.csv", "--json").json["batch"] is None:
            break
        ok("tell", "s", "truth.csv", "--drawn-only")
        shown = ok("estimate", "s", "--json").json
        assert shown["certified"]
        assert shown["estimates"][0]["interval"] == "anytime"
    watched = ok("status", "s", "--watch")
    assert "SHIP after" in watched.out
    assert "stops by decision +-0.05" in watched.out
    running = ok("status", "s", "--json").json["running"]
    assert running["outcome"] == "ship"
    assert running["goals"][0]["decided_at"] <= running["labels"]
    assert ok("decide", "s", "--json").json["decision"]["outcome"] == "ship"
    assert "next: fewlabels decide s" in ok("status", "s").err
    assert ok("verify", "s", "--population", "--json").json["passed"]


def test_a_budget_is_raised_and_other_things_are_refused() -> None:
    ok(*PLAN, "--goal", "recall >= 0.5", "--stopping", "decision")
    assert ok("plan", "--study", "s", "--budget", "300", "--json").json["plan"]["budget"] == 300
    ok("draw", "s", "--units", 5, "--out", "b.csv")
    for command in (("thresholds", "s"), ("slices", "s", "--by", "place"), ("draw", "s", "--gold", "0.2"), ("sql", "s")):
        refused = fewlabels(*command)
        assert refused.code == REFUSED, command
        assert "an online plan" in refused.err
    assert fewlabels("plan", "--study", "s", "--budget", "400", "--stopping", "width").code == 2


@pytest.mark.parametrize(("goal", "rule"), [("recall >= 0.5", "5 looks"), ("precision +-0.1", "decision"), ("f1 >= 0.5", "soon")])
def test_a_rule_that_does_not_fit_is_refused_before_a_study_exists(goal: str, rule: str) -> None:
    assert fewlabels(*PLAN, "--goal", goal, "--stopping", rule).code == REFUSED
    assert fewlabels("status", "s").code == REFUSED


def test_planned_looks_are_shown_at_their_sizes() -> None:
    ok(*PLAN, "--goal", "accuracy >= 0.7", "--stopping", "2 looks")
    ok("draw", "s", "--units", 120, "--out", "b.csv")
    assert "no interval before" in ok("estimate", "s").out
    handed = Path("b.csv").read_text().split()[1:]
    Path("b.csv").write_text("unit,answer\n" + "".join(f"{row.split(',')[0]},{TRUTH[row.split(',')[0]]}\n" for row in handed))
    ok("tell", "s", "b.csv")
    shown = ok("estimate", "s", "--json").json
    assert shown["estimates"][0]["labels"] == 100
    assert shown["certified"]


def test_a_stream_is_monitored_as_typed(folder: Path) -> None:
    ok("monitor", "m", "--floor", "0.4", "--rate", "0.5")
    came = ok("monitor", "m", "--arrived", "scored.csv", "--threshold", "0.5", "--out", "ask.csv", "--json").json
    assert came["units"] == len(TRUTH)
    assert 0 < len(came["waiting"]) < len(TRUTH)
    Path("ask.csv").write_text("unit,answer\n" + "".join(f"{unit},{TRUTH[unit]}\n" for unit in came["waiting"]))
    told = ok("monitor", "m", "--answers", "ask.csv")
    assert "quiet: precision, floor 0.4" in told.out
    assert "0 await an answer" in told.out
    assert "ever rings with probability at most 0.05" in told.err
    assert fewlabels("monitor", "m", "--rate", "0.5").code == 2
    assert fewlabels("monitor", "nobody").code == REFUSED


def test_a_fall_ends_with_the_code_of_an_alarm(folder: Path) -> None:
    ok("monitor", "m", "--floor", "0.99", "--rate", "1", "--run-length", "20")
    rows = "".join(f"x{i},0.9\n" for i in range(60))
    Path("bad.csv").write_text("id,score\n" + rows)
    ok("monitor", "m", "--arrived", "bad.csv", "--threshold", "0.5", "--out", "ask.csv")
    Path("ask.csv").write_text("unit,answer\n" + "".join(f"x{i},no\n" for i in range(60)))
    rang = fewlabels("monitor", "m", "--answers", "ask.csv")
    assert rang.code == 4
    assert "RANG at unit x" in rang.out
