"""The state of a study after its entries."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from fewlabels.ledgers.base import Entry
from fewlabels.nouns.draw import Units
from fewlabels.nouns.goal import Goal
from fewlabels.nouns.profile import Profile
from fewlabels.study.state.register import EntryList, Register
from fewlabels.study.state.standing import Standing


def replay(entries: Sequence[Entry]) -> Standing:
    """The state of a study after these entries."""
    return Register().follow(EntryList(entries)).standing()


def extend_standing(standing: Standing, body: Mapping[str, Any]) -> Standing:
    """The study after an extension: the units drawn so far also carry the decisions of the new classifiers."""
    profile, units = replace(Profile.of_json(body["profile"]), process=standing.profile.process), standing.units
    assert units is not None  # a study is extended only once drawn
    again = Units.of_json({**units.as_json(), **body["units"]})
    return replace(
        standing,
        population=body["population"],
        profile=profile,
        profiles=(*(standing.profiles or (standing.profile,)), profile),
        known=len(standing.population["classifiers"]),
        goals=tuple(Goal.of_json(g) for g in body["goals"]),
        units=again,
    )
