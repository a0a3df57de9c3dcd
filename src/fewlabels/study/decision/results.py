"""The numbers of a study: each recorded as a look before it is shown, computed once for a state, and kept beside the record."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from fewlabels.ledgers.base import Writing
from fewlabels.nouns.canonical import Json
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
        self._known: tuple[str, dict[str, Any]] = ("", {})  # results of one state, and the newest entry it depends on

    def known(self, basis: str) -> Mapping[str, Any]:
        """The results of a state that are in memory."""
        held, results = self._known
        return results if held == basis else {}

    def know(self, basis: str, results: Mapping[str, Any]) -> None:
        """Have results of a state that were computed elsewhere."""
        self._known = (basis, {**self.known(basis), **results})

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
        from fewlabels.study.decision.requests import answer, asked_body, is_kept, name_of

        what = name_of(asked)
        while True:
            now = self._now(what)
            if now.kept is not None and not peek:
                return cast("Shown", now.kept)
            shown = answer(now.standing, asked, peek=peek)
            body = asked_body(now.standing, asked, shown)
            kept = {what: shown} if body["certified"] and not peek and is_kept(asked) else {}
            if self._record_look(now, body, kept):
                return shown

    def _now(self, what: str) -> Now:
        """The current state, and a result that was kept of it."""
        from fewlabels.study.estimate.kept import read

        def found(register: Register) -> Now:
            kept = self.known(register.basis).get(what)
            if kept is None:
                kept = read(self._followed.parts([f"r/{what}"]).get(f"r/{what}"), basis=register.basis)
                self.know(register.basis, {} if kept is None else {what: kept})
            return Now(self._followed.standing_of(register), register.last, register.basis, kept)

        return self._followed.read(found)

    def _record_look(self, now: Now, body: Mapping[str, Json], results: Mapping[str, object]) -> bool:
        """Record what was shown of the study, and keep results; return whether the newest entry was still the same."""
        kept = results if may_keep(now.standing) else {}
        recorded = self._followed.record_look(now.head, body, lambda act, register: _keep(act, register, kept))
        if recorded:
            self.know(now.basis, kept)
        return recorded

    def once(self, what: str, seen: Seen, make: Callable[[], T]) -> T:
        """A result of the state that was seen: the one that was kept, or computed and kept."""
        now = self._now(what)
        if now.kept is not None and now.basis == seen.basis:
            return cast("T", now.kept)
        result = make()

        def keep(act: Writing, register: Register) -> bool:
            if register.basis == seen.basis:
                _keep(act, register, {what: result})
            return register.basis == seen.basis

        if seen.shown.certified and may_keep(seen.standing) and self._followed.act(keep):
            self.know(seen.basis, {what: result})
        return result


def may_keep(standing: Standing) -> bool:
    """Whether results may be kept: not those of another package's interval, which may change while the version here stays."""
    return standing.plan.interval_from is None


def _keep(act: Writing, register: Register, results: Mapping[str, object]) -> None:
    """Keep results of the present state; those of an earlier one are deleted."""
    from fewlabels.study.estimate.kept import written

    if results and act.parts(["r"]).get("r") != register.basis.encode():
        act.drop_parts("r")
        act.put_parts({"r": register.basis.encode()})
    act.put_parts({f"r/{what}": written(value, basis=register.basis) for what, value in results.items()})
