"""Planning asks the engine for one grouped count, whatever the number of units; sizes are worked out on the profile alone."""

import time
from pathlib import Path

import duckdb
import pytest

from fewlabels.engines.duckdb import DuckDBEngine
from fewlabels.engines.sql_engine import Lookup, Row
from fewlabels.nouns.goal import parse_goal
from fewlabels.nouns.population import Population
from fewlabels.study.plan.one_draw import ColumnNames
from fewlabels.study.plan.sizes import size_goals
from fewlabels.study.population.profile import profile_for
from fewlabels.study.population.read import read_population

METRICS = (
    "precision +-0.03", "recall +-0.05", "f1 +-0.05", "accuracy +-0.01", "prevalence +-0.01", "specificity +-0.01",
    "negative_predictive_value +-0.01", "mcc +-0.05", "f2 +-0.05", "kappa +-0.05",
)  # fmt: skip


def scored(path: Path, units: int) -> Population:
    """Units with a score of rare positives in ten countries."""
    score, country = "pow(hash(i)::double / 18446744073709551616.0, 6)", "'c' || (hash(i + 7) % 10)::varchar"
    rows = f"select i as id, {score} as score, {country} as country from range({units}) t(i)"
    duckdb.sql(f"copy ({rows}) to '{path}' (format parquet)")
    return read_population(path, score="score", threshold=0.5, slices=["country"])


def asked(population: Population, goals: list[str], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The queries that planning these goals asks of the engine."""
    texts: list[str] = []
    honest = DuckDBEngine.query

    def listening(self: DuckDBEngine, sql: str, *, lookup: Lookup | None = None) -> list[Row]:
        texts.append(sql)
        return honest(self, sql, lookup=lookup)

    monkeypatch.setattr(DuckDBEngine, "query", listening)
    wanted = [parse_goal(text) for text in goals]
    population, profile = profile_for(population, wanted)
    size_goals(profile, wanted, names=ColumnNames(["classifier"], ["country"]))
    return texts


def test_a_plan_asks_for_one_grouped_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    goals = ["f1 +-0.05", "recall +-0.1 by country"]
    texts = asked(scored(tmp_path / "t.parquet", 20_000), goals, monkeypatch)
    assert sum("group by" in text for text in texts) == 1
    assert not any("order by" in text for text in texts), "nothing is sorted where the units are"


@pytest.mark.slow
def test_ten_million_units_are_planned_in_one_grouped_scan_and_sized_in_two_seconds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten goals, and ten of which one is in ten slices; the better of three times: a busy machine is not a slow program."""
    population = scored(tmp_path / "t.parquet", 10_000_000)
    assert sum("group by" in text for text in asked(population, ["f1 +-0.05"], monkeypatch)) == 1
    for goals in (METRICS, (*METRICS[1:], "f1 +-0.05 by country")):
        wanted = [parse_goal(text) for text in goals]
        profile = profile_for(population, wanted)[1]
        times = []
        for _ in range(3):
            start = time.perf_counter()
            size_goals(profile, wanted, names=ColumnNames(["classifier"], ["country"]))
            times.append(time.perf_counter() - start)
        assert min(times) < 2.0, times
