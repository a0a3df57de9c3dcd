"""The sections about decisions: labels until they come, errors at the threshold, two classifiers, and rules that peek."""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from benchmarks.anytime_made import contested, f1_contest, plain, precision
from benchmarks.anytime_paths import BATCH, DECISION, Decided, Paths, Setting, chunks, decided, drawn
from benchmarks.anytime_rules import (
    Counts,
    Rule,
    adaptive_counts,
    decide,
    fixed_for_decision,
    late_wald,
    simple_counts,
    smoothed,
    stop_at_width,
    wilson,
)
from benchmarks.anytime_store import Row
from fewlabels.intervals.anytime import Wealth, bet, no_evidence
from fewlabels.nouns.arrays import FloatArray
from fewlabels.randomness import stream

DECIDING, THRESHOLD, TOLERANT, CONTEST, SIGN, RULES = 81, 82, 83, 84, 85, 86  # purposes of the streams
TARGET, TOLERANCE = 0.9, 0.02
TRUTHS = (0.95, 0.92, 0.88)
PEEKING = 8_000  # labels at the threshold
F1_POINTS = 26  # values at which the sign of a difference is tested
HALF_WIDTHS = (0.05, 0.03, 0.01)
SOME = 500  # paths at a time
Wanted = Iterator[tuple[str, Callable[[], Row]]]
WAYS: dict[str, Callable[[float], Setting]] = {"simple draw": plain, "adaptive": precision}


def summary(found: Decided, right: int) -> Row:
    """Mean and 90th percentile of the labels, and the shares of wrong and of no answers."""
    return {
        "paths": found.labels.size, "labels": float(found.labels.mean()), "most": float(np.quantile(found.labels, 0.9)),
        "wrong": int((found.answer == -right).sum()), "open": int((found.answer == 0).sum()),
    }  # fmt: skip


def decision_row(make: Callable[[float], Setting], truth: float, *, tolerance: float, paths: int, rng: np.random.Generator) -> Row:
    """Labels until it is decided whether precision is at least the target."""
    at = make(truth)
    found = decided(at, TARGET, paths=paths, T=at.size, rng=rng, tolerance=tolerance)
    row = summary(found, 1 if truth > TARGET else -1)
    if truth == TARGET:
        return row
    fixed = fixed_for_decision(truth, TARGET, at.size)
    return {**row, "fixed": fixed, "over": float(found.labels.mean()) / fixed}


def decisions(*, paths: int, seed: int) -> Wanted:
    """Without a tolerance."""
    for i, (way, make) in enumerate(WAYS.items()):
        for j, truth in enumerate(TRUTHS):
            yield f"{way}, {truth:g}", partial(decision_row, make, truth, tolerance=0.0, paths=paths, rng=stream(seed, DECIDING, i, j))


def tolerant(*, paths: int, seed: int) -> Wanted:
    """With a tolerance, also for a truth at the target, where either answer is right."""
    for i, (way, make) in enumerate(WAYS.items()):
        for j, truth in enumerate((*TRUTHS, TARGET)):
            rng = stream(seed, TOLERANT, i, j)
            yield f"{way}, {truth:g}", partial(decision_row, make, truth, tolerance=TOLERANCE, paths=paths, rng=rng)


def threshold_row(make: Callable[[float], Setting], *, paths: int, rng: np.random.Generator) -> Row:
    """Answers that come although the truth is at the target: there is nothing to find."""
    at, yes, no = make(TARGET), 0, 0
    for some in chunks(paths):
        evidence, m = no_evidence((some,), np.array([TARGET])), np.array([TARGET])
        for steps in drawn(Paths(at, some), T=PEEKING, rng=rng):
            evidence = bet(evidence, at.terms, steps, m, N=float(at.size))
        above, below = (evidence.best[:, 0] >= DECISION).sum(axis=0).tolist()
        yes, no = yes + above, no + below
    return {"paths": paths, "labels": PEEKING, "yes": yes, "no": no}


def thresholds(*, paths: int, seed: int) -> Wanted:
    """By both ways of drawing."""
    for i, (way, make) in enumerate(WAYS.items()):
        yield way, partial(threshold_row, make, paths=paths, rng=stream(seed, THRESHOLD, i))


# ---------------------------------------------------------------- two classifiers


def contest_row(share: float, *, paths: int, rng: np.random.Generator) -> Row:
    """Which of two classifiers is more accurate, from the units on which they disagree."""
    at = contested(share)
    found = decided(at, 0.0, paths=paths, T=at.size - 1, rng=rng)
    row = {**summary(found, 1), "yes": int((found.answer == 1).sum())}
    if share == 0.5:
        return row
    fixed = fixed_for_decision(share, 0.5, at.size)
    return {**row, "fixed": fixed, "over": float(found.labels.mean()) / fixed}


def contests(*, paths: int, seed: int) -> Wanted:
    """The first right in 60 %, 55 % and half of the disagreements."""
    for i, share in enumerate((0.6, 0.55, 0.5)):
        yield f"{share:g}", partial(contest_row, share, paths=paths, rng=stream(seed, CONTEST, i))


# ------ F1: common units, which neither label nor draw ever touches: 3,820 positives that both flag, 480 others, 480 that both miss
COMMON_TP, COMMON_FP, COMMON_FN = 3_820, 480, 480
PAIRS = {  # (units, positives) that only the first flags, and only the second
    "first better": ((700, 397), (700, 303)),
    "equal": ((700, 350), (700, 350)),
    "equal, first flags more": ((900, 464), (500, 297)),
}


def f1_of(own: tuple[int, int], other: tuple[int, int]) -> float:
    """F1 of the classifier that flags `own` beside the common units."""
    flagged, positives = COMMON_TP + COMMON_FP + own[0], COMMON_TP + COMMON_FN + own[1] + other[1]
    return 2 * (COMMON_TP + own[1]) / (flagged + positives)


def sign_row(first: tuple[int, int], second: tuple[int, int], between: tuple[float, float], *, paths: int, rng: np.random.Generator) -> Row:
    """Claims that one F1 is larger: the bet must be won at every value that both might have."""
    at = f1_contest(first, second)
    m = np.linspace(*between, F1_POINTS)
    found = [_signs(at, m, paths=min(500, paths - start), rng=rng) for start in range(0, paths, 500)]
    labels, answer = (np.concatenate(part) for part in zip(*found, strict=True))
    return {
        **summary(Decided(labels, answer), 1), "yes": int((answer == 1).sum()), "first": f1_of(first, second),
        "second": f1_of(second, first), "low": between[0], "high": between[1], "disagreements": at.size,
    }  # fmt: skip


def _signs(at: Setting, m: FloatArray, *, paths: int, rng: np.random.Generator) -> Decided:
    labels, answer = np.full(paths, at.size - 1), np.zeros(paths, dtype=np.int64)
    still, state, evidence = np.arange(paths), Paths(at, paths), no_evidence((paths,), m)
    for t, steps in enumerate(drawn(state, T=at.size - 1, rng=rng), start=1):
        evidence = bet(evidence, at.terms, steps, m, N=float(at.size))
        if t % BATCH:
            continue
        above, below = (evidence.best.min(axis=1) >= DECISION).T
        said = np.where(above, 1, np.where(below, -1, 0))
        labels[still[said != 0]], answer[still] = t, said
        going = said == 0
        still, evidence = still[going], Wealth(evidence.wealth[going], evidence.best[going])
        state.keep(going)
        if not still.size:
            break
    return Decided(labels, answer)


def signs(*, paths: int, seed: int) -> Wanted:
    """Over a wide and a narrow range of values."""
    for i, (name, (first, second)) in enumerate(PAIRS.items()):
        for j, between in enumerate(((0.5, 1.0), (0.8, 0.88))):
            rng = stream(seed, SIGN, i, j)
            yield f"{name}, {between[0]:g} to {between[1]:g}", partial(sign_row, first, second, between, paths=paths, rng=rng)


# ---------------------------------------------------------------- rules that peek


Looks = Callable[[float], Iterator[Counts]]  # the truth -> paths, some at a time


def rule_row(rule: Rule, twice: bool, looks: Looks) -> Row:
    """One rule on every question: labels and errors."""
    row: Row = {}
    for truth in (*TRUTHS, TARGET):
        decisions_, stopped = [], []
        for at in looks(truth):
            decisions_.append(decide(rule, at, TARGET, twice=twice))
            if truth == TRUTHS[0]:
                stopped.append([stop_at_width(rule, at, truth, half_width, twice=twice) for half_width in HALF_WIDTHS])
        answer, labels = (np.concatenate([getattr(d, name) for d in decisions_]) for name in ("answer", "labels"))
        if truth == TARGET:
            row |= {"paths": answer.size, "yes": float((answer == 1).mean()), "no": float((answer == -1).mean())}
        else:
            right = 1 if truth > TARGET else -1
            row |= {f"labels {truth:g}": float(labels.mean()), f"wrong {truth:g}": float((answer == -right).mean())}
        for half_width, parts in zip(HALF_WIDTHS, zip(*stopped, strict=True), strict=False):
            used, missed = (np.concatenate([getattr(part, name) for part in parts]) for name in ("labels", "missed"))
            row |= {f"labels +-{half_width:g}": float(used.mean()), f"missed +-{half_width:g}": float(missed.mean())}
    return row


def rules(*, paths: int, seed: int) -> Wanted:
    """Simple draws looked at every ten labels; smoothed shares on the study's own draws too."""

    def simple(truth: float) -> Iterator[Counts]:
        for start in range(0, paths, SOME):
            yield simple_counts(truth, 10_000, T=PEEKING, paths=SOME, rng=stream(seed, RULES, 0, round(100 * truth), start))

    def adaptive(truth: float) -> Iterator[Counts]:
        for start in range(0, paths, SOME):
            yield adaptive_counts(precision(truth), T=PEEKING, paths=SOME, rng=stream(seed, RULES, 1, round(100 * truth), start))

    yield "simple draw: Bennett and Carvalho's rule", partial(rule_row, smoothed, True, simple)
    yield "simple draw: Wald, every look", partial(rule_row, late_wald, False, simple)
    yield "simple draw: Wilson, every look", partial(rule_row, wilson, False, simple)
    yield "adaptive: Bennett and Carvalho's rule", partial(rule_row, smoothed, True, adaptive)
