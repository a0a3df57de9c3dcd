"""Limits on what an engine may use of the machine, and progress reports. No result depends on them.

with resources(memory_limit="2GB", threads=4, watch=print):
study.ask()
"""

import contextvars
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

Result = TypeVar("Result")
_BLINK = 0.2  # seconds between two progress reports


@dataclass(frozen=True, slots=True, kw_only=True)
class Resources:
    """What engines opened from now on may use; None leaves it to the engine.

    memory_limit   of an engine on this machine, such as "2GB"
    threads        of an engine on this machine
    watch          called with the share of the running query that is done, or None if the engine cannot tell

    """

    memory_limit: str | None = None
    threads: int | None = None
    watch: Callable[[float | None], None] | None = None


_current: contextvars.ContextVar[Resources | None] = contextvars.ContextVar("fewlabels_resources", default=None)


def current() -> Resources:
    """Return the current limits."""
    return _current.get() or Resources()


@contextmanager
def using(resources: Resources) -> Iterator[None]:
    """Apply these limits to engines opened and used inside the block."""
    token = _current.set(resources)
    try:
        yield
    finally:
        _current.reset(token)


@contextmanager
def resources(
    *, memory_limit: str | None = None, threads: int | None = None, watch: Callable[[float | None], None] | None = None
) -> Iterator[None]:
    """Limit what engines opened inside the `with` block use.

    memory_limit   of an engine on this machine, such as "2GB"; if omitted, the engine decides
    threads        of an engine on this machine; if omitted, the engine decides
    watch          called with the share of the running query that is done, or None if the engine cannot tell

    Examples:
        >>> import fewlabels
        >>> population = fewlabels.read_population({"id": ["a", "b"], "score": [0.9, 0.1]}, score="score", threshold=0.5)
        >>> with fewlabels.resources(threads=2):
        ...     study = fewlabels.Study.create("two", population, goals=["accuracy +-0.1"], ledger="sqlite:///:memory:")
        >>> study.plan(2).budget
        2
    """
    with using(Resources(memory_limit=memory_limit, threads=threads, watch=watch)):
        yield


def run(work: Callable[[], Result], *, progress: Callable[[], float | None], cancel: Callable[[], None]) -> Result:
    """Return the result of the work. It runs in its own thread, so that Ctrl-C cancels it at once, and its progress can be watched."""
    watch = current().watch
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="fewlabels-query") as pool:
        future: Future[Result] = pool.submit(contextvars.copy_context().run, work)
        try:
            while not wait([future], timeout=_BLINK).done:
                if watch is not None:
                    watch(progress())
        except BaseException:
            cancel()
            wait([future])
            raise
    return future.result()
