"""A study's numbers and report in MLflow: one step for each certified look, so that one can see the interval narrow.

MLflow has no intervals, so each metric has its limits beside it: precision, precision.ci_low, precision.ci_high, precision.half_width and
precision.n_eff. Nothing is logged before the planned look, and peeks never are. A look is logged under its time in the ledger, so
what is logged already is recognized, and logging twice changes nothing.
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
from fewlabels.study.estimate.guide_check import interval_in_force
from fewlabels.study.state.progress import Progress
from fewlabels.study.study import Study

if TYPE_CHECKING:
    from mlflow import MlflowClient
    from mlflow.entities import Metric

FOLDER = "fewlabels"  # folder of the run's artifacts
EXPERIMENT = "fewlabels"
LABELS = "labels_used"
MARK = "fewlabels.study_id"  # the tag by which a study's run is found again
MOST_AT_ONCE = 1000  # metrics MLflow accepts in one request
LONGEST_TAG = 4000
LONGEST = 60  # characters of one part of a metric's name
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
    """Log every certified look of a study, its verdict and its report to one MLflow run. Logging twice changes nothing.

    tracking_uri   a server's address or a database, such as "http://127.0.0.1:5000" or "sqlite:///mlflow.db"; default: MLflow's own setting
    experiment     created if missing
    run            the name of a new run; default: the study's name

    Metric names include the classifier if a study judges several, and the slice: "new/precision.ci_low", "new/country/BR/recall". Before
    the planned look a StudyError is raised. Needs the extra mlflow.

    Examples:
        >>> from fewlabels.integrations.mlflow import log_study
        >>> from fewlabels.demo.study import small_study
        >>> log_study(small_study(labeled=False), tracking_uri="sqlite:///mlflow.db")
        Traceback (most recent call last):
        fewlabels.errors.StudyError: only certified numbers are logged to MLflow, but 0 of 40 planned units are resolved: continue labeling
    """
    shown, decision = study.estimate(), study.decide()
    steps = certified_steps(study)
    if not steps:
        raise StudyError(f"only certified numbers are logged to MLflow, but {_why_none(shown.progress)}")
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
        client.update_run(run_id, "FINISHED")  # set_terminated prints, but stdout is reserved
    return Logged(home, run_id, new, known, artifacts)


def _why_none(done: Progress) -> str:
    if done.complete:
        return "this study was closed after a peek at its numbers: plan a larger budget and label that"
    return f"{done.labels:,} of {done.planned:,} planned units are resolved: continue labeling"


def certified_steps(study: Study) -> list[Step]:
    """Return the certified looks of a study in order. Peeks are left out."""
    found = []
    for entry in study.ledger.notable(study.name, "look"):
        if entry.body["certified"] and "estimates" in entry.body:
            estimates = tuple(Estimate.of_json(one) for one in entry.body["estimates"])
            found.append(Step(entry.body["labels"], round(datetime.fromisoformat(entry.at).timestamp() * 1000), estimates))
    return found


def metrics_of(step: Step, *, several: bool) -> dict[str, float]:
    """Return the metrics of one look by their MLflow names; unknown ones are left out, as MLflow has no null."""
    found: dict[str, float | None] = {}
    for one in step.estimates:
        name = name_of(one, several=several)
        found |= {name: one.value, f"{name}.ci_low": one.low, f"{name}.ci_high": one.high}
        found |= {f"{name}.half_width": one.half_width, f"{name}.n_eff": one.n_eff}
    return {name: value for name, value in found.items() if value is not None} | {LABELS: float(step.labels)}


def name_of(one: Estimate, *, several: bool) -> str:
    """Return the MLflow name of an estimate: classifier, slice and metric, each in characters that MLflow accepts."""
    plain = one.metric.replace("[", " ").replace("]", "").replace(",", " ")
    parts = [*([one.whose] if several or one.is_difference else []), *(one.slice or ()), plain]
    return "/".join(_letters(part) for part in parts)


def _letters(text: str) -> str:
    """Return the text itself if MLflow accepts it; else its accepted characters and a few digits that make it unique."""
    kept = REFUSED.sub("_", text).strip()
    if kept == text and len(text) <= LONGEST and text.strip("."):
        return text
    return f"{kept[:LONGEST].strip('. ')}-{hashlib.sha256(text.encode()).hexdigest()[:6]}"


def tags_of(study: Study, verdict: str) -> dict[str, str]:
    """Return the tags that a reader needs to interpret the numbers of a run."""
    standing = study.standing
    plan = standing.plan
    return {
        "fewlabels.study": study.name,
        "fewlabels.verdict": verdict,
        "fewlabels.interval": interval_in_force(standing),
        "fewlabels.level": f"{standing.goals[0].level:g}",
        "fewlabels.design": plan.design.name,
        "fewlabels.goals": "; ".join(map(str, standing.goals))[:LONGEST_TAG],
        "fewlabels.plan_hash": plan.hash,
        "fewlabels.fingerprint": standing.counted_profile.fingerprint,
    }


def mark_of(study: Study) -> str:
    """Return a digest that identifies a study among all others, even of the same name, without revealing its name and salt."""
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
    """Turn errors of MLflow into errors of fewlabels."""
    try:
        yield
    except Exception as error:
        if type(error).__module__.partition(".")[0] not in MLFLOW_ERRORS:
            raise
        said, where = PASSWORD.sub("//", " ".join(str(error).split()))[:300], PASSWORD.sub("//", tracking_uri or "MLflow's own setting")
        raise EngineError(f"MLflow at {where} did not accept it ({said}): check the address and that the server runs") from None


def _experiment(client: "MlflowClient", name: str) -> str:
    found = client.get_experiment_by_name(name)
    return str(found.experiment_id if found is not None else client.create_experiment(name))


def _run(client: "MlflowClient", experiment: str, study: Study, name: str) -> str:
    """Return the run of the study in the experiment: the existing one, or a new one."""
    mark = mark_of(study)
    found = client.search_runs([experiment], filter_string=f"tags.`{MARK}` = '{mark}'", max_results=1, order_by=["start_time ASC"])
    return str(found[0].info.run_id if found else client.create_run(experiment, run_name=name, tags={MARK: mark}).info.run_id)


def _log_steps(client: "MlflowClient", run_id: str, steps: Sequence[Step]) -> tuple[tuple[int, ...], int]:
    """Return the labels of each new look, and how many looks were known. The label count is logged last: a look that has it is complete."""
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
    """Write report.json to a folder, and report.html, which is made from it."""
    study.report(folder / "report.html")


def _log_artifacts(client: "MlflowClient", run_id: str, study: Study, estimates: Any) -> tuple[str, ...]:
    """Log the report and the estimates as files of the run, replacing earlier ones."""
    with tempfile.TemporaryDirectory(prefix="fewlabels-") as folder:
        path = Path(folder)
        write_report(study, path)
        (path / "estimates.json").write_text(json.dumps(estimates, ensure_ascii=False, allow_nan=False, indent=1), encoding="utf-8")
        names = sorted(file.name for file in path.iterdir())
        client.log_artifacts(run_id, folder, FOLDER)
    return tuple(f"{FOLDER}/{name}" for name in names)
