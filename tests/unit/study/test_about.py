"""What a number is about, through studies: forecasts, slices and self-tests count clusters and tables as estimates do."""

from typing import Any

import numpy as np
import pytest

from fewlabels.errors import PopulationError
from fewlabels.nouns.policy import parse_policy
from fewlabels.randomness import stream
from fewlabels.study.decision.gate_self_test import self_test
from fewlabels.study.plan.sizes import size
from fewlabels.study.population.read import read_population
from fewlabels.study.report.budgets import read_budgets
from fewlabels.study.study import Study

CLUSTERS, EACH = 120, 10


def table(*, alike: bool = True, clusters: int = CLUSTERS) -> dict[str, Any]:
    """Clusters whose units are classified rightly or wrongly together; two sites of different size."""
    rng = stream(8)
    cluster = np.repeat(np.arange(clusters), EACH)
    y = rng.random(cluster.size) < 0.4
    right = rng.random(clusters)[cluster] < 0.8 if alike else rng.random(cluster.size) < 0.8
    flagged = np.where(right, y, ~y)
    return {
        "id": [f"u{i}" for i in range(cluster.size)], "flag": flagged, "of": [f"c{c}" for c in cluster.tolist()], "truth": y,
        "site": ["small" if c % 20 == 0 else "large" for c in cluster.tolist()],
    }  # fmt: skip


def labeled(labels: int, goals: list[str], given: dict[str, Any], **how: Any) -> Study:
    population = read_population(given, predicted="flag", **how)
    study = Study.create("s", population, goals=goals, ledger="sqlite:///:memory:", about="process")
    study.plan(labels)
    while batch := study.ask(labels):
        study.tell({unit: bool(given["truth"][int(unit[1:])]) for unit in batch.units})
    return study


def test_what_more_labels_would_show_counts_the_clustering_that_labels_have_shown() -> None:
    """With errors that come in whole clusters, all 1,200 labels give about what 600 do; as if alone, they would be enough."""
    given = table()
    study = labeled(600, ["accuracy +-0.03"], given, cluster="of")
    shown, decision = study.estimate(), study.decide()
    assert decision is not None
    assert decision.more is not None
    assert not decision.more.enough
    found: Any = read_budgets(study.standing, shown)
    (curve,) = found
    at = curve["labels"].index(600)
    assert curve["chosen"][at] == pytest.approx(shown["accuracy"].half_width, rel=0.1)
    assert min(curve["chosen"][-1], curve["uniform"][-1]) > 0.5 * curve["chosen"][at]  # a census has a width
    alone = labeled(600, ["accuracy +-0.03"], given).decide()
    assert alone is not None
    assert alone.outcome == "ship" or (alone.more is not None and alone.more.enough)


def test_slices_say_that_few_clusters_carry_them() -> None:
    study = labeled(CLUSTERS * EACH, ["accuracy +-0.1"], table(), cluster="of", slices=["site"])
    found = study.slices("accuracy", by=["site"])
    said = {e.slice[1]: (e, caution) for e, caution in zip(found.estimates, found.cautions, strict=True) if e.slice is not None}
    assert said["small"][0].value is None
    assert "needs at least 10" in (said["small"][0].why or "")
    assert "clusters' worth" not in (said["large"][1] or "")


def test_a_self_test_lives_with_tables_that_lack_a_side() -> None:
    given = table(alike=False)
    given["flag"] = np.arange(CLUSTERS * EACH) < 3
    population = read_population(given, predicted="flag")
    study = Study.create("s", population, goals=["precision >= 0.5"], ledger="sqlite:///:memory:", about="process")
    study.plan(3)
    found = self_test(study.standing, parse_policy('rule = [{metric = "precision", target = ">= 0.5"}]'), reps=60, seed=1)
    assert found.tried
    assert not found.left_out


def test_too_few_clusters_are_no_size() -> None:
    population = read_population(table(clusters=6), predicted="flag", cluster="of")
    (goal,) = size(population, "accuracy +-0.05", about="process").goals
    assert goal.labels is None
    assert goal.all_units is not None
    assert goal.all_units.half_width is goal.all_units.needed is None
    assert "6 clusters' worth of units carry it" in str(goal.all_units)


def test_clusters_of_a_slice_are_not_those_of_the_table() -> None:
    population = read_population(table(), predicted="flag", cluster="of", slices=["site"])
    (goal,) = size(population, "accuracy +-0.01 in site=large", about="process").goals
    found = goal.all_units
    assert found is not None
    assert found.needed is not None
    assert found.clusters == pytest.approx(found.needed / EACH, abs=1)


def test_a_cluster_column_without_a_name_is_refused() -> None:
    given = table()
    given["of"] = [None] * len(given["id"])
    population = read_population(given, predicted="flag", cluster="of")
    with pytest.raises(PopulationError, match=r"'of' is empty for all 1,200"):
        Study.create("s", population, goals=["accuracy +-0.1"], ledger="sqlite:///:memory:")
