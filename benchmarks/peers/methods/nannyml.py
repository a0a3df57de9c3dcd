"""NannyML: CBPE estimates metrics of unlabeled data from scores, calibrated on a labeled reference: here the simple draw."""

import numpy as np
import pandas
from nannyml import CBPE

from benchmarks.peers.given import METRICS, Estimate, Estimates, Generator, Method, Once, Part, Table, simple_draw


def _ready(table: Table, labels: int) -> Once:
    frame = pandas.DataFrame({"score": table.score, "flagged": table.flagged.astype(int), "y": table.y.astype(int)})

    def once(rng: Generator) -> Estimates:
        drawn = np.zeros(table.y.size, dtype=bool)
        drawn[simple_draw(table.y.size, labels, rng)] = True
        estimator = CBPE(
            y_pred_proba="score",
            y_pred="flagged",
            y_true="y",
            problem_type="classification_binary",
            metrics=list(METRICS),
            chunk_number=1,
        )
        estimator.fit(frame[drawn])
        told = estimator.estimate(frame[~drawn].drop(columns="y")).filter(period="analysis").to_df(multilevel=False).iloc[0]
        return {
            metric: Estimate(
                *(float(told[f"{metric}_{part}"]) for part in ("value", "lower_confidence_boundary", "upper_confidence_boundary"))
            )
            for metric in METRICS
        }

    return once


METHODS = (Method("CBPE", (Part(METRICS, _ready),), "a simple draw of all units as its reference, for all three metrics"),)
