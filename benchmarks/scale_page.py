"""docs/scale.md: what the measured runs of benchmarks.scale say, and what follows for larger tables."""

from collections.abc import Iterable, Sequence
from typing import Any

Run = dict[str, Any]
CORES = 2  # of the machine that was measured
EXECUTORS, CORES_EACH = 100, 4
NAMES = {"duckdb": "DuckDB", "spark": "Spark cluster"}

HEAD = """# How it scales

fewlabels asks two questions of an engine: one grouped count (the profile) and the units below a bound (the draw). Everything else is
arithmetic on the profile, whose size does not depend on the number of units. This page is written by `make scale FOLDER=...`
(benchmarks/scale.py), which makes the tables inside DuckDB, measures, and deletes them. Beyond 10^8 rows the same rows come again
under other ids.

A table has an id, a score, a decision and a region of eight; a row of integer ids takes about 12 bytes of Parquet, one of 16-digit text
ids about 13 more. Every ratio is CPU seconds over those of a bare scan of the same four columns (`sum(score), max(id), max(region),
bool_or(flag)`), measured in turn in one process: the median of three, at more than 10^8 rows of one. Data lie in the page cache where it
holds them. "Plan" is the arithmetic between the two scans, "fetch" reads one column of the drawn units, "check of files" asks whether they
are those that were profiled, which a draw does first. Exact checks for duplicate ids, made up to 10^7 rows, are left out. Two cores, DuckDB
held to 700 MB. The Spark cluster is one master and two worker processes with one core each on the same machine; its CPU is that of all its
processes.
"""


def page(runs: Sequence[Run]) -> str:
    """The whole page."""
    parts = [HEAD, "## CPU against a bare scan\n", _ratios(runs), _seconds(runs), "## Memory\n", _memory(runs), _slope(runs), _beyond(runs)]
    return "\n".join(parts)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)]) + "\n"


def _what(run: Run) -> list[str]:
    return [NAMES[run["engine"]], f"{run['rows']:,}", "text" if run["ids"] == "text" else "integer", run["rule"]]


def _ratios(runs: Sequence[Run]) -> str:
    head = ("engine", "rows", "ids", "number", "bare scan, ns a row", "profile", "draw", "both", "cells", "units drawn")
    rows = [
        [
            *_what(r),
            f"{_nanoseconds(r, 'bare'):.0f}",
            f"{r['ratio']['profile']:.2f}",
            f"{r['ratio']['draw']:.2f}",
            f"**{r['ratio']['profile'] + r['ratio']['draw']:.2f}**",
            f"{r['cells']:,}",
            f"{r['drawn']:,}",
        ]
        for r in runs
    ]
    return _table(head, rows)


def _seconds(runs: Sequence[Run]) -> str:
    head = (
        "engine",
        "rows",
        "ids",
        "number",
        "open and self-test",
        "bare",
        "profile",
        "plan",
        "draw",
        "fetch",
        "check of files",
        "profile and draw",
    )
    rows = [
        [
            *_what(r),
            f"{r['opened']:.1f}",
            *(f"{r['wall'][what]:.1f}" for what in ("bare", "profile", "plan", "draw", "fetch", "check")),
            f"**{r['wall']['profile'] + r['wall']['draw']:.1f}**",
        ]
        for r in runs
    ]
    return "Seconds on the clock:\n\n" + _table(head, rows)


def _memory(runs: Sequence[Run]) -> str:
    rows = [[*_what(r), f"{r['peak']:,.0f}", f"{r['bare_peak']:,.0f}"] for r in runs if r["engine"] == "duckdb"]
    said = "Peak memory of the Python process, in MB, with DuckDB inside it:\n\n"
    return said + _table(("engine", "rows", "ids", "number", "plan and draw", "a bare scan alone"), rows)


def _slope(runs: Sequence[Run]) -> str:
    """CPU a row at the largest table against 10^7 rows."""
    lines = ["## CPU a row\n", "Profile and draw together, in nanoseconds a row:\n"]
    kinds = list(dict.fromkeys((r["engine"], r["ids"], r["rule"]) for r in runs))
    sizes = sorted({r["rows"] for r in runs})
    rows = []
    for kind in kinds:
        found = {r["rows"]: _both(r) for r in runs if (r["engine"], r["ids"], r["rule"]) == kind}
        first = found.get(10**7)
        last = max(found)
        grown = f"{found[last] / first:.2f}" if first and last > 10**7 else "-"
        rows.append([NAMES[kind[0]], kind[1], kind[2], *(f"{found[n]:.0f}" if n in found else "-" for n in sizes), grown])
    return "\n".join([*lines, _table(("engine", "ids", "number", *(f"{n:,}" for n in sizes), "largest over 10^7"), rows)])


def _beyond(runs: Sequence[Run]) -> str:
    """10^10 rows, from the CPU a row of the largest measured table."""
    rows = 10**10
    lines = ["## 10^10 rows\n", f"Not run. From the CPU a row of the largest table measured, for {rows:,} rows:\n"]
    out = []
    for engine, rule in (("duckdb", "fast"), ("duckdb", "md5"), ("spark", "fast"), ("spark", "md5")):
        found = [r for r in runs if (r["engine"], r["ids"], r["rule"]) == (engine, "int", rule)]
        if not found:
            continue
        last = max(found, key=lambda r: r["rows"])
        profile, draw = (_nanoseconds(last, what) * rows / 1e9 for what in ("profile", "draw"))
        cores = CORES if engine == "duckdb" else EXECUTORS * CORES_EACH
        on = f"{cores} cores" if engine == "duckdb" else f"{EXECUTORS} executors of {CORES_EACH} cores"
        out.append([NAMES[engine], rule, f"{last['rows']:,}", on, f"{profile:,.0f} + {draw:,.0f}", f"{(profile + draw) / cores:,.0f}"])
    lines.append(_table(("engine", "number", "from", "on", "CPU seconds, profile + draw", "seconds if nothing else limits"), out))
    return "\n".join([*lines, BREAKS])


BREAKS = """What would break first, in this order:

1. **Reading.** 10^10 rows are about 130 GB of Parquet, read twice but for the columns a scan does not need. On one machine the CPU above
   asks for some 0.5 GB a second of storage; slower storage decides. On a cluster the same holds of the object store.
2. **The last task.** A scan ends with its slowest task; with 400 cores and seconds of work for each, starting tasks and one straggler
   count for as much as the work. More, larger tasks help; the number of scans (two) cannot fall.
3. **Cells.** The profile leaves the engine whole. Each slice column multiplies its cells, up to the limit of 2,000,000, beyond which
   fewlabels refuses and names the column to drop. Cells, not rows, decide the memory outside the engine.
4. **Duplicate ids** are checked exactly up to 10^7 rows. Beyond that only among the candidates of a draw.
5. **Ties.** Permanent numbers have 52 bits: among 10^10 units some 10^4 pairs share one. They are ordered by id, so the draw stays exact.
"""


def _nanoseconds(run: Run, what: str) -> float:
    return float(run["cpu"][what]) / run["rows"] * 1e9


def _both(run: Run) -> float:
    return _nanoseconds(run, "profile") + _nanoseconds(run, "draw")
