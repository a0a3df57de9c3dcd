"""The atlas in words and as the table the product reads."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from benchmarks.judging import TEST, verdict
from fewlabels.nouns.estimate import USUAL_INTERVAL
from fewlabels.planning.design_choice import DesignName

Cells = Sequence[dict[str, Any]]
MOST_WIDTH = 1.5  # of the oracle's half-width
FEWEST_ERRORS = 10
FULL_DESIGNS: tuple[DesignName, ...] = ("bands", "simple")
EIGHT = ("precision", "recall", "f1", "accuracy", "prevalence", "mcc", "kappa", "balanced_accuracy")


def coverage(cell: dict[str, Any]) -> float:
    """The share of replicates that hold the truth."""
    return float(cell["hits"] / cell["reps"])


def judged(cell: dict[str, Any]) -> str:
    """passes, caution or refuse; a census passes."""
    return "passes" if cell["census"] else verdict(cell["hits"], cell["reps"], cell["level"])


def one_sided(cell: dict[str, Any], tail: str) -> float:
    """The share of replicates in which a one-sided bound is wrong, of the worse of the two."""
    return float(max(cell["too_high"][tail], cell["too_low"][tail]) / cell["reps"])


def is_full(cell: dict[str, Any]) -> bool:
    """Whether the cell is one of those made for every population, guide and number of labels."""
    usual = cell["interval"] == USUAL_INTERVAL and cell["level"] == 0.95
    return bool(usual and cell["design"] in FULL_DESIGNS and cell["metric"] in EIGHT)


def judged_one_sided(cell: dict[str, Any], tail: str) -> str:
    """passes, caution or refuse."""
    misses = max(cell["too_high"][tail], cell["too_low"][tail])
    return "passes" if cell["census"] else verdict(cell["reps"] - misses, cell["reps"], 1 - float(tail))


def worst_of(verdicts: Iterable[str]) -> str:
    """The worst of some verdicts."""
    found = set(verdicts)
    return "refuse" if "refuse" in found else "caution" if "caution" in found else "passes"


def summary(cells: Cells, *, code: str, seed: int) -> dict[str, Any]:
    """What the product reads: for each interval, design, metric and level, how each number of labels did on its worst population."""
    rows: dict[tuple[str, str, str, float], dict[int, list[dict[str, Any]]]] = {}
    for cell in cells:
        if not cell["census"]:
            key = (cell["interval"], cell["design"], cell["metric"], cell["level"])
            rows.setdefault(key, {}).setdefault(cell["labels"], []).append(cell)
    tested = []
    for (interval, design, metric, level), by_labels in sorted(rows.items()):
        sizes = []
        for n, found in sorted(by_labels.items()):
            worst = min(found, key=coverage)
            status = worst_of(judged(c) for c in found)
            line = {"labels": n, "cells": len(found), "lowest": round(coverage(worst), 4), "verdict": status}
            sizes.append({**line, **_one_sided([c for c in found if c["too_high"]])})
        tested.append({"interval": interval, "design": design, "metric": metric, "level": level, "sizes": sizes})
    return {"code": code, "seed": seed, "tested": tested}


def _one_sided(cells: Cells) -> dict[str, Any]:
    """How one-sided bounds did at worst: nothing if they were not made."""
    if not cells:
        return {}
    highest = max(one_sided(cell, "0.05") for cell in cells)
    return {"one_sided": round(highest, 4), "one_sided_verdict": worst_of(judged_one_sided(c, t) for c in cells for t in c["too_high"])}


def page(cells: Cells, *, code: str, seed: int, restamped: Cells = ()) -> str:
    """docs/atlas.md."""
    full = [c for c in cells if is_full(c)]
    others = [c for c in cells if c not in full]
    lines = [
        "# Atlas: how far every interval was tested",
        "",
        f"    make atlas DATA=FOLDER        (code {code}, seed {seed}; cell by cell in [atlas.json](atlas.json))",
        "",
        *_stamps(restamped),
        "A cell is one population, guide, metric, design and number of labels. It *passes* if an exact binomial test at "
        f"{TEST:g} does not reject a true coverage of 0.94 (at other levels one point below the level), carries a *caution* if it does, "
        "and is *refused* below 0.90 observed (five points below the level). "
        "The product reads the same cells: an estimate whose combination was not tested, or fell short, says so.",
        "",
        "Populations: three tables of real predictions (mnist8 mlp, hate_tweets lr, fraud_sample gbm) and four made-up ones (calibrated: "
        "1 % positive; overconfident: log-odds 2.5 times too large; noise: scores that know nothing; precise: precision .99). Guides: "
        "their own; shuffled, which says nothing; reversed inside each side. On the tables also noise: scores and decisions both permuted. "
        "A simple draw does not read the guide and is made once. Designs are made for the metric they judge.",
        "",
        "`rec` was tested in full while it was the default (1,632 cells, code d0de6f0f743ac9a7, lowest coverage 0.9363), on the draws of "
        "then; the product still reads those cells for it, from study/estimate/atlas_rec.json.",
        "",
        *_headline(full),
        *_coverage(full),
        *_one_sided_wing(full),
        *_widths(full),
        *_others(others),
    ]
    return "\n".join(lines) + "\n"


def _stamps(restamped: Cells) -> list[str]:
    """One sentence for each time the file was given another hash."""
    return [
        line
        for stamp in restamped
        for line in (
            f"Cells made by code {stamp['from']} are those of code {stamp['to']}: {len(stamp['cells'])} of them, drawn at seed "
            f"{stamp['seed']}, were made again and every number was the same to {stamp['tolerance']:g}.",
            "",
        )
    ]


def _headline(full: Cells) -> list[str]:
    open_cells = [c for c in full if not c["census"]]
    counts = {word: sum(judged(c) == word for c in full) for word in ("passes", "caution", "refuse")}
    lowest = min(open_cells, key=coverage)
    big = [coverage(c) for c in open_cells if c["labels"] >= 1_000]
    return [
        f"## {USUAL_INTERVAL} at 95 %, in full",
        "",
        f"{len(full):,} cells of 2,000 replicates (1,000 from 1,000 labels on): {counts['passes']:,} pass, {counts['caution']} carry a "
        f"caution, {counts['refuse']} are refused. Lowest coverage {coverage(lowest):.4f} ({_name(lowest)}). Mean over the "
        f"{len(big):,} cells of 1,000 labels and more that are no census: {np.mean(big):.4f}.",
        "",
    ]


def _name(cell: dict[str, Any]) -> str:
    return f"{cell['population']}, guide {cell['guide']}, {cell['metric']}, {cell['design']}, {cell['labels']:,} labels"


def _coverage(full: Cells) -> list[str]:
    labels = sorted({c["labels"] for c in full})
    lines = ["Lowest / mean coverage over populations and guides:", ""]
    for design in FULL_DESIGNS:
        lines += [f"| {design} | {' | '.join(f'{n:,}' for n in labels)} |", "|---|" + "--:|" * len(labels)]
        for metric in dict.fromkeys(c["metric"] for c in full):
            row = [_low_mean([c for c in full if (c["design"], c["metric"], c["labels"]) == (design, metric, n)]) for n in labels]
            lines.append(f"| {metric} | {' | '.join(row)} |")
        lines.append("")
    short = [c for c in full if judged(c) != "passes"]
    if short:
        lines += ["Cells that do not pass:", "", *(f"- {_name(c)}: {coverage(c):.4f} ({judged(c)})" for c in short), ""]
    return lines


def _one_sided_wing(full: Cells) -> list[str]:
    labels = sorted({c["labels"] for c in full})
    lines = [
        "## One-sided bounds",
        "",
        "Highest share of replicates in which a bound is wrong, of the lower and the upper one, in %, at 5 % / at 1 %:",
        "",
    ]
    for design in FULL_DESIGNS:
        lines += [f"| {design} | {' | '.join(f'{n:,}' for n in labels)} |", "|---|" + "--:|" * len(labels)]
        for metric in dict.fromkeys(c["metric"] for c in full):
            row = []
            for n in labels:
                mine = [c for c in full if (c["design"], c["metric"], c["labels"]) == (design, metric, n) and not c["census"]]
                row.append(" / ".join(f"{100 * max(one_sided(c, t) for c in mine):.1f}" for t in ("0.05", "0.01")) if mine else "census")
            lines.append(f"| {metric} | {' | '.join(row)} |")
        lines.append("")
    short = [(c, tail) for c in full for tail in c["too_high"] if judged_one_sided(c, tail) != "passes"]
    if short:
        lines += ["Bounds that do not pass:", "", *(f"- {_name(c)}, {tail}: {one_sided(c, tail):.4f}" for c, tail in short), ""]
    return lines


def _low_mean(cells: Cells) -> str:
    found = [coverage(c) for c in cells if not c["census"]]
    return f"{min(found):.3f} / {np.mean(found):.3f}" if found else "census"


def _widths(full: Cells) -> list[str]:
    lines = [
        "### Half-width against an oracle's",
        "",
        f"From 200 labels on, cells that are no census and expect at least {FEWEST_ERRORS} of the rarer answer on each side needed. "
        "*own*: 1.96 linearised standard errors of the same draw, for somebody who knows the truth of every band. *best*: the same of the "
        "best draw for the metric, for somebody who knows the probability of a positive given guide and side; a simple draw, or one whose "
        "guide is worthless, cannot reach that.",
        "",
        "| design | guide | cells | own: median | largest | over 1.5 | best: median | over 1.5 |",
        "|---|---|--:|--:|--:|--:|--:|--:|",
    ]
    eligible = [c for c in full if c["labels"] >= 200 and not c["census"] and c["errors"] and min(c["errors"]) >= FEWEST_ERRORS]
    for design, guide in dict.fromkeys((c["design"], c["guide"]) for c in eligible):
        mine = [c for c in eligible if (c["design"], c["guide"]) == (design, guide)]
        own, best = _ratios(mine, "own"), _ratios(mine, "oracle")
        lines.append(
            f"| {design} | {guide} | {len(mine)} | {np.median(own):.2f} | {max(own):.2f} | {sum(r > MOST_WIDTH for r in own)} "
            f"| {np.median(best):.2f} | {sum(r > MOST_WIDTH for r in best)} |"
        )
    wide = sorted((c for c in eligible if c["half_width"] > MOST_WIDTH * c["own"]), key=lambda c: -c["half_width"] / c["own"])
    lines += [
        "",
        f"Over {MOST_WIDTH} times *own* ({len(wide)} of {len(eligible)}), widest first. The cause is the same in all: where a guide is "
        "good and positives are rare, the draw's own error is small, but far more positives than it found could hide where few labels are. "
        "The interval allows for them ([placed](maths/placed.md)); how many they may be, a study says "
        "([tipping points](maths/tipping.md)).",
        "",
    ]
    lines += [f"- {_name(c)}: {c['half_width'] / c['own']:.2f}" for c in wide]
    few = [c for c in full if c["labels"] >= 200 and not c["census"] and sum(c["errors"]) >= FEWEST_ERRORS and c["own"] > 0]
    over = sum(c["half_width"] > MOST_WIDTH * c["own"] for c in few)
    return [
        *lines,
        "",
        f"Counting the rarer answers of both sides together, {len(few)} cells expect {FEWEST_ERRORS}, {over} are wider.",
        "",
    ]


def _ratios(cells: Cells, oracle: str) -> list[float]:
    return [c["half_width"] / c[oracle] for c in cells if c[oracle] > 0] or [float("nan")]


def _others(others: Cells) -> list[str]:
    lines = [
        "## Everything else",
        "",
        "1,000 replicates at 500 labels on two made-up populations (calibrated, overconfident), own guide.",
        "",
    ]
    parts: tuple[tuple[str, Callable[[dict[str, Any]], bool], Callable[[dict[str, Any]], str]], ...] = (
        (
            f"Other metrics, {USUAL_INTERVAL} at 95 %",
            lambda c: c["interval"] == USUAL_INTERVAL and c["level"] == 0.95,
            lambda c: str(c["metric"]),
        ),
        (
            f"Other levels, {USUAL_INTERVAL}, eight metrics",
            lambda c: c["interval"] == USUAL_INTERVAL and c["level"] != 0.95,
            lambda c: f"{c['level']:g}",
        ),
        ("Other intervals at 95 %", lambda c: c["interval"] != USUAL_INTERVAL, lambda c: str(c["interval"])),
    )
    for title, mine, name in parts:
        lines += [f"### {title}", "", "| | cells | lowest coverage | mean | half-width over own |", "|---|--:|--:|--:|--:|"]
        chosen = [c for c in others if mine(c) and not c["census"]]
        for key in dict.fromkeys((name(c), c["design"]) for c in chosen):
            lines.append(_other_row(key, [c for c in chosen if (name(c), c["design"]) == key]))
        lines.append("")
    return lines


def _other_row(key: tuple[str, str], cells: Iterable[dict[str, Any]]) -> str:
    found = list(cells)
    covers = [coverage(c) for c in found]
    widths = _ratios(found, "own")
    return f"| {key[0]}, {key[1]} | {len(found)} | {min(covers):.3f} | {np.mean(covers):.3f} | {np.median(widths):.2f} |"
