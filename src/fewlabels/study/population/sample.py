"""Read a sample that was drawn elsewhere: its units, predictions, answers and inclusion probabilities, checked before anything is kept."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fewlabels.engines.base import Engine
from fewlabels.errors import DrawError, PlanError
from fewlabels.nouns.arrays import FloatArray, IntArray
from fewlabels.nouns.canonical import fingerprint
from fewlabels.nouns.draw import Units
from fewlabels.nouns.elsewhere import Elsewhere
from fewlabels.nouns.goal import Goal
from fewlabels.nouns.profile import Profile
from fewlabels.randomness import TOP

AGREE = 0.01  # relative: how far a rounded probability may be from that of its stratum
FEWEST, MOST_GROUPS = 25, 20  # units at probabilities that are read as one, and how many such groups there are at most
Text = str | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sample:
    """A sample as read, one row a unit.

    units    ids, predictions and scores; their slice is the stratum, or the probability they were drawn with
    band     the stratum, or the group of similar probabilities
    names    of the strata or probabilities, by slice
    pi       the inclusion probability
    size     the units of each stratum; None if strata are not known
    answer   as written; None if there is none
    cluster  as written; None if no column was named
    """

    units: Units
    names: tuple[str, ...]
    pi: FloatArray
    size: IntArray | None
    answer: tuple[Text, ...]
    cluster: tuple[Text, ...] | None
    columns: Mapping[str, str]
    hash: str

    @property
    def profile_cells(self) -> IntArray:
        """The cells of the sample: pattern and slice, sorted, one row each."""
        return np.unique(np.stack([self.units.pattern, self.units.slice], axis=1), axis=0)


def read_sample(engine: Engine, columns: Mapping[str, str]) -> tuple[Sample, Profile]:
    """The sample in a table and the profile of what it stands for. Raise for ids, predictions and columns that cannot be read.

    columns   names by what they hold: answer, probability, and optionally stratum, size and cluster
    """
    counted = engine.profile()
    cells = counted.count.size
    found = engine.below(counted, band=np.zeros(cells, dtype=np.int64), bound=np.array([TOP]), salt="")
    units = found.pick(found.in_order())
    rows = engine.fetch(units.unit, columns=list(dict.fromkeys(columns.values())))
    told = {what: tuple(row[name] for row in rows) for what, name in columns.items()}
    pi = _probabilities(units.unit, told["probability"], columns["probability"])
    size = None
    if "stratum" in told:
        names, slices = _strata(units.unit, told["stratum"], columns["stratum"])
        size = _sizes(names, slices, told["size"], columns["size"])
        pi = _agreeing(names, np.bincount(slices), size, pi, slices)
    else:
        levels, slices = np.unique(pi, return_inverse=True)
        names = tuple(map(repr, levels.tolist()))
    units = replace(units, slice=slices.astype(np.int64), guide_bin=np.zeros(len(units), dtype=np.int64), band=_bands(slices, size))
    sample = Sample(
        units=units, names=names, pi=pi, size=size, answer=told["answer"], cluster=told.get("cluster"), columns=columns,
        hash=_hash(units, told),
    )  # fmt: skip
    return sample, profile_of(sample, counted)


def profile_of(sample: Sample, counted: Profile) -> Profile:
    """The profile of the units that the sample stands for: one cell for each prediction in a stratum, or at one probability."""
    cells, how = sample.profile_cells, elsewhere_of(sample)
    return replace(
        counted,
        guide_bin=np.zeros(len(cells), dtype=np.int64),
        pattern=cells[:, 0],
        slice=cells[:, 1],
        count=np.maximum(np.rint(how.N), how.n).astype(np.int64),
        slice_values=tuple((name,) for name in sample.names),
        guided=False,
    )


def elsewhere_of(sample: Sample) -> Elsewhere:
    """How the sample was drawn, by cell of its profile."""
    cells = sample.profile_cells
    both = np.stack([sample.units.pattern, sample.units.slice], axis=1)
    _, home = np.unique(both, axis=0, return_inverse=True)
    pi = np.zeros(len(cells))
    pi[home.reshape(-1)] = sample.pi
    n = np.bincount(home.reshape(-1), minlength=len(cells))
    return Elsewhere(n=n, pi=pi, strata=sample.size is not None, columns=sample.columns, hash=sample.hash)


def probabilities(profile: Profile, how: Elsewhere, units: Units) -> FloatArray:
    """The inclusion probability of each unit of a sample, as its plan has it."""
    return how.pi[profile.cells(units.pattern, units.guide_bin, units.slice)]


def refuse_one_sided(profile: Profile, goals: Iterable[Goal]) -> None:
    """Raise PlanError for a goal that needs units on a side of which the sample has none: none drawn does not mean that there are none."""
    flagged = profile.predicted(0)
    for goal in goals:
        metric = goal.definition
        for word, side, needed in (("flagged", flagged, metric.needs_flagged), ("unflagged", ~flagged, metric.needs_unflagged)):
            if needed and not side.any():
                raise PlanError(
                    f"{metric.name} needs {word} units, but none of the sample is {word}: ask for what the other side shows, or draw some"
                )


def changed_sample(engine: Engine, how: Elsewhere) -> Iterator[str]:
    """What differs between the sample as it is now and as it was read."""
    now, _ = read_sample(engine, how.columns)
    if now.hash != how.hash:
        yield f"sample: its rows are not those that were read (hash {how.hash[:12]}, now {now.hash[:12]}): restore it"


def _hash(units: Units, told: Mapping[str, Sequence[Text]]) -> str:
    rows = {name: list(values) for name, values in told.items()}
    return fingerprint({**rows, "unit": list(units.unit), "pattern": units.pattern.tolist()})


def _bands(slices: IntArray, size: IntArray | None) -> IntArray:
    """The band of each unit: its stratum; else the group of its probability, one for each if there are few of them."""
    if size is not None or slices.max() < MOST_GROUPS:
        return slices.astype(np.int64)
    groups = min(MOST_GROUPS, max(1, slices.size // FEWEST))
    first = np.searchsorted(np.sort(slices), np.arange(slices.max() + 1))  # units at lower probabilities
    _, band = np.unique((first * groups // slices.size)[slices], return_inverse=True)
    return band.astype(np.int64)


def _probabilities(units: Sequence[str], texts: Sequence[Text], column: str) -> FloatArray:
    """The probabilities as numbers; raise DrawError for one that is none."""
    pi = np.array([_number(text) for text in texts])
    bad = np.flatnonzero(~((pi > 0) & (pi <= 1)))
    if bad.size:
        i = int(bad[0])
        raise DrawError(
            f"inclusion probabilities must be above 0 and at most 1, but {column!r} is {texts[i]!r} for unit {units[i]!r} and so for "
            f"{bad.size:,} in all: name the column of probabilities, not of weights (a probability is 1 / weight)"
        )
    return pi


def _strata(units: Sequence[str], texts: Sequence[Text], column: str) -> tuple[tuple[str, ...], IntArray]:
    """The names of the strata, and the stratum of each unit."""
    missing = [unit for unit, text in zip(units, texts, strict=True) if text is None or not text.strip()]
    if missing:
        raise DrawError(
            f"every unit needs a stratum, but {column!r} is empty for {len(missing):,} (for example {missing[0]!r}): fill it in"
        )
    names, slices = np.unique(np.array([str(text) for text in texts]), return_inverse=True)
    return tuple(map(str, names)), slices.astype(np.int64)


def _sizes(names: Sequence[str], slices: IntArray, texts: Sequence[Text], column: str) -> IntArray:
    """The units of each stratum; raise DrawError unless each has one size, a whole number."""
    numbers = np.array([_number(text) for text in texts])
    size = np.zeros(len(names), dtype=np.int64)
    for h, name in enumerate(names):
        found = np.unique(numbers[slices == h])
        if found.size > 1 or not found[0] >= 1 or found[0] != np.rint(found[0]):
            said = ", ".join(f"{value:g}" for value in found[:3].tolist())
            raise DrawError(
                f"a stratum must have one size, a whole number of units, but {column!r} is {said} in stratum {name!r}: write how many "
                "units it had when the sample was drawn"
            )
        size[h] = int(found[0])
    return size


def _agreeing(names: Sequence[str], n: IntArray, size: IntArray, pi: FloatArray, slices: IntArray) -> FloatArray:
    """n_h / N_h of each unit; raise DrawError unless the probabilities say so, and each stratum shows its variance."""
    rate = n / size
    for h, name in enumerate(names):
        mine = pi[slices == h]
        if n[h] > size[h]:
            raise DrawError(f"a stratum can give at most its units, but {name!r} has {size[h]:,} and {n[h]:,} were drawn: correct its size")
        if np.abs(mine / rate[h] - 1).max() > AGREE:
            raise DrawError(
                f"probabilities must be drawn units over units, but stratum {name!r} has {n[h]:,} of {size[h]:,}, which is {rate[h]:.6g}, "
                f"and probabilities from {mine.min():.6g} to {mine.max():.6g}: list all drawn units, those without an answer too, or leave "
                "the strata out"
            )
        if n[h] < 2 and size[h] > n[h]:
            raise DrawError(
                f"a stratum that was not taken whole needs two units to show its variance, but {name!r} has 1 of {size[h]:,}: join it to a "
                "stratum like it, sizes and probabilities too"
            )
    return np.asarray(rate[slices])


def _number(text: Text) -> float:
    try:
        return float(text) if text is not None else float("nan")
    except ValueError:
        return float("nan")
