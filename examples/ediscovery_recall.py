"""E-discovery: has the review found at least three quarters of the relevant documents?

A court case. Of 60,000 documents about 1 in 50 is relevant. A classifier has ranked them all, and lawyers will read
those it flags. Before they hand them over they must show that few were missed: recall of at least 0.75. Looking for
what was missed by reading documents at random is hopeless: of a thousand, twenty are relevant, and perhaps two of them
were missed. The draw looks where the ranking is unsure, and gives every document a chance.

The other side will ask what happens if the ranking is wrong where it seems sure. So the strict interval decides: it
is valid wherever the errors are. Reported beside it is *elusion*, the share of relevant documents among those that were
not flagged.

Run it in an empty folder: `python ediscovery_recall.py`. The record is kept in ediscovery_recall.db.
"""

import numpy as np

import fewlabels

LEDGER = "sqlite:///ediscovery_recall.db"
DOCUMENTS, RELEVANT = 60_000, 0.02
FIRST, LARGEST = 1_000, 3_000  # documents to read for the test; the largest number is declared first, so that an early look costs little


def made_up(seed: int) -> tuple[dict[str, object], np.ndarray]:
    """Ranked documents, and which of them are relevant."""
    rng = np.random.default_rng(seed)
    relevant = rng.random(DOCUMENTS) < RELEVANT
    signal = rng.normal(0, 1, DOCUMENTS) + 4 * relevant
    score = 1 / (1 + np.exp(-(4 * signal - 8 + np.log(RELEVANT / (1 - RELEVANT)))))
    return {"id": np.arange(DOCUMENTS), "score": score}, relevant


def read(study: fewlabels.Study, relevant: np.ndarray) -> fewlabels.Decision:
    """The verdict once every document of the plan has been read."""
    while batch := study.ask(500):
        study.tell({unit: bool(relevant[int(unit)]) for unit in batch.units})  # in real life: lawyers
    decision = study.decide()
    assert decision is not None  # all labels are in
    print(f"after {study.standing.plan.budget:,} documents read for the test: {decision}\n")
    return decision


def main() -> None:
    """One goal, the strict interval, and the numbers a court is used to."""
    table, relevant = made_up(seed=5)
    population = fewlabels.read_population(table, score="score", threshold=0.2)
    study = fewlabels.Study.create("review", population, goals=["recall >= 0.75"], ledger=LEDGER)
    if not study.standing.plans:
        study.plan(FIRST, grow_to=LARGEST, interval="strict")
    decision = read(study, relevant)
    if decision.outcome == "label more" and study.standing.plan.budget < LARGEST:
        study.plan(LARGEST)
        decision = read(study, relevant)

    flagged = np.asarray(table["score"]) >= 0.2
    true = {"recall": flagged[relevant].mean(), "false_omission_rate": relevant[~flagged].mean()}
    shown = study.estimate()
    recall, elusion = shown["recall"], shown["false_omission_rate"]
    print(f"of {DOCUMENTS:,} documents {flagged.sum():,} are flagged")
    print(f"recall {recall.value:.2f}, at least {recall.at_least:.2f} with {recall.level:.0%} confidence (true {true['recall']:.2f})")
    elusive = f"elusion {elusion.value:.2%}, at most {elusion.at_most:.2%}"
    print(f"{elusive} (true {true['false_omission_rate']:.2%}): of {(~flagged).sum():,} documents not flagged")


if __name__ == "__main__":
    main()
