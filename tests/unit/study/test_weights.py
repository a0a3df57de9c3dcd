"""Studies by metric weight: planned, labeled, read, decided and verified, in memory and on Parquet."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fewlabels.deciding.verdict import Reading
from fewlabels.engines.duckdb import write_parquet
from fewlabels.errors import PopulationError
from fewlabels.nouns.goal import parse_goal
from fewlabels.nouns.weights import QUANTA, layer_of
from fewlabels.planning.sizing import smoothed_shares
from fewlabels.randomness import stream
from fewlabels.study.estimate.estimates import ahead_of, readable
from fewlabels.study.plan.sizes import size_goals
from fewlabels.study.population.profile import profile_for
from fewlabels.study.population.read import read_population
from fewlabels.study.state.tallies import read_answers, tally
from fewlabels.study.study import Study
from tests.unit.study.made import ledger_in

GOALS = ("recall by amount +-0.2", "precision +-0.2")
UNITS = 1_200


def columns() -> dict[str, Any]:
    """Payments: heavy amounts are more often positive, so that recall by amount is not recall."""
    rng = stream(31)
    amount = np.exp(rng.normal(3, 1.3, UNITS))
    y = rng.random(UNITS) < np.where(amount > 30, 0.25, 0.1)
    score = 1 / (1 + np.exp(-(rng.normal(0, 1, UNITS) + 2.5 * y - 1.8 - 0.4 * (amount > 30) * y)))
    return {"id": [f"p{i}" for i in range(UNITS)], "score": score, "amount": amount, "y": y.astype(np.int64)}


TABLE = columns()
TRUTH = dict(zip(TABLE["id"], TABLE["y"].tolist(), strict=True))


def true_recall(weight: Any) -> float:
    found = (TABLE["y"] == 1) & (TABLE["score"] >= 0.5)
    return float(weight[found].sum() / weight[TABLE["y"] == 1].sum())


def labeled(folder: Path, source: object = TABLE, *, budget: int = 250, goals: tuple[str, ...] = GOALS) -> Study:
    population = read_population(source, score="score", threshold=0.5, weight="amount")
    study = Study.create("w", population, goals=list(goals), ledger=ledger_in(folder))
    study.plan(budget)
    while batch := study.ask(500):
        study.tell({unit: TRUTH[unit] for unit in batch.units})
    return study


def parquet(folder: Path) -> Path:
    write_parquet(folder / "t.parquet", {"id": TABLE["id"], "score": TABLE["score"], "amount": TABLE["amount"]})
    return folder / "t.parquet"


@pytest.mark.parametrize("where", ["memory", "parquet"])
def test_a_study_by_weight_from_plan_to_verification(where: str, tmp_path: Path) -> None:
    study = labeled(tmp_path, TABLE if where == "memory" else parquet(tmp_path))
    shown = study.estimate()
    by, counted = shown["recall by amount"], shown["recall"]
    assert by.planned
    assert not counted.planned
    assert by.low <= true_recall(TABLE["amount"]) <= by.high
    assert counted.low <= true_recall(np.ones(UNITS)) <= counted.high
    assert by.value != pytest.approx(counted.value, abs=0.01)
    assert by.strict_low <= by.low < by.high <= by.strict_high
    assert {"precision by amount", "f1 by amount", "prevalence by amount"} <= {e.metric for e in shown.estimates}
    decision = study.decide()
    assert decision is not None
    assert [g.goal.metric for g in decision.goals] == ["recall by amount", "precision"]
    assert study.verify(population=True).passed


def test_memory_and_parquet_draw_and_say_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fewlabels.study.create.new_salt", lambda: "0" * 32)
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    one, two = labeled(tmp_path / "one"), labeled(tmp_path / "two", parquet(tmp_path))
    assert one.standing.units is not None
    assert two.standing.units is not None
    assert one.standing.units.unit == two.standing.units.unit
    assert [e.as_json() for e in one.estimate().estimates] == [e.as_json() for e in two.estimate().estimates]


def test_a_census_by_weight_is_exact(tmp_path: Path) -> None:
    by = labeled(tmp_path, budget=UNITS).estimate()["recall by amount"]
    rounding = 1 / QUANTA / TABLE["amount"][TABLE["y"] == 1].mean()  # weights are read to 1/65,536
    assert by.value == pytest.approx(true_recall(TABLE["amount"]), rel=rounding)
    assert by.half_width < 1e-9


def test_heavy_units_are_drawn_more_often(tmp_path: Path) -> None:
    study = labeled(tmp_path, goals=("recall by amount +-0.2",))
    drawn = np.isin(TABLE["id"], study.standing.units.unit if study.standing.units else ())
    heavy = TABLE["amount"] > np.quantile(TABLE["amount"], 0.9)
    assert drawn[heavy].mean() > 2 * drawn[~heavy].mean()


def test_no_band_mixes_light_and_heavy_units_where_labels_allow(tmp_path: Path) -> None:
    """Layers: the average weight inside a band is near every unit's, so that no label stands for units many times as heavy."""
    study = labeled(tmp_path, budget=400, goals=("recall by amount +-0.2",))
    units = study.standing.units
    assert units is not None
    assert units.weight is not None
    band_of = study.standing.plan.design.band
    layers = study.standing.profile.layer
    spans = [np.ptp(layers[band_of == h]) for h in range(study.standing.plan.design.N.size)]
    assert np.ptp(layers) >= 8
    assert np.median(spans) <= 3
    assert (layer_of(units.weight) >= 0).all()


@pytest.mark.parametrize(
    ("goal", "weight", "message"),
    [
        ("recall by views >= 0.5", "amount", "needs the weight column 'views', but the population has 'amount'"),
        ("recall by amount >= 0.5", None, "needs the weight column 'amount', but the population has none"),
    ],
)
def test_a_metric_by_another_column_is_refused(goal: str, weight: str | None, message: str, tmp_path: Path) -> None:
    population = read_population(TABLE, score="score", threshold=0.5, weight=weight)
    with pytest.raises(PopulationError, match=message):
        Study.create("w", population, goals=[goal], ledger=ledger_in(tmp_path))


@pytest.mark.parametrize(
    ("amount", "message"),
    [
        (np.where(np.arange(UNITS) == 5, -1.0, 1.0), "weight"),
        (np.where(np.arange(UNITS) == 5, np.nan, 1.0), "weight"),
        (np.where(np.arange(UNITS) == 5, 2.0**41, 1.0), "weight"),
        (np.full(UNITS, 1e-6), "multiply the column by a power of ten"),
        (np.zeros(UNITS), "multiply the column by a power of ten"),
    ],
    ids=["negative", "nan", "huge", "tiny", "zero"],
)
def test_weights_nobody_could_add_up_are_refused(amount: Any, message: str, tmp_path: Path) -> None:
    population = read_population({**TABLE, "amount": amount}, score="score", threshold=0.5, weight="amount")
    with pytest.raises(PopulationError, match=message):
        Study.create("w", population, goals=["recall by amount >= 0.5"], ledger=ledger_in(tmp_path))


def test_units_without_weight_count_nothing(tmp_path: Path) -> None:
    light = {**TABLE, "amount": np.where(np.arange(UNITS) % 3 == 0, 0.0, TABLE["amount"])}
    study = labeled(tmp_path, light, budget=UNITS)
    assert study.estimate()["recall by amount"].value == pytest.approx(true_recall(light["amount"]), rel=1e-4)
    assert study.estimate()["recall"].value == pytest.approx(true_recall(np.ones(UNITS)), rel=1e-12)


def test_sizes_by_weight_are_finite_and_a_larger_budget_shows_more() -> None:
    goals = [parse_goal("recall by amount +-0.15"), parse_goal("precision by amount +-0.1")]
    population = read_population(TABLE, score="score", threshold=0.5, weight="amount")
    _, profile = profile_for(population, goals)
    small, large = (size_goals(profile, goals, budget=n) for n in (150, 600))
    assert small.together is not None
    assert 10 <= small.together <= UNITS
    for one, other in zip(small.goals, large.goals, strict=True):
        assert one.labels is not None
        assert one.forecast is not None
        assert other.forecast is not None
        assert 0 < other.forecast.half_width < one.forecast.half_width < 1
    recall = small.goals[0]
    assert recall.labels is not None
    assert recall.simple is None or recall.labels < recall.simple


def test_a_study_by_weight_says_how_many_labels_more(tmp_path: Path) -> None:
    study = labeled(tmp_path, budget=120, goals=("recall by amount +-0.05",))
    decision = study.decide()
    assert decision is not None
    assert decision.outcome == "label more"
    assert decision.more is not None
    assert 0 < decision.more.labels < UNITS


def test_answers_expected_by_weight_are_those_of_the_same_groups(tmp_path: Path) -> None:
    """Groups are ordered by their mean guide, which by weight is another: a forecast must not give one group's share to another."""
    study = labeled(tmp_path, budget=210, goals=("recall by amount +-0.05",))
    standing = study.standing
    (one,) = (one for one in readable(standing) if one.metric.name == "recall by amount")
    reading = Reading(standing.goals[0], study.estimate()["recall by amount"], one.tally, (), None)
    ahead = ahead_of(standing, [reading])
    keys = {kind: [*zip(g[0].band.tolist(), g[0].flagged.tolist(), strict=True)] for kind, g in ahead.groups.items()}
    assert keys[None, None] != keys["amount", None]
    (groups,) = ahead.groups["amount", None]
    own = smoothed_shares(tally(read_answers(standing), groups))
    assert np.array_equal(ahead.shares["amount", None][0], own)
    assert not np.array_equal(ahead.shares[None, None][0], own)
