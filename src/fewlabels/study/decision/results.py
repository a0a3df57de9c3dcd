"""The numbers of a study: each recorded as a look before it is shown, computed once for a state, and kept beside the record."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from fewlabels.ledgers.base import Writing
from fewlabels.nouns.canonical import Json, fingerprint
from fewlabels.study.kinds import kind_of
from fewlabels.study.state.followed import FollowedStudy
from fewlabels.study.state.register import Register
from fewlabels.study.state.standing import Standing

# Subpackages are imported inside the methods that need them, so that a command loads only what it uses.
if TYPE_CHECKING:
    from fewlabels.study.decision.requests import Shown
    from fewlabels.study.estimate.result import Estimates

T = TypeVar("T")


class Now(NamedTuple):
    """A study as it is now: its newest entry, the newest that results depend on, and a result that was kept, if any."""

    standing: Standing
    head: str
    basis: str
    kept: Any


class Seen(NamedTuple):
    """What was shown of a study, and the newest entry that it depends on."""

    standing: Standing
    shown: Estimates
    basis: str


class Results:
    """The numbers of one study."""

    def __init__(self, followed: FollowedStudy) -> None:
        """Compute nothing yet."""
        self._followed = followed

    def look(self, *, peek: bool) -> Seen:
        """The current state and the estimates, recorded as a look before they are returned; the same numbers seen again are one look.

        Numbers are computed outside the write transaction, so that nobody waits for them, and again if an entry came in between.
        """
        from fewlabels.study.estimate.estimates import look_body

        while True:
            now = self._now("estimates")
            if now.kept is not None and not peek:  # it was recorded as a look when it was kept
                return Seen(now.standing, now.kept, now.basis)
            shown = kind_of(now.standing).read(now.standing, peek=peek)
            if not shown.estimates:
                return Seen(now.standing, shown, now.basis)
            kept = {"estimates": shown} if shown.certified and not peek else {}
            if self._record_look(now, look_body(now.standing, shown), kept):
                return Seen(now.standing, shown, now.basis)

    def asked(self, asked: Mapping[str, Json], *, peek: bool) -> Shown:
        """The answer to a request, recorded as a look before it is returned."""
        from fewlabels.study.decision.requests import OF_PERIODS, answer, asked_body

        what = f"asked {fingerprint(dict(asked))}"
        while True:
            now = self._now(what)
            if now.kept is not None and not peek:
                return cast("Shown", now.kept)
            shown = answer(now.standing, asked, peek=peek)
            body = asked_body(now.standing, asked, shown)
            kept = {what: shown} if body["certified"] and not peek and asked["kind"] not in OF_PERIODS else {}
            if self._record_look(now, body, kept):
                return shown

    def _now(self, what: str) -> Now:
        """The current state, and a result that was kept of it."""
        from fewlabels.study.estimate.kept import read

        def found(register: Register) -> Now:
            kept = read(self._followed.parts([f"r/{what}"]).get(f"r/{what}"), basis=register.basis)
            return Now(self._followed.standing_of(register), register.last, register.basis, kept)

        return self._followed.read(found)

    def _record_look(self, now: Now, body: Mapping[str, Json], kept: Mapping[str, object]) -> bool:
        """Record what was shown of the study, and keep results; return whether the newest entry was still the same."""
        return self._followed.record_look(now.head, body, lambda act, register: self._keep(act, register, kept))

    def once(self, what: str, seen: Seen, make: Callable[[], T]) -> T:
        """A result of the state that was seen: the one that was kept, or computed and kept."""
        now = self._now(what)
        if now.kept is not None and now.basis == seen.basis:
            return cast("T", now.kept)
        result = make()

        def keep(act: Writing, register: Register) -> None:
            if register.basis == seen.basis:
                self._keep(act, register, {what: result})

        if seen.shown.certified:
            self._followed.act(keep)
        return result

    def _keep(self, act: Writing, register: Register, results: Mapping[str, object]) -> None:
        """Keep results of the present state; those of an earlier one are deleted."""
        from fewlabels.study.estimate.kept import written

        if register.plans[-1].interval_from is not None:  # another package's, which may change while the version here stays
            return
        if results and act.parts(["r"]).get("r") != register.basis.encode():
            act.drop_parts("r")
            act.put_parts({"r": register.basis.encode()})
        act.put_parts({f"r/{what}": written(value, basis=register.basis) for what, value in results.items()})
