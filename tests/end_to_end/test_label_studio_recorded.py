"""The path through Label Studio against replies that a real server gave, recorded by test_label_studio.py; no server is needed."""

from pathlib import Path

import pytest

from fewlabels.labeling.label_studio.client import LabelStudio
from tests.end_to_end.commands import fewlabels
from tests.end_to_end.label_studio_path import RECORDED, make_study, walk
from tests.recorded.exchanges import load_exchanges, replaying


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "token").write_text("0" * 40)
    make_study(tmp_path)
    return tmp_path


def test_pulled_answers_give_the_estimate_of_the_same_answers_told_directly(folder: Path) -> None:
    with replaying(load_exchanges(RECORDED / "walk.json")) as (address, wrong):
        walk(address, folder / "token", hands=None)
    assert wrong == []


def test_only_the_id_and_what_is_shown_leaves_fewlabels(folder: Path) -> None:
    (imported,) = [one for one in load_exchanges(RECORDED / "walk.json") if "/import" in one.path]
    assert len(imported.body) == 200
    assert {tuple(task) for task in imported.body} == {("data",)}
    assert {tuple(task["data"]) for task in imported.body} == {("unit", "text")}


def test_a_replay_notices_another_request(folder: Path) -> None:
    exchanges = load_exchanges(RECORDED / "walk.json")
    with replaying(exchanges) as (address, wrong):
        found = fewlabels("label-studio", "pull", "mail", "--url", address, "--token-file", folder / "token")
    assert (found.code, wrong[-1]) != (0, "")
    assert any("was recorded, but not sent" in one for one in wrong)


def test_a_personal_access_token_is_exchanged_for_one_that_lasts_minutes() -> None:
    with replaying(load_exchanges(RECORDED / "token.json")) as (address, wrong):
        assert LabelStudio(address, "a.b.c").people()
    assert wrong == []
