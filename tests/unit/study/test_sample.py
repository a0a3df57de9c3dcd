"""A sample drawn elsewhere becomes a study, or is refused with the rule, the values and the way out."""

from collections.abc import Callable
from typing import Any

import pytest

from fewlabels.errors import DrawError, FewlabelsError, LabelError, PlanError, PopulationError, StudyError
from fewlabels.nouns.policy import parse_policy
from fewlabels.nouns.works_with import Trait
from fewlabels.study.sample import from_sample
from fewlabels.study.study import Study

STRATA = {"stratum": "region", "stratum_size": "size"}


def table(**columns: Any) -> dict[str, Any]:
    """Ten of 40 units in the north, five of 10 in the south; both strata mix predictions."""
    made: dict[str, Any] = {
        "id": [f"u{i}" for i in range(15)],
        "flag": [i % 2 == 0 for i in range(15)],
        "answer": ["yes" if i % 2 == 0 or i == 1 else "no" for i in range(15)],
        "probability": [0.25] * 10 + [0.5] * 5,
        "region": ["north"] * 10 + ["south"] * 5,
        "size": [40] * 10 + [10] * 5,
    }
    return {**made, **columns}


def read(columns: dict[str, Any] | None = None, **how: Any) -> Study:
    asked: dict[str, Any] = {"name": "read", "goals": "accuracy >= 0.3", "predicted": "flag", "ledger": "sqlite:///:memory:"}
    return from_sample(table() if columns is None else columns, **{**asked, **STRATA, **how})


def changed(values: list[Any], at: int, value: Any) -> list[Any]:
    return [*values[:at], value, *values[at + 1 :]]


def test_a_sample_is_a_study_with_numbers_report_gate_and_record() -> None:
    study = read()
    shown = study.estimate()
    assert shown["precision"].value == 1.0
    assert shown["accuracy"].value == pytest.approx(1 - 4 / 50)  # one false negative stands for four of fifty units
    assert shown.about == "about the 50 units that the sample was drawn from"
    assert Trait.ELSEWHERE in study.standing.traits
    decision = study.decide()
    assert decision is not None
    assert decision.goals[0].status == "met"
    assert decision.reasons[-1] == "accuracy of classifier is too thin to ship on: effective n 14, at least 30 needed"
    assert decision.more is None  # no labels can be added
    assert study.gate(parse_policy('rule = [{metric = "accuracy", target = ">= 0.3"}]')).verdict == "label_more"
    assert study.report()["estimates"]
    assert study.verify(population=True).findings == ()
    assert study.ask(10) is None  # nothing is left to hand out


def test_reading_it_again_changes_nothing_and_another_is_refused(tmp_path: Any) -> None:
    ledger = f"sqlite:///{tmp_path}/ledger.db"
    first = read(ledger=ledger)
    entries = first.ledger.last("read")
    assert read(ledger=ledger).ledger.last("read") == entries
    other = table(answer=changed(table()["answer"], 0, "no"))
    with pytest.raises(StudyError, match="exists on another table or sample"):
        read(other, ledger=ledger)
    with pytest.raises(StudyError, match="read this sample with the goals"):
        read(ledger=ledger, goals="recall >= 0.5")
    found = Study.load("read", ledger=ledger, table=other).verify(population=True)
    assert "its rows are not those that were read" in found.findings[0]


def test_an_empty_answer_is_one_that_nobody_gave() -> None:
    study = read(table(answer=changed(changed(table()["answer"], 2, None), 5, " ")))
    done = study.progress()
    assert (done.answered, done.never_answered, done.complete) == (13, 2, True)
    assert study.verify().findings == ()


def test_sizes_that_are_estimated_widen_and_known_ones_do_not() -> None:
    pure = table(region=[f"{r}{f}" for r, f in zip(table()["region"], table()["flag"], strict=True)])
    n = {name: pure["region"].count(name) for name in pure["region"]}
    size = [n[r] * (4 if r.startswith("north") else 2) for r in pure["region"]]
    known, estimated = read({**pure, "size": size}), read()
    one, other = known.estimate()["prevalence"], estimated.estimate()["prevalence"]
    assert one.value == pytest.approx(other.value)
    assert other.standard_error is not None
    assert one.standard_error is not None
    assert other.standard_error > one.standard_error
    assert other.high - other.low > one.high - one.low


def test_units_like_these_and_clusters_of_a_sample() -> None:
    about = read(about="process")
    assert about.estimate().about == "about units like the 50 units that the sample was drawn from, the process that they came from"
    clustered = read(table(family=[f"f{i // 2}" for i in range(15)]), cluster="family")
    assert "8 of them in the sample" in clustered.estimate().about
    assert clustered.verify(population=True).findings == ()


@pytest.mark.parametrize(("flag", "shows", "lacks"), [(True, "precision", "recall"), (False, "negative_predictive_value", "accuracy")])
def test_a_side_that_was_not_drawn_is_unknown_and_not_empty(flag: bool, shows: str, lacks: str) -> None:
    """Of flagged units alone, recall would otherwise be exactly 1."""
    study = read(table(flag=[flag] * 15), goals=f"{shows} >= 0.1")
    found = {one.metric for one in study.estimate().estimates}
    assert shows in found
    assert not found & {lacks, "f1", "prevalence"}
    with pytest.raises(StudyError, match="cannot estimate"):
        study.estimate()[lacks]
    with pytest.raises(PlanError, match=f"{lacks} needs .* but none of the sample is"):
        read(table(flag=[flag] * 15), goals=f"{lacks} >= 0.1")
    assert study.verify().findings == ()
    study.report()


REFUSED: dict[str, tuple[Callable[[], Study], type[FewlabelsError], str]] = {
    "no name": (lambda: read(name=""), StudyError, "a study needs a name"),
    "no goal": (lambda: read(goals=[]), PlanError, "a study needs a goal"),
    "stratum without size": (lambda: read(stratum_size=None), StudyError, "name both columns, or neither"),
    "no such column": (lambda: read(probability="pi"), PopulationError, "'pi'"),
    "a weight": (lambda: read(table(probability=[4.0] * 15)), DrawError, "is .4.0. for unit .*a probability is 1 / weight"),
    "zero": (lambda: read(table(probability=[0.0] * 15)), DrawError, "above 0 and at most 1"),
    "no number": (lambda: read(table(probability=["x"] * 15)), DrawError, "above 0 and at most 1, but 'probability' is 'x'"),
    "no probability": (lambda: read(table(probability=changed(table()["probability"], 3, None))), DrawError, "'u3'"),
    "no stratum": (lambda: read(table(region=changed(table()["region"], 3, None))), DrawError, "every unit needs a stratum.*'u3'"),
    "two sizes": (lambda: read(table(size=changed(table()["size"], 3, 41))), DrawError, "is 40, 41 in stratum 'north'"),
    "a broken size": (lambda: read(table(size=[40.5] * 10 + [10] * 5)), DrawError, "a whole number of units"),
    "more than there are": (lambda: read(table(size=[9] * 10 + [10] * 5)), DrawError, "'north' has 9 and 10 were drawn"),
    "another probability": (
        lambda: read(table(probability=[0.2] * 10 + [0.5] * 5)),
        DrawError,
        "stratum 'north' has 10 of 40, which is 0.25, and probabilities from 0.2 to 0.2",
    ),
    "a lonely unit": (
        lambda: read(table(region=["north"] * 14 + ["south"], size=[40] * 14 + [10], probability=[0.35] * 14 + [0.1])),
        DrawError,
        "'south' has 1 of 10: join it",
    ),
    "twice": (lambda: read(table(id=["u1", "u1", *table()["id"][2:]])), PopulationError, "u1"),
    "no answer": (lambda: read(table(answer=[None] * 14 + ["cannot tell"])), LabelError, "none of its 15 units has one in 'answer'"),
    "a strange answer": (lambda: read(table(answer=changed(table()["answer"], 3, "maybe"))), LabelError, "got 'maybe'"),
    "a slice": (lambda: read(goals="recall in region=north >= 0.5"), FewlabelsError, "region"),
    "clusters about the table": (lambda: read(table(f=["a"] * 15), cluster="f", about="table"), PlanError, "leave the cluster out"),
    "nothing judged": (lambda: read(predicted=None), FewlabelsError, "score"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_read_is_refused_with_the_way_out(case: str) -> None:
    ask, error, says = REFUSED[case]
    with pytest.raises(error, match=says):
        ask()


def test_nothing_is_recorded_of_a_sample_that_is_refused(tmp_path: Any) -> None:
    ledger = f"sqlite:///{tmp_path}/ledger.db"
    with pytest.raises(LabelError):
        read(table(answer=changed(table()["answer"], 3, "maybe")), ledger=ledger)
    assert read(ledger=ledger).progress().complete
