"""Canonical JSON: the one text of a value that is hashed, stored and compared.

Keys are sorted; there are no spaces and no NaN: an unknown number is null, beside a reason. Floats are written by `repr`, which Python
reads back to the same bits.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import TypeAlias

Json: TypeAlias = bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"] | None

_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def canonical(value: Json) -> str:
    """The canonical JSON text of a value; raise ValueError on NaN or infinity, because an unknown number is null."""
    return _ENCODER.encode(value)


def fingerprint(value: Json) -> str:
    """The sha256, in hex, of the value's canonical text."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()
