"""What a study's numbers are about, in words: the units of its table, or units like these."""

from collections.abc import Iterator

from fewlabels.estimators.measuring import clusters_behind
from fewlabels.estimators.process import FEW, TOO_FEW
from fewlabels.nouns.decision import Decision
from fewlabels.nouns.metric import Metric
from fewlabels.nouns.profile import Profile
from fewlabels.nouns.tally import AnyTally
from fewlabels.nouns.works_with import Trait
from fewlabels.planning.goal_scope import cells_of
from fewlabels.study.plan.sizes import AllUnits
from fewlabels.study.state.progress import planned_labels
from fewlabels.study.state.standing import Standing

ALL_LABELED = "every unit of this table that it needs is labeled"


def about_words(standing: Standing) -> str:
    """What every number of a study is about."""
    if Trait.ELSEWHERE in standing.traits:
        return _of_sample(standing)
    labels = planned_labels(standing) if standing.plans else 0
    return about_table(standing.profile, standing.population.get("cluster"), labels=labels)


def about_table(profile: Profile, cluster: str | None, *, labels: int = 0) -> str:
    """What numbers from a table are about, if so many of its units are labeled."""
    if profile.process is None:
        said = f"about the {profile.whole:,} units of this table"
        return (
            said if 2 * labels <= profile.whole else f"{said}, {labels:,} of them labeled: it says nothing about others (--about process)"
        )
    said = f"about units like the {profile.N:,} of this table, the process that they came from"
    clusters = profile.process.clusters
    if clusters is not None:
        said += f", in {clusters.number:,} clusters by {cluster}"
        said += f", {clusters.alone:,} of them units without one" if clusters.alone else ""
    return said


def _of_sample(standing: Standing) -> str:
    """What the numbers of a sample drawn elsewhere are about: all it was drawn from, of which it may know the size only roughly."""
    profile, how = standing.profile, standing.plan.elsewhere
    units = f"the {'' if how is not None and how.strata else 'roughly '}{profile.N:,} units that the sample was drawn from"
    if profile.process is None:
        return f"about {units}"
    said = f"about units like {units}, the process that they came from"
    if profile.process.clusters is not None:
        said += f", in clusters by {standing.population['cluster']}, {profile.process.clusters.number:,} of them in the sample"
    return said


def few_clusters(metric: Metric, tally: AnyTally) -> str | None:
    """A caution about a number that few clusters carry; None if there are enough, or none."""
    found = clusters_behind(metric, tally)
    if found is None or not TOO_FEW <= found < FEW:  # with fewer there is no value, and the estimate says why
        return None
    return f"{found:.3g} clusters' worth of units carry it: below {FEW:g}, the variance between clusters is hardly known"


def beyond_the_table(standing: Standing, decision: Decision) -> Iterator[str]:
    """What is open although all units are labeled: labels of this table cannot settle it, units like these can."""
    profile = standing.profile
    for verdict in decision.goals:
        goal, found = verdict.goal, verdict.estimate
        if verdict.status != "open":
            continue
        if goal.kind != "+-" or found.value is None:
            yield f"{goal}: {ALL_LABELED}; it needs units like these, of another table"
            continue
        units = int(profile.count[cells_of(profile, goal.slice, standing.population["slices"])].sum())
        reach, wider = found.half_width, float(goal.half_width(found.value, found.low, found.high))
        yield f"{goal}: {ALL_LABELED}; {AllUnits.of(profile.process, units, reach, wider / goal.value, N=profile.N)}"
