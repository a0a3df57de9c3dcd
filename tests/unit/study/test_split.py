"""A study that grows far splits its bands by score; every unit drawn is kept, and a stranger can cut them again."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.plan import Plan
from fewlabels.study import verify
from fewlabels.study.plan import next_plan
from fewlabels.study.plan.design import grown_design
from fewlabels.study.state.standing import Standing
from tests.unit.study.made import create, finished, label_all


def test_bands_are_split_inside_the_earlier_ones_and_keep_their_units(tmp_path: Path) -> None:
    study = finished(tmp_path, budget=40)
    first, before = study.standing.plan, study.standing.units
    assert before is not None
    plan = study.plan(200)
    after = study.standing.units
    assert after is not None
    assert after.unit[:40] == before.unit
    assert plan.design.N.size > first.design.N.size
    parents = {(new, old) for new, old in zip(plan.design.band.tolist(), first.design.band.tolist(), strict=True)}
    assert len(parents) == plan.design.N.size  # each lies in one
    assert plan.design.held is not None
    assert plan.design.held.sum() == 40
    assert (plan.take >= plan.design.held).all()
    label_all(study)
    study.estimate()
    assert study.verify(population=True).passed
    assert Plan.of_json(plan.as_json()).hash == plan.hash


def test_a_study_grows_again_and_again(tmp_path: Path) -> None:
    study = finished(tmp_path, budget=40)
    bands = [study.standing.plan.design.N.size]
    for budget in (120, 240, 400):
        bands.append(study.plan(budget).design.N.size)
        label_all(study)
        study.estimate()
    assert bands == sorted(bands)
    assert bands[-1] > bands[0]
    assert study.verify(population=True).passed


def test_bands_stay_as_they_are_where_a_little_is_added_or_nothing_was_drawn(tmp_path: Path) -> None:
    study = finished(tmp_path, budget=40)
    assert grown_design(study.standing, 50) is study.standing.plan.design
    assert grown_design(study.standing, 300) is not study.standing.plan.design
    undrawn = create(tmp_path, "undrawn")
    undrawn.plan(40)
    assert grown_design(undrawn.standing, 300) is undrawn.standing.plan.design


def test_bands_that_follow_from_something_else_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: a plan whose bands were cut where positives had been found."""

    def cut_by_labels(standing: Standing, _budget: int) -> DrawDesign:
        design, units = standing.plan.design, standing.units
        assert units is not None
        band = design.band.copy()
        band[np.flatnonzero(band == 0)[:1]] = design.N.size
        N = np.bincount(band, weights=standing.profile.count).astype(np.int64)
        held = np.bincount(band[standing.profile.cells(units.pattern, units.guide_bin, units.slice)], minlength=N.size)
        return replace(design, band=band, N=N, mass=np.ones(N.size), held=held)

    study = finished(tmp_path, budget=40)
    with monkeypatch.context() as patch:
        patch.setattr(next_plan, "grown_design", cut_by_labels)
        study.plan(200)
    found = study.verify().findings
    assert any("do not follow from the plan before it" in finding for finding in found)


def test_bands_of_an_earlier_edition_need_only_be_parts_of_those_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rule of then is gone. The twin: bands that are no parts, and an edition older than the one before."""
    study = finished(tmp_path, budget=40)
    before, grown = study.standing.plan.design, study.plan(200).design
    monkeypatch.setattr(verify, "EDITION", grown.edition + 1)
    assert study.verify().passed

    def never() -> DrawDesign:
        raise AssertionError("cut again")

    assert verify._follows(grown, before, never)
    assert not verify._follows(before, grown, never)
    assert not verify._follows(replace(grown, edition=before.edition - 1), before, never)
