"""assay tells how good a classifier is from the fewest human labels, and says how sure it is.

population > profile > plan > draw > labels > estimate > decision > report

The names below are the whole public interface, in the order of that path. Each is imported on first use, so `import assay` is light.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from assay.version import VERSION

if TYPE_CHECKING:
    from assay.engines.resources import Resources as Resources
    from assay.engines.resources import using as using
    from assay.errors import AssayError as AssayError
    from assay.estimators.counts import from_counts as from_counts
    from assay.integrations.tables import table as table
    from assay.nouns.choice import Choice as Choice
    from assay.nouns.classifier import Classifier as Classifier
    from assay.nouns.decision import Decision as Decision
    from assay.nouns.estimate import Estimate as Estimate
    from assay.nouns.goal import Goal as Goal
    from assay.nouns.label import Label as Label
    from assay.nouns.plan import Plan as Plan
    from assay.nouns.population import Population as Population
    from assay.study.monitor import Monitor as Monitor
    from assay.study.populations import read_population as read_population
    from assay.study.simulate import simulate as simulate
    from assay.study.study import Study as Study

__version__ = VERSION

_HOMES = {
    "read_population": "assay.study.populations",
    "Population": "assay.nouns.population",
    "Classifier": "assay.nouns.classifier",
    "Goal": "assay.nouns.goal",
    "Choice": "assay.nouns.choice",
    "Study": "assay.study.study",
    "Plan": "assay.nouns.plan",
    "Label": "assay.nouns.label",
    "Estimate": "assay.nouns.estimate",
    "Decision": "assay.nouns.decision",
    "Monitor": "assay.study.monitor",
    "simulate": "assay.study.simulate",
    "from_counts": "assay.estimators.counts",
    "table": "assay.integrations.tables",
    "Resources": "assay.engines.resources",
    "using": "assay.engines.resources",
    "AssayError": "assay.errors",
}
__all__ = [*_HOMES]


def __getattr__(name: str) -> object:
    """Imports a public name on first use."""
    if name not in _HOMES:
        raise AttributeError(f"module 'assay' has no attribute {name!r}")
    found: object = getattr(import_module(_HOMES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    """The public names."""
    return sorted([*__all__, "__version__"])
