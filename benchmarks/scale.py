"""How time and memory grow with the table: plan and draw on DuckDB and on a Spark cluster against bare scans, and docs/scale.md of it.

The table is made inside DuckDB by the formula of a card-fraud stream (0.2 % positives, eight regions): a latent risk z ~ N(0, 1), what a
model sees of it x = r z + sqrt(1 - r^2) e, its score sigmoid(1.25 l(x)) with l the log-odds of a fraud given x, and its decision, the
0.18 % of highest x. Beyond 10^8 rows the same rows come again under other ids. Files are deleted afterwards. Every table is measured in a
process of its own (benchmarks.scale_run).
"""

import argparse
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb

from benchmarks.scale_page import page

RISK, SLOPE, SEEN, FLAGGED = -23.7, 8.0, 0.985, 2.911  # log-odds at z = 0, its slope, r, and the 0.18 % quantile of x
PER_FILE = 100_000_000
BYTES = {"int": 16, "text": 40}  # a row on disk, at most


def table(folder: Path, rows: int, ids: str) -> Path:
    """Writes a table of so many rows as Parquet files of at most 10^8 rows each, unless it is there."""
    made = folder / f"{ids}-{rows}"
    free = shutil.disk_usage(folder).free
    if made.exists():
        return made
    if rows * BYTES[ids] * 1.2 > free:
        sys.exit(f"{rows:,} rows need about {rows * BYTES[ids] / 1e9:.0f} GB, but {free / 1e9:.0f} GB are free: give another --folder")
    source = None if ids == "int" else table(folder, rows, "int")
    made.mkdir(parents=True)
    with duckdb.connect(config={"threads": 2, "memory_limit": "4GB", "temp_directory": str(folder / "spill")}) as connection:
        for part, start in enumerate(range(0, rows, PER_FILE)):
            if source is not None:
                text = f"select printf('%016x', hash(id)) as id, score, flag, region from read_parquet('{source / f'{part:04}.parquet'}')"
            else:
                text = _made(start, min(rows, start + PER_FILE)) if part == 0 else _again(made / "0000.parquet", start, rows)
            connection.execute(f"copy ({text}) to '{made / f'{part:04}.parquet'}' (format parquet, row_group_size 1000000)")
    return made


def _made(start: int, stop: int) -> str:
    """The rows from start to stop. Uniform numbers are DuckDB's hash of the row number: repeatable, and nothing else is asked of them."""
    uniform = "((hash(i * 5 + {k}) >> 11) + 0.5) / 9007199254740992.0"
    u, v, w, c = (uniform.format(k=k) for k in (1, 2, 3, 4))
    z, e = f"sqrt(-2 * ln({u})) * cos(2 * pi() * {v})", f"sqrt(-2 * ln({w})) * sin(2 * pi() * {v})"  # Box and Muller's normal numbers
    normal = f"select i, {z} as z, {e} as e, {c} as c from range({start}, {stop}) t(i)"
    seen = f"select i, {SEEN} * z + {(1 - SEEN**2) ** 0.5} * e as x, cast(floor(c * 8) as integer) as region from ({normal})"
    spread = (1 + 3.141592653589793 / 8 * SLOPE**2 * (1 - SEEN**2)) ** 0.5  # a logistic curve seen through normal noise is flatter by this
    odds = f"1.25 * ({RISK} + {SLOPE * SEEN} * x) / {spread}"
    return f"select i as id, 1 / (1 + exp(-({odds}))) as score, x >= {FLAGGED} as flag, region from ({seen})"


def _again(first: Path, start: int, rows: int) -> str:
    """The rows of the first file under other ids: making them anew would take longer than all that is measured."""
    return f"select id + {start} as id, score, flag, region from read_parquet('{first}') where id < {rows - start}"


@contextmanager
def cluster() -> Iterator[str]:
    """The address of a Spark cluster of one master and two workers on this machine."""
    services = [sys.executable, "scripts/services"]
    said = subprocess.run([*services, "start"], check=True, capture_output=True, text=True).stdout
    try:
        yield next(line.split("=", 1)[1].strip("'\"") for line in said.splitlines() if "FEWLABELS_TEST_SPARK=" in line)
    finally:
        subprocess.run([*services, "stop"], check=True)


def run(source: Path, *options: str) -> dict[str, Any]:
    """What one measured process says."""
    command = [sys.executable, "-m", "benchmarks.scale_run", "--source", str(source), *options]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    print(json.dumps({"source": source.name, "options": options, **found}), flush=True)
    return found


def measured(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Every measured run, with the engine and the kind of ids it was of."""
    for rows in options.rows:
        yield from _measured(options, rows, "int", ("fast", "md5"))
        if rows <= options.text_up_to:
            yield from _measured(options, rows, "text", ("md5",))
        if not options.keep:
            for ids in BYTES:
                shutil.rmtree(options.folder / f"{ids}-{rows}", ignore_errors=True)


def _measured(options: argparse.Namespace, rows: int, ids: str, rules: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The runs on one table."""
    source = table(options.folder, rows, ids)
    bare = run(source / "*.parquet", "--bare")["peak"]
    repeats = "1" if rows > PER_FILE else "3"
    for rule in rules:
        yield {"engine": "duckdb", "ids": ids, "bare_peak": bare, **run(source / "*.parquet", "--rule", rule, "--repeats", repeats)}
    if ids == "int" and rows <= options.spark_up_to:
        with cluster() as address:
            for rule in rules:
                yield {"engine": "spark", "ids": ids, **run(source, "--rule", rule, "--spark", address)}


def main() -> None:
    """Measures, and writes the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, required=True, help="where tables are made, and deleted; needs about 20 GB for 10^9 rows")
    parser.add_argument("--rows", type=lambda text: int(float(text)), nargs="+", default=[10**6, 10**7, 10**8, 10**9])
    parser.add_argument("--spark-up-to", type=float, default=1e8)
    parser.add_argument("--text-up-to", type=float, default=1e8)
    parser.add_argument("--keep", action="store_true", help="keep the tables")
    parser.add_argument("--results", type=Path, help="also write every run as a line of JSON; read instead of measuring if it exists")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    if options.results and options.results.exists():
        runs = [json.loads(line) for line in options.results.read_text().splitlines()]
    else:
        runs = list(measured(options))
    if options.results:
        options.results.write_text("".join(json.dumps(one) + "\n" for one in runs))
    options.out.write_text(page(runs))


if __name__ == "__main__":
    main()
