"""The answers of a study, taken out with their weights, against svy: value and usual standard error come from the file alone."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import svy

from fewlabels.integrations.tables import to_table
from fewlabels.nouns.metrics import metric_named
from fewlabels.nouns.tally import Tally
from fewlabels.randomness import stream
from fewlabels.study.estimate.estimates import readable
from fewlabels.study.population.read import read_population
from fewlabels.study.study import Study
from tests.references.surveyed import CELLS, SAME, usual_error

METRICS = ("precision", "recall", "f1", "accuracy")
UNITS = 6_000
RNG = stream(22, 1)
SCORE = RNG.beta(0.5, 1.5, UNITS)
POSITIVE = RNG.random(UNITS) < 0.05 + 0.8 * SCORE
TABLE = {"id": [f"u{i}" for i in range(UNITS)], "score": SCORE, "family": [f"f{i // 3}" for i in range(UNITS)]}


def truth(unit: str) -> str:
    return "yes" if POSITIVE[int(unit[1:])] else "no"


def finished(*budgets: int, cluster: str | None = None) -> Study:
    """A study of a table of 6,000 units, its plans labeled one after the other."""
    population = read_population(TABLE, score="score", threshold=0.5, cluster=cluster)
    study = Study.create("s", population, goals=["f1 +-0.03", "recall +-0.03"], ledger="sqlite:///:memory:")
    for budget in budgets:
        study.plan(budget)
        while batch := study.ask(1_000):
            study.tell({unit: truth(unit) for unit in batch.units})
    return study


def tally_of(study: Study, name: str) -> Tally:
    found = next(one.tally for one in readable(study.standing) if one.metric.name == name)
    assert isinstance(found, Tally)
    return found


def ratio(file: Path, name: str) -> Mapping[str, Any]:
    """What svy makes of the file: the ratio of two totals over strata of known size."""
    units = (pl.read_csv if file.suffix == ".csv" else pl.read_parquet)(file)
    flagged, positive = pl.col("predicted_classifier"), pl.col("answer")
    cells = dict(tp=flagged * positive, fp=flagged * (1 - positive), fn=(1 - flagged) * positive, tn=(1 - flagged) * (1 - positive))
    terms = metric_named(name).terms
    assert terms is not None
    top, bottom = (pl.sum_horizontal(cells[cell] * pair[side] for cell, pair in zip(CELLS, terms, strict=True)) for side in (0, 1))
    sample: Any = svy.Sample(units.with_columns(top=top, bottom=bottom), svy.Design(stratum="band", wgt="weight", pop_size="band_size"))
    found: Mapping[str, Any] = sample.estimation.ratio("top", "bottom", method="taylor").to_polars().row(0, named=True)
    return found


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
@pytest.mark.parametrize("budgets", [(500,), (400, 700)], ids=["one plan", "grown: bands are the final ones"])
def test_svy_finds_value_and_usual_standard_error_in_the_file(tmp_path: Path, budgets: tuple[int, ...], ending: str) -> None:
    """svy.Sample(file, Design(stratum="band", wgt="weight", pop_size="band_size")).estimation.ratio(top, bottom, method="taylor")."""
    study, file = finished(*budgets), tmp_path / f"answers{ending}"
    assert len(study.answers(file).rows) == budgets[-1]
    shown = study.estimate()
    for name in METRICS:
        reference, found = ratio(file, name), shown[name]
        assert found.value == pytest.approx(reference["est"], rel=SAME)
        assert usual_error(name, tally_of(study, name)) == pytest.approx(reference["se"], rel=SAME)
        assert found.standard_error is not None
        assert found.standard_error >= reference["se"] * (1 - SAME)  # of the two variances, fewlabels reports the larger


def test_weights_sum_to_the_table_and_clusters_are_numbered() -> None:
    found = pl.DataFrame(to_table(finished(400, cluster="family").answers(), "polars"))
    assert found["weight"].sum() == pytest.approx(UNITS)
    assert (found["weight"] * found["probability"]).to_list() == pytest.approx([1.0] * 400)
    families: dict[str, set[int]] = {}
    for unit, cluster in zip(found["unit"].to_list(), found["cluster"].to_list(), strict=True):
        families.setdefault(f"f{int(unit[1:]) // 3}", set()).add(cluster)
    assert {len(numbers) for numbers in families.values()} == {1}
