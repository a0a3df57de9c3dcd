"""The labeling interface that Label Studio shows: XML made of the study's questions, keys 1 to 9 in order."""

from collections.abc import Mapping, Sequence
from xml.etree import ElementTree

from fewlabels.errors import LabelError
from fewlabels.labeling.flat import Asked
from fewlabels.nouns.sheet import Shown

KEYS = "123456789"
YES_OR_NO = ("yes", "no")
CANNOT_TELL = "cannot_tell"


def question_names(questions: Sequence[str]) -> dict[str, str]:
    """The name of each question's group of choices: a question may hold what no name in the interface can."""
    return {question: f"question_{i}" for i, question in enumerate(questions, start=1)}


def class_names(classes: Sequence[str]) -> dict[str, str]:
    """Each class by the text that labelers choose. Refuses classes that XML cannot tell apart."""
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
    """A text as XML can hold it, on one line and without blanks at its ends, which Label Studio does not keep."""
    return " ".join("".join(one if _is_xml(one) else " " for one in text).split())


def _is_xml(one: str) -> bool:
    """Whether a character may stand in XML 1.0, and on a line."""
    return " " <= one < "\x7f" or "\xa0" <= one <= "\ud7ff" or "\ue000" <= one <= "\ufffd" or one >= "\U00010000"


def interface_text(asked: Asked, show: Sequence[Shown], keys: Mapping[str, str]) -> str:
    """The interface as XML: what is shown of a unit, then each question with its answers.

    keys   where a shown column stands in a task's data; the unit's id is shown where no column is
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
