"""Instructions are marked up as a small part of Markdown, and whatever is typed into them stays text."""

import re
import time
from html.parser import HTMLParser

import pytest

from fewlabels.randomness import stream
from fewlabels.reports.instructions import instructions

ALLOWED = {"h2", "h3", "h4", "p", "ul", "ol", "li", "pre", "code", "strong", "em", "a"}
ATTRIBUTES = {"dir", "start", "href", "rel", "target"}
PIECES = (
    *(
        "**",
        "*",
        "_",
        "`",
        "[",
        "](",
        "http://a.b",
        "https://",
        ")",
        "(",
        "\n",
        "- ",
        "1. ",
        "# ",
        "```",
        "<script>",
        '"',
        "'",
        "&lt;",
        " ",
        "x",
    ),
    *("\\", "javascript:", "\x00", "\u202e", "<!--", "]]>", "{{", "onclick="),
)


class Parts(HTMLParser):
    """The elements of a text, its links and its words."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.words = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.words += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")


def plain(text: str) -> str:
    """The same without the attribute that says in which direction to read."""
    return instructions(text).replace(' dir="auto"', "").replace("\n<", "<")


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("", ""),
        ("one\ntwo", "<p>one\ntwo</p>"),
        ("one\r\n\r\ntwo", "<p>one</p><p>two</p>"),
        ("# A\n## B\n# C", "<h2>A</h2><h3>B</h3><h2>C</h2>"),
        ("### deep", "<h2>deep</h2>"),
        ("- a\n* b\n\n3. c\n4) d", '<ul><li>a</li><li>b</li></ul><ol start="3"><li>c</li><li>d</li></ol>'),
        ("**bold *both* bold** and _it_", "<p><strong>bold <em>both</em> bold</strong> and <em>it</em></p>"),
        ("`a **b** <c>`", "<p><code>a **b** &lt;c&gt;</code></p>"),
        ("```\n# no\n*no*\n```\nyes", "<pre><code># no\n*no*</code></pre><p>yes</p>"),
        ("```\nnever closed", "<pre><code>never closed</code></pre>"),
        ("2 * 3 * 4 snake_case_word _ *", "<p>2 * 3 * 4 snake_case_word _ *</p>"),
        ("**never closed *here", "<p>**never closed *here</p>"),
        ("*a **b* c**", "<p><em>a **b</em> c**</p>"),
        ("#no heading, 1.no list, -no list", "<p>#no heading, 1.no list, -no list</p>"),
    ],
)
def test_a_small_part_of_markdown_is_marked_up(typed: str, shown: str) -> None:
    assert plain(typed) == shown


def test_links_lead_to_the_web_only_and_open_apart() -> None:
    found = instructions("[the *rules*](https://example.org/a?b=1&c=2)")
    assert '<a href="https://example.org/a?b=1&amp;c=2" rel="noreferrer noopener" target="_blank">the *rules*</a>' in found


@pytest.mark.parametrize(
    "typed",
    [
        "[x](javascript:alert(1))",
        "[x](JaVaScRiPt:alert(1))",
        "[x](data:text/html,<script>alert(1)</script>)",
        "[x](//evil.example)",
        "[x](vbscript:x)",
        "[x](https:evil)",
        '[x](https://a" onclick="alert(1))',
        "[x](https://a<b>)",
        "[x]( https://a.b)",
        "![x](https://a.b/pixel.png?[)",
        "[[x](https://",
        "<a href=https://a.b>x</a>",
        "<https://a.b>",
        "https://a.b",
    ],
)
def test_nothing_else_becomes_a_link(typed: str) -> None:
    found = Parts(instructions(typed))
    assert "a" not in found.tags
    assert found.words.strip() == typed


@pytest.mark.parametrize(
    "hostile", ["<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "</div></body>", "&lt;b&gt; &amp;", "<!-- x", "]]>"]
)
def test_what_is_typed_as_markup_is_shown_as_it_was_typed(hostile: str) -> None:
    for around in ("{}", "# {}", "- {}", "**{}**", "`{}`", "```\n{}\n```", "[{}](https://a.b)"):
        found = Parts(instructions(around.format(hostile)))
        assert set(found.tags) <= ALLOWED
        assert hostile in found.words


@pytest.mark.parametrize("seed", range(200))
def test_pieces_put_together_at_random_never_become_other_markup(seed: int) -> None:
    rng = stream(42, seed)
    typed = "".join(str(one) for one in rng.choice(PIECES, 60))
    found = Parts(instructions(typed))
    assert set(found.tags) <= ALLOWED
    assert {name for name, _ in found.attributes} <= ATTRIBUTES
    assert all(re.match("https?://", address or "") for name, address in found.attributes if name == "href")


def test_no_text_is_lost() -> None:
    typed = "a **b _c `d` e* f\n- g\n# h\n\ni [j](no) k"
    letters = re.sub("[^a-z]", "", Parts(instructions(typed)).words)
    assert letters == re.sub("[^a-z]", "", typed)


@pytest.mark.parametrize(
    "evil",
    ["[", "[a](https://", "*", "**a", "_a ", "`", "*a _b **c ", "- *\n", "# ", "```\n", "1. a\n", " ", "**_", "*a* ", "# #\t", "`\n"],
)
def test_20_000_characters_are_read_in_linear_time(evil: str) -> None:
    instructions("warm")

    def seconds(length: int) -> float:
        times = []
        for _ in range(3):
            begun = time.process_time()
            instructions((evil * length)[:length])
            times.append(time.process_time() - begun)
        return min(times)

    few, many = seconds(2_500), seconds(20_000)
    assert many < 4 * 8 * max(few, 0.001), "squared, eight times the length takes 64 times as long"
    assert many < 2
