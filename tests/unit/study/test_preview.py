"""What a table suggests, and why: ids, scores of any limits, decisions, weights, slices, and what labelers may see."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fewlabels.engines.duckdb import write_parquet
from fewlabels.errors import FewlabelsError, PopulationError
from fewlabels.nouns.goal import parse_goal
from fewlabels.nouns.goal_said import said
from fewlabels.study.population.fields import at, field_of_problem, named
from fewlabels.study.population.preview import KEPT, Preview, check_table, preview
from fewlabels.study.population.read import read_population

UNITS = 60


def seen(folder: Path, **columns: Any) -> Preview:
    write_parquet(folder / "t.parquet", columns)
    return preview(str(folder / "t.parquet"))


def usual(**more: Any) -> dict[str, Any]:
    i = np.arange(UNITS)
    return {"uid": [f"u{n}" for n in i], "score": i / UNITS, "text": [f"message {n}" for n in i], **more}


def test_a_score_within_0_and_1_is_proposed_with_the_middle(tmp_path: Path) -> None:
    found = seen(tmp_path, **usual())
    assert (found.N, found.read, len(found.rows)) == (UNITS, UNITS, KEPT)
    assert [(one.column, one.low, one.high, one.threshold) for one in found.scores] == [("score", 0.0, 1.0, 0.5)]
    assert found.ids[0] == ("uid", "a different value in each of the 60 rows", True)
    assert [one.column for one in found.shown] == ["text"]


@pytest.mark.parametrize(
    ("low", "high", "limits"),
    [(0.2, 99.1, (0, 100)), (301, 849, (0, 1000)), (0.5, 255, (0, 255)), (-7.5, 4.5, (-7.5, 4.5)), (1, 5, (0, 5))],
)
def test_a_score_of_other_limits_is_proposed_with_them(tmp_path: Path, low: float, high: float, limits: tuple[float, float]) -> None:
    found = seen(tmp_path, **usual(score=np.linspace(low, high, UNITS)))
    assert [(one.low, one.high) for one in found.scores] == [limits]
    assert f"numbers from {low:g} to {high:g}" in found.scores[0].reason
    assert found.ids[0].chosen
    assert "different value" in found.ids[0].reason, "an id is tried whatever the limits of the score"


def test_a_score_with_gaps_is_the_last_choice_and_says_so(tmp_path: Path) -> None:
    gaps = [None if n % 5 == 0 else n / UNITS for n in range(UNITS)]
    nan = np.where(np.arange(UNITS) % 6 == 0, np.nan, np.linspace(0, 1, UNITS))
    found = seen(tmp_path, **usual(score=gaps, risk_score=nan, z_score=np.linspace(-2, 2, UNITS)))
    assert [one.column for one in found.scores] == ["z_score", "score", "risk_score"]
    assert "12 are missing" in found.scores[1].reason
    assert "10 are missing" in found.scores[2].reason


def test_answers_and_scores_are_never_proposed_for_labelers(tmp_path: Path) -> None:
    words = ["spam" if n % 2 else "ham" for n in range(UNITS)]
    found = seen(tmp_path, **usual(true_label=words, answer=words, predicted_class=words, body=[f"body {n}" for n in range(UNITS)]))
    assert [one.column for one in found.shown] == ["text", "body"]
    assert {one.name for one in found.columns if one.telling} == {"score", "true_label", "answer", "predicted_class"}
    assert [one.column for one in found.slices] == []


def test_weights_slices_links_and_images_are_told_apart(tmp_path: Path) -> None:
    i = np.arange(UNITS)
    found = seen(
        tmp_path,
        **usual(
            amount=i * 1.5, country=[("DE", "US", "BR")[n % 3] for n in i], device=[n % 4 for n in i], photo=["a.png" for _ in i],
            url=[f"https://example.org/{n}" for n in i], is_new=[bool(n % 2) for n in i],
        ),
    )  # fmt: skip
    assert [(one.column, one.chosen) for one in found.weights] == [("amount", False)]
    assert {one.column: one.chosen for one in found.slices} == {"country": True, "device": False}
    assert found.slices[0].reason == "3 values: BR, DE, US"
    assert {one.column: one.kind for one in found.shown} == {"text": "text", "url": "link"}
    assert [one.column for one in found.decisions] == ["is_new"]
    assert not found.decisions[0].chosen, "there is a score"


def test_many_slices_are_not_proposed_together(tmp_path: Path) -> None:
    found = seen(tmp_path, **usual(**{f"s{k}": [f"v{n % 9}" for n in range(UNITS)] for k in range(6)}))
    assert [one.chosen for one in found.slices] == [True, True, False, False, False, False]


def test_long_and_empty_values_are_shown_short(tmp_path: Path) -> None:
    found = seen(tmp_path, **usual(notes=["x" * 5_000, *[None] * (UNITS - 1)]))
    notes = next(one for one in found.columns if one.name == "notes")
    assert (len(notes.example or ""), notes.nulls, notes.distinct) == (2_001, UNITS - 1, 1)
    assert found.rows[1][-1] is None


def test_an_empty_table_is_none(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("id,score\n")
    with pytest.raises(PopulationError, match="at least one unit"):
        check_table(str(tmp_path / "t.csv"))
    (tmp_path / "t.csv").write_text("id,score\n1,0.5\n")
    assert check_table(str(tmp_path / "t.csv")) == 1


def test_an_error_keeps_the_field_nearest_to_it() -> None:
    with pytest.raises(FewlabelsError) as found, at("population"), at("population.id"):
        raise PopulationError("x")
    assert found.value.field == "population.id"


def test_a_table_that_is_gone_blames_no_column(tmp_path: Path) -> None:
    gone = read_population(str(tmp_path / "gone.csv"), score="score", threshold=0.5, slices=["country"])
    assert field_of_problem(gone) is None
    assert [one.field for one in named(gone)] == ["id", "classifiers.0.score", "slices.0"]


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("prevalence +-10% of it", "Know prevalence to within 10% of its value either way at level 0.95"),
        ("false_positive_rate <= 0.01 at 0.99", "Show at level 0.99 that false positive rate is at most 0.01"),
        ("f1 >= 0 for new over old", "Show at level 0.95 that f1 of new minus that of old is at least 0"),
        ("recall >= 0.8 for each", "recall of each classifier is at least 0.8"),
        ("recall >= 0.8 in country=DE", "recall is at least 0.8 where country is DE"),
    ],
)
def test_a_goal_is_said_in_words(typed: str, words: str) -> None:
    assert words in said(parse_goal(typed))
