"""Rate limits: token buckets, kept in memory."""

import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Literal

from fastapi import HTTPException

from fewlabels.service.settings import RequestLimits, RequestRate

MOST_KEYS = 20_000  # addresses and sessions remembered; the least recently seen is forgotten
Kind = Literal["address", "entering", "refused", "person"]
Held = Literal["watching", "verifying"]
SAID: Mapping[Held, str] = {
    "watching": "at most {} pages per person are kept up to date at a time: close one",
    "verifying": "at most {} verifications per person run at a time: wait for one",
}


class Buckets:
    """How many requests each address and each session may still make."""

    def __init__(self, limits: RequestLimits, *, clock: Callable[[], float] = time.monotonic) -> None:
        """Start with all buckets full."""
        self._limits, self._clock = limits, clock
        self._left: OrderedDict[tuple[Kind, str], tuple[float, float]] = OrderedDict()
        self._held: dict[Held, Counter[str]] = {what: Counter() for what in SAID}
        self._lock = threading.Lock()

    def wait(self, kind: Kind, key: str) -> float:
        """Take one request out of a bucket; return 0, or the seconds to wait if it is empty."""
        rate: RequestRate = getattr(self._limits, kind)
        with self._lock:
            now = self._clock()
            left, since = self._left.pop((kind, key), (rate.burst, now))
            left = min(rate.burst, left + (now - since) * rate.per_second)
            self._left[kind, key] = (left - 1 if left >= 1 else left, now)
            if len(self._left) > MOST_KEYS:
                self._left.popitem(last=False)
        return 0.0 if left >= 1 else (1 - left) / rate.per_second

    def spend(self, kind: Kind, key: str) -> None:
        """Take one request out of a bucket; raise HTTPException 429 if it is empty."""
        if seconds := self.wait(kind, key):
            raise too_many(seconds)

    @contextmanager
    def holding(self, what: Held, person: str) -> Iterator[None]:
        """Count one thing that a person holds while the block runs; raise HTTPException if they, or all together, hold too many."""
        (each, together), held = getattr(self._limits, what), self._held[what]
        with self._lock:
            if held[person] >= each or held.total() >= together:
                raise too_many(10, SAID[what].format(each))
            held[person] += 1
        try:
            yield
        finally:
            with self._lock:
                held[person] -= 1
                if not held[person]:
                    del held[person]


def too_many(seconds: float, text: str = "too many requests at once: wait a little and try again") -> HTTPException:
    """Return the error for too many requests."""
    return HTTPException(429, text, headers={"Retry-After": str(max(1, round(seconds + 0.5)))})
