"""A study, taken out with its weights and read back: the same values, the same standard errors, the same intervals."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from fewlabels.randomness import stream
from fewlabels.study.sample import from_sample
from fewlabels.study.study import Study
from tests.references.surveyed import SAME, usual_error
from tests.references.test_answers import METRICS, POSITIVE, SCORE, UNITS, finished, ratio, tally_of

COLUMNS: dict[str, Any] = {"id": "unit", "predicted": "predicted_classifier", "stratum": "band", "stratum_size": "band_size"}


def read(file: Path, **how: Any) -> Study:
    return from_sample(file, name="read", goals=["f1 +-0.03", "recall +-0.03"], ledger="sqlite:///:memory:", **{**COLUMNS, **how})


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_read_gives_a_study_its_own_numbers_back(tmp_path: Path, ending: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fewlabels.study.create.new_salt", lambda: "a draw whose scores make no standard error larger than the usual one")
    study, file = finished(400, 700), tmp_path / f"answers{ending}"
    study.answers(file)
    again = read(file)
    before, after = study.estimate(), again.estimate()
    for name in METRICS:
        one, other = before[name], after[name]
        assert other.value == pytest.approx(one.value, rel=SAME)
        assert other.standard_error == pytest.approx(one.standard_error, rel=SAME)
        assert (other.low, other.high) == pytest.approx((one.low, one.high), rel=SAME)
    assert tally_of(again, "f1").sizes is None  # every stratum has one prediction
    assert again.verify(population=True).findings == ()


def test_any_study_gets_its_usual_standard_error_back(tmp_path: Path) -> None:
    """Whatever was drawn: where the study's scores make it report a larger one, the file does not hold them."""
    study, file = finished(400), tmp_path / "answers.csv"
    study.answers(file)
    shown = read(file).estimate()
    for name in METRICS:
        assert shown[name].value == pytest.approx(study.estimate()[name].value, rel=SAME)
        assert shown[name].standard_error == pytest.approx(usual_error(name, tally_of(study, name)), rel=SAME)


def test_without_strata_the_values_are_the_same_and_the_sizes_cost_something(tmp_path: Path) -> None:
    study, file = finished(500), tmp_path / "answers.csv"
    study.answers(file)
    again = read(file, stratum=None, stratum_size=None)
    for name in METRICS:
        one, other = study.estimate()[name], again.estimate()[name]
        assert other.value == pytest.approx(one.value, rel=SAME)
        assert other.standard_error is not None
        assert other.standard_error >= usual_error(name, tally_of(study, name)) * (1 - SAME)


def test_the_standard_error_of_a_sample_that_mixes_predictions_is_svys(tmp_path: Path) -> None:
    """One simple random sample across both sides: svy's ratio of totals, sizes unknown, is what read finds up to 1 / n."""
    rows = stream(22, 2).choice(UNITS, 900, replace=False)
    file = tmp_path / "simple.csv"
    pl.DataFrame({
        "unit": [f"u{i}" for i in rows.tolist()], "predicted_classifier": (SCORE[rows] >= 0.5).astype(int),
        "answer": POSITIVE[rows].astype(int), "probability": 900 / UNITS, "weight": UNITS / 900, "band": 1, "band_size": UNITS,
    }).write_csv(file)  # fmt: skip
    again = read(file)
    for name in METRICS:
        reference, found = ratio(file, name), again.estimate()[name]
        assert found.value == pytest.approx(reference["est"], rel=SAME)
        tally = tally_of(again, name)
        assert tally.sizes is not None
        assert found.standard_error == pytest.approx(reference["se"], rel=0.01)
