"""docs/growth.md: what a label costs as labels grow."""

from collections.abc import Mapping, Sequence

Found = Mapping[str, Sequence[float]]
SIZES = (1_000, 10_000, 100_000, 1_000_000)
FLAT = {"ask": 1.5, "tell one": 1.5, "status": 1.5, "answer": 1.5, "estimate": 3.0, "decide": 3.0}
STEPS = {
    "ask": "`draw --units 1`",
    "tell one": "`tell` one answer",
    "status": "`status`",
    "estimate": "`estimate`, computed",
    "estimate again": "`estimate`, kept",
    "decide": "`decide`",
    "verify": "`verify`",
    "report": "`report`",
    "draw all": "`draw` all units",
    "tell all": "`tell` all answers",
    "first turn": "workbench: start and first turn",
    "answer": "workbench: an answer and the next turn",
    "pages": "workbench: slowest page after a correction",
    "pages unchanged": "workbench: slowest page, unchanged",
}
INTRO = """# What a label costs as labels grow

CPU seconds (user and system) of each command from start to end, and in brackets its peak memory in MB, on studies of {sizes} labels of
which all or all but 240 are answered. With PostgreSQL they are those of the command, not of the server. Pages of the workbench are in
seconds on the clock. *Before* is the version that folded every entry in every command, *after* this one, which keeps the study's state
beside the record ([decision 0017](decisions/0017-snapshots.md)). Both were measured in one run on one machine of two cores, on the same
entries. What must not grow was measured at all sizes side by side, the middle of five rounds (before at 100,000: once), the rest once;
pages are the middle of 20 visits (before: three). A dash was not measured. To import SQLAlchemy and do nothing takes {start:.2f} s on this
machine.

`draw` of all units and `tell` of all answers do not run in constant memory. A draw is one entry of the record, which lists its units and is
hashed as a whole; and a file of answers may name units in any order, so that the pages of all of them are held until it is told.
"""


def page(found: Found) -> str:
    """The whole page."""
    sizes = [size for size in SIZES if any(f" {size} " in key for key in found)]
    parts = [INTRO.format(sizes=", ".join(f"{size:,}" for size in sizes), start=found["start"][0])]
    for database, title in (("sqlite", "SQLite"), ("postgres", "PostgreSQL")):
        for kind, said in (("plain", "no slices"), ("slices", "a column of 40 slices")):
            if any(f" {database} {kind} " in key for key in found):
                parts.append(f"## {title}, {said}\n\n{_table(found, database, kind, sizes)}")
    if "singles after" in found:
        parts.append(_singles(found))
    return "\n".join(parts) + "\nMade by `make growth`.\n"


def _table(found: Found, database: str, kind: str, sizes: Sequence[int]) -> str:
    names = [f"{size:,} {version}" for size in sizes for version in ("before", "after")]
    lines = [f"| | {' | '.join(names)} | after, last to first |", f"|---{'|--:' * (len(names) + 1)}|"]
    for step, said in STEPS.items():
        cells = [found.get(f"{version} {database} {kind} {size} {step}") for size in sizes for version in ("before", "after")]
        if any(cells):
            first, last = cells[1], cells[-1]
            ratio = f"{last[0] / first[0]:.2f}" if first and last else ""
            limit = f" (at most {FLAT[step]:g})" if ratio and step in FLAT else ""
            lines.append(f"| {said} | {' | '.join(map(_cell, cells))} | {ratio}{limit} |")
    return "\n".join(lines) + "\n"


def _cell(cost: Sequence[float] | None) -> str:
    if cost is None:
        return "-"
    digits = 3 if cost[0] < 0.1 else 2 if cost[0] < 10 else 0
    return f"{cost[0]:,.{digits}f} ({cost[1]:,.0f})"


def _singles(found: Found) -> str:
    told = "Answers told one by one in one process, 5,000 after and 2,000 before: CPU seconds of 500 of them."
    lines = ["## One answer after another", "", told, ""]
    lines += ["| | the first 500 | the last 500 | ratio |", "|---|--:|--:|--:|"]
    for version in ("before", "after"):
        if f"singles {version}" in found:
            first, last = found[f"singles {version}"]
            lines.append(f"| {version} | {first:.2f} | {last:.2f} | {last / first:.2f} |")
    return "\n".join(lines) + "\n"
