"""The documentation site: it builds without a warning, holds every page, links lead somewhere, and nothing is asked of another host."""

import http.server
import os
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.docs.built_site import Read, broken_links, is_elsewhere, loaded_elsewhere, read_page, read_site

pytestmark = pytest.mark.browser  # all of them, so that the site is built once
ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def build(config: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}  # the theme's notice about its successor is no warning about our pages
    # not --quiet: it silences the warnings that --strict counts
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", str(config), "--site-dir", str(folder)]
    return subprocess.run(command, env=env, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = build(ROOT / "mkdocs.yml", folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "WARNING" not in done.stderr, done.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Read]:
    return read_site(site)


def test_every_page_is_built_and_can_be_reached_from_home(site: Path, pages: dict[Path, Read]) -> None:
    wanted = {page.relative_to(DOCS).with_suffix(".html") for page in DOCS.rglob("*.md")}
    wanted = {path.with_name("index.html") if path.stem == "README" else path for path in wanted}
    assert wanted | {Path("404.html")} == {page.relative_to(site) for page in pages}
    listed = {(site / link).resolve() for link in (link.partition("#")[0] for link in pages[site / "index.html"].links) if link}
    missing = {str(path) for path in wanted if (site / path).resolve() not in listed} - {"index.html"}
    assert not missing, f"not in the nav of mkdocs.yml: {sorted(missing)}"


def test_links_and_anchors_lead_somewhere(site: Path, pages: dict[Path, Read]) -> None:
    assert sum(len(read.links) for read in pages.values()) > len(pages)
    assert not list(broken_links(site, pages))


def test_nothing_is_loaded_from_another_host(site: Path, pages: dict[Path, Read]) -> None:
    assert all(read.loads for read in pages.values())
    assert not list(loaded_elsewhere(site, pages))


def test_a_browser_that_reads_and_searches_asks_no_other_host(site: Path, browser: Browser) -> None:
    asked: list[str] = []
    with Serving(site) as address, browser.new_context() as context:
        page = context.new_page()
        page.on("request", lambda request: asked.append(request.url))
        for path in ("index.html", "tutorial.html", "reference/api.html", "maths/rare.html"):
            page.goto(f"{address}/{path}", wait_until="networkidle")
        page.keyboard.press("f")
        page.keyboard.type("effective")
        page.wait_for_selector(".md-search-result__item")
    assert any("search" in url for url in asked)
    assert [url for url in asked if not url.startswith((address, "data:", "blob:"))] == []


class Serving:
    """A folder served on a free port of this machine while it is open."""

    def __init__(self, folder: Path) -> None:
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))

    def __enter__(self) -> str:
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{self.server.server_port}"

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


# Checks of the checks.


def test_a_page_that_nav_leaves_out_and_a_bad_link_fail_the_build(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "index.md").write_text("# Home\n\n[nowhere](missing.md)\n")
    (docs / "left-out.md").write_text("# Left out\n")
    keep = (ROOT / "mkdocs.yml").read_text().split("\nnav:\n")[0].replace("name: material", "name: mkdocs").split("theme:")
    rest = "validation:" + keep[1].split("validation:")[1]
    (tmp_path / "mkdocs.yml").write_text(f"{keep[0]}{rest}\nnav:\n  - index.md\n")
    done = build(tmp_path / "mkdocs.yml", tmp_path / "site")
    assert done.returncode != 0
    assert "missing.md" in done.stderr
    assert "left-out.md" in done.stderr


def test_the_reader_finds_what_is_broken_and_what_is_loaded(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<link rel="stylesheet" href="https://fonts.example.org/x.css"><img src="//cdn.example.org/x.png"><script src="own.js"></script>'
        '<h2 id="here">x</h2><a href="#here">1</a><a href="#gone">2</a><a href="b.html">3</a><a href="https://example.org/">4</a>'
    )
    (tmp_path / "x.css").write_text("@import 'https://fonts.example.org/y.css'; a { background: url(data:image/png;base64,AA==) }")
    pages = read_site(tmp_path)
    assert list(broken_links(tmp_path, pages)) == ["a.html -> #gone", "a.html -> b.html"]
    assert sorted(loaded_elsewhere(tmp_path, pages)) == [
        "a.html loads //cdn.example.org/x.png",
        "a.html loads https://fonts.example.org/x.css",
        "x.css loads https://fonts.example.org/y.css",
    ]
    assert is_elsewhere(read_page('<a href="https://example.org/">x</a>').links[0])
