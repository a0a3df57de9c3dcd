"""A policy held against a study: judged at its own levels, on what the draw can answer for, and never before the look."""

import sqlite3
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from fewlabels.deciding.verdict import Reading, judge
from fewlabels.estimators.measuring import measure
from fewlabels.nouns.classifier import Classifier
from fewlabels.nouns.gate import Gate
from fewlabels.nouns.policy import Policy, parse_policy
from fewlabels.study.estimate.estimates import shown_for
from fewlabels.study.state.tallies import read_answers
from fewlabels.study.study import Study
from tests.unit.study.made import TABLE, columns, create, finished, label_all, ledger_in, population, truth_of

NPV = "negative_predictive_value"  # of the unflagged units alone, of which there are enough
CUT = {**TABLE, "country": ["DE" if i % 3 else "BR" for i in range(len(TABLE["id"]))]}


def policy(*rules: str, top: str = "") -> Policy:
    return parse_policy(top + "\n" + "\n".join(f"[[rule]]\n{rule}" for rule in rules))


def at_least(metric: str, target: float, *more: str) -> str:
    return "\n".join([f'metric = "{metric}"', f"target = {target}", *more])


def labels_of(study: Study) -> list[str]:
    return [entry.kind for entry in study.ledger.entries(study.name)]


def test_a_rule_is_judged_as_a_goal_of_the_same_words_is(tmp_path: Path) -> None:
    study = finished(tmp_path, budget=120, goals=[f"{NPV} >= 0.6", "recall >= 0.1"])
    decision = study.decide()
    assert decision is not None
    found = study.gate(policy(at_least(NPV, 0.6), at_least("recall", 0.1)))
    assert found.verdict == "ship" == decision.outcome
    assert [(rule.estimate, rule.bound) for rule in found.rules] == [(goal.estimate, goal.bound) for goal in decision.goals]


def test_the_bound_is_at_the_policys_level_not_the_studys(tmp_path: Path) -> None:
    study = finished(tmp_path, budget=120, goals=[f"{NPV} >= 0.6"])
    found = study.gate(policy(at_least(NPV, 0.6, "level = 0.8"), at_least("accuracy", 0.5, "level = 0.99")))
    assert found.rules[1].verdict == "invalid"  # the draw was made for the unflagged units alone
    rule = found.rules[0]
    assert rule.estimate is not None
    assert rule.estimate.level == 0.8
    standing = study.standing
    shown = shown_for(standing, read_answers(standing), standing.goals[0])
    same = partial(pytest.approx, rel=1e-12)  # both bounds at once, or one after the other
    assert rule.bound == same(float(measure(shown.metric, shown.tally, tail=0.2).low))
    assert (rule.estimate.low, rule.estimate.high) == same(tuple(float(x) for x in measure(shown.metric, shown.tally, tail=0.1)[1:3]))


def test_before_the_look_nothing_is_read_and_nothing_recorded(tmp_path: Path) -> None:
    study = create(tmp_path, goals=[f"{NPV} >= 0.6"])
    study.plan(60)
    batch = study.ask(25)
    assert batch is not None
    study.tell(truth_of(batch.units))
    before = labels_of(study)
    found = study.gate(policy(at_least(NPV, 0.6)))
    assert (found.verdict, found.exit_code) == ("label_more", 3)
    assert "35 of 60 planned units are not resolved" in found.reasons[0]
    assert found.rules[0].estimate is None
    assert labels_of(study) == before


def test_what_was_seen_is_one_look_and_is_recomputed(tmp_path: Path) -> None:
    study = finished(tmp_path, budget=120, goals=[f"{NPV} >= 0.6"])
    rules = policy(at_least(NPV, 0.6, "level = 0.9"))
    first = study.gate(rules)
    entries = labels_of(study)
    assert entries.count("look") == 1
    assert study.gate(rules) == first
    assert labels_of(study) == entries
    study.gate(policy(at_least(NPV, 0.6)))
    assert labels_of(study).count("look") == 2
    assert study.verify(population=True, table=TABLE).passed
    assert study.standing.looks[0].certified


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        (at_least(NPV, 0.6, 'classifier = "gbm"'), "gbm"),
        (at_least(NPV, 0.6, 'slice = "city=Bonn"'), "'city' is not one"),
        (at_least(NPV, 0.6, 'slice = "country=FR"'), "the population has no units in that slice"),
        (at_least(NPV, 0.6, 'by = "city"'), "'city' is not one"),
        (at_least("recall", 0.4), "the draw leaves out units that recall >= 0.4 is about"),
        (at_least("recall by amount", 0.4), "amount"),
        (at_least("macro[f1]", 0.4), "several labels or classes"),
    ],
)
def test_what_the_study_cannot_answer_for_is_invalid_before_and_after_the_look(tmp_path: Path, rule: str, why: str) -> None:
    study = create(tmp_path, goals=[f"{NPV} >= 0.6"], table=CUT, slices=["country"])
    study.plan(60)
    rules = policy(at_least("negative_predictive_value", 0.5), rule)
    for _ in range(2):
        found = study.gate(rules)
        assert (found.verdict, found.exit_code) == ("invalid", 5)
        assert [r.verdict for r in found.rules][1:] == ["invalid"]
        assert why in found.rules[1].reasons[0]
        label_all(study)
    assert found.rules[0].estimate is not None


def test_slices_nobody_planned_are_judged_where_the_draw_reaches_them(tmp_path: Path) -> None:
    study = create(tmp_path, goals=["accuracy >= 0.6"], table=CUT, slices=["country"])
    study.plan(300)
    label_all(study)
    found = study.gate(policy(at_least("accuracy", 0.6, 'by = "country"')))
    assert [rule.rule.goal.slice for rule in found.rules] == [("country", "BR"), ("country", "DE")]
    for rule in found.rules:
        assert rule.verdict == "ship"
        assert rule.estimate is not None
        assert not rule.estimate.planned
        assert "not a goal of the plan" in rule.notes[0]
    shown = {e.slice: e for e in study.slices("accuracy", by=["country"]).estimates}
    assert {(r.estimate.slice, r.estimate.value, r.estimate.low) for r in found.rules if r.estimate} == {
        (part, e.value, e.low) for part, e in shown.items()
    }


def test_missing_answers_beyond_the_policys_share_make_it_invalid(tmp_path: Path) -> None:
    study = create(tmp_path, goals=[f"{NPV} >= 0.6"])
    study.plan(60)
    batch = study.ask(60)
    assert batch is not None
    study.tell({unit: "cannot_tell" if i % 6 == 0 else answer for i, (unit, answer) in enumerate(truth_of(batch.units).items())})
    strict, lenient = (study.gate(policy(at_least(NPV, 0.6, f"max_nonresponse = {share}"))) for share in (0.1, 0.2))
    assert strict.verdict == "invalid"
    assert "16.7% of its units have no usable answer, at most 10.0% allowed" in strict.rules[0].reasons[0]
    assert lenient.rules[0].nonresponse == pytest.approx(10 / 60)
    assert lenient.verdict != "invalid"


def test_a_thin_reading_asks_for_more_labels_and_says_how_many(tmp_path: Path) -> None:
    study = finished(tmp_path, budget=60, goals=["accuracy >= 0.5"])
    assert study.gate(policy(at_least("accuracy", 0.5))).verdict == "ship"
    for limit, why in (("min_n_eff = 200", "at least 200 needed"), ("max_half_width = 0.03", "at most 0.03 allowed")):
        found = study.gate(policy(at_least("accuracy", 0.5, limit)))
        assert (found.verdict, found.exit_code) == ("label_more", 3)
        assert why in found.rules[0].reasons[-1]
        assert found.more is not None
        assert found.more.enough
        assert str(found.more) in found.reasons[0]


def test_the_labels_foreseen_are_about_enough(tmp_path: Path) -> None:
    study = finished(tmp_path, budget=60, goals=["accuracy >= 0.5"])
    rules = policy(at_least("accuracy", 0.5, "max_half_width = 0.05"))
    more = study.gate(rules).more
    assert more is not None
    study.plan(60 + more.labels)
    label_all(study)
    found = study.gate(rules).rules[0].estimate
    assert found is not None
    assert found.half_width == pytest.approx(0.05, rel=0.2)  # a forecast from 60 labels


def test_a_failure_is_shown_and_spends_its_part_of_the_error(tmp_path: Path) -> None:
    study = finished(tmp_path, budget=120, goals=["accuracy >= 0.9"])
    found = study.gate(policy(at_least("accuracy", 0.99), at_least("recall", 0.05)))
    assert [rule.verdict for rule in found.rules] == ["do_not_ship", "ship"]
    assert (found.verdict, found.exit_code) == ("do_not_ship", 4)
    assert "at 0.975" in found.rules[0].reasons[0]


def test_a_half_width_alone_is_a_rule(tmp_path: Path) -> None:
    study = finished(tmp_path, budget=200, goals=["accuracy >= 0.5"])
    wide, narrow = (study.gate(policy(f'metric = "accuracy"\nmax_half_width = {w}')) for w in (0.2, 0.001))
    assert (wide.verdict, narrow.verdict) == ("ship", "label_more")


def test_a_study_closed_after_a_peek_is_invalid(tmp_path: Path) -> None:
    study = create(tmp_path, goals=[f"{NPV} >= 0.6"])
    study.plan(60)
    batch = study.ask(30)
    assert batch is not None
    study.tell(truth_of(batch.units))
    study.estimate(peek=True)
    study.close()
    found = study.gate(policy(at_least(NPV, 0.6)))
    assert found.verdict == "invalid"
    assert "closed after a peek" in found.reasons[0]
    assert not found.has_numbers


def test_a_changed_ledger_is_invalid(tmp_path: Path) -> None:
    finished(tmp_path, budget=60, goals=["accuracy >= 0.5"])
    with sqlite3.connect(tmp_path / "ledger.db") as connection:
        connection.execute("""update entry set body = replace(body, '"answer":"no"', '"answer":"yes"') where kind = 'answer'""")
    connection.close()
    found = Study.load("s", ledger=ledger_in(tmp_path)).gate(policy(at_least("accuracy", 0.5)))
    assert (found.verdict, found.exit_code) == ("invalid", 5)
    assert found.reasons
    assert not found.has_numbers


def test_growth_after_a_look_is_paid_for_in_the_bound(tmp_path: Path) -> None:
    study = finished(tmp_path, budget=60, goals=["accuracy >= 0.5"])
    rules = policy(at_least("accuracy", 0.5, "level = 0.9"))
    study.gate(rules)
    study.plan(120)
    label_all(study)
    found = study.gate(rules)
    assert study.standing.plan.share == 0.5
    assert "at 0.95" in found.rules[0].reasons[0]  # half of the error 0.1
    assert "all intervals of this study together" in found.promise


def test_differences_are_rules_too(tmp_path: Path) -> None:
    both = [Classifier("a", score="score", threshold=0.5), Classifier("b", score="score", threshold=0.9)]
    study = create(tmp_path, goals=["accuracy >= 0 for a over b"], table=TABLE, score=None, threshold=None, classifiers=both)
    study.plan(30)
    label_all(study)
    found = study.gate(policy(at_least("accuracy", -0.2, 'classifier = "a"', 'over = "b"')))
    assert found.verdict == "ship"
    assert found.rules[0].estimate is not None
    assert found.rules[0].estimate.over == "b"


def looks_at(study: Study, upto: int) -> None:
    while study.status().progress.labels < upto and (batch := study.ask(min(20, upto - study.status().progress.labels))):
        study.tell(truth_of(batch.units))


def test_planned_looks_are_read_at_their_sizes_and_shares(tmp_path: Path) -> None:
    study = create(tmp_path, goals=["accuracy >= 0.7"])
    study.plan(200, stopping="4 looks")
    rules = policy(at_least("accuracy", 0.7))
    looks_at(study, 40)
    assert study.gate(rules).verdict == "label_more"
    assert not study.gate(rules).has_numbers
    looks_at(study, 120)
    found, decision = study.gate(rules), study.decide()
    assert decision is not None
    assert found.rules[0].estimate == decision.goals[0].estimate
    assert found.rules[0].bound == decision.goals[0].bound
    assert found.rules[0].estimate is not None
    assert found.rules[0].estimate.labels == 100
    assert "planned looks were not shown to hold for recall" in study.gate(policy(at_least("recall", 0.3))).rules[0].reasons[0]
    assert study.verify().passed


def test_worst_cases_decide_where_answers_are_not_missing_at_random(tmp_path: Path) -> None:
    study = create(tmp_path, goals=["accuracy >= 0.5"])
    study.plan(300)
    flagged = {unit for unit, score in zip(TABLE["id"], TABLE["score"].tolist(), strict=True) if score >= 0.5}
    while batch := study.ask(300):
        study.tell({u: "skipped" if u in flagged and i % 2 else a for i, (u, a) in enumerate(truth_of(batch.units).items())})
    found: Gate = study.gate(policy(at_least("accuracy", 0.5), top="max_nonresponse = 0.9"))
    assert "worst case" in found.rules[0].reasons[0]
    assert any("NOT missing at random" in reason for reason in found.reasons)


def test_every_reading_of_a_rule_is_that_of_judge(tmp_path: Path) -> None:
    """No second set of rules: the bound of the gate is judge's, on the same tally."""
    study = finished(tmp_path, budget=120, goals=["accuracy >= 0.5"])
    standing = study.standing
    goal: Any = policy(at_least("accuracy", 0.5)).rules[0].goal
    one = shown_for(standing, read_answers(standing), goal)
    found = study.gate(policy(at_least("accuracy", 0.5))).rules[0]
    assert found.estimate is not None
    assert judge(Reading(goal, found.estimate, one.tally), share=1.0).bound == found.bound


def hidden_study(folder: Path) -> Study:
    """4,000 units with poor scores, of which 586 are scored where they see next to none."""
    table = columns(4_000, seed=3)
    truth = {unit: "yes" if y else "no" for unit, y in zip(table["id"], table["y"].tolist(), strict=True)}
    study = Study.create("hidden", population(table), goals=["recall >= 0.3"], ledger=ledger_in(folder))
    study.plan(400)
    while batch := study.ask(1_000):
        study.tell({unit: truth[unit] for unit in batch.units})
    return study


def test_what_may_hide_keeps_a_rule_from_shipping_and_with_it_the_gate(tmp_path: Path) -> None:
    study = hidden_study(tmp_path)
    decision = study.decide()
    assert decision is not None
    bound = decision.goals[0].bound
    assert bound is not None
    for target, verdict in ((bound - 0.001, "label_more"), (bound - 0.01, "label_more"), (bound - 0.05, "ship")):
        plain, hidden = (study.gate(policy(at_least("recall", target, *more))) for more in ((), ("rule_out_hidden = true",)))
        assert plain.verdict == "ship"
        assert (hidden.verdict, hidden.rules[0].verdict) == (verdict, verdict)
        assert hidden.more is None  # labels drawn as before would not settle it
    both = study.gate(policy(at_least("precision", 0.1), at_least("recall", bound - 0.01), top="rule_out_hidden = true"))
    assert [(rule.rule.rule_out_hidden, rule.verdict) for rule in both.rules] == [(False, "ship"), (True, "label_more")]
    assert both.verdict == "label_more"


@pytest.mark.parametrize(("how", "why"), [({"design": "simple"}, "sets no low scores apart"), ({"stopping": "width"}, "an online plan")])
def test_what_may_hide_is_not_ruled_out_where_it_cannot_be_known(tmp_path: Path, how: dict[str, Any], why: str) -> None:
    study = create(tmp_path, goals=["recall +-0.2"])
    study.plan(60, **how)
    label_all(study)
    found = study.gate(policy(at_least("recall", 0.01, "rule_out_hidden = true")))
    assert found.verdict == "invalid"
    assert why in found.rules[0].reasons[0]
    assert "leave it out of this rule" in found.rules[0].reasons[0]
