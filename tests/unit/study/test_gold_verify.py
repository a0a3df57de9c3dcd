"""Units drawn for gold are recomputed from share and salt, whatever was made to fit."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fewlabels.study.study import Study
from tests.unit.study.made import truth_of
from tests.unit.study.made_gold import OTHER, Plain, rewrite, told


def adjudicated(folder: Path) -> Study:
    study = told(folder, budget=60)
    study.tell_gold(truth_of(study.adjudicate(0.3)))
    return study


def gold_entry(entries: Plain) -> dict[str, Any]:
    return next(entry for entry in entries if entry["kind"] == "gold")


def swap_unit(entries: Plain) -> None:
    body = gold_entry(entries)["body"]
    drawn = next(e for e in entries if e["kind"] == "draw")["body"]["units"]["unit"]
    by_hand = next(unit for unit in drawn if unit not in body["units"])
    gold_entry(entries)["body"] = {**body, "units": [*body["units"][1:], by_hand]}


def drop_unit(entries: Plain) -> None:
    body = gold_entry(entries)["body"]
    gold_entry(entries)["body"] = {**body, "units": body["units"][1:]}


def raise_share(entries: Plain) -> None:
    gold_entry(entries)["body"] = {**gold_entry(entries)["body"], "share": 0.9}


def break_share(entries: Plain) -> None:
    gold_entry(entries)["body"] = {**gold_entry(entries)["body"], "share": 7}


@pytest.mark.parametrize("change", [swap_unit, drop_unit, raise_share, break_share])
def test_gold_units_chosen_by_hand_are_found_even_if_every_hash_was_made_to_fit(tmp_path: Path, change: Callable[[Plain], None]) -> None:
    study = adjudicated(tmp_path)
    assert study.verify().passed
    assert "units drawn for gold" in study.verify().checked
    rewrite(tmp_path, "s", change)
    assert any("(gold): its units do not follow from its share and the salt" in line for line in study.verify().findings)


def test_a_gold_answer_about_another_unit_is_found(tmp_path: Path) -> None:
    study = adjudicated(tmp_path)
    rewrite(tmp_path, "s", drop_unit)
    assert any("a gold answer about a unit that was not drawn for gold" in line for line in study.verify().findings)


def test_a_gold_entry_changed_in_place_is_found(tmp_path: Path) -> None:
    study = adjudicated(tmp_path)
    with sqlite3.connect(tmp_path / "ledger.db") as connection:
        connection.execute("update entry set body = replace(body, '\"share\":0.3', '\"share\":0.4') where kind = 'gold'")
    connection.close()
    assert any("(gold," in line and "changed after it was written" in line for line in study.verify().findings)


def test_gold_changed_after_it_was_shown_contradicts_the_look(tmp_path: Path) -> None:
    study = adjudicated(tmp_path)
    study.estimate()

    def flip(entries: Plain) -> None:
        for entry in entries:
            if entry["kind"] == "answer" and entry["body"]["gold"]:
                entry["body"] = {**entry["body"], "answer": OTHER[entry["body"]["answer"]]}

    rewrite(tmp_path, "s", flip)
    assert any("(look): recomputing its estimates" in line for line in study.verify().findings)
