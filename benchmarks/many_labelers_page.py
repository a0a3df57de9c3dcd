"""The page docs/many-labelers.md, from outcomes."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.many_labelers import Outcome

NAMES = {"postgres": "PostgreSQL", "sqlite": "SQLite"}


def page(outcomes: Sequence["Outcome"], before: Sequence["Outcome"] = ()) -> str:
    """The page as Markdown; `before` are those of an earlier version."""
    first = outcomes[0]
    lines = [
        "# Many labelers at once",
        "",
        f"{first.labelers} labelers, each a process of its own, answer units over HTTP on one `fewlabels serve`, on one machine of two",
        "cores. A lease lasts two seconds; now and then a labeler leaves the desk for longer, so units are passed on. A",
        "tenth of the units is labeled twice by design. With faults, labelers are killed with SIGKILL while they work and go on as new",
        "processes, the server is killed and started again twice, and so is PostgreSQL (with fsync on).",
        "",
        "After each run the ledger is held against what every labeler was told: every acknowledged answer is there once, no unit is",
        "answered twice by the same labeler, each has as many labelers as the plan asks for, no unit was in more hands at a time than",
        "that, and `fewlabels verify` finds nothing.",
        "",
        *_table(outcomes),
    ]
    if before:
        beside = "The version before, which folded every entry in every command; each run followed the one above in the same place:"
        lines += ["", beside, "", *_table(before)]
    lines += ["", "Made by `make many-labelers`; a small run of the same is in `make test`.", ""]
    return "\n".join(lines)


def _table(outcomes: Sequence["Outcome"]) -> list[str]:
    lines = [
        "| ledger | labelers killed | server killed | database killed | answers | late ones refused | found wrong | seconds | a second |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for one in outcomes:
        killed = f"{one.clients_killed} | {one.servers_killed} | {one.databases_killed}"
        found = f"{one.answers:,} | {one.refused:,} | {len(one.wrong)} | {one.seconds:.0f} | {one.rate:.0f}"
        lines.append(f"| {NAMES[one.ledger]} | {killed} | {found} |")
    return lines
