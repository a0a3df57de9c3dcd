"""Two models for one job: which of them goes live, and at which threshold?

A clinic sorts referral letters: urgent or not. The champion has done so for a year, the challenger was trained last
month. They agree on most letters, and what both get right or wrong says nothing about which is better. So the goal is
the difference itself, and the draw goes to the letters on which the two disagree.

The one that is better then gets a threshold: as low as possible, so that few urgent letters are missed, as long as 70 %
of what it flags is urgent. The labels already exist. The guarantee accounts for the search over thresholds: it is
valid wherever the search ends.

Run it in an empty folder: `python two_models.py`. The record is kept in two_models.db.
"""

import numpy as np

import fewlabels

LEDGER = "sqlite:///two_models.db"
LETTERS, URGENT = 12_000, 0.08
SIGHT = {"challenger": 3.2, "champion": 2.6}  # how far urgent letters stand out to each


def made_up(seed: int) -> tuple[dict[str, object], np.ndarray]:
    """Letters with two scores, and which of them are urgent. Both models read the same words, so they often err together."""
    rng = np.random.default_rng(seed)
    urgent = rng.random(LETTERS) < URGENT
    shared = rng.normal(0, 1, LETTERS)
    table: dict[str, object] = {"id": [f"letter-{i}" for i in range(LETTERS)]}
    for name, sight in SIGHT.items():
        signal = 0.8 * shared + 0.6 * rng.normal(0, 1, LETTERS) + sight * urgent
        table[name] = 1 / (1 + np.exp(-(sight * signal - sight**2 / 2 + np.log(URGENT / (1 - URGENT)))))
    return table, urgent


def main() -> None:
    """The difference, metric by metric, then a threshold for the one that is better."""
    table, urgent = made_up(seed=2)
    models = [fewlabels.Classifier(name, score=name, threshold=0.5) for name in SIGHT]
    population = fewlabels.read_population(table, classifiers=models)
    study = fewlabels.Study.create("models", population, goals=["f1 >= 0 for challenger over champion"], ledger=LEDGER)
    study.plan(800)
    while batch := study.ask(200):
        study.tell({unit: bool(urgent[int(unit.removeprefix("letter-"))]) for unit in batch.units})  # in real life: doctors

    print("challenger less champion, on the same letters")
    for metric in ("f1", "precision", "recall"):
        found = study.compare("challenger", "champion", metric=metric)
        e, true = found.estimate, difference(table, urgent, metric)
        print(f"{metric:<9} {e.value:+.3f} [{e.low:+.3f}, {e.high:+.3f}] (true {true:+.3f}), better: {found.better or 'not shown'}")
    print(f"\n{study.decide()}")

    searched = study.find_threshold("precision", 0.7, classifier="challenger")
    print(f"\n{searched.reason}")
    if searched.threshold is not None:
        flagged = np.asarray(table["challenger"]) >= searched.threshold
        print(f"precision there: at least {searched.bound:.2f} (true {urgent[flagged].mean():.2f})")
        print(f"recall there: {searched.other_low:.2f} to {searched.other_high:.2f} (true {flagged[urgent].mean():.2f})")


def difference(table: dict[str, object], urgent: np.ndarray, metric: str) -> float:
    """The challenger's metric minus the champion's, which only the maker of the letters knows."""
    values = []
    for name in SIGHT:
        flagged = np.asarray(table[name]) >= 0.5
        right = (flagged & urgent).sum()
        whole = {"f1": (flagged.sum() + urgent.sum()) / 2, "precision": flagged.sum(), "recall": urgent.sum()}
        values.append(float(right / whole[metric]))
    return values[0] - values[1]


if __name__ == "__main__":
    main()
