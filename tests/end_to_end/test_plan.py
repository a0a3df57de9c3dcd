"""`fewlabels plan`: goals by slice, what labels cost, every design, and a study planned again."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fewlabels.cli.main import REFUSED
from fewlabels.nouns.design import DESIGNS
from fewlabels.study.study import Study
from tests.end_to_end.commands import Result, fewlabels, ok
from tests.unit.study.made import columns, write_csv

SMALL = ("--score", "score", "--threshold", "0.5")
SLICED = ("t.csv", *SMALL, "--slice", "country")
ONE = ("--goal", "f1 +-0.2")
UNITS = 1_200


def table() -> dict[str, Any]:
    """Scores, truth, a country and a probability."""
    made = columns(UNITS)
    made["country"] = ["at" if i % 3 else "be" for i in range(UNITS)]
    made["chance"] = np.where(made["score"] > 0.2, 0.5, 0.125)
    return made


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_csv(tmp_path / "t.csv", table())
    truth = zip(table()["id"], table()["y"].tolist(), strict=True)
    (tmp_path / "answers.csv").write_text("unit,answer\n" + "".join(f"{u},{'yes' if y else 'no'}\n" for u, y in truth))
    return tmp_path


def units_of(study: str) -> tuple[str, ...]:
    drawn = Study.load(study).standing.units
    assert drawn is not None
    return drawn.unit


# ---------------------------------------------------------------- slices and costs


def test_a_goal_by_a_slice_is_sized_for_each_value_and_decided_for_each(folder: Path) -> None:
    goals = ("--goal", "precision +-0.2 by country", "--goal", "recall >= 0.2 in country=at")
    found = ok("plan", *SLICED, *goals, "--budget", 300, "--study", "s", "--json").json
    asked = ["precision +-0.2 in country=at", "precision +-0.2 in country=be", "recall >= 0.2 in country=at"]
    assert [g["goal"] for g in found["goals"]] == asked
    assert all(isinstance(g["labels"], int) and g["forecast"]["half_width"] > 0 for g in found["goals"])
    assert max(g["labels"] for g in found["goals"]) <= found["together"] <= found["separately"]
    assert found["optimum"] is None or found["optimum"] < found["together"]
    ok("draw", "s", "--units", 300, "--out", "batch.csv")
    ok("tell", "s", "answers.csv", "--drawn-only")
    shown = [e for e in ok("estimate", "s", "--json").json["estimates"] if "slice" in e]
    assert [(e["metric"], e["slice"]) for e in shown] == [
        ("precision", ["country", "at"]), ("precision", ["country", "be"]), ("recall", ["country", "at"])
    ]  # fmt: skip
    truth = {c: _precision(c) for c in ("at", "be")}
    assert all(abs(e["value"] - truth[e["slice"][1]]) <= 5 * e["standard_error"] for e in shown[:2])
    verdict = ok("decide", "s", "--json").json["decision"]
    assert [g["goal"] for g in verdict["goals"]] == asked
    text = ok("plan", *SLICED, *goals).out
    assert all(goal in text for goal in (*asked, "one draw, all with a chance of 80%", "a draw for each"))


def _precision(country: str) -> float:
    made = table()
    mine = (np.array(made["country"]) == country) & (made["score"] >= 0.5)
    return float(made["y"][mine].mean())


def test_costs_are_those_of_the_labels(folder: Path) -> None:
    costs = ("--cost-per-label", "0.25", "--seconds-per-label", "30")
    found = ok("plan", "t.csv", *SMALL, *ONE, *costs, "--budget", 120, "--json").json
    assert found["cost"]["budget"] == {"units": 120, "looks": 120, "money": 30.0, "hours": 1.0}
    for name in ("together", "uniform"):
        n = found[name]
        assert found["cost"][name] == {"units": n, "looks": n, "money": n * 0.25, "hours": pytest.approx(n * 30 / 3600)}
    text = ok("plan", "t.csv", *SMALL, *ONE, *costs, "--budget", 120).out
    assert "120 labels, cost 30.00, 1.0 hours" in text
    free = ok("plan", "t.csv", *SMALL, *ONE, "--budget", 120)
    assert "cost" not in free.out
    assert "hours" not in free.out
    free_json = ok("plan", "t.csv", *SMALL, *ONE, "--json").json
    n = free_json["together"]
    assert free_json["cost"]["together"] == {"units": n, "looks": n, "money": None, "hours": None}


def test_missing_and_second_answers_are_paid_for(folder: Path) -> None:
    """Goals need as many usable answers as before, so more units are drawn, and some of them are looked at twice."""
    asked = ("plan", "t.csv", *SMALL, *ONE, "--cost-per-label", "0.5")
    plain, more = ok(*asked, "--json").json, ok(*asked, "--unanswered", "20%", "--looked-twice", "0.1", "--json").json
    assert (more["together"], more["for_all"]) == (plain["together"], plain["for_all"])
    assert (more["to_pay"]["unanswered"], more["to_pay"]["twice"], plain["to_pay"]["said"]) == (0.2, 0.1, None)
    units = math.ceil(plain["for_all"] / 0.8)
    assert more["cost"]["for_all"]["units"] == more["shown_at"] == units
    assert more["cost"]["for_all"]["looks"] == units + math.ceil(0.1 * units)
    assert more["cost"]["for_all"]["money"] == 0.5 * more["cost"]["for_all"]["looks"]
    text = ok(*asked, "--unanswered", "20%", "--looked-twice", "0.1").out
    assert f"to pay for: {units:,} units, of which {math.floor(units * 0.8 + 1e-9):,} will have a usable answer" in text
    assert f"{more['cost']['for_all']['looks']:,} looks, with 10% of the units looked at twice" in text


def test_a_budget_shows_what_its_answers_will(folder: Path) -> None:
    """Of 120 units 60 are answered: what is expected is nearly what a draw of 60 shows, and not what 120 would (the twin)."""

    def goal(*how: object) -> Any:
        return ok("plan", "t.csv", *SMALL, *ONE, *how, "--json").json["goals"][0]["forecast"]

    half = goal("--budget", 120, "--unanswered", "50%")["half_width"]
    assert half == pytest.approx(goal("--budget", 60)["half_width"], rel=0.15)
    assert half > 1.2 * goal("--budget", 120)["half_width"]


@pytest.mark.parametrize("share", ["100%", "-0.1", "nan", "many"])
def test_a_share_that_is_none_is_refused(folder: Path, share: str) -> None:
    found = fewlabels("plan", "t.csv", *SMALL, *ONE, "--unanswered", share)
    assert (found.code, "write" in found.err) == (2, True)


def test_at_worst_more_labels_are_needed_and_uniform_ones_are_wasted(folder: Path) -> None:
    (goal,) = ok("plan", "t.csv", *SMALL, "--goal", "precision +-0.15", "--json").json["goals"]
    assert goal["labels"] <= goal["worst"]
    assert goal["labels"] < goal["uniform"]
    text = ok("plan", "t.csv", *SMALL, "--goal", "precision +-0.15").out
    assert f"{1 - goal['labels'] / goal['uniform']:.0%}" in text


# ---------------------------------------------------------------- designs

ASKED: dict[str, tuple[object, ...]] = {
    "manual": ("--cut", "score:1", "--takes", "80,40"),
    "given": ("--slice", "chance", "--pi", "chance"),
    "neyman": ("--cut", "edges:0.1,0.7", "--smallest-take", 5),
    "two_bins": ("--expect", 0.6, 0.1, "--error-weights", 1, 1, 1),
    "constant": ("--slice", "country", "--cut", "column:country"),
}


@pytest.mark.parametrize("design", DESIGNS)
def test_every_design_plans_draws_and_estimates(design: str, folder: Path) -> None:
    options = ("--design", design, *ASKED.get(design, ()))
    ok("plan", "t.csv", *SMALL, *ONE, *options, "--budget", 120, "--study", "s")
    plan = Study.load("s").standing.plan
    assert (plan.design.name, plan.budget) == (design, 120)
    if design == "manual":
        assert plan.take.tolist() == [80, 40]
    if design == "neyman":
        assert plan.take.min() >= 5
    ok("draw", "s", "--units", 120, "--out", "batch.csv")
    ok("tell", "s", "answers.csv", "--drawn-only")
    found = ok("estimate", "s", "--json").json
    assert found["certified"]
    f1 = next(e for e in found["estimates"] if e["metric"] == "f1")
    assert f1["labels"] == 120
    made = table()
    flagged, y = made["score"] >= 0.5, made["y"] == 1
    truth = 2 * (flagged & y).sum() / (flagged.sum() + y.sum())
    assert abs(f1["value"] - truth) <= 5 * f1["standard_error"]
    ok("verify", "s")


# ---------------------------------------------------------------- planned again


def planned(*more: object) -> Result:
    return ok("plan", "t.csv", *SMALL, *ONE, "--budget", 100, "--study", "s", *more)


def label() -> None:
    ok("draw", "s", "--units", 5_000, "--out", "batch.csv")
    ok("tell", "s", "answers.csv", "--drawn-only")


@pytest.mark.parametrize(
    ("declared", "look", "change"),
    [
        ((), False, "growth, nothing shown"),
        ((), True, "growth after a look"),
        (("--grow-to", 300), True, "declared growth"),
        (("--grow-to", 300), False, "growth, nothing shown"),
    ],
)
def test_a_larger_budget_keeps_every_label_and_says_what_the_rest_buy(
    declared: tuple[object, ...], look: bool, change: str, folder: Path
) -> None:
    planned(*declared)
    label()
    before = units_of("s")
    if look:
        ok("estimate", "s")
    grown = ok("plan", "--study", "s", "--budget", 300, "--json").json
    assert (grown["held"], grown["budget"], grown["added"]) == (100, 300, 200)
    (goal,) = grown["goals"]
    assert goal["after"]["half_width"] < goal["before"]["half_width"]
    assert (grown["plan"]["number"], grown["plan"]["change"]) == (2, change)
    standing = Study.load("s").standing
    assert [p.change for p in standing.plans] == ["first", change]
    label()
    assert units_of("s")[:100] == before
    assert len(units_of("s")) == 300
    assert next(e for e in ok("estimate", "s", "--json").json["estimates"] if e["metric"] == "f1")["labels"] == 300
    ok("verify", "s")


def test_growth_in_words(folder: Path) -> None:
    planned()
    found = ok("plan", "--study", "s", "--budget", 300)
    assert "200 more labels, 300 in all" in found.out
    assert "half-width at 100" in found.out
    assert "plan 2 of study s is locked (growth, nothing shown)" in found.err
    assert "next: fewlabels draw s" in found.err


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--budget", 100), "Name a POPULATION to plan for, or an existing study to raise: --study NAME --budget N"),
        (("--study", "s"), "Name a POPULATION to plan for, or an existing study to raise"),
        (("--study", "s", "--budget", 300, "--goal", "recall +-0.1", "--interval", "strict"), "are locked with the first plan: leave out"),
        (("--study", "s", "--budget", 300, "--goal", "recall +-0.1", "--design", "simple"), "are locked with the first plan: leave out"),
        (("--study", "s", "--budget", 300, "--goal", "recall +-0.1", "--grow-to", 400), "are locked with the first plan: leave out"),
        (("--study", "s", "--budget", 300, "--design", "simple"), "the design is locked with the first plan, which has bands"),
        (("--study", "s", "--budget", 300, "--several", "optimum"), "which has {}, but {'several': 'optimum'} was requested: leave it out"),
        (("--study", "s", "--budget", 300, "--interval", "strict"), "the interval is locked with the first plan, which has placed"),
        (("--study", "s", "--budget", 50), "a later plan can only add labels, but 50 were requested and 100 are planned: request more"),
        (("--study", "s", "--budget", 90_000), "at most the 1,200 units they are about, but the budget is 90,000: lower it"),
        (("--study", "nobody", "--budget", 300), "nobody"),
    ],
)
def test_a_growth_that_cannot_be_is_refused_and_nothing_is_planned(args: tuple[object, ...], said: str, folder: Path) -> None:
    planned()
    found = fewlabels("plan", *args)
    assert found.code in (2, REFUSED)
    assert said in found.err
    assert len(Study.load("s").standing.plans) == 1


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--goal", "recall +-0.1 by contry"), "no slice column 'contry': did you mean 'country'?"),
        (("--goal", "recall 0.9"), 'write "recall >= 0.9" or "recall +-0.9"'),
        (("--goal", "recall +-0.1 by city"), "'city' is not one and the population has country: name it with --slice"),
        (("--goal", "recall +-0.1 in country=xx"), "the population has no units in that slice: check the slice value"),
        ((*ONE, "--design", "manual", "--cut", "score:1", "--takes", "40,30,30"), "there must be one take per stratum, got 3 for 2 strata"),
        ((*ONE, "--design", "manual", "--takes", "5,many"), "--takes must be whole numbers separated by commas, got '5,many'"),
        ((*ONE, "--design", "manual"), "design 'manual' needs the labels of each stratum, got none"),
        (
            (*ONE, "--design", "neyman", "--cut", "column:city"),
            "name a slice column, but 'city' is not one and the population has country: name it with --slice",
        ),
        ((*ONE, "--design", "neyman", "--cut", "tenths"), "strata must be cut by score:K, percentile:K"),
        ((*ONE, "--cut", "score:3"), "but the design is bands: leave the cut out"),
        ((*ONE, "--design", "given", "--pi", "chance"), "name a slice column, but 'chance' is not one and the population has country"),
        ((*ONE, "--design", "given", "--pi", "country"), "given probabilities must lie in (0, 1], but the column holds"),
        ((*ONE, "--design", "two_bins", "--expect", 2, 0.1), "2"),
        (("--goal", "f1 +-0.1 with 0.9 power"), "power is only for a target"),
    ],
)
def test_what_cannot_be_planned_states_the_rule_and_the_way_out(args: tuple[object, ...], said: str, folder: Path) -> None:
    found = fewlabels("plan", *SLICED, *args, "--budget", 100, "--study", "s")
    assert found.code in (2, REFUSED)
    assert said in found.err
    assert ": " in found.err
    assert not (folder / "fewlabels.db").exists() or fewlabels("status", "s").code == REFUSED
