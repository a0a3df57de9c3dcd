"""Content moderation: one model, four languages, and a promise for each of them.

A model hides insulting comments. Over all languages it looks fine, but most comments are English, so that number is
mostly about English. Whoever writes in Hindi wants to know about Hindi. So there is a goal for each language: of what
is hidden there, at least 70 % must be insults. One draw serves all of them; small languages get the labels they need,
not just their share.

Run it in an empty folder: `python moderation_by_language.py`. The record is kept in moderation_by_language.db.
"""

import numpy as np

import fewlabels

LEDGER = "sqlite:///moderation_by_language.db"
COMMENTS, INSULTS = 30_000, 0.08
SHARE = {"English": 0.70, "Spanish": 0.17, "Portuguese": 0.09, "Hindi": 0.04}
SIGHT = {"English": 3.4, "Spanish": 3.2, "Portuguese": 3.2, "Hindi": 2.8}  # how far insults stand out to the model
TAKEN_FOR = {"English": 0.0, "Spanish": 0.0, "Portuguese": 0.0, "Hindi": 1.2}  # how far all other comments do


def made_up(seed: int) -> tuple[dict[str, object], np.ndarray]:
    """Scored comments, and which of them are insults. In Hindi the model takes plain words for insults, and its scores do not say so."""
    rng = np.random.default_rng(seed)
    insult = rng.random(COMMENTS) < INSULTS
    language = rng.choice([*SHARE], COMMENTS, p=[*SHARE.values()])
    stands_out = np.where(insult, [SIGHT[name] for name in language], [TAKEN_FOR[name] for name in language])
    signal = rng.normal(0, 1, COMMENTS) + stands_out
    score = 1 / (1 + np.exp(-(3.4 * signal - 3.4**2 / 2 + np.log(INSULTS / (1 - INSULTS)))))
    return {"id": [f"c{i:05d}" for i in range(COMMENTS)], "language": language, "score": score}, insult


def main() -> None:
    """A goal for each language, one draw, a verdict for each."""
    table, insult = made_up(seed=7)
    language, hidden = np.asarray(table["language"]), np.asarray(table["score"]) >= 0.5
    population = fewlabels.read_population(table, score="score", threshold=0.5, slices=["language"])

    goals = ["precision >= 0.7 by language", "recall +-0.12"]
    study = fewlabels.Study.create("moderation", population, goals=goals, ledger=LEDGER)
    study.plan(700)
    while batch := study.ask(100):
        study.tell({unit: bool(insult[int(unit[1:])]) for unit in batch.units})  # in real life: people who read the language

    decision = study.decide()
    assert decision is not None  # all labels are in
    print("goal                                       labels  found                 true  status")
    for verdict in decision.goals:
        e = verdict.estimate
        here = language == e.slice[1] if e.slice else np.full(COMMENTS, True)
        true = insult[hidden & here].mean() if e.metric == "precision" else hidden[insult & here].mean()
        print(f"{verdict.goal!s:<42} {e.labels:>6}  {e.value:.2f} [{e.low:.2f}, {e.high:.2f}]  {true:>6.2f}  {verdict.status}")
    print(f"\n{decision}")

    print("\nand recall, which nobody planned for each language; all four intervals hold together")
    for e in study.slices("recall", by=["language"], simultaneous=True).estimates:
        assert e.slice is not None
        true = hidden[insult & (language == e.slice[1])].mean()
        print(f"{e.slice[1]:<12} {e.value:.2f} [{e.low:.2f}, {e.high:.2f}], {e.labels} labels (true {true:.2f})")


if __name__ == "__main__":
    main()
