"""Pictures: what is drawn is what the result says, labels stand beside every number, and no name is taken for a formula."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import imread
from matplotlib.lines import Line2D

from fewlabels.demo.study import small_study
from fewlabels.errors import FewlabelsError
from fewlabels.integrations import pictures
from fewlabels.integrations.calibration import PARTS, read_calibration
from fewlabels.nouns.classifier import Classifier
from fewlabels.randomness import stream
from fewlabels.study.estimate.convergence import Convergence
from fewlabels.study.estimate.slices import InSlices
from fewlabels.study.estimate.thresholds import Curves
from fewlabels.study.population.read import read_population
from fewlabels.study.study import Study
from tests.unit.integrations.made import HOSTILE, MEMORY, begun, finished, label, result_of


@pytest.fixture(autouse=True)
def closing() -> Iterator[None]:
    yield
    pyplot.close("all")


def texts(ax: Axes) -> list[str]:
    return [one.get_text() for one in ax.texts]


def save(ax: Axes, path: Path) -> None:
    figure = ax.figure
    assert isinstance(figure, Figure)
    figure.savefig(path)


def xs(line: Line2D) -> list[float]:
    return np.asarray(line.get_xdata(), dtype=np.float64).tolist()


DRAWN: dict[str, Callable[..., Axes]] = {
    "estimates": lambda ax=None: pictures.estimates(finished(), ax),
    "slices": lambda ax=None: pictures.slices(result_of(InSlices), ax),
    "convergence": lambda ax=None: pictures.convergence(result_of(Convergence), ax),
    "precision_recall": lambda ax=None: pictures.precision_recall(result_of(Curves), ax),
    "calibration": lambda ax=None: pictures.calibration(finished(), ax),
}


@pytest.mark.parametrize("name", DRAWN)
def test_a_picture_is_drawn_on_given_axes_or_new_ones_and_saved_without_a_screen(name: str, tmp_path: Path) -> None:
    ax = DRAWN[name]()
    save(ax, tmp_path / "picture.png")
    assert len(np.unique(imread(tmp_path / "picture.png")[..., :3])) > 20
    assert ax.get_title(loc="left")
    mine = pyplot.subplots()[1]
    assert DRAWN[name](mine) is mine
    assert len(pyplot.get_fignums()) == 2  # on given Axes no figure is made


def test_every_estimate_has_its_interval_labels_and_effective_n() -> None:
    shown = finished().estimate()
    ax = pictures.estimates(shown)
    assert len(texts(ax)) == len(shown.estimates)
    bars = [line for line in ax.lines if len(xs(line)) == 2]
    for one, said, line in zip(shown.estimates, texts(ax), bars, strict=True):
        assert f"{one.labels:,} labels" in said
        assert one.n_eff is None or f"effective n {one.n_eff:,.0f}" in said
        assert xs(line) == [one.low, one.high]


def test_an_unknown_value_has_an_interval_and_no_point() -> None:
    one = replace(result_of(InSlices).estimates[0], value=None, n_eff=None, why="no label")
    ax = pictures.estimates([one])
    assert [len(xs(line)) for line in ax.lines] == [2]
    assert texts(ax)[0].startswith("unknown")


def test_names_are_no_formulas(tmp_path: Path) -> None:
    """Two dollar signs around nonsense stop a program that reads them as mathematics."""
    nasty = r"$\frac{$ _x^ $$ \bad"
    found = replace(
        result_of(InSlices),
        estimates=tuple(replace(one, slice=("place", nasty), classifier=nasty) for one in result_of(InSlices).estimates),
    )
    save(pictures.slices(found), tmp_path / "slices.png")
    shrunk = result_of(Convergence)
    goal, points = shrunk.goals[0]
    named = replace(shrunk, goals=((replace(goal, classifier=nasty), points),))
    save(pictures.convergence(named), tmp_path / "convergence.png")
    curves = result_of(Curves)
    save(pictures.precision_recall(replace(curves, classifier=nasty)), tmp_path / "curves.png")


def test_names_that_cannot_be_drawn_are_made_plain() -> None:
    assert pictures.plain("a\n\tb\x00") == "a  b "
    assert len(pictures.plain("x" * 500)) == pictures.LONGEST
    assert pictures.plain(HOSTILE[0]) == HOSTILE[0]


def test_the_band_ends_with_the_numbers_of_the_look() -> None:
    shrunk = result_of(Convergence)
    legend = pictures.convergence(shrunk).get_legend()
    assert legend is not None
    said = [text.get_text() for text in legend.get_texts()]
    last = shrunk.goals[0][1][-1]
    assert said == [f"{shrunk.goals[0][0]}: {last.value:.3f}, {last.low:.3f} .. {last.high:.3f}, {last.labels:,} labels"]


def test_a_running_band_is_drawn_and_named_so() -> None:
    study = begun("running", goals=("accuracy +-0.1",), pair=False, stopping="width")
    label(study, units=40)
    assert pictures.convergence(study).get_title(loc="left").startswith("The running band")


@pytest.mark.parametrize("draw", [pictures.estimates, pictures.convergence, pictures.calibration, pictures.precision_recall])
def test_nothing_is_drawn_before_the_look(draw: Callable[[Study], Axes]) -> None:
    study = begun("early", goals=("f1 +-0.1",), pair=False)
    label(study, units=30)
    with pytest.raises(FewlabelsError, match=r"look|resolved"):
        draw(study)
    assert study.status().looks == 0
    assert pyplot.get_fignums() == []


def test_a_peek_is_said_in_the_picture() -> None:
    study = begun("peeked", goals=("f1 +-0.1",), pair=False)
    label(study, units=60)
    assert "not certified" in pictures.estimates(study.estimate(peek=True)).get_title(loc="left")


def test_a_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(FewlabelsError, match=r"\[pictures\]"):
        pictures.slices(result_of(InSlices))


# ---------------------------------------------------------------- the calibration behind the picture


def test_the_calibration_of_a_census_is_what_people_said() -> None:
    parts = read_calibration(small_study())
    assert sum(part.units for part in parts) == 40
    for part in parts:
        assert part.share == pytest.approx(part.positive / part.labels)
        assert (part.low, part.high) == pytest.approx((part.share, part.share), abs=1e-9)


def test_the_calibration_counts_every_label_once() -> None:
    parts = read_calibration(finished())
    assert sum(part.labels for part in parts) == 120
    assert sum(part.units for part in parts) == 300
    assert all(part.low <= part.share <= part.high for part in parts)
    assert [part.claimed for part in parts] == sorted(part.claimed for part in parts)
    assert max(sum(part.flagged == side for part in parts) for side in (True, False)) <= PARTS


def test_the_calibration_weighs_bands_by_their_units() -> None:
    """A few large bands were drawn thinly: their share counts by units, not by labels."""
    rng = stream(12)
    score = np.clip(rng.beta(0.3, 3, 4000), 0.001, 0.999)
    true = rng.random(4000) < score
    population = read_population({"id": [f"u{i}" for i in range(4000)], "score": score}, score="score", threshold=0.5)
    study = Study.create("many", population, goals=["recall +-0.1"], ledger=MEMORY)
    study.plan(400)
    batch = study.ask(400)
    assert batch is not None
    study.tell({unit: bool(true[int(unit[1:])]) for unit in batch.units})
    parts = read_calibration(study)
    drawn = [part for part in parts if 2 * part.labels < part.units]  # most flagged units are labeled: their share is known
    assert len(drawn) > 4
    assert sum(part.low <= part.claimed <= part.high for part in drawn) >= len(drawn) - 1  # the scores are true probabilities
    total = sum(part.units * part.share for part in parts)
    prevalence = study.estimate()["prevalence"].value
    assert total / 4000 == pytest.approx(prevalence, abs=1e-9)


def test_a_draw_without_a_guide_has_no_calibration() -> None:
    table = {"id": [f"u{i}" for i in range(40)], "flag": [i % 2 == 0 for i in range(40)]}
    population = read_population(table, classifiers=[Classifier("c", predicted="flag")])
    study = Study.create("plain", population, goals=["precision +-0.2"], ledger=MEMORY)
    study.plan(10)
    batch = study.ask(10)
    study.tell(dict.fromkeys(batch.units if batch else (), True))
    with pytest.raises(FewlabelsError, match="has none"):
        pictures.calibration(study)
