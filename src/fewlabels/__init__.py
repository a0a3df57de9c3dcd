"""fewlabels tells how good a classifier is from the fewest human labels, and says how sure it is.

population > profile > plan > draw > labels > estimate > decision > report

The names below are the whole public interface, in the order of that path. Each is imported on first use, so `import fewlabels` is light.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from fewlabels import plugins, registry
from fewlabels.nouns.display import Drawing, draw_with
from fewlabels.version import VERSION

if TYPE_CHECKING:
    from fewlabels.engines.resources import Resources as Resources
    from fewlabels.engines.resources import using as using
    from fewlabels.errors import FewlabelsError as FewlabelsError
    from fewlabels.estimators.counts import from_counts as from_counts
    from fewlabels.integrations.tables import table as table
    from fewlabels.nouns.choice import Choice as Choice
    from fewlabels.nouns.classifier import Classifier as Classifier
    from fewlabels.nouns.decision import Decision as Decision
    from fewlabels.nouns.estimate import Estimate as Estimate
    from fewlabels.nouns.goal import Goal as Goal
    from fewlabels.nouns.label import Label as Label
    from fewlabels.nouns.plan import Plan as Plan
    from fewlabels.nouns.population import Population as Population
    from fewlabels.study.monitor import Monitor as Monitor
    from fewlabels.study.population.read import read_population as read_population
    from fewlabels.study.simulate import simulate as simulate
    from fewlabels.study.study import Study as Study

__version__ = VERSION
registry.found_outside = plugins.installed  # asked for a name that is none of ours

_HOMES = {
    "read_population": "fewlabels.study.population.read",
    "Population": "fewlabels.nouns.population",
    "Classifier": "fewlabels.nouns.classifier",
    "Goal": "fewlabels.nouns.goal",
    "Choice": "fewlabels.nouns.choice",
    "Study": "fewlabels.study.study",
    "Plan": "fewlabels.nouns.plan",
    "Label": "fewlabels.nouns.label",
    "Estimate": "fewlabels.nouns.estimate",
    "Decision": "fewlabels.nouns.decision",
    "Monitor": "fewlabels.study.monitor",
    "simulate": "fewlabels.study.simulate",
    "from_counts": "fewlabels.estimators.counts",
    "table": "fewlabels.integrations.tables",
    "Resources": "fewlabels.engines.resources",
    "using": "fewlabels.engines.resources",
    "FewlabelsError": "fewlabels.errors",
}
__all__ = [*_HOMES]


def __getattr__(name: str) -> object:
    """Imports a public name on first use."""
    if name not in _HOMES:
        raise AttributeError(f"module 'fewlabels' has no attribute {name!r}")
    found: object = getattr(import_module(_HOMES[name]), name)
    globals()[name] = found
    return found


def _load_drawing() -> Drawing:
    """What draws results in notebooks and as text, imported when the first is shown."""
    found: Drawing = import_module("fewlabels.integrations.notebook").DRAWING
    return found


draw_with(_load_drawing)


def __dir__() -> list[str]:
    """The public names."""
    return sorted([*__all__, "__version__"])
