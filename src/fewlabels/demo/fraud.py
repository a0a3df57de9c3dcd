"""Three made-up weeks of card payments with scores, and the answers people would give: the data of the tutorial."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from fewlabels.engines.duckdb import write_parquet
from fewlabels.nouns.arrays import BoolArray, FloatArray
from fewlabels.randomness import stream
from fewlabels.writing import write_whole

PAYMENTS = 20_000  # per week
FRAUD = 0.05
TRAINED_FOR = 3.6  # standard deviations between fraud and the rest that the model was trained on
SEEN = (3.6, 3.6, 2.3)  # the part of that distance each week's payments show: in the third week fraud is harder to tell apart
RETRAINED = 3.5
SEED = 2027
HONEST = ("buyer confirmed it by phone", "regular customer; parcel delivered", "returned; refund to the same card")
FRAUDULENT = ("card reported stolen the day before", "buyer says it was not them", "parcel sent on to an unknown address")
SHOPS = ("books", "electronics", "groceries", "shoes", "tickets")


class FraudDemo(NamedTuple):
    """Where the files are: a table and answers for each week, the last week scored by a retrained model; and the payments per week."""

    weeks: tuple[Path, ...]
    rescored: Path
    answers: tuple[Path, ...]
    units: int


class Week(NamedTuple):
    """Payments of one week: the table without the score, and which of them are fraud."""

    columns: dict[str, list[str] | FloatArray]
    fraud: BoolArray


def write_fraud_demo(folder: Path) -> FraudDemo:
    """Write week1.parquet (id, amount, country, shop, note, score), week1-answers.csv and so on, and week3-retrained.parquet."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = stream(SEED)
    names = [f"week{number + 1}" for number in range(len(SEEN))]
    made = FraudDemo(
        tuple(folder / f"{name}.parquet" for name in names),
        folder / f"{names[-1]}-retrained.parquet",
        tuple(folder / f"{name}-answers.csv" for name in names),
        PAYMENTS,
    )
    weeks = [_week(number + 1, rng) for number in range(len(SEEN))]
    for path, week, seen in zip(made.weeks, weeks, SEEN, strict=True):
        write_parquet(path, week.columns | {"score": _score(week.fraud, seen, TRAINED_FOR, rng)})
    write_parquet(made.rescored, weeks[-1].columns | {"score": _score(weeks[-1].fraud, RETRAINED, RETRAINED, rng)})
    for path, week in zip(made.answers, weeks, strict=True):
        write_whole(path, "unit,answer\n" + "".join(_answers(week)))
    return made


def _week(number: int, rng: np.random.Generator) -> Week:
    fraud: BoolArray = rng.random(PAYMENTS) < FRAUD
    amount = np.asarray(np.exp(rng.normal(3.4, 0.9, PAYMENTS) + 0.6 * fraud), np.float64).round(2)
    columns: dict[str, list[str] | FloatArray] = {
        "id": [f"w{number}-{place:05d}" for place in range(PAYMENTS)],
        "amount": amount,
        "country": _pick(("BR", "DE", "IN", "US"), rng),
        "shop": _pick(SHOPS, rng),
        "note": [bad if yes else good for bad, good, yes in zip(_pick(FRAUDULENT, rng), _pick(HONEST, rng), fraud, strict=True)],
    }
    return Week(columns, fraud)


def _pick(values: Sequence[str], rng: np.random.Generator) -> list[str]:
    return [str(value) for value in rng.choice(values, PAYMENTS)]


def _score(fraud: BoolArray, seen: float, trained_for: float, rng: np.random.Generator) -> FloatArray:
    """Return the scores of a model trained on fraud `trained_for` standard deviations from the rest, when the distance is `seen`."""
    signal = rng.normal(0, 1, PAYMENTS) + seen * fraud
    score: FloatArray = 1 / (1 + np.exp(-(trained_for * signal - trained_for**2 / 2 + np.log(FRAUD / (1 - FRAUD)))))
    return score


def _answers(week: Week) -> list[str]:
    return [f"{unit},{'yes' if yes else 'no'}\n" for unit, yes in zip(week.columns["id"], week.fraud.tolist(), strict=True)]
