"""Every cell of the table of capabilities is asked of the product: what the table refuses is refused in its words, all else works."""

import shutil
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fewlabels.errors import FewlabelsError
from fewlabels.integrations.calibration import read_calibration
from fewlabels.integrations.sklearn import score
from fewlabels.ledgers.base import Ledger
from fewlabels.ledgers.opening import open_ledger
from fewlabels.nouns.classifier import Classifier
from fewlabels.nouns.goal import parse_goal
from fewlabels.nouns.late import Late
from fewlabels.nouns.metrics import metric_named
from fewlabels.nouns.policy import parse_policy
from fewlabels.nouns.population import Population
from fewlabels.nouns.tally import Tally
from fewlabels.nouns.works_with import FEATURES, OF_METRICS, Trait, refusal_of
from fewlabels.randomness import stream
from fewlabels.study.decision.gate_self_test import self_test
from fewlabels.study.estimate.tipping import tipping_of, why_none
from fewlabels.study.population.read import read_population
from fewlabels.study.report.budgets import read_budgets
from fewlabels.study.sample import from_sample
from fewlabels.study.simulate import simulate
from fewlabels.study.state.tallies import StudyCounts, groups_for, read_answers
from fewlabels.study.study import Study

UNITS, BUDGET = 300, 60
MEMORY = "sqlite:///:memory:"
NEW, OLD = Classifier("new", score="score", threshold=0.5), Classifier("old", score="old", threshold=0.5)
SPAM, RUDE = (Classifier(name, score=column, threshold=0.5, question=name) for name, column in (("spam", "score"), ("rude", "old")))
LATE = Late(since="2025-11-01", until="2025-12-31", missing="negative", unflagged=((5, 30), (20, 60), (80, 10)))
POLICY = parse_policy('rule = [{metric = "accuracy", target = ">= 0.5"}]')
OF_STUDIES = [trait for trait in Trait if trait not in OF_METRICS]


@cache
def table() -> dict[str, Any]:
    rng = stream(11)
    score = rng.beta(0.7, 1.2, UNITS)
    positive = rng.random(UNITS) < score
    return {
        "id": [f"u{i:03d}" for i in range(UNITS)],
        "score": score,
        "old": rng.random(UNITS),
        "country": ["BR" if i % 3 else "DE" for i in range(UNITS)],
        "amount": 1.0 + rng.integers(0, 4, UNITS),
        "family": [f"f{i // 5}" for i in range(UNITS)],
        "hint": np.clip(score + rng.normal(0, 0.1, UNITS), 0, 1),
        "truth": positive.astype(np.int64),
    }


def population(**how: Any) -> Population:
    return read_population(table(), **{"classifiers": [NEW, OLD], "slices": ["country"], "candidates": ["hint"], **how})


def says(unit: str) -> str:
    return "yes" if table()["truth"][int(unit[1:])] else "no"


def label_all(study: Study) -> Study:
    questions = study.standing.questions
    asked = questions if len(questions) > 1 else ("answer",)
    while batch := study.ask(1_000):
        study.tell([{"unit": unit, **dict.fromkeys(asked, says(unit))} for unit in batch.units])
    return study


KEPT: list[Path] = []  # where the studies of this module are built once, each in a file that tests copy


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    KEPT[:] = [tmp_path_factory.mktemp("studies")]
    build.cache_clear()
    return KEPT[0]


GOAL = ["accuracy +-0.01"]  # of the studies that are built
ALSO: dict[str, Any] = {}  # what every study that is made has
COMPARED = "accuracy +-0.01 for new over old"


@cache
def build(trait: Trait, goal: str) -> Path:
    """The ledger of a study that has the trait, with all labels in."""
    path = KEPT[0] / f"{trait.name} {goal}.db"
    GOAL[0] = goal
    STUDIES[trait](open_ledger(f"sqlite:///{path}"))
    return path


def study_with(trait: Trait, folder: Path, goal: str = "accuracy +-0.01") -> Study:
    """A study of its own that has the trait."""
    copied = shutil.copy(build(trait, goal), folder / "study.db")
    return Study.load("s", ledger=f"sqlite:///{copied}", table=table())


def made(
    ledger: str | Ledger = MEMORY,
    *,
    name: str = "s",
    goals: tuple[str, ...] = (),
    of: Population | None = None,
    **how: Any,
) -> Study:
    return Study.create(name, of or population(), goals=list(goals or GOAL), ledger=ledger, **{**ALSO, **how})


def planned(study: Study, budget: int = BUDGET, **how: Any) -> Study:
    study.plan(budget, **how)
    return label_all(study)


def followed(ledger: Ledger) -> Study:
    planned(made(ledger, name="earlier"))
    return planned(made(ledger, follows="earlier"))


def with_gold(ledger: Ledger) -> Study:
    study = made(ledger)
    study.plan(BUDGET)
    gold = study.adjudicate(0.3)
    label_all(study)
    study.tell_gold({unit: says(unit) for unit in gold})
    return study


def extended(ledger: Ledger) -> Study:
    study = planned(made(ledger))
    study.extend(
        classifiers=[Classifier("stricter", score="score", threshold=0.7)], goals=["accuracy +-0.01 for stricter"], budget=BUDGET + 10
    )
    return label_all(study)


def grown(ledger: Ledger) -> Study:
    study = planned(made(ledger), grow_to=BUDGET + 20)
    study.estimate()
    return planned(study, BUDGET + 20)


def arrived(ledger: Ledger) -> Study:
    study = planned(made(ledger, of=population(classifiers=[NEW]), late=LATE))
    study.tell({}, as_of="2025-12-31")
    return study


def sampled(ledger: str | Ledger = MEMORY, *goals: str) -> Study:
    """Every fifth unit, as somebody else drew it: in two strata, by prediction."""
    rows, flagged = np.arange(0, UNITS, 5), table()["score"] >= 0.5
    size = np.where(flagged, flagged.sum(), UNITS - flagged.sum())[rows]
    drawn = {"id": [f"u{i:03d}" for i in rows], "flag": flagged[rows], "answer": table()["truth"][rows], "size": size, "h": flagged[rows]}
    taken = np.bincount(flagged[rows])[flagged[rows].astype(int)]
    return from_sample(
        {**drawn, "probability": taken / size}, name="s", goals=list(goals or GOAL), predicted="flag", stratum="h", stratum_size="size",
        ledger=ledger,
    )  # fmt: skip


STUDIES: dict[Trait, Callable[[Ledger], Study]] = {
    Trait.ONE_LOOK: lambda ledger: planned(made(ledger)),
    Trait.GROWTH: grown,
    Trait.LOOKS: lambda ledger: planned(made(ledger), stopping="3 looks"),
    Trait.ONLINE: lambda ledger: planned(made(ledger, goals=("accuracy >= 0.5",)), stopping="decision"),
    Trait.QUESTIONS: lambda ledger: planned(
        made(ledger, of=read_population(table(), classifiers=[SPAM, RUDE], slices=["country"]), goals=("macro[f1] +-0.01",)), 90
    ),
    Trait.PILOT: lambda ledger: planned(made(ledger), 150, pilot=75),
    Trait.DESIGN: lambda ledger: planned(made(ledger), design="simple"),
    Trait.POISSON: lambda ledger: planned(made(ledger), design="poisson"),
    Trait.EXTENSION: extended,
    Trait.GOLD: with_gold,
    Trait.VOICES: lambda ledger: planned(made(ledger, rule="majority")),
    Trait.FOLLOWS: followed,
    Trait.PROCESS: lambda ledger: planned(made(ledger, about="process")),
    Trait.CLUSTERS: lambda ledger: planned(made(ledger, of=population(cluster="family"))),
    Trait.LATE: arrived,
    Trait.ELSEWHERE: lambda ledger: sampled(ledger),
    Trait.KNOWN: lambda ledger: planned(made(ledger, known=known(), known_check=0.1)),
}


def known() -> dict[str, str]:
    """Labels already owned."""
    return {unit: says(unit) for unit in table()["id"][:40]}


@cache
def other() -> Study:
    """A study of another period."""
    fresh = {**table(), "id": [f"u{i:03d}x" for i in range(UNITS)]}
    study = Study.create(
        "before", read_population(fresh, classifiers=[NEW, OLD], slices=["country"]), goals=["accuracy +-0.01"], ledger=MEMORY
    )
    study.plan(BUDGET)
    while batch := study.ask(1_000):
        study.tell({unit: says(unit[:-1]) for unit in batch.units})
    return study


def converged(study: Study) -> None:
    found = study.convergence()
    if found.kind == "none":
        raise FEATURES["convergence"].error(f"{FEATURES['convergence'].rule}, but {found.why}: {FEATURES['convergence'].instead}")


def forecast(study: Study) -> None:
    decision = study.decide()
    assert decision is not None
    if decision.more is None:
        raise FEATURES["forecast"].error("nothing is forecast")


def tipping(study: Study) -> None:
    standing = study.standing
    goal = parse_goal(f"{standing.goals[0].metric} >= 0.1")
    if why_none(standing, goal) == "the plan sets no low scores apart":  # a simple draw: that is said, and is no refusal
        return
    if tipping_of(standing, read_answers(standing), goal, share=1.0) is None:
        raise FEATURES["tipping point"].error("there is none")


def steadied(study: Study) -> None:
    standing = study.standing
    counted, _ = StudyCounts(standing, read_answers(standing), {None: groups_for(standing)}).labels(metric_named("accuracy"), 0)
    if not isinstance(counted, Tally) or counted.control is None:
        raise FEATURES["other columns"].error("they are not used")


def verified(study: Study) -> None:
    assert study.verify().findings == ()


ASKED: dict[str, Callable[[Study], object]] = {
    "larger budget": lambda study: study.plan(study.standing.plan.budget + 20),
    "extension": lambda study: study.extend(classifiers=[Classifier("late", score="score", threshold=0.8)]),
    "queries": lambda study: study.sql(dialect="duckdb", table="t"),
    "gold": lambda study: study.adjudicate(0.2),
    "close": lambda study: study.close(),
    "estimate": lambda study: study.estimate()[study.standing.goals[0].metric],
    "running": lambda study: study.running(),
    "answers": lambda study: study.answers(),
    "slices": lambda study: study.slices("precision", by=["country"]),
    "comparison": lambda study: study.compare(*(*study.standing.classifiers, "none")[:2], metric="accuracy"),
    "thresholds": lambda study: study.curves(),
    "periods": lambda study: study.change(other(), "precision", classifier=None),
    "convergence": converged,
    "calibration": read_calibration,
    "other columns": steadied,
    "decide": lambda study: study.decide(),
    "forecast": forecast,
    "gate": lambda study: study.gate(POLICY),
    "self-test": lambda study: self_test(study.standing, POLICY, reps=40),
    "tipping point": tipping,
    "other budgets": lambda study: read_budgets(study.standing, study.estimate()),
    "report": lambda study: study.report(),
    "verify": lambda study: verified(study),
}
SILENT = {"forecast", "convergence", "tipping point", "other columns"}  # they leave a number out, and say why beside it
PLANS: dict[Trait, dict[str, Any]] = {
    Trait.ONE_LOOK: {},
    Trait.GROWTH: {"grow_to": 125},
    Trait.LOOKS: {"stopping": "3 looks"},
    Trait.ONLINE: {"stopping": "decision"},
    Trait.PILOT: {"pilot": 50},
    Trait.DESIGN: {"design": "simple"},
    Trait.POISSON: {"design": "poisson"},
}
CREATED: dict[Trait, Callable[[str], Study]] = {
    Trait.QUESTIONS: lambda goal: made(of=read_population(table(), classifiers=[SPAM, RUDE]), goals=("macro[f1] +-0.1",)),
    Trait.VOICES: lambda goal: made(goals=(goal,), rule="majority"),
    Trait.FOLLOWS: lambda goal: _following(goal),
    Trait.PROCESS: lambda goal: made(goals=(goal,), about="process"),
    Trait.CLUSTERS: lambda goal: made(goals=(goal,), of=population(cluster="family")),
    Trait.LATE: lambda goal: made(goals=(goal,), of=population(classifiers=[NEW]), late=LATE),
    Trait.ELSEWHERE: lambda goal: sampled(MEMORY, goal),
    Trait.KNOWN: lambda goal: made(goals=(goal,), known=known()),
    Trait.JOINT: lambda goal: made(of=read_population(table(), classifiers=[SPAM, RUDE]), goals=("macro[f1] +-0.1",)),
    Trait.WEIGHT: lambda goal: made(of=population(weight="amount"), goals=(goal.replace("accuracy", "accuracy by amount"),)),
    Trait.GAP: lambda goal: made(goals=(goal.replace("accuracy", "accuracy gap by country").replace(">=", "<="),)),
    Trait.DIFFERENCE: lambda goal: made(
        goals=(f"{goal.split()[0]} +-0.1 for new over old" if "+-" in goal else "accuracy >= 0 for new over old",)
    ),
}
PLANNED = {"growth": Trait.GROWTH, "pilot": Trait.PILOT, "planned looks": Trait.LOOKS, "online": Trait.ONLINE, "known answers": Trait.KNOWN}
IMPLIED = {
    Trait.POISSON: (Trait.POISSON, Trait.DESIGN),
    Trait.JOINT: (Trait.JOINT, Trait.QUESTIONS),
    Trait.QUESTIONS: (Trait.JOINT, Trait.QUESTIONS),
    Trait.CLUSTERS: (Trait.PROCESS, Trait.CLUSTERS),
}
AFTERWARDS = (Trait.EXTENSION, Trait.GOLD)  # a study comes to have these once it is planned
SAME_KIND = {Trait.ONE_LOOK, Trait.GROWTH, Trait.LOOKS, Trait.ONLINE}


def _following(goal: str) -> Study:
    ledger = open_ledger(MEMORY)
    planned(made(ledger, name="earlier", goals=(goal,)))
    return made(ledger, goals=(goal,), follows="earlier")


def plan_with(feature: str, trait: Trait) -> None:
    """A first plan that has both."""
    mine = PLANNED[feature]
    online = Trait.ONLINE in (mine, trait)
    goal = "accuracy >= 0.5" if online else "accuracy +-0.1"
    try:
        ALSO.update({"known": known()} if mine is Trait.KNOWN else {})
        study = CREATED[trait](goal) if trait in CREATED else made(goals=(goal,))
    finally:
        ALSO.clear()
    how = {**PLANS.get(trait, {}), **PLANS.get(mine, {})}
    study.plan(110, **how)


def check(features: Sequence[str], traits: Sequence[Trait], ask: Callable[[], object]) -> None:
    """Asks, and holds what happens against the table: refused by one of these features with one of these traits, or not at all."""
    expected = [(FEATURES[name], refused) for name in features if (refused := refusal_of(name, traits)) is not None]
    if not expected:
        ask()
        return
    with pytest.raises(FewlabelsError) as error:
        ask()
    said = str(error.value)
    if not SILENT & {*features}:
        assert any(
            isinstance(error.value, feature.error) and said.endswith(feature.instead) and feature.rule in said for feature, _ in expected
        ), said
        assert any(trait in said and why in said for feature, _ in expected for trait, why in feature.refused.items() if trait in traits), (
            said
        )


@pytest.mark.parametrize("feature", ASKED)
@pytest.mark.parametrize("trait", OF_STUDIES, ids=lambda trait: trait.name)
def test_a_feature_works_with_a_study_or_is_refused_in_the_tables_words(feature: str, trait: Trait, tmp_path: Path) -> None:
    compared = feature == "comparison" and trait not in FEATURES[feature].refused  # drawn for the pair, where that can be
    study = study_with(trait, tmp_path, COMPARED if compared else "accuracy +-0.01")
    assert trait is Trait.DESIGN or trait in study.standing.traits
    check([feature], (*study.standing.traits, trait), lambda: ASKED[feature](study))


@pytest.mark.parametrize(
    ("feature", "trait"),
    [
        (feature, trait)
        for feature in PLANNED
        for trait in (*OF_STUDIES, *OF_METRICS)
        if trait not in {*AFTERWARDS, Trait.ONE_LOOK, PLANNED[feature]} and not {PLANNED[feature], trait} <= SAME_KIND - {Trait.GROWTH}
        if {PLANNED[feature], trait} != {Trait.KNOWN, Trait.ELSEWHERE}  # `from_sample` takes no known answers
    ],
)
def test_a_plan_has_both_or_refuses_one(feature: str, trait: Trait) -> None:
    mine = PLANNED[feature]
    also = [name for name, other in PLANNED.items() if other is trait]
    check([feature, *also], (mine, *IMPLIED.get(trait, (trait,))), lambda: plan_with(feature, trait))


@cache
def _weighted() -> Study:
    return planned(made(of=population(weight="amount"), goals=("accuracy +-0.1", "accuracy by amount +-0.01 for new over old")), 90)


METRICS = {Trait.JOINT: "macro[f1]", Trait.WEIGHT: "accuracy by amount", Trait.GAP: "accuracy gap by country"}
OF_METRIC: dict[str, Callable[[str], object]] = {
    "units like these": lambda metric: made(
        of=read_population(table(), classifiers=[SPAM, RUDE]) if metric == "macro[f1]" else population(weight="amount"),
        goals=(f"{metric} +-0.1",),
        about="process",
    ),
    "late answers": lambda metric: made(
        of=read_population(table(), classifiers=[SPAM, RUDE]) if metric == "macro[f1]" else population(classifiers=[NEW], weight="amount"),
        goals=(f"{metric} +-0.1",),
        late=LATE,
    ),
    "known answers": lambda metric: made(
        of=read_population(table(), classifiers=[SPAM, RUDE]) if metric == "macro[f1]" else population(weight="amount"),
        goals=(f"{metric} +-0.1",),
        known=known(),
    ),
    "slices": lambda metric: _weighted().slices(metric, by=["country"]),
    "comparison": lambda metric: _weighted().compare("new", "old", metric=metric),
    "periods": lambda metric: _weighted().change(other(), metric),
    "simulate": lambda metric: simulate(population(weight="amount"), truth="truth", metrics=[metric], labels=[50], reps=20),
    "scorer": lambda metric: score([1, 0, 1], [1, 0, 0], metric=metric),
}


@pytest.mark.parametrize("feature", OF_METRIC)
@pytest.mark.parametrize("trait", METRICS, ids=lambda trait: trait.name)
def test_a_metric_works_or_is_refused_in_the_tables_words(feature: str, trait: Trait) -> None:
    check([feature], [trait], lambda: OF_METRIC[feature](METRICS[trait]))


def test_what_is_planned_together_is_refused_from_both_sides() -> None:
    for first, mine in PLANNED.items():
        for second, other in PLANNED.items():
            assert (other in FEATURES[first].refused) == (mine in FEATURES[second].refused) or {mine, other} == {Trait.LOOKS, Trait.ONLINE}


def test_every_feature_is_asked() -> None:
    assert {*ASKED, *PLANNED, *OF_METRIC} == {*FEATURES}
    assert {name for name, feature in FEATURES.items() if feature.metrics} == {
        *OF_METRIC,
        "pilot",
        "planned looks",
        "online",
        "tipping point",
        "other columns",
    }


def test_a_refusal_is_read_off_the_table(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The twins: an entry more refuses what works, and where the table says nothing the product does not refuse in its words."""
    refused = {**FEATURES["gold"].refused, Trait.ONE_LOOK: "a test says so"}
    monkeypatch.setitem(FEATURES, "gold", FEATURES["gold"]._replace(refused=refused))
    check(["gold"], [Trait.ONE_LOOK], lambda: study_with(Trait.ONE_LOOK, tmp_path).adjudicate(0.2))
    monkeypatch.setitem(FEATURES, "gold", FEATURES["gold"]._replace(refused={}))
    study_with(Trait.PILOT, tmp_path).adjudicate(0.2)


def test_a_refusal_that_never_comes_is_found(tmp_path: Path) -> None:
    with pytest.raises(pytest.fail.Exception):
        check(["gold"], [Trait.ONLINE], lambda: study_with(Trait.ONE_LOOK, tmp_path).adjudicate(0.2))
