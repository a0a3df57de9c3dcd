"""A labeling form: what labelers see of a unit, and their instructions. Never a score, prediction or guide."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

from fewlabels.errors import LabelError
from fewlabels.nouns.canonical import Json

ShownKind = Literal["text", "image", "link"]
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
    """

    show: tuple[FormColumn, ...] = ()
    instructions: str = ""
    ask: str = ""
    check_every: int = 0

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the shown columns, each once."""
        return tuple(dict.fromkeys(shown.column for shown in self.show))

    def as_json(self) -> dict[str, Json]:
        """Plain data, stored beside the ledger."""
        return {
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
        return cls(show=show, check_every=int(data.get("check_every", 0)), **words)
