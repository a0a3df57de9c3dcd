"""Fraud, week after week: is the model still good enough, and if not, is the new one better?

A payment service blocks what its model flags. Every Monday people look at four hundred of last week's
payments. In the third week fraudsters have found a new trick, which the model hardly sees. Three questions, in the
order in which they come up:

1. Is recall what it should be this week? (a goal, a verdict)
2. Has it fallen since last week, or below what we can live with? (a change, an alarm)
3. A retrained model scores the same payments. Is it better? (a study that follows another: answers are not asked for twice)

Run it in an empty folder: `python fraud_weekly.py`. The record is kept in fraud_weekly.db; if you run it
again, nobody is asked twice.
"""

from typing import NamedTuple

import numpy as np

import fewlabels

LEDGER = "sqlite:///fraud_weekly.db"
PAYMENTS, FRAUD = 10_000, 0.05
LABELS = 400


class Week(NamedTuple):
    """Payments of a week as models score them, and what people would find if they looked."""

    name: str
    table: dict[str, object]
    fraud: dict[str, bool]


def made_up(name: str, *, seed: int, new_trick: float) -> Week:
    """A week of payments; `new_trick` is the share of the fraud that the old model hardly sees."""
    rng = np.random.default_rng(seed)
    fraud = rng.random(PAYMENTS) < FRAUD
    hidden = rng.random(PAYMENTS) < new_trick
    ids = [f"{name}-{i}" for i in range(PAYMENTS)]
    table = {"id": ids, "score": scored(fraud * np.where(hidden, 0.4, 1.0), rng), "retrained": scored(fraud, rng)}
    return Week(name, table, dict(zip(ids, fraud.tolist(), strict=True)))


def scored(seen: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The probability of fraud that a model gives; `seen` is how far it sees a payment stand out, 1 for fraud that it knows."""
    signal = rng.normal(0, 1, seen.size) + 4 * seen
    log_odds = 4 * signal - 8 + np.log(FRAUD / (1 - FRAUD))
    return np.asarray(1 / (1 + np.exp(-log_odds)))


def study_of(week: Week, score: str, *, name: str, follows: str | None = None) -> fewlabels.Study:
    """A study of one week and one model, all its labels in."""
    population = fewlabels.read_population(week.table, score=score, threshold=0.5)
    study = fewlabels.Study.create(name, population, goals=["recall >= 0.7", "precision +-0.1"], ledger=LEDGER, follows=follows)
    study.plan(LABELS)
    while batch := study.ask(100):
        study.tell({unit: week.fraud[unit] for unit in batch.units})  # in real life: people
    return study


def show(study: fewlabels.Study, week: Week, score: str) -> None:
    """One line: what the labels say, the truth beside it, and the verdict."""
    flagged, fraud = np.asarray(week.table[score]) >= 0.5, np.array([*week.fraud.values()])
    truth = {"recall": flagged[fraud].mean(), "precision": fraud[flagged].mean()}
    decision = study.decide()
    assert decision is not None  # all labels are in
    found = [verdict.estimate for verdict in decision.goals]
    shown = [f"{e.metric} {e.value:.2f} [{e.low:.2f}, {e.high:.2f}] (true {truth[e.metric]:.2f})" for e in found]
    print(f"{study.name:<13} {', '.join(shown)}: {decision.outcome.upper()}")


def main() -> None:
    """Three weeks, and a new model at the end of the third."""
    weeks = [made_up("W44", seed=44, new_trick=0.0), made_up("W45", seed=45, new_trick=0.0), made_up("W46", seed=46, new_trick=0.7)]
    studies = [study_of(week, "score", name=week.name) for week in weeks]
    print(f"recall >= 0.7 is wanted; {LABELS} labels a week of {PAYMENTS:,} payments")
    for study, week in zip(studies, weeks, strict=True):
        show(study, week, "score")

    *before, last = studies
    change = last.change(before[-1], "recall")
    print(f"\nrecall since {change.before}: {change.value:+.2f} [{change.low:+.2f}, {change.high:+.2f}]")
    alarm = last.alarm(before, "recall", floor=0.7)
    print(f"alarm: {'has not rung' if alarm.rang is None else f'rang in {alarm.rang}'}; {alarm.says}")

    after = study_of(weeks[-1], "retrained", name="W46 retrained", follows="W46")
    print(f"\nthe new model on the same payments: {after.inherited} of {LABELS} answers were there already")
    show(after, weeks[-1], "retrained")
    change = after.change(last, "recall")
    print(f"recall of the new model less that of the old: {change.value:+.2f} [{change.low:+.2f}, {change.high:+.2f}]")


if __name__ == "__main__":
    main()
