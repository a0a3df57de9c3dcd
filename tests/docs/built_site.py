"""Reads a built documentation site: its pages, what they link to, and what a browser would load for them."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

LOADING = {"src", "srcset", "data", "poster", "action", "formaction", "ping", "background"}
FETCHING_RELATIONS = {"stylesheet", "icon", "preload", "prefetch", "preconnect", "dns-prefetch", "modulepreload", "manifest"}
CSS_ADDRESS = re.compile(r"""(?:url\(\s*["']?|@import\s+["'])([^"')]+)""")


class Read(NamedTuple):
    """What one page holds: anchors, links people follow, and addresses a browser loads by itself."""

    anchors: set[str]
    links: list[str]
    loads: list[str]


class Reader(HTMLParser):
    """Collects anchors, links and what is loaded."""

    def __init__(self) -> None:
        super().__init__()
        self.read = Read(set(), [], [])

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.read.anchors.update(given[name] for name in ("id", "name") if name in given and tag != "meta")
        if tag == "a" and "href" in given:
            self.read.links.append(given["href"])
        if tag == "link" and FETCHING_RELATIONS & set(given.get("rel", "").split()):
            self.read.loads.append(given["href"])
        self.read.loads.extend(given[name] for name in LOADING & given.keys())
        self.read.loads.extend(CSS_ADDRESS.findall(given.get("style", "")))
        if tag == "meta" and given.get("http-equiv", "").lower() == "refresh":
            self.read.loads.append(given.get("content", "").partition("url=")[2])


def read_page(text: str) -> Read:
    """What a page holds."""
    reader = Reader()
    reader.feed(text)
    return reader.read


def read_site(folder: Path) -> dict[Path, Read]:
    """Every page of a site."""
    return {page: read_page(page.read_text()) for page in sorted(folder.rglob("*.html"))}


def is_elsewhere(address: str) -> bool:
    """Whether an address is of another host. A data: address is none."""
    return bool(urlsplit(address).netloc)


def broken_links(folder: Path, pages: dict[Path, Read]) -> Iterator[str]:
    """Every link inside the site that leads nowhere, as page -> link."""
    for page, read in pages.items():
        for link in read.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            path = unquote(parts.path)
            start = folder if path.startswith("/") else page.parent
            found = (start / path.lstrip("/")).resolve() if path else page
            found = found / "index.html" if found.is_dir() else found
            if not found.exists() or (found.suffix == ".html" and parts.fragment and unquote(parts.fragment) not in pages[found].anchors):
                yield f"{page.relative_to(folder)} -> {link}"


def loaded_elsewhere(folder: Path, pages: dict[Path, Read]) -> Iterator[str]:
    """Whatever a browser would ask of another host: from pages and from style sheets."""
    for page, read in pages.items():
        yield from (f"{page.relative_to(folder)} loads {address}" for address in read.loads if is_elsewhere(address))
    for sheet in folder.rglob("*.css"):
        yield from (f"{sheet.name} loads {address}" for address in CSS_ADDRESS.findall(sheet.read_text()) if is_elsewhere(address))
