"""`fewlabels plan` refuses what it could not keep, before anything is recorded, and never falls over."""

from pathlib import Path

import pytest

from fewlabels.cli.main import REFUSED
from tests.end_to_end.commands import fewlabels, ok
from tests.unit.study.made import columns, write_csv

SMALL = ("t.csv", "--score", "score", "--threshold", "0.5")
RECALL = ("--goal", "recall +-0.2")
USAGE = 2


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_csv(tmp_path / "t.csv", columns(600))
    return tmp_path


@pytest.mark.parametrize("design", ["bands", "simple", "proportional", "constant", "neyman", "two_bins", "poisson", "importance"])
def test_every_design_has_a_picture(design: str, folder: Path) -> None:
    ok("plan", *SMALL, *RECALL, "--design", design, "--html", "p.html")
    assert "<svg" in (folder / "p.html").read_text()


def test_a_picture_without_a_value_is_refused_with_the_way_out() -> None:
    found = fewlabels("plan", *SMALL, "--threshold", "1", "--goal", "mcc +-0.1", "--html", "p.html")
    assert found.code == REFUSED
    assert "leave --html out" in found.err


def test_a_classifier_that_flags_nothing_is_planned_without_a_crash() -> None:
    assert fewlabels("plan", *SMALL, "--threshold", "1", *RECALL).code in (0, REFUSED)


@pytest.mark.parametrize("order", [1, -1])
def test_scores_are_not_trusted_and_distrusted_at_once(order: int) -> None:
    both = (("--trust-scores",), ("--interval", "strict"))[::order]
    found = fewlabels("plan", *SMALL, *RECALL, *both[0], *both[1])
    assert found.code == USAGE
    assert "--trust-scores is --interval rec, got strict too" in found.err
    ok("plan", *SMALL, *RECALL, "--trust-scores", "--interval", "rec")


def test_an_online_plan_does_not_drop_the_trust_that_was_asked_for() -> None:
    found = fewlabels("plan", *SMALL, *RECALL, "--stopping", "width", "--budget", "60", "--study", "s", "--trust-scores")
    assert found.code == REFUSED
    assert "an online plan has its own interval, but rec was requested" in found.err


@pytest.mark.parametrize("price", ["nan", "inf"])
def test_a_price_that_is_no_number_is_refused(price: str) -> None:
    found = fewlabels("plan", *SMALL, *RECALL, "--cost-per-label", price, "--json")
    assert found.code == USAGE
    assert "--cost-per-label must be a number" in found.err


@pytest.mark.parametrize(
    "silly",
    [
        ("--budget", "100", "--pilot", "60"),
        ("--budget", "100", "--pilot", "5"),
        ("--budget", "100", "--pilot", "30", "--grow-to", "200"),
        ("--budget", "100", "--design", "manual", "--takes", "50,60", "--cut", "edges:0.9"),
        ("--design", "manual", "--takes", "50,-5", "--cut", "edges:0.9"),
        ("--budget", "601"),
    ],
)
def test_a_plan_that_cannot_be_fixed_is_refused_in_the_preview_and_leaves_no_study(silly: tuple[str, ...]) -> None:
    assert fewlabels("plan", *SMALL, *RECALL, *silly).code == REFUSED
    assert fewlabels("plan", *SMALL, *RECALL, *silly, "--study", "s").code == REFUSED
    ok("plan", *SMALL, "--goal", "f1 +-0.2", "--budget", 100, "--study", "s")


@pytest.mark.parametrize(
    "unheard", [("--pilot", "30"), ("--html", "p.html"), ("--cost-per-label", "2"), ("--level", "0.9"), ("--rule", "majority")]
)
def test_a_top_up_refuses_what_it_does_not_hear(unheard: tuple[str, ...]) -> None:
    ok("plan", *SMALL, *RECALL, "--budget", 100, "--study", "s")
    found = fewlabels("plan", "--study", "s", "--budget", 150, *unheard)
    assert found.code == USAGE
    assert unheard[0] in found.err
    assert "100" in ok("status", "s").out


def test_a_doctor_without_a_usable_answer_says_so(folder: Path) -> None:
    (folder / "few.csv").write_text("unit,answer\nu1,cannot_tell\n")
    assert "were not checked" in ok("doctor", *SMALL, "--answers", "few.csv").out
