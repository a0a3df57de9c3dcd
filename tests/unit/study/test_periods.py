"""Several studies, one a period: changes, windows and alarms."""

from pathlib import Path

import numpy as np
import pytest

from fewlabels.errors import StudyError
from fewlabels.study.study import Study
from tests.unit.study.made import GOALS, TABLE, columns, create, finished, label_all, ledger_in, population


def weeks(folder: Path, *, budget: int = 60, goals: tuple[str, ...] = ("accuracy +-0.1",)) -> list[Study]:
    """Three studies of different units, each of a third of the table."""
    found = []
    for week, rows in enumerate(np.array_split(np.arange(400), 3)):
        table = {name: np.asarray(values)[rows] for name, values in columns().items()}
        study = Study.create(f"w{week}", population(table), goals=list(goals), ledger=ledger_in(folder))
        study.plan(budget)
        label_all(study)
        found.append(study)
    return found


def test_nothing_changes_between_two_looks_at_the_same_units(tmp_path: Path) -> None:
    old = finished(tmp_path, budget=80)
    new = Study.create("n", population(), goals=list(GOALS), ledger=ledger_in(tmp_path), follows="s")
    new.plan(80)
    label_all(new)
    found = new.change(old, "recall")
    assert found.value == 0
    assert found.shared == 80
    assert found.standard_error == pytest.approx(0, abs=1e-9)
    alone = new.estimate().of("recall")
    assert found.high - found.low < alone.high - alone.low


def test_a_change_of_different_units_has_no_shared_ones(tmp_path: Path) -> None:
    first, second, _ = weeks(tmp_path)
    found = second.change(first, "accuracy")
    assert found.shared == 0
    before, after = (study.estimate().of("accuracy").value for study in (first, second))
    assert before is not None
    assert after is not None
    assert found.value == pytest.approx(after - before)
    assert found.low < after - before < found.high
    assert second.verify().passed


def test_a_window_of_censuses_is_the_whole_table(tmp_path: Path) -> None:
    studies = weeks(tmp_path, budget=133)
    found = studies[-1].window(studies[:-1], "accuracy")
    flagged = TABLE["score"] >= 0.5
    assert found.value == pytest.approx(float((flagged == TABLE["y"].astype(bool)).mean()), abs=2e-3)
    assert found.labels == 399
    assert studies[-1].verify().passed


def test_a_window_is_narrower_than_its_last_period(tmp_path: Path) -> None:
    studies = weeks(tmp_path)
    assert studies[-1].window(studies[:-1], "accuracy").half_width < studies[-1].estimate().of("accuracy").half_width


def test_an_alarm_rings_far_below_its_floor_and_not_above_it(tmp_path: Path) -> None:
    studies = weeks(tmp_path, budget=100)
    quiet = studies[-1].alarm(studies[:-1], "accuracy", floor=0.5)
    assert quiet.rang is None
    assert quiet.studies == ("w0", "w1", "w2")
    rung = studies[-1].alarm(studies[:-1], "accuracy", floor=0.99)
    assert rung.rang is not None
    assert "ever rings with probability at most 0.05" in rung.says
    assert "52 periods" in studies[-1].alarm(studies[:-1], "accuracy", floor=0.5, run_length=52).says
    assert studies[-1].verify().passed


def test_a_study_has_not_changed_since_itself(tmp_path: Path) -> None:
    old = finished(tmp_path, budget=80)
    with pytest.raises(StudyError, match="between two studies"):
        old.change(old, "recall")


def test_a_unit_counts_once(tmp_path: Path) -> None:
    old = finished(tmp_path, budget=80)
    new = Study.create("n", population(), goals=list(GOALS), ledger=ledger_in(tmp_path), follows="s")
    new.plan(80)
    label_all(new)
    for ask in (lambda: new.window([old], "recall"), lambda: new.alarm([old], "recall", floor=0.3)):
        with pytest.raises(StudyError, match="count a unit only once"):
            ask()


def test_a_period_that_is_not_finished_is_refused(tmp_path: Path) -> None:
    old = finished(tmp_path, budget=80)
    new = create(tmp_path, "n")
    new.plan(40)
    new.ask(1)
    with pytest.raises(StudyError, match="resolved"):
        new.change(old, "recall")
    one_sided = finished(tmp_path, budget=20, name="p", goals=["precision +-0.1"])
    with pytest.raises(StudyError, match="leaves out units"):
        old.change(one_sided, "recall")
