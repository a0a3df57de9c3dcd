"""A stream of card fraud with known truth: 90 days, eight countries, one classifier (lr) that drifts on day 45 and one (gbm) that does not.

The folder of tables holds make_fraud.py, which makes it.
"""

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.made import Known, known

N, DAYS, DRIFT_DAY, BLOCK = 1_000_000, 90, 45, 15
MODELS = ("gbm", "lr")
Columns = dict[str, NDArray[np.float64]]


class Table(NamedTuple):
    """The stream as columns, and each model's threshold."""

    columns: Columns
    threshold: dict[str, float]

    def period(self, model: str, days: range) -> Known:
        """The profile of some days, with its truth."""
        mine = (self.columns["day"] >= days.start) & (self.columns["day"] < days.stop)
        score = self.columns[f"score_{model}"][mine].astype(np.float64)
        return known(model, self.columns["y"][mine] == 1, score, score >= self.threshold[model])


def fraud(maker: ModuleType, *, units: int, seed: int, drifts: bool = True) -> Table:
    """The stream of a seed, with the drift or as if it never came."""
    drift = dict(maker.R_DRIFT)
    if not drifts:
        maker.R_DRIFT.clear()
    try:
        parts = list(maker.chunks(units, seed))
    finally:
        maker.R_DRIFT.update(drift)
    thresholds = {model: float(np.float32(value)) for model, value in maker.thresholds().items()}
    return Table({name: np.concatenate([part[name] for part in parts]) for name in parts[0]}, thresholds)


def load_maker(folder: Path) -> ModuleType:
    """make_fraud.py of the folder, as a module."""
    spec = importlib.util.spec_from_file_location("make_fraud", folder / "make_fraud.py")
    assert spec is not None
    assert spec.loader is not None
    maker = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(maker)
    return maker


def lr_precision(maker: ModuleType) -> float:
    """What the precision of lr is on average before the drift, from the formula of the stream: E[q(x) | flagged], x standard normal."""
    x = np.linspace(maker.ndtri(1 - maker.FLAG["lr"]), 6.4, 20_001)
    density = np.exp(-x * x / 2)
    q = maker.expit(np.interp(x, maker.GRID, maker.LQ["lr"]))
    return float((q * density).sum() / density.sum())
