"""docs/anytime.md: the page that the rows of the running band's study make. A section without rows is left out."""

from collections.abc import Iterator, Sequence

from benchmarks.anytime_cells import judged, limits, many, number, section, share, table
from benchmarks.anytime_page_decisions import contests, decisions, labelers, rules, speed, thresholds, twins
from benchmarks.anytime_store import Row, Store

ACCEPTED = 0.0565  # of 10,000 paths: at a true miss of 5 % more come with probability 0.002
ADAPTIVE = (1.60, 1.35, 1.25, 1.22)  # half-widths over the reference, aimed at, at most
WIDTHS: dict[str, Sequence[float]] = {
    "simple draw": (1.55,) * 4,
    "even draw": (1.55,) * 4,
    "adaptive, even share .3": ADAPTIVE,
    "adaptive as a study does it": ADAPTIVE,
}
STOPS: dict[str, Sequence[float]] = {
    **{way: (2.2, 2.1, 1.95) for way in ("simple draw", "even draw")},
    **{f"{way}, declared": (2.0, 1.9, 1.7) for way in ("simple draw", "even draw")},
}
TAIL_F1 = 1.9


def page(store: Store, *, reps: int, seed: int) -> str:
    """The whole page."""
    lines = [
        "# Looking as often as you like",
        "",
        f"    python -m benchmarks.anytime --data FOLDER --reps {reps} --seed {seed} --out docs/anytime.md",
        "",
        "The running band of an online study, on populations whose truth is known. Rates, predictions and bets are made by the functions "
        "that a study uses; labels come by chance, path after path. What it is and why it holds: [maths](maths/anytime.md).",
        "",
        "A *simple draw* is one band without scores; the guide says .9. *Adaptive*: ten bands of 1,000 flagged units, whose errors fall "
        "from band to band so that the best fixed draw has about 0.69 of a simple draw's variance; the guide says what is true of each "
        "band, or, where scores are *reversed*, of the band at the other end. *Even draw*: from the same bands, every unit alike. *As a "
        "study does it*: half of the draws spread evenly until 200 answers are in, then 30 % (recall and F1: half), batches of ten. The "
        "level is 95 %. A figure that is worse than was aimed at is marked *above*, with the aim.",
        "",
    ]
    for part in (_misses, _last, _grid, _widths, _tails, _stops, decisions, thresholds, contests, labelers, rules, twins, speed):
        lines.extend(part(store))
    return "\n".join(lines).rstrip() + "\n"


def _misses(store: Store) -> Iterator[str]:
    rows, wald = store.section("misses"), store.section("wald")
    if not rows:
        return
    worst = max(rows, key=lambda name: number(rows[name]["missed"]) / number(rows[name]["paths"]))
    yield from section(
        "How often the band ever misses",
        "The share of paths on which the truth is outside the band after any of the labels, 3,000 or all units, looked at after each; "
        "judged by the evidence against the true value itself. *above*, *below*: by the bet that the metric is above the truth, or below. "
        f"With 10,000 paths a row passes if at most {ACCEPTED:.4f} miss. Real tables have the bands that a study cuts. "
        "*Wald*: the usual interval on a simple draw, from the 30th label on.",
        f"Most often: {worst}, {share(rows[worst], 'missed')}.",
    )

    def row(name: str, r: Row) -> list[str]:
        mark = "" if number(r["missed"]) <= ACCEPTED * number(r["paths"]) else " (too many)"
        twin = share(wald[name], "missed") if name in wald else ""
        told = [f"{r['truth']:.4f}", f"{r['units']:,}", f"{r['bands']}", f"{r['labels']:,}", f"{r['paths']:,}", share(r, "missed") + mark]
        return [name, *told, limits(r, "missed"), share(r, "above"), share(r, "below"), twin]

    head = "draw | truth | units | bands | labels | paths | misses | 95 % limits | above | below | Wald, every label"
    yield from table(head, (row(name, r) for name, r in rows.items()))


def _last(store: Store) -> Iterator[str]:
    for r in store.section("exhausted").values():
        yield from section(
            "All units labeled",
            "500 units to the last, in batches of five, on a grid of 999 values that holds the truth: it is the only value left on "
            f"{r['truth alone']} of {r['paths']} paths; on {r['nothing']} none is left, because the band had missed it before.",
        )


def _grid(store: Store) -> Iterator[str]:
    rows = store.section("grids")
    if not rows:
        return
    yield from section(
        "The band on a grid",
        "The same paths judged by the evidence at the truth, and by the band on 999 even values as a study shows it, looked at every ten "
        "labels; its limits are one step outside, so it misses a little less often. Half-widths after the last label, on that grid and "
        "with straight lines (of the root of the evidence) between values that lie closer near the truth, as in the tables below.",
    )
    head = "draw | labels | paths | misses at the truth | on the grid | both | half-width on the grid | by lines"
    counts = ("labels", "paths", "by_truth", "by_grid", "by_both")
    yield from table(head, ([name, *(f"{r[c]:,}" for c in counts), f"{r['half']:.4f}", f"{r['fine']:.4f}"] for name, r in rows.items()))


def _cells(r: Row, aims: Sequence[float | None]) -> list[str]:
    """Half-widths with their ratios."""
    return [f"{h:.4f} ({judged(o, a)})" for h, o, a in zip(many(r["half"]), many(r["over"]), aims, strict=True)]


def _widths(store: Store) -> Iterator[str]:
    rows = store.section("widths")
    if not rows:
        return
    yield from section(
        "How wide the band is",
        "Mean half-width of the band for precision .95 of 10,000 units, in brackets over that of a simple draw of so many labels, planned "
        "beforehand and read once (Wald). A single bet made for one number of labels, and for nothing else, would be 1.39 times as wide.",
    )
    aims = {name: WIDTHS.get(name, (None,) * 4) for name in rows}
    head = "draw | paths | 100 labels | 300 | 1,000 | 3,000"
    yield from table(head, ([name, f"{r['paths']:,}", *_cells(r, aims[name])] for name, r in rows.items()))


def _tails(store: Store) -> Iterator[str]:
    rows = store.section("tails")
    if not rows:
        return
    yield (
        "Recall and F1 of 100,000 units, 80,000 of them in a tail of which one in a thousand is positive; in brackets over the best fixed "
        "draw from the same bands by someone who knows every share."
    )
    yield ""
    aims = {name: (None, TAIL_F1 if name.startswith("f1, as") else None) for name in rows}
    head = "metric | truth | paths | 300 labels | 1,000"
    yield from table(head, ([name, f"{r['truth']:.4f}", f"{r['paths']:,}", *_cells(r, aims[name])] for name, r in rows.items()))


def _stops(store: Store) -> Iterator[str]:
    rows = store.section("stops")
    if not rows:
        return
    yield from section(
        "Labels until the band is narrow",
        "Precision .95 of 10,000 units, looked at every ten labels. *fixed*: labels of a simple draw by someone who knows the truth. "
        "*declared*: the half-width was named before the first label, and some bettors believe just that.",
    )

    def row(name: str, r: Row) -> list[str]:
        way, _, asked = name.rpartition(", +-")
        aim = dict(zip(("0.05", "0.03", "0.01"), STOPS.get(way, (None,) * 3), strict=True))[asked]
        cells = [f"{r['paths']:,}", f"{r['labels']:,.0f}", f"{r['fixed']:,.0f}", judged(r["over"], aim)]
        return [name, *cells, share(r, "missed"), f"{r['unfinished']}"]

    head = "draw | paths | labels | fixed | over it | misses at the stop | not done"
    yield from table(head, (row(name, r) for name, r in rows.items()))
