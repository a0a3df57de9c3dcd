"""What somebody might do who has seen numbers early, or the numbers of another policy: the gate notices."""

from collections.abc import Callable
from pathlib import Path

import pytest

from fewlabels.errors import PolicyError
from fewlabels.nouns.policy import parse_policy
from fewlabels.study.study import Study
from tests.unit.study.made import TRUTH, create, finished

RULES = '[[rule]]\nmetric = "recall"\ntarget = {}\nmin_n_eff = 1\nmax_half_width = 0.99\nmax_nonresponse = 0.9'


def begun(folder: Path, *, told: int = 100) -> tuple[Study, list[str]]:
    """A study of 120 units of which some are answered, and the others."""
    study = create(folder, goals=["recall >= 0.01"])
    study.plan(120)
    study.ask(120)
    units = study.standing.units
    assert units is not None
    study.tell({unit: TRUTH[unit] for unit in units.unit[:told]})
    return study, list(units.unit[told:])


def close(study: Study, rest: list[str]) -> None:
    study.close()


def grow_and_close(study: Study, rest: list[str]) -> None:
    study.plan(121)
    study.close()


def skip(study: Study, rest: list[str]) -> None:
    study.tell(dict.fromkeys(rest, "skipped"))


@pytest.mark.parametrize("end", [close, grow_and_close, skip])
def test_whoever_ends_the_labeling_after_a_peek_does_not_ship(end: Callable[[Study, list[str]], None], tmp_path: Path) -> None:
    study, rest = begun(tmp_path)
    study.estimate(peek=True)
    end(study, rest)
    assert study.gate(parse_policy(RULES.format(0.01))).exit_code == 5
    assert not study.estimate().certified
    assert any("after a peek" in warning for warning in study.status().warnings)


@pytest.mark.parametrize("end", [close, skip])
def test_without_a_peek_the_same_may_ship(end: Callable[[Study, list[str]], None], tmp_path: Path) -> None:
    study, rest = begun(tmp_path)
    end(study, rest)
    assert study.gate(parse_policy(RULES.format(0.01))).exit_code == 0


def test_a_unit_that_nobody_could_tell_after_a_peek_is_no_end_by_hand(tmp_path: Path) -> None:
    study, rest = begun(tmp_path)
    study.estimate(peek=True)
    study.tell({rest[0]: "cannot_tell", **{unit: TRUTH[unit] for unit in rest[1:]}})
    assert study.gate(parse_policy(RULES.format(0.01))).exit_code == 0


def test_a_policy_that_was_loosened_is_said(tmp_path: Path) -> None:
    study = finished(tmp_path, budget=120, goals=["recall >= 0.01"])
    first = study.gate(parse_policy(RULES.format(0.99)))
    assert not any("other rules" in warning for warning in first.warnings)
    assert study.gate(parse_policy(RULES.format(0.99))) == first
    second = study.gate(parse_policy(RULES.format(0.01)))
    assert any("1 earlier look held this study to other rules" in warning for warning in second.warnings)
    assert study.verify().passed


@pytest.mark.parametrize("text", ["a = " + "[" * 3000, f"level = {'9' * 5000}", f"min_n_eff = {'9' * 400}", "min_n_eff = inf"])
def test_no_text_breaks_the_reading_of_a_policy(text: str) -> None:
    with pytest.raises(PolicyError):
        parse_policy(f'{text}\n[[rule]]\nmetric = "recall"\ntarget = 0.5')
