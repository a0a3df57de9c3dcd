"""What one page shows of a study: progress, estimates, verdict and more, all of them of one state of the ledger."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fewlabels.nouns.canonical import Json
from fewlabels.nouns.decision import Decision
from fewlabels.nouns.display import Displayed
from fewlabels.study.decision.results import Results, Seen
from fewlabels.study.estimate.confusion import read_confusion
from fewlabels.study.estimate.convergence import Convergence
from fewlabels.study.estimate.labelers import Labelers, read_labelers
from fewlabels.study.estimate.matrix import Matrix, read_matrices
from fewlabels.study.estimate.online import Running
from fewlabels.study.estimate.result import Estimates
from fewlabels.study.kinds import kind_of
from fewlabels.study.report.words import after_decision, no_verdict
from fewlabels.study.state.standing import Standing

NO_PLAN = "Plan the labels first."


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Overview(Displayed):
    """A study at one moment.

    head          how many entries of its ledger these numbers depend on: all but certified looks. Of two overviews, the one with the larger
                  head is the newer
    standing      the state they were all read from
    estimates     None without a plan; before its look they have progress only
    decision, convergence   None before the look
    running       None unless the study is online and has a label
    matrices      empty before the look
    next_step     what to do now, in a sentence
    before_end    what is missing before the last declared look; None after it
    """

    head: int
    standing: Standing
    estimates: Estimates | None
    decision: Decision | None
    convergence: Convergence | None
    running: Running | None
    matrices: tuple[Matrix, ...]
    labelers: Labelers
    next_step: str
    before_end: str | None

    def as_json(self) -> dict[str, Json]:
        """Plain data for the API."""
        shown = self.estimates
        return {
            "head": self.head,
            "estimate": None if shown is None else shown.as_json(),
            "decision": None if self.decision is None else self.decision.as_json(),
            "convergence": None if self.convergence is None else self.convergence.as_json(),
            "running": None if self.running is None else self.running.as_json(),
            "confusion": [matrix.as_json() for matrix in self.matrices],
            "tipping": [] if shown is None else [{**one.as_json(), "said": str(one)} for one in shown.tipping],
            "labelers": self.labelers.as_json(),
            "next_step": self.next_step,
            "before_end": self.before_end,
        }


def read_overview(standing: Standing, results: Results, seconds: Mapping[str, Sequence[float]]) -> Overview:
    """What there is to see of a study; recorded as a look before it is returned, if there are numbers.

    standing   the study as it is now; if it has a plan, it is read again with the look
    seconds    how long each labeler looked at each unit
    """
    if not standing.plans:
        return _overview(standing, None, seconds, next_step=NO_PLAN)
    seen = results.look(peek=False)
    if not seen.shown.estimates:
        return _overview(seen.standing, seen.shown, seconds, next_step=no_verdict(seen.shown.progress))
    return _with_numbers(seen, results, seconds)


def _with_numbers(seen: Seen, results: Results, seconds: Mapping[str, Sequence[float]]) -> Overview:
    standing, shown, kind = seen.standing, seen.shown, kind_of(seen.standing)
    decision = results.once("decision", seen, lambda: kind.decide(standing, shown))
    cells = results.once("confusion", seen, lambda: read_confusion(standing)) if standing.classes else ()
    running = kind.running(standing, forecast=True)
    ahead = None if running is None else running.remaining
    return _overview(
        standing,
        shown,
        seconds,
        decision=decision,
        convergence=results.once("convergence", seen, lambda: kind.converge(standing)),
        running=running,
        matrices=read_matrices(standing, shown, cells),
        next_step=after_decision(decision) if ahead is None else f"Label on: {ahead}.",
    )


def _overview(
    standing: Standing,
    shown: Estimates | None,
    seconds: Mapping[str, Sequence[float]],
    *,
    next_step: str,
    decision: Decision | None = None,
    convergence: Convergence | None = None,
    running: Running | None = None,
    matrices: tuple[Matrix, ...] = (),
) -> Overview:
    kind = kind_of(standing)
    return Overview(
        head=standing.head, standing=standing, estimates=shown, decision=decision, convergence=convergence, running=running,
        matrices=matrices, labelers=read_labelers(standing, seconds, shown=kind.shows(standing)), next_step=next_step,
        before_end=kind.before_end(standing),
    )  # fmt: skip
