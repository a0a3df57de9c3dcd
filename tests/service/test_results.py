"""Results, errors and answers in the API and on their pages: who may see them and when, and what opening the errors ends."""

import re
from pathlib import Path
from typing import Any

import pytest

from fewlabels.desk.desk import Desk
from fewlabels.ledgers.people import Role
from fewlabels.nouns.sheet import FormColumn, Sheet
from fewlabels.service import showing
from fewlabels.service.access import CSRF_HEADER
from fewlabels.service.api_records import MOST_TEXT
from fewlabels.service.api_studies import population_of
from fewlabels.service.listed import ROWS, listed
from fewlabels.service.requests import PopulationBody
from fewlabels.study.study import Study
from tests.service.workbench import OTHER, STUDY, Bench, csrf_of, make_bench

NUMBER = re.compile(r"\d\.\d")  # an estimate, a bound, a score
API = f"/api/studies/{STUDY}"
PAGE = f"/studies/{STUDY}"
OPENED = f"{API}/errors/opened"


def answer_of(unit: str) -> str:
    return "yes" if int(unit[1:]) % 3 else "no"


def finish(bench: Bench, study: str = STUDY, labelers: tuple[str, ...] = ("ann",)) -> None:
    """Answers all that is planned, by turns."""
    held = bench.study(study)
    while batch := held.ask(1_000):
        rows = [{"unit": u, "answer": answer_of(u), "labeler": labelers[i % len(labelers)]} for i, u in enumerate(batch.units)]
        held.tell(rows)


@pytest.fixture
def done(bench: Bench) -> Bench:
    """A workbench whose first study has all its labels."""
    finish(bench, labelers=("ann", "zoe"))
    return bench


@pytest.fixture(scope="module")
def failed(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """A workbench with a study whose precision fails, many units and a hostile text among what labelers see."""
    bench = make_bench(tmp_path_factory.mktemp("failed"))
    make_study(bench, "fails", ["precision >= 0.95", "recall >= 0.05"], labels=400)
    return bench


def make_study(bench: Bench, name: str, goals: list[str], *, labels: int, **how: Any) -> Study:
    held = bench.app.state.bench
    body = PopulationBody(source="scored.parquet", score="score", threshold=0.5, slices=["country"])
    study = Study.create(name, population_of(body, held.settings), goals=goals, ledger=held.ledger)
    study.plan(labels, **how)
    Desk(study).set_sheet(Sheet(show=(FormColumn("text", "text"),)))
    batch = study.ask(labels)
    assert batch is not None
    units = study.standing.units
    assert units is not None
    score = dict(zip(units.unit, units.scores[:, 0].tolist(), strict=True))
    study.tell({unit: "yes" if score[unit] > 0.62 else "no" for unit in batch.units})
    return study


def test_everything_is_of_one_answer(done: Bench) -> None:
    found = done.browser("vic").get(f"{API}/results").json()
    assert found["status"]["progress"] == found["estimate"]["progress"]
    assert found["estimate"]["estimates"] == done.browser("vic").get(f"{API}/estimate").json()["estimates"]
    assert found["decision"] == done.browser("vic").get(f"{API}/decide").json()["decision"]
    assert sum(cell["labeled"] for cell in found["confusion"][0]["cells"]) == 40
    assert found["before_end"] is None


def test_a_fixed_plan_shows_no_number_before_its_look(bench: Bench) -> None:
    """Not in the results, nor by way of errors or answers; the twin: afterwards there are some."""
    held = bench.study()
    batch = held.ask(20)
    assert batch is not None
    held.tell({unit: answer_of(unit) for unit in batch.units})
    owner = bench.browser()

    def shown() -> str:
        texts = [owner.get(f"{PAGE}/{end}").text for end in ("results", "results/numbers", "errors", "answers")]
        return re.sub(r'<script src="[^"]*">|<meta [^>]*>|<time[^>]*>', "", "\n".join(texts))

    assert not NUMBER.search(shown())
    assert owner.get(f"{API}/thresholds").json()["curves"] is None
    assert owner.get(f"{API}/slices", params={"metric": "precision", "by": "country"}).status_code == 409
    assert owner.get(f"{API}/errors").status_code == 409
    for asked in ({"answer": "yes"}, {"sort": "answer"}):
        refused = owner.get(f"{API}/answers", params=asked)
        assert refused.status_code == 409
        assert "wait for the look" in refused.json()["error"]
    assert owner.get(f"{API}/answers").json()["said"] == []
    assert "weighed.csv" not in owner.get(f"{PAGE}/answers").text
    finish(bench)
    owner.post(OPENED)
    assert NUMBER.search(shown())
    assert owner.get(f"{API}/answers", params={"answer": "yes"}).json()["found"] > 0
    assert "weighed.csv" in owner.get(f"{PAGE}/answers").text


@pytest.mark.parametrize("person", ["owner", "vic"])
def test_opening_asks_first_is_recorded_and_ends_ones_labeling(done: Bench, person: str) -> None:
    client = done.browser(person)
    asked = client.get(f"{PAGE}/errors").text
    assert "Open the errors?" in asked
    assert "ends your own labeling in this study" in asked
    assert "false positive" not in asked
    refused = client.get(f"{API}/errors")
    assert refused.status_code == 409
    assert "open them first" in refused.json()["error"]
    assert client.post(OPENED).json() == {"person": person, "first": True}
    assert client.post(OPENED).json() == {"person": person, "first": False}
    assert client.get(f"{API}/errors").json()["found"] > 0
    assert "false positive" in client.get(f"{PAGE}/errors").text
    done.people.set_role("vic", STUDY, "labeler")  # a viewer becomes a labeler
    told = client.post(f"{API}/turns", json={"units": 1})
    assert told.status_code == 400
    assert f"{person} has opened the errors of this study" in told.json()["error"]
    assert "let somebody else label it" in told.json()["error"]
    unit = next(iter(done.study().standing.answers))
    [became] = client.post(f"{API}/answers", json={"answers": [{"unit": unit, "answers": {"positive": "yes"}}]}).json()["acknowledged"]
    assert became["status"] == "refused"
    assert "opened the errors" in became["why"]
    assert f"{person}: errors opened; by {person}" in done.browser().get(f"{PAGE}/audit").text
    assert done.browser("ann").post(f"{API}/turns", json={"units": 1}).status_code == 200, "others go on"
    done.people.set_role("vic", OTHER, "labeler")
    assert client.post(f"/api/studies/{OTHER}/turns", json={"units": 1}).status_code == 200, "in other studies they label as before"
    assert done.study().verify().passed


@pytest.mark.parametrize("role", ["labeler", "adjudicator"])
def test_labelers_and_adjudicators_never_see_errors_nor_answers(done: Bench, role: Role) -> None:
    Desk(done.study()).open_errors("vic")
    done.people.set_role("vic", STUDY, role)  # even if they opened them as a viewer
    client = done.browser("vic")
    for path in (f"{API}/errors", f"{API}/answers", f"{API}/results", f"{API}/thresholds", f"{PAGE}/errors", f"{PAGE}/answers"):
        assert client.get(path).status_code == 403, path
    assert client.post(OPENED).status_code == 403


def test_an_owner_who_enters_as_a_viewer_opens_nothing_and_sees_nothing_unrecorded(done: Bench) -> None:
    done.browser("vic").post(OPENED)
    client = done.browser()
    link = done.people.grant("link", "vic", lasts=60)
    assert link is not None
    assert client.post("/enter", data={"key": link.secret}).status_code == 303
    client.headers[CSRF_HEADER] = csrf_of(client)
    assert client.get(f"{API}/errors").status_code == 409, "the owner has not opened them"
    assert "Open the errors?" in client.get(f"{PAGE}/errors").text
    assert client.post(OPENED).status_code == 403
    Desk(done.study()).open_errors("owner")
    assert client.get(f"{API}/errors").status_code == 200, "the twin: both have opened them"


def test_before_the_last_look_the_page_says_what_is_missing(bench: Bench) -> None:
    owner = bench.browser()
    assert "0 of 40 planned units are resolved" in owner.get(f"{PAGE}/errors").text
    refused = owner.post(OPENED)
    assert refused.status_code == 409
    assert "finish the labeling first" in refused.json()["error"]
    assert not bench.study().standing.opened


def test_errors_are_filtered_sorted_and_fifty_a_page(failed: Bench) -> None:
    owner = failed.browser()
    owner.post("/api/studies/fails/errors/opened")

    def read(**asked: Any) -> Any:
        answer = owner.get("/api/studies/fails/errors", params=asked)
        assert answer.status_code == 200, answer.text
        return answer.json()

    every = read()
    assert every["found"] > ROWS
    assert len(every["errors"]) == ROWS
    assert every["pages"] == -(-every["found"] // ROWS)
    last = read(page=every["pages"])
    assert len(last["errors"]) == every["found"] - ROWS * (every["pages"] - 1)
    scores = [one["score"] for one in read(sort="score", descending=True)["errors"]]
    assert scores == sorted(scores, reverse=True)
    parts = [read(part=part)["found"] for part in every["slices"]]
    assert sum(parts) == every["found"]
    assert {one["slices"]["country"] for one in read(part="country=DE")["errors"]} == {"DE"}
    kinds = [read(kind=kind)["found"] for kind in ("false positive", "false negative")]
    assert sum(kinds) == every["found"]
    unit = every["errors"][0]["unit"]
    assert [one["unit"] for one in read(find=unit)["errors"]] == [unit]
    assert owner.get("/api/studies/fails/errors", params={"sort": "nonsense"}).status_code == 422


def test_texts_of_units_are_escaped_and_bounded(failed: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    owner = failed.browser()
    owner.post("/api/studies/fails/errors/opened")
    assert "<b>&</b>" not in owner.get("/studies/fails/errors").text
    assert "&lt;b&gt;&amp;&lt;/b&gt;" in owner.get("/studies/fails/errors").text
    evil = "<script>alert(1)</script>" * 100_000
    monkeypatch.setattr(Desk, "contents_of", lambda self, units: {unit: {evil[:30]: evil} for unit in units})
    page = owner.get("/studies/fails/errors").text
    assert "<script>alert" not in page
    assert len(page) < ROWS * (6 * MOST_TEXT + 2_000)


def test_errors_are_shown_without_a_table(failed: Bench) -> None:
    owner = failed.browser()
    owner.post("/api/studies/fails/errors/opened")
    table = next(path for path in (Path(failed.study("fails").standing.population["source"]),))
    moved = table.with_suffix(".moved")
    table.rename(moved)
    try:
        found = owner.get("/api/studies/fails/errors").json()
    finally:
        moved.rename(table)
    assert len(found["errors"]) == ROWS
    assert "cannot be read now" in found["without_content"]


def test_answers_are_filtered_sorted_and_paged(done: Bench) -> None:
    owner = done.browser()

    def read(**asked: Any) -> Any:
        return owner.get(f"{API}/answers", params=asked).json()

    every = read()
    assert (every["found"], every["pages"], every["labelers"]) == (40, 1, ["ann", "zoe"])
    assert read(labeler="ann")["found"] + read(labeler="zoe")["found"] == 40
    assert read(answer="yes")["found"] == sum(answer_of(one["unit"]) == "yes" for one in every["answers"])
    assert read(disputed=True)["found"] == 0
    unit = every["answers"][5]["unit"]
    done.study().tell([{"unit": unit, "answer": "no" if answer_of(unit) == "yes" else "yes", "labeler": "eve"}])
    assert {one["unit"] for one in read(disputed=True)["answers"]} == {unit}
    assert read(disputed=True)["found"] == 2
    names = [one["unit"] for one in read(sort="unit", descending=True)["answers"]]
    assert names == sorted(names, reverse=True)
    page = owner.get(f"{PAGE}/answers", params={"sort": "unit", "labeler": "ann"}).text
    assert 'aria-sort="ascending"' in page
    assert "?labeler=ann&amp;descending=true&amp;page=1&amp;sort=unit" in page


def test_a_page_beyond_the_last_is_the_last() -> None:
    found = listed(range(101), keep=lambda one: True, by=None, descending=False, page=9)
    assert (found.page, found.pages, list(found.rows)) == (3, 3, [100])
    assert listed([], keep=lambda one: True, by=None, descending=True, page=4) == ([], 0, 1, 1)
    assert list(listed(range(3), keep=lambda one: one != 1, by=lambda one: -one, descending=False, page=1).rows) == [2, 0]


def test_a_goal_that_fails_is_offered_the_threshold_that_passes(failed: Bench) -> None:
    owner = failed.browser()
    found = owner.get("/api/studies/fails/thresholds").json()
    assert owner.get("/api/studies/fails/results").json()["decision"]["outcome"] == "do not ship"
    [offer] = found["offers"]
    expected = failed.study("fails").find_threshold("precision", 0.95)
    assert expected.threshold is not None
    assert (offer["goal"], offer["threshold"], offer["bound"]) == ("precision >= 0.95", expected.threshold, expected.bound)
    assert [one["goal"] for one in offer["also"]] == ["recall >= 0.05"]
    part = owner.get("/studies/fails/results/thresholds").text
    assert f'data-offer="A threshold of {expected.threshold:.4g} would pass precision &gt;= 0.95."' in part
    assert "the search holds in 95% of studies" in part
    assert "has no such guarantee" in part


def test_a_study_that_ships_is_offered_nothing(done: Bench) -> None:
    found = done.browser("vic").get(f"{API}/thresholds").json()
    assert found["offers"] == []
    assert found["curves"]["curves"].keys() == {"precision", "recall"}
    assert found["present"] == 0.5


def test_no_page_of_results_speaks_to_a_shell(failed: Bench, done: Bench) -> None:
    finish(done)
    pages = [failed.browser().get(f"/studies/fails/{end}") for end in ("results", "results/thresholds", "errors", "answers")]
    pages.append(failed.browser().get("/studies/fails/results/slices", params={"metric": "recall", "by": "country"}))
    pages += [done.browser().get(f"{PAGE}/{end}") for end in ("results", "errors", "answers")]
    for page in pages:
        assert page.status_code == 200
        assert "--" not in page.text.replace("var(--", ""), page.url


def test_bars_fit_their_intervals_and_stay_inside_their_picture() -> None:
    between = showing.ends([{"low": 0.5, "high": 0.7}, {"low": 0.6, "high": 0.8}], [None, 0.9])
    assert between.low < 0.5
    assert 0.9 < between.high <= 1
    assert showing.ends([]) == (0.0, 1.0)
    assert showing.ends([{"low": -0.2, "high": 0.1}]).low < -0.2
    assert float(showing.place(0.9, between)) < showing.WIDE
    assert showing.place(2.0, between) == f"{showing.WIDE:.1f}"
    assert float(showing.reach({"low": 0.6, "high": 0.6}, between)) > 0
    assert showing.target("recall >= 0.9") == 0.9
    assert showing.target("recall +-0.1") is None
    assert showing.target("not a goal") is None
    assert [showing.shade({"share": share}) for share in (None, 0.0, 0.5, 1.0)] == [0, 0, 2, 5]
