"""Labels that err on the command line: a rule, a share drawn for gold, corrected and told side by side."""

import csv
from pathlib import Path

import pytest

from fewlabels.cli.main import REFUSED
from tests.end_to_end.commands import Prepared, fewlabels, ok
from tests.unit.study.made import TRUTH, write_csv
from tests.unit.study.made_gold import noisy

BUDGET = 80
PLAN = ("plan", "t.csv", "--score", "score", "--threshold", "0.5", "--goal", "f1 +-0.3")


def write(path: Path, answers: dict[str, str]) -> None:
    path.write_text("unit,answer\n" + "".join(f"{unit},{answer}\n" for unit, answer in answers.items()))


def units_in(path: Path) -> list[str]:
    with path.open(newline="") as file:
        return [row["unit"] for row in csv.DictReader(file)]


@pytest.fixture
def folder(prepared: Prepared, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a study whose units a labeler who errs has answered."""
    monkeypatch.setattr("fewlabels.study.create.new_salt", lambda: "5a17" * 8)  # the same units every time
    found = prepared("told", plan_and_tell)
    monkeypatch.chdir(found)
    return found


def plan_and_tell() -> None:
    write_csv(Path("t.csv"))
    write(Path("noisy.csv"), noisy(TRUTH))
    write(Path("truth.csv"), TRUTH)
    ok(*PLAN, "--budget", BUDGET, "--rule", "majority", "--study", "s")
    ok("draw", "s", "--units", BUDGET, "--out", "batch.csv")
    ok("tell", "s", "noisy.csv", "--drawn-only", "--labeler", "ann")


def test_from_labels_that_err_to_a_corrected_estimate(folder: Path) -> None:
    drawn = ok("draw", "s", "--gold", "0.25", "--show", "text", "--out", "gold.csv")
    chosen = units_in(folder / "gold.csv")
    assert f"gold: {len(chosen)} units to adjudicate in gold.csv" in drawn.err
    assert "fewlabels tell s gold.csv --gold" in drawn.err
    assert BUDGET * 0.25 <= len(chosen) <= BUDGET * 0.25 + 2
    assert (folder / "gold.csv").read_text().splitlines()[0] == "unit,text,answer"

    status = ok("status", "s")
    assert f"0 of {len(chosen)} units drawn for gold adjudicated" in status.out
    assert "next: fewlabels draw s --gold 0.25 --out gold.csv" in status.err
    progress = ok("status", "s", "--json").json["progress"]
    assert (progress["gold_planned"], progress["gold_told"], progress["complete"]) == (len(chosen), 0, False)
    assert ok("estimate", "s", "--json").json["estimates"] == []

    write(folder / "half.csv", {unit: TRUTH[unit] for unit in chosen[:5]})
    half = ok("tell", "s", "half.csv", "--gold")
    assert f"5 of {len(chosen)} units drawn for gold are adjudicated" in half.err
    assert units_in_again(folder, "0.25") == chosen[5:]
    done = ok("tell", "s", "truth.csv", "--gold", "--drawn-only")
    assert f"{len(chosen) - 5} recorded, 5 known" in done.out
    assert "next: fewlabels estimate s" in done.err
    assert f"{len(chosen)} of {len(chosen)} units drawn for gold adjudicated" in ok("status", "s").out

    shown = ok("estimate", "s", "--json").json
    f1 = next(e for e in shown["estimates"] if e["metric"] == "f1")
    assert f1["gold"] == len(chosen)
    assert f1["told_low"] <= f1["told_value"] <= f1["told_high"]
    assert f1["value"] != f1["told_value"]
    assert shown["agreement"] is None
    assert ok("estimate", "s").code == 0
    assert ok("decide", "s", "--json").json["decision"]["outcome"]
    verified = ok("verify", "s", "--population")
    assert "units drawn for gold" in verified.out
    assert "everything matches" in verified.out


def units_in_again(folder: Path, share: str) -> list[str]:
    ok("draw", "s", "--gold", share, "--out", "again.csv")
    return units_in(folder / "again.csv")


def test_gold_of_units_not_drawn_for_it_is_refused(folder: Path) -> None:
    ok("draw", "s", "--gold", "0.25", "--out", "gold.csv")
    chosen = set(units_in(folder / "gold.csv"))
    other = next(unit for unit in units_in(folder / "batch.csv") if unit not in chosen)
    write(folder / "wrong.csv", {other: "yes"})
    found = fewlabels("tell", "s", "wrong.csv", "--gold")
    assert found.code == REFUSED
    assert "gold answers correct the others only if their units were drawn at random" in found.err


def test_all_adjudicated_says_so(folder: Path) -> None:
    ok("draw", "s", "--gold", "0.25", "--out", "gold.csv")
    ok("tell", "s", "truth.csv", "--gold", "--drawn-only")
    assert "every unit drawn for gold is adjudicated" in ok("draw", "s", "--gold", "0.25").err


def test_answers_not_told_yet_are_not_written_over(folder: Path) -> None:
    ok("draw", "s", "--gold", "0.25", "--out", "gold.csv")
    write(folder / "gold.csv", {unit: TRUTH[unit] for unit in units_in(folder / "gold.csv")})
    assert fewlabels("draw", "s", "--gold", "0.25", "--out", "gold.csv").code == REFUSED
    ok("tell", "s", "gold.csv", "--gold")


def test_closing_ends_the_wait_for_gold(folder: Path) -> None:
    ok("draw", "s", "--gold", "0.25", "--out", "gold.csv")
    chosen = units_in(folder / "gold.csv")
    write(folder / "gold.csv", {unit: TRUTH[unit] for unit in chosen[3:]})
    ok("tell", "s", "gold.csv", "--gold")
    assert ok("tell", "s", "--close", "--json").json["never_answered"] == 3
    assert ok("estimate", "s", "--json").json["certified"]


def test_planning_again_keeps_the_rule_and_another_is_refused(folder: Path) -> None:
    ok(*PLAN, "--budget", BUDGET + 20, "--study", "s")
    found = fewlabels(*PLAN, "--budget", BUDGET + 20, "--rule", "unanimous", "--study", "s")
    assert found.code == REFUSED
    assert "the rule majority" in found.err


def test_a_second_labeler_shows_agreement(folder: Path) -> None:
    ok("tell", "s", "truth.csv", "--drawn-only", "--labeler", "bob")
    found = ok("estimate", "s", "--json").json["agreement"]
    assert found["units"] == BUDGET
    assert found["observed"]["low"] < found["observed"]["value"] < 1


def test_a_share_of_gold_lies_between_0_and_1(folder: Path) -> None:
    for share in ("0", "1.5", "many"):
        assert fewlabels("draw", "s", "--gold", share).code == 2
