"""Another classifier on the labels there are, through the API."""

from tests.service.test_home import answer_all
from tests.service.workbench import STUDY, Bench

NEW = {"name": "b", "score": "score_b", "threshold": 0.5}


def test_a_second_classifier_is_judged_by_the_labels_there_are(bench: Bench) -> None:
    answer_all(bench)
    owner = bench.browser()
    columns = owner.get(f"/api/studies/{STUDY}/columns").json()
    assert {one["column"] for one in columns["scores"]} == {"score", "score_b"}
    asked = {"classifiers": [NEW], "goals": ["precision +-0.3 for b"]}
    before = bench.study().status().progress.labels
    found = owner.post(f"/api/studies/{STUDY}/extension/preview", json=asked).json()
    assert found["held"] == before
    assert found["goals"][0]["serving"] > 0
    assert len(bench.study().standing.plans) == 1, "nothing is recorded by looking"
    assert found["added"] == found["total"] - before
    made = owner.post(f"/api/studies/{STUDY}/extension", json={**asked, "budget": found["total"]})
    assert made.status_code == 201, made.text
    assert made.json()["classifiers"] == ["classifier", "b"]
    assert bench.study().status().progress.labels == before, "every label is kept"
    answer_all(bench)
    estimates = owner.get(f"/api/studies/{STUDY}/estimate").json()["estimates"]
    assert {one["classifier"] for one in estimates} == {"classifier", "b"}


def test_a_classifier_that_cannot_be_added_is_refused_in_words(bench: Bench) -> None:
    answer_all(bench)
    owner = bench.browser()
    again = owner.post(f"/api/studies/{STUDY}/extension/preview", json={"classifiers": [{**NEW, "name": "classifier"}], "goals": []})
    assert again.status_code == 400
    assert "choose another name" in again.json()["error"]
    absent = owner.post(f"/api/studies/{STUDY}/extension", json={"classifiers": [{**NEW, "score": "nowhere"}], "goals": []})
    assert absent.status_code == 400
    assert "nowhere" in absent.json()["error"]
    assert "--" not in absent.json()["error"]
