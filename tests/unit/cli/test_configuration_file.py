"""fewlabels.toml: what it may say, what is refused with which words, and that what is written is read again."""

import dataclasses
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fewlabels.cli.configuration_file import (
    KINDS,
    Configuration,
    configuration_text,
    has_password,
    parse_configuration,
    read_configuration,
    write_configuration,
)
from fewlabels.errors import ConfigurationError, FileError

EVERY = Configuration(
    study="w46", population="scored.csv", ledger="sqlite:///a.db", policy="policy.toml", id="id", score="s", threshold=0.5, predicted="p",
    classifiers=("gbm=s@0.3",), votes=("v=1:gbm",), labels=("joy=j@0.2",), classes="c=a,b", score_range=(0.0, 100.0), slices=("country",),
    weight="amount", cluster="patient", guide="g", candidates=("k",), missing_scores=True, goals=("precision +-0.05", "recall >= 0.9"),
    about="process", level=0.9, budget=200,
    grow_to=400, pilot=50, design="bands", interval="rec", stopping="decision", rule="first", follows="w45", show=("text",), ask="Spam?",
)  # fmt: skip


def test_every_key_is_a_field_and_is_read_back() -> None:
    assert [field.name for field in dataclasses.fields(Configuration)] == list(KINDS)
    assert set(EVERY.said) == set(KINDS)
    assert parse_configuration(configuration_text(EVERY)) == EVERY


@given(text=st.text(min_size=1).filter(lambda text: text.strip() and not any(0xD800 <= ord(one) < 0xE000 for one in text)))
def test_any_text_is_written_so_that_it_is_read_back(text: str) -> None:
    said = Configuration(study=text, goals=(text, text))
    assert parse_configuration(configuration_text(said)) == said


def test_text_that_utf8_cannot_write_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="rename it"):
        configuration_text(Configuration(study="\udce4"))


def test_an_empty_file_says_nothing() -> None:
    assert parse_configuration("") == Configuration()
    assert parse_configuration("").said == {}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('popluation = "a.csv"', "did you mean 'population'"),
        ("goal = []", "did you mean 'goals'"),
        ('"score-range" = [0, 1]', "did you mean 'score_range'"),
        ('[study.w46]\ngoals = ["f1 +-0.1"]', r'study must be a text that is not empty, written study = "..."'),
        ("study = 46", 'written study = "...", got 46: put it in quotes'),
        ('study = " "', "not empty"),
        ('goals = "precision +-0.05"', "put brackets around it"),
        ("goals = [1]", "a list of texts"),
        ('threshold = "0.5"', "write it without quotes"),
        ("threshold = true", "a number"),
        ("budget = 200.5", "whole number of at least 1"),
        ("budget = 0", "whole number of at least 1"),
        ("budget = true", "whole number"),
        ('missing_scores = "yes"', "true or false"),
        ("score_range = [1]", "two numbers"),
        ("score_range = [0, 1, 2]", "two numbers"),
        ("study = w46", "has to be TOML"),
    ],
)
def test_what_is_wrong_is_said_with_the_way_out(line: str, said: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        parse_configuration(line, where="here.toml")
    assert said in str(refused.value)
    assert str(refused.value).startswith("here.toml")


def test_a_far_key_gets_no_guess_but_the_list() -> None:
    with pytest.raises(ConfigurationError, match=r"zzz.*does not know: It knows study, population"):
        parse_configuration("zzz = 1")


def test_whole_numbers_may_stand_where_numbers_are_wanted() -> None:
    found = parse_configuration("threshold = 1\nscore_range = [0, 100]")
    assert (found.threshold, found.score_range) == (1.0, (0.0, 100.0))
    assert isinstance(found.threshold, float)


def test_relative_paths_are_those_of_the_folder() -> None:
    text = 'population = "scored.csv"\nledger = "sqlite:///fewlabels.db"\npolicy = "policy.toml"'
    found = parse_configuration(text, folder=Path("weekly"))
    assert (found.population, found.ledger, found.policy) == ("weekly/scored.csv", "sqlite:///weekly/fewlabels.db", "weekly/policy.toml")
    here = parse_configuration(text, folder=Path())
    assert (here.population, here.ledger, here.policy) == ("scored.csv", "sqlite:///fewlabels.db", "policy.toml")


@pytest.mark.parametrize(
    "source", ["/data/a.csv", "s3://bucket/a.parquet", "bigquery:shop.risk.scored", "spark:scored", "postgresql://db/risk#t"]
)
def test_addresses_stay_as_they_are(source: str) -> None:
    assert parse_configuration(f'population = "{source}"', folder=Path("weekly")).population == source


@pytest.mark.parametrize("ledger", ["sqlite:////data/a.db", "sqlite:///:memory:", "postgresql://team@db/fewlabels"])
def test_ledgers_elsewhere_stay_as_they_are(ledger: str) -> None:
    assert parse_configuration(f'ledger = "{ledger}"', folder=Path("weekly")).ledger == ledger


def test_passwords_are_found() -> None:
    assert has_password("postgresql://team:secret@db/fewlabels")
    assert has_password("postgresql://db/fewlabels?password=secret")
    assert not any(map(has_password, (None, "postgresql://team@db/fewlabels", "sqlite:///a.db", "postgresql://[bad")))
    found = parse_configuration('ledger = "postgresql://t:s@db/a"\npopulation = "postgresql://t:s@db/a#scored"')
    assert found.secrets == ("ledger", "population")
    assert EVERY.secrets == ()


def test_a_file_is_written_and_read(tmp_path: Path) -> None:
    write_configuration(tmp_path / "fewlabels.toml", Configuration(study="w46", population="scored.csv"))
    found = read_configuration(tmp_path / "fewlabels.toml")
    assert (found.study, found.population) == ("w46", str(tmp_path / "scored.csv"))
    assert [path.name for path in tmp_path.iterdir()] == ["fewlabels.toml"]


def test_a_file_that_cannot_be_read_or_written_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="cannot be read"):
        read_configuration(tmp_path / "none.toml")
    (tmp_path / "latin.toml").write_bytes(b'study = "caf\xe9"')
    with pytest.raises(ConfigurationError, match="byte 12 is not"):
        read_configuration(tmp_path / "latin.toml")
    with pytest.raises(FileError, match="cannot be written"):
        write_configuration(tmp_path / "nowhere" / "fewlabels.toml", Configuration(study="w46"))
