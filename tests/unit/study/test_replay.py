"""State is a fold: the same entries give the same Standing, and every prefix of them is a study, too."""

import time
from pathlib import Path

import numpy as np
import pytest

from fewlabels.errors import StudyError
from fewlabels.ledgers.base import Entry
from fewlabels.nouns.label import Label
from fewlabels.study.estimate.estimates import read_estimates
from fewlabels.study.state.progress import progress
from fewlabels.study.state.replay import replay
from fewlabels.study.state.standing import Standing
from tests.unit.study.made import create, finished, label_all, ledger_in, truth_of


def plain(standing: Standing) -> dict[str, object]:
    """A Standing as plain data, to compare."""
    return {
        "name": standing.name,
        "population": standing.population,
        "profile": standing.profile.as_json(),
        "salt": standing.salt,
        "goals": standing.goals,
        "plans": [plan.as_json() for plan in standing.plans],
        "units": standing.units.as_json() if standing.units else None,
        "drawn": standing.drawn_plans,
        "batches": standing.batches,
        "answers": {unit: dict(answers) for unit, answers in standing.answers.items()},
        "order": [(unit, list(answers)) for unit, answers in standing.answers.items()],
        "looks": standing.looks,
    }


@pytest.fixture
def entries(tmp_path: Path) -> list[Entry]:
    """A long life: a batch, two labelers, a correction, a peek, a look, growth, another look."""
    study = create(tmp_path)
    study.plan(30)
    batch = study.ask(10)
    assert batch is not None
    study.tell([Label(unit=u, answer="yes", labeler="ada") for u in batch.units])
    study.tell([Label(unit=u, answer="no", labeler="bob") for u in batch.units[:3]])
    study.tell([Label(unit=batch.units[0], answer="cannot_tell", labeler="ada")], correct=True)
    study.estimate(peek=True)
    label_all(study)
    study.estimate()
    study.plan(45)
    second = study.ask(5)
    assert second is not None
    study.tell(truth_of(second.units))
    study.close()
    study.estimate()
    return ledger_in(tmp_path).entries("s")


def test_the_same_entries_give_the_same_standing(entries: list[Entry]) -> None:
    before = [e._replace() for e in entries]
    first, second = replay(entries), replay(entries)
    assert plain(first) == plain(second)
    assert read_estimates(first).as_json() == read_estimates(second).as_json()
    assert entries == before  # replaying changes nothing


def test_times_and_hashes_do_not_matter(entries: list[Entry]) -> None:
    other = [e._replace(at=f"1970-01-{i % 28 + 1:02}", hash="x", seal=None) for i, e in enumerate(entries)]
    assert plain(replay(other)) == plain(replay(entries))


def test_every_prefix_is_where_the_study_stood(entries: list[Entry]) -> None:
    for end in range(len(entries) + 1):
        part = entries[:end]
        if "study" not in {e.kind for e in part}:
            with pytest.raises(StudyError, match="not created completely"):
                replay(part)
            continue
        standing = replay(part)
        done = progress(standing)
        assert done.labels <= done.planned or not standing.plans
        told = {e.body["unit"] for e in part if e.kind == "answer"}
        assert set(standing.answers) == told
        assert done.labels == len(told)
        if standing.units is not None:
            assert set(standing.units.unit) == set(told) | set(standing.unresolved)


def test_a_shown_estimate_is_that_of_the_entries_before_it(entries: list[Entry]) -> None:
    looks = [i for i, e in enumerate(entries) if e.kind == "look"]
    assert len(looks) == 3
    for i in looks:
        again = read_estimates(replay(entries[:i]), peek=not entries[i].body["certified"])
        assert [e.as_json() for e in again.estimates] == entries[i].body["estimates"]


def test_numbers_do_not_depend_on_the_order_answers_came_in(tmp_path: Path) -> None:
    study = finished(tmp_path)
    entries = ledger_in(tmp_path).entries("s")
    answers = [i for i, e in enumerate(entries) if e.kind == "answer"]
    turned = list(entries)
    for i, j in zip(answers, reversed(answers), strict=True):
        turned[i] = entries[j]
    assert read_estimates(replay(turned)).as_json() == study.estimate().as_json()


def test_what_was_drawn_cannot_be_written_over(entries: list[Entry]) -> None:
    units = replay(entries).units
    assert units is not None
    with pytest.raises(ValueError, match="read-only"):
        units.number[0] = np.int64(1)


def test_folding_answers_after_a_look_takes_time_in_proportion(entries: list[Entry]) -> None:
    """For each answer after a look, all earlier ones were copied: 20,000 took 25 s. Four times the answers may take eight times as long."""
    answer = next(e for e in entries if e.kind == "answer")
    look, draw = (next(e for e in entries if e.kind == kind) for kind in ("look", "draw"))

    def took(many: int) -> float:
        told = [answer._replace(body={**answer.body, "unit": f"unit-{i}"}) for i in range(many)]
        again = [e._replace(body={**e.body, "labeler": "eve"}) for e in told]
        units = {name: None if values is None else [values[0]] * many for name, values in draw.body["units"].items()}
        drawn = draw._replace(body={**draw.body, "units": {**units, "unit": [f"unit-{i}" for i in range(many)]}})
        begun = time.process_time()
        replay([*entries[: draw.serial - 1], drawn, *told, look, *again])
        return time.process_time() - begun

    took(100)
    small, large = (min(took(many) for _ in range(3)) for many in (2_000, 8_000))
    assert large < 8 * small
