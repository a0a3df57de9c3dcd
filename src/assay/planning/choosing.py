"""Which units the goals need, and the design that serves them.

Main path: population > profile > [plan] > draw > labels > estimate > decision > report
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from assay.designs.bands import bands
from assay.designs.simple import simple
from assay.errors import PlanError
from assay.estimators.linearize import sizes
from assay.nouns.arrays import BoolArray
from assay.nouns.design import Design
from assay.nouns.metric import Metric
from assay.nouns.profile import Profile

DesignName = Literal["bands", "simple"]
DESIGNS: tuple[DesignName, ...] = ("bands", "simple")


def frame_of(profile: Profile, metrics: Sequence[Metric], *, classifier: int = 0) -> BoolArray:
    """The cells the metrics need: the flagged ones alone where those determine every metric, else all."""
    if any(metric.needs_unflagged for metric in metrics):
        return np.ones(profile.count.size, dtype=np.bool_)
    flagged = profile.predicted(classifier)
    if not flagged.any():
        raise PlanError(
            f"{', '.join(m.name for m in metrics)} is a share of the flagged units, but the classifier flags none of the {profile.N:,}: "
            "lower its threshold, or ask for prevalence"
        )
    return flagged


def choose_design(profile: Profile, metrics: Sequence[Metric], *, labels: int, name: DesignName = "bands", classifier: int = 0) -> Design:
    """The design for these metrics of one classifier (by position) and a budget of `labels`."""
    frame = frame_of(profile, metrics, classifier=classifier)
    if name == "simple":
        return simple(profile, frame=frame)
    flagged = profile.predicted(classifier)
    return bands(profile, frame=frame, flagged=flagged, size=sizes(profile, flagged, metrics), labels=labels)
