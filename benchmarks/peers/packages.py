"""The packages that are compared, the versions that are installed, and what it took to install them."""

from typing import NamedTuple


class Package(NamedTuple):
    """A package: its module in `methods`, what pip installs, and what its user must do beside `pip install`.

    `alone` is installed without what it asks for.
    """

    name: str
    module: str
    requirements: tuple[str, ...]
    beside: str = ""
    alone: str = ""


PACKAGES = (
    Package("ppi-python", "ppi_python", ("ppi-python==0.2.3",)),
    Package("ssepy", "ssepy", ("ssepy==0.1.1", "scikit-learn"), "its page uses scikit-learn, which it does not ask for"),
    Package("svy", "svy", ("svy==0.35.0",)),
    Package("samplics", "samplics", ("samplics==0.6.1",), "imports with a warning that it is no longer maintained"),
    Package("confidenceinterval", "confidenceinterval", ("confidenceinterval==1.0.5",)),
    Package("scikit-learn", "scikit_learn", ("scikit-learn==1.9.1",)),
    Package("statsmodels", "statsmodels", ("statsmodels==0.15.0",)),
    Package("cje-eval", "cje_eval", ("cje-eval==0.9.3",)),
    Package("truescore", "truescore", ("truescore==0.7.4",)),
    Package("evalstats", "evalstats", ("evalstats==0.3.3",)),
    Package("nannyml", "nannyml", ("nannyml==0.13.1", "statsmodels"), "imports statsmodels, which it does not ask for"),
    Package(
        "oasis",
        "oasis",
        ("numpy", "scipy", "scikit-learn", "tables"),
        "asks for `sklearn`, a name that pip refuses, and calls names that SciPy no longer has",
        alone="oasis==0.1.3",
    ),
)
MAPIE = Package("mapie", "", ("mapie==1.6.0",))  # finds thresholds: benchmarks.peers.searches
NOT_INSTALLED = {
    "glide-py": "not in the package index that these environments are installed from, under Python 3.11, 3.12 or 3.13",
    "testsampleR, survey, sampling": "R packages; the first one's draw is compared in [against](against.md)",
}
