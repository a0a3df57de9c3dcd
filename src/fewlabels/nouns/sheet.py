"""A labeling form: what labelers see of a unit, and their instructions. Never a score, prediction or guide.

Every form is an entry of the record, with the place where labelers see it: what was asked belongs to what was answered.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, get_args

from fewlabels.errors import LabelError
from fewlabels.nouns.canonical import Json

ShownKind = Literal["text", "image", "link"]
Place = Literal["workbench", "file", "label-studio", "gold file"]
KINDS: tuple[ShownKind, ...] = get_args(ShownKind)


class FormColumn(NamedTuple):
    """A column as labelers see it: its text, the image it contains or names, or a link they may follow."""

    column: str
    kind: ShownKind = "text"

    def __str__(self) -> str:
        """The column as it would be typed."""
        return self.column if self.kind == "text" else f"{self.column}:{self.kind}"


def parse_shown(text: str) -> FormColumn:
    """Parse a shown column: text, photo:image or url:link. A column whose name contains a colon must be followed by its kind."""
    column, colon, kind = text.rpartition(":")
    if not colon:
        column, kind = text, "text"
    if column and kind in KINDS:
        return FormColumn(column, kind)
    raise LabelError(f"a shown column must be written COLUMN, COLUMN:image or COLUMN:link, got {text!r}: use one of these forms")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A labeling form: the columns in order, the instructions, and the question in words.

    check_every   a labeler gets a unit whose gold answer is known, not marked as such, after every so many answers; 0 for never
    route_by      the slice column whose value decides who may label a unit; None if anybody may label any unit
    routes        for a value of it, the people and groups who may label its units; units of another value are for anybody
    """

    show: tuple[FormColumn, ...] = ()
    instructions: str = ""
    ask: str = ""
    check_every: int = 0
    route_by: str | None = None
    routes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raise LabelError for routes without a column, or one to nobody."""
        if self.routes and self.route_by is None:
            raise LabelError("routes are by a slice column, but none is named: name it, or leave the routes out")
        nobody = next((value for value, names in self.routes.items() if not names), None)
        if nobody is not None:
            raise LabelError(f"a route leads to a person or a group, but that of {nobody!r} to nobody: name one, or leave the route out")

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the shown columns, each once."""
        return tuple(dict.fromkeys(shown.column for shown in self.show))

    def barred(self, names: Collection[str]) -> frozenset[str]:
        """The values whose units somebody may not label; `names` are theirs: their own, and those of their groups."""
        return frozenset(value for value, may in self.routes.items() if not set(may) & set(names))

    def as_json(self) -> dict[str, Json]:
        """Plain data, as it is recorded; a form without routes is written as it was before there were any."""
        routed: dict[str, Json] = {}
        if self.route_by is not None:
            routed = {"route_by": self.route_by, "routes": {value: list(names) for value, names in self.routes.items()}}
        return {
            **routed,
            "show": [{"column": shown.column, "kind": shown.kind} for shown in self.show],
            "instructions": self.instructions,
            "ask": self.ask,
            "check_every": self.check_every,
        }

    @classmethod
    def of_json(cls, data: Mapping[str, Any]) -> "Sheet":
        """The labeling form that `as_json` or a person wrote."""
        show = tuple(parse_shown(f"{one['column']}:{one.get('kind', 'text')}") for one in data.get("show", ()))
        words = {name: str(data.get(name, "")) for name in ("instructions", "ask")}
        routes = {str(value): tuple(map(str, names)) for value, names in data.get("routes", {}).items()}
        return cls(show=show, check_every=int(data.get("check_every", 0)), route_by=data.get("route_by"), routes=routes, **words)


class FormSet(NamedTuple):
    """A form as it was recorded: where labelers see it, who set it (None: the command line), and how many answers there were by then."""

    sheet: Sheet
    place: Place
    by: str | None
    answers: int

    @classmethod
    def of_json(cls, body: Mapping[str, Any], *, answers: int) -> "FormSet":
        """The form of an entry."""
        return cls(Sheet.of_json(body), body["place"], body.get("by"), answers)


def sheet_at(forms: Sequence[FormSet], place: Place) -> Sheet | None:
    """The form in force at a place; None if none was recorded for it."""
    return next((form.sheet for form in reversed(forms) if form.place == place), None)


class FormChange(NamedTuple):
    """What labelers were asked or shown changed after the first answer: after how many, and which parts. `known`: a form had been set."""

    answers: int
    parts: tuple[str, ...]
    known: bool

    def __str__(self) -> str:
        """The change in words."""
        parts, after = ", ".join(self.parts), f"after {self.answers:,} answer{'s' if self.answers != 1 else ''}"
        if self.known:
            return f"what labelers are asked was changed {after} ({parts})"
        return f"what labelers are asked was recorded only {after} ({parts})"


def late_changes(forms: Sequence[FormSet]) -> list[FormChange]:
    """The changes between the forms of labelers, who do not adjudicate, that came after the first answer."""
    asked = [form for form in forms if form.place != "gold file"]
    found = []
    for before, form in zip([None, *asked], asked, strict=False):
        parts = _changed(Sheet() if before is None else before.sheet, form.sheet)
        if form.answers and parts:
            found.append(FormChange(form.answers, parts, known=before is not None))
    return found


def _changed(before: Sheet, after: Sheet) -> tuple[str, ...]:
    """The parts of a form that differ, in words; who labels which units changes nothing of what they are asked."""
    compared = (
        ("the question", before.ask, after.ask),
        ("the instructions", before.instructions, after.instructions),
        ("the columns shown", before.show, after.show),
        ("the checks mixed in", before.check_every, after.check_every),
    )
    return tuple(name for name, one, other in compared if one != other)
