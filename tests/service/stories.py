"""Made-up studies in each state a workbench shows: unplanned, busy, to ship, not to ship, online."""

import numpy as np

from fewlabels.desk.desk import Desk, Said
from fewlabels.engines.duckdb import write_parquet
from fewlabels.ledgers.people import Role
from fewlabels.nouns.classifier import Classifier
from fewlabels.nouns.sheet import FormColumn, Sheet
from fewlabels.randomness import stream
from fewlabels.study.population.read import read_population
from fewlabels.study.study import Study
from tests.service.browsing import PIXEL, Server

UNITS = 6_000
PEOPLE: dict[str, Role] = {"ann": "labeler", "bob": "labeler", "cleo": "adjudicator", "vic": "viewer"}
INSTRUCTIONS = "# What counts\n\n- **Spam** sells or deceives.\n- Everything else is not."
WORDS = ("prize", "refund", "meeting", "invoice", "winner", "urgent", "lunch", "account", "verify", "photos", "delivery", "crypto")


def write_messages(server: Server, *, units: int = UNITS, seed: int = 7) -> dict[str, str]:
    """Write messages.parquet into the server's folder: 15 % spam, two models of different skill; return what people would answer."""
    rng = stream(seed, 3)
    spam = rng.random(units) < 0.15
    signal = rng.normal(0, 1, units) + 2.6 * spam
    log_odds = 2.6 * signal - 3.38 + np.log(0.15 / 0.85)
    weak = rng.normal(0, 1, units) + 1.4 * spam
    ids = [f"m{i:05d}" for i in range(units)]
    texts = [f"{' '.join(rng.choice(WORDS, 12))}. Message {i}." for i in range(units)]
    columns = {
        "id": ids,
        "text": texts,
        "photo": ["pixel.png"] * units,
        "country": [str(c) for c in rng.choice(["BR", "DE", "IN", "US"], units)],
        "device": [str(c) for c in rng.choice(["app", "web"], units)],
        "score": 1 / (1 + np.exp(-log_odds)),
        "score_old": 1 / (1 + np.exp(-(1.4 * weak - 0.98 + np.log(0.15 / 0.85)))),
    }
    write_parquet(server.folder / "messages.parquet", columns)
    (server.folder / "pixel.png").write_bytes(PIXEL)
    return {unit: "yes" if yes else "no" for unit, yes in zip(ids, spam.tolist(), strict=True)}


def tell_stories(server: Server) -> None:
    """Make all studies, and the people who work on them."""
    says = write_messages(server)
    _made(server, "unplanned", ["precision +-0.05", "recall >= 0.7"])
    _told(_planned(server, "busy", ["precision +-0.05", "recall >= 0.7"], 400), says, 150)
    _told(_planned(server, "ship", ["precision >= 0.6", "recall >= 0.5", "recall +-0.1"], 700), says, None)
    _told(_planned(server, "do-not-ship", ["precision >= 0.9", "recall >= 0.5"], 600), says, None)
    _told(_planned(server, "online", ["precision >= 0.6"], 300, stopping="decision"), says, 120)
    for name in ("ship", "do-not-ship"):
        server.study(name).decide()
    people = server.people
    for person, role in PEOPLE.items():
        people.add(person)
        people.set_role(person, "busy", role)


def _made(server: Server, name: str, goals: list[str]) -> Study:
    judged = [Classifier("new", score="score", threshold=0.5), Classifier("old", score="score_old", threshold=0.4)]
    both = name in ("ship", "do-not-ship")
    population = read_population(
        str(server.folder / "messages.parquet"), id="id", slices=["country", "device"], classifiers=judged if both else judged[:1]
    )
    return Study.create(name, population, goals=goals, ledger=server.ledger)


def _planned(server: Server, name: str, goals: list[str], budget: int, *, stopping: str | None = None) -> Study:
    study = _made(server, name, goals)
    study.plan(budget, stopping=stopping)
    show = (FormColumn("text"), FormColumn("photo", "image"))
    Desk(study).set_sheet(
        Sheet(
            show=show, instructions="# What counts\n\n- **Spam** sells or deceives.\n- Everything else is not.", ask="Is this message spam?"
        )
    )
    return study


def _told(study: Study, says: dict[str, str], most: int | None) -> None:
    """Two labelers answer, at most so many units; a few errors and skips."""
    desk, told = Desk(study), 0
    question = desk.questions[0]
    while most is None or told < most:
        given = [(who, one) for who in ("ann", "bob") for one in desk.take(who, 10)]
        if not given:
            return
        for who, one in given:
            answer = "cannot_tell" if one.unit.endswith("77") else says[one.unit]
            desk.tell(who, [Said(unit=one.unit, answers={question: answer}, at=None, seconds=6.0, correct=False)])
        told += len(given)
