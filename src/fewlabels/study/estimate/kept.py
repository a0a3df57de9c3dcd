"""Results as they are kept beside the record: computed once for a state of a study, then read by commands, workbench and report alike.

A result is kept with the version of fewlabels that computed it and with the hash of the newest entry it depends on, which is any but a
certified look: showing numbers changes none of them. It is read only if both are the same, and computed anew otherwise.
"""

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from importlib import import_module
from typing import Any

from fewlabels.study.state.snapshots import digest_of
from fewlabels.version import VERSION

# The types a result may consist of, each with its module. Nothing else is made from what a ledger holds.
TYPES: Mapping[str, str] = {
    "Estimates": "fewlabels.study.estimate.result",
    "Estimate": "fewlabels.nouns.estimate",
    "TippingPoint": "fewlabels.nouns.tipping",
    "Progress": "fewlabels.study.state.progress",
    "Missing": "fewlabels.nouns.missing",
    "Part": "fewlabels.nouns.missing",
    "Agreed": "fewlabels.nouns.agreement",
    "Share": "fewlabels.nouns.agreement",
    "Decision": "fewlabels.nouns.decision",
    "GoalVerdict": "fewlabels.nouns.decision",
    "MoreLabels": "fewlabels.nouns.decision",
    "Declared": "fewlabels.nouns.decision",
    "Goal": "fewlabels.nouns.goal",
    "Convergence": "fewlabels.study.estimate.convergence",
    "ConvergencePoint": "fewlabels.study.estimate.convergence",
    "ConfusionCell": "fewlabels.study.estimate.confusion",
    "Curves": "fewlabels.study.estimate.thresholds",
    "InSlices": "fewlabels.study.estimate.slices",
    "Comparison": "fewlabels.study.estimate.comparison",
    "Ranked": "fewlabels.study.estimate.comparison",
    "FoundThreshold": "fewlabels.deciding.thresholds",
}


def written(value: object, *, basis: str) -> bytes:
    """A result as bytes."""
    text = json.dumps({"version": VERSION, "basis": basis, "value": _plain(value)}, separators=(",", ":")).encode()
    return digest_of(text).encode() + b"\n" + text


def read(body: bytes | None, *, basis: str) -> Any:
    """The result that `written` wrote; None if there is none, it is damaged, or it is of another state or version."""
    digest, _, text = (body or b"").partition(b"\n")
    if digest.decode("ascii", "replace") != digest_of(text):
        return None
    found = json.loads(text)
    return _made(found["value"]) if (found["version"], found["basis"]) == (VERSION, basis) else None


def _plain(value: Any) -> Any:
    """A value as JSON: a list is a tuple, a mapping with the key "" an object of the type named there."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int | float):
        return float(value) if isinstance(value, float) else int(value)
    if isinstance(value, Mapping):
        return {"": "dict", "items": [[_plain(key), _plain(one)] for key, one in value.items()]}
    name = type(value).__name__
    if is_dataclass(value) and name in TYPES:
        return {"": name, **{field.name: _plain(getattr(value, field.name)) for field in fields(value)}}
    if name in TYPES:  # a named tuple
        return {"": name, **{field: _plain(one) for field, one in value._asdict().items()}}
    if isinstance(value, tuple) and name == "tuple":
        return [_plain(one) for one in value]
    raise TypeError(f"a kept result can hold no {name}")


def _made(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(_made, value))
    if not isinstance(value, dict):
        return value
    name = value[""]
    if name == "dict":
        return {_made(key): _made(one) for key, one in value["items"]}
    kind = getattr(import_module(TYPES[name]), name)
    return kind(**{field: _made(one) for field, one in value.items() if field})
