"""Three spam filters and their vote: which of the four should we use? One set of labels serves all of them.

A mail service has a filter that reads the text, one that looks at the sender and one that follows the links. Each flags
different mails. Should it use the best of them, or trust what at least two of them say? Labeling a separate draw for
each filter would mean paying four times: a label says what a mail is, and that serves every filter that scored it.

Run it in an empty folder: `python ensemble_of_three.py`. The record is kept in ensemble_of_three.db.
"""

import numpy as np

import fewlabels

LEDGER = "sqlite:///ensemble_of_three.db"
MAILS, SPAM = 12_000, 0.10
SIGHT = {"text": 2.3, "sender": 2.1, "links": 2.0}  # how far spam stands out to each filter


def made_up(seed: int) -> tuple[dict[str, object], np.ndarray]:
    """Mails with three scores, and which of them are spam. The filters look at different things, so they err on different mails."""
    rng = np.random.default_rng(seed)
    spam = rng.random(MAILS) < SPAM
    table: dict[str, object] = {"id": [f"mail-{i}" for i in range(MAILS)]}
    for name, sight in SIGHT.items():
        signal = rng.normal(0, 1, MAILS) + sight * spam
        table[name] = 1 / (1 + np.exp(-(sight * signal - sight**2 / 2 + np.log(SPAM / (1 - SPAM)))))
    return table, spam


def true_f1(table: dict[str, object], spam: np.ndarray) -> dict[str, float]:
    """The F1 of each filter and of the vote, which only the maker of the mails knows."""
    flags = {name: np.asarray(table[name]) >= 0.4 for name in SIGHT}
    flags["vote"] = np.sum([*flags.values()], axis=0) >= 2
    return {name: float(2 * (flag & spam).sum() / (flag.sum() + spam.sum())) for name, flag in flags.items()}


def main() -> None:
    """One draw for four classifiers, then their order."""
    table, spam = made_up(seed=3)
    filters = [fewlabels.Classifier(name, score=name, threshold=0.4) for name in SIGHT]
    vote = fewlabels.Classifier("vote", of=[*SIGHT], at_least=2)
    population = fewlabels.read_population(table, classifiers=[*filters, vote])

    study = fewlabels.Study.create("filters", population, goals=["f1 +-0.06 for each"], ledger=LEDGER)
    study.plan(900)
    while batch := study.ask(300):
        study.tell({unit: bool(spam[int(unit.removeprefix("mail-"))]) for unit in batch.units})  # in real life: people

    decision = study.decide()
    assert decision is not None  # all labels are in
    true = true_f1(table, spam)
    print(f"F1 of four filters from {study.status().progress.labels} labels, the same for all")
    for verdict in decision.goals:
        e = verdict.estimate
        print(f"{e.classifier:<7} {e.value:.2f} [{e.low:.2f}, {e.high:.2f}] (true {true[e.classifier]:.2f}): {verdict.status}")

    ranked = study.rank("f1")
    print(f"\nshown, and with {ranked.level:.0%} probability none of it is false:")
    for better, worse in ranked.better:
        print(f"{better} is better than {worse}")
    print(f"not shown to be worse than another: {', '.join(ranked.best)}")


if __name__ == "__main__":
    main()
