"""The texts for warehouses that no test can run, as they were when somebody last read them.

python -m tests.golden.texts      writes them anew; read the difference before it is committed
"""

from pathlib import Path

from fewlabels.engines.offline_queries import Written, written_for
from fewlabels.engines.prefilter import Sieve
from fewlabels.engines.warehouses import Place
from fewlabels.nouns.classifier import Classifier
from fewlabels.nouns.population import Population
from fewlabels.nouns.profile import Column

FOLDER = Path(__file__).parent
DIALECTS = ("bigquery", "databricks", "redshift", "snowflake", "trino")
TABLES = {"bigquery": "some-project.risk.scored"}
POPULATION = Population(
    source="elsewhere",
    id="id",
    classifiers=(
        Classifier("gbm", score="score", threshold=0.3),
        Classifier("old", score="points", threshold=12.5, score_range=(-50, 50)),
        Classifier("rules", predicted="flag"),
    ),
    slices=("re'gion",),
    guide="risk",
    weight="amount",
)
COLUMNS = (
    *(Column("id", "int"), Column("score", "float64"), Column("points", "float32"), Column("flag", "bool")),
    *(Column("risk", "float64"), Column("amount", "float64"), Column("re'gion", "text")),
)
SIEVE = Sieve(bound=2**44, units=100.0, ranges=((0.5, 0.75),), patterns=(1, 3))
SALT = "0123456789abcdef0123456789abcdef"


def written(dialect: str, table: str | None = None) -> Written:
    return written_for(POPULATION, COLUMNS, Place(dialect, table or TABLES.get(dialect, "risk.scored")))


def texts(dialect: str, table: str | None = None) -> tuple[str, ...]:
    """The profile, the draw by fast numbers and the draw by md5."""
    found = written(dialect, table)
    draws = (found.draw_text(SIEVE, salt=SALT, rule=rule, number=1, digest="d" * 16) for rule in ("fast", "md5"))
    return (found.profile_text(digest="p" * 16), *draws)


def kept(dialect: str) -> str:
    """What is kept: the profile with the self-test, and of the draws all but the self-test, which is the same."""
    profile, *draws = texts(dialect)
    return "\n\n".join([profile, *(draw.partition("\nunion all\n")[0] for draw in draws), written(dialect).problems_text()]) + "\n"


if __name__ == "__main__":
    for name in DIALECTS:
        (FOLDER / f"{name}.sql").write_text(kept(name), encoding="utf-8", newline="")
