"""What a number is about, on the command line: said with every number, clusters counted, and refused where it has no meaning."""

import csv
import random
from pathlib import Path

import pytest

import fewlabels
from tests.end_to_end.commands import fewlabels as run
from tests.end_to_end.commands import ok

GOAL = ("--score", "score", "--threshold", "0.5", "--goal", "recall >= 0.6", "--goal", "recall +-0.02")
PATIENTS, IMAGES = 60, 6


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with images of patients, and the answers, to be in."""
    monkeypatch.chdir(tmp_path)
    rng = random.Random(11)
    with open("images.csv", "w", newline="") as file, open("answers.csv", "w", newline="") as told:
        rows, answers = csv.writer(file), csv.writer(told)
        rows.writerow(["id", "patient", "score"])
        answers.writerow(["id", "answer"])
        for patient in range(PATIENTS):
            share = rng.betavariate(1, 2)
            for image in range(IMAGES):
                ill = rng.random() < share
                score = rng.betavariate(4, 2) if ill else rng.betavariate(2, 4)
                rows.writerow([f"{patient}-{image}", f"patient {patient}" if patient else "", round(score, 3)])
                answers.writerow([f"{patient}-{image}", "yes" if ill else "no"])
    return tmp_path


def labeled(name: str, *more: str) -> None:
    """A study of all images."""
    ok("plan", "images.csv", *GOAL, "--budget", str(PATIENTS * IMAGES), "--study", name, *more)
    ok("draw", name, "--units", "1000", "--out", f"{name}.csv")
    ok("tell", name, "answers.csv")


def test_a_census_is_exact_about_its_table_and_not_about_units_like_these(folder: Path) -> None:
    found = {}
    for name, more in (("table", ()), ("units", ("--about", "process")), ("patients", ("--cluster", "patient"))):
        labeled(name, *more)
        shown = ok("estimate", name, "--json").json
        found[name] = next(one for one in shown["estimates"] if one["metric"] == "recall")
        verdict, gate = ok("decide", name, "--json").json["decision"], run("gate", name, "--policy", policy(folder), "--json").json
        assert shown["about"] == verdict["about"] == gate["about"]
        assert shown["about"] in ok("estimate", name).err
        assert shown["about"] in ok("decide", name).err
        ok("report", name, "--out", f"{name}.html")
        assert f"Every number is {shown['about']}." in (folder / f"{name}.html").read_text()
        verified = ok("verify", name, "--population")
        assert "everything matches" in verified.out
    widths = {name: one["high"] - one["low"] for name, one in found.items()}
    assert widths["table"] < 1e-9
    assert 0.02 < widths["units"] < widths["patients"]
    assert found["patients"]["n_eff"] < found["units"]["n_eff"] <= PATIENTS * IMAGES
    assert "exact for these" in ok("estimate", "table").err
    assert "--about process" in ok("estimate", "table").err
    assert "about units like the 360 of this table" in ok("estimate", "units").err
    assert "in 65 clusters by patient" in ok("estimate", "patients").err  # six images have no patient: each stands for itself
    assert "every unit of this table that it needs is labeled; all 360 units give +-0.081; it needs about" in ok("decide", "units").out


def policy(folder: Path) -> str:
    (folder / "policy.toml").write_text('[[rule]]\nmetric = "recall"\ntarget = 0.6\n')
    return "policy.toml"


def test_a_table_that_is_too_small_is_said_to_be(folder: Path) -> None:
    said = ok("plan", "images.csv", *GOAL, "--cluster", "patient").out
    assert "recall +-0.02: all 360 units give +-" in said
    assert "units like these in " in said
    sizes = ok("plan", "images.csv", *GOAL, "--about", "process", "--json").json["goals"]
    assert sizes[1]["labels"] is None
    assert sizes[1]["all_units"]["needed"] > 360
    assert sizes[1]["all_units"]["clusters"] is None


def test_names_of_clusters_stay_in_the_table(folder: Path) -> None:
    labeled("s", "--cluster", "patient")
    assert b"patient 7" not in (folder / "fewlabels.db").read_bytes()


def test_swapped_clusters_are_found() -> None:
    """The fingerprint of a table in memory does not notice them, the repeated draw does."""
    rng = random.Random(3)
    of = [f"p{i // 5}" for i in range(300)]
    table = {"id": [str(i) for i in range(300)], "score": [rng.random() for _ in range(300)], "of": of}
    population = fewlabels.read_population(table, score="score", threshold=0.5, cluster="of")
    study = fewlabels.Study.create("s", population, goals=["recall >= 0.6"], ledger="sqlite:///:memory:")
    study.plan(150)
    batch = study.ask(150)
    assert batch is not None
    assert study.verify(population=True, table=table).passed
    found = study.verify(population=True, table={**table, "of": of[::-1]})
    assert any("clusters" in finding for finding in found.findings)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--about", "table", "--cluster", "patient"), "clusters matter to numbers about units like these"),
        (("--cluster", "score"), "a cluster is a column that several units share"),
        (("--cluster", "nobody"), "no column 'nobody'"),
        (("--cluster", "patient", "--pilot", "60"), "pairs of units in one cluster are counted in one draw"),
        (("--about", "process", "--stopping", "decision"), "its bets are about the units of the table"),
    ],
)
def test_what_has_no_meaning_is_refused_before_anything_is_written(folder: Path, more: tuple[str, ...], said: str) -> None:
    found = run("plan", "images.csv", *GOAL[:6], "--budget", "120", "--study", "s", *more)
    assert found.code == 5
    assert said in found.err
    assert not (folder / "fewlabels.db").exists()


def test_the_configuration_file_says_it(folder: Path) -> None:
    ok("new", "images.csv", *GOAL, "--budget", "200", "--cluster", "patient", "--show", "id", "--study", "w1", "--yes")
    written = (folder / "fewlabels.toml").read_text()
    assert 'cluster = "patient"' in written
    assert 'about = "process"' in written
    assert "about units like" in ok("plan", "--study", "w1", "--budget", "300").err or ok("status", "w1").out
