"""The overview of a study: where it stands, what comes next, and no number before one was shown."""

import time

from fewlabels.ledgers.pace import hours_left, pace
from fewlabels.study.study import Study
from tests.service.workbench import STUDY, Bench


def answer_all(bench: Bench, person: str = "ann") -> None:
    """Somebody labels until nothing is left."""
    client = bench.browser(person)
    while turns := client.post(f"/api/studies/{STUDY}/turns", json={"units": 50}).json()["turns"]:
        told = [{"unit": turn["unit"], "answers": {"positive": "yes" if int(turn["unit"][1:]) % 3 else "no"}} for turn in turns]
        assert client.post(f"/api/studies/{STUDY}/answers", json={"answers": told}).status_code == 200


def looks(study: Study) -> int:
    """How often numbers were shown."""
    return len(study.standing.looks)


def test_the_overview_shows_no_number_before_one_was_shown_and_records_no_look(bench: Bench) -> None:
    answer_all(bench)
    owner = bench.browser()
    home = owner.get(f"/api/studies/{STUDY}/home").json()
    assert home["decision"] is None
    assert home["act"] == "results"
    owner.get("/")
    owner.get(f"/studies/{STUDY}/glance")
    assert looks(bench.study()) == 0, "an overview is no look"
    decided = owner.get(f"/api/studies/{STUDY}/decide").json()["decision"]
    shown = owner.get(f"/api/studies/{STUDY}/home").json()
    assert shown["decision"] == decided
    before = looks(bench.study())
    assert before > 0
    assert decided["outcome"].upper() in owner.get(f"/studies/{STUDY}/glance").text
    assert looks(bench.study()) == before, "the same numbers again are no new look"


def test_the_overview_says_how_far_and_how_fast(bench: Bench) -> None:
    client, owner = bench.browser("ann"), bench.browser()
    turns = client.post(f"/api/studies/{STUDY}/turns", json={"units": 5}).json()["turns"]
    told = [{"unit": turn["unit"], "answers": {"positive": "yes"}} for turn in turns]
    client.post(f"/api/studies/{STUDY}/answers", json={"answers": told})
    home = owner.get(f"/api/studies/{STUDY}/home").json()
    assert home["act"] == "label"
    assert home["labelers"] == [{"labeler": "ann", "units": 5, "last": home["pace"]["last"]}]
    assert (home["pace"]["hour"], home["pace"]["day"]) == (5, 5)
    assert home["pace"]["hours_left"] == (home["progress"]["planned"] - 5) / 5
    later = pace(bench.app.state.bench.ledger, STUDY, now=time.time() + 7200)
    assert (later.hour, later.day) == (0, 5)
    assert hours_left(later, 100) is None, "nobody answered in the last hour: no forecast"


def test_a_labeler_sees_their_own_work_alone(bench: Bench) -> None:
    text = bench.browser("ann").get(f"/studies/{STUDY}").text
    assert "Start labeling" in text
    assert "planned" not in text
    assert "precision" not in text, "no goal"
    assert bench.browser("ann").get(f"/api/studies/{STUDY}/home").status_code == 403
