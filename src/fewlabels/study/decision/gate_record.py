"""The gate of a study: read its policy from a file, and record the verdict's numbers as a look before they are seen."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from fewlabels.errors import PolicyError
from fewlabels.ledgers.base import Entry
from fewlabels.nouns.gate import Gate
from fewlabels.nouns.policy import Policy, parse_policy
from fewlabels.study.decision.gate import GateLook, asked_gate, read_gate
from fewlabels.study.decision.requests import asked_body
from fewlabels.study.state.followed import FollowedStudy
from fewlabels.writing import read_small


def read_policy(path: str | Path) -> Policy:
    """Read a policy from a file."""
    try:
        text = read_small(Path(path)).decode("utf-8")
    except OSError as error:
        raise PolicyError(f"the policy {path} could not be read ({error.strerror}): name the file with --policy") from None
    except UnicodeDecodeError:
        raise PolicyError(f"a policy must be text in UTF-8, but {path} is not: save it again as UTF-8") from None
    return parse_policy(text)


def hold(followed: FollowedStudy, policy: Policy) -> Gate:
    """Check a study against a policy and record the look. Numbers are computed before writing, and again if an entry came in between."""
    while True:
        head, standing, looks = followed.read(lambda register: (register.last, followed.standing_of(register), followed.notable("look")))
        found = read_gate(standing, policy)
        if not found.has_numbers:
            return found
        found = replace(found, warnings=(*found.warnings, *_earlier(looks, policy)))
        body = asked_body(standing, asked_gate(policy), GateLook(gate=found))
        if followed.record_look(head, body):
            return found


def _earlier(entries: Sequence[Entry], policy: Policy) -> Iterator[str]:
    """A warning if the study was checked against other rules before: these rules may have been chosen knowing its numbers."""
    asked = [entry.body["asked"] for entry in entries if "asked" in entry.body]
    others = sum(one["kind"] == "gate" and one["rules"] != policy.as_json() for one in asked)
    if others:
        looks = "look" if others == 1 else "looks"
        yield f"{others:,} earlier {looks} held this study to other rules: whoever chose these may have known its numbers"
