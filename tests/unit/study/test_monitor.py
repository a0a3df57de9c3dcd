"""A stream that is watched: who is asked is settled on arrival, units are read in order, and the alarm keeps its promise."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fewlabels.errors import GoalError, LabelError, StudyError
from fewlabels.ledgers.sqlite import SqliteLedger
from fewlabels.randomness import stream
from fewlabels.study.monitor import Monitor
from fewlabels.study.study import Study
from tests.unit.study.made import ledger_in


@pytest.fixture(autouse=True)
def recorded_salt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fewlabels.study.monitor.new_salt", lambda: "ab" * 16)


def units(count: int, *, share: float, seed: int, start: int = 0) -> list[dict[str, Any]]:
    """Flagged units of which `share` are truly positive; `y` is the truth."""
    positive = stream(seed).random(count) < share
    return [{"unit": f"u{start + i}", "flagged": True, "guess": 0.9, "y": bool(y)} for i, y in enumerate(positive.tolist())]


def made(folder: Path, **how: Any) -> Monitor:
    return Monitor.create("m", **{"floor": 0.8, "rate": 0.25, "ledger": ledger_in(folder), **how})


def follow(monitor: Monitor, came: list[dict[str, Any]], *, at_once: int = 50) -> None:
    for i in range(0, len(came), at_once):
        part = came[i : i + at_once]
        truth = {row["unit"]: row["y"] for row in part}
        monitor.tell({unit: truth[unit] for unit in monitor.arrive(part)})


def test_a_fall_rings_and_a_good_stream_does_not(tmp_path: Path) -> None:
    monitor = made(tmp_path)
    follow(monitor, units(1_000, share=0.92, seed=1))
    assert monitor.state().rang is None
    follow(monitor, units(1_500, share=0.4, seed=2, start=1_000))
    found = monitor.state()
    assert found.rang is not None
    assert int(found.rang[1:]) >= 1_000
    assert found.labels < 0.45 * found.units
    assert monitor.verify() == ()


def test_units_are_read_in_order_up_to_the_first_that_waits(tmp_path: Path) -> None:
    monitor = made(tmp_path)
    came = units(200, share=0.9, seed=3)
    asked = monitor.arrive(came)
    truth = {row["unit"]: row["y"] for row in came}
    monitor.tell({unit: truth[unit] for unit in asked[1:]})
    assert monitor.state().read == int(asked[0][1:])
    assert monitor.state().waiting == asked[:1]
    monitor.tell({asked[0]: truth[asked[0]]})
    assert monitor.state().read == 200


def test_arriving_and_telling_twice_is_once(tmp_path: Path) -> None:
    monitor = made(tmp_path)
    came = units(60, share=0.9, seed=4)
    asked = monitor.arrive(came)
    assert monitor.arrive(came) == asked
    assert monitor.tell(dict.fromkeys(asked, "yes")) == len(asked)
    assert monitor.tell(dict.fromkeys(asked, "yes")) == 0
    assert monitor.state().units == 60
    again = Monitor.load("m", ledger=ledger_in(tmp_path))
    assert again.state() == monitor.state()


def test_who_is_asked_does_not_depend_on_later_answers(tmp_path: Path) -> None:
    first, second = (made(tmp_path, ledger=SqliteLedger(f"sqlite:///{tmp_path}/{name}.db")) for name in ("a", "b"))
    came = units(300, share=0.9, seed=5)
    asked = first.arrive(came[:150])
    assert second.arrive(came[:150]) == asked
    second.tell(dict.fromkeys(asked[1:], "no"))  # the first still waits: nothing is read, so nothing is learned
    assert first.arrive(came[150:]) == second.arrive(came[150:])


def test_an_answer_nobody_could_give_counts_for_the_metric(tmp_path: Path) -> None:
    good, unsure = (made(tmp_path, rate=1.0, ledger=SqliteLedger(f"sqlite:///{tmp_path}/{name}.db")) for name in ("a", "b"))
    came = units(40, share=0.5, seed=6)
    for monitor, word in ((good, "yes"), (unsure, "cannot_tell")):
        monitor.arrive(came)
        monitor.tell({row["unit"]: "yes" if row["y"] else word for row in came})
    assert unsure.state().evidence == pytest.approx(good.state().evidence)


@pytest.mark.parametrize(
    ("how", "says"),
    [({"floor": 1.5}, "floor"), ({"rate": 0}, "share of units"), ({"metric": "mcc"}, "ratio of counts"), ({"run_length": 1}, "run_length")],
)
def test_terms_that_cannot_be_kept_are_refused(tmp_path: Path, how: dict[str, Any], says: str) -> None:
    with pytest.raises(GoalError, match=says):
        made(tmp_path, **how)
    with pytest.raises(StudyError, match="no monitor"):
        Monitor.load("m", ledger=ledger_in(tmp_path))


def test_bad_units_and_answers_are_refused(tmp_path: Path) -> None:
    monitor = made(tmp_path)
    with pytest.raises(LabelError, match="came twice"):
        monitor.arrive([{"unit": "a", "flagged": True, "guess": 0.5}] * 2)
    with pytest.raises(LabelError, match="guess must lie in"):
        monitor.arrive([{"unit": "a", "flagged": True, "guess": 7}])
    with pytest.raises(LabelError, match="name all three"):
        monitor.arrive([{"unit": "a"}])
    monitor.arrive(units(50, share=1, seed=7))
    with pytest.raises(LabelError, match="asked about"):
        monitor.tell({"nobody": "yes"})
    with pytest.raises(StudyError, match="different terms"):
        made(tmp_path, floor=0.7)
    with pytest.raises(StudyError, match="not created completely"):
        Study.load("m", ledger=ledger_in(tmp_path)).status()


def test_a_forged_arrival_is_found(tmp_path: Path) -> None:
    monitor = made(tmp_path)
    monitor.arrive(units(50, share=0.9, seed=8))
    entries = monitor._ledger.entries("m")
    body = dict(entries[1].body)
    body["asked"] = [not asked for asked in body["asked"]]
    assert np.array(body["asked"]).any()
    forged = SqliteLedger(f"sqlite:///{tmp_path}/forged.db")
    with forged.writing("m") as act:
        act.append("stream", key="stream", body=dict(entries[0].body))
        act.append("arrival", key=entries[1].key, body=body)
    assert "the units asked about do not follow" in Monitor("m", forged).verify()[0]
