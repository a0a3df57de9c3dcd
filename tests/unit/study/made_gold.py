"""Studies of a labeler who errs, and gold answers to some of their units."""

import sqlite3
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from fewlabels.ledgers.base import entry_hash, seal_of
from fewlabels.nouns.canonical import canonical
from fewlabels.study.study import Study
from tests.unit.study.made import TRUTH, create, kinds, ledger_in

Plain = list[dict[str, Any]]
OTHER = {"yes": "no", "no": "yes"}


def noisy(units: Iterable[str]) -> dict[str, str]:
    """What an erring labeler says: wrong about every seventh unit."""
    return {unit: OTHER[TRUTH[unit]] if int(unit[1:]) % 7 == 0 else TRUTH[unit] for unit in units}


def told(folder: Path, *, budget: int = 120, **how: Any) -> Study:
    """A study whose units a labeler who errs has answered."""
    study = create(folder, **how)
    study.plan(budget)
    batch = study.ask(budget)
    assert batch is not None
    study.tell(noisy(batch.units))
    return study


def gold_counts(study: Study, folder: Path) -> int:
    return kinds(study, folder).count("gold")


def sides(study: Study, units: Iterable[str]) -> tuple[int, int]:
    """How many of the units are flagged, and how many are not."""
    drawn = study.standing.units
    assert drawn is not None
    flagged = {unit for unit, pattern in zip(drawn.unit, drawn.pattern.tolist(), strict=True) if pattern & 1}
    chosen = set(units)
    return len(chosen & flagged), len(chosen - flagged)


def rewrite(folder: Path, study: str, change: Callable[[Plain], None]) -> None:
    """The whole study written anew after a change, with serials, hashes and seals that fit."""
    entries: Plain = [
        {"kind": e.kind, "key": e.key, "at": e.at, "body": dict(e.body), "seal": e.seal} for e in ledger_in(folder).entries(study)
    ]
    change(entries)
    hashes: list[str] = []
    with sqlite3.connect(folder / "ledger.db") as connection:
        connection.execute("delete from entry where study = ?", (study,))
        for serial, entry in enumerate(entries, start=1):
            entry["seal"] = None if entry["seal"] is None else seal_of(map(str.encode, hashes))
            hashes.append(entry_hash(study=study, serial=serial, **entry))
            values = (study, serial, entry["kind"], entry["key"], entry["at"], canonical(entry["body"]), entry["seal"], hashes[-1])
            connection.execute("insert into entry values (?, ?, ?, ?, ?, ?, ?, ?)", values)
    connection.close()
