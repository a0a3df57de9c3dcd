"""A goal without a comparison is asked about where there is a person, and a half-width in percent says how it is read."""

import click
import pytest
from click.testing import CliRunner

from fewlabels.cli.goal_texts import clear_goals
from fewlabels.errors import UnclearGoal


def answered(*texts: str, keys: str) -> str:
    """What is printed when a person answers."""

    @click.command()
    def command() -> None:
        click.echo("; ".join(clear_goals(texts, ask=True)))

    found = CliRunner().invoke(command, input=keys)
    assert found.exit_code == 0, found.output
    return found.output


@pytest.mark.parametrize(
    ("text", "keys", "asked", "clear"),
    [
        ("f1 0.8", "at least 0.8\n", "f1 0.8: at least 0.8, or +-0.8? ", "f1 >= 0.8"),
        ("f1 0.8 by country", "+-\n", "f1 0.8 by country: at least 0.8, or +-0.8? ", "f1 +-0.8 by country"),
        ("fpr = 5%", "<=\n", "fpr = 5%: at most 0.05, or +-0.05? ", "false_positive_rate <= 5%"),
        ("base rate 2%", "above\n", "base rate 2%: at least 0.02, or at most 0.02, or +-0.02? ", "prevalence >= 2%"),
        ("base rate 10% of it", "within\n", "base rate 10% of it: +-10% of it? ", "prevalence +-10% of it"),
        ("f1 0.8", "yes\n<=\n>=\n", "answer at least 0.8, or +-0.8", "f1 >= 0.8"),
    ],
)
def test_a_person_says_which_goal_is_meant(text: str, keys: str, asked: str, clear: str) -> None:
    found = answered(text, keys=keys)
    assert asked in found
    assert found.endswith(f"{clear}\n")


def test_nobody_is_asked_without_a_terminal() -> None:
    with pytest.raises(UnclearGoal, match=r'write "f1 >= 0.8" or "f1 \+-0.8"'):
        clear_goals(["f1 0.8"], ask=False)


def test_how_a_percentage_is_read_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert clear_goals(["recall >= 80%", "f1 +-5%", "recall +-7%"], ask=False) == ("recall >= 80%", "f1 +-5%", "recall +-7%")
    assert capsys.readouterr().err == "f1 +-5% is +-5 points; for 5% of the value write f1 +-5% of it\n"
