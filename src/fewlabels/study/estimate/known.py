"""Labels already owned, in words: what they count for, whether they were checked, and what it means that a classifier learned from them."""

from collections.abc import Iterator

from fewlabels.nouns.known import KnownLabels
from fewlabels.study.state.standing import Standing

LEARNED = "the numbers hold for this table, whose other units are drawn at random, but flatter the classifier about units it has not seen"


def known_words(known: KnownLabels) -> Iterator[str]:
    """What a study says of its known answers from the start."""
    units, positive = len(known), int(known.positive.sum())
    if known.one_sided:
        yield f"{units:,} units are known to be positive and never drawn; nothing is assumed of the others, which all labels go to"
    else:
        yield f"{units:,} units count as their known answers say ({positive:,} positive) and are never drawn; all labels go to the others"
    if known.counts.is_checked:
        yield f"{known.counts.labels:,} known answers are given again, blind, and what that says counts for all of them"
    else:
        yield "no known answer is checked: a wrong one moves every number, and no interval allows for it (--known-check 0.05)"
    if known.training == "yes":
        yield f"the classifier learned from the known answers: {LEARNED}"
    elif known.training == "unknown":
        yield f"nobody said whether the classifier learned from the known answers (--known-in-training): if it did, {LEARNED}"


def check_words(standing: Standing) -> Iterator[str]:
    """What the check showed, once all labels are in."""
    from fewlabels.study.state.tallies import read_check  # and with it SciPy, which `status` does not need

    told, known = read_check(standing), standing.owned
    if told is None or known is None:
        return
    counts = known.counts
    wrong = float((told.n - told.k)[counts.positive].sum() + told.k[~counts.positive].sum())
    yield f"the check contradicts {wrong:,.0f} of the {told.n.sum():,.0f} known answers that it repeated, and corrects the others by that"
