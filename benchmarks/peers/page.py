"""docs/peers.md: fewlabels beside the packages people would install instead."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from benchmarks.peers.cells import Against, Cell, geometric_mean
from benchmarks.peers.features import FEATURES
from benchmarks.peers.mechanisms import UNKNOWN, Reasons
from benchmarks.peers.ours import ALONE, PACKAGE, TOGETHER
from benchmarks.peers.packages import NOT_INSTALLED
from benchmarks.peers.searches import Searches

METRICS = {"f1": "F1", "recall": "Recall", "precision": "Precision"}
NOISE = 3.0  # Monte-Carlo standard errors
PICTURED = (
    "Labels that each package needs for the error that fewlabels has with 100, for F1, recall and precision, and the lowest coverage of "
    "its intervals"
)


class Way(NamedTuple):
    """One way to use a package, as its environment told."""

    package: str
    method: str
    draws: str
    glue: str

    @property
    def name(self) -> str:
        """Package and method."""
        return f"{self.package}: {self.method}"


class Found(NamedTuple):
    """All of a run: cells, ways, versions, what was raised, and the searches."""

    cells: list[Cell]
    ways: list[Way]
    versions: Mapping[str, str]
    raised: Mapping[str, int]
    searches: Searches | None
    seed: int
    reps: int
    minutes: float
    reasons: Reasons

    def why(self, cell: Cell) -> str:
        """Why a peer is better in a cell."""
        return self.reasons.get((cell.package, cell.method, cell.metric), UNKNOWN)

    def against(self, ours: str = ALONE) -> list[Against]:
        """Every peer's cell with ours."""
        mine = {cell.key: cell for cell in self.cells if (cell.package, cell.method) == (PACKAGE, ours)}
        return [Against(mine[cell.key], cell) for cell in self.cells if cell.package != PACKAGE and cell.key in mine]

    def pairs(self, way: Way, metric: str) -> list[Against]:
        """The cells of one way and one metric with ours."""
        return [p for p in self.against() if (p.theirs.package, p.theirs.method, p.theirs.metric) == (way.package, way.method, metric)]

    def share(self, way: Way, metric: str) -> float | None:
        """The part of a way's labels that fewlabels needs; None if it has no such metric."""
        pairs = self.pairs(way, metric)
        return geometric_mean([pair.share for pair in pairs]) if pairs else None

    def wins(self) -> list[Against]:
        """Cells in which a peer's error is smaller by more than noise."""
        return sorted((pair for pair in self.against() if pair.z > NOISE), key=lambda pair: -pair.z)


def page(found: Found, again: Found | None) -> str:
    """The page."""
    parts = [
        _head(found),
        *(_metric(found, metric, said) for metric, said in METRICS.items()),
        _failures(found),
        _wins(found),
        _again(found, again) if again else "",
        _searches(found.searches) if found.searches else "",
        _features(found),
        _unfair(found),
    ]
    return "\n".join(part for part in parts if part)


def _head(found: Found) -> str:
    tables = ", ".join(dict.fromkeys(cell.table for cell in found.cells))
    versions = ", ".join(f"{name} {version}" for name, version in found.versions.items())
    return f"""# Beside the packages you know

    make peers DATA=FOLDER

![{PICTURED}](pictures/peers.svg)

Each package in an environment of its own, used as its page says, on prediction tables whose truth is known: {tables}. Every metric gets
all the labels: a draw of flagged units for precision, of all units for recall and F1; the list at the end says where not. {found.reps}
replicates a cell, seed {found.seed}; {found.minutes:.0f} minutes of one core. {versions}. Every cell: [peers.json](peers.json).

*share*: mean squared error of fewlabels / mean squared error of the package at the same labels, the geometric mean over tables and 200, 500
and 1,000 labels. Errors shrink about as one over the labels, so it is the part of the package's labels that fewlabels needs; below 1
fewlabels needs fewer. *one draw*: the same where fewlabels makes one draw for all three metrics. *worst*: the cell in which fewlabels does
worst. *coverage*: the lowest over the cells of how often the 95 % interval holds the truth; *one side*: of how often one of its limits
does, where 97.5 % is claimed. A replicate without an interval is a miss, and one without a value is scored as a share guessed
evenly between 0 and 1. *width*: of the interval, as a multiple of fewlabels'. *ms*: of one draw and one estimate; those of fewlabels are
drawn all at once, so it has no such time.
"""


def _metric(found: Found, metric: str, said: str) -> str:
    lines = [
        f"## {said}",
        "",
        "| | share | one draw | worst | coverage | one side | width | ms |",
        "|---|--:|--:|--:|--:|--:|--:|--:|",
        _our_row(found, metric),
    ]
    rows = sorted(_rows(found, metric))
    return "\n".join([*lines, *(row for _, row in rows)]) + "\n"


def _our_row(found: Found, metric: str) -> str:
    mine = [cell for cell in found.cells if cell.package == PACKAGE and cell.method == ALONE and cell.metric == metric]
    return f"| **fewlabels** | 1 | | | {_lowest(mine)} | 1 | |"


def _rows(found: Found, metric: str) -> Iterator[tuple[float, str]]:
    together = {(pair.theirs.package, pair.theirs.method, *pair.theirs.key): pair.share for pair in found.against(TOGETHER)}
    for way in found.ways:
        pairs, share = found.pairs(way, metric), found.share(way, metric)
        if share is None:
            continue
        joint = geometric_mean([together[way.package, way.method, *pair.theirs.key] for pair in pairs])
        theirs = [pair.theirs for pair in pairs]
        widths = [pair.theirs.width / pair.ours.width for pair in pairs if np.isfinite(pair.theirs.width)]
        wide = f"{geometric_mean(widths):.2f}" if widths and min(widths) > 0 else "-"
        yield (
            share,
            f"| {way.name} | {share:.2f} | {joint:.2f} | {max(p.share for p in pairs):.2f} | {_lowest(theirs)} | {wide} | "
            f"{np.median([cell.milliseconds for cell in theirs]):.0f} |",
        )


def _lowest(cells: Sequence[Cell]) -> str:
    covered = [cell for cell in cells if np.isfinite(cell.coverage)]
    if not covered:
        return "none | none"
    return f"{min(cell.coverage for cell in covered):.2f} | {min(min(cell.below, cell.above) for cell in covered):.2f}"


def _failures(found: Found) -> str:
    lines = [
        "## What failed",
        "",
        "Replicates in all cells, in %: *raised* an error, gave *no value*, an interval with a limit *outside* [0, 1], an interval of *no "
        "width*. *too low*: cells whose coverage is below 0.94 at the 0.001 level of an exact binomial test, of those with an interval.",
        "",
        "| | raised | no value | outside | no width | too low |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for name, cells in _by_way(found):
        reps = sum(cell.reps for cell in cells)
        shares = [100 * sum(of) / reps for of in zip(*((c.crashed, c.undefined, c.outside, c.zero_width) for c in cells), strict=True)]
        covered = [cell for cell in cells if np.isfinite(cell.coverage)]
        low = sum(cell.is_too_low for cell in covered)
        lines.append(f"| {name} | {' | '.join(f'{share:.1f}' for share in shares)} | {low} of {len(covered)} |")
    raised = [f"- {words}: {times:,} times" for words, times in sorted(found.raised.items(), key=lambda one: -one[1])[:12]]
    return "\n".join([*lines, "", *(["What was raised most often:", "", *raised, ""] if raised else [])])


def _by_way(found: Found) -> Iterator[tuple[str, list[Cell]]]:
    yield "**fewlabels**", [cell for cell in found.cells if (cell.package, cell.method) == (PACKAGE, ALONE)]
    for way in found.ways:
        yield way.name, [cell for cell in found.cells if (cell.package, cell.method) == (way.package, way.method)]


def _wins(found: Found) -> str:
    wins, count = found.wins(), len(found.against())
    lines = [
        "## Where a package is better",
        "",
        f"{len(wins)} of {count} cells in which its error is smaller by more than {NOISE:g} Monte-Carlo standard errors (*z*). By chance "
        f"alone at most {count * 0.00135:.1f} would be.",
        "",
        "| package | metric | table | labels | share | z | its coverage | why |",
        "|---|---|---|--:|--:|--:|--:|--:|",
    ]
    reasons = list(dict.fromkeys(found.why(pair.theirs) for pair in wins))
    for pair in wins:
        at = pair.theirs
        covers = f"{at.coverage:.2f}" if np.isfinite(at.coverage) else "no interval"
        lines.append(
            f"| {at.package}: {at.method} | {METRICS[at.metric]} | {at.table} | {at.labels:,} | {pair.share:.2f} | {pair.z:.1f} | {covers} "
            f"| {reasons.index(found.why(at)) + 1} |"
        )
    return "\n".join([*lines, "", *(f"{number}. {reason}" for number, reason in enumerate(reasons, start=1))]) + "\n"


def _again(found: Found, again: Found) -> str:
    first, second = ({(p.theirs.package, p.theirs.method, *p.theirs.key) for p in run.wins()} for run in (found, again))

    def told(keys: set[tuple[str, str, str, str, int]]) -> str:
        return (
            "; ".join(f"{package}: {method}, {METRICS[metric]}, {table}, {n:,}" for package, method, table, metric, n in sorted(keys))
            or "none"
        )

    changes = [
        f"{way.name}, {METRICS[metric]}: {one:.2f} and {two:.2f}"
        for way in found.ways
        for metric in METRICS
        if (one := found.share(way, metric)) is not None and (two := again.share(way, metric)) is not None and (one < 1) != (two < 1)
    ]
    return f"""## Another seed

The same with seed {again.seed} ({again.minutes:.0f} minutes). A package is better in these cells with seed {found.seed} only:
{told(first - second)}. With seed {again.seed} only: {told(second - first)}. With both: {len(first & second)} cells.
Mean shares that are on the other side of 1: {"; ".join(changes) or "none"}.
"""


def _searches(found: Searches) -> str:
    lines = [
        "## Thresholds with a guaranteed precision",
        "",
        f"The lowest threshold whose precision is at least a target, at 95 %. Both label flagged units only: fewlabels by the draw that "
        "a study "
        f"of precision makes, {found.ours[0].reps} runs; MAPIE {found.version} by a simple draw, {found.reps} runs, as it comes (Holm "
        "over 100 even "
        "thresholds) and by fixed sequence over those that flag labels enough. *found*: share of runs that find one. *below*: share "
        "whose true "
        "precision is below the target, which may be 5 %. *units*: flagged at the threshold found, 0 where none is.",
        "",
        "| table | target | labels | fewlabels: found | below | units | Holm: found | below | units | sequence: found | below | units |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for ours, theirs in zip(found.ours, found.mapie, strict=True):
        both = " | ".join(f"{one['found']:.2f} | {one['below']:.3f} | {one['units']:,.0f}" for one in (theirs["holm"], theirs["sequence"]))
        lines.append(
            f"| {ours.table} {ours.model} | {ours.target:g} | {ours.labels:,} | {ours.found:.2f} | {ours.below / ours.reps:.3f} "
            f"| {ours.units:,.0f} | {both} |"
        )
    return "\n".join(lines) + "\n"


def _features(found: Found) -> str:
    packages = [PACKAGE, *(name for name in found.versions if name != PACKAGE)]
    lines = [
        "## Who has what",
        "",
        "An entry is the name that has it, looked up where the package is installed; a dot means that neither its public names nor its own "
        "page has it.",
        "",
        f"| | {' | '.join(packages)} |",
        f"|---|{'---|' * len(packages)}",
    ]
    lines += [f"| {asked} | {' | '.join(_entry(entries.get(package)) for package in packages)} |" for asked, entries in FEATURES.items()]
    return "\n".join(lines) + "\n"


def _entry(entry: str | None) -> str:
    if entry is None:
        return "·"
    name, _, rest = entry.partition(" (")
    return f"`{name.removeprefix('bin/').rpartition(':')[2]}`" + (f" ({rest}" if rest else "")


def _unfair(found: Found) -> str:
    glue = [f"- {way.name}: {way.draws}." + (f" Ours: {way.glue}." if way.glue else "") for way in found.ways]
    missing = [f"- {name}: {why}." for name, why in NOT_INSTALLED.items()]
    return "\n".join(
        [
            "## What would make this unfair",
            "",
            "- The tables are six of ours, of 7,532 to 300,000 units with 0.2 to 10 % positives. fewlabels was built with them in sight: "
            "its constants were chosen on some of them ([coverage](coverage.md) says which).",
            "- Each package runs as its page says, with its defaults but for what is listed below. Some are made for other questions: "
            "cje-eval, truescore and evalstats for LLM judges, "
            "nannyml for monitoring without labels (its limits are three standard errors of sampling alone), survey packages for surveys.",
            "- A simple draw is what most packages ask for, and says little about rare classes: most of the difference is the draw, not "
            "the formula. The rows with strata of scores show what one common choice of strata does for them; where scores are badly "
            "calibrated (mnist8 nb) "
            "it is worse than a simple draw.",
            "- fewlabels draws for the metric that is asked about; *one draw* is fewlabels with one draw for three.",
            "- Which parts are ours:",
            *(f"    {line}" for line in glue),
            "- Not run:",
            *(f"    {line}" for line in missing),
            "",
        ]
    )
