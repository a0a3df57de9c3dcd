"""fewlabels.toml stands in for what is not given: names, options, the ledger. What is given wins, then the environment."""

import json
from pathlib import Path

import pytest

from fewlabels.study.study import Study
from tests.end_to_end.commands import Prepared, fewlabels, ok
from tests.unit.study.made import TABLE, TRUTH, write_csv

FILE = """
study = "w46"
population = "t.csv"
score = "score"
threshold = 0.5
goals = ["precision +-0.1"]
budget = 20
show = ["text"]
"""
FROM = "study w46, from fewlabels.toml\n"


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FEWLABELS_LEDGER", "FEWLABELS_CONFIG"):
        monkeypatch.delenv(name, raising=False)


def write_files() -> None:
    write_csv(Path("t.csv"), {**TABLE, "text": [f"text {unit}" for unit in TABLE["id"]]})
    Path("fewlabels.toml").write_text(FILE)


def plan() -> None:
    write_files()
    ok("plan")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a table and a configuration, to be in."""
    monkeypatch.chdir(tmp_path)
    write_files()
    return tmp_path


@pytest.fixture
def planned(prepared: Prepared, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same with the plan fixed."""
    folder = prepared("planned", plan)
    monkeypatch.chdir(folder)
    return folder


def answered(folder: Path) -> Path:
    """A file of every answer."""
    path = folder / "answers.csv"
    path.write_text("unit,answer\n" + "".join(f"{unit},{'yes' if truth else 'no'}\n" for unit, truth in TRUTH.items()))
    return path


def test_plan_alone_plans_what_the_file_says(folder: Path) -> None:
    found = ok("plan")
    assert "study w46, from fewlabels.toml" in found.err
    assert "from fewlabels.toml: score, threshold, goals, budget" in found.err
    assert "plan 1 of study w46 is locked: 20 labels" in found.err
    study = Study.load("w46")
    assert [str(goal) for goal in study.standing.plan.goals] == ["precision +-0.1"]
    assert study.standing.population["source"] == str(folder / "t.csv")
    assert ok("sheet").out.startswith("labelers of w46 see text\n")


def test_what_the_file_says_is_as_if_it_had_been_typed(planned: Path) -> None:
    typed = ("plan", "t.csv", "--score", "score", "--threshold", 0.5, "--goal", "precision +-0.1", "--budget", 20, "--study", "w46")
    (planned / "fewlabels.toml").unlink()
    assert ok(*typed, "--json").json["plan"]["number"] == 1  # the same call, so no other plan
    assert Study.load("w46").standing.plan.number == 1


def test_the_whole_path_without_a_name(planned: Path) -> None:
    drawn = ok("draw", "--units", 20, "--out", "batch.csv")
    assert drawn.err.startswith(FROM)
    assert (planned / "batch.csv").read_text().splitlines()[0] == "unit,text,answer"
    told = ok("tell", answered(planned), "--drawn-only")
    assert told.err.startswith(FROM)
    assert "20 recorded" in told.out
    for command in (("status",), ("estimate",), ("decide",), ("thresholds",), ("labelers",), ("verify",), ("sheet",)):
        found = ok(*command, "--json")
        assert found.json.get("study") == "w46", command
        assert found.err.startswith(FROM), command
    assert fewlabels("slices", "--by", "country").code == 5  # read, and refused for what is in it: there is no slice


def test_a_name_that_is_given_wins(planned: Path) -> None:
    ok("plan", "t.csv", "--study", "w47", "--budget", 10)
    found = ok("status", "w47", "--json")
    assert (found.json["study"], found.json["plan"]["budget"]) == ("w47", 10)
    assert "from fewlabels.toml" not in found.err
    assert ok("status", "--json").json["plan"]["budget"] == 20


def test_an_option_replaces_what_the_file_says_of_the_same_name(folder: Path) -> None:
    ok("plan", "--budget", 15, "--goal", "recall +-0.2", "--study", "other")
    plan = Study.load("other").standing.plan
    assert (plan.budget, [str(goal) for goal in plan.goals]) == (15, ["recall +-0.2"])
    assert Study.load("other").standing.read_population().classifiers[0].threshold == 0.5


def test_a_classifier_that_is_given_replaces_those_of_the_file(folder: Path) -> None:
    ok("plan", "--classifier", "strict=score@0.7", "--study", "other", "--budget", 10)
    assert [(c.name, c.threshold) for c in Study.load("other").standing.read_population().classifiers] == [("strict", 0.7)]


def test_a_population_that_is_given_is_not_planned_under_the_name_of_the_file(folder: Path) -> None:
    found = ok("plan", "t.csv", "--json")
    assert found.json["plan"] is None
    assert not (folder / "fewlabels.db").exists()


def test_a_dry_run_fixes_nothing(folder: Path) -> None:
    assert ok("plan", "--dry-run", "--json").json["plan"] is None
    assert not (folder / "fewlabels.db").exists()
    ok("plan")
    assert fewlabels("plan", "--dry-run", "--budget", 30).code == 2


def test_planning_again_says_so_and_a_larger_budget_in_the_file_is_taken(planned: Path) -> None:
    again = ok("plan")
    assert "study w46 is planned already: 20 labels" in again.out
    assert ok("plan", "--json").json["plan"]["number"] == 1
    (planned / "fewlabels.toml").write_text(FILE.replace("budget = 20", "budget = 30"))
    raised = ok("plan")
    assert "10 more labels, 30 in all" in raised.out
    assert Study.load("w46").standing.plan.budget == 30
    ok("plan", "t.csv", "--study", "w47", "--budget", 10)
    other = fewlabels("plan", "--study", "w47")  # the file's budget is its own study's
    assert (other.code, Study.load("w47").standing.plan.budget) == (2, 10)


def test_an_existing_study_hears_nothing_of_the_file_but_its_name(planned: Path) -> None:
    found = ok("plan", "--add-classifier", "strict=score@0.7", "--goal", "precision +-0.2 for strict")
    assert "precision +-0.2 for strict" in found.out
    assert len(Study.load("w46").standing.plan.goals) == 1


def test_the_next_week_is_another_study_in_the_file(planned: Path) -> None:
    (planned / "fewlabels.toml").write_text(FILE.replace("w46", "w47") + 'follows = "w46"\n')
    ok("plan")
    assert Study.load("w47").standing.follows == "w46"
    assert ok("status", "--json").json["study"] == "w47"
    found = fewlabels("change", "w46")
    assert "study w47, from fewlabels.toml" in found.err


def test_the_ledger_of_option_environment_file_in_this_order(planned: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (planned / "fewlabels.db").rename(planned / "kept.db")
    assert fewlabels("status").code == 5
    (planned / "fewlabels.toml").write_text(FILE + 'ledger = "sqlite:///kept.db"\n')
    assert ok("status", "--json").json["study"] == "w46"
    monkeypatch.setenv("FEWLABELS_LEDGER", "sqlite:///environment.db")
    assert "no ledger at environment.db" in fewlabels("status").err
    assert ok("status", "--ledger", "sqlite:///kept.db", "--json").json["study"] == "w46"


def test_a_file_elsewhere_and_its_paths(planned: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (planned / "fewlabels.toml").write_text(FILE.replace("w46", "far") + 'ledger = "sqlite:///far.db"\n')
    (planned / "deep").mkdir()
    monkeypatch.chdir(planned / "deep")
    assert fewlabels("plan").code == 2  # the file is looked for in this folder only
    ok("--config", "../fewlabels.toml", "plan")
    assert (planned / "far.db").exists()
    assert not list((planned / "deep").iterdir())
    monkeypatch.setenv("FEWLABELS_CONFIG", "../fewlabels.toml")
    assert ok("status", "--json").json["study"] == "far"
    monkeypatch.setenv("FEWLABELS_CONFIG", "none.toml")
    assert "none.toml cannot be read" in fewlabels("status").err
    monkeypatch.setenv("FEWLABELS_CONFIG", "/dev/null")
    assert "Missing argument 'STUDY'" in fewlabels("status").err


def test_one_argument_of_tell_is_the_file(planned: Path) -> None:
    ok("draw", "--units", 20, "--out", "batch.csv")
    path = answered(planned)
    assert "20 recorded" in ok("tell", path.name, "--drawn-only", "--close").out
    assert ok("tell", "w46", path.name, "--drawn-only").err.count("from fewlabels.toml") == 0
    assert ok("tell", "w46", "--close", "--json").json["study"] == "w46"
    assert ok("tell", "--close", "--json").json["study"] == "w46"
    assert fewlabels("tell").code == 2
    assert fewlabels("tell", "none.csv").code == 5
    (planned / "fewlabels.toml").unlink()
    assert "Name the FILE of answers" in fewlabels("tell", "w46").err


def test_names_of_compare_are_classifiers_unless_a_study_has_the_first(planned: Path) -> None:
    (planned / "fewlabels.toml").write_text(
        FILE.replace("w46", "two").replace('score = "score"\nthreshold = 0.5', 'classifiers = ["a=score@0.5", "b=score@0.7"]')
    )
    ok("plan")
    ok("draw", "--units", 20, "--out", "b.csv")
    ok("tell", answered(planned), "--drawn-only")
    short = ok("compare", "a", "b", "--metric", "precision", "--json")
    long = ok("compare", "two", "a", "b", "--metric", "precision", "--json")
    assert short.json == long.json
    assert "from fewlabels.toml" in short.err
    assert "from fewlabels.toml" not in long.err


def test_doctor_and_simulate_read_the_population_of_the_file(folder: Path) -> None:
    found = ok("doctor")
    assert "classifier flags" in found.out
    assert "from fewlabels.toml: score, threshold" in found.err
    (folder / "fewlabels.toml").unlink()
    refused = fewlabels("doctor")
    assert refused.code == 2
    assert "Missing argument 'POPULATION'" in refused.err


def test_sql_prints_of_the_file(planned: Path) -> None:
    assert "select" in ok("sql", "--dialect", "snowflake", "--table", "risk.scored").out.lower()


def test_deleting_takes_no_name_from_a_file(planned: Path) -> None:
    assert fewlabels("ledger", "forget", "--yes").code == 2


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('popluation = "a.csv"', "did you mean 'population'"),
        ("level = 1.5", "level"),
        ('rule = "any"', "rule = 'any' is refused by --rule"),
        ('design = "guess"', "design = 'guess' is refused by --design"),
        ('show = ["score"]', "labelers see no score"),
        ('show = ["txt"]', "did you mean 'text'"),
    ],
)
def test_a_wrong_file_is_refused_before_anything_is_recorded(folder: Path, line: str, said: str) -> None:
    kept = "".join(f"{one}\n" for one in FILE.splitlines() if not one.startswith(line.partition(" ")[0]))
    (folder / "fewlabels.toml").write_text(f"{kept}\n{line}\n")
    found = fewlabels("plan", "--json")
    assert found.code == 5
    assert said in found.err
    assert said in json.loads(found.out)["error"]["message"]
    assert not (folder / "fewlabels.db").exists()


def test_a_password_in_the_file_is_warned_of_once_and_not_shown(planned: Path) -> None:
    (planned / "fewlabels.toml").write_text(FILE + 'ledger = "postgresql://team:hush@127.0.0.1:1/fewlabels"\n')
    found = fewlabels("status", "--ledger", "sqlite:///fewlabels.db")
    assert found.code == 0
    assert found.err.count("warning: the ledger in fewlabels.toml holds a password") == 1
    assert "FEWLABELS_LEDGER" in found.err
    assert "hush" not in found.out + found.err


def test_a_hostile_name_is_seen_and_not_obeyed(folder: Path) -> None:
    (folder / "fewlabels.toml").write_text('study = "\\u001b[2J\\u0007"\n')
    found = fewlabels("status")
    assert "\\x1b[2J\\x07" in found.err
    assert "\x1b" not in found.err.splitlines()[0]


def test_the_policy_of_the_file_is_the_gates(planned: Path) -> None:
    missing = fewlabels("gate")
    assert missing.code == 2
    assert "Missing option '--policy'" in missing.err
    (planned / "fewlabels.toml").write_text(FILE + 'policy = "policy.toml"\n')
    assert "policy.toml could not be read" in fewlabels("gate").out


def test_help_does_not_read_the_file(folder: Path) -> None:
    (folder / "fewlabels.toml").write_text("broken")
    assert "Examples" in ok("plan", "--help").out
    assert "that of fewlabels.toml, else sqlite:///fewlabels.db" in " ".join(ok("status", "--help").out.split())
    assert fewlabels("status").code == 5
