"""Creating and loading a study."""

from pathlib import Path

import pandas as pd
import pytest

from fewlabels.errors import FewlabelsError, GoalError, LedgerError, PlanError, PopulationError, StudyError
from fewlabels.nouns.classifier import Classifier
from fewlabels.randomness import new_salt
from fewlabels.study.study import Study
from tests.unit.study.made import GOALS, TABLE, columns, create, finished, kinds, label_all, ledger_in, population, rows, write_csv


def test_the_population_is_written_before_the_salt(tmp_path: Path) -> None:
    study = create(tmp_path)
    entries = ledger_in(tmp_path).entries("s")
    assert [e.kind for e in entries] == ["population", "study"]
    assert "salt" not in str(entries[0].body)
    assert entries[0].body["fingerprint"] == study.standing.profile.fingerprint
    assert len(entries[1].body["salt"]) == 32
    int(entries[1].body["salt"], 16)


def test_a_salt_is_made_only_once_the_population_is_in_the_ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[list[str]] = []

    def salt() -> str:
        seen.append([e.kind for e in ledger_in(tmp_path).entries("s")])
        return "ab" * 16

    monkeypatch.setattr("fewlabels.study.create.new_salt", salt)
    create(tmp_path)
    assert seen == [["population"]]


def test_creating_again_is_the_same_as_once(tmp_path: Path) -> None:
    study = create(tmp_path)
    before = rows(tmp_path)
    assert create(tmp_path).standing.salt == study.standing.salt
    study.plan(40)
    create(tmp_path)
    assert rows(tmp_path)[: len(before)] == before
    assert kinds(study, tmp_path) == ["population", "study", "plan"]


def test_two_studies_have_two_salts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fewlabels.study.create.new_salt", new_salt)
    assert create(tmp_path, "a").standing.salt != create(tmp_path, "b").standing.salt


def test_a_creation_cut_short_is_taken_up_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("fewlabels.study.create.new_salt", lambda: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            create(tmp_path)
    with pytest.raises(StudyError, match="not created completely: create it again"):
        Study.load("s", ledger=ledger_in(tmp_path)).plan(40)
    create(tmp_path).plan(40)
    assert [row[2] for row in rows(tmp_path)] == ["population", "study", "plan"]


@pytest.mark.parametrize(
    "how",
    [
        {"table": columns(401)},
        {"table": columns(400, seed=8)},
        {"threshold": 0.6},
        {"guide": "score"},
        {"slices": ["text"]},
        {"table": {**TABLE, "extra": TABLE["y"]}},
    ],
    ids=["more units", "other scores", "other threshold", "a guide", "a slice", "one more column"],
)
def test_another_population_under_the_same_name_is_refused(tmp_path: Path, how: dict[str, object]) -> None:
    create(tmp_path)
    before = rows(tmp_path)
    with pytest.raises(StudyError, match="'s' exists on another population: choose another name, or load it"):
        Study.create("s", population(**how), goals=list(GOALS), ledger=ledger_in(tmp_path))
    assert rows(tmp_path) == before


@pytest.mark.parametrize("goals", [["precision +-0.1"], list(reversed(GOALS)), [GOALS[0], "recall >= 0.6"], [*GOALS, "f1 +-0.1"]])
def test_other_goals_under_the_same_name_are_refused(tmp_path: Path, goals: list[str]) -> None:
    create(tmp_path)
    before = rows(tmp_path)
    with pytest.raises(StudyError, match=r"exists with the goals precision \+-0.1, recall >= 0.5"):
        create(tmp_path, goals=goals)
    assert rows(tmp_path) == before


def test_another_level_is_another_study(tmp_path: Path) -> None:
    create(tmp_path)
    with pytest.raises(StudyError, match="exists with the goals"):
        Study.create("s", population(), goals=list(GOALS), ledger=ledger_in(tmp_path), level=0.9)


@pytest.mark.parametrize(
    ("goals", "error"),
    [
        ([], PlanError),
        (["good +-0.1"], FewlabelsError),
        (["precision"], GoalError),
        (["precision +-0.1", "recall +-0.1 at 0.9"], PlanError),
    ],
)
def test_goals_that_make_no_study_leave_no_trace(tmp_path: Path, goals: list[str], error: type[FewlabelsError]) -> None:
    with pytest.raises(error):
        create(tmp_path, goals=goals)
    assert not (tmp_path / "ledger.db").exists() or rows(tmp_path) == []


def test_goals_are_about_any_classifier_of_the_population(tmp_path: Path) -> None:
    both = [Classifier("a", score="score", threshold=0.5), Classifier("b", score="score", threshold=0.2)]
    two = population(classifiers=both, score=None, threshold=None)
    with pytest.raises(PopulationError, match="no classifier 'c'"):
        Study.create("s", two, goals=["precision +-0.1 for c"], ledger=ledger_in(tmp_path))
    study = Study.create("s", two, goals=["precision +-0.1 for each"], ledger=ledger_in(tmp_path))
    assert [str(goal) for goal in study.standing.goals] == ["precision +-0.1 for a", "precision +-0.1 for b"]


def test_loading_an_unknown_study_says_which_there_are(tmp_path: Path) -> None:
    create(tmp_path, "a")
    create(tmp_path, "b")
    with pytest.raises(StudyError, match=r"no study 'c' in this ledger \(it has: a, b\)"):
        Study.load("c", ledger=ledger_in(tmp_path))


def test_loading_from_nowhere_makes_no_ledger(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match="no ledger at"):
        Study.load("s", ledger=f"sqlite:///{tmp_path}/none.db")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("table", [TABLE, pd.DataFrame(TABLE)], ids=["dict", "pandas"])
def test_a_population_in_memory_is_passed_again(tmp_path: Path, table: object) -> None:
    create(tmp_path, table=table).plan(40)
    loaded = Study.load("s", ledger=ledger_in(tmp_path))
    assert loaded.status().progress.planned == 40
    with pytest.raises(StudyError, match=r"held in memory: pass it again, Study.load\('s', table=...\)"):
        loaded.ask(10)
    with pytest.raises(StudyError, match="held in memory"):
        loaded.fetch(["u0001"], columns=["text"])
    label_all(Study.load("s", ledger=ledger_in(tmp_path), table=table))
    finished_study = Study.load("s", ledger=ledger_in(tmp_path))
    assert len(finished_study.estimate().estimates) > 0  # the ledger alone is enough
    assert finished_study.verify().passed
    assert "held in memory" in finished_study.verify(population=True).findings[0]
    assert finished_study.verify(population=True, table=table).passed


def test_dict_and_pandas_draw_the_same_units(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fewlabels.study.create.new_salt", lambda: "ab" * 16)
    units = []
    for name, table in (("dict", TABLE), ("pandas", pd.DataFrame(TABLE)), ("csv", str(write_csv(tmp_path / "t.csv")))):
        study = create(tmp_path, name, table=table)
        study.plan(40)
        batch = study.ask(1_000)
        assert batch is not None
        units.append(batch.units)
    assert units[0] == units[1] == units[2]


def test_estimates_do_not_need_the_population(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "t.csv")
    study = finished(tmp_path, table=str(path))
    expected = study.estimate().as_json()
    path.unlink()
    loaded = Study.load("s", ledger=ledger_in(tmp_path))
    assert loaded.estimate().as_json() == expected
    assert loaded.decide() is not None
    assert loaded.verify().passed
    assert not loaded.verify(population=True).passed


def test_a_study_of_any_name_walks_the_path(tmp_path: Path) -> None:
    for name in ("\u6b3a\u8a50 \U0001f575", "'; drop table entry; --", " "):
        study = create(tmp_path, name)
        study.plan(20)
        label_all(study)
        assert study.estimate().certified
        assert Study.load(name, ledger=ledger_in(tmp_path)).verify().passed
