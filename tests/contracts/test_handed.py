"""Results handed in make the study that a connection makes: same profile, plan and draw, by every engine that can run the printed text."""

import csv
import dataclasses
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import duckdb
import numpy as np
import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fewlabels.ledgers.base import Ledger
from fewlabels.ledgers.opening import open_ledger
from fewlabels.nouns.classifier import Classifier
from fewlabels.nouns.population import Population
from fewlabels.randomness import NumberRule
from fewlabels.study.draw.offline import declared, handed_profile, place_for, profile_texts
from fewlabels.study.study import Study
from tests.contracts.engines_under_test import arrow, postgres_table, spark_session
from tests.contracts.servers import NEEDS_POSTGRES, NEEDS_SPARK, POSTGRES

N = 2_000
REGIONS = ("north", "it's", "a,b", 'say "x"', "line\nbreak", "∅", "∅∅x", "", " two  ", "\\n", "é😀", None)
IDS = ("", " ", "a,b", 'say "x"', "it's", "line\nbreak", "\\", "é", "e\u0301", "日本語", "😀", "00", "NULL", "∅", "x" * 1024)
Rows = Sequence[Sequence[object]]


class Opened(NamedTuple):
    """A table inside an engine: the source fewlabels opens, the one it does not, and how a text is run there."""

    source: str
    elsewhere: str
    run: Callable[[str], tuple[list[str], Rows]]


def in_duckdb(table: Mapping[str, Any], folder: Path) -> Opened:
    pq.write_table(arrow(table), folder / "scored.parquet", row_group_size=500)
    connection = duckdb.connect()
    connection.execute(f"create view scored as from '{folder / 'scored.parquet'}'")

    def run(text: str) -> tuple[list[str], Rows]:
        done = connection.execute(text)
        return [column[0] for column in done.description or ()], done.fetchall()

    return Opened(str(folder / "scored.parquet"), "duckdb:scored", run)


def in_spark(table: Mapping[str, Any], folder: Path) -> Opened:
    session, path = spark_session(), folder / "scored.parquet"
    pq.write_table(arrow(table), path, row_group_size=500)

    def run(text: str) -> tuple[list[str], Rows]:
        found = session.sql(text)
        return list(found.columns), [tuple(row) for row in found.collect()]

    return Opened(f"spark:{path}", f"databricks:{path}", run)


def in_postgres(table: Mapping[str, Any], folder: Path) -> Opened:
    source = postgres_table(arrow(table))

    def run(text: str) -> tuple[list[str], Rows]:
        with psycopg.connect(POSTGRES) as connection:
            done = psycopg.RawCursor(connection).execute(text.encode())
            return [column.name for column in done.description or ()], done.fetchall()

    return Opened(source, f"postgres:{source.partition('#')[2]}", run)


ENGINES = [
    pytest.param(in_duckdb, id="duckdb"),
    pytest.param(in_spark, id="spark", marks=NEEDS_SPARK),
    pytest.param(in_postgres, id="postgres", marks=NEEDS_POSTGRES),
]


class Case(NamedTuple):
    """A study: how its table is read, what is declared, and how it is planned."""

    ids: str
    classifiers: tuple[Classifier, ...]
    goals: tuple[str, ...]
    types: dict[str, str]
    how: Mapping[str, Any] = MappingProxyType({})
    plan: Mapping[str, Any] = MappingProxyType({})
    rule: NumberRule | None = None


GBM = Classifier("gbm", score="s", threshold=0.3)
THREE = (GBM, Classifier("old", score="t", threshold=12.5, score_range=(-50, 50)), Classifier("rules", predicted="flag"))
CASES = {
    "bands": Case("text", (GBM,), ("precision +-0.1", "recall +-0.1"), {}, {"slices": ("region",)}),
    "poisson": Case("int", THREE, ("f1 +-0.1",), {"id": "int"}, {"slices": ("region",)}, {"design": "poisson"}, "fast"),
    "poisson-md5": Case("int", THREE, ("f1 +-0.1",), {"id": "int"}, {}, {"design": "poisson"}),
    "weights": Case("int", (GBM,), ("recall by amount +-0.2",), {"id": "int"}, {"weight": "amount", "slices": ("region",)}, {}, "fast"),
    "int-ids-as-text": Case("int", (GBM,), ("precision +-0.1",), {"region": "text"}, {"guide": "g", "slices": ("region",)}),
    "missing": Case("text", (Classifier("gbm", score="gap", threshold=0.3),), ("precision +-0.1",), {}, {"missing_scores": True}),
}


def table_of(case: Case) -> dict[str, Any]:
    """The table, with the columns the case names in the order a profile lists them, and no others."""
    rng = np.random.default_rng(11)
    s = rng.random(N) ** 4
    full = {
        "id": np.arange(N) * 7_919 - 300 if case.ids == "int" else [*IDS, *(f"u{i}" for i in range(N - len(IDS)))],
        "s": s,
        "gap": [None if i % 7 == 0 else float(x) for i, x in enumerate(s)],
        "t": rng.random(N) * 100 - 50,
        "flag": rng.random(N) < 0.2,
        "g": rng.random(N) ** 3,
        "amount": rng.random(N) * 900,
        "region": [REGIONS[i] for i in rng.integers(0, len(REGIONS), N)],
    }
    named = declared(Population(source="memory", id="id", classifiers=case.classifiers, **case.how), case.types)
    return {column.name: full[column.name] for column in named}


@pytest.fixture(autouse=True)
def same_salt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fewlabels.study.create.new_salt", lambda: "5a17" * 8)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return open_ledger(f"sqlite:///{tmp_path / 'fewlabels.db'}")


def write(path: Path, result: tuple[list[str], Rows]) -> str:
    """A result as an export writes it: CSV, or Parquet with names in capitals, as Snowflake has them."""
    names, rows = result
    if path.suffix == ".csv":
        with path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([names, *rows])
    else:
        columns = list(zip(*rows, strict=True))
        pq.write_table(pa.table({name.upper(): pa.array(values, pa.string()) for name, values in zip(names, columns, strict=True)}), path)
    return str(path)


def facts(study: Study) -> list[tuple[str, dict[str, Any]]]:
    """What the ledger keeps of plans and draws; of a draw without the fingerprint, which also covers the files a connection sees."""
    entries = study._ledger.entries(study.name)
    wanted = [(str(e.kind), e.body) for e in entries if e.kind in ("plan", "draw")]
    return [(kind, {name: x for name, x in body.items() if name != "fingerprint"}) for kind, body in wanted]


def handed(case: Case, opened: Opened, ledger: Ledger, path: Path) -> Study:
    """The study made and drawn from results alone."""
    population = Population(source=opened.elsewhere, id="id", classifiers=case.classifiers, **case.how)
    text = profile_texts(population, declared(population, case.types), place_for(population)).profile
    profile = handed_profile(population, [], write(path.with_stem("profile"), opened.run(text)), case.types)
    study = Study.create("handed", population, goals=case.goals, ledger=ledger, profile=profile, number_rule=case.rule)
    study.plan(120, **case.plan)
    draw(study, opened, path)
    return study


def draw(study: Study, opened: Opened, path: Path) -> None:
    text = study.sql().draw
    assert text is not None
    study.draw_from(write(path.with_stem(f"draw{study.standing.plan.number}"), opened.run(text)))


def connected(case: Case, opened: Opened, ledger: Ledger) -> Study:
    population = Population(source=opened.source, id="id", classifiers=case.classifiers, **case.how)
    study = Study.create("connected", population, goals=case.goals, ledger=ledger, number_rule=case.rule)
    study.plan(120, **case.plan)
    study.ask(10)
    return study


@pytest.mark.parametrize("opening", ENGINES)
@pytest.mark.parametrize(("name", "suffix"), [(name, ("csv", "parquet")[i % 2]) for i, name in enumerate(CASES)])
def test_what_is_handed_in_is_what_a_connection_finds(
    opening: Callable[[Mapping[str, Any], Path], Opened], name: str, suffix: str, tmp_path: Path, ledger: Ledger
) -> None:
    case = CASES[name]
    opened = opening(table_of(case), tmp_path)
    one, two = handed(case, opened, ledger, tmp_path / f"result.{suffix}"), connected(case, opened, ledger)
    ours, theirs = one.standing.profile, dataclasses.replace(two.standing.profile, files=())
    if name == "int-ids-as-text":  # declared as text, found as integers: the units are the same, the columns are not
        assert facts(one)[1] == facts(two)[1]
        return
    assert ours.fingerprint == theirs.fingerprint
    assert [kind for kind, _ in facts(one)] == ["plan", "draw"]
    assert facts(one) == facts(two)


@pytest.mark.parametrize("opening", ENGINES)
def test_growth_and_what_follows_a_pilot_are_drawn_alike(
    opening: Callable[[Mapping[str, Any], Path], Opened], tmp_path: Path, ledger: Ledger
) -> None:
    case = CASES["bands"]._replace(plan={"pilot": 60})
    opened, path = opening(table_of(case), tmp_path), tmp_path / "result.parquet"
    one, two = handed(case, opened, ledger, path), connected(case, opened, ledger)
    for study in (one, two):
        batch = study.ask(60, more=True)
        while batch is not None:
            study.tell({unit: len(unit) % 2 == 0 for unit in batch.units})
            batch = study.ask(60) if len(study.standing.answers) < 60 else None
    draw(one, opened, path)
    two.ask(10)
    one.plan(200)
    two.plan(200)
    draw(one, opened, path)
    two.ask(10, more=True)
    assert [kind for kind, _ in facts(one)] == ["plan", "draw"] * 3
    assert facts(one) == facts(two)
    assert one.sql().draw is None


def test_a_study_on_files_is_drawn_from_a_copy_elsewhere(tmp_path: Path, ledger: Ledger) -> None:
    case = CASES["bands"]
    opened = in_duckdb(table_of(case), tmp_path)
    population = Population(source=opened.source, id="id", classifiers=case.classifiers, **case.how)
    study = Study.create("copied", population, goals=case.goals, ledger=ledger)
    study.plan(120)
    text = study.sql(dialect="duckdb", table="scored").draw
    assert text is not None
    study.draw_from(write(tmp_path / "draw.csv", opened.run(text)))
    assert facts(study) == facts(connected(case, opened, ledger))
