"""A language model as judge: how far can we trust what it says about our chatbot's answers?

A chatbot answers questions. A language model reads every answer and says, from 0 to 100, how likely it is wrong; from
50 on it counts as wrong. That is cheap, so it judges everything. But who judges the judge? People do, on a few answers:
two reviewers, who now and then err themselves, and an expert for a random half of them. The judge is a
classifier like any other, and "wrong" is what it looks for.

Three things come out of it:

1. How often the two reviewers agree. Where people disagree, no judge can do well.
2. How good the judge is, compared with the reviewers' answers as recorded, and corrected by the expert.
3. The share of wrong answers itself, which is not what the judge counts.

Run it in an empty folder: `python llm_judge.py`. The record is kept in llm_judge.db.
"""

from typing import NamedTuple

import numpy as np

import fewlabels

LEDGER = "sqlite:///llm_judge.db"
ANSWERS, WRONG = 8_000, 0.15


class Judged(NamedTuple):
    """Answers as the judge rates them, which of them are wrong, and what each reviewer would say about every answer."""

    table: dict[str, object]
    wrong: np.ndarray
    ann: np.ndarray
    bob: np.ndarray


def made_up(seed: int) -> Judged:
    """The judge is too lenient; a reviewer overlooks one wrong answer in thirty, and blames one right one in eighty."""
    rng = np.random.default_rng(seed)
    wrong = rng.random(ANSWERS) < WRONG
    signal = rng.normal(0, 1, ANSWERS) + 3 * wrong
    rating = np.round(100 / (1 + np.exp(-(3 * signal - 7))))
    ann, bob = (np.where(wrong, rng.random(ANSWERS) > 1 / 30, rng.random(ANSWERS) < 1 / 80) for _ in range(2))
    return Judged({"id": [f"answer-{i}" for i in range(ANSWERS)], "rating": rating}, wrong, ann, bob)


def rows(units: tuple[str, ...], says: np.ndarray, labeler: str) -> list[dict[str, object]]:
    """What one person says about some answers, as in a file."""
    return [{"unit": unit, "answer": bool(says[int(unit.removeprefix("answer-"))]), "labeler": labeler} for unit in units]


def main() -> None:
    """Two reviewers, an expert, and what they make of the judge."""
    table, wrong, ann, bob = made_up(seed=11)
    judge = fewlabels.Classifier("judge", score="rating", threshold=50, score_range=(0, 100), question="wrong")
    population = fewlabels.read_population(table, classifiers=[judge])
    study = fewlabels.Study.create("judge", population, goals=["precision +-0.1", "recall +-0.15"], ledger=LEDGER)
    study.plan(1_000)

    if twice := study.ask(200):  # read by both reviewers, chosen before anybody has answered
        study.tell([*rows(twice.units, ann, "ann"), *rows(twice.units, bob, "bob")])
    while batch := study.ask(200):
        study.tell(rows(batch.units, ann, "ann"))
    expert = study.adjudicate(0.5)  # chosen by chance, not where the reviewers disagree
    study.tell_gold(rows(expert, wrong, "expert"))

    shown = study.estimate()
    print(f"1. {shown.agreement}")
    print(f"\n2. the judge, by {shown.progress.labels} answers of reviewers, {len(expert)} of them looked at by an expert")
    flagged = np.asarray(table["rating"]) >= 50
    true = {"precision": wrong[flagged].mean(), "recall": flagged[wrong].mean(), "prevalence": wrong.mean()}
    for metric in ("precision", "recall"):
        e = shown[metric]
        told = f"as told {e.told_value:.2f} [{e.told_low:.2f}, {e.told_high:.2f}]"
        print(f"   {metric:<9} {told}, corrected {e.value:.2f} [{e.low:.2f}, {e.high:.2f}] (true {true[metric]:.2f})")
    e = shown["prevalence"]
    share = f"{e.value:.3f} [{e.low:.3f}, {e.high:.3f}] (true {true['prevalence']:.3f})"
    print(f"\n3. share of wrong answers {share}; the judge counts {flagged.mean():.3f}")
    print(f"\n{study.decide()}")


if __name__ == "__main__":
    main()
