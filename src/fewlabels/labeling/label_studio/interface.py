"""The labeling interface that Label Studio shows: XML made from the study's questions, keys 1 to 9 in order."""

from collections.abc import Mapping, Sequence
from xml.etree import ElementTree

from fewlabels.errors import LabelError
from fewlabels.labeling.flat import Answerable
from fewlabels.nouns.sheet import FormColumn

KEYS = "123456789"
YES_OR_NO = ("yes", "no")
CANNOT_TELL = "cannot_tell"


def question_names(questions: Sequence[str]) -> dict[str, str]:
    """Return the name of each question's group of choices, as a question may hold characters that a name cannot."""
    return {question: f"question_{i}" for i, question in enumerate(questions, start=1)}


def class_names(classes: Sequence[str]) -> dict[str, str]:
    """Return each class by the text that labelers choose; raise LabelError for classes that XML cannot tell apart."""
    shown: dict[str, str] = {}
    for name in classes:
        text = written(name)
        if text in shown or not text:
            raise LabelError(
                f"classes are told apart by what is shown of them, but {name!r} is shown as {text!r} and so is another: rename it"
            )
        shown[text] = name
    return shown


def written(text: str) -> str:
    """Return a text as XML can hold it, on one line and without leading and trailing blanks, which Label Studio drops."""
    return " ".join("".join(one if _is_xml(one) else " " for one in text).split())


def _is_xml(one: str) -> bool:
    """Return whether a character is allowed in XML 1.0, and on a line."""
    return " " <= one < "\x7f" or "\xa0" <= one <= "\ud7ff" or "\ue000" <= one <= "\ufffd" or one >= "\U00010000"


def interface_text(asked: Answerable, show: Sequence[FormColumn], keys: Mapping[str, str]) -> str:
    """Return the interface as XML: what is shown of a unit, then each question with its answers.

    keys   the key of each shown column in a task's data; if no column is shown, the unit's id is
    """
    view = ElementTree.Element("View")
    for i, shown in enumerate(show, start=1):
        ElementTree.SubElement(view, "Header", value=written(shown.column), size="6")
        tag = "Image" if shown.kind == "image" else "Text"
        ElementTree.SubElement(view, tag, name=f"shown_{i}", value=f"${keys[shown.column]}")
    if not show:
        ElementTree.SubElement(view, "Text", name="shown_1", value="$unit")
    unused = iter(KEYS)
    for question, name in question_names(tuple(asked.columns)).items():
        if len(asked.columns) > 1:
            ElementTree.SubElement(view, "Header", value=written(question), size="5")
        how = {"name": name, "toName": "shown_1", "choice": "single-radio", "required": "true", "showInline": "true"}
        group = ElementTree.SubElement(view, "Choices", how)
        for answer in dict.fromkeys((*(class_names(asked.classes) or YES_OR_NO), CANNOT_TELL)):
            key = next(unused, None)
            ElementTree.SubElement(group, "Choice", {"value": answer} | ({"hotkey": key} if key else {}))
    return ElementTree.tostring(view, encoding="unicode")
