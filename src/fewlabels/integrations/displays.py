"""A study's estimates as a Display in the style of scikit-learn: made by from_study or from_result, drawn by plot()."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fewlabels.errors import StudyError
from fewlabels.estimators.counts import Confusion
from fewlabels.integrations import pictures
from fewlabels.nouns.estimate import Estimate
from fewlabels.study.estimate.result import Estimates
from fewlabels.study.study import Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure


class EstimateDisplay:
    """Metrics with their intervals, labels and effective n.

    estimates   what is drawn, from top to bottom
    ax_         the Axes, once it is plotted
    figure_     the figure they are on

    Examples:
        >>> from fewlabels.integrations.sklearn import EstimateDisplay
        >>> from fewlabels.demo.study import small_study
        >>> display = EstimateDisplay.from_study(small_study(), metrics=["precision", "recall"]).plot()
        >>> [label.get_text() for label in display.ax_.get_yticklabels()]
        ['precision of new', 'recall of new', 'precision of old', 'recall of old']
    """

    ax_: "Axes"
    figure_: "Figure | SubFigure"

    def __init__(self, estimates: Sequence[Estimate]) -> None:
        """Use `from_study` or `from_result`."""
        if not estimates:
            raise StudyError("a display shows estimates, but there are none before the planned look: continue labeling")
        self.estimates = tuple(estimates)

    @classmethod
    def from_study(cls, study: Study, *, metrics: Sequence[str] = ()) -> "EstimateDisplay":
        """Return a display of the study's estimates at its look; only of these metrics, if any are named."""
        return cls.from_result(study.estimate(), metrics=metrics)

    @classmethod
    def from_result(cls, result: Estimates | Confusion | Sequence[Estimate], *, metrics: Sequence[str] = ()) -> "EstimateDisplay":
        """Return a display of a result of `estimate` or `from_counts`, or of a list of estimates."""
        found = result.estimates if isinstance(result, Estimates | Confusion) else result
        return cls([one for one in found if not metrics or one.metric in metrics])

    def plot(self, ax: "Axes | None" = None) -> "EstimateDisplay":
        """Draw on the Axes, or on new ones, and return the display itself."""
        self.ax_ = pictures.estimates(self.estimates, ax)
        self.figure_ = self.ax_.figure
        return self
