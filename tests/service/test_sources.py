"""Sources a server may read: attacks as they were, and hundreds of variants judged by what libpq and the file system make of them."""

import os
import random
from pathlib import Path

import duckdb
import pytest
from psycopg.conninfo import conninfo_to_dict

from fewlabels.engines.duckdb import DuckDBEngine
from fewlabels.errors import FewlabelsError, PopulationError
from fewlabels.nouns.classifier import Classifier
from fewlabels.service.settings import Settings
from fewlabels.service.sources import allowed_source
from fewlabels.study.population.read import read_population
from tests.service.workbench import write_table

WAREHOUSE = "postgresql://warehouse.internal/"
VARIANTS = 1_500


def is_accepted(source: str, settings: Settings) -> str | None:
    """The source as it would be opened; None if it is refused."""
    try:
        return allowed_source(source, settings)
    except PopulationError:
        return None


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """A folder that is allowed, with a secret beside it and links out of it."""
    allowed, secret = tmp_path / "allowed", tmp_path / "secret"
    for folder in (allowed / "deep", secret):
        folder.mkdir(parents=True)
    for path in (allowed / "scored.csv", allowed / "deep" / "more.csv", secret / "payroll.csv"):
        path.write_text("id,score\n1,0.5\n")
    (allowed / "link.csv").symlink_to(secret / "payroll.csv")
    (allowed / "deep" / "out").symlink_to(secret)
    (allowed / "round").symlink_to(allowed / "deep")
    return allowed, secret


@pytest.mark.parametrize(
    "source",
    [
        "postgresql://warehouse.internal/db?host=127.0.0.1&port=54999&user=etl#t",
        "postgresql://warehouse.internal/db?hostaddr=127.0.0.1#t",
        "postgresql://warehouse.internal/db?service=other#t",
        "postgresql://warehouse.internal:54999/db#t",
        "postgresql://warehouse.internal,127.0.0.1/db#t",
        "postgresql://warehouse.internal@127.0.0.1/db#t",
        "postgresql://etl:word@warehouse.internal/db#t",
        "postgresql://warehouse.internal.evil.example/db#t",
        "postgresql://warehouse.internal\t/db#t",
        "postgresql:///db?host=warehouse.internal#t",
        "https://warehouse.internal/db#t",
    ],
)
def test_addresses_that_lead_elsewhere_are_refused(tmp_path: Path, source: str) -> None:
    settings = Settings(data=tmp_path, sources=(WAREHOUSE,))
    assert is_accepted("postgresql://warehouse.internal/db#t", settings) == "postgresql://warehouse.internal/db#t"
    assert is_accepted(source, settings) is None


def test_a_database_that_is_allowed_is_the_only_one(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path, sources=("postgresql://etl@w:6543/risk?sslmode=require",))
    assert is_accepted("postgresql://etl@W:6543/risk?sslmode=require#t", settings)
    assert is_accepted("postgresql://w:6543/risk?sslmode=require#t", settings)
    for rest in ("etl@w:6543/risk#t", "etl@w:6543/risky?sslmode=require#t", "eve@w:6543/risk?sslmode=require#t"):
        other = f"postgresql://{rest}"
        assert is_accepted(other, settings) is None, other


def test_a_table_that_is_allowed_is_the_only_one(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path, sources=("postgresql://w/d#reports.", "spark:risk.scored", "spark:lake."))
    for good in ("postgresql://w/d#reports.scored", "spark:risk.scored", "spark:lake.scored"):
        assert is_accepted(good, settings) == good
    for bad in (
        "postgresql://w/d#payroll",
        'postgresql://w/d#reports."x"',
        "spark:risk.scored2",
        "spark:lake.(select 1)",
        "spark:lake.../x",
    ):
        assert is_accepted(bad, settings) is None, bad


def test_dots_and_links_do_not_lead_out_of_an_allowed_folder(folders: tuple[Path, Path], tmp_path: Path) -> None:
    allowed, _ = folders
    settings = Settings(data=tmp_path / "nothing", sources=(f"{allowed}/",))
    assert is_accepted(f"{allowed}/scored.csv", settings) == str(allowed / "scored.csv")
    assert is_accepted(f"{allowed}/round/more.csv", settings) == str(allowed / "deep" / "more.csv")
    for source in (
        f"{allowed}/../secret/payroll.csv",
        f"{allowed}/link.csv",
        f"{allowed}/deep/out/payroll.csv",
        f"{allowed}/deep",
        f"{allowed}",
    ):
        assert is_accepted(source, settings) is None, source


def test_variants_of_addresses_reach_no_other_server(tmp_path: Path, seed: int) -> None:
    """Whatever is accepted is, by libpq's own reading, that server, that port and nobody's name."""
    rng = random.Random(seed)
    hosts = [
        "warehouse.internal",
        "WAREHOUSE.internal",
        "127.0.0.1",
        "warehouse.internal,evil",
        "evil,warehouse.internal",
        "[::1]",
        "%77arehouse.internal",
        "warehouse.internal%2cevil",
        "warehouse.internal.",
        "evil#warehouse.internal",
        "evil?warehouse.internal",
        "%2Ftmp",
    ]
    users = ["", "", "", "etl@", "etl:word@", "warehouse.internal@", ":@", "@", "a@b@"]
    ports = ["", "", "", ":5432", ":54999", ":", ":0", ":5432,54999", ":x", ":+5432", ":05432"]
    paths = ["", *["/db", "/", "/db/../x", "/%2e%2e/x", "/db%3Fhost=evil", "/host=evil", "/%00", "//evil/db", "/db%25"]]
    queries = [
        "",
        "",
        *[
            "?",
            "?host=evil",
            "?hostaddr=127.0.0.1",
            "?sslmode=disable",
            "?%68ost=evil",
            "?&host=evil",
            "?service=x",
            ";host=evil",
            "?passfile=/x",
        ],
    ]
    ends = ["#t", "#t", "", "#t?host=evil", "#t@evil", "\n#t", " #t", "\\@evil#t", " host=evil#t"]
    schemes = ["postgresql://", "postgresql://", "postgres://", "POSTGRESQL://", "postgresql:/", "postgresql:", "pg://"]
    settings = Settings(data=tmp_path, sources=(WAREHOUSE,))
    made = {"".join(map(rng.choice, (schemes, users, hosts, ports, paths, queries, ends))) for _ in range(VARIANTS)} | {
        "postgresql://warehouse.internal/db#t"
    }
    accepted = [source for source in made if is_accepted(source, settings)]
    assert len(made) >= 500
    assert accepted
    for source in accepted:
        found = conninfo_to_dict(source.partition("#")[0])
        assert str(found.pop("host")).lower() == "warehouse.internal", source
        assert str(found.pop("port", "5432")) in ("5432", "05432"), source
        assert found.keys() <= {"dbname"}, source


def test_variants_of_paths_reach_no_other_file(folders: tuple[Path, Path], tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    allowed, _ = folders
    settings = Settings(data=tmp_path / "nothing", sources=(f"{allowed}/",))
    parts = [
        "",
        "\x00",
        *[
            "..",
            ".",
            "deep",
            "out",
            "round",
            "allowed",
            "secret",
            "scored.csv",
            "more.csv",
            "payroll.csv",
            "link.csv",
            "*",
            "~",
            "..\\",
            "%2e%2e",
            "…",
        ],
    ]
    made = {f"{allowed}/" + "/".join(rng.choices(parts, k=rng.randint(1, 6))) for _ in range(VARIANTS)} | {f"{allowed}/scored.csv"}
    accepted = [(source, opened) for source in made if (opened := is_accepted(source, settings))]
    assert len(made) >= 500
    assert accepted
    for source, opened in accepted:
        assert Path(os.path.realpath(source)).is_relative_to(allowed), source
        assert opened == os.path.realpath(source)
        inside = [Path(opened), *Path(opened).rglob("*")]
        assert all(Path(os.path.realpath(file)).is_relative_to(allowed) for file in inside), source


def test_duckdb_itself_reaches_nothing_else(folders: tuple[Path, Path]) -> None:
    """Even a query that our own check let through reads no other file, loads no extension and changes no setting."""
    allowed, secret = folders
    write_table(allowed / "scored.parquet", 10)
    population = read_population(str(allowed / "scored.parquet"), classifiers=[Classifier("c", score="score", threshold=0.5)])
    engine = DuckDBEngine(population)
    assert engine.query("select count(*) from read_parquet(" + repr(str(allowed / "scored.parquet")) + ")") == [(10,)]
    for attack in (
        f"select * from read_csv('{secret}/payroll.csv')", f"select * from read_csv('{allowed}/../secret/payroll.csv')",
        "select * from read_text('/etc/passwd')", "select * from glob('/etc/*')", f"copy (select 1) to '{secret}/out.csv'",
        f"attach '{secret}/new.db'", "install httpfs", "load httpfs", "set enable_external_access = true", "set threads = 1",
        "set allowed_directories = ['/']", "reset lock_configuration",
    ):  # fmt: skip
        with pytest.raises(FewlabelsError):
            engine.query(attack)
    assert sorted(path.name for path in secret.iterdir()) == ["payroll.csv"]


def test_a_connection_as_duckdb_opens_it_is_reached_by_the_attacks(folders: tuple[Path, Path]) -> None:
    """The twin: without the settings, the same queries read the secret."""
    _, secret = folders
    with duckdb.connect() as connection:
        assert connection.execute(f"select id from read_csv('{secret}/payroll.csv')").fetchall() == [(1,)]
