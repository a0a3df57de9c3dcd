"""HTML and SVG built as a tree: text can only be added as text, so it never becomes markup."""

import xml.etree.ElementTree as Tree
from collections.abc import Iterable

Element = Tree.Element
Child = Element | str | None


def tag(kind: str, *children: Child, **attributes: str | float | None) -> Element:
    """Return an element. `class_` is class, `_` in a name is `-`; an attribute that is None is left out."""
    made = Element(kind, {_spelled(key): _written(value) for key, value in attributes.items() if value is not None})
    return add(made, *children)


def add(made: Element, *children: Child) -> Element:
    """Add children to an element and return it; None is skipped."""
    for child in children:
        if isinstance(child, str):
            _append_text(made, child)
        elif child is not None:
            made.append(child)
    return made


def _append_text(made: Element, text: str) -> None:
    if len(made):
        made[-1].tail = (made[-1].tail or "") + text
    else:
        made.text = (made.text or "") + text


def _spelled(key: str) -> str:
    return "viewBox" if key == "viewBox" else "preserveAspectRatio" if key == "preserveAspectRatio" else key.rstrip("_").replace("_", "-")


def _written(value: str | float) -> str:
    return value if isinstance(value, str) else f"{round(value, 2):g}"


def written(elements: Iterable[Element]) -> str:
    """Return the elements as HTML text."""
    return "\n".join(Tree.tostring(element, encoding="unicode", method="html") for element in elements)
