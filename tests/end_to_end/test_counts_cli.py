"""`fewlabels estimate --counts`, and the kinds of interval on the command line."""

from pathlib import Path

import pytest

from fewlabels.cli.main import REFUSED
from fewlabels.intervals.registered import INTERVALS
from fewlabels.nouns.metrics import COMMON, METRICS
from tests.end_to_end.commands import fewlabels, ok, real
from tests.unit.study.made import write_csv

COUNTS = ("estimate", "--counts", "tp=45,fp=5,fn=8,tn=442")
SIZES = ("--flagged-units", 12_000, "--unflagged-units", 988_000)
BASELINES = {one.name: one.caution for one in INTERVALS if one.is_baseline}


def test_counts_are_shown_with_effective_n_beside_every_number() -> None:
    found = ok(*COUNTS)
    head, *rows = found.out.split("\n\n")[0].splitlines()
    assert head.split()[:3] == ["metric", "value", "interval"]
    assert "effective n" in head
    assert [row.split()[0] for row in rows] == list(COMMON)
    assert rows[0].split() == ["precision", "0.900", "0.782", "..", "0.967", "0.118", "50", "50", "1.00"]
    assert "level 0.95, interval placed" in found.out
    assert "one simple random draw" in found.err


def test_known_sides_and_one_sided_bounds() -> None:
    found = ok(*COUNTS, *SIZES, "--one-sided", "--metric", "recall", "--metric", "mcc", "--level", 0.9)
    _, head, recall, mcc = found.out.split("\n\n")[1].splitlines()
    assert head.split("  ")[0] == "metric"
    assert "at least  at most" in head
    assert (recall.split()[0], mcc.split()[0]) == ("recall", "mcc")
    assert "level 0.9, interval placed" in found.out
    assert "drawn from it at random" in found.err


def test_counts_as_json() -> None:
    found = ok(*COUNTS, "--json", "--all").json
    assert found["counts"] == {"tp": 45, "fp": 5, "fn": 8, "tn": 442}
    assert {e["metric"] for e in found["estimates"]} == set(METRICS)
    recall = next(e for e in found["estimates"] if e["metric"] == "recall")
    assert recall["low"] < recall["at_least"] < 45 / 53 < recall["at_most"] < recall["high"]
    assert len(ok(*COUNTS, "--json").json["estimates"]) == len(COMMON)


def test_a_baseline_says_where_it_fails() -> None:
    assert f"caution: {BASELINES['wald']}" in ok(*COUNTS, "--interval", "wald").err


def test_what_is_unknown_says_why() -> None:
    found = ok("estimate", "--counts", "tp=0,fp=0,fn=0,tn=9")
    assert "unknown" in found.out
    assert "precision: precision is 0/0 on these counts" in found.err


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (("estimate",), 2, "Name a STUDY"),
        (("estimate", "demo", "--counts", "tp=1,fp=1,fn=1,tn=1"), 2, "one of them"),
        (("estimate", "demo", "--level", "0.9", "--metric", "f1"), 2, "Only with --counts: --metric, --level"),
        ((*COUNTS, "--peek"), 2, "--peek is for a study"),
        (("estimate", "--counts", "tp=1,fp=2"), 2, "tp, fp, fn and tn once each"),
        (("estimate", "--counts", "tp=1,fp=2,fn=3,tn=4,tn=4"), 2, "once each"),
        (("estimate", "--counts", "tp=1,fp=2,fn=3,tn=x"), REFUSED, "tn must be a whole number"),
        (("estimate", "--counts", "tp=1,fp=2,fn=3,tn=-4"), REFUSED, "got -4"),
        ((*COUNTS, "--flagged-units", 40), REFUSED, "give both"),
        ((*COUNTS, "--flagged-units", 40, "--unflagged-units", 900), REFUSED, "50 labels are more than 40 units"),
        ((*COUNTS, "--level", 2), REFUSED, "a level must lie in"),
        ((*COUNTS, "--interval", "wilson", "--metric", "mcc"), REFUSED, "mcc is not one"),
        ((*COUNTS, "--interval", "bootstrap"), 2, "bootstrap"),
    ],
    ids=str,
)
def test_a_wrong_call_is_refused_with_the_way_out(args: tuple[object, ...], code: int, message: str) -> None:
    found = fewlabels(*args)
    assert found.code == code
    assert message in found.err
    refused = fewlabels(*args, "--json")
    assert refused.code == code
    assert message in refused.json["error"]["message"]


def test_help_shows_an_example_with_counts() -> None:
    assert "fewlabels estimate --counts tp=45,fp=5,fn=8,tn=442" in ok("estimate", "--help").out


def test_counts_need_no_database_and_no_engine() -> None:
    program = (
        "import sys\nfrom fewlabels.cli.main import main\ntry: main()\nexcept SystemExit as e: assert not e.code\n"
        "heavy = {'duckdb', 'sqlalchemy', 'alembic', 'pandas'} & set(sys.modules); assert not heavy, heavy"
    )
    assert real(*COUNTS, program=program).code == 0


# ---------------------------------------------------------------- intervals of `simulate` and `plan`


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    monkeypatch.chdir(tmp_path)
    write_csv(tmp_path / "t.csv")
    return ("t.csv", "--score", "score", "--threshold", "0.5")


@pytest.mark.parametrize("kind", [one.name for one in INTERVALS if not one.running])
def test_simulate_takes_every_kind_and_notes_the_baselines(kind: str, table: tuple[str, ...]) -> None:
    options = ("--truth", "y", "--metric", "recall", "--design", "simple", "--labels", 60, "--reps", 4, "--interval", kind)
    found = ok("simulate", *table, *options)
    assert (f"note: {BASELINES.get(kind)}" in found.err) == (kind in BASELINES)
    first, second = (ok("simulate", *table, *options, "--json").json for _ in range(2))
    assert first == second  # the seed says it all, resampling included
    assert first["cells"][0]["interval"] == kind


def test_simulate_of_counts_on_bands_names_the_way_out(table: tuple[str, ...]) -> None:
    found = fewlabels("simulate", *table, "--truth", "y", "--metric", "recall", "--labels", 60, "--reps", 4, "--interval", "wilson")
    assert found.code == REFUSED
    assert "--design simple" in found.err


def test_a_plan_may_decide_by_midp(table: tuple[str, ...]) -> None:
    plan = ("plan", *table, "--goal", "precision +-0.1")
    rec, midp = (ok(*plan, "--interval", kind, "--json").json["goals"][0]["labels"] for kind in ("rec", "midp"))
    assert midp < rec
    ok(*plan, "--budget", 40, "--interval", "midp", "--study", "s")
    assert fewlabels(*plan, "--interval", "wald").code == 2
