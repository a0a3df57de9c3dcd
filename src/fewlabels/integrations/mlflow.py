"""A study's numbers and report in MLflow: one step for each certified look, so that the interval is seen to shrink.

MLflow has no interval, so each metric has its limits beside it: precision, precision.ci_low, precision.ci_high, precision.half_width and
precision.n_eff. Nothing is logged before the plan's look, and no peek. A look is logged under the time the ledger has for it: what is
logged already is known again, so logging twice is logging once.
"""

import hashlib
import json
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from fewlabels.errors import EngineError, StudyError
from fewlabels.installation import install_command
from fewlabels.nouns.canonical import Json, fingerprint
from fewlabels.nouns.estimate import Estimate
from fewlabels.study.state.progress import Progress
from fewlabels.study.study import Study

if TYPE_CHECKING:
    from mlflow import MlflowClient
    from mlflow.entities import Metric

FOLDER = "fewlabels"  # of the run's artifacts
EXPERIMENT = "fewlabels"
LABELS = "labels_used"
MARK = "fewlabels.study_id"  # the tag by which a study's run is found again
MOST_AT_ONCE = 1000  # metrics MLflow takes in one request
LONGEST_TAG = 4000
LONGEST = 60  # letters of one part of a metric's name
REFUSED = re.compile(r"[^\w.\- ]+")
PASSWORD = re.compile(r"//[^/@\s]*@")  # of an address
MLFLOW_ERRORS = ("mlflow", "requests", "urllib3", "sqlalchemy")  # the packages whose errors mean that MLflow failed


class Logged(NamedTuple):
    """What was logged.

    steps       labels at each look that was new to the run
    known       looks that the run had already
    """

    experiment_id: str
    run_id: str
    steps: tuple[int, ...]
    known: int
    artifacts: tuple[str, ...]

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json."""
        return {**self._asdict(), "steps": list(self.steps), "artifacts": list(self.artifacts)}


class Step(NamedTuple):
    """A certified look: the labels it was made at, its time in milliseconds, and what it showed."""

    labels: int
    at: int
    estimates: tuple[Estimate, ...]


def log_study(study: Study, *, tracking_uri: str | None = None, experiment: str = EXPERIMENT, run: str | None = None) -> Logged:
    """Logs every certified look of a study, its verdict and its report to one MLflow run. Logging twice is logging once.

    tracking_uri   a server's address or a database, as "http://127.0.0.1:5000" or "sqlite:///mlflow.db"; MLflow's own setting if not said
    experiment     made if it is not there
    run            the name a new run gets; the study's name if not said

    Metrics carry the classifier where a study judges several, and the slice: "new/precision.ci_low", "new/country/BR/recall". Numbers
    before the plan's look are refused. Needs the extra mlflow.

    Examples:
        >>> from fewlabels.integrations.mlflow import log_study
        >>> from fewlabels.demo.study import small_study
        >>> log_study(small_study(labeled=False), tracking_uri="sqlite:///mlflow.db")
        Traceback (most recent call last):
        fewlabels.errors.StudyError: MLflow is told certified numbers only, but 0 of 40 planned units are resolved: label on
    """
    shown, decision = study.estimate(), study.decide()
    steps = certified_steps(study)
    if not steps:
        raise StudyError(f"MLflow is told certified numbers only, but {_why_none(shown.progress)}")
    client = _client(tracking_uri)
    with _refusing(tracking_uri):
        home = _experiment(client, experiment)
        run_id = _run(client, home, study, run or study.name)
        new, known = _log_steps(client, run_id, steps)
        verdict = "open" if decision is None else decision.outcome
        levels = ", ".join(f"{level:g}" for level in sorted({one.level for one in steps[-1].estimates}))
        for name, value in {**tags_of(study, verdict), "fewlabels.interval_level": levels}.items():
            client.set_tag(run_id, name, value)
        artifacts = _log_artifacts(client, run_id, study, shown.as_json())
        client.update_run(run_id, "FINISHED")  # set_terminated prints, and stdout is not ours
    return Logged(home, run_id, new, known, artifacts)


def _why_none(done: Progress) -> str:
    if done.complete:
        return "this study was ended after a peek at its numbers: plan a larger budget and label that"
    return f"{done.labels:,} of {done.planned:,} planned units are resolved: label on"


def certified_steps(study: Study) -> list[Step]:
    """The certified looks of a study, in the order they were made. Peeks are left out."""
    found = []
    for entry in study.ledger.entries(study.name):
        if entry.kind == "look" and entry.body["certified"] and "estimates" in entry.body:
            estimates = tuple(Estimate.of_json(one) for one in entry.body["estimates"])
            found.append(Step(entry.body["labels"], round(datetime.fromisoformat(entry.at).timestamp() * 1000), estimates))
    return found


def metrics_of(step: Step, *, several: bool) -> dict[str, float]:
    """The metrics of one look by the names MLflow gets; what is unknown is left out, for MLflow has no null."""
    found: dict[str, float | None] = {}
    for one in step.estimates:
        name = name_of(one, several=several)
        found |= {name: one.value, f"{name}.ci_low": one.low, f"{name}.ci_high": one.high}
        found |= {f"{name}.half_width": one.half_width, f"{name}.n_eff": one.n_eff}
    return {name: value for name, value in found.items() if value is not None} | {LABELS: float(step.labels)}


def name_of(one: Estimate, *, several: bool) -> str:
    """The name of an estimate's metric: whose, which slice and which metric, each written with the letters MLflow takes."""
    plain = one.metric.replace("[", " ").replace("]", "").replace(",", " ")
    parts = [*([one.whose] if several or one.is_difference else []), *(one.slice or ()), plain]
    return "/".join(_letters(part) for part in parts)


def _letters(text: str) -> str:
    """The text itself if MLflow takes it; else what is left of it and a few digits that tell it from others."""
    kept = REFUSED.sub("_", text).strip()
    if kept == text and len(text) <= LONGEST and text.strip("."):
        return text
    return f"{kept[:LONGEST].strip('. ')}-{hashlib.sha256(text.encode()).hexdigest()[:6]}"


def tags_of(study: Study, verdict: str) -> dict[str, str]:
    """What a reader of the run must know to read its numbers."""
    standing = study.standing
    plan = standing.plan
    return {
        "fewlabels.study": study.name,
        "fewlabels.verdict": verdict,
        "fewlabels.interval": plan.interval,
        "fewlabels.level": f"{standing.goals[0].level:g}",
        "fewlabels.design": plan.design.name,
        "fewlabels.goals": "; ".join(map(str, standing.goals))[:LONGEST_TAG],
        "fewlabels.plan_hash": plan.hash,
        "fewlabels.fingerprint": standing.profile.fingerprint,
    }


def mark_of(study: Study) -> str:
    """What tells a study from any other, of the same name too: made of its name and salt, neither of which can be read from it."""
    return fingerprint([study.name, study.standing.salt])[:32]


def _client(tracking_uri: str | None) -> "MlflowClient":
    try:
        from mlflow import MlflowClient
    except ImportError:
        raise EngineError(f"logging to MLflow needs the extra mlflow, which is not installed: {install_command('mlflow')}") from None
    with _refusing(tracking_uri):
        return MlflowClient(tracking_uri=tracking_uri)


@contextmanager
def _refusing(tracking_uri: str | None) -> Iterator[None]:
    """Refusals and failures of MLflow in fewlabels' words."""
    try:
        yield
    except Exception as error:
        if type(error).__module__.partition(".")[0] not in MLFLOW_ERRORS:
            raise
        said, where = PASSWORD.sub("//", " ".join(str(error).split()))[:300], PASSWORD.sub("//", tracking_uri or "MLflow's own setting")
        raise EngineError(f"MLflow at {where} did not take it ({said}): check the address and that the server runs") from None


def _experiment(client: "MlflowClient", name: str) -> str:
    found = client.get_experiment_by_name(name)
    return str(found.experiment_id if found is not None else client.create_experiment(name))


def _run(client: "MlflowClient", experiment: str, study: Study, name: str) -> str:
    """The run of the study in the experiment: the one that is there, or a new one."""
    mark = mark_of(study)
    found = client.search_runs([experiment], filter_string=f"tags.`{MARK}` = '{mark}'", max_results=1, order_by=["start_time ASC"])
    return str(found[0].info.run_id if found else client.create_run(experiment, run_name=name, tags={MARK: mark}).info.run_id)


def _log_steps(client: "MlflowClient", run_id: str, steps: Sequence[Step]) -> tuple[tuple[int, ...], int]:
    """The labels of each look that was new, and how many were known. The labels are logged last: a look that has them is whole."""
    there = {(one.step, one.timestamp) for one in client.get_metric_history(run_id, LABELS)}
    new = [step for step in steps if (step.labels, step.at) not in there]
    several = len({one.whose for step in steps for one in step.estimates}) > 1
    for step in new:
        for part in _batches(step, several=several):
            client.log_batch(run_id, metrics=part)
    return tuple(step.labels for step in new), len(steps) - len(new)


def _batches(step: Step, *, several: bool) -> Iterator[list["Metric"]]:
    from mlflow.entities import Metric

    named = [Metric(name, value, step.at, step.labels) for name, value in metrics_of(step, several=several).items()]
    for start in range(0, len(named), MOST_AT_ONCE):
        yield named[start : start + MOST_AT_ONCE]


def write_report(study: Study, folder: Path) -> None:
    """Writes report.html to a folder, and before it report.json, which it is made from."""
    study.report(folder / "report.html")


def _log_artifacts(client: "MlflowClient", run_id: str, study: Study, estimates: Any) -> tuple[str, ...]:
    """The report and the estimates as files of the run; logged again, they take the place of those before."""
    with tempfile.TemporaryDirectory(prefix="fewlabels-") as folder:
        path = Path(folder)
        write_report(study, path)
        (path / "estimates.json").write_text(json.dumps(estimates, ensure_ascii=False, allow_nan=False, indent=1), encoding="utf-8")
        names = sorted(file.name for file in path.iterdir())
        client.log_artifacts(run_id, folder, FOLDER)
    return tuple(f"{FOLDER}/{name}" for name in names)
