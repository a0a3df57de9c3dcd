"""Label Studio's tasks, interface and exports: nothing but the shown leaves, nothing but a person's one answer comes back."""

from typing import Any
from xml.etree import ElementTree

import pytest

from fewlabels.errors import LabelError
from fewlabels.labeling.flat import Answerable
from fewlabels.labeling.label_studio.interface import class_names, interface_text, written
from fewlabels.labeling.label_studio.tasks import as_tasks, data_keys, read_export
from fewlabels.nouns.sheet import FormColumn

ASKED = Answerable()
TWO = Answerable({"spam": ("spam",), "rude": ("rude",)})
HOSTILE = ('a"b', "<Choice/>", "&amp;", "$text", "two\nlines", "\x00\x1b", "日本", "'", "]]>")


def result(*choices: object, name: str = "question_1") -> dict[str, Any]:
    return {"from_name": name, "to_name": "shown_1", "type": "choices", "value": {"choices": list(choices)}}


def task(*annotations: dict[str, Any], unit: object = "u1") -> dict[str, Any]:
    made = [{"id": i, "completed_by": 1, "updated_at": "2026-01-01T00:00:00Z", **one} for i, one in enumerate(annotations, start=1)]
    return {"id": 1, "data": {} if unit is None else {"unit": unit}, "annotations": made}


def test_a_task_holds_the_id_and_what_is_shown() -> None:
    (made,) = as_tasks(["u1"], [{"text": "hello", "score": "0.9"}], columns=["text"])
    assert made == {"data": {"unit": "u1", "text": "hello"}}


def test_columns_that_are_no_names_get_numbers() -> None:
    assert data_keys(["a b", "text"]) == {"a b": "shown_1", "text": "shown_2"}
    assert data_keys(["text"]) == {"text": "text"}
    with pytest.raises(LabelError, match="unit of its own"):
        data_keys(["unit"])


def test_the_interface_asks_yes_no_and_cannot_tell_with_keys() -> None:
    view = ElementTree.fromstring(interface_text(ASKED, [FormColumn("text"), FormColumn("photo", "image")], data_keys(["text", "photo"])))
    assert [(c.get("value"), c.get("hotkey")) for c in view.iter("Choice")] == [("yes", "1"), ("no", "2"), ("cannot_tell", "3")]
    assert [c.get("value") for c in view.iter("Text")] == ["$text"]
    assert [c.get("value") for c in view.iter("Image")] == ["$photo"]
    (group,) = view.iter("Choices")
    assert (group.get("required"), group.get("choice"), group.get("toName")) == ("true", "single-radio", "shown_1")


def test_the_interface_asks_every_question_and_keys_are_not_used_twice() -> None:
    view = ElementTree.fromstring(interface_text(TWO, (), {}))
    assert [c.get("name") for c in view.iter("Choices")] == ["question_1", "question_2"]
    assert [c.get("hotkey") for c in view.iter("Choice")] == list("123456")
    assert [c.get("value") for c in view.iter("Text")] == ["$unit"]


def test_more_answers_than_keys_are_chosen_by_hand() -> None:
    view = ElementTree.fromstring(interface_text(Answerable(classes=[f"c{i}" for i in range(12)]), (), {}))
    assert [c.get("hotkey") for c in view.iter("Choice")] == [*"123456789", None, None, None, None]


def test_hostile_classes_and_columns_stay_text() -> None:
    view = ElementTree.fromstring(interface_text(Answerable(classes=HOSTILE[:5]), [FormColumn('<b>"&')], {'<b>"&': "shown_1"}))
    assert [c.get("value") for c in view.iter("Choice")] == ['a"b', "<Choice/>", "&amp;", "$text", "two lines", "cannot_tell"]
    assert {child.tag for child in view.iter()} == {"View", "Header", "Text", "Choices", "Choice"}


def test_classes_that_would_look_the_same_are_refused() -> None:
    with pytest.raises(LabelError, match="told apart"):
        class_names(["a b", "a\nb"])
    with pytest.raises(LabelError, match="told apart"):
        class_names(["\x00"])


@pytest.mark.parametrize("name", [name for name in HOSTILE if written(name)])
def test_a_class_comes_back_by_what_was_shown_of_it(name: str) -> None:
    found = read_export([task({"result": [result(written(name))]})], asked=Answerable(classes=[name]))
    assert [label.answer for label in found.labels] == [name]


def test_an_answer_has_unit_labeler_time_and_number() -> None:
    (label,) = read_export([task({"result": [result("yes")]})], asked=ASKED, names={"1": "ada@example.com"}).labels
    assert (label.unit, label.answer, label.labeler, label.at, label.row) == ("u1", "yes", "ada@example.com", "2026-01-01T00:00:00Z", 1)


@pytest.mark.parametrize(
    ("by", "labeler"),
    [(7, "label-studio:7"), ({"id": 7, "email": "a@b"}, "a@b"), (None, "anonymous"), ("a@b", "a@b"), ({"id": 7}, "label-studio:7")],
)
def test_the_labeler_is_the_account(by: object, labeler: str) -> None:
    (label,) = read_export([task({"result": [result("no")], "completed_by": by})], asked=ASKED).labels
    assert label.labeler == labeler
    (named,) = read_export([task({"result": [result("no")], "completed_by": by})], asked=ASKED, labeler="ann").labels
    assert named.labeler == "ann"


def test_a_skip_is_an_answer() -> None:
    (label,) = read_export([task({"result": [], "was_cancelled": True})], asked=ASKED).labels
    assert label.answer == "skipped"


@pytest.mark.parametrize(
    ("annotation", "why"),
    [
        ({"result": [result("banana")]}, "banana"),
        ({"result": []}, "without an answer"),
        ({"result": None}, "without an answer"),
        ({"result": [result("yes", "no")]}, "2 were chosen"),
        ({"result": [result("yes"), result("no", name="other")]}, "2 were chosen"),
        ({"result": [result("yes")], "parent_prediction": 3}, "prediction"),
        ({"result": [result("yes")], "prediction": {"id": 3}}, "prediction"),
        ({"result": [{**result("yes"), "origin": "prediction"}]}, "prediction"),
        ({"result": [{**result("yes"), "origin": "prediction-changed"}]}, "prediction"),
        ({"result": [{"type": "textarea", "value": {"text": ["yes"]}}]}, "''"),
        ({"result": ["nonsense"]}, "''"),
    ],
)
def test_what_is_no_persons_one_answer_is_refused(annotation: dict[str, Any], why: str) -> None:
    found = read_export([task(annotation)], asked=ASKED)
    assert found.labels == []
    assert [(one.unit, one.where) for one in found.refused] == [("u1", "annotation 1")]
    assert why in found.refused[0].why


def test_a_task_of_somebody_else_is_refused_and_one_without_annotations_is_blank() -> None:
    found = read_export([task({"result": [result("yes")]}, unit=None), task(), {"data": None, "annotations": None}], asked=ASKED)
    assert (found.labels, found.blank) == ([], 2)
    assert "fewlabels did not write it" in found.refused[0].why


def test_each_question_is_read_by_its_name() -> None:
    found = read_export([task({"result": [result("no", name="question_2"), result("yes")]})], asked=TWO)
    assert {label.question: label.answer for label in found.labels} == {"spam": "yes", "rude": "no"}


def test_a_question_without_an_answer_is_refused() -> None:
    found = read_export([task({"result": [result("yes")]})], asked=TWO)
    assert [label.question for label in found.labels] == ["spam"]
    assert "'rude'" in found.refused[0].why
