"""The parts of docs/anytime.md about decisions, labelers and rules that peek."""

from collections.abc import Iterator, Sequence

from benchmarks.anytime_cells import judged, limits, many, number, section, share, table
from benchmarks.anytime_store import Row, Store

DECISIONS: dict[str, float] = {  # labels over the fixed number, aimed at, at most
    **{f"simple draw, {truth}": 1.05 for truth in ("0.95", "0.92", "0.88")},
    **{"adaptive, 0.95": 0.95, "adaptive, 0.92": 0.75, "adaptive, 0.88": 0.75},
}
TOLERANT: dict[str, float] = {f"{way}, {truth}": 0.35 for way in ("simple draw", "adaptive") for truth in ("0.92", "0.88")}
CONTEST = 1.05
RUNNING = (
    ("simple draw: running band", "simple draw", "simple draw, declared"),
    ("adaptive: running band", "adaptive", "adaptive, declared"),
)
HALF_WIDTHS, TRUTHS = ("0.05", "0.03", "0.01"), ("0.95", "0.92", "0.88")


def decisions(store: Store) -> Iterator[str]:
    """Labels until a decision, without and with a tolerance."""
    rows, soft = store.section("decisions"), store.section("tolerant")
    if rows:
        yield from section(
            "Labels until a decision",
            "Is precision at least .9? Looked at every ten labels. *fixed*: labels of a one-sided test at 5 % that finds the truth with "
            "probability 0.9, planned by someone who knows it. *nine of ten*: enough on nine paths of ten.",
        )
        yield from _decided(rows, DECISIONS)
    if soft:
        yield "With a tolerance of .02: within it either answer will do."
        yield ""
        yield from _decided(soft, TOLERANT)


def _decided(rows: dict[str, Row], aims: dict[str, float]) -> Iterator[str]:
    def row(name: str, r: Row) -> list[str]:
        known = "fixed" in r
        against = [f"{r['fixed']:,.0f}", judged(r["over"], aims.get(name)), share(r, "wrong")] if known else ["", "", "either"]
        return [name, f"{r['paths']:,}", f"{r['labels']:,.0f}", f"{r['most']:,.0f}", *against, share(r, "open")]

    head = "draw, truth | paths | labels | nine of ten | fixed | over it | wrong | undecided"
    yield from table(head, (row(name, r) for name, r in rows.items()))


def thresholds(store: Store) -> Iterator[str]:
    """Errors where there is nothing to find."""
    rows = store.section("thresholds")
    if not rows:
        return
    yield from section(
        "A truth at the target",
        "Precision is exactly .9: every answer is an error. The share of paths on which one came within 8,000 of 10,000 labels, looked at "
        "after each.",
    )
    head = "draw | paths | yes | 95 % limits | no | 95 % limits"
    sides = ("yes", "no")
    yield from table(head, ([name, f"{r['paths']:,}", *(f(r, s) for s in sides for f in (share, limits))] for name, r in rows.items()))


def contests(store: Store) -> Iterator[str]:
    """Two classifiers: accuracy, and the sign of a difference of F1."""
    rows, signs = store.section("contests"), store.section("signs")
    claims = ("yes", "wrong", "open")
    if rows:
        yield from section(
            "Two classifiers",
            "Which is more accurate? Only the 3,000 units on which they disagree are asked; the first is right in so many of them. Where "
            "it is half, every claim is an error.",
        )

        def row(name: str, r: Row) -> list[str]:
            against = [f"{r['fixed']:,.0f}", judged(r["over"], CONTEST)] if "fixed" in r else ["", ""]
            return [name, f"{r['paths']:,}", f"{r['labels']:,.0f}", *against, *(share(r, claim) for claim in claims)]

        head = "first right in | paths | labels | fixed | over it | first claimed | second claimed | undecided"
        yield from table(head, (row(name, r) for name, r in rows.items()))
    if signs:
        yield (
            "Which has the larger F1? Again only units on which they disagree are asked; what both flag or both miss is never labeled. A "
            "claim needs every value in a range in which F1 lies to be refuted: from .5 to 1, or from .80 to .88 by someone who knows that "
            "much beforehand. Where both are equal, every claim is an error."
        )
        yield ""
        head = "case, range | F1, first | second | disagreements | paths | labels | first claimed | second claimed | undecided"

        def sign(name: str, r: Row) -> list[str]:
            told = [f"{r['first']:.4f}", f"{r['second']:.4f}", f"{r['disagreements']:,}", f"{r['paths']:,}", f"{r['labels']:,.0f}"]
            return [name, *told, *(share(r, claim) for claim in claims)]

        yield from table(head, (sign(name, r) for name, r in signs.items()))


def labelers(store: Store) -> Iterator[str]:
    """Many labelers at once, and answers that never come."""
    rows = store.section("labelers")
    if not rows:
        return
    again = max(number(r["again"]) for r in rows.values())
    yield from section(
        "Fifty labelers at once",
        "Fifty labelers hold batches of 1 to 20 units at the same time and answer in any order; whoever asks next knows only the answers "
        "that are in. Precision .95, adaptive draws, 2,000 units asked. A unit without an answer counts against each bet. *labels*: units "
        "asked until it is shown that precision is at least .9, and .85; where it is not, 2,000 are counted.",
        "5 % without an answer move each limit by about .05: what is only .05 away is hardly ever shown. Asking a second labeler first "
        f"({again:.1%} of the units, once more) leaves 0.25 % without one.",
    )

    def row(name: str, r: Row) -> list[str]:
        told = [cell for mean, shown in zip(many(r["mean"]), many(r["shown"]), strict=True) for cell in (f"{mean:,.0f}", f"{shown:.3f}")]
        return [name, f"{r['paths']:,}", share(r, "missed"), limits(r, "missed"), *told]

    head = "answers | paths | misses | 95 % limits | labels, at least .9 | shown | labels, at least .85 | shown"
    yield from table(head, (row(name, r) for name, r in rows.items()))


def rules(store: Store) -> Iterator[str]:
    """One table of labels and errors against rules that peek."""
    rows = store.section("rules")
    if not rows:
        return
    yield from section(
        "Rules that peek",
        "The same populations. First labels until the interval is as narrow as asked, at truth .95, and in brackets the share of stops at "
        "which it misses; then labels until it is decided whether precision is at least .9, and the share decided wrongly; then, at a "
        "truth of exactly .9, the shares that say yes and no within 8,000 labels. Bennett and Carvalho's rule: Wald's interval of smoothed "
        "shares says the same at two looks in a row. Wald's and Wilson's intervals from 30 labels on. All look every ten labels, running "
        "bands at .9 after every one; their half-widths are declared.",
    )

    def row(name: str, r: Row) -> list[str]:
        narrow = [f"{r[f'labels +-{w}']:,.0f} ({r[f'missed +-{w}']:.3f})" for w in HALF_WIDTHS]
        settled = [f"{r[f'labels {t}']:,.0f} ({r[f'wrong {t}']:.3f})" for t in TRUTHS]
        return [name, *narrow, *settled, f"{r['yes']:.3f}", f"{r['no']:.3f}"]

    ours = [_running(store, *which) for which in RUNNING]
    head = "rule | +-.05 | +-.03 | +-.01 | truth .95 | .92 | .88 | yes at .9 | no at .9"
    yield from table(head, [*(row(name, r) for name, r in rows.items()), *ours])


def _running(store: Store, name: str, way: str, width: str) -> Sequence[str]:
    """The running band's row of that table, from the sections above."""
    decided, stopped = store.section("decisions"), store.section("stops")
    asked = [(stopped, f"{width}, +-{w}", "missed") for w in HALF_WIDTHS] + [(decided, f"{way}, {t}", "wrong") for t in TRUTHS]
    cells = [
        f"{rows[key]['labels']:,.0f} ({number(rows[key][error]) / number(rows[key]['paths']):.3f})" if key in rows else ""
        for rows, key, error in asked
    ]
    at = store.section("thresholds").get(way)
    return [name, *cells, *("" if at is None else f"{number(at[side]) / number(at['paths']):.3f}" for side in ("yes", "no"))]


def twins(store: Store) -> Iterator[str]:
    """What the study must notice."""
    rows = store.section("twins")
    if not rows:
        return
    yield from section("What is not allowed", "The share of paths on which the band misses where it is done all the same.")
    head = "done | paths | labels | misses"
    yield from table(head, ([name, f"{r['paths']:,}", f"{r['labels']:,}", share(r, "missed")] for name, r in rows.items()))


def speed(store: Store) -> Iterator[str]:
    """Milliseconds a label."""
    rows = store.section("speed")
    if not rows:
        return
    yield from section(
        "Time",
        "Milliseconds a label for F1 on a grid of 999 values, on one core of the machine that wrote this page: one label after another, "
        "and a path of 2,000 labels read at once, which gives the same evidence (last column: the largest difference of a logarithm).",
    )
    cells = ([name, f"{r['single']:.2f}", f"{r['walked']:.2f}", f"{r['apart']:.0e}"] for name, r in rows.items())
    yield from table("bands | one by one | read at once | apart", cells)
