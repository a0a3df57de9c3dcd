"""A real Label Studio server on 127.0.0.1, started by scripts/services.

FEWLABELS_RECORD=1 writes the exchanges to tests/recorded/label_studio, from which test_label_studio_recorded.py runs without a server.
"""

import os
from pathlib import Path

import pytest

from fewlabels.labeling.label_studio.client import LabelStudio
from tests.end_to_end.commands import ok
from tests.end_to_end.label_studio_path import RECORDED, Hands, make_study, record_study, walk
from tests.recorded.exchanges import Exchange, recording, save_exchanges

URL = os.environ.get("FEWLABELS_TEST_LABEL_STUDIO", "")
TOKEN = os.environ.get("FEWLABELS_TEST_LABEL_STUDIO_TOKEN", "")
RECORDS = bool(os.environ.get("FEWLABELS_RECORD"))
# Its server is installed and started by `make services-test` alone; CI plays back what was recorded there (test_label_studio_recorded.py).
pytestmark = pytest.mark.skipif(not URL, reason="needs a server: scripts/services run --only label-studio -- COMMAND")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "token").write_text(TOKEN + "\n")
    return tmp_path


def remove_projects() -> None:
    client = LabelStudio(URL, TOKEN)
    for project in client.projects():
        client.delete_project(project.id)
    assert client.projects() == []


def test_pulled_answers_give_the_estimate_of_the_same_answers_told_directly(folder: Path) -> None:
    remove_projects()
    if RECORDS:
        (folder / "new").mkdir()
        os.chdir(folder / "new")
        record_study(folder / "new")
        os.chdir(folder)
    make_study(folder)
    exchanges: list[Exchange] = []
    with recording(URL, exchanges) as address:
        walk(address, folder / "token", hands=Hands(URL, TOKEN))
    if RECORDS:
        save_exchanges(RECORDED / "walk.json", exchanges)


def test_each_labeler_has_a_project_and_sees_nobody_elses_answers(folder: Path) -> None:
    remove_projects()
    make_study(folder)
    server = ("--url", URL, "--token-file", folder / "token")
    names = ('ann <b>"]', "bob")
    pushed = ok("label-studio", "push", "mail", *server, *(x for n in names for x in ("--labeler", n)), "--double", "--json").json
    hands = Hands(URL, TOKEN)
    projects = {one["labeler"]: one["project"] for one in pushed["projects"]}
    assert set(projects) == set(names)
    for number in projects.values():
        settings = hands.call("GET", f"/api/projects/{number}/")
        assert settings["show_collab_predictions"] is False
        assert settings["sampling"] == "Sequential sampling"
        assert settings["maximum_annotations"] == 1
        tasks = hands.call("GET", f"/api/tasks?project={number}&page=1&page_size=500")["tasks"]
        assert {tuple(task["data"]) for task in tasks} == {("unit",)}
        assert all(not task["meta"] and not task["total_predictions"] for task in tasks)
        hands.choose(tasks[0]["id"], "yes" if number == projects["bob"] else "no")
    pulled = ok("label-studio", "pull", "mail", *server, "--json").json
    assert (pulled["recorded"], pulled["refused"]) == (2, [])


def test_a_personal_access_token_is_exchanged_for_one_that_lasts_minutes(folder: Path) -> None:
    hands = Hands(URL, TOKEN)
    token = hands.call("POST", "/api/token/")["token"]
    exchanges: list[Exchange] = []
    with recording(URL, exchanges) as address:
        assert LabelStudio(address, token).people()
    assert [one.path for one in exchanges] == ["/api/token/refresh", "/api/users/"]
    if RECORDS:
        save_exchanges(RECORDED / "token.json", exchanges)


def test_hostile_classes_come_back_as_they_are(folder: Path) -> None:
    client = LabelStudio(URL, TOKEN)
    from fewlabels.labeling.flat import Answerable
    from fewlabels.labeling.label_studio.interface import interface_text
    from fewlabels.labeling.label_studio.tasks import as_tasks, read_export

    classes = ('a"b', "<i>&amp;", "$text", "two\nlines", "\x1b[31m", "日本", "'")
    asked = Answerable({"which": ("answer",)}, classes)
    project = client.create_project(title="hostile", label_config=interface_text(asked, (), {}))
    client.import_tasks(project.id, as_tasks([f"u{i}" for i in range(len(classes))], [{}] * len(classes), columns=()))
    hands = Hands(URL, TOKEN)
    shown = list(hands.call("GET", f"/api/projects/{project.id}/")["parsed_label_config"]["question_1"]["labels"])
    assert len(shown) == len(classes) + 1
    for task, text in zip(client.tasks(project.id), shown, strict=False):
        hands.choose(task["id"], text)
    found = read_export(client.export(project.id), asked=asked)
    assert found.refused == []
    assert [label.answer for label in sorted(found.labels, key=lambda label: label.unit)] == list(classes)
    client.delete_project(project.id)
