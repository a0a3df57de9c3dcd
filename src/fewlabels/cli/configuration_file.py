"""The contents of fewlabels.toml: the options of a folder's commands by name, as frozen data."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from fewlabels.engines.opening import is_address
from fewlabels.errors import ConfigurationError
from fewlabels.nearest import nearest
from fewlabels.nouns.redaction import without_password
from fewlabels.writing import read_small, write_whole

LARGEST = 1e15  # the largest number of any kind; a larger one is a mistake
FILE_NAME = "fewlabels.toml"
SQLITE = "sqlite:///"
TEXT, TEXTS, NUMBER, WHOLE, FLAG, LIMITS = "text", "texts", "number", "whole number", "flag", "limits"
WANTED = {
    TEXT: ('a text that is not empty, written key = "..."', "put it in quotes"),
    TEXTS: ('a list of texts that are not empty, written key = ["...", "..."]', "put brackets around it and quotes around each"),
    NUMBER: ("a number, written key = 0.5", "write it without quotes"),
    WHOLE: ("a whole number of at least 1, written key = 200", "write it without quotes and without a decimal point"),
    FLAG: ("true or false, written key = true", "write it without quotes"),
    LIMITS: ("two numbers, the lower first, written key = [0, 100]", "write both in brackets, without quotes"),
}
KINDS: dict[str, str] = {
    "study": TEXT, "population": TEXT, "ledger": TEXT, "policy": TEXT,
    "id": TEXT, "score": TEXT, "threshold": NUMBER, "predicted": TEXT, "classifiers": TEXTS, "votes": TEXTS, "labels": TEXTS,
    "classes": TEXT, "score_range": LIMITS, "slices": TEXTS, "weight": TEXT, "cluster": TEXT, "guide": TEXT,
    "candidates": TEXTS, "missing_scores": FLAG,
    "goals": TEXTS, "about": TEXT, "level": NUMBER, "budget": WHOLE, "grow_to": WHOLE, "pilot": WHOLE, "design": TEXT, "interval": TEXT,
    "stopping": TEXT, "rule": TEXT, "follows": TEXT, "show": TEXTS, "ask": TEXT,
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """The options of a folder's commands; None if the file does not set one. Paths are relative to the current folder.

    study         the study the commands are about
    policy        the policy file of `fewlabels gate`
    show, ask     what labelers see of a unit, and the question in words
    All others are options of `fewlabels plan` by the same name; an option that can be repeated is a list here.
    """

    study: str | None = None
    population: str | None = None
    ledger: str | None = None
    policy: str | None = None
    id: str | None = None
    score: str | None = None
    threshold: float | None = None
    predicted: str | None = None
    classifiers: tuple[str, ...] | None = None
    votes: tuple[str, ...] | None = None
    labels: tuple[str, ...] | None = None
    classes: str | None = None
    score_range: tuple[float, float] | None = None
    slices: tuple[str, ...] | None = None
    weight: str | None = None
    cluster: str | None = None
    guide: str | None = None
    candidates: tuple[str, ...] | None = None
    missing_scores: bool | None = None
    goals: tuple[str, ...] | None = None
    about: str | None = None
    level: float | None = None
    budget: int | None = None
    grow_to: int | None = None
    pilot: int | None = None
    design: str | None = None
    interval: str | None = None
    stopping: str | None = None
    rule: str | None = None
    follows: str | None = None
    show: tuple[str, ...] | None = None
    ask: str | None = None

    @property
    def said(self) -> dict[str, Any]:
        """The values the file sets, by key."""
        return {field.name: value for field in fields(self) if (value := getattr(self, field.name)) is not None}

    @property
    def secrets(self) -> tuple[str, ...]:
        """The keys whose address holds a password."""
        return tuple(key for key in ("ledger", "population") if has_password(getattr(self, key)))


def has_password(address: str | None) -> bool:
    """Return whether an address holds a password."""
    return address is not None and without_password(address) != address


def read_configuration(path: Path) -> Configuration:
    """Return the configuration of a file; its paths are relative to its folder."""
    try:
        text = read_small(path).decode("utf-8")
    except OSError as error:
        raise ConfigurationError(
            f"{path} cannot be read ({error.strerror}): name another with --config, or write one: fewlabels new"
        ) from None
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{path} must be UTF-8, but byte {error.start} is not: save it as UTF-8") from None
    return parse_configuration(text, where=str(path), folder=path.parent)


def parse_configuration(text: str, *, where: str = FILE_NAME, folder: Path = Path()) -> Configuration:
    """Return the configuration in a text; raise ConfigurationError, naming the file, for unknown keys and wrong types."""
    try:
        found = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # not TOML, or a number or nesting beyond Python's limits
        raise ConfigurationError(f'{where} has to be TOML, but: {error}; strings are quoted, as in study = "fraud-w46"') from None
    said = {key: _read(key, value, where) for key, value in found.items()}
    return Configuration(**{**said, **_placed(said, folder)})


def _read(key: str, value: object, where: str) -> Any:
    """Return a value in the type of its key; raise ConfigurationError for unknown keys and other types."""
    if key not in KINDS:
        close = nearest(key.replace("-", "_"), KINDS)
        hint = f"did you mean {' or '.join(map(repr, close))}? " if close else ""
        raise ConfigurationError(f"{where} has the key {key!r}, which fewlabels does not know: {hint}It knows {', '.join(KINDS)}")
    kind = KINDS[key]
    if not _is_a(kind, value):
        rule, way_out = WANTED[kind]
        raise ConfigurationError(f"{where}: {key} must be {rule.replace('key', key)}, got {value!r}: {way_out}")
    if kind in (TEXTS, LIMITS):
        assert isinstance(value, list)
        return tuple(float(one) for one in value) if kind == LIMITS else tuple(value)
    return float(value) if kind == NUMBER and isinstance(value, int) else value


def _is_a(kind: str, value: object) -> bool:
    """Return whether a value is of a kind."""
    if kind in (TEXTS, LIMITS):
        part = TEXT if kind == TEXTS else NUMBER
        return isinstance(value, list) and all(_is_a(part, one) for one in value) and (kind == TEXTS or len(value) == 2)
    if kind == FLAG:
        return isinstance(value, bool)
    if kind == TEXT:
        return isinstance(value, str) and bool(value.strip())
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) < LARGEST and (kind == NUMBER or (isinstance(value, int) and value >= 1))


def _placed(said: Mapping[str, Any], folder: Path) -> dict[str, str]:
    """Return population, ledger and policy as paths relative to the current folder."""
    placed = {}
    if "population" in said and not is_address(said["population"]):
        placed["population"] = str(folder / said["population"])
    if "policy" in said:
        placed["policy"] = str(folder / said["policy"])
    file = said.get("ledger", "").removeprefix(SQLITE)
    if said.get("ledger", "").startswith(SQLITE) and file not in ("", ":memory:"):
        placed["ledger"] = f"{SQLITE}{folder / file}"
    return placed


HEAD = """\
# What the commands of this folder are about. An option on the command line wins, and so does FEWLABELS_LEDGER.
# Every key: docs/how-to/configuration.md. Next week: another study and population, then `fewlabels plan`.
"""


def configuration_text(configuration: Configuration) -> str:
    """Return the text of the file for a configuration."""
    lines = [f"{key} = {_toml(configuration.said[key])}" for key in KINDS if key in configuration.said]
    return HEAD + "\n" + "\n".join(lines) + "\n"


def _toml(value: object) -> str:
    """Return a value as TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, tuple):
        return f"[{', '.join(map(_toml, value))}]"
    return repr(value)


def _quoted(text: str) -> str:
    """Return a basic TOML string: quotes, backslashes and control characters are escaped."""
    if any(0xD800 <= ord(one) < 0xE000 for one in text):
        raise ConfigurationError(f"{FILE_NAME} is UTF-8, which cannot write {text!r}: rename it")
    return '"' + "".join(_written(one) for one in text) + '"'


def _written(one: str) -> str:
    if one in '"\\':
        return f"\\{one}"
    return f"\\u{ord(one):04x}" if ord(one) < 0x20 or ord(one) == 0x7F else one


def write_configuration(path: Path, configuration: Configuration) -> None:
    """Write the file atomically. A caller that must not overwrite one checks first."""
    text = configuration_text(configuration)
    assert parse_configuration(text).said.keys() == configuration.said.keys()
    write_whole(path, text)
