"""What counts as covered: a cell passes if an exact binomial test at 1e-3 does not reject a true coverage one point below its level."""

from scipy.stats import binom

TEST = 1e-3
SLACK, REFUSED = 0.01, 0.05  # below the level: what is asked at least, and what is refused if observed


def verdict(hits: int, reps: int, level: float = 0.95) -> str:
    """passes, caution or refuse: at level 0.95 a true coverage of 0.94 is asked, and less than 0.90 observed is refused."""
    if hits < (level - REFUSED) * reps - 1e-9:
        return "refuse"
    return "caution" if binom.cdf(hits, reps, level - SLACK) < TEST else "passes"


def verdict_of(hits: int, reps: int) -> str:
    """A mark for a table at level 0.95: nothing where the cell passes."""
    return {"passes": "", "caution": " (caution)", "refuse": " (refuse)"}[verdict(hits, reps)]
