"""Measure how good a classifier is from the fewest human labels, with intervals that say how certain the result is.

population > profile > plan > draw > labels > estimate > decision > report

The rooms of `study` stand along that path and join two wings that do not know each other. Mathematics, which touches no file, clock or
database: nouns, designs, planning, estimators, intervals, deciding. The world: engines (tables), ledgers (the record), labeling (files and
tools), reports (pages). Above them: desk (labelers), cli, service, integrations.

The names below are the whole public interface, in the order of that path. Each is imported on first use, so `import fewlabels` is fast.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from fewlabels import plugins, registry
from fewlabels.nouns.display import Drawing, draw_with
from fewlabels.version import VERSION

if TYPE_CHECKING:
    from fewlabels.engines.resources import resources as resources
    from fewlabels.errors import ConfigurationError as ConfigurationError
    from fewlabels.errors import DrawError as DrawError
    from fewlabels.errors import EngineError as EngineError
    from fewlabels.errors import FewlabelsError as FewlabelsError
    from fewlabels.errors import FileError as FileError
    from fewlabels.errors import FingerprintError as FingerprintError
    from fewlabels.errors import GoalError as GoalError
    from fewlabels.errors import LabelError as LabelError
    from fewlabels.errors import LedgerError as LedgerError
    from fewlabels.errors import PlanError as PlanError
    from fewlabels.errors import PolicyError as PolicyError
    from fewlabels.errors import PopulationError as PopulationError
    from fewlabels.errors import StudyError as StudyError
    from fewlabels.estimators.counts import from_counts as from_counts
    from fewlabels.integrations.tables import to_table as to_table
    from fewlabels.nouns.classifier import Classifier as Classifier
    from fewlabels.nouns.decision import Decision as Decision
    from fewlabels.nouns.design import Design as Design
    from fewlabels.nouns.estimate import Estimate as Estimate
    from fewlabels.nouns.goal import Goal as Goal
    from fewlabels.nouns.label import Label as Label
    from fewlabels.nouns.plan import Plan as Plan
    from fewlabels.nouns.policy import Policy as Policy
    from fewlabels.nouns.population import Population as Population
    from fewlabels.study.estimate.result import Estimates as Estimates
    from fewlabels.study.monitor import Monitor as Monitor
    from fewlabels.study.plan.sizes import size as size
    from fewlabels.study.population.read import read_population as read_population
    from fewlabels.study.sample import from_sample as from_sample
    from fewlabels.study.simulate import simulate as simulate
    from fewlabels.study.state.standing import Batch as Batch
    from fewlabels.study.study import Study as Study

__version__ = VERSION
registry.found_outside = plugins.installed  # looks up names that are not our own

_ERRORS = (
    "FewlabelsError", "PopulationError", "FingerprintError", "EngineError", "GoalError", "PolicyError", "PlanError", "DrawError",
    "LabelError", "FileError", "StudyError", "ConfigurationError", "LedgerError",
)  # fmt: skip
_HOMES = {
    "read_population": "fewlabels.study.population.read",
    "Population": "fewlabels.nouns.population",
    "Classifier": "fewlabels.nouns.classifier",
    "Goal": "fewlabels.nouns.goal",
    "Design": "fewlabels.nouns.design",
    "size": "fewlabels.study.plan.sizes",
    "Study": "fewlabels.study.study",
    "Plan": "fewlabels.nouns.plan",
    "Batch": "fewlabels.study.state.standing",
    "Label": "fewlabels.nouns.label",
    "Estimate": "fewlabels.nouns.estimate",
    "Estimates": "fewlabels.study.estimate.result",
    "Decision": "fewlabels.nouns.decision",
    "Policy": "fewlabels.nouns.policy",
    "Monitor": "fewlabels.study.monitor",
    "from_sample": "fewlabels.study.sample",
    "simulate": "fewlabels.study.simulate",
    "from_counts": "fewlabels.estimators.counts",
    "to_table": "fewlabels.integrations.tables",
    "resources": "fewlabels.engines.resources",
    **dict.fromkeys(_ERRORS, "fewlabels.errors"),
}
__all__ = [*_HOMES]


def __getattr__(name: str) -> object:
    """Import a public name on first use."""
    if name not in _HOMES:
        raise AttributeError(f"module 'fewlabels' has no attribute {name!r}")
    found: object = getattr(import_module(_HOMES[name]), name)
    globals()[name] = found
    return found


def _load_drawing() -> Drawing:
    """The renderer of results in notebooks and as text, imported when the first result is shown."""
    found: Drawing = import_module("fewlabels.integrations.notebook").DRAWING
    return found


draw_with(_load_drawing)


def __dir__() -> list[str]:
    """The public names."""
    return sorted([*__all__, "__version__"])
