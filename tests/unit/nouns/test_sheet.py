"""Labeling forms as data: old ones are read without routes, and who labels what is a part that is named when it changes."""

from dataclasses import replace

import pytest

from fewlabels.errors import LabelError
from fewlabels.nouns.sheet import FormSet, Sheet, late_changes

ROUTED = Sheet(ask="Is it?", route_by="language", routes={"DE": ("german", "ada"), "": ("bob",)})


def test_a_form_is_read_as_it_was_written() -> None:
    assert Sheet.of_json(ROUTED.as_json()) == ROUTED


def test_a_form_without_routes_is_written_as_before_there_were_any() -> None:
    assert Sheet().as_json() == {"show": [], "instructions": "", "ask": "", "check_every": 0}
    assert Sheet.of_json({"show": [], "ask": "Is it?"}).routes == {}


def test_whose_units_are_barred_from_whom() -> None:
    assert ROUTED.barred({"ada"}) == {""}
    assert ROUTED.barred({"cem", "german"}) == {""}
    assert ROUTED.barred({"zoe"}) == {"DE", ""}
    assert ROUTED.barred({"bob", "german"}) == frozenset()
    assert Sheet().barred({"zoe"}) == frozenset()


def test_who_labels_which_units_changes_nothing_of_what_they_are_asked() -> None:
    before = FormSet(replace(ROUTED, route_by=None, routes={}), "workbench", None, 0)
    assert late_changes([before, FormSet(ROUTED, "workbench", "owner", 7)]) == []
    (change,) = late_changes([before, FormSet(replace(ROUTED, ask="Is it so?"), "workbench", "owner", 7)])
    assert str(change) == "what labelers are asked was changed after 7 answers (the question)"


def test_routes_need_a_column_and_somebody() -> None:
    with pytest.raises(LabelError, match="none is named"):
        Sheet(routes={"DE": ("ada",)})
    with pytest.raises(LabelError, match="to nobody"):
        Sheet(route_by="language", routes={"DE": ()})
