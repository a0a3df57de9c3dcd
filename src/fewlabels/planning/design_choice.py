"""The design that serves the goals."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fewlabels.designs.bands import Mixture, bands, rates, reference_of
from fewlabels.designs.poisson import given, importance, poisson
from fewlabels.designs.simple import simple
from fewlabels.designs.strata import strata
from fewlabels.errors import PlanError
from fewlabels.estimators.linearize import outcome_sizes, sizes
from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.design import DESIGNS as DESIGNS
from fewlabels.nouns.design import STRATIFIED, Design
from fewlabels.nouns.design import DesignName as DesignName
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.metric import Metric
from fewlabels.nouns.profile import Profile
from fewlabels.planning.frames import frame_of, sides_of
from fewlabels.planning.mixing import mixture_for


def choose_design(
    profile: Profile,
    metrics: Sequence[Metric],
    *,
    labels: int,
    name: DesignName | Design = "bands",
    classifier: int = 0,
    slices: Sequence[str] = (),
) -> DrawDesign:
    """The design for these metrics of one classifier (by position) and a budget of `labels`. `slices` are the slice columns, in order."""
    found = _design(profile, metrics, labels=labels, name=name, classifier=classifier, slices=slices)
    return replace(found, judged=(classifier,))


def _design(
    profile: Profile, metrics: Sequence[Metric], *, labels: int, name: DesignName | Design, classifier: int, slices: Sequence[str]
) -> DrawDesign:
    choice = name if isinstance(name, Design) else Design(name=name)
    frame, flagged = frame_of(profile, metrics, classifier=classifier), sides_of(profile, classifier)
    if choice.name == "simple":
        return simple(profile, frame=frame)
    if choice.name == "given":
        return given(profile, frame=frame, flagged=flagged, position=_position(choice.pi, slices))
    if choice.name in STRATIFIED:
        size = sizes(profile, flagged, metrics)
        return strata(profile, frame=frame, flagged=flagged, size=size, labels=labels, choice=choice, slices=slices)
    reference = reference_of(labels, int(profile.count[frame].sum()))
    if choice.name == "importance":
        pi = importance(profile, frame=frame, size=outcome_sizes(profile, flagged, metrics), labels=reference)
    else:
        pi = own_rates(profile, metrics, labels=reference, classifier=classifier)
    if choice.name == "bands":
        return bands(profile, flagged=flagged, pi=pi, labels=labels)
    return poisson(profile, name=choice.name, flagged=flagged, pi=pi, labels=labels)


def _position(column: str | None, slices: Sequence[str]) -> int:
    if column is None or column not in slices:
        raise PlanError(
            f"given probabilities must be a slice column, but {column!r} is not one of {list(slices)}: name it with --slice too"
        )
    return list(slices).index(column)


def sizes_for(profile: Profile, metrics: Sequence[Metric], *, classifier: int = 0, floor: float | None = None) -> FloatArray:
    """How much a unit of each cell matters; for several labels or classes, the square root of the risk, which is their guide."""
    if profile.claims is not None:
        return np.sqrt(profile.guide) if profile.guided else np.ones(profile.count.shape)
    return sizes(profile, sides_of(profile, classifier), metrics, floor=floor)


def own_rates(
    profile: Profile, metrics: Sequence[Metric], *, labels: float, classifier: int = 0, mixture: Mixture | None = None
) -> FloatArray:
    """The inclusion probability of each cell's units in a draw of `labels` made for these metrics; 0 where they need none.

    mixture   if it is not to be chosen for them
    """
    frame, flagged = frame_of(profile, metrics, classifier=classifier), sides_of(profile, classifier)
    mixture = mixture or mixture_for(profile, metrics, labels=labels, classifier=classifier)
    size = sizes_for(profile, metrics, classifier=classifier, floor=mixture.floor)
    return rates(profile, frame=frame, flagged=flagged, size=size, labels=labels, mixture=mixture)
