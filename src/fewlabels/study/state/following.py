"""A study that follows another (next week's table, a new version) inherits its permanent numbers, and shares its labels."""

from collections.abc import Iterator

from fewlabels.errors import StudyError
from fewlabels.ledgers.base import Ledger
from fewlabels.nouns.label import CLOSER, UNANSWERED, Label
from fewlabels.study.state.followed import FollowedStudy
from fewlabels.study.state.standing import Standing


def leader_of(ledger: Ledger, name: str, follows: str) -> Standing:
    """The study that is followed. Raise StudyError if the ledger does not have it, or if it is the study itself."""
    if not ledger.last(follows) or follows == name:
        known = ", ".join(s for s in ledger.studies() if s != name) or "none"
        raise StudyError(f"a study must follow another of the same ledger, which has {known}, got {follows!r}: check the name")
    return FollowedStudy(ledger, follows).standing()


def chain(ledger: Ledger, standing: Standing) -> Iterator[Standing]:
    """The chain of studies that a study follows, the nearest first."""
    while standing.follows is not None:
        standing = FollowedStudy(ledger, standing.follows).standing()
        yield standing


def carried(ledger: Ledger, standing: Standing) -> list[Label]:
    """Usable answers from earlier studies to units drawn now and not answered yet; from the nearest study that has one."""
    waiting = set(standing.unresolved)
    found: list[Label] = []
    for earlier in chain(ledger, standing):
        if earlier.questions != standing.questions or earlier.classes != standing.classes:
            break  # another question: its answers do not apply here
        for unit in sorted(waiting & earlier.answers.keys()):
            told = [label for label in earlier.answers[unit].values() if label.labeler != CLOSER and label.answer not in UNANSWERED]
            if told:
                found += told
                waiting.discard(unit)
    return found
