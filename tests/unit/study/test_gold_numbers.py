"""What the labels say, corrected by gold; the told estimate stays beside it."""

from pathlib import Path

import numpy as np
import pytest

from fewlabels.errors import LabelError
from fewlabels.estimators.gold import measure_with_gold
from fewlabels.nouns.classifier import Classifier
from fewlabels.nouns.estimate import USUAL_INTERVAL
from fewlabels.nouns.metrics import metric_named
from fewlabels.study.state.tallies import groups_for, read_answers, with_gold
from fewlabels.study.study import Study
from tests.unit.study.made import TABLE, TRUTH, create, ledger_in, population, truth_of
from tests.unit.study.made_gold import OTHER, noisy, rewrite, sides, told

# ---------------------------------------------------------------- the numbers


@pytest.mark.parametrize("metric", ["precision", "recall", "f1", "prevalence", "accuracy"])
def test_the_corrected_estimate_is_measure_with_gold_on_the_same_counts(tmp_path: Path, metric: str) -> None:
    study = told(tmp_path)
    uncorrected = study.estimate()[metric]
    study.tell_gold(truth_of(study.adjudicate(0.3)))
    found = study.estimate()[metric]
    labels, gold = with_gold(read_answers(study.standing), groups_for(study.standing)[0])
    assert gold is not None
    expected = measure_with_gold(metric_named(metric), labels, gold, tail=0.025, interval=USUAL_INTERVAL)
    ends = (float(expected.value), float(expected.low), float(expected.high))
    assert (found.value, found.low, found.high) == pytest.approx(ends, rel=1e-9)
    assert (found.strict_low, found.strict_high) == (found.low, found.high)  # it believes no score
    assert (found.told_value, found.told_low, found.told_high) == (uncorrected.value, uncorrected.low, uncorrected.high)
    assert found.n_eff is not None
    assert 0 < found.n_eff < float("inf")
    assert uncorrected.n_eff is not None
    assert found.n_eff < uncorrected.n_eff
    assert f"corrected by {found.gold} gold answers" in str(found)


def test_gold_of_every_labeled_unit_gives_the_estimate_from_gold_labels(tmp_path: Path) -> None:
    study = told(tmp_path)
    study.tell_gold(truth_of(study.adjudicate(1.0)))
    perfect = create(tmp_path, "perfect")
    salt = study.standing.salt  # the same one, so the same units
    rewrite(tmp_path, "perfect", lambda entries: entries[1].update(body={**entries[1]["body"], "salt": salt}))
    perfect.plan(120)
    while batch := perfect.ask(200):
        perfect.tell(truth_of(batch.units))
    for mine, theirs in zip(study.estimate().estimates, perfect.estimate().estimates, strict=True):
        assert mine.metric == theirs.metric
        assert mine.value == pytest.approx(theirs.value, rel=1e-12)
        assert (mine.low, mine.high) == pytest.approx((theirs.low, theirs.high), rel=1e-9)
        assert mine.n_eff == pytest.approx(theirs.n_eff, rel=1e-6)
        assert mine.labels == theirs.labels


def test_gold_counts_on_the_sides_the_metric_needs(tmp_path: Path) -> None:
    study = told(tmp_path)
    chosen = study.adjudicate(0.3)
    study.tell_gold(truth_of(chosen))
    shown = study.estimate()
    flagged, unflagged = sides(study, chosen)
    assert (shown["precision"].gold, shown["recall"].gold) == (flagged, flagged + unflagged)


def test_gold_on_one_side_only_leaves_the_other_unknown_and_says_why(tmp_path: Path) -> None:
    study = told(tmp_path)
    chosen = study.adjudicate(0.3)
    answers = {u: TRUTH[u] if sides(study, [u]) == (1, 0) else "cannot_tell" for u in chosen}
    study.tell_gold(answers)
    shown = study.estimate()
    assert shown["precision"].value is not None
    recall = shown["recall"]
    assert (recall.value, recall.high, recall.n_eff) == (None, 1.0, None)
    assert recall.low < 0.1  # all that is flagged of what could be positive
    assert recall.why is not None
    assert "labeled unflagged units is adjudicated" in recall.why
    assert recall.told_value is not None
    decision = study.decide()
    assert decision is not None
    assert decision.outcome != "ship"


def test_a_labeler_who_could_not_tell_leaves_gold_unused(tmp_path: Path) -> None:
    study = create(tmp_path)
    study.plan(120)
    batch = study.ask(120)
    assert batch is not None
    chosen = study.adjudicate(0.5)
    study.tell({**noisy(batch.units), chosen[0]: "cannot_tell", chosen[1]: "skipped"})
    study.tell_gold(truth_of(chosen))
    shown = study.estimate()
    assert shown["prevalence"].gold == len(chosen) - 2
    assert shown["prevalence"].labels == 118


def test_a_group_left_without_an_answer_is_joined_for_gold_too(tmp_path: Path) -> None:
    study = create(tmp_path)
    study.plan(120)
    batch = study.ask(120)
    assert batch is not None
    units = study.standing.units
    assert units is not None
    groups, plan = groups_for(study.standing)[0], study.standing.plan
    open_bands = [b for b in np.unique(groups.band) if plan.take[b] < plan.design.N[b]]
    band = next(b for b in open_bands for side in groups.flagged[groups.band == b] if (groups.flagged[open_bands] == side).sum() > 1)
    gone = {unit for unit, b in zip(units.unit, units.band, strict=True) if b == band}
    study.tell({u: "skipped" if u in gone else a for u, a in noisy(batch.units).items()})
    study.tell_gold(truth_of(study.adjudicate(0.5)))
    labels, _ = with_gold(read_answers(study.standing), groups)
    assert labels.N.size < groups.N.size
    shown = study.estimate()
    assert shown["prevalence"].value is not None
    assert study.decide() is not None
    assert study.verify().passed


def test_the_worst_case_of_missing_answers_holds_the_corrected_interval_and_what_they_could_hide(tmp_path: Path) -> None:
    study = create(tmp_path)
    study.plan(150)
    batch = study.ask(150)
    assert batch is not None
    lost = set(batch.units[::6])
    study.tell({u: "skipped" if u in lost else a for u, a in noisy(batch.units).items()})
    study.tell_gold(truth_of(study.adjudicate(1.0)))
    found = study.estimate()["prevalence"]
    assert found.worst_low is not None
    assert found.worst_high is not None
    assert found.worst_low < found.low < found.high < found.worst_high
    assert found.worst_high - found.high > 0.5 * len(lost) / 150
    share = sum(TRUTH[u] == "yes" for u in TRUTH) / len(TRUTH)
    assert found.worst_low <= share <= found.worst_high


# ---------------------------------------------------------------- where gold does not reach


def test_metrics_by_weight_are_not_corrected_and_that_is_said(tmp_path: Path) -> None:
    table = {**TABLE, "amount": np.linspace(1, 9, len(TABLE["id"]))}
    goals = ["recall by amount >= 0.1", "precision +-0.3"]
    study = Study.create("s", population(table, weight="amount"), goals=goals, ledger=ledger_in(tmp_path))
    study.plan(100)
    batch = study.ask(100)
    assert batch is not None
    study.tell(noisy(batch.units))
    before = study.estimate()
    study.tell_gold(truth_of(study.adjudicate(0.4)))
    shown = study.estimate()
    assert shown["recall by amount"] == before["recall by amount"]
    assert shown["precision"].gold > 0
    assert any("metrics by weight are not corrected" in w for w in shown.warnings)
    decision = study.decide()
    assert decision is not None
    assert any("recall by amount" in reason and "gold answers do not correct it" in reason for reason in decision.reasons)


LABELS = ("joy", "awe")


def two_questions(folder: Path) -> Study:
    table = {**TABLE, "awe": TABLE["score"][::-1].copy()}
    judged = [Classifier(name, score=column, threshold=0.5, question=name) for name, column in zip(LABELS, ("score", "awe"), strict=True)]
    how = population(table, score=None, threshold=None, classifiers=judged)
    study = Study.create("s", how, goals=["macro[f1] +-0.3"], ledger=ledger_in(folder), rule="majority")
    study.plan(100)
    batch = study.ask(100)
    assert batch is not None
    study.tell({unit: dict.fromkeys(LABELS, answer) for unit, answer in noisy(batch.units).items()})
    return study


def test_gold_with_several_questions(tmp_path: Path) -> None:
    study = two_questions(tmp_path)
    before = study.estimate()
    chosen = study.adjudicate(0.3)
    half = [{"unit": u, "question": "joy", "answer": TRUTH[u]} for u in chosen]
    study.tell_gold(half)
    assert study.status().progress.gold_told == 0
    assert study.estimate().estimates == ()
    rest = {u: {"joy": TRUTH[u], "awe": "no"} for u in chosen}
    found = study.tell_gold(rest)
    assert (found.recorded, found.known) == (len(chosen), len(chosen))
    assert study.tell_gold(rest).known == 2 * len(chosen)
    with pytest.raises(LabelError, match="correct=True"):
        study.tell_gold({chosen[0]: {"joy": OTHER[TRUTH[chosen[0]]]}})
    shown = study.estimate()
    assert shown.of("f1", "joy").gold == shown.of("f1", "awe").gold == len(chosen)
    assert shown.of("f1", "awe").value != before.of("f1", "awe").value
    assert shown["macro[f1]"] == before["macro[f1]"]
    assert any("metrics of several labels together" in w for w in shown.warnings)
    assert study.verify(population=True).passed


def test_closing_closes_every_open_question(tmp_path: Path) -> None:
    study = two_questions(tmp_path)
    chosen = study.adjudicate(0.3)
    study.tell_gold([{"unit": u, "question": "joy", "answer": TRUTH[u]} for u in chosen])
    assert study.close().recorded == len(chosen)
    assert study.estimate().certified


CLASSES = ("cat", "dog", "eel")


def class_of(unit: str, shift: int = 0) -> str:
    return CLASSES[(int(unit[1:]) + shift) % 3]


def test_gold_of_classes_corrects_each_class_and_the_matrix(tmp_path: Path) -> None:
    table = {**TABLE, "label": [class_of(u, int(u[1:]) % 5 == 0) for u in TABLE["id"]]}
    judged = [Classifier(name, predicted="label", value=name) for name in CLASSES]
    how = population(table, score=None, threshold=None, classifiers=judged)
    study = Study.create("s", how, goals=["class_accuracy +-0.3"], ledger=ledger_in(tmp_path))
    study.plan(150)
    batch = study.ask(150)
    assert batch is not None
    study.tell({u: class_of(u, int(u[1:]) % 4 == 0) for u in batch.units})
    before = study.estimate()
    study.tell_gold({u: class_of(u) for u in study.adjudicate(1.0)})
    shown = study.estimate()
    for name in CLASSES:
        assert shown.of("precision", name).told_value == before.of("precision", name).value
        drawn = [u for u in batch.units if table["label"][int(u[1:])] == name]
        right = np.mean([class_of(u) == name for u in drawn])
        cell = next(c for c in study.confusion() if (c.predicted, c.true) == (name, name))
        assert cell.share.value == pytest.approx(shown.of("precision", name).value)
        assert shown.of("precision", name).value == pytest.approx(right, abs=0.05)
    assert shown["class_accuracy"] == before["class_accuracy"]
    with pytest.raises(LabelError, match="one of the classes"):
        study.tell_gold({batch.units[0]: "yes"})
