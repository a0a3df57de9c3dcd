"""Prediction tables with the truth, and the same tables with their scores made worthless.

A folder of tables holds manifest.json and one Parquet file a table with id, y and score_<model>; the manifest gives each model's
threshold. The modes:

    real       as it is
    noise      scores permuted over all units, decisions as they imply: both say nothing
    shuffled   scores permuted over all units as the guide, the decisions kept
    reversed   scores reversed inside each side as the guide, the decisions kept
    hidden     a made-up table: the guide is right near the threshold, and 1 unflagged unit in 1,000 is positive where it says none is
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

import duckdb
import numpy as np
from numpy.typing import NDArray

import fewlabels
from benchmarks.made import Made
from fewlabels.randomness import stream

Mode = Literal["real", "noise", "shuffled", "reversed", "hidden"]
MODES: tuple[Mode, ...] = ("real", "noise", "shuffled", "reversed", "hidden")
SEVEN = (
    ("mnist8", "mlp"),
    ("mnist8", "nb"),
    ("hate_tweets", "lr"),
    ("fraud_sample", "gbm"),
    ("fraud_sample", "rules"),
    ("news20_sci_space", "lr"),
    ("news20_talk_religion_misc", "hgb"),
)

NEWS = (
    "comp_os_ms-windows_misc", "comp_sys_ibm_pc_hardware", "comp_windows_x", "rec_autos", "rec_motorcycles", "rec_sport_baseball",
    "sci_crypt", "sci_electronics", "sci_space", "talk_politics_mideast", "talk_politics_misc", "talk_religion_misc",
)  # fmt: skip
TWENTY_ONE = (
    *(("fraud_sample", model) for model in ("gbm", "lr", "rules")),
    *(("hate_tweets", model) for model in ("hgb", "lr", "nb")),
    *(("mnist8", model) for model in ("lr", "mlp", "nb")),
    *((f"news20_{name}", ("hgb", "lr", "nb")[i % 3]) for i, name in enumerate(NEWS)),
)
# on which the mixtures, the labels of a band and the slope of other columns were chosen; of the last two tables on another model
CHOSEN_ON = {"hate_tweets lr", "fraud_sample gbm", "fraud_sample rules", "news20_sci_space nb", "mnist8 nb", "mnist8 mlp",
             "news20_talk_religion_misc nb"}  # fmt: skip


class Bench(NamedTuple):
    """One table and model, ready to simulate: a population and the name of its truth column."""

    table: str
    model: str
    mode: Mode
    population: fewlabels.Population
    truth: str = "y"

    @property
    def name(self) -> str:
        """Table and model in one word."""
        return f"{self.table} {self.model}"


def load(folder: Path, table: str, model: str, *, mode: Mode, seed: int, scratch: Path) -> Bench:
    """The population of one table and model in one mode; worthless scores are written to `scratch`."""
    manifest = json.loads((folder / "manifest.json").read_text())[table]
    threshold = float(manifest["metrics"]["models"][model].get("threshold") or manifest["thresholds"][model])
    source = folder / f"{table}.parquet"
    if mode == "real":
        judged = fewlabels.Classifier(model, score=f"score_{model}", threshold=threshold)
        return Bench(table, model, mode, fewlabels.read_population(source, id="id", classifiers=[judged]))
    with duckdb.connect() as reader:
        columns = reader.execute(f"select id, y, score_{model} as s from '{source}'").fetchnumpy()
    s, y = np.asarray(columns["s"], dtype=np.float32), np.asarray(columns["y"])
    flagged = s >= np.float32(threshold)
    guide = worthless(s, flagged, mode, stream(seed, MODES.index(mode)))
    path = scratch / f"{table}_{model}_{mode}.parquet"
    decided = guide >= np.float32(threshold) if mode == "noise" else flagged
    with duckdb.connect() as connection:
        connection.register("t", {"id": columns["id"], "y": y, "guide": guide, "flag": decided})
        connection.execute(f"copy (select id, y, guide, flag from t) to '{path}' (format parquet)")
    judged = fewlabels.Classifier(model, predicted="flag")
    return Bench(table, model, mode, fewlabels.read_population(path, id="id", classifiers=[judged], guide="guide"))


def hidden(*, seed: int, scratch: Path) -> Bench:
    """252,700 units, 700 of them flagged; half of the positives that are not flagged are where the guide says there is none."""
    rng = stream(seed, MODES.index("hidden"))
    guide = np.concatenate([rng.uniform(0.5, 1, 700), rng.uniform(0.01, 0.3, 2_000), 10 ** rng.uniform(-7, -3.5, 250_000)])
    flag = np.arange(guide.size) < 700
    y = (rng.random(guide.size) < np.where(flag, guide, np.where(guide >= 0.01, guide / 2, 0.001))).astype(np.int8)
    path = scratch / "hidden.parquet"
    with duckdb.connect() as connection:
        connection.register("t", {"id": np.arange(guide.size), "y": y, "guide": guide, "flag": flag})
        connection.execute(f"copy (select id, y, guide, flag from t) to '{path}' (format parquet)")
    judged = fewlabels.Classifier("blind", predicted="flag")
    return Bench("made-up", "blind", "hidden", fewlabels.read_population(path, id="id", classifiers=[judged], guide="guide"))


def worthless(s: NDArray[np.float32], flagged: NDArray[np.bool_], mode: Mode, rng: np.random.Generator) -> NDArray[np.float32]:
    """The scores with what they knew taken out, or turned round."""
    if mode in ("noise", "shuffled"):
        return rng.permutation(s)
    turned = s.copy()
    for side in (True, False):
        rows = np.flatnonzero(flagged == side)
        ordered = rows[np.argsort(s[rows], kind="stable")]
        turned[ordered] = s[ordered[::-1]]
    return turned


def table_units(folder: Path, table: str, model: str) -> Made:
    """Every unit of a table with its score as the guide, decision and truth."""
    manifest = json.loads((folder / "manifest.json").read_text())[table]
    with duckdb.connect() as reader:
        columns = reader.execute(f"select y, score_{model} as s from '{folder / manifest['file']}'").fetchnumpy()
    s = np.asarray(columns["s"], dtype=np.float32)
    flagged = s >= np.float32(manifest["thresholds"][model])
    return Made(f"{table} {model}", np.asarray(columns["y"]) == 1, s.astype(np.float64), flagged)


def all_benches(folder: Path, modes: tuple[Mode, ...], *, seed: int, scratch: Path) -> Iterator[Bench]:
    """Every table and model in every mode."""
    for mode in modes:
        if mode == "hidden":
            yield hidden(seed=seed, scratch=scratch)
            continue
        for table, model in SEVEN:
            yield load(folder, table, model, mode=mode, seed=seed, scratch=scratch)
