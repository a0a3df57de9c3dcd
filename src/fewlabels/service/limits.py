"""Rate limits: token buckets, kept in memory."""

import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal

from fastapi import HTTPException

from fewlabels.service.settings import RequestLimits, RequestRate

MOST_KEYS = 20_000  # addresses and sessions remembered; the least recently seen is forgotten
Kind = Literal["address", "entering", "refused", "person"]


class Buckets:
    """How many requests each address and each session may still make."""

    def __init__(self, limits: RequestLimits, *, clock: Callable[[], float] = time.monotonic) -> None:
        """Start with all buckets full."""
        self._limits, self._clock = limits, clock
        self._left: OrderedDict[tuple[Kind, str], tuple[float, float]] = OrderedDict()
        self._watching: Counter[str] = Counter()
        self._verifying: Counter[str] = Counter()
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
    def watching(self, person: str) -> Iterator[None]:
        """Count one event stream of a person while the block runs; raise HTTPException if there are too many."""
        each, _ = self._limits.watching
        with self._counted(
            self._watching, person, self._limits.watching, f"at most {each} pages per person are kept up to date at a time: close one"
        ):
            yield

    @contextmanager
    def verifying(self, person: str) -> Iterator[None]:
        """Count one request of a person for a verification while the block runs; raise HTTPException if there are too many."""
        each, _ = self._limits.verifying
        with self._counted(
            self._verifying, person, self._limits.verifying, f"at most {each} verifications per person run at a time: wait for one"
        ):
            yield

    @contextmanager
    def _counted(self, held: Counter[str], person: str, limit: tuple[int, int], text: str) -> Iterator[None]:
        """Count one thing that a person holds while the block runs."""
        each, together = limit
        with self._lock:
            if held[person] >= each or held.total() >= together:
                raise too_many(10, text)
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
