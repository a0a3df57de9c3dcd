"""A page as a reader without a browser sees it: tags, attributes, text, tables."""

from html.parser import HTMLParser

VOID = frozenset({"meta", "input", "wbr", "br"})


class Parsed(HTMLParser):
    """What a page holds. `tables` are rows of cells; a cell is its lines."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.tables: list[list[list[list[str]]]] = []
        self.texts: dict[str, list[str]] = {}
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == [], f"left open: {self._open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in VOID:
            self._open.append(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append([""])
        elif tag == "span" and self._in_cell and ("class", "unseen") not in attrs and dict(attrs).get("aria-hidden") is None:
            self.tables[-1][-1][-1].append("")

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self._open.pop() == tag, f"closed out of turn: {tag}"

    def handle_data(self, data: str) -> None:
        if self._open:
            self.texts.setdefault(self._open[-1], []).append(data)
        if self._in_cell and "svg" not in self._open and not (self._open[-1] == "span" and data.strip() in "✓✕○"):
            self.tables[-1][-1][-1][-1] += data

    @property
    def _in_cell(self) -> bool:
        return "td" in self._open or "th" in self._open

    @property
    def rows(self) -> dict[str, list[list[str]]]:
        """The cells after the first of every row, by the first line of the first; the first row of a name counts."""
        found: dict[str, list[list[str]]] = {}
        for table in self.tables:
            for row in table[1:]:
                found.setdefault(row[0][0], row[1:])
        return found

    @property
    def numbers(self) -> list[str]:
        """The text of every cell."""
        return [line for table in self.tables for row in table[1:] for cell in row[1:] for line in cell]
