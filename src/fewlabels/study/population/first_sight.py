"""What a newcomer's table suggests: which column may name units, which holds a score, a decision, and what labelers may see.

`fewlabels new` and the workbench propose the same.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from fewlabels.engines.checks import FLAG_TYPES, ID_TYPES
from fewlabels.engines.opening import open_engine
from fewlabels.engines.sql_engine import SqlEngine
from fewlabels.engines.warehouses import elsewhere
from fewlabels.errors import EngineError
from fewlabels.nouns.classifier import Classifier
from fewlabels.nouns.profile import Column
from fewlabels.study.population.read import read_population

TRIED = 4  # id columns that are read to see whether they name every unit once
MOST_SCORES = 20
ID_NAMES = (re.compile(r"id", re.I), re.compile(r".*[^a-z]id|.*Id|uuid|guid", re.I), re.compile(r"key|unit|number|no", re.I))
SCORE_NAMES = (re.compile(r"score", re.I), re.compile(r".*score.*", re.I), re.compile(r".*prob.*|p|.*[^a-z]p|.*conf.*|.*pred.*", re.I))
DECISION_NAMES = (re.compile(r"pred.*|flag.*|.*[^a-z](pred|predicted|prediction|flag|flagged|decision)|decision", re.I),)
SHOWN_NAMES = re.compile(r"(.*[^a-z])?(text|message|body|title|subject|content|comment|description|url|summary|review|post)", re.I)
GIVEAWAYS = re.compile(r".*(label|truth|answer|target|gold|class|pred|score|prob|flag|decision).*|y", re.I)


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstSight:
    """A first look at a table: each list holds the columns that may serve as what it is named after, the likeliest first."""

    columns: tuple[Column, ...]
    ids: tuple[str, ...]
    scores: tuple[str, ...]  # every value a number within the limits, by default [0, 1]
    unsound: tuple[str, ...]  # named like a score, but with values that are missing or outside the limits
    decisions: tuple[str, ...]  # true/false, or integers whose name says so
    shown: tuple[str, ...]  # text whose name gives no label away
    unique: bool = False  # whether the first of `ids` was read, and names every unit once

    @property
    def names(self) -> tuple[str, ...]:
        """The columns by name."""
        return tuple(column.name for column in self.columns)


def look_at(source: str, *, limits: tuple[float, float] = (0.0, 1.0)) -> FirstSight:
    """Return what the names, types and values of a table's columns suggest; `limits` are those of a score."""
    columns = open_table(source).columns()
    ids = _named([c.name for c in columns if c.type in ID_TYPES], ID_NAMES)
    numbers = [c.name for c in columns if c.type in ("float32", "float64") or (c.type == "int" and is_score(c.name))]
    scores = _named(numbers, SCORE_NAMES)[:MOST_SCORES]
    decisions = [c.name for c in columns if c.type == "bool"]
    decisions += [c.name for c in columns if c.type in FLAG_TYPES and any(name.fullmatch(c.name) for name in DECISION_NAMES)]
    ids, sound, unique = _tried(source, ids, scores, limits)
    unsound = tuple(name for name in scores if is_score(name) and name not in sound)
    texts = [c.name for c in columns if c.type == "text" and c.name not in ids[:1] and not GIVEAWAYS.fullmatch(c.name)]
    shown = [name for name in texts if SHOWN_NAMES.fullmatch(name)] or texts
    return FirstSight(
        columns=columns, ids=ids, scores=sound, unsound=unsound, decisions=tuple(dict.fromkeys(decisions)), shown=tuple(shown),
        unique=unique,
    )  # fmt: skip


def open_table(source: str) -> SqlEngine:
    """Return the engine of a table of which nothing is known yet; raise EngineError if it has no columns."""
    unknown = read_population(source, id="", classifiers=[Classifier("unknown", predicted="unknown")])
    engine = open_engine(unknown)
    if not isinstance(engine, SqlEngine):
        raise elsewhere(source)
    if not engine.columns():
        raise EngineError(f"a population needs columns, but {source} has none: check the path")
    return engine


def _named(columns: Sequence[str], likely: Iterable[re.Pattern[str]]) -> tuple[str, ...]:
    """Return the columns, those with a likely name first."""
    first = [column for name in likely for column in columns if name.fullmatch(column)]
    return tuple(dict.fromkeys([*first, *columns]))


def is_score(name: str) -> bool:
    """Return whether a column is named like a score."""
    return any(likely.fullmatch(name) for likely in SCORE_NAMES[:2])


def _tried(
    source: str, ids: tuple[str, ...], scores: tuple[str, ...], limits: tuple[float, float]
) -> tuple[tuple[str, ...], tuple[str, ...], bool]:
    """Return the columns whose values were checked: first an id, whether it names every unit once, and scores within the limits."""
    sound: tuple[str, ...] = ()
    for column in ids[:TRIED] if scores else ():
        judged = [Classifier(f"c{i}", score=score, threshold=middle(limits), score_range=limits) for i, score in enumerate(scores)]
        problems = open_engine(read_population(source, id=column, classifiers=judged)).inspect().problems
        rules = [problem.rule for problem in problems]
        sound = tuple(score for score in scores if not any(f"a score in {score!r}" in rule for rule in rules))
        if not any(" an id" in rule or " ids " in rule for rule in rules):
            return (column, *(other for other in ids if other != column)), sound, True
    return ids, sound, False


def middle(limits: tuple[float, float]) -> float:
    """Return the threshold to propose: halfway between the limits of a score."""
    return (limits[0] + limits[1]) / 2


def named_after(source: str, taken: Iterable[str]) -> str:
    """Return a free name for a study of a table: the name of the file, with a number if it is taken.

    Examples:
        >>> named_after("data/scored.week-46.csv", []), named_after("postgresql://db/risk#my table", ["my-table"])
        ('scored', 'my-table-2')
    """
    wanted = Path(source.partition("#")[2] or source.rpartition(":")[2]).name.split(".")[0]
    wanted = re.sub(r"[^\w.-]+", "-", wanted).strip("-.") or "study"
    taken = set(taken)
    return next(name for name in (wanted, *(f"{wanted}-{i}" for i in range(2, len(taken) + 3))) if name not in taken)
