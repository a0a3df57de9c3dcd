"""Labels already owned, in e-discovery: docs/known.md.

    python -m benchmarks.known --reps 2000 --seed 42 --out docs/known.md        (make known)

Of 300,000 documents, an earlier review coded the 20,000 that its own ranking put first, and found about two thirds of the relevant ones
there, none at random. A later model flags what it ranks first. A study of 2,500 new labels asks whether its recall is at least 0.75: of the
rest alone, the coded documents being known and a share of them checked; and by a draw from all, as if nothing was coded. Replicates are
counts by cell, as `fewlabels simulate` makes them; a few real studies stand beside.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy.stats import binom

from benchmarks.judging import verdict
from benchmarks.options import parser_of
from fewlabels.estimators.grouping import groups_of
from fewlabels.estimators.measuring import measure
from fewlabels.nouns import ladder
from fewlabels.nouns.known import KnownLabels
from fewlabels.nouns.metrics import RECALL
from fewlabels.nouns.profile import Profile
from fewlabels.nouns.tally import Tally
from fewlabels.planning.design_choice import DesignName, choose_design
from fewlabels.randomness import stream
from fewlabels.study.population.read import read_population
from fewlabels.study.simulate import replicate
from fewlabels.study.study import Study

DOCUMENTS, CODED, LABELS, TARGET = 300_000, 20_000, 2_500, 0.75
RECALLS = (0.85, 0.80)
CHECKS, CHECK, WRONG = (0.0, 0.01, 0.02, 0.05), 0.02, 0.03
SEED, STUDIES = 42, 12


class World(NamedTuple):
    """Documents of which a share is relevant, how far these lie from others by either ranking, and the correlation of the rankings."""

    name: str
    relevant: float
    earlier: float
    later: float
    alike: float


WORLDS = (World("3 % relevant, a decent score", 0.03, 2.1, 1.8, 0.3), World("2 % relevant, a weak score", 0.02, 2.2, 0.7, 0.0))


Where: TypeAlias = Literal["anywhere", "missed"]  # wrong codes

FROM_ALL: tuple[tuple[DesignName, str], ...] = (("bands", "a draw from all, by bands"), ("simple", "a draw from all, at random"))
CODES: tuple[tuple[float, Where, float], ...] = (  # share of wrong codes, where they are, share that is checked
    (0.0, "anywhere", 0.0), (0.0, "anywhere", CHECK), (WRONG, "anywhere", CHECK), (WRONG, "missed", CHECK),
    (WRONG, "anywhere", 0.0), (WRONG, "missed", 0.0),
)  # fmt: skip
WORDS: dict[Where, str] = {"anywhere": "anywhere", "missed": "all of them relevant documents, those that the model misses first"}


class Case(NamedTuple):
    """The documents of one world, with what the review coded; `answer` is the code, right or wrong, and nothing where nothing was coded."""

    y: NDArray[np.bool_]
    score: NDArray[np.float64]
    flagged: NDArray[np.bool_]
    coded: NDArray[np.bool_]
    answer: NDArray[np.bool_]

    @property
    def found(self) -> float:
        """The share of the relevant documents that the review saw."""
        return float(self.y[self.coded].sum() / self.y.sum())


def case_of(world: World, recall: float, *, wrong: float = 0.0, where: Where = "anywhere", seed: int) -> Case:
    """A world in which the model has this recall, and the review coded a share `wrong` of its documents wrongly.

    where   the wrong ones: anywhere, or first among relevant documents that the model misses, coded as not relevant
    """
    rng = stream(seed, 133)
    y = rng.permutation(DOCUMENTS) < round(world.relevant * DOCUMENTS)
    common = rng.normal(size=DOCUMENTS)
    ranks = [
        d * y + np.sqrt(world.alike) * common + np.sqrt(1 - world.alike) * rng.normal(size=DOCUMENTS) for d in (world.earlier, world.later)
    ]
    odds = np.log(world.relevant / (1 - world.relevant)) + world.later * ranks[1] - world.later**2 / 2
    seen = np.zeros(DOCUMENTS, dtype=np.bool_)
    seen[np.argsort(-ranks[0])[:CODED]] = True
    flagged = ranks[1] >= np.sort(ranks[1][y])[round((1 - recall) * y.sum())]
    rows = rng.permutation(np.flatnonzero(seen))
    if where == "missed":
        rows = rows[np.argsort(-(2 * y[rows] + (y[rows] & ~flagged[rows])), kind="stable")]
    turned = np.zeros(DOCUMENTS, dtype=np.bool_)
    turned[rows[: round(wrong * rows.size)]] = True
    return Case(y, 1 / (1 + np.exp(-odds)), flagged, seen, (y ^ turned) & seen)


class Counted(NamedTuple):
    """The cells of a world: its profile, the relevant documents of each cell that were not coded, and the codes."""

    profile: Profile
    labels: KnownLabels
    positives: NDArray[np.int64]
    everything: NDArray[np.int64]  # relevant documents of each cell
    checked: NDArray[np.int64]  # those of each part of the codes that are relevant


def counted(case: Case, *, check: float) -> Counted:
    """The world as cells."""
    key = case.flagged * (ladder.BINS + 1) + ladder.bin_of(case.score)
    names, home = np.unique(key, return_inverse=True)
    cells, of = names.size, case.coded
    profile = Profile(
        columns=(), guide_bin=names % (ladder.BINS + 1), pattern=names // (ladder.BINS + 1), slice=np.zeros(cells, dtype=np.int64),
        count=np.bincount(home), slice_values=((),), guided=True, smallest_id="", largest_id="",
    )  # fmt: skip
    rows = np.flatnonzero(of)
    labels = KnownLabels(
        unit=tuple(f"{row:06d}" for row in rows.tolist()), positive=case.answer[of], check=check, pattern=profile.pattern[home[of]],
        guide_bin=profile.guide_bin[home[of]], slice=np.zeros(rows.size, dtype=np.int64),
    )  # fmt: skip
    rest = np.bincount(home[~of], minlength=cells) > 0
    return Counted(
        profile, labels, np.bincount(home[~of & case.y], minlength=cells)[rest], np.bincount(home[case.y], minlength=cells),
        np.bincount(labels.row[case.y[of]], minlength=labels.counts.N.size),
    )  # fmt: skip


def studies(world: Counted, *, reps: int, seed: int) -> Tally:
    """Tallies of studies that know the codes."""
    rng, counts = stream(seed, 7), world.labels.counts
    rest = world.profile.without(world.labels)
    design = choose_design(rest, [RECALL], labels=LABELS - counts.labels)
    groups = groups_of(rest, design)
    assert groups.known is not None
    if counts.is_checked:
        n = np.broadcast_to(counts.n, (reps, counts.n.size)).astype(np.float64)
        k = rng.hypergeometric(world.checked, counts.N - world.checked, counts.n, size=n.shape).astype(np.float64)
        groups = groups._replace(known=groups.known.answered(n, k, np.zeros(counts.n.size)))
    return replicate(groups, design, world.positives, labels=LABELS - counts.labels, reps=reps, rng=rng)


def from_all(world: Counted, *, name: DesignName, reps: int, seed: int) -> Tally:
    """Tallies of studies that draw from all documents, by bands or at random."""
    design = choose_design(world.profile, [RECALL], labels=LABELS, name=name)
    return replicate(groups_of(world.profile, design), design, world.everything, labels=LABELS, reps=reps, rng=stream(seed, 8))


class Row(NamedTuple):
    """What studies of one kind showed."""

    settled: int
    covered: int
    reps: int
    half_width: float


def read(tally: Tally, truth: float, *, seed: int = 0) -> Row:
    """How often the target is settled by the one-sided bound, and the two-sided interval holds."""
    bound, shown = (measure(RECALL, tally, tail=tail, interval="placed") for tail in (0.05, 0.025))
    covered = (shown.low <= truth) & (truth <= shown.high)
    return Row(int((bound.low >= TARGET).sum()), int(covered.sum()), covered.size, float(shown.half_width.mean()))


class Line(NamedTuple):
    """A line of the page."""

    world: str
    way: str
    recall: float
    row: Row


def settling(world: World, recall: float, *, reps: int, seed: int) -> Iterator[Line]:
    """How often the target is settled with right codes, by the share that is checked, and by draws from all."""
    case = case_of(world, recall, seed=seed)
    for check in CHECKS:
        found = counted(case, check=check)
        said = f"known answers, {check:.0%} of them checked" if check else "known answers, unchecked"
        yield Line(world.name, said, recall, read(studies(found, reps=reps, seed=seed), recall))
    for name, said in FROM_ALL:
        yield Line(world.name, said, recall, read(from_all(found, name=name, reps=reps, seed=seed), recall))


def covering(world: World, recall: float, *, reps: int, seed: int) -> Iterator[Line]:
    """How often the interval holds: right codes, wrong ones that are checked, and the twin without a check."""
    for wrong, where, check in CODES:
        found = counted(case_of(world, recall, wrong=wrong, where=where, seed=seed), check=check)
        codes = "all codes right" if not wrong else f"{wrong:.0%} of the codes wrong, {WORDS[where]}"
        said = f"{codes}; {f'{check:.0%} checked' if check else 'unchecked'}"
        yield Line(world.name, said, recall, read(studies(found, reps=reps, seed=seed), recall))


def real(world: World, recall: float, *, number: int, seed: int) -> Row:
    """The same by studies in a ledger, from a table to a decision."""
    case = case_of(world, recall, seed=seed)
    ids = [f"{row:06d}" for row in range(DOCUMENTS)]
    population = read_population(pa.table({"id": ids, "score": case.score, "flag": case.flagged}), predicted="flag", guide="score")
    known = {ids[row]: bool(case.answer[row]) for row in np.flatnonzero(case.coded).tolist()}
    settled, covered, widths = 0, 0, []
    for _ in range(number):
        how: dict[str, Any] = {"known": known, "known_check": CHECK, "known_in_training": "no"}
        study = Study.create("s", population, goals=[f"recall >= {TARGET}"], ledger="sqlite:///:memory:", **how)
        study.plan(LABELS)
        while batch := study.ask(LABELS):
            study.tell({unit: bool(case.y[int(unit)]) for unit in batch.units})
        found, decision = study.estimate()["recall"], study.decide()
        settled += decision is not None and decision.goals[0].status == "met"
        covered += found.low <= recall <= found.high
        widths.append(found.half_width)
    return Row(settled, covered, number, float(np.mean(widths)))


def page(lines: Sequence[Line], covered: Sequence[Line], beside: Row, like: Row, reps: int) -> str:
    """The page."""
    return "\n".join([*_head(reps), *_settled(lines), *_covered(covered), *_real(beside, like)]) + "\n"


def _head(reps: int) -> Iterator[str]:
    yield "# Labels already owned: e-discovery"
    yield ""
    yield f"Made by `make known`: {DOCUMENTS:,} documents, {CODED:,} of them coded by an earlier review that took what its own ranking put"
    yield f"first, {LABELS:,} new labels (those of the check among them), recall >= {TARGET} asked of a later model, the interval that"
    yield f"decides by default, {reps:,} replicates of each cell. The codes are one fixed world; chance is that of the draw."
    yield ""


def _settled(lines: Sequence[Line]) -> Iterator[str]:
    yield "## How often the target is settled"
    yield ""
    for world in WORLDS:
        mine = [line for line in lines if line.world == world.name]
        found = case_of(world, RECALLS[0], seed=SEED).found
        yield f"### {world.name}; the review found {found:.0%} of the relevant documents"
        yield ""
        yield "| labels | settled of 100 at a true recall of 0.85 | at 0.80 | mean half-width at 0.85 |"
        yield "|---|---|---|---|"
        for way in dict.fromkeys(line.way for line in mine):
            one, other = (next(line.row for line in mine if (line.way, line.recall) == (way, recall)) for recall in RECALLS)
            yield f"| {way} | {100 * one.settled / one.reps:.1f} | {100 * other.settled / other.reps:.1f} | {one.half_width:.3f} |"
        yield ""
    yield from _compared(lines)


def _compared(lines: Sequence[Line]) -> Iterator[str]:
    """How many times as often a draw from all settles the target, and what limits the gain."""
    for world in WORLDS:
        for recall in RECALLS:
            mine = {line.way: line.row.settled / line.row.reps for line in lines if (line.world, line.recall) == (world.name, recall)}
            first, *_, bands, simple = mine.values()
            yield f"- {world.name}, at {recall:g}: a draw from all settles it {bands / first:.2f} times as often by bands, and"
            yield f"  {simple / first:.2f} times at random, as one beside known answers that nobody checks."
    yield ""
    yield (
        "What limits the gain is the part that nobody coded: labels go there in any case, and known answers take away the chance of the "
        "others"
    )
    yield (
        "only. The check is a part of the 2,500: at 5 % it takes 1,000 of them, more than a review that makes few mistakes is worth "
        "checking."
    )
    yield ""


def _covered(covered: Sequence[Line]) -> Iterator[str]:
    yield "## How often the 95 % interval of recall holds"
    yield ""
    yield "A cell passes if an exact binomial test at 1e-3 does not reject a true coverage of 0.94."
    yield ""
    yield "| world | known answers | true recall | coverage | |"
    yield "|---|---|---|---|---|"
    for line in covered:
        share, says = line.row.covered / line.row.reps, verdict(line.row.covered, line.row.reps)
        yield f"| {line.world} | {line.way} | {line.recall:g} | {share:.4f} | {says} |"
    yield ""


def _real(beside: Row, like: Row) -> Iterator[str]:
    yield "## Real studies"
    yield ""
    low, high = (binom.ppf(q, beside.reps, like.settled / like.reps) for q in (0.005, 0.995))
    yield f"{beside.reps} studies from the table to the decision, {CHECK:.0%} checked, {WORLDS[0].name}, at a true recall of 0.85:"
    yield f"{beside.settled} settled the target (between {low:.0f} and {high:.0f} are to be expected of the cell above), {beside.covered}"
    yield f"intervals held, and the mean half-width is {beside.half_width:.4f}, where counts by cell give {like.half_width:.4f}."


def main() -> None:
    """Make all cells and the page."""
    parser = parser_of(__doc__, reps=2_000, tables=False)
    parser.add_argument("--studies", type=int, default=STUDIES)
    given = parser.parse_args()
    reps, seed = given.reps, given.seed
    lines = [line for world in WORLDS for recall in RECALLS for line in settling(world, recall, reps=reps, seed=seed)]
    covered = [line for world in WORLDS for line in covering(world, RECALLS[0], reps=reps, seed=seed)]
    like = next(line.row for line in lines if line.world == WORLDS[0].name and f"{CHECK:.0%} of" in line.way and line.recall == RECALLS[0])
    beside = real(WORLDS[0], RECALLS[0], number=given.studies, seed=seed)
    given.out.write_text(page(lines, covered, beside, like, reps))


if __name__ == "__main__":
    main()
