"""A study whose answers arrive by themselves: provisional before the day it named, corrected after."""

from typing import Any

import pytest

from fewlabels.errors import PlanError, StudyError
from fewlabels.estimators.measuring import measure
from fewlabels.nouns.classifier import Classifier
from fewlabels.nouns.late import Arrivals, Arrived, Late
from fewlabels.nouns.metrics import metric_named
from fewlabels.randomness import stream
from fewlabels.study.population.read import read_population
from fewlabels.study.state.tallies import groups_for, read_answers, tally
from fewlabels.study.study import Study

UNITS, LABELS = 600, 150
LATE = Late(since="2025-11-01", until="2025-12-31", missing="negative", unflagged=((10, 50), (30, 40), (90, 10)))


def table() -> dict[str, Any]:
    rng = stream(5)
    score = rng.beta(0.5, 2, UNITS)
    return {"id": [f"p{i}" for i in range(UNITS)], "score": score, "truth": rng.random(UNITS) < score, "days": rng.integers(0, 100, UNITS)}


TABLE = table()


def study(late: Late | None = LATE, **how: Any) -> Study:
    population = read_population(TABLE, classifiers=how.pop("classifiers", None) or [Classifier("c", score="score", threshold=0.3)])
    made = Study.create("s", population, goals=["recall +-0.1"], ledger="sqlite:///:memory:", late=late, **how)
    made.plan(LABELS)
    return made


def arrived(made: Study, age: int) -> dict[str, bool]:
    """What people say of flagged units, and the positives that have arrived of the others."""
    made.ask(1_000, more=True)
    rows = {unit: int(unit[1:]) for unit in made.standing.units.unit} if made.standing.units else {}
    flagged = {unit: bool(TABLE["truth"][i]) for unit, i in rows.items() if TABLE["score"][i] >= 0.3}
    return flagged | {u: True for u, i in rows.items() if u not in flagged and TABLE["truth"][i] and TABLE["days"][i] <= age}


def test_numbers_are_provisional_before_the_day_and_certified_after() -> None:
    made = study()
    made.tell(arrived(made, 20), as_of="2025-11-21")
    assert made.estimate().estimates == ()
    early = made.estimate(peek=True)
    assert not early.certified
    assert any("provisional: answers may arrive until 2025-12-31, and those until 2025-11-21 are recorded" in w for w in early.warnings)
    assert any("the 50 of 100 earlier positives" in w for w in early.warnings)
    made.tell(arrived(made, 60), as_of="2025-12-31")
    made.close()
    final = made.estimate()
    assert final.certified  # the day of closing was named beforehand
    assert not any("provisional" in w for w in final.warnings)
    assert any("the 90 of 100 earlier positives" in w for w in final.warnings)
    assert made.verify().findings == ()
    assert early["recall"].half_width > final["recall"].half_width


def test_the_numbers_are_those_of_the_tally() -> None:
    """Units without an answer count as negative, and the labels are corrected once."""
    made = study()
    said = arrived(made, 20)
    made.tell(said, as_of="2025-11-21")
    standing = made.standing
    counted = tally(read_answers(standing), groups_for(standing)[0])
    assert counted.arrivals == Arrivals(None, Arrived(50, 100))
    assert int(counted.n.sum()) == LABELS
    assert int(counted.k.sum()) == sum(said.values())
    found, shown = measure(metric_named("recall"), counted, tail=0.025), made.estimate(peek=True)["recall"]
    assert (shown.value, shown.low, shown.high) == pytest.approx([float(found.value), float(found.low), float(found.high)])


def test_an_unflagged_unit_is_negative_on_closing_and_a_flagged_one_unknown() -> None:
    made = study()
    said = arrived(made, 60)
    dropped = next(unit for unit in said if TABLE["score"][int(unit[1:])] >= 0.3)
    made.tell({unit: answer for unit, answer in said.items() if unit != dropped}, as_of="2026-01-02")
    assert any("1 flagged units have no answer" in w for w in made.status().warnings)
    made.close()
    standing = made.standing
    assert standing.told(dropped)[0].answer == "never_answered"
    silent = next(u for u in standing.units.unit if u not in said) if standing.units else ""
    assert standing.told(silent)[0].answer == "no"


def test_it_is_not_closed_early() -> None:
    made = study()
    with pytest.raises(StudyError, match="none are recorded by day"):
        made.close()
    made.tell(arrived(made, 20), as_of="2025-11-21")
    with pytest.raises(StudyError, match="those until 2025-11-21 are recorded"):
        made.close()


def test_a_missing_answer_may_mean_nothing() -> None:
    made = study(Late(since="2025-11-01", until="2025-12-31"))
    made.tell(arrived(made, 60), as_of="2025-12-31")
    assert made.standing.arrivals is None
    made.close()
    assert made.progress().never_answered > 0
    assert not any("count as negative" in w for w in made.estimate().warnings)


def test_days_go_forward() -> None:
    made = study()
    made.tell({}, as_of="2025-11-21")
    with pytest.raises(StudyError, match="name that day or a later one"):
        made.tell({}, as_of="2025-11-20")
    with pytest.raises(StudyError, match="was not planned for them"):
        study(None).tell({}, as_of="2025-11-20")
    with pytest.raises(PlanError, match="write 2025-12-31"):
        made.tell({}, as_of="soon")


def test_scores_are_not_judged_by_what_has_not_arrived() -> None:
    """With nothing arrived, every high score would seem wrong."""
    made = study()
    made.tell(arrived(made, -1), as_of="2025-11-01")
    assert not any("not calibrated" in w for w in made.estimate(peek=True).warnings)


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"classifiers": [Classifier("a", score="score", threshold=0.3), Classifier("b", score="score", threshold=0.5)]}, "name that one"),
        ({"about": "process"}, "units like these"),
        ({"rule": "majority"}, "nobody votes"),
    ],
)
def test_what_was_not_shown_to_hold_is_refused(how: dict[str, Any], said: str) -> None:
    with pytest.raises(PlanError, match=said):
        study(**how)


def test_another_declaration_is_another_study(tmp_path: Any) -> None:
    population = read_population(TABLE, score="score", threshold=0.3)
    ledger = f"sqlite:///{tmp_path / 's.db'}"
    Study.create("s", population, goals=["recall +-0.1"], ledger=ledger, late=LATE)
    Study.create("s", population, goals=["recall +-0.1"], ledger=ledger, late=LATE)
    with pytest.raises(StudyError, match="choose another name"):
        Study.create("s", population, goals=["recall +-0.1"], ledger=ledger)


def test_a_day_that_has_not_come_is_refused() -> None:
    with pytest.raises(StudyError, match="as far as they have arrived, but as_of is 2125-11-21"):
        study().tell({}, as_of="2125-11-21")
