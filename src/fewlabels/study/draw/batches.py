"""Hand out units: the open batch until all of it is answered, then the next units in asking order, then those that need a second look."""

from collections.abc import Sequence
from itertools import islice

from fewlabels.ledgers.base import Writing
from fewlabels.study.draw.fixed import shuffled
from fewlabels.study.state.standing import Batch, Standing


def next_batch(act: Writing, standing: Standing, units: int, *, more: bool, second: bool, labeler: str | None = None) -> Batch | None:
    """The units to label now, recorded; None when nothing is left. more=True hands out new ones even if earlier ones are still open.

    second=True hands out, when nothing else is left, units that another labeler has to answer; `labeler`: who that is, if it is known.
    """
    counts = standing.whole
    if counts.open and not more:
        return open_batch(standing, list(standing.open_units()))
    if counts.fresh:
        return new_batch(act, standing, list(islice(standing.fresh_units(), units)))
    return _second_batch(act, standing, units, more=more, labeler=labeler) if second and not counts.open else None


def _second_batch(act: Writing, standing: Standing, units: int, *, more: bool, labeler: str | None) -> Batch | None:
    """Units that another labeler has to answer, recorded; None when nothing is left that this one has not answered."""
    lacking = [unit for unit in standing.lacking_second() if labeler is None or not standing.has_answered(unit, labeler)]
    still_open = [unit for unit in lacking if standing.waits_again(unit)]
    if still_open and not more:
        return open_batch(standing, still_open)
    held = set(still_open)
    new = [unit for unit in lacking if unit not in held][:units]
    return new_batch(act, standing, new) if new else None


def new_batch(act: Writing, standing: Standing, units: Sequence[str]) -> Batch:
    """Record a batch of these units."""
    batch = Batch(number=standing.batches + 1, plan=standing.plan.number, units=shuffled(standing.salt, units))
    act.append("batch", key=f"batch:{batch.number}", body={"number": batch.number, "plan": batch.plan, "units": list(batch.units)})
    return batch


def open_batch(standing: Standing, still_open: Sequence[str]) -> Batch:
    """The units of earlier batches that still wait for an answer, under the number of the newest of those batches."""
    number = max(map(standing.batch_of, still_open))
    plan = next(plan for first, plan in reversed(standing.batch_plans) if first <= number)
    return Batch(number=number, plan=plan, units=shuffled(standing.salt, still_open))
