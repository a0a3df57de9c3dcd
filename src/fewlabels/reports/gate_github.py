"""A gate as GitHub reads it: annotations of a step, and its outputs. Names are data here, never commands."""

from fewlabels.nouns.gate import Gate
from fewlabels.reports.plain_names import one_line

MOST_ANNOTATIONS = 10  # the most of one kind that GitHub shows per step
LONGEST = 4_000  # characters of one


def annotations(gate: Gate) -> list[str]:
    """Return one line per rule that does not ship, and one that says how many more there are."""
    said = [(str(rule.rule), f"{rule.verdict}: {'; '.join(rule.reasons)}") for rule in gate.rules if rule.verdict != "ship"]
    if not said and gate.verdict != "ship":
        said = [(gate.study, f"{gate.verdict}: {'; '.join(gate.reasons)}")]
    if len(said) > MOST_ANNOTATIONS:
        rest = len(said) - MOST_ANNOTATIONS + 1
        said = [*said[: MOST_ANNOTATIONS - 1], (gate.study, f"{rest:,} more rules do not ship: see the summary")]
    return [f"::error title={_property(f'fewlabels gate: {name}')}::{_message(why)}" for name, why in said]


def outputs(gate: Gate) -> str:
    """Return the step's outputs for $GITHUB_OUTPUT; they hold no user text."""
    return f"verdict={gate.verdict}\nexit-code={gate.exit_code}\n"


def _message(text: str) -> str:
    """Escape a text as an annotation's message, on one line."""
    return one_line(text)[:LONGEST].replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """Escape a text as a property, which a colon or a comma would end."""
    return _message(text).replace(":", "%3A").replace(",", "%2C")
