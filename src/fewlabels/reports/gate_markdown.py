"""A gate as Markdown: for the summary of a GitHub step, a comment, or an artifact of GitLab."""

from collections.abc import Sequence

from fewlabels.nouns.estimate import Estimate
from fewlabels.nouns.gate import Gate, RuleVerdict
from fewlabels.reports.plain_names import in_markdown

MOST_BYTES = 1024 * 1024  # the most that GitHub accepts per step
SAID = {"ship": "ship", "label_more": "label more", "do_not_ship": "**do not ship**", "invalid": "**invalid**"}
HEADINGS = ("verdict", "rule", "value", "interval", "bound", "effective n", "labels", "missing", "why")
LEFT_OUT = "\n\n(The rest is left out: a summary holds at most 1 MiB. Read `--json`.)\n"


def markdown(gate: Gate, *, most: int = MOST_BYTES) -> str:
    """Return the summary, in at most so many bytes."""
    lines = [f"## fewlabels gate: {in_markdown(gate.headline)}", ""]
    lines += [f"- {in_markdown(reason)}" for reason in gate.reasons]
    if gate.rules:
        lines += ["", _row(HEADINGS), _row(["---"] * len(HEADINGS)), *(_row(_cells(rule)) for rule in gate.rules)]
    notes = [f"- {in_markdown(f'{rule.rule}: {note}')}" for rule in gate.rules for note in rule.notes]
    lines += ["", *notes, *(f"- warning: {in_markdown(warning)}" for warning in gate.warnings)]
    if gate.promise:
        lines += ["", in_markdown(f"{gate.promise}; {gate.about}")]
    lines += ["", f"policy {_short(gate.policy)}, plan {_short(gate.plan)}, exit code {gate.exit_code}"]
    return cut("\n".join(lines) + "\n", most)


def cut(text: str, most: int) -> str:
    """Cut the text to at most so many bytes of UTF-8, in whole lines, with a note that some was left out."""
    if len(text.encode()) <= most:
        return text
    room = most - len(LEFT_OUT.encode())
    if room <= 0:
        return ""
    kept = text.encode()[:room].decode(errors="ignore")
    return kept[: kept.rfind("\n") + 1].rstrip("\n") + LEFT_OUT


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _cells(rule: RuleVerdict) -> list[str]:
    found = rule.estimate
    return [
        SAID[rule.verdict],
        in_markdown(str(rule.rule)),
        *(["-"] * 2 if found is None else [_number(found.value), _interval(found)]),
        _number(rule.bound),
        *(["-"] * 2 if found is None else ["-" if found.n_eff is None else f"{found.n_eff:,.0f}", f"{found.labels:,}"]),
        "-" if rule.nonresponse is None else f"{rule.nonresponse:.1%}",
        "; ".join(map(in_markdown, rule.reasons)),
    ]


def _interval(found: Estimate) -> str:
    return f"{found.low:.4f} to {found.high:.4f} at {found.level:.4g}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def _short(name: str | None) -> str:
    return "none" if name is None else f"`{name[:12]}`"
