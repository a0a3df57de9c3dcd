"""Which cells goals are about: the frame of a draw, and its flagged side."""

from collections.abc import Sequence

import numpy as np

from fewlabels.errors import PlanError
from fewlabels.nouns.arrays import BoolArray
from fewlabels.nouns.metric import Metric
from fewlabels.nouns.profile import Profile


def frame_of(profile: Profile, metrics: Sequence[Metric], *, classifier: int = 0) -> BoolArray:
    """The cells the metrics need: one side if it determines every metric, otherwise all; always all for several labels."""
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


def sides_of(profile: Profile, classifier: int) -> BoolArray:
    """Which cells are on the flagged side; for several labels or classes, those that any classifier flags."""
    return profile.pattern > 0 if profile.claims is not None else profile.predicted(classifier)
