"""How figures of the running band's study are written in a table."""

from collections.abc import Iterable, Iterator, Sequence

from scipy.stats import beta

from benchmarks.anytime_store import Row


def number(value: object) -> float:
    """A number of a row."""
    assert isinstance(value, int | float)
    return float(value)


def many(value: object) -> list[float]:
    """A list of a row."""
    assert isinstance(value, list)
    return value


def share(r: Row, what: str) -> str:
    """A count as a share of the paths."""
    return f"{number(r[what]) / number(r['paths']):.4f}"


def limits(r: Row, what: str) -> str:
    """Clopper and Pearson's 95 % limits of a share of the paths."""
    k, n = int(number(r[what])), int(number(r["paths"]))
    low = beta.ppf(0.025, k, n - k + 1) if k else 0.0
    return f"{low:.4f} to {beta.ppf(0.975, k + 1, n - k):.4f}"


def judged(over: object, most: float | None) -> str:
    """A ratio, marked where it is more than was aimed at."""
    return f"{number(over):.2f}" + ("" if most is None or round(number(over), 4) <= most else f" (above {most:g})")


def table(head: str, rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A table whose first column is text; the head is written with bars between its columns."""
    yield f"| {head} |"
    yield "|---|" + "--:|" * head.count("|")
    yield from (f"| {' | '.join(row)} |" for row in rows)
    yield ""


def section(title: str, *text: str) -> Iterator[str]:
    """The beginning of a section."""
    yield f"## {title}"
    yield ""
    for paragraph in text:
        yield paragraph
        yield ""
