"""Answers that arrive by themselves, on the command line: provisional, refused when early, certified on the day."""

import random
from pathlib import Path

import pytest

from tests.end_to_end.commands import fewlabels as run
from tests.end_to_end.commands import ok

PLAN = ("plan", "week.csv", "--score", "score", "--threshold", "0.3", "--goal", "recall >= 0.3", "--budget", "200", "--study", "w")
DECLARED = ("--answers-until", "2025-12-31", "--answers-since", "2025-11-01", "--no-answer-means", "negative", "--delays", "delays.csv")


@pytest.fixture(autouse=True)
def fraud(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    """A week of payments in a folder to be in; the days after which each fraud is reported."""
    monkeypatch.chdir(tmp_path)
    rng = random.Random(9)
    score = {f"p{i}": rng.betavariate(0.5, 3) for i in range(900)}
    Path("week.csv").write_text("id,score\n" + "".join(f"{unit},{s:.4f}\n" for unit, s in score.items()))
    Path("delays.csv").write_text("days\n" + "".join(f"{int(rng.weibullvariate(20, 1.2))}\n" for _ in range(200)))
    return {unit: rng.weibullvariate(20, 1.2) for unit, s in score.items() if rng.random() < s}


def answers(fraud: dict[str, float], age: float) -> str:
    """The answers so far: those of people about flagged units, and what has been reported."""
    score = dict(line.split(",") for line in Path("week.csv").read_text().split()[1:])
    drawn = [line.split(",")[0] for line in Path("drawn.csv").read_text().split()[1:]]
    people = [f"{unit},{'yes' if unit in fraud else 'no'}\n" for unit in drawn if float(score[unit]) >= 0.3]
    reported = [f"{unit},yes\n" for unit in drawn if float(score[unit]) < 0.3 and fraud.get(unit, 1e9) <= age]
    Path("answers.csv").write_text("unit,answer\n" + "".join(people + reported))
    return "answers.csv"


def test_from_a_provisional_number_to_a_certified_one(fraud: dict[str, float]) -> None:
    ok(*PLAN, *DECLARED)
    ok("draw", "w", "--units", "200", "--out", "drawn.csv")
    ok("tell", "w", answers(fraud, 20), "--as-of", "2025-11-21")
    assert ok("estimate", "w", "--json").json["estimates"] == []
    early = ok("estimate", "w", "--peek", "--json").json
    assert not early["certified"]
    assert any("provisional" in warning for warning in early["warnings"])
    refused = run("tell", "w", "--close")
    assert refused.code == 5
    assert "those until 2025-11-21 are recorded" in refused.err
    closed = ok("tell", "w", answers(fraud, 60), "--as-of", "2025-12-31", "--close", "--json").json
    assert closed["taken_as_negative"] > 100
    final = ok("estimate", "w", "--json").json
    assert final["certified"]
    assert any("positives are assumed to arrive as those did" in warning for warning in final["warnings"])
    assert "positives are assumed to arrive" in ok("decide", "w").err
    ok("report", "w", "--out", "w.html")
    assert "positives are assumed to arrive" in Path("w.html").read_text()
    assert "everything matches" in ok("verify", "w").out


@pytest.mark.parametrize(
    ("more", "code", "said"),
    [
        (DECLARED[2:], 2, "name the day with --answers-until"),
        (DECLARED[:2], 2, "--answers-until needs --answers-since"),
        (DECLARED[:6], 5, "hand in the delays of earlier positives"),
        (("--answers-until", "soon", *DECLARED[2:]), 5, "write 2025-12-31"),
        ((*DECLARED, "--stopping", "5 looks"), 5, "answers arrive by themselves"),
        ((*DECLARED, "--pilot", "60"), 5, "answers arrive by themselves"),
        ((*DECLARED, "--about", "process"), 5, "it was not tested"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_is_written(more: tuple[str, ...], code: int, said: str) -> None:
    found = run(*PLAN, *more)
    assert found.code == code
    assert said in found.err
    assert not Path("fewlabels.db").exists()


def test_a_day_is_for_such_a_study_alone(fraud: dict[str, float]) -> None:
    ok(*PLAN)
    ok("draw", "w", "--units", "200", "--out", "drawn.csv")
    found = run("tell", "w", answers(fraud, 20), "--as-of", "2025-11-21")
    assert found.code == 5
    assert "was not planned for them" in found.err
    assert ok("status", "w", "--json").json["progress"]["labels"] == 0
