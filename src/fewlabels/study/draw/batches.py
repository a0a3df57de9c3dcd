"""Hand out units: the open batch until all of it is answered, then the next units in asking order, then those that need a second look."""

from collections.abc import Sequence

from fewlabels.ledgers.base import Writing
from fewlabels.study.draw.fixed import shuffled
from fewlabels.study.state.standing import Batch, Standing


def next_batch(act: Writing, standing: Standing, units: int, *, more: bool, second: bool) -> Batch | None:
    """The units to label now, recorded; None when nothing is left. more=True hands out new ones even if earlier ones are still open.

    second=True hands out, when nothing else is left, units that another labeler has to answer.
    """
    waiting, asked = standing.unresolved, standing.asked
    still_open = [unit for unit in waiting if unit in asked]
    if still_open and not more:
        return open_batch(standing, still_open)
    fresh = [unit for unit in waiting if unit not in asked][:units]
    if fresh:
        return new_batch(act, standing, fresh)
    return _second_batch(act, standing, units) if second and not waiting else None


def _second_batch(act: Writing, standing: Standing, units: int) -> Batch | None:
    """Units that another labeler has to answer, recorded; None when nothing is left."""
    lacking = [unit for unit in standing.second_looks if not standing.was_seen_twice(unit)]
    still_open = [unit for unit in lacking if standing.waits_again(unit)]
    if still_open:
        return open_batch(standing, still_open)
    return new_batch(act, standing, lacking[:units]) if lacking else None


def new_batch(act: Writing, standing: Standing, units: Sequence[str]) -> Batch:
    """Record a batch of these units."""
    batch = Batch(number=len(standing.batches) + 1, plan=standing.plan.number, units=shuffled(standing.salt, units))
    act.append("batch", key=f"batch:{batch.number}", body={"number": batch.number, "plan": batch.plan, "units": list(batch.units)})
    return batch


def open_batch(standing: Standing, still_open: Sequence[str]) -> Batch:
    """The units of earlier batches that still wait for an answer, under the number of the newest of those batches."""
    last = max((b for b in standing.batches if set(b.units) & set(still_open)), key=lambda b: b.number)
    return Batch(number=last.number, plan=last.plan, units=shuffled(standing.salt, still_open))
