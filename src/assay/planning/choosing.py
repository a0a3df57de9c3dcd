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
    """The cells the metrics need: one side alone where that determines every metric, else all (of several labels always all)."""
    if profile.claims is not None:
        return np.ones(profile.count.shape, dtype=np.bool_)
    flagged = profile.predicted(classifier)
    needed = np.zeros(flagged.shape, dtype=np.bool_)
    for metric in metrics:
        needed |= (flagged & metric.needs_flagged) | (~flagged & metric.needs_unflagged)
    if not needed.any():
        raise PlanError(
            f"{', '.join(m.name for m in metrics)} is a share of the {'flagged' if metrics[0].needs_flagged else 'unflagged'} units, but "
            f"the classifier has none among its {profile.N:,}: change its threshold, or ask for prevalence"
        )
    return needed


def choose_design(profile: Profile, metrics: Sequence[Metric], *, labels: int, name: DesignName = "bands", classifier: int = 0) -> Design:
    """The design for these metrics of one classifier (by position) and a budget of `labels`."""
    frame = frame_of(profile, metrics, classifier=classifier)
    if name == "simple":
        return simple(profile, frame=frame)
    if profile.claims is not None:  # several labels or classes: the guide is the risk itself
        size = np.sqrt(profile.guide) if profile.guided else np.ones(profile.count.shape)
        return bands(profile, frame=frame, flagged=profile.pattern > 0, size=size, labels=labels)
    flagged = profile.predicted(classifier)
    return bands(profile, frame=frame, flagged=flagged, size=sizes(profile, flagged, metrics), labels=labels)
