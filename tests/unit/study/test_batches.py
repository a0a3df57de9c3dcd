"""Handing out units: once each, again until answered, in an order that tells nothing."""

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr

from fewlabels.errors import FingerprintError, PlanError, StudyError
from fewlabels.study.study import Study
from tests.unit.study.made import TABLE, TRUTH, batches_of, columns, create, kinds, ledger_in, rows, truth_of, write_csv


def planned(folder: Path, budget: int = 40) -> Study:
    study = create(folder)
    study.plan(budget)
    return study


def asked(study: Study, units: int, *, more: bool = False) -> tuple[str, ...]:
    batch = study.ask(units, more=more)
    assert batch is not None
    return batch.units


def test_the_open_batch_is_issued_again(tmp_path: Path) -> None:
    study = planned(tmp_path)
    first = study.ask(10)
    before = rows(tmp_path)
    assert study.ask(10) == first
    assert study.ask(3) == first
    assert study.ask(30) == first
    assert rows(tmp_path) == before


def test_an_open_batch_shrinks_as_it_is_answered(tmp_path: Path) -> None:
    study = planned(tmp_path)
    units = asked(study, 10)
    study.tell(truth_of(units[:4]))
    assert asked(study, 10) == units[4:]
    study.tell(truth_of(units[4:]))
    assert not set(asked(study, 10)) & set(units)


def test_next_hands_out_new_units(tmp_path: Path) -> None:
    study = planned(tmp_path)
    first, second = asked(study, 10), asked(study, 10, more=True)
    assert not set(first) & set(second)
    both = study.ask(10)
    assert both is not None
    assert set(both.units) == set(first) | set(second)
    assert both.number == 2


def test_next_stops_when_all_are_handed_out_although_some_are_open(tmp_path: Path) -> None:
    study = planned(tmp_path)
    asked(study, 30)
    assert len(asked(study, 30, more=True)) == 10
    assert study.ask(30, more=True) is None
    assert len(asked(study, 1)) == 40


def test_none_at_the_end(tmp_path: Path) -> None:
    study = planned(tmp_path)
    seen: list[str] = []
    while batch := study.ask(7):
        assert len(batch.units) == min(7, 40 - len(seen))
        seen += batch.units
        study.tell(truth_of(batch.units))
    assert len(seen) == len(set(seen)) == 40
    assert study.ask(7) is None
    assert study.ask(7, more=True) is None
    study.plan(41)
    assert len(asked(study, 7)) == 1


def test_batches_follow_the_asking_order(tmp_path: Path) -> None:
    study = planned(tmp_path)
    units = study_units(study)
    for start in range(0, 40, 10):
        batch = asked(study, 10, more=True)
        assert set(batch) == set(units[start : start + 10])


def study_units(study: Study) -> tuple[str, ...]:
    study.ask(1)
    units = study.standing.units
    assert units is not None
    first = batches_of(study)[0]
    study.tell(truth_of(first))
    return units.unit[1:] if units.unit[0] in first else units.unit


def test_the_order_within_a_batch_is_not_the_asking_order(tmp_path: Path) -> None:
    study = planned(tmp_path, 200)
    batch = asked(study, 200)
    units = study.standing.units
    assert units is not None
    assert set(batch) == set(units.unit)
    assert batch != units.unit
    assert batch != tuple(sorted(batch))


def test_the_position_in_a_batch_says_nothing_about_the_score(tmp_path: Path) -> None:
    score = dict(zip(TABLE["id"], TABLE["score"], strict=True))
    found = []
    for i in range(20):
        study = create(tmp_path, f"s{i}")
        study.plan(200)
        batch = asked(study, 200)
        found.append(spearmanr(range(200), [score[u] for u in batch]).statistic)
    # Under no relation a rank correlation of 200 has standard deviation 1/sqrt(199); 20 of them average to 0.0159. 5.2 sd: below 1e-6.
    assert abs(np.mean(found)) < 5.2 / np.sqrt(199 * 20)


def test_a_batch_holds_at_least_one_unit(tmp_path: Path) -> None:
    study = planned(tmp_path)
    for units in (0, -1):
        with pytest.raises(PlanError, match="units must be at least 1"):
            study.ask(units)
    assert kinds(study, tmp_path) == ["population", "study", "plan"]


def test_a_changed_population_refuses_the_draw(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "t.csv")
    study = create(tmp_path, table=str(path))
    study.plan(40)
    before = rows(tmp_path)
    scores = np.asarray(TABLE["score"]).copy()
    scores[0] = 0.999 if scores[0] < 0.5 else 0.001
    write_csv(path, {**TABLE, "score": scores})
    with pytest.raises(FingerprintError, match=r"must be the one the study was made on .*differs in .*: restore it, or start a new study"):
        study.ask(10)
    write_csv(path, columns(399))
    with pytest.raises(FingerprintError, match="the table now has 399 units"):
        study.ask(10)
    assert rows(tmp_path) == before
    write_csv(path)
    assert len(asked(study, 10)) == 10


def test_a_changed_table_in_memory_refuses_the_draw(tmp_path: Path) -> None:
    create(tmp_path).plan(40)
    changed = Study.load("s", ledger=ledger_in(tmp_path), table=columns(400, seed=8))
    with pytest.raises(FingerprintError):
        changed.ask(10)


def test_a_draw_already_made_does_not_read_the_population(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "t.csv")
    study = create(tmp_path, table=str(path))
    study.plan(40)
    first = asked(study, 10)
    path.unlink()
    assert asked(study, 10) == first
    assert len(asked(study, 30, more=True)) == 30


def test_labelers_see_named_columns_and_never_a_score(tmp_path: Path) -> None:
    study = planned(tmp_path)
    units = asked(study, 3)
    assert study.fetch(units, columns=["text"]) == [{"text": f"text of {u}"} for u in units]
    for shown in (["score"], ["text", "score"]):
        with pytest.raises(StudyError, match="labelers see no score, prediction or guide, but score was requested"):
            study.fetch(units, columns=shown)


def test_predictions_and_the_guide_are_hidden_too(tmp_path: Path) -> None:
    table = {**TABLE, "flag": (np.asarray(TABLE["score"]) > 0.3), "p": TABLE["score"]}
    study = create(tmp_path, table=table, score=None, threshold=None, predicted="flag", guide="p")
    study.plan(20)
    units = asked(study, 3)
    for column in ("flag", "p"):
        with pytest.raises(StudyError, match="labelers see no"):
            study.fetch(units, columns=[column])
    assert TRUTH.keys() >= set(units)
